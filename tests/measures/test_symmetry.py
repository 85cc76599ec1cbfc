"""Data-independent and weakly symmetric channels: the closed form against the search."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from record_channels import datasets, flipped, h2
from sfumato.errors import InvalidParameter
from sfumato.measures.individual import (
    balanced_choice,
    data_independent_bits,
    individual_capacity_bits,
    is_data_independent,
)
from sfumato.prob import Channel

NOISE = [Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)]


def shifted_sum(shape):
    """(Σ x_i + Z) mod 3."""
    return Channel([[NOISE[(y - sum(x)) % 3] for y in range(3)] for x in datasets(shape)])


@pytest.mark.parametrize("shape", [(3,), (3, 2), (2, 2), (2, 2, 2)])
def test_a_shifted_sum_reaches_the_bound_where_a_record_has_all_shifts(shape):
    channel = shifted_sum(shape)
    assert is_data_independent(channel)
    bound = data_independent_bits(channel)
    truth = individual_capacity_bits(channel, shape)
    assert truth.lower <= bound.upper
    balanced = balanced_choice(channel, shape)
    assert (balanced is not None) == (max(shape) >= 3)
    # With two values per record no choice of two rows is level, and the bound is not reached.
    assert (bound.lower - truth.upper > 1e-3) == (balanced is None)


def test_the_choice_is_balanced():
    choice = balanced_choice(shifted_sum((3, 2)), (3, 2))
    assert choice is not None
    assert [datasets((3, 2))[x][choice.record] for x in choice.datasets] == [0, 1, 2]
    rows = [shifted_sum((3, 2)).row(x) for x in choice.datasets]
    assert {sum(column) for column in zip(*rows, strict=True)} == {Fraction(1)}


def test_the_bound_holds_for_permuted_rows_and_the_choice_is_found_by_brute_force():
    met = {True: 0, False: 0}
    for seed in range(30):
        rng = np.random.default_rng(seed)
        shape = [(2, 2), (3, 2), (2, 3)][seed % 3]
        permutations = list(itertools.permutations(NOISE if seed % 2 else [Fraction(7, 10), Fraction(3, 10)]))
        rows = [permutations[int(rng.integers(len(permutations)))] for _ in datasets(shape)]
        channel = Channel(rows)
        bound, truth = data_independent_bits(channel), individual_capacity_bits(channel, shape)
        reachable = any(
            len({sum(rows[x][y] for x in chosen) for y in range(channel.shape[1])}) == 1
            for record, size in enumerate(shape)
            for chosen in itertools.product(
                *([i for i, x in enumerate(datasets(shape)) if x[record] == a] for a in range(size))
            )
        )
        met[reachable] += 1
        assert (balanced_choice(channel, shape) is not None) == reachable
        assert truth.lower <= bound.upper
        # [E, Cor. 4]: where the choice exists, the closed form is the truth.
        assert not reachable or truth.overlaps(bound.widened(1e-9))
    assert min(met.values()) >= 5  # both cases came up


def test_a_flip_is_the_closed_form():
    assert balanced_choice(flipped([0, 1, 1, 0], Fraction(1, 5)), (2, 2)) is not None
    assert balanced_choice(flipped([1, 1, 1, 1], Fraction(1, 5)), (2, 2)) is None
    assert data_independent_bits(flipped([0, 1], Fraction(1, 5))).midpoint == pytest.approx(1 - h2(0.2), abs=1e-12)


def test_other_channels_have_no_such_bound():
    channel = Channel([[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 3), Fraction(2, 3)]])
    assert not is_data_independent(channel)
    assert balanced_choice(channel, (2,)) is None
    with pytest.raises(InvalidParameter, match="not data-independent"):
        data_independent_bits(channel)
