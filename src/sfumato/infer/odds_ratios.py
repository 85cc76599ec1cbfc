"""The odds ratio of two randomised yes/no questions, with an interval by profile likelihood.

The profile is the greatest likelihood of the reports over all tables of four shares with a given odds ratio. At a ratio
of 0 or ∞ a cell is empty; where the reports do not speak against that, the interval ends there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.infer.likeliest_shares import DensePassage, maximum_likelihood
from sfumato.prob import AnyChannel
from sfumato.values import Interval

FloatArray = npt.NDArray[np.float64]

# Logarithms of odds ratios beyond which nobody tells the ratio from 0 or ∞.
_FAR = 25.0
_NEAR = 1e-5
_EDGE = 1e-12
# The slope, a report, at which margins count as the likeliest.
_LEVEL = 1e-9
_STEPS = 200
# Which of the four cells have the second answer, to the first and to the second question.
_SECOND = np.array([[0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]])


@dataclass(frozen=True, slots=True, kw_only=True)
class OddsRatio:
    """How many times greater the odds of the second answer are among those who give the other's second answer."""

    value: float
    interval: Interval


def odds_ratio(
    first: AnyChannel, second: AnyChannel, counts: npt.ArrayLike, *, confidence: float = 0.95
) -> OddsRatio | None:
    """Return the odds ratio of the likeliest table; None where one of the questions has but one answer left."""
    from scipy.special import ndtri  # noqa: PLC0415  scipy is slow to import

    table = np.asarray(counts, dtype=np.float64)
    rows = np.asarray(np.kron(first.array, second.array), dtype=np.float64)
    seen = table.ravel()
    law = maximum_likelihood(
        DensePassage(rows), (seen / seen.sum())[None], np.full((1, 4), 0.25), seen.sum(keepdims=True)
    )
    shares = law[0].reshape(2, 2)
    if min(*shares.sum(axis=0), *shares.sum(axis=1)) <= _EDGE:
        return None
    top = _height(rows, seen, shares.ravel())
    drop = float(ndtri((1 + confidence) / 2)) ** 2 / 2
    above, below = shares[0, 0] * shares[1, 1], shares[0, 1] * shares[1, 0]
    value = math.inf if below == 0 else float(above / below)
    centre = min(_FAR, max(-_FAR, math.log(value) if 0 < value < math.inf else math.copysign(_FAR, above - below)))
    inside = np.maximum(shares, 1e-6)
    start = np.log([inside[1, 0] / inside[0, 0], inside[0, 1] / inside[0, 0]])

    def accepted(log_ratio: float) -> bool:
        return _profile(rows, seen, start, log_ratio) >= top - drop

    lower, upper = (_edge(centre, end, accepted) for end in (-_FAR, _FAR))
    ends = Interval(0.0 if lower <= -_FAR else math.exp(lower), math.inf if upper >= _FAR else math.exp(upper))
    return OddsRatio(value=value, interval=Interval(min(ends.lower, value), max(ends.upper, value)))


def _profile(rows: FloatArray, seen: FloatArray, start: FloatArray, log_ratio: float) -> float:
    """Return the greatest log-likelihood at an odds ratio.

    With the odds ratio fixed, the table is an exponential family of its margins: the slope is what the margins are
    given the reports, minus what they are without, and the curvature is a difference of covariances.
    """
    point, pull = start.copy(), 1e-9
    height = _height(rows, seen, _table(point, log_ratio))
    for _ in range(_STEPS):
        table = _table(point, log_ratio)
        given = table[:, None] * rows / np.maximum(table @ rows, 1e-300)
        held = given @ seen
        slope = _SECOND @ (held - seen.sum() * table)
        if np.abs(slope).max() <= _LEVEL * seen.sum():
            break
        centres = _SECOND @ given
        spread = seen.sum() * _covariance(table)
        curvature = spread - (_SECOND * held) @ _SECOND.T + (centres * seen) @ centres.T
        if np.linalg.eigvalsh(curvature)[0] <= pull * seen.sum():
            curvature = spread + pull * seen.sum() * np.eye(2)  # a step of scoring, which always leads upwards
        step = np.linalg.solve(curvature, slope)
        step *= min(1.0, 4.0 / float(np.abs(step).max()))
        while np.abs(step).max() > _EDGE:
            moved = np.clip(point + step, -_FAR - _FAR, _FAR + _FAR)
            reached = _height(rows, seen, _table(moved, log_ratio))
            if reached >= height:
                break
            step = step / 2
        else:
            break
        point, height = moved, reached
    return height


def _table(point: FloatArray, log_ratio: float) -> FloatArray:
    """Return the four shares, of neither, of the second question's second answer alone, of the first's, of both."""
    logs = np.array([0.0, point[1], point[0], point[0] + point[1] + log_ratio])
    found: FloatArray = np.exp(logs - logs.max())
    found /= found.sum()
    return found


def _covariance(table: FloatArray) -> FloatArray:
    centre = _SECOND @ table
    found: FloatArray = (_SECOND * table) @ _SECOND.T - np.outer(centre, centre)
    return found


def _height(rows: FloatArray, seen: FloatArray, shares: FloatArray) -> float:
    law = shares @ rows
    there = seen > 0
    if (law[there] <= 0).any():
        return -1e300
    return float(seen[there] @ np.log(law[there]))


def _edge(inside: float, outside: float, accepted: Callable[[float], bool]) -> float:
    if accepted(outside):
        return outside
    while abs(outside - inside) > _NEAR:
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if accepted(middle) else (inside, middle)
    return outside
