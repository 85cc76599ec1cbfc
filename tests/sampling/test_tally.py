"""Tallies add in any order, exactly."""

from __future__ import annotations

import functools
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidInput, InvalidParameter
from sfumato.sampling import Tally

COUNTS = st.lists(st.lists(st.integers(0, 2**70), min_size=3, max_size=3), min_size=1, max_size=6)


@given(COUNTS, st.randoms(use_true_random=False))
def test_adding_in_any_order_gives_the_same_tally(parts, shuffler):
    tallies = [Tally(mechanism="coin", counts=tuple(counts)) for counts in parts]
    shuffled = list(tallies)
    shuffler.shuffle(shuffled)
    total = functools.reduce(operator.add, tallies)
    assert functools.reduce(operator.add, shuffled) == total
    assert functools.reduce(lambda a, b: b + a, tallies) == total
    assert total.counts == tuple(map(sum, zip(*parts, strict=True)))
    assert total.total == sum(map(sum, parts))


def test_numpy_counts_do_not_overflow():
    """Counts become Python integers at the door, so 2^62 + 2^62 is 2^63 and not -2^63."""
    half = Tally(mechanism="coin", counts=tuple(np.array([2**62, 1])))
    assert (half + half).counts == (2**63, 2)


def test_different_mechanisms_do_not_add():
    with pytest.raises(InvalidParameter, match=r"different mechanisms do not add: a and b. Estimate each on its own"):
        Tally(mechanism="a", counts=(1,)) + Tally(mechanism="b", counts=(1,))


def test_tallies_of_different_lengths_do_not_add():
    with pytest.raises(InvalidInput, match=r"2 and 3"):
        Tally(mechanism="a", counts=(1, 2)) + Tally(mechanism="a", counts=(1, 2, 3))


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ((), "counts must not be empty. Give one count for each possible report."),
        ((1, -1), "counts must be whole numbers ≥ 0. Count each possible report once."),
        ((1, 2.0), "counts=2.0 must be a whole number. Write it without quotes or point."),
        ((True, 2), "counts=True must be a whole number. Write it without quotes or point."),
    ],
)
def test_what_is_not_a_count_is_refused(counts, sentence):
    with pytest.raises(InvalidParameter) as caught:
        Tally(mechanism="coin", counts=counts)
    assert str(caught.value) == sentence


def test_a_tally_may_state_how_many_reports_there_were():
    """A unary report counts in several places, so the counts do not sum to the number of reports."""
    one = Tally(mechanism="unary", counts=(3, 4), reports=5)
    two = Tally(mechanism="unary", counts=(1, 0), reports=2)
    assert (one + two).total == 7
    assert (one + two).counts == (4, 4)
    with pytest.raises(InvalidParameter, match="at least the largest count"):
        Tally(mechanism="unary", counts=(3, 4), reports=3)
    with pytest.raises(InvalidParameter, match="State it in both"):
        one + Tally(mechanism="unary", counts=(1, 0))
