"""Releases: what each promise costs, and what cannot be promised."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter
from sfumato.ledger.amounts import (
    Charges,
    Currency,
    amount_from,
    amount_text,
    charge_of,
    decimal_above,
    decimal_below,
    limit_of,
)
from sfumato.ledger.releases import Kind, Release, information, local, perfect_samples, recoverable
from sfumato.measures import maximal_leakage_bits
from sfumato.prob import Channel


def test_a_float_is_the_number_that_it_is():
    """A measure has rounded 0.1 up already; the decimal 1/10 would be less than it said."""
    assert information("x", 0.1).charges.bits == Fraction(0.1) > Fraction(1, 10)
    assert information("x", np.float64(0.1)).charges.bits == Fraction(0.1)
    assert information("x", 2).charges.bits == 2
    assert limit_of("budget_bits", 0.3) == Fraction(3, 10), "a limit is what a person wrote"


def test_what_is_not_known_is_infinite():
    assert information("x", 1).charges == Charges(bits=Fraction(1))
    assert perfect_samples("x", rows_id="a", worst_case_bits=3).charges == Charges(bits=Fraction(3))
    assert recoverable("x", 1, rho=Fraction(9, 10)).charges == Charges(leakage_bits=Fraction(1))
    assert math.isinf(local("x", 1).charges.bits)


def test_local_leakage_follows_from_epsilon_and_is_not_below_it():
    with localcontext() as context:
        context.prec = 60
        exact = Fraction(1 / Decimal(2).ln())
    charged = local("x", 1).charges.leakage_bits
    assert 0 <= charged - exact < Fraction(1, 10**18)
    # By another way: the worst ε-private channel on two answers leaks less than that, the tightest on many comes close.
    for size in (2, 3, 50):
        odds = Fraction(3)
        rows = [
            [odds / (odds + size - 1) if x == y else 1 / (odds + size - 1) for y in range(size)] for x in range(size)
        ]
        assert maximal_leakage_bits(Channel(rows)) <= float(charged) * math.log(3)
    assert local("x", 1, leakage_bits=0.5).charges.leakage_bits == Fraction(1, 2)
    assert local("x", 1, leakage_bits=5).charges.leakage_bits == charged
    assert math.isinf(local("x", math.inf, worst_case_bits=1).charges.leakage_bits)


def test_rho_is_noted_and_not_charged():
    one, other = (recoverable("x", 1, rho=rho) for rho in (0.9, 0.5))
    assert one.notes == ("right with probability 9/10",)
    assert one.charges == other.charges
    with pytest.raises(InvalidParameter, match=r"rho=2 must lie in \[0, 1\]"):
        recoverable("x", 1, rho=2)


def test_every_kind_says_how_it_adds():
    sentences = [kind.how_it_adds for kind in Kind]
    assert len(set(sentences)) == 4
    assert all(sentence.endswith(".") for sentence in sentences)
    assert "does not add" in recoverable("x", 1).how_it_adds
    assert "refused" in perfect_samples("x", rows_id="a", worst_case_bits=1).how_it_adds
    assert "disjoint groups" in information("x", 1).how_it_adds


def test_rows_are_named_once_and_sorted():
    made = perfect_samples("x", rows_id=["b", "a", "b"], worst_case_bits=1)
    assert made.rows == ("a", "b")
    assert made == perfect_samples("x", rows_id=("a", "b"), worst_case_bits=1.0)


BAD = [
    (lambda: information("x", -1), "bits=-1 must be at least 0"),
    (lambda: information("x", -math.inf), "bits=-inf must be at least 0"),
    (lambda: information("x", math.nan), "bits is NaN"),
    (lambda: information("x", "1"), "not str"),
    (lambda: information("x", True), "not bool"),
    (lambda: information("x", Fraction(1, 3**900)), "binary digits"),
    (lambda: information("x", math.inf), "nothing is promised"),
    (lambda: information("", 1), "title must be one line"),
    (lambda: information("a\nb", 1), "title must be one line"),
    (lambda: information("x" * 201, 1), "title must be one line"),
    (lambda: information("a\u2028b", 1), "title must be one line"),
    (lambda: information("a\ud800b", 1), "title must be one line"),
    (lambda: information("x", 1, notes=["\x00"]), "notes must be one line"),
    (lambda: information("x", 1, notes=["a"] * 101), "at most 100"),
    (lambda: perfect_samples("x", rows_id=[], worst_case_bits=1), "names no rows"),
    (lambda: perfect_samples("x", rows_id=" ", worst_case_bits=1), "rows_id must be one line"),
    (lambda: Release(title="x", kind=Kind.LOCAL, charges=Charges(bits=1), rows=("a",)), "perfect samples"),
    (lambda: Release(title="x", kind=Kind.PERFECT_SAMPLES, charges=Charges(bits=1)), "perfect samples"),
    (lambda: Release(title="x", kind="local", charges=Charges(bits=1)), "kind must be a Kind"),
    (lambda: limit_of("epsilon", 0), "epsilon=0 must be a positive finite number"),
    (lambda: limit_of("epsilon", math.inf), "must be finite"),
]


@pytest.mark.parametrize(("make", "sentence"), BAD, ids=range(len(BAD)))
def test_bad_input(make, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        make()


TITLES = ["Enquête\u00a0: revenus", "調査\u3000二〇二六", "नमस्\u200dते", "👩\u200d🔬", "x" * 200]


@pytest.mark.parametrize("title", TITLES, ids=range(len(TITLES)))
def test_titles_of_the_world(title):
    assert information(title, 1).title == title


def test_what_may_be_private_is_not_repeated():
    with pytest.raises(InvalidParameter) as caught:
        information("Jane Doe\x00", 1)
    assert "Jane" not in str(caught.value)


AMOUNTS = st.one_of(
    st.fractions(min_value=0, max_value=10**6), st.floats(min_value=0, max_value=1e300), st.just(math.inf)
).map(lambda value: charge_of("x", value))


@given(amount=AMOUNTS)
def test_text_gives_the_amount_back(amount):
    assert amount_from(amount_text(amount)) == amount


@pytest.mark.parametrize("text", ["2/4", "0.5", " 1", "-1", "1e3", "nan", "Infinity", "1/0", "1_0", "", "1" * 900])
def test_only_one_spelling_is_read(text):
    with pytest.raises((ValueError, ZeroDivisionError)):
        amount_from(text)


@given(amount=st.fractions(min_value=-(10**6), max_value=10**6), places=st.integers(1, 9))
def test_decimals_enclose_what_they_show(amount, places):
    low, high = Fraction(decimal_below(amount, places)), Fraction(decimal_above(amount, places))
    assert low <= amount <= high
    assert high - low <= Fraction(1, 10**places)
    assert (high == low) == ((amount * 10**places).denominator == 1)


def test_decimals_of_all_sizes():
    assert decimal_above(Fraction(1, 3)) == "0.333334"
    assert decimal_below(Fraction(1, 3)) == "0.333333"
    assert decimal_above(Fraction(2)) == "2"
    assert decimal_above(math.inf) == "∞"
    assert decimal_above(Fraction(1, 10**40)) == "0.000001"
    assert decimal_below(Fraction(10**16)) == "10,000,000,000,000,000"


@given(one=st.tuples(AMOUNTS, AMOUNTS, AMOUNTS), other=st.tuples(AMOUNTS, AMOUNTS, AMOUNTS))
def test_charges_add_by_currency(one, other):
    names = [currency.value for currency in Currency]
    total = Charges(**dict(zip(names, one, strict=True))) + Charges(**dict(zip(names, other, strict=True)))
    for (_, amount), a, b in zip(total, one, other, strict=True):
        assert amount == (math.inf if math.inf in (a, b) else a + b)


def test_a_huge_amount_and_no_bound_add():
    assert (Charges(bits=Fraction(10**310)) + Charges()).bits == math.inf
