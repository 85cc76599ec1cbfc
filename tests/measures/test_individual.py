"""Individual capacity: the paper's example, the full loop beside the search, and adversaries that never do better."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from record_channels import (
    datasets,
    flipped,
    h2,
    information_about,
    looped_individual_capacity,
    random_channel,
    selections,
    shapes_below,
)
from sfumato import measures
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.measures import individual as searching
from sfumato.measures.individual import (
    Race,
    capacity_about,
    group_capacity_bits,
    individual_capacity,
    individual_capacity_bits,
    selected_channels,
)
from sfumato.prob import Channel
from sfumato.prob.operations import cascade

FLIP = Fraction(1, 10)
EXAMPLE = flipped([int(a == b) for a, b in datasets((3, 2))], FLIP)
GAP = 1e-6
# What a sum of a few dozen doubles may be off by.
ROUNDING = 1e-12


class TestExampleOne:
    def test_there_are_eight_and_nine_channels(self):
        assert len(list(selected_channels(EXAMPLE, (3, 2), 0))) == 2**3
        assert len(list(selected_channels(EXAMPLE, (3, 2), 1))) == 3**2

    def test_the_largest_capacity_is_that_of_the_flip(self):
        found = individual_capacity_bits(EXAMPLE, (3, 2))
        assert found.width <= GAP
        assert found.lower - ROUNDING <= 1 - h2(0.1) <= found.upper
        assert looped_individual_capacity(EXAMPLE, (3, 2)) == pytest.approx(1 - h2(0.1), abs=1e-9)


@pytest.mark.parametrize("seed", range(50))
def test_a_flip_leaks_the_same_about_every_function_that_is_not_constant(seed):
    """[E, Sec. 4.1] leaves records with three or more values open; two values whose rows differ are enough."""
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 6, size=rng.integers(1, 4)).tolist())
    truth = rng.integers(0, 2, size=math.prod(shape))
    truth[rng.choice(len(truth), size=2, replace=False)] = 0, 1
    flip = Fraction(int(rng.integers(1, 50)), 100)
    found = individual_capacity_bits(flipped(truth, flip), shape)
    assert found.width <= GAP
    assert found.lower - ROUNDING <= 1 - h2(float(flip)) <= found.upper


def test_a_constant_function_leaks_nothing():
    assert individual_capacity_bits(flipped([1] * 8, FLIP), (2, 2, 2)).upper <= GAP


@pytest.mark.parametrize("seed", range(24))
def test_the_search_agrees_with_the_full_loop(seed):
    rng = np.random.default_rng([1, seed])
    shape = [(2, 2), (3, 2), (2, 2, 2), (2, 3), (4, 2), (3, 3)][seed % 6]
    channel = random_channel(rng, shape, int(rng.integers(2, 5)), concentration=[0.3, 1.0][seed % 2])
    found = individual_capacity_bits(channel, shape)
    assert found.width <= GAP
    assert looped_individual_capacity(channel, shape) in found.widened(1e-9)


SHAPES = shapes_below(10_000)
# A capacity takes a millisecond or two, so the larger ones are for the slow suite.
QUICK = 400


@pytest.mark.parametrize(
    "shape", [pytest.param(s, marks=[] if selections(s) < QUICK else [pytest.mark.slow], id=str(s)) for s in SHAPES]
)
def test_the_search_agrees_with_the_full_loop_on_every_shape_below_ten_thousand_selections(shape):
    rng = np.random.default_rng([9, *shape])
    channel = random_channel(rng, shape, int(rng.integers(2, 6)), concentration=float(rng.uniform(0.2, 1.5)))
    found = individual_capacity_bits(channel, shape)
    assert found.width <= GAP
    assert looped_individual_capacity(channel, shape) in found.widened(1e-9)


def test_the_shapes_are_all_there():
    """By another way: every rising tuple of up to six sizes up to thirteen."""
    by_hand = {
        shape
        for records in range(2, 8)
        for shape in itertools.combinations_with_replacement(range(2, 14), records)
        if selections(shape) < 10_000
    }
    assert set(SHAPES) == by_hand
    assert len(SHAPES) == 39
    assert sum(selections(shape) < QUICK for shape in SHAPES) >= 12


@pytest.mark.parametrize("seed", range(4))
def test_branch_and_bound_agrees_with_the_race(seed, monkeypatch):
    rng = np.random.default_rng([2, seed])
    shape = (3, 3, 3, 3)
    channel = random_channel(rng, shape, 5)
    raced = individual_capacity(channel, shape)
    monkeypatch.setattr(searching, "_RACED", 20)
    split = individual_capacity(channel, shape)
    assert raced.bits.overlaps(split.bits)
    assert (raced.members, raced.datasets) == (split.members, split.datasets)


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 12))])
def test_a_coarse_answer_is_still_true(seed, monkeypatch):
    """The winner may be the wrong one by as much as the gap allows, and the interval holds the truth all the same.

    Without a good start, branch and bound has to find its way alone.
    """
    rng = np.random.default_rng([8, seed])
    shape = [(2, 2, 2), (3, 3), (3, 2, 2)][seed % 3]
    channel = random_channel(rng, shape, 4)
    monkeypatch.setattr(searching, "_climb", lambda *_: None)
    monkeypatch.setattr(searching, "_RACED", [10**6, 4][seed % 2])
    for gap in (0.1, 0.02, 1e-6):
        found = individual_capacity_bits(channel, shape, gap_bits=gap)
        assert found.width <= gap
        assert looped_individual_capacity(channel, shape) in found.widened(1e-9)


def test_the_race_does_not_judge_by_the_uniform_law():
    """A Z-channel that tells a little more than a flip, but less under equal inputs, must win in the end."""
    flip, slip = 0.2, 0.5561
    pair = np.array([[1 - flip, flip], [flip, 1 - flip]]), np.array([[1.0, 0.0], [slip, 1 - slip]])
    told = [measures.capacity_bits(Channel(rows)).midpoint for rows in pair]
    assert 0 < told[1] - told[0] < 2e-3
    even = [information_about(Channel(rows), (2,), (0,), [0.5, 0.5]) for rows in pair]
    assert even[1] < even[0]
    race = Race(tolerance_nats=1e-7)
    race.run(7, (np.stack([pair[0][0], pair[1][0]]), np.stack([pair[0][1], pair[1][1]])), np.array([[0, 1]] * 2))
    assert race.winner == (7, (1, 1))
    assert race.best == pytest.approx(told[1] * math.log(2), abs=2e-7)


def test_too_much_work_is_refused_with_what_is_known(monkeypatch):
    monkeypatch.setattr(searching, "_RACED", 1)
    monkeypatch.setattr(searching, "_MOST_NODES", 2)
    channel = random_channel(np.random.default_rng(3), (3, 3, 3), 6)
    with pytest.raises(NotCertified, match=r"bounded to \[.*\] bits.*larger `gap_bits`"):
        individual_capacity_bits(channel, (3, 3, 3))


def test_a_gap_below_rounding_is_refused_at_once():
    with pytest.raises(NotCertified, match="at least 1e-9"):
        individual_capacity_bits(EXAMPLE, (3, 2), gap_bits=1e-13)
    assert individual_capacity_bits(EXAMPLE, (3, 2), gap_bits=1e-9).width <= 1e-9


class TestTheWorstAdversary:
    @pytest.mark.parametrize("seed", range(10))
    def test_reaches_the_lower_end_and_nobody_exceeds_the_upper(self, seed):
        rng = np.random.default_rng([4, seed])
        shape = (2, 3, 2)
        channel = random_channel(rng, shape, 4, concentration=0.5)
        worst = individual_capacity(channel, shape)
        law = np.array(worst.prior.probabilities, dtype=float)
        assert information_about(channel, shape, worst.members, law) >= worst.bits.lower - ROUNDING
        for law in rng.dirichlet(np.full(12, 0.2), size=200):
            assert max(information_about(channel, shape, (i,), law) for i in range(3)) <= worst.bits.upper

    def test_is_told_which_record_and_which_data_sets(self):
        """Only the second record is told, the first one not at all."""
        channel = flipped([b for _, b in datasets((3, 2))], FLIP)
        # An adversary who believes that the first record tells the second learns as much about the first.
        for record in (0, 1):
            worst = capacity_about(channel, (3, 2), (record,))
            assert worst.members == (record,)
            values = [datasets((3, 2))[x] for x in worst.datasets]
            assert [value[record] for value in values] == list(range((3, 2)[record]))
            assert worst.bits.upper >= 1 - h2(0.1)


class TestGroups:
    def test_all_records_together_are_the_plain_capacity(self):
        channel = random_channel(np.random.default_rng(5), (2, 2, 2), 4)
        assert group_capacity_bits(channel, (2, 2, 2), 3).overlaps(measures.capacity_bits(channel))

    def test_pairs_by_the_full_loop(self):
        """Two records as one record with the product of their values."""
        rng = np.random.default_rng(6)
        channel = random_channel(rng, (2, 2, 2), 4)
        merged = [channel, *(Channel(channel.array.reshape(2, 2, 2, 4).transpose(order).reshape(8, 4))
                             for order in ((0, 2, 1, 3), (1, 2, 0, 3)))]  # fmt: skip
        by_loop = max(
            measures.capacity_bits(selected).midpoint for c in merged for selected in selected_channels(c, (4, 2), 0)
        )
        assert by_loop in group_capacity_bits(channel, (2, 2, 2), 2).widened(1e-9)


@pytest.mark.parametrize("count", [200, pytest.param(1000, marks=pytest.mark.slow)])
def test_channels_obey_the_group_inequality(count):
    """C_k ≤ k·C_1 [E, Thm 4], and C_k does not fall with k."""
    rng = np.random.default_rng(7)
    for _ in range(count):
        shape = [(2, 2), (2, 3), (2, 2, 2)][int(rng.integers(3))]
        channel = random_channel(rng, shape, int(rng.integers(2, 5)), concentration=float(rng.uniform(0.1, 2)))
        by_size = [group_capacity_bits(channel, shape, k) for k in range(1, len(shape) + 1)]
        for k, bits in enumerate(by_size, start=1):
            assert bits.lower <= k * by_size[0].upper
        for smaller, larger in itertools.pairwise(by_size):
            assert smaller.lower <= larger.upper


@given(seed=st.integers(0, 2**32))
def test_what_is_computed_from_a_report_leaks_no_more(seed):
    """[E, Prop. 1]."""
    rng = np.random.default_rng(seed)
    channel = random_channel(rng, (2, 3), 4)
    after = cascade(channel, Channel(rng.dirichlet(np.ones(3), size=4), range(4)))
    assert individual_capacity_bits(after, (2, 3)).lower <= individual_capacity_bits(channel, (2, 3)).upper


@pytest.mark.parametrize(
    ("shape", "said"),
    [((2, 2), "means 4 data sets"), ((), "empty"), ((6, 0), "at least 1"), ((3, 2.0), "whole number")],
)
def test_a_shape_that_does_not_fit_is_refused(shape, said):
    with pytest.raises(InvalidParameter, match=said):
        individual_capacity_bits(EXAMPLE, shape)


@pytest.mark.parametrize("members", [(), (0, 0), (2,), (-1,)])
def test_members_are_records(members):
    with pytest.raises(InvalidParameter, match="members"):
        capacity_about(EXAMPLE, (3, 2), members)


@pytest.mark.parametrize(("size", "gap", "said"), [(0, 1e-6, "size"), (3, 1e-6, "size"), (1, 0.0, "gap_bits")])
def test_group_size_and_gap_are_checked(size, gap, said):
    with pytest.raises(InvalidParameter, match=said):
        group_capacity_bits(EXAMPLE, (3, 2), size, gap_bits=gap)
