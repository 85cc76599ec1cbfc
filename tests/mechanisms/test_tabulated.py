"""Any channel as a mechanism: the law sampled is the channel, or the nearest one that fits a word."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from mechanism_strategies import narrow_tables
from sfumato.errors import InvalidParameter
from sfumato.mechanisms import Tabulated
from sfumato.prob import Channel
from sfumato.sampling import InsecureSeeded


@given(channel=narrow_tables())
def test_a_law_that_fits_a_word_is_sampled_as_it_is(channel):
    mechanism = Tabulated(channel, width=7)
    assert mechanism.channel() == channel
    assert tuple(mechanism.law(x) for x in range(mechanism.size)) == channel.rows


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
