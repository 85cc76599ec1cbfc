"""Intervals for shares and means from linear scores, within the bounds that they have.

Whether a mean m is accepted depends on how far the mean of the scores lies from it under a law of answers with that
mean. That law is the likeliest one, with one more answer spread over all, tilted exponentially until its mean is m: at
a bound of the values it is the law of those who all give that value, which is the only one there is. Its variance and
skewness make the tails [WH31], and the split of α between them is Feldman and Cousins' [FC98].
Theory: docs/theory/bounded_intervals.md
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.infer.likeliest_shares import Passage
from sfumato.infer.linear_scores import LinearScores
from sfumato.prob.bounded import both_tails, bounded_ends, outer_edge, rooms, skewed_tails

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

MOST_SHARES = 2048
"""Answers up to which shares get intervals from scores; each needs the scores of all."""

_HALVINGS = 48
# A tilt by so much, in units of the smallest step from a bound, leaves nothing elsewhere.
_ALL_AT_THE_BOUND = 60.0
# Standard deviations are in units of the range of the values; below this they are rounding.
NO_DEVIATION = 1e-12
# What is left of a variance below so much of its terms is rounding: a law that cannot err has no skewness either.
_ROUNDING = 1e-13


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMeans:
    """Means, a place for each sample."""

    value: FloatArray
    raw: FloatArray
    error: FloatArray
    lower: FloatArray
    upper: FloatArray
    estimable: BoolArray

    def only(self, estimable: BoolArray) -> FoundMeans:
        """Return the same with fewer that can be estimated."""
        return replace(self, estimable=estimable)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundShares:
    """Shares of all answers, a row for each sample."""

    value: FloatArray
    raw: FloatArray
    error: FloatArray
    lower: FloatArray
    upper: FloatArray


def mean_ends(
    passage: Passage,
    scores: LinearScores,
    seen: FloatArray,
    totals: FloatArray,
    shares: FloatArray,
    values: FloatArray,
    among: BoolArray,
    confidence: float,
) -> FoundMeans:
    """Return the means of the values over the answers `among` which they are taken, with their intervals."""
    low, high = values[among].min(), values[among].max()
    # In units of the range and about its middle before anything else, so that the origin of the values is lost first.
    places = np.where(among, (values - low) / (high - low) - 0.5, 0.0)
    above_line = scores.of(places)
    below_line = np.ones(seen.shape[1]) if among.all() else scores.of(among.astype(np.float64))
    moments = _Moments(passage, above_line, below_line)
    numerator, divisor = seen @ above_line, seen @ below_line
    tilts = _Tilts(shares, totals, places, among)
    held = shares[:, among].sum(axis=1)
    estimable = (divisor > 0) & (held > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        raw = np.where(estimable, numerator / divisor, 0.0)
        value = np.where(estimable, shares @ places / held, 0.0)

    def accepts(tilt: FloatArray, *, upwards: bool) -> BoolArray:
        law = tilts.law(tilt)
        mean = tilts.mean(law)
        second, third = moments.at(law, mean)
        deviation = np.maximum(np.sqrt(np.maximum(second, 0.0) / totals), NO_DEVIATION)
        skewness = third / totals**2 / deviation**3
        above, below = skewed_tails((numerator - mean * divisor) / deviation, skewness)
        behind, ahead = rooms(mean, deviation / tilts.share, -0.5, 0.5)
        ranked = both_tails(below, ahead, behind) if upwards else both_tails(above, behind, ahead)
        found: BoolArray = ranked >= 1 - confidence
        return found

    inside = tilts.to(np.clip(raw, -0.5, 0.5))
    first = outer_edge(inside, tilts.lowest, lambda tilt: accepts(tilt, upwards=False))
    last = outer_edge(inside, tilts.highest, lambda tilt: accepts(tilt, upwards=True))
    lower, upper = tilts.mean(tilts.law(first)), tilts.mean(tilts.law(last))
    second, _ = moments.at(shares, value)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.where(estimable, np.sqrt(np.maximum(second, 0.0) / totals) / held, np.inf)

    def back(place: FloatArray) -> FloatArray:
        found: FloatArray = low + (high - low) * (place + 0.5)
        return found

    return FoundMeans(
        value=back(value),
        raw=back(raw),
        error=(high - low) * error,
        lower=back(np.minimum(lower, value)),
        upper=np.minimum(back(np.maximum(upper, value)), high),
        estimable=estimable,
    )


class _Moments:
    """Second and third moments of a·n - m·d for each answer, n and d being the scores above and below the line."""

    def __init__(self, passage: Passage, above: FloatArray, below: FloatArray) -> None:
        products = ([above**i * below ** (power - i) for i in range(power, -1, -1)] for power in (2, 3))
        self._second, self._third = (np.stack([passage.backward(one) for one in each]) for each in products)

    def at(self, law: FloatArray, mean: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return them under laws of answers; the first moment is 0 where a law has that mean."""
        second, third = law @ self._second.T, law @ self._third.T
        spread = second[:, 0] - 2 * mean * second[:, 1] + mean**2 * second[:, 2]
        lean = third[:, 0] - 3 * mean * third[:, 1] + 3 * mean**2 * third[:, 2] - mean**3 * third[:, 3]
        errs = spread > _ROUNDING * (second[:, 0] + mean**2 * second[:, 2])
        return np.where(errs, spread, 0.0), np.where(errs, lean, 0.0)


