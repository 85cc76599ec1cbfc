"""The mean of a count: from the share of two values, or from numbers that stand for the reports of many."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from sfumato.study.ways.estimates import MeanEstimate
from sfumato.values import Interval, Tally


def mean_of_two(
    values: tuple[float, float], share: float, raw: float, error: float, interval: Interval
) -> MeanEstimate:
    """Read the mean off the share of the second of two values; its interval is as exact as that of the share."""
    low, span = values[0], values[1] - values[0]
    return MeanEstimate(
        mean=low + span * share,
        raw=low + span * float(raw),
        standard_error=span * error,
        interval=Interval(low + span * interval.lower, low + span * interval.upper),
    )


def mean_of_scores(
    scores: npt.NDArray[np.float64], tally: Tally, values: tuple[int, ...], confidence: float
) -> MeanEstimate:
    """Average the numbers whose mean is the mean of the answers."""
    counts = np.array(tally.counts, dtype=np.float64)
    total = counts.sum()
    raw = float(counts @ scores / total)
    error = math.sqrt(max(0.0, float(counts @ scores**2 / total) - raw**2) / total)
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * error
    low, mean, high = (float(min(max(end, values[0]), values[-1])) for end in (raw - reach, raw, raw + reach))
    return MeanEstimate(mean=mean, raw=raw, standard_error=error, interval=Interval(low, high))
