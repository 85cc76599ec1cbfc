"""Differences of two numbers: intervals that have width, stay in range, hold the point, and cover at the corner too."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter
from sfumato.inference import estimate_share
from sfumato.inference.estimates import Side, difference_intervals
from sfumato.prob import Channel
from sfumato.prob.intervals import bounded_intervals

DRAWS = 4000


@st.composite
def sides(draw, low, high):
    """A number between two bounds that was seen with some error, or with none at all."""
    raw = draw(st.floats(low - 2, high + 2))
    error = draw(st.one_of(st.just(0.0), st.floats(1e-6, 3)))
    value = min(max(raw, low), high)
    room = draw(st.floats(1e-6, 1))
    lower, upper = max(low, value - room), min(high, value + room)
    return Side(value=value, raw=raw, error=error, lower=lower, upper=upper, confidence=0.95)


@given(data=st.data(), low=st.integers(-5, 0), span=st.integers(1, 20), confidence=st.sampled_from([0.8, 0.95, 0.999]))
def test_intervals_have_width_stay_in_range_and_hold_the_point(data, low, span, confidence):
    high = low + span
    first, second = data.draw(sides(low, high)), data.draw(sides(low, high))
    (lower,), (upper,) = difference_intervals(first, second, low=low, high=high, confidence=confidence)
    assert -span <= lower < upper <= span
    assert lower <= first.value - second.value <= upper
    (back,), (forth,) = difference_intervals(second, first, low=low, high=high, confidence=confidence)
    assert (back, forth) == pytest.approx((-upper, -lower), abs=1e-9 * span)


@settings(max_examples=20, deadline=None)
@given(data=st.data(), confidence=st.sampled_from([0.8, 0.95, 0.999]))
def test_many_at_once_are_each_alone_and_each_end_is_that_of_a_whole_interval(data, confidence):
    pairs = [(data.draw(sides(0, 1)), data.draw(sides(0, 1))) for _ in range(3)]
    fields = ("value", "raw", "error", "lower", "upper")
    stacked = [
        Side(**{name: [getattr(pair[place], name) for pair in pairs] for name in fields}, confidence=0.95)
        for place in (0, 1)
    ]
    lower, upper = difference_intervals(*stacked, low=0, high=1, confidence=confidence)
    for place, (first, second) in enumerate(pairs):
        alone = difference_intervals(first, second, low=0, high=1, confidence=confidence)
        assert (lower[place], upper[place]) == (alone[0][0], alone[1][0])
        raw, shown = first.raw - second.raw, first.value - second.value
        down = np.hypot(first.deviation(upwards=False), second.deviation(upwards=True))
        up = np.hypot(second.deviation(upwards=False), first.deviation(upwards=True))
        below, above = (bounded_intervals(raw, one, -1, 1, confidence) for one in (down, up))
        assert lower[place] == pytest.approx(min(below[0][0], shown), abs=1e-12)
        assert upper[place] == pytest.approx(max(above[1][0], shown), abs=1e-12)


def noisy(rng, share, people, truthful):
    """Groups that answer yes or no truthfully with a chance; what is seen of the share."""
    chance = share * truthful + (1 - share) * (1 - truthful)
    seen = rng.binomial(people, chance, DRAWS) / people
    slope = 2 * truthful - 1
    raw = (seen - (1 - truthful)) / slope
    value = np.clip(raw, 0, 1)
    shown = value * slope + 1 - truthful
    error = np.sqrt(shown * (1 - shown) / people) / slope
    lower, upper = bounded_intervals(raw, np.maximum(error, 1.9 / people), 0, 1, 0.95)
    return Side(value=value, raw=raw, error=error, lower=lower, upper=upper, confidence=0.95)


@pytest.mark.parametrize(
    ("shares", "people"),
    [((0.0, 0.0), (800, 800)), ((0.0, 0.1), (2000, 300)), ((0.3, 0.25), (500, 900)), ((1.0, 0.0), (600, 600))],
)
def test_differences_cover_at_the_corner_and_inside(shares, people):
    rng = np.random.default_rng(18)
    first, second = (noisy(rng, share, count, 0.75) for share, count in zip(shares, people, strict=True))
    lower, upper = difference_intervals(first, second, low=0, high=1, confidence=0.95)
    truth = shares[0] - shares[1]
    assert 0.94 <= np.mean((lower <= truth) & (truth <= upper)) <= 0.99


def test_answers_that_nobody_gave_are_not_taken_for_certain():
    """Without noise a count of 0 has the standard error 0; its interval has width, and so has the difference."""
    rng = np.random.default_rng(18)
    people = 100
    clear = Channel([[1, 0], [0, 1]])
    found = [estimate_share(clear, [people - count, count]) for count in range(31)]
    table = {
        "value": np.array([one.share for one in found]),
        "raw": np.array([one.share for one in found]),
        "error": np.array([one.standard_error for one in found]),
        "lower": np.array([one.interval.lower for one in found]),
        "upper": np.array([one.interval.upper for one in found]),
    }
    assert table["error"][0] < 1e-9
    for share in (0.0, 0.005, 0.0265, 0.03, 0.06, 0.1):
        counts = np.minimum(rng.binomial(people, share, DRAWS), 30)
        first = Side(**{name: column[counts] for name, column in table.items()}, confidence=0.95)
        second = Side(**{name: np.full(DRAWS, column[0]) for name, column in table.items()}, confidence=0.95)
        lower, upper = difference_intervals(first, second, low=0, high=1, confidence=0.95)
        assert np.mean((lower <= share) & (share <= upper)) >= 0.94, share


def test_a_confidence_that_is_none_is_refused():
    one = Side(value=0.5, raw=0.5, error=0.1, lower=0.3, upper=0.7, confidence=0.95)
    with pytest.raises(InvalidParameter, match="confidence"):
        difference_intervals(one, one, low=0, high=1, confidence=95)
