"""Who may depend on whom is said in one way."""

from fractions import Fraction

import pytest

from sfumato.errors import InvalidParameter
from sfumato.measures import Correlation
from sfumato.measures.dependence import ANYONE, NOBODY


@pytest.mark.parametrize(
    ("said", "found"),
    [("anyone", ANYONE), ("nobody", NOBODY), ("1", NOBODY), (5, Correlation(people=5)), (NOBODY, NOBODY)],
)
def test_words_and_numbers_are_read(said, found):
    assert Correlation.of(said) == found


@pytest.mark.parametrize("said", ["", "household", "-1", "0", 0, -3, "٣", True, 2.0])
def test_anything_else_is_refused_by_its_name(said):
    with pytest.raises(InvalidParameter, match="correlated"):
        Correlation.of(said)


def test_the_two_assumptions_exclude_each_other():
    with pytest.raises(InvalidParameter, match="shared_bits"):
        Correlation(shared_bits=Fraction(-1))


def test_only_no_assumption_is_anyone():
    assert ANYONE.is_anyone
    assert not NOBODY.is_anyone
    assert not Correlation(shared_bits=Fraction(10)).is_anyone
    assert Correlation(shared_bits=Fraction(10)).words == "beliefs that share at most 10 bits"


def test_beliefs_beyond_households():
    both = Correlation(people=5, shared_bits=Fraction(10))
    assert both.words == "beliefs that share at most 10 bits beyond households of at most 5"
    assert not both.is_anyone
    assert Correlation(people=1, shared_bits=Fraction(10)) == Correlation(shared_bits=Fraction(10))
