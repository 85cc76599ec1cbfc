"""The difference of two numbers, with an interval of its own: from different people, or from some who said both.

The two intervals of the numbers say too little: that they overlap does not say that there is no difference. What is
taken is the difference of the unbiased numbers, whose variances add, less twice the covariance where the same people
had a part in both, and the ends of Feldman and Cousins within what a difference can be. Reports may look surer than
they are: where nobody gave an answer, its standard error is 0. So each deviation is no smaller, towards an end, than
what the number's own interval has on that side.
Theory: docs/theory/bounded_intervals.md
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.prob.bounded import normal_lower_ends
from sfumato.values.checks import check_between

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two: what is shown of it, the unbiased number with its standard error, and its interval.

    All may be arrays, with a place for each of many differences.
    """

    value: npt.ArrayLike
    raw: npt.ArrayLike
    error: npt.ArrayLike
    lower: npt.ArrayLike
    upper: npt.ArrayLike
    confidence: float

    def deviation(self, *, upwards: bool) -> FloatArray:
        """Return the standard error, or what the interval has on one side in place of it if that is more."""
        from scipy.special import ndtri  # noqa: PLC0415  scipy is slow to import

        value = np.asarray(self.value, dtype=np.float64)
        room = np.asarray(self.upper) - value if upwards else value - np.asarray(self.lower)
        found: FloatArray = np.maximum(self.error, room / ndtri((1 + self.confidence) / 2))
        return found


def difference_intervals(
    first: Side, second: Side, *, low: float, high: float, confidence: float, covariance: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper ends of first - second, of numbers that lie between `low` and `high`.

    `covariance` is that of the unbiased numbers; between different people there is none.
    """
    check_between("confidence", confidence, 0.5, 1 - 1e-12)
    span = high - low
    raw = np.atleast_1d(np.asarray(first.raw, dtype=np.float64) - np.asarray(second.raw, dtype=np.float64))
    shown = np.atleast_1d(np.asarray(first.value, dtype=np.float64) - np.asarray(second.value, dtype=np.float64))
    deviations = [
        np.sqrt(np.maximum(one.deviation(upwards=False) ** 2 + two.deviation(upwards=True) ** 2 - 2 * covariance, 0.0))
        for one, two in ((first, second), (second, first))
    ]
    # The upper end of a difference is the lower one of the difference the other way round, with its sign turned.
    both = np.stack([raw, -raw])
    down_and_up = np.stack([np.broadcast_to(one, raw.shape) for one in deviations])
    lower, negated = normal_lower_ends(both, down_and_up, -span, span, confidence)
    return np.minimum(lower, shown), np.maximum(-negated, shown)
