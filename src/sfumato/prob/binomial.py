"""Exact binomial bounds."""

from __future__ import annotations

import numpy as np

from sfumato.prob.exact import FloatArray, LawLike
from sfumato.values.types import Real


def clopper_pearson(
    counts: Real | LawLike, totals: Real | LawLike, *, lower_tail: float, upper_tail: float
) -> tuple[FloatArray, FloatArray]:
    """Bounds on a binomial share, failing with probability at most `lower_tail` below and `upper_tail` above [CP34]."""
    from scipy.special import betaincinv  # noqa: PLC0415  scipy is slow to import

    hits, draws = np.broadcast_arrays(np.asarray(counts, dtype=np.float64), np.asarray(totals, dtype=np.float64))
    lower = np.where(hits > 0, betaincinv(np.maximum(hits, 1), draws - hits + 1, lower_tail), 0.0)
    upper = np.where(hits < draws, betaincinv(hits + 1, np.maximum(draws - hits, 1), 1 - upper_tail), 1.0)
    return lower, upper
