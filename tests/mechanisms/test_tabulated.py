"""Any channel as a mechanism: the law sampled is the channel, or the nearest one that fits a word."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.bits import InsecureSeeded, ScriptedBits
from sfumato.errors import InvalidParameter, SourceFailed
from sfumato.mechanisms import Tabulated
from sfumato.prob import Channel


@st.composite
def narrow_tables(draw):
    """Channels whose rows are integer counts over at most 2^6."""
    outputs = draw(st.integers(1, 4))
    rows = draw(
        st.lists(st.lists(st.integers(0, 16), min_size=outputs, max_size=outputs).filter(any), min_size=1, max_size=3)
    )
    return Channel([[Fraction(count, sum(row)) for count in row] for row in rows])


@settings(max_examples=200)
@given(channel=narrow_tables())
def test_every_draw_of_every_row(channel):
    mechanism = Tabulated(channel, width=7)
    for x in range(channel.shape[0]):
        hits = [0] * channel.shape[1]
        for word in range(1 << 7):
            try:
                hits[int(mechanism.privatize([x], ScriptedBits([word]))[0])] += 1
            except SourceFailed:
                continue
        assert tuple(Fraction(hit, sum(hits)) for hit in hits) == mechanism.law(x) == channel.rows[x]
    assert mechanism.channel() == channel


def test_a_law_that_does_not_fit_is_rounded_and_says_so():
    channel = Channel([[Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 2), Fraction(1, 2)]])
    mechanism = Tabulated(channel, width=1)
    assert mechanism.channel().rows == ((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 2), Fraction(1, 2)))


def test_estimate_finds_the_shares_and_refuses_what_cannot_be_found():
    channel = Channel([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]])
    mechanism = Tabulated(channel)
    answers = np.repeat([0, 1], [80_000, 20_000])
    estimate = mechanism.estimate(mechanism.tally(mechanism.privatize(answers, InsecureSeeded(3))))
    assert abs(estimate.raw[1] - 0.2) < 6 * estimate.standard_errors[1]
    assert estimate.intervals[1].lower <= 0.2 <= estimate.intervals[1].upper
    blind = Tabulated(Channel([[0.5, 0.5], [0.5, 0.5]]))
    with pytest.raises(InvalidParameter, match="cannot be told apart"):
        blind.estimate(blind.tally([0, 1]))
    with pytest.raises(InvalidParameter, match="Estimate with the mechanism that made the reports"):
        mechanism.estimate(blind.tally([0, 1]))
