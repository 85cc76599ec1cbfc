"""The economical sampler: exact by induction on its step, and close to the entropy in what it draws."""

import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter, SourceFailed
from sfumato.sampling import BulkBits, EntropyRecycling, InsecureSeeded, Metered, ScriptedBits
from sfumato.sampling.kernels import draw_by_recycling

DEPTH = 4


@st.composite
def narrow_counts(draw):
    """Counts over 2^4."""
    left, counts = 1 << DEPTH, []
    while left and len(counts) < 5:
        counts.append(draw(st.integers(0, left)))
        left -= counts[-1]
    return (*counts, left)


def step(value, range_, counts):
    """One turn of the compiled loop: with no words to refill from, it stops after an outcome or a refusal."""
    totals = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64)
    guide = np.searchsorted(totals[1:], np.arange(1 << DEPTH, dtype=np.uint64), side="right").astype(np.int64)
    state, outcomes = np.array([value, range_], dtype=np.uint64), np.empty(1, dtype=np.int64)
    no_words, depth = np.empty(0, dtype=np.uint64), np.uint64(DEPTH)
    done, used = draw_by_recycling(
        no_words, np.uint64(2), np.uint64(1 << DEPTH), totals, guide, depth, np.uint64(0), state, outcomes, 0
    )
    assert used == 0
    return int(outcomes[0]) if done else -1, int(state[0]), int(state[1])


@given(counts=narrow_counts(), range_=st.integers(1 << DEPTH, 200))
def test_a_step_turns_a_uniform_number_into_an_outcome_and_a_uniform_number(counts, range_):
    """Every number below the range: each outcome gets whole·count of them, and what is left runs through a full range.

    Since that holds for every range, outcomes are independent and follow the counts, however many are drawn.
    """
    whole, rest = divmod(range_, 1 << DEPTH)
    left = defaultdict(list)
    for value in range(range_):
        outcome, new_value, new_range = step(value, range_, counts)
        assert new_range == (rest if outcome < 0 else whole * counts[outcome])
        left[outcome].append(new_value)
    for outcome, values in left.items():
        assert sorted(values) == list(range(rest if outcome < 0 else whole * counts[outcome]))
    assert set(left) - {-1} == {outcome for outcome, count in enumerate(counts) if count}
    assert (-1 in left) == (rest > 0)


def test_refilling_keeps_the_number_uniform():
    """All pairs of 2-bit words: the first outcome has its law, with nothing left out."""
    counts = (3, 5, 8)
    totals = np.array([0, 3, 8, 16], dtype=np.uint64)
    guide = np.searchsorted(totals[1:], np.arange(16, dtype=np.uint64), side="right").astype(np.int64)
    hits = [0, 0, 0]
    for first in range(4):
        for second in range(4):
            outcomes, state = np.empty(1, dtype=np.int64), np.array([0, 1], dtype=np.uint64)
            done, used = draw_by_recycling(
                np.array([first, second], dtype=np.uint64), np.uint64(2), np.uint64(16), totals, guide, np.uint64(4),
                np.uint64(0), state, outcomes, 0,
            )  # fmt: skip
            assert (done, used) == (1, 2)
            hits[int(outcomes[0])] += 1
    assert tuple(hits) == counts


def geometric(size, ratio):
    weights = ratio ** np.arange(size)
    return weights / weights.sum()


COIN = (1 - 1 / (1 + math.e), 1 / (1 + math.e))


@pytest.mark.parametrize("law", [COIN, tuple(geometric(1000, 0.99))], ids=["coin", "geometric"])
def test_bits_drawn_are_close_to_the_entropy(law):
    """At most 1.005 × the entropy for a million draws."""
    sampler = EntropyRecycling.near(law)
    meter = Metered(InsecureSeeded(5))
    sampler.sample(meter, 1_000_000)
    assert meter.drawn_bits <= 1.005 * 1_000_000 * sampler.entropy_bits


@pytest.mark.parametrize("law", [COIN, tuple(geometric(1000, 0.99)), (0.999, 0.001)], ids=["coin", "geometric", "rare"])
def test_bits_drawn_are_what_the_outcomes_are_worth(law):
    """Σ -log2 of the probabilities that came up is what they cost at the least; ours draws hardly more."""
    sampler = EntropyRecycling.near(law)
    meter = Metered(InsecureSeeded(6))
    hits = np.bincount(sampler.sample(meter, 1_000_000), minlength=len(law))
    worth = -sum(hit * math.log2(count / 2**32) for hit, count in zip(hits, sampler.counts, strict=True) if hit)
    assert worth <= meter.drawn_bits <= 1.002 * worth + 256


def test_the_column_follows_its_law_and_another_does_not():
    law = (0.5, 0.3, 0.2)
    hits = np.bincount(EntropyRecycling.near(law).sample(InsecureSeeded(11), 1_000_000), minlength=3)

    def chi_squared(expected):
        return sum((hit - 1e6 * p) ** 2 / (1e6 * p) for hit, p in zip(hits, expected, strict=True))

    assert chi_squared(law) < 41.4  # exceeded with probability 1e-9 at two degrees of freedom
    assert chi_squared((0.505, 0.295, 0.2)) > 41.4


def test_the_law_is_read_from_the_counts():
    sampler = EntropyRecycling.near([Fraction(1, 4), Fraction(3, 4)])
    assert sampler.law() == (Fraction(1, 4), Fraction(3, 4))
    assert sampler.entropy_bits == pytest.approx(0.8112781, abs=1e-6)
    assert EntropyRecycling(counts=(0, 1 << 32)).sample(BulkBits(), 5).tolist() == [1] * 5
    assert sampler.sample(BulkBits(), 0).size == 0


def test_a_certain_outcome_costs_nothing_to_speak_of():
    meter = Metered(BulkBits())
    EntropyRecycling(counts=(1 << 32,)).sample(meter, 1000)
    assert meter.drawn_bits <= 64
    assert meter.guarantee is BulkBits().guarantee
    assert meter.label == BulkBits().label


def test_bad_counts_and_a_source_that_runs_out():
    with pytest.raises(InvalidParameter, match=r"sum to 2\^32"):
        EntropyRecycling(counts=(1, 2))
    with pytest.raises(SourceFailed, match="asked for"):
        EntropyRecycling.near([0.5, 0.5]).sample(ScriptedBits([1, 2]), 1000)
