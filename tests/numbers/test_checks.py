"""Checks name the parameter, the rule, the value and the way out."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from sfumato.errors import InvalidInput, InvalidParameter
from sfumato.numbers.checks import as_number, check_at_least, check_between, check_integer, check_positive

REFUSALS = [
    (check_integer, ("n", 3.0), "n=3.0 must be a whole number. Write it without quotes or point."),
    (check_integer, ("n", "3"), "n='3' must be a whole number. Write it without quotes or point."),
    (check_integer, ("n", True), "n=True must be a whole number. Write it without quotes or point."),
    (check_integer, ("n", None), "n=None must be a whole number. Write it without quotes or point."),
    (check_at_least, ("size", 1, 2), "size=1 must be at least 2. Raise `size`."),
    (check_at_least, ("size", math.nan, 2), "size=nan must be at least 2. Raise `size`."),
    (check_between, ("w", 2, 0, 1), "w=2 must lie in [0, 1]. Move `w` into that range."),
    (check_between, ("w", math.nan, 0, 1), "w=nan must lie in [0, 1]. Move `w` into that range."),
    (check_positive, ("epsilon", 0), "epsilon=0 must be a positive finite number. Choose `epsilon` > 0."),
    (check_positive, ("epsilon", -1.5), "epsilon=-1.5 must be a positive finite number. Choose `epsilon` > 0."),
    (check_positive, ("epsilon", math.inf), "epsilon=inf must be a positive finite number. Choose `epsilon` > 0."),
    (check_positive, ("epsilon", math.nan), "epsilon=nan must be a positive finite number. Choose `epsilon` > 0."),
    (as_number, ("p", True), "p=True must be a number. Write 1 or 0."),
    (as_number, ("p", math.nan), "p=nan must be finite. Check how it was computed."),
    (as_number, ("p", math.inf), "p=inf must be finite. Check how it was computed."),
    (as_number, ("p", "1"), "p must be a number (int, Fraction or float), not str. Convert it first."),
    (as_number, ("p", 1j), "p must be a number (int, Fraction or float), not complex. Convert it first."),
    (as_number, ("p", Decimal(1)), "p must be a number (int, Fraction or float), not Decimal. Convert it first."),
]


@pytest.mark.parametrize(("check", "arguments", "sentence"), REFUSALS)
def test_a_refusal_names_parameter_rule_value_and_way_out(check, arguments, sentence):
    with pytest.raises(InvalidParameter) as caught:
        check(*arguments)
    assert str(caught.value) == sentence
    assert isinstance(caught.value, InvalidInput)
    assert isinstance(caught.value, ValueError)
    assert caught.value.exit_code == 2


def test_a_way_out_of_ones_own_replaces_the_general_one():
    with pytest.raises(InvalidParameter, match=r"^w=2 must lie in \[0, 1\]. Ask again.$"):
        check_between("w", 2, 0, 1, way_out="Ask again.")


def test_what_lies_on_the_border_is_accepted():
    check_at_least("size", 2, 2)
    check_between("w", 0, 0, 1)
    check_between("w", Fraction(1), 0, 1)
    check_positive("epsilon", 5e-324)
    assert check_integer("n", np.int64(7)) == 7
    assert type(check_integer("n", np.int64(7))) is int


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (3, Fraction(3)),
        (np.int32(3), Fraction(3)),
        (Fraction(1, 3), Fraction(1, 3)),
        (0.5, 0.5),
        (np.float32(0.5), 0.5),
    ],
)
def test_as_number_keeps_exact_numbers_exact_and_floats_float(given, expected):
    number = as_number("p", given)
    assert number == expected
    assert type(number) is type(expected)
