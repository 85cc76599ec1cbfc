"""An interval holds its number, whatever is done to it."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter
from sfumato.numbers import Interval

NUMBERS = st.floats(allow_nan=False, min_value=-1e300, max_value=1e300)


@st.composite
def intervals(draw):
    return Interval(*sorted((draw(NUMBERS), draw(NUMBERS))))


@pytest.mark.parametrize("ends", [(1.0, 0.0), (math.nan, 1.0), (0.0, math.nan), (math.inf, -math.inf)])
def test_ends_in_the_wrong_order_or_not_numbers_are_refused(ends):
    with pytest.raises(InvalidParameter, match=r"^lower=\S+ must be at most `upper`=\S+\. Exchange the two"):
        Interval(*ends)


@given(intervals())
def test_midpoint_lies_inside_and_width_is_the_difference(interval):
    assert interval.midpoint in interval
    assert interval.width == interval.upper - interval.lower


@given(intervals(), NUMBERS)
def test_contains_is_between_the_ends(interval, value):
    assert (value in interval) == (interval.lower <= value <= interval.upper)


@given(intervals(), intervals())
def test_encloses_implies_overlaps_and_overlap_is_symmetric(first, second):
    hull = Interval(min(first.lower, second.lower), max(first.upper, second.upper))
    assert hull.encloses(first)
    assert hull.overlaps(second)
    assert first.overlaps(second) == second.overlaps(first)
    assert first.overlaps(second) == (max(first.lower, second.lower) <= min(first.upper, second.upper))


@given(intervals(), st.floats(0, 1e300))
def test_widened_encloses_strictly(interval, slack):
    wider = interval.widened(slack)
    assert wider.encloses(interval)
    assert wider.lower < interval.lower
    assert wider.upper > interval.upper
    assert wider.lower <= interval.lower - slack
    assert wider.upper >= interval.upper + slack


@given(intervals(), NUMBERS)
def test_at_least_keeps_every_value_that_is_no_smaller(interval, floor):
    cut = interval.at_least(floor)
    assert cut.lower == max(interval.lower, floor)
    assert cut.upper == max(interval.upper, floor)


def test_infinity_is_a_point():
    point = Interval(math.inf, math.inf)
    assert (point.width, point.midpoint, point.widened(1.0)) == (0.0, math.inf, point)
    assert math.inf in point


def test_an_interval_is_frozen_and_prints_its_ends():
    interval = Interval(0.1, 0.25)
    with pytest.raises(FrozenInstanceError):
        interval.lower = 0.0
    assert str(interval) == "[0.1, 0.25]"
