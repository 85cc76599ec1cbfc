"""Checking how much noise lets through of a record with few values, without the race that found it.

From below, the input law of a certificate is evaluated. From above, any output law q proves that a selection S has a
capacity of at most max_{x in S} D(W_x‖q). The certificate's own weights, put on every other selection, give a q that
settles most of them; a few multiplicative corrections settle most of the others, and the interior-point method, which
proves its own bound, has the last word.   Ref: [E, Thm 2]; theory: docs/theory/gaussian_noise.md
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import NotCertified
from sfumato.measures.capacity import capacity_with_witness
from sfumato.measures.enclosures import LOG2_E, UNIT_ROUNDOFF
from sfumato.measures.lattice.noise import LatticeNoise, checked_law
from sfumato.prob import Channel
from sfumato.prob.exact import FloatArray
from sfumato.values.interval import Interval

SELECTION_GAP_BITS = 2e-7
"""How far a stated capacity of few values reaches above what its witness tells."""

_AT_ONCE = 4_000_000
_CORRECTIONS = 8
_LIGHTEST = 1e-12
_INNER_GAP_BITS = 1e-9


def told_bits(variance: Fraction, steps: int, positions: tuple[int, ...], weights: tuple[float, ...]) -> float:
    """How much an input law of so many positions surely tells, in bits."""
    if not all(weights) or len(set(positions)) != len(positions):
        raise NotCertified("the witness of a capacity must be a law on as many positions as there are values")
    law = checked_law(steps, positions, weights)
    noise = LatticeNoise(variance, steps)
    found, rounding = noise.divergences(law)
    held = law > 0
    nats = float(law[held] @ found[held]) - rounding - noise.tail * (10 * noise.largest_log + 11)
    return max(0.0, nats * LOG2_E)


def stated_bits(variance: Fraction, steps: int, positions: tuple[int, ...], weights: tuple[float, ...]) -> Interval:
    """What a certificate states: from what the witness tells to the gap above it."""
    reached = told_bits(variance, steps, positions, weights)
    return Interval(reached, reached + SELECTION_GAP_BITS)


def none_exceeds(variance: Fraction, steps: int, weights: tuple[float, ...], limit_bits: float) -> bool:
    """Whether no selection of as many inputs as there are weights has a capacity above the limit."""
    noise = LatticeNoise(variance, steps)
    # Translation changes nothing, so every selection begins at the first input.
    rest = itertools.combinations(range(1, 2 * steps + 1), len(weights) - 1)
    sets: NDArray[np.int64] = np.array([(0, *others) for others in rest])
    step = max(1, _AT_ONCE // (noise.rows.shape[1] * len(weights)))
    for start in range(0, len(sets), step):
        left = _not_settled(noise, sets[start : start + step], np.array(weights), limit_bits)
        if any(_capacity_above(noise, chosen, limit_bits) for chosen in left):
            return False
    return True


def _not_settled(noise: LatticeNoise, sets: NDArray[np.int64], weights: FloatArray, limit: float) -> NDArray[np.int64]:
    rows, middle = noise.rows, noise.steps
    own = float((rows[middle] * np.log(np.maximum(rows[middle], 1e-300))).sum())
    size = noise.largest_log + abs(own) + 1
    # Rounding and tails as in LatticeNoise.bounds, at the lightest weight that a law here has.
    slack = UNIT_ROUNDOFF * (rows.shape[1] + 4 * size + 64) * (abs(own) + size)
    slack += noise.tail * (20 * size + math.log(1 / _LIGHTEST) + 2)
    laws = np.tile(np.maximum(weights, _LIGHTEST), (len(sets), 1))
    for _ in range(_CORRECTIONS):
        laws /= laws.sum(axis=1, keepdims=True)
        taken = rows[sets]
        outputs = np.matmul(laws[:, None, :], taken)[:, 0]
        divergences = own - np.matmul(taken, np.log(np.maximum(outputs, 1e-300))[:, :, None])[:, :, 0]
        above = (divergences.max(axis=1) + slack) * LOG2_E > limit
        sets, laws, divergences = sets[above], laws[above], divergences[above]
        if not len(sets):
            break
        laws = np.maximum(laws * np.exp(divergences - divergences.max(axis=1, keepdims=True)), _LIGHTEST)
    return sets


def _capacity_above(noise: LatticeNoise, chosen: NDArray[np.int64], limit_bits: float) -> bool:
    rows = noise.rows[chosen]
    found, _ = capacity_with_witness(Channel(rows / rows.sum(axis=1, keepdims=True)), gap_bits=_INNER_GAP_BITS)
    # Cutting the tails off and making the rest a law changes a capacity of few inputs by far less than the gap.
    return found.upper + 1e3 * noise.tail > limit_bits
