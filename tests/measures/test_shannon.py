"""Entropies and informations: every interval holds the 50-digit value, exact or float, however small."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from sfumato import measures
from sfumato.errors import InvalidLaw
from sfumato.numbers.intervals import entropy_interval
from sfumato.prob import Channel, Distribution, power
from strategies import circulants, distributions, exact_channels, float_channels, priors_for

HALF = Fraction(1, 2)
ORACLE = Fraction(1, 10**42)
"""How far the oracle itself may be off: 50 digits, at most a few hundred operations."""


def check(interval, truth, width=1e-13):
    # As Fractions: Decimal's own context would round the allowance away.
    assert Fraction(interval.lower) - ORACLE <= Fraction(truth) <= Fraction(interval.upper) + ORACLE
    assert interval.width <= width


def close(number, truth):
    """A midpoint lies in an interval that holds the truth and is below 1e-13 wide."""
    return abs(Decimal(number) - truth) <= Decimal("1e-13")


def largest_information(rows, prior):
    masses = [
        sum(Fraction(p) * Fraction(row[y]) for p, row in zip(prior, rows, strict=True)) for y in range(len(rows[0]))
    ]
    return oracles.log2(max(Fraction(v) / mass for row in rows for v, mass in zip(row, masses, strict=True) if v > 0))


@given(distributions(max_size=8))
def test_entropy_holds_the_true_value(law):
    truth = oracles.entropy_bits(law.probabilities)
    check(entropy_interval((p, 1) for p in law.probabilities), truth)
    assert close(measures.entropy_bits(law), truth)


@pytest.mark.parametrize("digits", [16, 18, 20, 60])
def test_entropy_holds_what_a_double_next_to_one_forgets(digits):
    """1 - 10^-20 is 1 as a double: its logarithm is lost, and the bound on rounding must know of it."""
    rare = Fraction(1, 10**digits)
    check(entropy_interval([(1 - rare, 1), (rare, 1)]), oracles.entropy_bits([1 - rare, rare]))


@given(exact_channels(), st.data())
def test_randomness_and_conditional_entropy_are_row_entropies(channel, data):
    prior = data.draw(priors_for(channel))
    rows = [oracles.entropy_bits(row) for row in channel.rows]
    assert all(close(found, truth) for found, truth in zip(measures.randomness_bits(channel), rows, strict=True))
    check(measures.largest_randomness_interval(channel), max(rows))
    truth = sum(oracles.decimal(p) * row for p, row in zip(prior.probabilities, rows, strict=True))
    assert close(measures.conditional_entropy_bits(channel, prior), truth)


@given(exact_channels(), st.data())
def test_mutual_information_holds_the_true_value(channel, data):
    prior = data.draw(priors_for(channel))
    truth = oracles.mutual_information_bits(channel.rows, prior.probabilities)
    check(measures.mutual_information_interval(channel, prior), truth)
    assert close(measures.mutual_information_bits(channel, prior), truth)


@given(float_channels(6, 4), st.data())
def test_mutual_information_of_floats_holds_the_value_of_the_numbers_as_given(channel, data):
    prior = data.draw(priors_for(channel, exact=False))
    truth = oracles.mutual_information_bits(channel.rows, prior.probabilities)
    check(measures.mutual_information_interval(channel, prior), max(truth, Decimal(0)))


@given(circulants(), st.data())
def test_mutual_information_of_a_structured_channel_holds_the_true_value(ring, data):
    rows = ring.to_dense().rows
    for prior in (Distribution.uniform(ring.shape[0]), data.draw(priors_for(ring))):
        check(
            measures.mutual_information_interval(ring, prior),
            oracles.mutual_information_bits(rows, prior.probabilities),
        )


@given(circulants(exact=False), st.data())
def test_informations_of_a_float_structured_channel_hold_the_value_of_the_numbers_as_given(ring, data):
    """A float law may miss 1 by some 1e-16, and H(Y) - H(Y|X) then differs from Σ p log by as much: hence `off`."""
    rows = ring.to_dense().rows
    for prior in (Distribution.uniform(ring.shape[0]), data.draw(priors_for(ring, exact=False, zeros=False))):
        truth = oracles.mutual_information_bits(rows, prior.probabilities)
        off = abs(sum(map(Fraction, ring.law)) - 1) + abs(sum(map(Fraction, prior.probabilities)) - 1)
        interval = measures.mutual_information_interval(ring, prior).widened(100 * float(off))
        check(interval, max(truth, Decimal(0)), 1e-12)
        check(
            measures.max_information_interval(ring, prior).widened(100 * float(off)),
            max(largest_information(rows, prior.probabilities), Decimal(0)),
            1e-12,
        )


@given(exact_channels(), st.data())
def test_max_information_holds_the_true_value(channel, data):
    prior = data.draw(priors_for(channel, zeros=False))
    truth = largest_information(channel.rows, prior.probabilities)
    check(measures.max_information_interval(channel, prior), truth)
    assert close(measures.max_information_bits(channel, prior), truth)


@given(float_channels(6, 4), st.data())
def test_max_information_of_floats_holds_the_value_of_the_numbers_as_given(channel, data):
    prior = data.draw(priors_for(channel, exact=False, zeros=False))
    truth = largest_information(channel.rows, prior.probabilities)
    check(measures.max_information_interval(channel, prior), max(truth, Decimal(0)))


def test_many_inputs_do_not_outgrow_the_bound_on_rounding():
    """With 400 inputs a plain sum of products may be off by hundreds of ulps; the interval must still hold."""
    rng = np.random.default_rng(5)
    channel = Channel(rng.dirichlet(np.ones(3), size=400))
    prior = Distribution(list(rng.dirichlet(np.ones(400))))
    truth = oracles.mutual_information_bits(channel.rows, prior.probabilities)
    check(measures.mutual_information_interval(channel, prior), truth)
    largest = largest_information(channel.rows, prior.probabilities)
    check(measures.max_information_interval(channel, prior), largest, 1e-12)


def test_rows_that_differ_by_less_than_a_double_can_tell_still_leak():
    """I is near 1e-40, not 0: an interval [0, 0] would be a false certificate of perfect privacy."""
    step = Fraction(1, 10**20)
    channel = Channel([[HALF + step, HALF - step], [HALF, HALF]])
    truth = oracles.mutual_information_bits(channel.rows, [HALF, HALF])
    assert truth > 0
    interval = measures.mutual_information_interval(channel)
    assert interval.upper > 0
    check(interval, truth)


def test_equal_rows_leak_exactly_nothing():
    channel = Channel([[Fraction(1, 3), Fraction(2, 3)]] * 3)
    interval = measures.mutual_information_interval(channel, [Fraction(1, 7), Fraction(2, 7), Fraction(4, 7)])
    assert (interval.lower, interval.upper) == (0.0, 0.0)
    assert measures.max_information_bits(channel) == 0.0


def test_probabilities_below_every_double_are_survived():
    """400 reports of a 1-in-10 event: 1e-400 is no double, but it is a probability."""
    channel = power(Channel([[Fraction(1, 10), Fraction(9, 10)], [Fraction(9, 10), Fraction(1, 10)]]), 400)
    assert min(v for row in channel.rows for v in row) < Fraction(1, 10**390)
    prior = [HALF, HALF]
    check(measures.mutual_information_interval(channel), oracles.mutual_information_bits(channel.rows, prior), 1e-12)
    check(measures.largest_randomness_interval(channel), oracles.entropy_bits(channel.rows[0]), 1e-11)
    check(measures.max_information_interval(channel), largest_information(channel.rows, prior))


def test_a_tiny_float_in_a_structured_channel_has_max_information():
    from sfumato.prob import Circulant

    ring = Circulant([0.9, 1e-20, 0.1 - 1e-20], 1)
    assert measures.max_information_bits(ring) <= 1e-14


def test_binary_symmetric_channel_by_hand():
    """I = 1 - H2(1/4) = (3/4) log2 3 - 1."""
    channel = Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    assert measures.mutual_information_bits(channel) == pytest.approx(0.75 * math.log2(3) - 1, abs=1e-15)
    assert measures.max_information_bits(channel) == pytest.approx(math.log2(1.5), abs=1e-15)
    assert measures.randomness_bits(channel) == pytest.approx([2 - 0.75 * math.log2(3)] * 2, abs=1e-15)


def test_max_information_refuses_an_impossible_input():
    with pytest.raises(InvalidLaw, match=r"prior has a zero, and max-information needs every input possible. Drop"):
        measures.max_information_bits(Channel([[1], [1]]), [1, 0])
