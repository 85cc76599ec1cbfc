"""Odds by going through all triples, epsilon by 50-digit logarithms; every rounding is towards less privacy."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction

from hypothesis import given

import oracles
from sfumato import measures
from sfumato.prob import Channel
from strategies import circulants, exact_channels, float_channels, positive_exact_channels


def worst_ratio(rows):
    worst = Fraction(1)
    for column in zip(*rows, strict=True):
        for high, low in itertools.permutations(map(Fraction, column), 2):
            if low == 0 < high:
                return math.inf
            worst = max(worst, high / low) if high else worst
    return worst


@given(exact_channels())
def test_odds_are_the_worst_ratio_exactly(channel):
    assert measures.odds(channel) == worst_ratio(channel.rows)


@given(circulants())
def test_odds_of_a_structured_channel_are_those_of_its_entries(ring):
    assert measures.odds(ring) == worst_ratio(ring.to_dense().rows)


@given(positive_exact_channels())
def test_epsilon_is_rounded_up_from_the_true_logarithm(channel):
    truth = oracles.ln(worst_ratio(channel.rows))
    interval = measures.epsilon_interval(channel)
    assert Decimal(interval.lower) <= truth <= Decimal(interval.upper)
    assert interval.width <= 4 * math.ulp(interval.upper)
    assert measures.epsilon(channel) == interval.upper


@given(float_channels(zeros=False))
def test_float_odds_and_epsilon_never_claim_too_much_privacy(channel):
    truth = worst_ratio(channel.rows)
    assert Fraction(measures.odds(channel)) >= truth
    assert float(measures.odds(channel) / float(truth) - 1) <= 4e-16
    interval = measures.epsilon_interval(channel)
    assert Decimal(interval.lower) <= oracles.ln(truth) <= Decimal(measures.epsilon(channel))


def test_infinity_is_a_value():
    channel = Channel([[1, 0], [Fraction(1, 2), Fraction(1, 2)]])
    assert measures.odds(channel) == math.inf
    assert measures.epsilon(channel) == math.inf


def test_an_output_that_never_occurs_does_not_count():
    assert measures.odds(Channel([[1, 0], [1, 0]])) == 1
    assert measures.epsilon(Channel([[1, 0], [1, 0]])) == 0.0


def test_odds_beyond_every_double_have_a_finite_epsilon():
    tiny = Fraction(1, 10**400)
    channel = Channel([[tiny, 1 - tiny], [1 - tiny, tiny]])
    assert measures.odds(channel) == 10**400 - 1
    assert Decimal(measures.epsilon(channel)) >= oracles.ln(10**400 - 1)
    assert measures.epsilon_interval(channel).width < 1e-12
