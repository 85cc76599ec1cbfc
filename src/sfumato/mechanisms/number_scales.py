"""The points and the mechanism of a numerical question that is asked for its mean.

A number is rounded at random to one of k evenly spread points, without bias, and the point is reported by a mechanism
with levels: of two points a flip, of more an arc or the cyclic response. Few points need little noise of the mechanism
and round much; many round little. The criterion is the worst variance of one report about a fixed number, rounding
included, on [-1, 1]; with several levels the worst of its ratios to the best at each level alone.
Theory: docs/theory/numbers.md
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.mechanisms.arc import MOST_STEPS, arc_noise, second_moments, unbiased_weights, worst_variance
from sfumato.mechanisms.base import nominal_odds
from sfumato.mechanisms.cyclic import CyclicResponse, FavouredSet, best_set, least_noise
from sfumato.numbers.checks import check_at_least, check_integer, check_positive

# Numbers of points that are tried before the neighbours of the best; many points are better at large ε only.
_COARSE = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 28, 33, 40, 48, 58, 70, 84, 101)
MOST_POINTS = _COARSE[-1]
# Points of a cyclic response, whose reports are all equally far from every answer.
_CYCLIC_POINTS = (3, 4, 5, 6, 7, 8, 10, 13)
# Fewer reports are preferred at this cost in variance: a hundredth of the standard error.
_WORTH = 1.02
# Scales are chosen as if ε were at most this.
_MOST_EPSILON = 12.0


class Shape(StrEnum):
    """What a point favours: itself alone, of two; a run of reports; a difference set."""

    TWO_POINTS = "two points"
    ARC = "arc"
    CYCLIC = "cyclic response"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanScale:
    """So many points, and of an arc its length; `variances` are the worst of one report at each level, on [-1, 1]."""

    shape: Shape
    points: int
    length: int
    reports: int
    variances: tuple[float, ...]

    @property
    def rank(self) -> tuple[int, str, int]:
        """Fewer reports come first."""
        return self.reports, self.shape, self.points


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanChoice:
    """The scale that is best for all levels together, and the best of each shape, for comparison."""

    chosen: MeanScale
    offered: tuple[MeanScale, ...]


def choose_mean_scale(epsilons: Sequence[float], *, steps: int | None = None, points: int | None = None) -> MeanChoice:
    """Return the scale with the smallest worst error; `steps` is how many steps the range has, None for no end.

    With `points` only scales of so many points are compared.
    """
    for epsilon in epsilons:
        check_positive("epsilons", epsilon)
    if not epsilons:
        raise InvalidParameter("is empty", parameter="epsilons", way_out="Give one epsilon for each level.")
    if steps is not None:
        check_at_least("steps", check_integer("steps", steps), 1)
    if points is not None:
        check_at_least("points", check_integer("points", points), 2)
    odds = tuple(nominal_odds(min(epsilon, _MOST_EPSILON)) for epsilon in epsilons)
    return _choice(odds, None if steps is not None and steps > max(MOST_STEPS, MOST_POINTS) else steps, points)


@lru_cache(maxsize=64)
def _choice(odds: tuple[float, ...], steps: int | None, points: int | None) -> MeanChoice:
    best = [min(scale.variances[0] for scale in _best((value,), (), steps, points)) for value in odds]
    offered = _best(odds, tuple(best), steps, points)

    def regret(scale: MeanScale) -> float:
        return _regret(scale, best)

    least = min(map(regret, offered))
    chosen = min((scale for scale in offered if regret(scale) <= _WORTH * least), key=lambda scale: scale.rank)
    return MeanChoice(chosen=chosen, offered=tuple(sorted(offered, key=regret)))


def _regret(scale: MeanScale, best: Sequence[float]) -> float:
    if not best:  # one level, which is compared with itself
        return scale.variances[0]
    return max(variance / least for variance, least in zip(scale.variances, best, strict=True))


def _best(
    odds: tuple[float, ...], best: tuple[float, ...], steps: int | None, points: int | None
) -> tuple[MeanScale, ...]:
    """Return the best scale of each shape; of an arc, the one with the fewest reports among the nearly best."""
    most = MOST_POINTS if steps is None else min(MOST_POINTS, steps + 1)
    found = []
    if points in {None, 2}:
        found.append(_two_points(odds, steps))
    arcs = list(_arcs(odds, best, steps, range(3, most + 1) if points is None else (points,)))
    cyclic = [_cyclic(odds, steps, k) for k in (_CYCLIC_POINTS if points is None else (points,)) if 3 <= k <= most]
    for scales in (arcs, cyclic):
        if scales:
            least = min(_regret(scale, best) for scale in scales)
            nearly = [scale for scale in scales if _regret(scale, best) <= _WORTH * least]
            found.append(min(nearly, key=lambda scale: scale.rank) if best else min(nearly, key=_variance))
    return tuple(found)


def _variance(scale: MeanScale) -> float:
    return scale.variances[0]


def _arcs(
    odds: tuple[float, ...], best: tuple[float, ...], steps: int | None, allowed: Sequence[int]
) -> Iterable[MeanScale]:
    """Arcs on a coarse grid of points, and on all points near the best of them; every length of each."""
    coarse = [k for k in _COARSE if k in allowed and k > 2] or [k for k in allowed if k > 2]
    tried = [scale for k in coarse for scale in _arcs_of(odds, steps, k)]
    yield from tried
    if not tried or len(allowed) == 1:
        return
    centre = min(tried, key=lambda scale: _regret(scale, best)).points
    near = [k for k in allowed if 4 * centre <= 5 * k and 4 * k <= 5 * centre and k not in coarse]
    for k in near:
        yield from _arcs_of(odds, steps, k)


def _arcs_of(odds: tuple[float, ...], steps: int | None, points: int) -> Iterable[MeanScale]:
    for length in range(1, points):
        yield MeanScale(
            shape=Shape.ARC,
            points=points,
            length=length,
            reports=points + length - 1,
            variances=tuple(arc_noise(points, length, value, steps) for value in odds),
        )


def _two_points(odds: tuple[float, ...], steps: int | None) -> MeanScale:
    variances = tuple(arc_noise(2, 1, value, steps) for value in odds)
    return MeanScale(shape=Shape.TWO_POINTS, points=2, length=1, reports=2, variances=variances)


def _cyclic(odds: tuple[float, ...], steps: int | None, points: int) -> MeanScale:
    """The difference set that serves all levels, read by the same kind of score as an arc."""

    def badness(candidate: FavouredSet) -> float:
        return max(candidate.noise(value) / least_noise(value) for value in odds)

    chosen = best_set(points, badness)
    values = np.linspace(-1.0, 1.0, points)
    variances = []
    for value in odds:
        made = CyclicResponse(
            size=points, odds=Fraction(value).limit_denominator(1000), q=chosen.q, t=chosen.t, family=chosen.family
        )
        rows = made.channel().array
        variances.append(worst_variance(second_moments(rows, unbiased_weights(rows) @ values), steps))
    return MeanScale(shape=Shape.CYCLIC, points=points, length=0, reports=chosen.modulus, variances=tuple(variances))
