"""Composition: the inequalities on a thousand channels, the exact joint leak beside every bound."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from record_channels import datasets, flipped, h2, information_about, random_channel
from sfumato import measures
from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.ledger.composition import (
    compose,
    compose_parallel,
    compose_two_data_sets,
    cross_capacity_bits,
    group_bound_bits,
    joint_of_two_data_sets,
)
from sfumato.measures.individual import individual_capacity_bits
from sfumato.prob import Channel

FLIP = Fraction(1, 10)
COIN = flipped([0, 1], FLIP)
PARITY = flipped([a ^ b for a, b in datasets((2, 2))], FLIP)
# Two looks at the same bit: the pairs (0,0) and (1,1) have .41 each, the others .09.
TWICE = -2 * 0.41 * math.log2(0.41) - 2 * 0.09 * math.log2(0.09) - 2 * h2(0.1)


@pytest.mark.parametrize("pairs", [60, pytest.param(1000, marks=pytest.mark.slow)])
def test_pairs_of_channels_leak_at_most_the_sum(pairs):
    """[E, Thm 5]: and at least as much as either alone."""
    rng = np.random.default_rng(1)
    for _ in range(pairs):
        shape = [(2, 2), (2, 3), (3, 2), (2, 2, 2)][int(rng.integers(4))]
        channels = [random_channel(rng, shape, int(rng.integers(2, 4)), float(rng.uniform(0.1, 2))) for _ in range(2)]
        found = compose(channels, shape, gap_bits=1e-4)
        assert found.joint.lower <= found.bound
        assert Fraction(found.bound) >= sum(Fraction(part.upper) for part in found.parts)
        assert found.joint.upper >= max(part.lower for part in found.parts)


def test_the_joint_leak_is_below_the_sum_where_reports_repeat_each_other():
    found = compose([PARITY, PARITY], (2, 2))
    assert found.joint.lower - 1e-12 <= TWICE <= found.joint.upper
    assert found.bound == pytest.approx(2 * (1 - h2(0.1)), abs=3e-6)


class TestDifferentPeople:
    def test_two_flips_of_equal_bits_leak_more_than_either(self):
        """τ of Proposition 7, whose positivity the paper leaves open: X_1 = X_2 through two channels."""
        found = compose_parallel([COIN, COIN], [(2,), (2,)])
        assert found.joint.lower - 1e-12 <= TWICE <= found.joint.upper
        tau = TWICE - (1 - h2(0.1))
        assert tau == pytest.approx(0.21108145, abs=1e-8)
        assert found.excess.lower - 1e-12 <= tau <= found.excess.upper
        assert found.excess.lower > 0.2

    def test_the_truth_by_a_law_written_down(self):
        """The joint law of two equal bits reaches the joint leak."""
        both = Channel([[p * q for p in a for q in b] for a in COIN.rows for b in COIN.rows])
        assert information_about(both, (2, 2), (0,), [0.5, 0, 0, 0.5]) == pytest.approx(TWICE, abs=1e-12)

    @pytest.mark.parametrize("seed", range(10))
    def test_never_below_the_largest_part_nor_above_the_sum(self, seed):
        rng = np.random.default_rng([2, seed])
        channels = [random_channel(rng, (2, 2), 2), random_channel(rng, (2,), 3)]
        found = compose_parallel(channels, [(2, 2), (2,)])
        assert found.excess.upper >= 0
        assert found.joint.lower <= sum(part.upper for part in found.parts)


class TestTwoDataSetsOfTheSamePeople:
    def test_the_printed_sum_is_twice_too_large_for_a_flipped_parity(self):
        found = compose_two_data_sets(PARITY, (2, 2), PARITY, (2, 2))
        assert found.printed_bound == pytest.approx(2.124, abs=1e-3)
        assert found.bound == pytest.approx(1.062, abs=1e-3)
        joint = joint_of_two_data_sets(PARITY, (2, 2), PARITY, (2, 2))
        assert joint.lower <= found.bound <= joint.upper + 1e-5  # here the tightened bound is reached

    @pytest.mark.parametrize("seed", range(12))
    def test_the_bound_holds_and_is_no_larger_than_the_print(self, seed):
        rng = np.random.default_rng([3, seed])
        first, second = random_channel(rng, (2, 2), 2), random_channel(rng, (2, 2), 3, 0.4)
        found = compose_two_data_sets(first, (2, 2), second, (2, 2))
        assert joint_of_two_data_sets(first, (2, 2), second, (2, 2), gap_bits=1e-3).lower <= found.bound
        assert found.bound <= found.printed_bound

    def test_a_release_may_tell_less_about_the_other_data_set(self):
        """Erratum: the paper's "C^{12} and C^{21} are larger" fails where the other record has fewer values."""
        telling = Channel([[1, 0, 0], [0, 1, 0], [0, 0, 1]])  # one record with three values, told as it is
        found = compose_two_data_sets(telling, (3,), COIN, (2,))
        assert found.own[0].lower == pytest.approx(math.log2(3), abs=1e-6)
        assert found.other[0].upper == pytest.approx(1.0, abs=2e-6)

    @pytest.mark.parametrize("values", [2, 3, 4, 7])
    @pytest.mark.parametrize("seed", range(3))
    def test_proposition_six_by_brute_force(self, values, seed):
        """Every choice of `values` rows, with repetition, as (164) says."""
        channel = random_channel(np.random.default_rng([4, seed]), (2, 2), 3)
        by_loop = max(
            measures.capacity_bits(Channel([channel.rows[x] for x in chosen])).midpoint
            for chosen in itertools.product(range(4), repeat=min(values, 4))
        )
        assert by_loop in cross_capacity_bits(channel, values).widened(1e-9)

    def test_one_value_or_one_row_tells_nothing(self):
        assert cross_capacity_bits(COIN, 1).upper == 0
        assert cross_capacity_bits(flipped([1, 1], FLIP), 5).upper == 0

    def test_people_must_be_the_same(self):
        with pytest.raises(InvalidParameter, match="same person"):
            compose_two_data_sets(PARITY, (2, 2), COIN, (2,))


@given(bits=st.floats(0, 100), size=st.integers(1, 50))
def test_a_group_bound_is_rounded_up(bits, size):
    bound = group_bound_bits(bits, size)
    assert Fraction(bound) >= size * Fraction(bits)
    assert Fraction(math.nextafter(bound, -math.inf)) <= size * Fraction(bits)


def test_a_group_bound_may_be_infinite():
    assert group_bound_bits(math.inf, 2) == math.inf
    assert group_bound_bits(individual_capacity_bits(PARITY, (2, 2)).upper, 1) <= 0.532


@pytest.mark.parametrize(("bits", "size"), [(-1.0, 2), (math.nan, 2), (1.0, 0)])
def test_group_bound_refuses(bits, size):
    with pytest.raises(InvalidParameter, match=r"individual_bits|size"):
        group_bound_bits(bits, size)


def test_nothing_to_compose_is_refused():
    with pytest.raises(InvalidParameter, match="empty"):
        compose([], (2,))
    with pytest.raises(InvalidParameter, match="shapes has 1"):
        compose_parallel([COIN, COIN], [(2,)])
    with pytest.raises(InvalidLaw, match="second must have the inputs of `first`"):
        compose([COIN, PARITY], (2,))
