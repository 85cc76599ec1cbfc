"""How much discrete Gaussian noise lets through of a record that has only a few values.

By [E, Thm 2] a record with r values selects r of the inputs -m..m, whatever the others hold, so its capacity is the
largest among the channels with r of the rows. Translation changes nothing, so selections are sets 0 < d_1 < … of
differences up to 2m, and mirrored sets are equal. Two rows are mirror images of each other: equal weights are best,
and one divergence a distance settles it. Three and four rows are raced: all selections run Blahut's and Arimoto's
iteration at once, and one drops out as soon as its upper bound falls below the best lower bound.

Theory: docs/theory/gaussian_noise.md
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.measures.enclosures import LOG2_E, UNIT_ROUNDOFF
from sfumato.measures.lattice.noise import LatticeNoise
from sfumato.prob.exact import FloatArray
from sfumato.values.interval import Interval

# Selections × values × outputs that are raced within seconds; beyond, the capacity of all inputs is the bound.
_MOST_WORK = 25_000_000
_CHUNK = 4_000_000
_MOST_ROUNDS = 3_000
_GAP = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionCapacity:
    """The largest capacity, in bits, of so many inputs; the positions and weights prove its lower end."""

    bits: Interval
    positions: tuple[int, ...]
    weights: tuple[float, ...]


def is_affordable(variance: Fraction, steps: int, values: int) -> bool:
    """Whether all selections of so many inputs can be bounded: always for two, at moderate sizes for three and four."""
    if values == 2:
        return True
    if values > 4 or values > 2 * steps + 1:
        return False
    outputs = 2 * (steps + math.ceil(12 * math.sqrt(float(variance))))
    return math.comb(2 * steps, values - 1) // 2 * values * outputs <= _MOST_WORK


def selection_capacity(variance: Fraction, steps: int, values: int) -> SelectionCapacity:
    """Enclose the largest capacity of `values` inputs among -steps..steps, every selection being bounded."""
    noise = LatticeNoise(variance, steps)
    if values == 2:
        sets = np.array([[0, distance] for distance in range(1, 2 * steps + 1)])
    else:
        sets = np.array(
            [(0, *rest) for rest in itertools.combinations(range(1, 2 * steps + 1), values - 1) if _first(rest)]
        )
    weights = np.full(sets.shape, 1 / values)
    return _race(noise, sets, weights)


def one_selection(variance: Fraction, steps: int, chosen: tuple[int, ...]) -> SelectionCapacity:
    """Enclose the capacity of one selection of inputs."""
    sets = np.array([chosen]) - min(chosen)
    return _race(LatticeNoise(variance, steps), sets, np.full(sets.shape, 1 / len(chosen)))


def _first(rest: tuple[int, ...]) -> bool:
    """Whether a set comes before its mirror image, so that one of the two is enough."""
    span = rest[-1]
    return rest <= tuple(sorted(span - d for d in (0, *rest[:-1])))


def _race(noise: LatticeNoise, sets: FloatArray, laws: FloatArray) -> SelectionCapacity:
    rows = noise.rows
    own = float((rows[noise.steps] * np.log(np.maximum(rows[noise.steps], 1e-300))).sum())
    width = rows.shape[1]
    chunk = max(1, _CHUNK // (width * sets.shape[1]))
    best_lower, best_upper, settled = -math.inf, -math.inf, 0.0
    winner, winning = sets[0], laws[0]
    # Longest spans first: the winner is usually among them, and a good lower bound makes the others drop out soon.
    order = np.argsort(-sets[:, -1], kind="stable")
    for start in range(0, len(order), chunk):
        live = order[start : start + chunk]
        chosen, law = sets[live], laws[live].copy()
        for rounds in range(_MOST_ROUNDS):
            taken = rows[chosen]
            outputs = np.einsum("sr,srw->sw", law, taken)
            # Where q is below 1e-300 a row is too, up to its weight, so what the floor hides is nothing.
            divergences = own - np.einsum("srw,sw->sr", taken, np.log(np.maximum(outputs, 1e-300)))
            lower, upper = (law * divergences).sum(axis=1), divergences.max(axis=1)
            leader = int(np.argmax(lower))
            if lower[leader] > best_lower:
                best_lower, winner, winning = float(lower[leader]), chosen[leader], law[leader].copy()
            done = (upper <= best_lower) | (upper - lower <= _GAP) | (rounds == _MOST_ROUNDS - 1)
            best_upper = max(best_upper, float(upper[done].max(initial=-math.inf)))
            # A weight that reaches 0 would stay there, so the tails' bound ln(1/weight) is kept finite.
            settled = max(settled, float(-np.log(law.min())))
            if done.all():
                break
            chosen, law, divergences = chosen[~done], law[~done], divergences[~done]
            law = np.maximum(law * np.exp(divergences - divergences.max(axis=1, keepdims=True)), 1e-12)
            law /= law.sum(axis=1, keepdims=True)
    # Rounding and tails as in LatticeNoise.bounds.
    size = noise.largest_log + abs(own) + 1
    slack = UNIT_ROUNDOFF * (width + 4 * size + 64) * (abs(own) + size) + noise.tail * (20 * size + settled + 2)
    middle = (int(winner[-1]) + 1) // 2
    return SelectionCapacity(
        bits=Interval((best_lower - slack) * LOG2_E, (max(best_upper, best_lower) + slack) * LOG2_E)
        .widened(0.0)
        .at_least(0.0),
        positions=tuple(int(d) - middle for d in winner),
        weights=tuple((winning / winning.sum()).tolist()),
    )
