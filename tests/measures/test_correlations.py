"""Differential privacy and correlated records: Theorem 1 both ways, and the prior that breaks it."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from record_channels import datasets, flipped, random_channel
from sfumato.errors import InvalidParameter
from sfumato.measures import odds
from sfumato.measures.individual import (
    max_individual_capacity_bits,
    neighbour_epsilon,
    neighbour_odds,
    worst_correlation,
)
from sfumato.prob import Channel, Distribution
from strategies import exact_laws

HALF = Fraction(1, 2)


def geometric_count(bits):
    """The count of `bits` ones plus truncated geometric noise: neighbours' odds are exactly 2."""
    top = bits
    rows = []
    for x in datasets((2,) * bits):
        count = sum(x)
        row = [Fraction(1, 3) * HALF ** abs(count - y) for y in range(top + 1)]
        row[0], row[top] = Fraction(2, 3) * HALF**count, Fraction(2, 3) * HALF ** (top - count)
        rows.append(row)
    return Channel(rows)


def max_information_about(channel, shape, record, law):
    """max over values and reports of ln P(y|x_i)/P(y), for a joint law of all records."""
    table = np.moveaxis((law[:, None] * channel.array).reshape(*shape, -1), record, 0)
    joint = table.reshape(shape[record], -1, channel.shape[1]).sum(axis=1)
    reports = joint.sum(axis=0)
    values = joint.sum(axis=1, keepdims=True)
    seen = (joint > 0) & (values > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.log(joint / values / reports)[seen].max())


@given(data=st.data())
def test_odds_are_the_brute_force_maximum(data):
    shape = data.draw(st.sampled_from([(2,), (2, 2), (3, 2), (2, 1, 2)]))
    channel = Channel([data.draw(exact_laws(3, zeros=False)) for _ in range(math.prod(shape))])
    everything = list(zip(datasets(shape), channel.rows, strict=True))
    pairs = [(x, p, z, q) for (x, p), (z, q) in itertools.permutations(everything, 2)]

    def largest(keep):
        return max((a / b for x, p, z, q in pairs if keep(x, z) for a, b in zip(p, q, strict=True)), default=1)

    assert neighbour_odds(channel, shape) == max(
        1, largest(lambda x, z: sum(a != b for a, b in zip(x, z, strict=True)) == 1)
    )
    leak = worst_correlation(channel, shape)
    assert leak.odds == max(1, largest(lambda x, z: x != z)) == odds(channel)
    likely, unlikely = (channel.row(x)[leak.output] for x in (leak.surprising, leak.expected))
    assert leak.odds == likely / unlikely
    one, other = (datasets(shape)[x] for x in (leak.surprising, leak.expected))
    assert leak.odds == 1 or one[leak.record] != other[leak.record]


@given(seed=st.integers(0, 2**32))
def test_ratios_of_floats_are_rounded_up(seed):
    channel = random_channel(np.random.default_rng(seed), (2, 2), 3)
    exactly = [[Fraction(value) for value in row] for row in channel.array.tolist()]
    truth = max(p / q for a in exactly for b in exactly for p, q in zip(a, b, strict=True))
    assert truth <= Fraction(worst_correlation(channel, (2, 2)).odds)
    assert truth * (1 + Fraction(1, 10**15)) > Fraction(worst_correlation(channel, (2, 2)).odds)


class TestTheoremOne:
    @pytest.mark.parametrize("seed", range(20))
    def test_independent_records_lose_at_most_epsilon(self, seed):
        rng = np.random.default_rng(seed)
        shape = (2, 3)
        channel = random_channel(rng, shape, 3)
        epsilon = neighbour_epsilon(channel, shape)
        for _ in range(50):
            law = np.outer(rng.dirichlet(np.full(2, 0.3)), rng.dirichlet(np.full(3, 0.3))).ravel()
            for record in range(2):
                assert max_information_about(channel, shape, record, law) <= epsilon

    @pytest.mark.parametrize("seed", range(5))
    def test_and_some_come_as_close_as_they_like(self, seed):
        """All other records known, and one value of this record almost sure: the equality cases of the proof."""
        shape = (2, 3)
        channel = random_channel(np.random.default_rng(seed), shape, 3)
        epsilon, reached = neighbour_epsilon(channel, shape), 0.0
        for known in itertools.product(range(6), range(6)):
            if sum(a != b for a, b in zip(datasets(shape)[known[0]], datasets(shape)[known[1]], strict=True)) == 1:
                law = np.zeros(6)
                law[list(known)] = 1 - 1e-12, 1e-12
                reached = max(reached, *(max_information_about(channel, shape, i, law) for i in range(2)))
        # The chance given to the surprising value costs that chance times the odds.
        assert epsilon - 2e-12 * math.exp(epsilon) - 1e-9 < reached <= epsilon


class TestTwoBitsThatAreTheSame:
    """A count of two bits with odds 2 between neighbours: ε = ln 2 nats, which is one bit."""

    channel = geometric_count(2)

    def test_the_channel_is_one_bit_private(self):
        assert neighbour_odds(self.channel, (2, 2)) == 2
        assert neighbour_epsilon(self.channel, (2, 2)) == pytest.approx(math.log(2), abs=1e-12)

    def test_correlated_bits_leak_up_to_two(self):
        leak = worst_correlation(self.channel, (2, 2))
        assert leak.odds == 4
        assert {leak.expected, leak.surprising} == {0, 3}
        assert max_individual_capacity_bits(self.channel, (2, 2)).upper == 2
        assert leak.max_information_bits(Fraction(1, 10)) == pytest.approx(math.log2(40 / 13), abs=1e-12)
        assert leak.max_information_bits(Fraction(1, 1000)) > 1.99

    def test_the_prior_is_the_one_that_leaks(self):
        leak = worst_correlation(self.channel, (2, 2))
        prior = leak.prior(Fraction(1, 10))
        assert prior.probabilities[leak.surprising] == Fraction(1, 10)
        masses = np.array(prior.probabilities, dtype=float)
        found = max_information_about(self.channel, (2, 2), 0, masses) / math.log(2)
        assert found == pytest.approx(leak.max_information_bits(Fraction(1, 10)), abs=1e-12)


def test_n_alike_bits_leak_n_times_as_much():
    for bits in (1, 2, 3, 4):
        channel = geometric_count(bits)
        assert max_individual_capacity_bits(channel, (2,) * bits).upper == bits


def test_a_report_that_rules_something_out_has_no_finite_odds():
    channel = Channel([[1, 0], [HALF, HALF]])
    assert neighbour_odds(channel, (2,)) == math.inf
    assert max_individual_capacity_bits(channel, (2,)).upper == math.inf


def test_a_single_value_leaks_nothing():
    channel = Channel([[HALF, HALF]])
    assert worst_correlation(channel, (1,)).odds == 1
    assert max_individual_capacity_bits(channel, (1, 1)).upper == 0


@pytest.mark.parametrize("chance", [-0.1, 1.5, math.nan])
def test_a_chance_is_a_chance(chance):
    leak = worst_correlation(flipped([0, 1], Fraction(1, 4)), (2,))
    with pytest.raises(InvalidParameter, match="surprise"):
        leak.prior(chance)
    with pytest.raises(InvalidParameter, match="surprise"):
        leak.max_information_bits(chance)


def test_the_prior_is_a_law_on_the_data_sets():
    leak = worst_correlation(flipped([0, 1, 1, 0], Fraction(1, 4)), (2, 2))
    assert isinstance(leak.prior(0.25), Distribution)
    assert sum(leak.prior(0.25).probabilities) == 1