class _Tilts:
    """Laws of answers with every mean between the bounds: the likeliest ones, smoothed, times e^(tilt·place)."""

    def __init__(self, shares: FloatArray, totals: FloatArray, places: FloatArray, among: BoolArray) -> None:
        size, more = shares.shape[1], totals[:, None]
        self._base: FloatArray = (more * shares + 1 / size) / (more + 1)
        self._among, self._places = among, places[among]
        self._logs = np.log(self._base[:, among])
        self.share = self._base[:, among].sum(axis=1)
        """The share of those answers among which the mean is taken."""
        reach = _ALL_AT_THE_BOUND + math.log(size * (totals.max() + 1))
        distances = np.unique(self._places) + 0.5
        self.lowest, self.highest = -reach / distances[1], reach / (1 - distances[-2])

    def law(self, tilt: FloatArray) -> FloatArray:
        """Return the laws; those who are not among them stay as they are."""
        exponents = self._logs + tilt[:, None] * self._places
        weights = np.exp(exponents - exponents.max(axis=1, keepdims=True))
        found: FloatArray = self._base.copy()
        found[:, self._among] = weights * (self.share / weights.sum(axis=1))[:, None]
        return found

    def mean(self, law: FloatArray) -> FloatArray:
        """Return their means over those among which they are taken."""
        found: FloatArray = np.clip(law[:, self._among] @ self._places / self.share, -0.5, 0.5)
        return found

    def to(self, means: FloatArray) -> FloatArray:
        """Return the tilts that lead to the means."""
        low, high = np.full(means.shape, self.lowest), np.full(means.shape, self.highest)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            beyond = self.mean(self.law(middle)) > means
            low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
        found: FloatArray = np.where(means <= -0.5, self.lowest, np.where(means >= 0.5, self.highest, (low + high) / 2))
        return found


def share_ends(
    passage: Passage,
    scores: LinearScores,
    seen: FloatArray,
    totals: FloatArray,
    shares: FloatArray,
    confidence: float,
) -> FoundShares:
    """Return the intervals of all shares. A tilt towards one answer leaves the others in proportion."""
    size = shares.shape[1]
    if size > MOST_SHARES:
        raise InvalidParameter(
            f"are {size}, and intervals from scores are made for at most {MOST_SHARES}",
            parameter="shares",
            way_out="Estimate with the mechanism that made the reports.",
        )
    weights = np.stack([scores.of(answer) for answer in np.eye(size)])
    raw = seen @ weights.T
    more = totals[:, None]
    base = (more * shares + 1 / size) / (more + 1)
    own: list[FloatArray] = []
    others: list[FloatArray] = []
    for power in (2, 3):
        table = passage.backward(weights**power)  # of each answer's scores, the moments under each answer
        mine = np.diag(table)
        own.append(mine)
        others.append((base @ table.T - base * mine) / (1 - base))

    def moment(power: int) -> Callable[[FloatArray], FloatArray]:
        return lambda share: share * own[power] + (1 - share) * others[power]

    def deviation(share: FloatArray) -> FloatArray:
        variance = np.maximum(moment(0)(share) - share**2, 0.0)
        return np.maximum(np.sqrt(variance / more), NO_DEVIATION)

    def tails(share: FloatArray) -> tuple[FloatArray, FloatArray]:
        spread = deviation(share)
        third = moment(1)(share) - 3 * share * moment(0)(share) + 2 * share**3
        return skewed_tails((raw - share) / spread, third / more**2 / spread**3)

    lower, upper = bounded_ends(
        above=lambda share: tails(share)[0],
        below=lambda share: tails(share)[1],
        deviation=deviation,
        inside=np.clip(raw, 0.0, 1.0),
        low=0.0,
        high=1.0,
        confidence=confidence,
    )
    return FoundShares(
        value=shares,
        raw=raw,
        error=deviation(shares),
        lower=np.minimum(lower, shares),
        upper=np.maximum(upper, shares),
    )
