"""The rounding rule: rows stay stochastic, zeros stay, nothing positive vanishes, only the largest entry moves far."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter
from sfumato.numbers.exact import default_width, round_to_grid
from sfumato.prob import Channel, Circulant, Distribution
from strategies import circulants, exact_channels, float_channels, float_laws


def check_rule(before, after, width):
    step = Fraction(1, 2**width)
    largest = max(range(len(before)), key=lambda i: before[i])
    assert sum(after) == 1
    for i, (old, new) in enumerate(zip(before, after, strict=True)):
        assert (new / step).denominator == 1
        assert (new == 0) == (old == 0)
        assert new >= 0
        if i != largest:
            assert abs(new - Fraction(old)) <= (step / 2 if Fraction(old) >= step / 2 else step)


@given(float_channels(max_outputs=6), st.integers(60, 90))
def test_rows_follow_the_rounding_rule(channel, width):
    exact = channel.to_exact(width)
    assert exact.exact
    assert (exact.inputs, exact.outputs) == (channel.inputs, channel.outputs)
    for before, after in zip(channel.rows, exact.rows, strict=True):
        check_rule(before, after, width)


@given(st.integers(1, 6).flatmap(float_laws), st.integers(8, 20))
def test_a_coarse_grid_keeps_small_entries_alive(law, width):
    """Entries of 1e-12 on a grid of 2^-8: each becomes one step, paid for by the largest."""
    check_rule(law.tolist(), [Fraction(count, 2**width) for count in round_to_grid(law.tolist(), width)], width)


@given(float_channels(max_outputs=6))
def test_the_default_grid_moves_nothing_but_the_largest_entry(channel):
    """64 bits below the smallest entry hold all 53 bits of every entry, so only the row sum is repaired."""
    assert default_width(channel.array) >= 63
    for before, after in zip(channel.rows, channel.to_exact().rows, strict=True):
        largest = max(range(len(before)), key=lambda i: before[i])
        moved = [i for i, (old, new) in enumerate(zip(before, after, strict=True)) if Fraction(old) != new]
        assert set(moved) <= {largest}
        assert after[largest] == Fraction(before[largest]) + 1 - sum(map(Fraction, before))


@given(exact_channels())
def test_an_exact_channel_is_its_own_exact_channel(channel):
    assert channel.to_exact() is channel


@given(circulants(exact=False))
def test_a_float_circulant_is_rounded_once_for_all_rows(ring):
    exact = ring.to_exact()
    assert exact.exact
    assert exact.input_count == ring.input_count
    assert exact.law == Distribution(list(ring.law)).to_exact().probabilities
    assert Circulant(exact.law, exact.input_count) == exact


def test_the_rule_on_one_row_by_hand():
    """.1 → 1.6/16 rounds to 2; .00001 → at least 1; .89999 gets what is left: 13."""
    assert round_to_grid([0.1, 0.00001, 0.89999], 4) == (2, 1, 13)
    assert round_to_grid([0.5, 0.5], 1) == (1, 1)
    assert round_to_grid([Fraction(1, 3)] * 3, 2) == (2, 1, 1)


def test_a_grid_too_coarse_is_refused():
    with pytest.raises(InvalidParameter) as caught:
        round_to_grid([Fraction(1, 3)] * 3, 1)
    assert str(caught.value) == (
        "width=1 is too coarse for a law with 3 possible outcomes: one of them would lose its place. Raise `width`."
    )
    with pytest.raises(InvalidParameter, match=r"width=0 must be at least 1. Raise `width`."):
        Channel([[0.5, 0.5]]).to_exact(0)


def test_tiny_entries_survive_with_their_ratio():
    channel = Channel(np.array([[1e-300, 1.0], [3e-300, 1.0]]))
    rows = channel.to_exact().rows
    assert rows[1][0] / rows[0][0] == Fraction(3e-300) / Fraction(1e-300)
