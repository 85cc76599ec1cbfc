"""Capacity: closed forms, the classic iteration beside ours, and channels made to be difficult."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

import oracles
from sfumato import measures
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.numbers import Interval
from sfumato.prob import Channel, Circulant
from strategies import circulants, exact_channels

GAP = 1e-9


def h2(p):
    return -p * math.log2(p) - (1 - p) * math.log2(1 - p) if 0 < p < 1 else 0.0


def check(channel, truth):
    """The closed form is a double: allow its own rounding, 1e-14, outside the interval."""
    interval = measures.capacity_bits(channel)
    assert interval.width <= GAP
    assert truth in interval.widened(1e-14)


@pytest.mark.parametrize("size", [10, 100])
@pytest.mark.parametrize("concentration", [1.0, 0.1])
@pytest.mark.parametrize("seed", range(20))
def test_random_channels_have_a_gap_below_a_billionth_and_overlap_blahut_arimoto(size, concentration, seed):
    rows = np.random.default_rng([seed, size]).dirichlet(np.full(size, concentration), size=size)
    channel = Channel(rows)
    interval, witness = measures.capacity_with_witness(channel)
    assert interval.width <= GAP
    lower, upper = oracles.blahut_arimoto(channel.array, rounds=300)
    # 1e-12: Blahut-Arimoto's bounds are plain floats, sums of a hundred terms without a bound on their rounding.
    assert interval.overlaps(Interval(lower, upper).widened(1e-12))
    assert measures.capacity_interval_from(channel, witness).overlaps(interval)
    assert measures.capacity_interval_from(channel, witness).width <= 2 * GAP


@pytest.mark.parametrize("p", [0.0, 1e-12, 0.01, 0.11, 0.3, 0.4999, 0.5])
def test_binary_symmetric(p):
    check(Channel(np.array([[1 - p, p], [p, 1 - p]])), 1 - h2(p))


@pytest.mark.parametrize("e", [0.0, 1e-9, 0.2, 0.5, 0.999, 1.0])
def test_binary_erasure(e):
    check(Channel(np.array([[1 - e, 0, e], [0, 1 - e, e]])), 1 - e)


@pytest.mark.parametrize("p", [1e-9, 0.1, 0.5, 0.9, 0.999])
def test_z_channel(p):
    check(Channel(np.array([[1.0, 0.0], [p, 1 - p]])), math.log2(1 + (1 - p) * p ** (p / (1 - p))))


@pytest.mark.parametrize("size", [1, 2, 3, 10, 64])
def test_noiseless(size):
    check(Channel(np.eye(size)), math.log2(size))


@pytest.mark.parametrize("size", [2, 5, 17])
def test_k_ary_randomised_response(size):
    """log2 K - H of one row, since the channel is symmetric."""
    ring = Circulant.two_level(size=size, support=(0,), odds=Fraction(4))
    truth = math.log2(size) - measures.randomness_bits(ring)[0]
    check(ring, truth)
    check(ring.to_dense(), truth)


def test_noisy_typewriter():
    """Each letter is itself or the next: 2K letters carry log2 K bits."""
    check(Circulant([Fraction(1, 2), Fraction(1, 2), *[0] * 6]).to_dense(), 2.0)


@pytest.mark.parametrize(
    "rows",
    [
        [[0.3, 0.7]],
        [[0.3, 0.7]] * 4,
        [[1.0, 0.0, 0.0]] * 2,
        [[1.0]] * 3,
        [[1e-300, 1.0]] * 2,
    ],
    ids=["one input", "equal rows", "equal rows and zero columns", "one output", "tiny entries"],
)
def test_channels_that_say_nothing(rows):
    interval = measures.capacity_bits(Channel(rows))
    assert interval.lower == 0.0
    assert interval.upper <= 1e-13


def test_zero_columns_and_repeated_rows_change_nothing():
    plain = [[0.6, 0.4], [0.1, 0.9]]
    padded = [[0.6, 0.0, 0.4], [0.1, 0.0, 0.9], [0.6, 0.0, 0.4]]
    first, second = measures.capacity_bits(Channel(plain)), measures.capacity_bits(Channel(padded))
    assert first.overlaps(second)
    interval, witness = measures.capacity_with_witness(Channel(padded))
    assert len(witness) == 3
    assert measures.capacity_interval_from(Channel(padded), witness).overlaps(interval)


@pytest.mark.parametrize("step", [1e-3, 1e-6, 1e-9, 1e-12, 1e-15])
def test_rows_that_are_almost_alike(step):
    """Four inputs, of which two pairs are near-duplicates: the capacity is that of the pairs, up to what `step` adds.

    Capacity is continuous: moving a row by `step` in total variation changes it by less than H2(step) + step.
    """
    base = np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]])
    rows = np.vstack([base, base + np.array([[step, -step, 0], [0, step, -step]])])
    interval = measures.capacity_bits(Channel(rows))
    reference = measures.capacity_bits(Channel(base))
    assert interval.width <= GAP
    assert interval.upper >= reference.lower - 1e-12
    assert interval.lower <= reference.upper + h2(step) + step


@pytest.mark.parametrize("tiny", [1e-300, 1e-200, 1e-100, 1e-20])
def test_entries_near_the_end_of_the_doubles(tiny):
    """The tiny entries carry less than tiny·log2(1/tiny) < 1e-17 bits: C is that of the channel without them."""
    rows = np.array([[0.75, 0.25, tiny], [0.25, 0.75, 0.0], [tiny, 1.0, tiny]])
    reference = measures.capacity_bits(Channel(np.array([[0.75, 0.25], [0.25, 0.75], [0.0, 1.0]])))
    interval = measures.capacity_bits(Channel(rows))
    assert interval.width <= GAP
    assert interval.widened(1e-13).overlaps(reference)


@given(exact_channels(5, 5))
def test_any_small_channel_is_certified_and_bounded_by_any_law_from_below(channel):
    interval, witness = measures.capacity_with_witness(channel)
    assert interval.width <= GAP
    lower, upper = oracles.blahut_arimoto(channel.array, rounds=100)
    assert interval.overlaps(Interval(lower, max(lower, upper)).widened(1e-12))
    assert measures.mutual_information_interval(channel).lower <= interval.upper
    truth = oracles.mutual_information_bits(channel.rows, [Fraction(w) / sum(map(Fraction, witness)) for w in witness])
    assert float(truth) <= interval.upper
    assert float(truth) >= interval.lower - 1e-15


@given(circulants(6, full=True))
def test_the_closed_form_of_a_full_circulant_overlaps_the_iteration(ring):
    closed, found = measures.capacity_bits(ring), measures.capacity_bits(ring.to_dense())
    assert closed.width <= 1e-13
    assert closed.overlaps(found)


def test_a_large_restricted_circulant_is_bounded_between_uniform_information_and_symmetric_capacity():
    size, used = 1500, 700
    ring = Circulant.two_level(size=size, support=range(300), odds=Fraction(5), input_count=used)
    interval = measures.capacity_bits(ring)
    full = measures.capacity_bits(Circulant(ring.law))
    assert interval.lower == measures.mutual_information_interval(ring).lower
    assert interval.upper == full.upper
    assert interval.width > 0


def test_a_gap_that_cannot_be_reached_is_refused_not_guessed():
    with pytest.raises(
        NotCertified, match=r"^gap_bits=1e-18 could not be reached: .* bounded to .* bits. Allow a larger"
    ):
        measures.capacity_bits(Channel([[0.6, 0.4], [0.1, 0.9]]), gap_bits=1e-18)
    with pytest.raises(InvalidParameter, match=r"gap_bits=0 must be a positive finite number. Choose `gap_bits` > 0"):
        measures.capacity_bits(Channel([[0.6, 0.4], [0.1, 0.9]]), gap_bits=0)


@pytest.mark.parametrize("witness", [(0.5,), (0.5, 0.6), (1.5, -0.5), (math.nan, 1.0), (math.inf, 0.0)])
def test_a_witness_that_is_no_law_is_refused(witness):
    with pytest.raises(NotCertified, match=r"witness must"):
        measures.capacity_interval_from(Channel([[0.6, 0.4], [0.1, 0.9]]), witness)


def test_a_poor_witness_gives_a_true_but_wide_interval():
    channel = Channel([[0.9, 0.1], [0.1, 0.9]])
    poor = measures.capacity_interval_from(channel, (0.9, 0.1))
    assert poor.width > 0.1
    assert poor.encloses(measures.capacity_bits(channel))
    assert measures.capacity_interval_from(Channel([[1, 0], [0, 1]]), (1.0, 0.0)).upper == math.inf
