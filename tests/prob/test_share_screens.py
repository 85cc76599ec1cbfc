"""The quick look agrees with the intervals that it stands for, and tails with sums of fractions."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter
from sfumato.inference import shares as planning
from sfumato.inference.exact import Method, ShareModel, share_interval
from sfumato.prob import Channel
from sfumato.prob.binomial import upper_tail
from sfumato.prob.intervals import PRECISION, binomial_share_intervals, near_share_interval
from sfumato.prob.intervals import _quick_above as _above

chances = st.integers(0, 40).map(lambda n: n / 40)


@given(
    total=st.integers(1, 3000), hits=st.integers(0, 3000), other=chances, own=chances,
    confidence=st.sampled_from([0.5, 0.9, 0.95, 0.99, 0.999999]),
)  # fmt: skip
@example(total=200_000, hits=84_115, other=0.3775, own=0.5, confidence=0.95)
@example(total=17_661, hits=7_812, other=0.3775, own=0.6225, confidence=0.95)
@example(total=1, hits=1, other=0.0, own=1.0, confidence=0.95)
def test_ends_are_those_of_the_intervals(total, hits, other, own, confidence):
    if other >= own or hits > total:
        return
    near = near_share_interval(hits, total, other, own, confidence)
    exact = binomial_share_intervals(hits, total, other, own, confidence)
    assert near == pytest.approx([float(end) for end in exact], abs=PRECISION / 20)


@pytest.mark.parametrize(("count", "total"), [(1, 1), (3, 7), (190, 400), (420, 900), (7_950, 17_661)])
@pytest.mark.parametrize("share", [Fraction(1, 20), Fraction(9, 20), Fraction(19, 20)])
def test_tails_are_those_of_fractions(count, total, share):
    low, high = upper_tail(count, total, share)
    assert float(low) * (1 - 1e-9) <= _above(count, total, float(share)) <= float(high) * (1 + 1e-9) + 1e-300


def exact_search(channel, theta, half_width):
    """The same search, every step of it decided by the interval itself."""
    model = ShareModel.of(channel)

    def is_enough(n):
        counts = planning.expected_counts(model, theta, n)
        return share_interval(model, counts, method=Method.EXACT).width / 2 <= half_width

    guess = max(2, -int(-((1.96 / half_width) ** 2) // model.information(theta)))
    return planning._least(is_enough, guess, "half_width", half_width)


@pytest.mark.parametrize("truth", [Fraction(3, 5), Fraction(3, 4), Fraction(9, 10)])
@pytest.mark.parametrize(("theta", "half_width"), [(0.3, 0.05), (0.05, 0.1), (0.5, 0.0313)])
def test_the_search_ends_where_intervals_alone_would_lead_it(truth, theta, half_width):
    channel = Channel([[truth, 1 - truth], [1 - truth, truth]])
    found = planning.respondents_for_half_width(channel, theta, half_width)
    assert found.n == exact_search(channel, theta, half_width)
    assert found.achieved <= half_width


def test_what_is_too_close_to_call_is_left_to_the_interval(monkeypatch):
    """A quick look that always says "a little too wide", by less than its precision, is never believed."""
    channel = Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    half = 0.1 + PRECISION / 2
    monkeypatch.setattr(planning, "near_share_interval", lambda *_: (0.5 - half, 0.5 + half))
    assert planning.number_for_half_width(channel, 0.3, 0.1) == exact_search(channel, 0.3, 0.1)


def test_a_confidence_that_is_none_is_refused():
    channel = Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    with pytest.raises(InvalidParameter, match="confidence"):
        planning.number_for_half_width(channel, 0.3, 0.1, confidence=1.5)
