"""The nearest law to a vector of numbers that need not be one."""

from __future__ import annotations

import numpy as np

from sfumato.prob.exact import FloatArray


def nearest_law(point: FloatArray) -> FloatArray:
    """Euclidean projection onto the probability simplex, by sorting.

    The projection subtracts one threshold from every entry and clips at zero; the threshold is found from the
    largest entries that stay positive.
    """
    descending = np.sort(point)[::-1]
    excess = (np.cumsum(descending) - 1) / np.arange(1, len(point) + 1)
    threshold = excess[np.flatnonzero(descending > excess)[-1]]
    result: FloatArray = np.maximum(point - threshold, 0.0)
    return result
