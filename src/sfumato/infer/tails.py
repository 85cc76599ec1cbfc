"""Tail probabilities of a weighted count over classes of reports: exact for two or three, from above for more.

Given the count of the middle class, the highest class is binomial among the rest, and the weighted count passes a level
when it passes a threshold: one binomial tail for each middle count, n+1 of them instead of n²/2 types, in time
linear in n. Of more classes :mod:`sfumato.infer.lattice_tails` bounds the tail from above, so that what is rejected by
it is rejected rightly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sfumato.infer.lattice_tails import lattice_tail

FloatArray = npt.NDArray[np.float64]

EXACT_CLASSES = 3
"""Classes of reports up to which tails are exact sums."""

# Middle counts further than this many standard deviations out have less than e^-800 of the mass: for error
# probabilities, however small.
FAR = 40.0
# And these less than 1e-18, which is enough where tails of a few percent are compared.
NEAR = 9.0
# Thresholds that rounding puts this close to a whole number are taken as that number.
_TIE = 1e-9
# What is added to a tail of many classes for their rounding: in a tail of a few percent, and in a small error.
_NEAR_REMAINDER, _FAR_REMAINDER = 1e-10, 1e-30


def tail(
    law: Sequence[float] | FloatArray,
    n: int,
    scores: Sequence[float] | FloatArray,
    *,
    upper: bool,
    ties: bool,
    level: float = 0.0,
    deviations: float = FAR,
) -> float:
    """Pr[Σ score·count ≥ level] for n draws, or ≤ level when not `upper`; without `ties`, > or <.

    `scores` must be ascending. Over more than three classes it is a bound from above.
    """
    p, s = np.asarray(law, dtype=np.float64), np.asarray(scores, dtype=np.float64)
    if len(p) > EXACT_CLASSES:
        remainder = _NEAR_REMAINDER if deviations == NEAR else _FAR_REMAINDER
        return lattice_tail(p, n, s, upper=upper, ties=ties, level=level, remainder=remainder)
    if len(p) == 2:
        p, s = np.array([p[0], 0.0, p[1]]), np.array([s[0], (s[0] + s[1]) / 2, s[1]])
    middle, weights = _middle_counts(n, float(p[1]), deviations)
    rest = n - middle
    ends = float(p[0] + p[2])
    share = min(1.0, float(p[2]) / ends) if ends > 0 else 0.0
    # s2·k + s0·(rest-k) + s1·middle ≥ level
    threshold = (level - s[1] * middle - s[0] * rest) / (s[2] - s[0])
    nearest = np.rint(threshold)
    tied = np.abs(threshold - nearest) <= _TIE * (1 + np.abs(threshold))
    if upper:
        least = np.where(tied, nearest + (0 if ties else 1), np.ceil(threshold))
        tails = _at_least(least, rest, share)
    else:
        most = np.where(tied, nearest - (0 if ties else 1), np.floor(threshold))
        tails = _at_least(rest - most, rest, 1 - share)
    return min(1.0, math.fsum((weights * tails).tolist()))


def binomial_tail(count: int, n: int, share: float, *, upper: bool) -> float:
    """Pr[Bin(n, share) ≥ count], or ≤ count when not `upper`."""
    from scipy.special import betainc  # noqa: PLC0415  scipy is slow to import

    least, chance = (count, share) if upper else (n - count, 1 - share)
    if least <= 0:
        return 1.0
    return 0.0 if least > n else float(betainc(least, n - least + 1, chance))


def _middle_counts(n: int, share: float, deviations: float) -> tuple[FloatArray, FloatArray]:
    from scipy.special import gammaln, xlog1py, xlogy  # noqa: PLC0415  scipy is slow to import

    spread = deviations * (math.sqrt(n * share * (1 - share)) + 1)
    counts = np.arange(max(0, math.floor(n * share - spread)), min(n, math.ceil(n * share + spread)) + 1.0)
    logs = gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1)
    return counts, np.exp(logs + xlogy(counts, share) + xlog1py(n - counts, -share))


def _at_least(least: FloatArray, n: FloatArray, share: float) -> FloatArray:
    """Pr[Bin(n, share) ≥ least], entry by entry."""
    from scipy.special import betainc  # noqa: PLC0415  scipy is slow to import

    inside = (least > 0) & (least <= n)
    safe = np.where(inside, least, 1.0)
    tails = betainc(safe, np.where(inside, n - safe + 1, 1.0), share)
    return np.where(least <= 0, 1.0, np.where(inside, tails, 0.0))
