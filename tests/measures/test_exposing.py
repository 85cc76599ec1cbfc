"""Exposure: the probability that a report proves its answer, by looking at every posterior."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given

from sfumato import measures
from sfumato.prob import Channel, Circulant
from strategies import exact_channels, float_channels


def by_posterior(channel):
    """The chance, for each input, of a report whose posterior (under any positive prior) is a point."""
    totals = [Fraction(0)] * channel.shape[0]
    for column in zip(*channel.rows, strict=True):
        joint = [Fraction(v) for v in column]
        for x, value in enumerate(joint):
            if value > 0 and value == sum(joint):
                totals[x] += value
    return tuple(totals)


@given(exact_channels())
def test_exposures_are_the_chance_of_a_posterior_that_is_a_point(channel):
    assert measures.exposures(channel) == by_posterior(channel)
    assert measures.exposure(channel) == max(by_posterior(channel))


@given(float_channels())
def test_exposures_of_floats(channel):
    """At most four entries are added, so 1e-15 covers the rounding; zero must be zero."""
    for found, truth in zip(measures.exposures(channel), by_posterior(channel), strict=True):
        assert abs(found - truth) <= 1e-15
        assert (found == 0) == (truth == 0)


def test_a_structured_channel_is_exposed_as_its_rows_are():
    third = Circulant.two_level(size=3, support=[0], odds=Fraction(3))
    shifted = Circulant([Fraction(1, 2), Fraction(1, 2), 0, 0], 2)
    for channel in (third, shifted):
        assert measures.exposures(channel) == measures.exposures(channel.to_dense())
    assert measures.exposure(shifted) == Fraction(1, 2)


def test_extremes():
    assert measures.exposure(Channel([[1, 0], [0, 1]])) == 1
    assert measures.exposure(Channel([[1], [1]])) == 0
    assert measures.exposures(Channel([[1, 0], [Fraction(1, 2), Fraction(1, 2)]])) == (0, Fraction(1, 2))
