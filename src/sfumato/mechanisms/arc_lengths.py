"""How long an arc should be: the noise that a mean gets from an arc of each length, without solving equations.

An unbiased score for evenly spread values has s_{y+d} - s_y = c, the same for all y, since the favoured reports of x+1
are those of x without the first and with one more. So each of the d classes of reports modulo d has one number left to
choose, and one equation binds them all: the score of least variance is a weighted mean for each class and one
multiplier.   Proof: docs/theory/numbers.md
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sfumato.mechanisms.unbiased import FloatArray, worst_variance


def arc_moments(size: int, length: int, odds: float) -> FloatArray:
    """E[s²|x] of the unbiased score of values spread evenly over [-1, 1], best where answers are spread evenly."""
    k, d = size, length
    modulus = k + d - 1
    low, gain = 1 / (d * odds + modulus - d), odds - 1
    step = 2 / ((k - 1) * low * gain)
    reports = np.arange(modulus)
    classes, turns = reports % d, reports // d
    # How many answers favour each report, and how probable it is when answers are even.
    favouring = np.minimum(np.minimum(reports + 1, modulus - reports), min(k, d))
    chances = low * (1 + gain * favouring / k)
    mass, members = np.bincount(classes, chances, d), np.bincount(classes, minlength=d)
    centres = np.bincount(classes, chances * turns, d) / mass
    # E[s|0] = low·(Σ s + gain·Σ_{y<d} s_y) = -1 binds the d first scores a_r, which are -step·centre + m·weight/mass.
    weight = low * (members + gain)
    fixed = low * step * (np.bincount(classes, turns, d) - (members + gain) * centres).sum()
    multiplier = (-1 - fixed) / (weight**2 / mass).sum()
    scores = (-step * centres + multiplier * weight / mass)[classes] + step * turns
    squares = np.concatenate([[0.0], np.cumsum(scores**2)])
    found: FloatArray = low * (squares[-1] + gain * (squares[d : d + k] - squares[:k]))
    return found


@lru_cache(maxsize=1 << 15)
def arc_noise(size: int, length: int, odds: float, steps: int | None = None) -> float:
    """Return the largest variance of one report about a fixed number on [-1, 1]; `steps` as in `worst_variance`."""
    return worst_variance(arc_moments(size, length, odds), steps)


def best_length(size: int, odds: float) -> int:
    """Return the shortest arc among those within a hundredth of the least noise for this many points."""
    found = [arc_noise(size, length, odds) for length in range(1, max(2, size))]
    return 1 + next(i for i, noise in enumerate(found) if noise <= 1.01 * min(found))
