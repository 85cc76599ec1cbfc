"""Shares, means and differences from counts of reports, with intervals within their bounds.

`ReportedShares` reads one sample, `ManyReports` many samples of the same channel at once. The shares shown are the
maximum-likelihood shares, and means are computed from them, so the two agree. `raw` numbers are unbiased and linear in
the counts. Intervals are computed from the raw numbers. They lie within the bounds of the true value and contain the
number shown.
Theory: docs/theory/bounded_intervals.md
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.inference.likelihood import MOST_LIKELIEST, LinearScores, Passage, gap_of, maximum_likelihood, passage_of
from sfumato.mechanisms.arc import ArcResponse
from sfumato.mechanisms.base import law_of_answers
from sfumato.mechanisms.cyclic import CyclicResponse
from sfumato.mechanisms.hadamard import HadamardResponse
from sfumato.mechanisms.randomized_response import RandomizedResponse
from sfumato.mechanisms.tabulated import Tabulated
from sfumato.numbers.checks import check_between
from sfumato.numbers.exact import LawLike
from sfumato.numbers.intervals import Interval
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution
from sfumato.prob.intervals import (
    both_tails,
    bounded_ends,
    nearest_law,
    normal_lower_ends,
    outer_edge,
    rooms,
    skewed_tails,
)
from sfumato.prob.structured import AnyChannel

# --- Intervals for shares and means from linear scores
# A mean m is tested under a distribution of answers with that mean: the maximum-likelihood one with one more answer
# spread over all, tilted exponentially until its mean is m. Tails use its variance and skewness [WH31]; α is split
# between them as Feldman and Cousins do [FC98].
# Theory: docs/theory/bounded_intervals.md


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


# --- Differences of two shares of one sample, with intervals within [-1, 1]
# The difference is the mean of scores that are 1 for the first answer, -1 for the second and 0 for the others, since
# the errors of both shares are dependent. A difference is tested under the likeliest distribution that has it; the
# other answers keep their proportions.
# Theory: docs/theory/bounded_intervals.md


IntArray = npt.NDArray[np.int64]
Pairs = Sequence[tuple[int, int]]
"""Places of answers: of the first, and of that which is subtracted from it."""
_PAIR = 2


def difference_ends(
    passage: Passage,
    scores: LinearScores,
    seen: FloatArray,
    totals: FloatArray,
    shares: FloatArray,
    pairs: Pairs,
    confidence: float,
) -> FoundShares:
    """Return the differences of pairs of answers, a row for each sample and a column for each pair."""
    size = shares.shape[1]
    if size > MOST_SHARES:
        raise InvalidParameter(
            f"are {size}, and shares are compared within questions of at most {MOST_SHARES}",
            parameter="answers",
            way_out="Merge answers that are rare, or compare groups.",
        )
    firsts, seconds = (np.array(places, dtype=np.int64) for places in zip(*pairs, strict=True))
    weights = np.stack([scores.of(row) for row in np.eye(size)[firsts] - np.eye(size)[seconds]])
    # Of the scores of each pair, the second and third moments under each answer.
    tables = [passage.backward(weights**power) for power in (2, 3)]
    raw, value, more = seen @ weights.T, shares[:, firsts] - shares[:, seconds], totals[:, None]
    base = (more * shares + 1 / size) / (more + 1)
    moments = _DifferenceMoments(base, tables, firsts, seconds)

    def deviation(gap: FloatArray) -> FloatArray:
        second, _ = moments.at(gap)
        return np.maximum(np.sqrt(np.maximum(second - gap**2, 0.0) / more), NO_DEVIATION)

    def tails(gap: FloatArray) -> tuple[FloatArray, FloatArray]:
        second, third = moments.at(gap)
        spread = deviation(gap)
        centred = third - 3 * gap * second + 2 * gap**3
        return skewed_tails((raw - gap) / spread, centred / more**2 / spread**3)

    lower, upper = bounded_ends(
        above=lambda gap: tails(gap)[0],
        below=lambda gap: tails(gap)[1],
        deviation=deviation,
        inside=np.clip(raw, -1.0, 1.0),
        low=-1.0,
        high=1.0,
        confidence=confidence,
    )
    return FoundShares(
        value=value,
        raw=raw,
        error=np.sqrt(np.maximum(shares @ tables[0].T - value**2, 0.0) / more),
        lower=np.minimum(lower, value),
        upper=np.maximum(upper, value),
    )


class _DifferenceMoments:
    """Moments of scores under laws of answers that have every difference of two shares."""

    def __init__(self, base: FloatArray, tables: list[FloatArray], firsts: IntArray, seconds: IntArray) -> None:
        self._one, self._other = base[:, firsts], base[:, seconds]
        # With two answers nothing is left for others, but for rounding.
        rest = np.maximum(1 - self._one - self._other, np.finfo(np.float64).tiny)
        columns = np.arange(firsts.size)
        self._parts = []
        for table in tables:
            first, second = table[columns, firsts], table[columns, seconds]
            others = base @ table.T - self._one * first - self._other * second
            self._parts.append((first, second, others / rest if base.shape[1] > _PAIR else np.zeros_like(rest)))

    def at(self, gap: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the second and the third under the likeliest law whose two shares differ by the gap."""
        above, below = likeliest_with_gap(self._one, self._other, gap)
        second, third = (above * a + below * b + (1 - above - below) * c for a, b, c in self._parts)
        return second, third


def likeliest_with_gap(one: FloatArray, other: FloatArray, gap: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the two shares that differ by the gap and are likeliest where `one` and `other` were seen.

    With x the smaller of the two and g = |gap|, one·ln(x+g) + other·ln(x) + rest·ln(1-2x-g) is greatest at the positive
    root of 2x² - b·x - other·g·(1-g), b being (one+other)(1-g) - 2g(1-one). Below 0 the two change places.
    """
    swapped, width = gap < 0, np.abs(gap)
    larger, smaller = np.where(swapped, other, one), np.where(swapped, one, other)
    slope = (larger + smaller) * (1 - width) - 2 * width * (1 - larger)
    constant = smaller * width * (1 - width)
    root = np.hypot(slope, np.sqrt(8 * constant))
    # In either form nothing is subtracted from what is nearly the same.
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(slope > 0, (slope + root) / 4, np.where(constant > 0, 2 * constant / (root - slope), 0.0))
    low = np.clip(found, 0.0, (1 - width) / 2)
    return np.where(swapped, low, low + width), np.where(swapped, low + width, low)


FloatArray = npt.NDArray[np.float64]

LIKELIEST = "maximum likelihood"
NEAREST = "unbiased shares, nearest law shown"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearEstimate:
    """A mean or a share: `value` is read off the likeliest shares, `raw` is unbiased, `interval` holds `value`.

    >>> import sfumato as sf
    >>> response = sf.mechanisms.RandomizedResponse(size=3, odds=6).channel()
    >>> mean = sf.inference.ReportedShares(response, [500, 300, 200]).linear([1, 2, 3])  # of answers worth 1, 2, 3
    >>> round(mean.value, 3), round(mean.raw, 3), round(mean.standard_error, 3)
    (1.52, 1.52, 0.04)
    >>> round(mean.interval.lower, 3), round(mean.interval.upper, 3)
    (1.443, 1.598)
    """

    value: float
    raw: float
    standard_error: float
    interval: Interval


class ManyReports:
    """Counts of many samples, a row each; numbers come back as arrays with a place for each sample.

    >>> import sfumato as sf
    >>> response = sf.mechanisms.RandomizedResponse(size=3, odds=6).channel()
    >>> many = sf.inference.ManyReports(response, [[500, 300, 200], [550, 340, 110]])
    >>> many.raw.round(3).tolist()
    [[0.6, 0.28, 0.12], [0.68, 0.344, -0.024]]
    >>> many.likeliest.round(3).tolist()  # laws, where raw shares may be negative
    [[0.6, 0.28, 0.12], [0.665, 0.335, 0.0]]
    >>> many.means([1, 2, 3]).value.round(3).tolist()
    [1.52, 1.335]
    """

    def __init__(self, channel: AnyChannel, counts: npt.ArrayLike) -> None:
        table = np.asarray(counts, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != channel.shape[1]:
            raise InvalidParameter(
                f"must have one number for each of {channel.shape[1]} reports",
                parameter="counts",
                way_out="Count the reports in the order of the channel.",
            )
        if not (np.isfinite(table) & (table >= 0)).all() or not table.any(axis=1).all():
            raise InvalidParameter(
                "must be whole numbers ≥ 0, and not all 0", parameter="counts", way_out="Collect at least one report."
            )
        self._passage = passage_of(channel)
        self._size = channel.shape[0]
        possible = self._passage.forward(np.full(self._size, 1 / self._size)) > 0
        if (table[:, ~possible] > 0).any():
            raise InvalidParameter(
                "hold a report that the design never gives", parameter="counts", way_out="Check the design."
            )
        self.totals: FloatArray = table.sum(axis=1)
        self._seen: FloatArray = table / self.totals[:, None]
        self._scores = LinearScores(self._passage, self._size)

    @property
    def method(self) -> str:
        """How the shares that are shown were found."""
        return LIKELIEST if self._size <= MOST_LIKELIEST else NEAREST

    @cached_property
    def raw(self) -> FloatArray:
        """Unbiased shares, which may lie outside [0, 1]."""
        return self._scores.raw_shares(self._seen)

    @cached_property
    def likeliest(self) -> FloatArray:
        """The likeliest shares; for more than `MOST_LIKELIEST` answers the nearest laws to the raw ones."""
        nearest = np.stack([nearest_law(row) for row in self.raw])
        if self._size > MOST_LIKELIEST:
            return nearest
        return maximum_likelihood(self._passage, self._seen, nearest, self.totals)

    @property
    def gap(self) -> FloatArray:
        """A bound on what the log-likelihood of all reports together can still gain over `likeliest`."""
        found: FloatArray = self.totals * np.maximum(gap_of(self._passage, self._seen, self.likeliest), 0.0)
        return found

    def shares(self, confidence: float = 0.95) -> FoundShares:
        """Return every share with its interval, a row for each sample."""
        check_between("confidence", confidence, 0.5, 1 - 1e-12)
        return share_ends(self._passage, self._scores, self._seen, self.totals, self.likeliest, confidence)

    def differences(self, pairs: Pairs, confidence: float = 0.95) -> FoundShares:
        """Return the differences of the shares of two answers each, a column for each pair."""
        check_between("confidence", confidence, 0.5, 1 - 1e-12)
        for first, second in pairs:
            if first == second or not 0 <= min(first, second) <= max(first, second) < self._size:
                raise InvalidParameter(
                    f"must name two different answers by their places, from 0 to {self._size - 1}",
                    parameter="pairs",
                    value=(first, second),
                    way_out="Name two of the answers.",
                )
        return difference_ends(self._passage, self._scores, self._seen, self.totals, self.likeliest, pairs, confidence)

    def means(
        self, values: npt.ArrayLike, confidence: float = 0.95, *, among: npt.ArrayLike | None = None
    ) -> FoundMeans:
        """Return Σ values·share, or with `among` that sum over those answers, divided by their share.

        Where `estimable` is false nothing can be said: the interval of the divisor reaches 0.
        """
        check_between("confidence", confidence, 0.5, 1 - 1e-12)
        column, picked = self._checked(values, among)
        found = mean_ends(
            self._passage, self._scores, self._seen, self.totals, self.likeliest, column, picked, confidence
        )
        if picked.all():
            return found
        part = self.means(picked.astype(np.float64), confidence)
        return found.only(found.estimable & (part.lower > 0))

    def _checked(self, values: npt.ArrayLike, among: npt.ArrayLike | None) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
        column = np.asarray(values, dtype=np.float64)
        picked = np.ones(self._size, dtype=np.bool_) if among is None else np.asarray(among).astype(np.bool_)
        if column.shape != (self._size,) or picked.shape != (self._size,) or not np.isfinite(column[picked]).all():
            raise InvalidParameter(
                f"must be {self._size} finite numbers, one for each answer",
                parameter="values",
                way_out="Give every answer a value.",
            )
        if not picked.any() or column[picked].min() == column[picked].max():
            raise InvalidParameter(
                "are all the same, so there is nothing to estimate",
                parameter="values",
                way_out="Give at least two answers values that differ.",
            )
        return column, picked


class ReportedShares:
    """Counts of one sample: likeliest and unbiased shares, differences, means, each with its interval.

    >>> import sfumato as sf
    >>> response = sf.mechanisms.RandomizedResponse(size=3, odds=6).channel()
    >>> found = sf.inference.ReportedShares(response, [550, 340, 110])
    >>> found.raw.round(3).tolist(), found.likeliest.round(3).tolist()
    ([0.68, 0.344, -0.024], [0.665, 0.335, 0.0])
    >>> [f"{one.interval.lower:.2f} to {one.interval.upper:.2f}" for one in found.shares()]
    ['0.63 to 0.73', '0.30 to 0.39', '0.00 to 0.01']
    """

    def __init__(self, channel: AnyChannel, counts: npt.ArrayLike) -> None:
        self._many = ManyReports(channel, np.asarray(counts, dtype=np.float64)[None])

    @property
    def method(self) -> str:
        """How the shares that are shown were found."""
        return self._many.method

    @property
    def total(self) -> int:
        """The number of reports."""
        return int(self._many.totals[0])

    @property
    def raw(self) -> FloatArray:
        """Unbiased shares, which may lie outside [0, 1]."""
        return np.asarray(self._many.raw[0], dtype=np.float64)

    @property
    def likeliest(self) -> FloatArray:
        """The likeliest shares on the simplex."""
        return np.asarray(self._many.likeliest[0], dtype=np.float64)

    @property
    def gap(self) -> float:
        """A bound on what the log-likelihood can still gain over `likeliest`."""
        return float(self._many.gap[0])

    def shares(self, confidence: float = 0.95) -> tuple[LinearEstimate, ...]:
        """Return every share with its interval."""
        return _row(self._many.shares(confidence))

    def differences(self, pairs: Pairs, confidence: float = 0.95) -> tuple[LinearEstimate, ...]:
        """Return the share of the first minus that of the second answer of each pair, which are places."""
        return _row(self._many.differences(pairs, confidence)) if pairs else ()

    def linear(self, values: npt.ArrayLike, confidence: float = 0.95) -> LinearEstimate:
        """Return Σ values·share: a mean, a cumulative share, any sum over answers."""
        return _first(self._many.means(values, confidence))

    def ratio(self, values: npt.ArrayLike, among: npt.ArrayLike, confidence: float = 0.95) -> LinearEstimate | None:
        """Return the mean of `values` over the answers `among` which it is taken; values of others do not matter.

        None where the interval of their share reaches 0, so that nothing can be said.
        """
        found = self._many.means(values, confidence, among=among)
        return _first(found) if found.estimable[0] else None


def _row(found: FoundShares) -> tuple[LinearEstimate, ...]:
    columns = (found.value, found.raw, found.error, found.lower, found.upper)
    return tuple(_single(*numbers) for numbers in zip(*(column[0].tolist() for column in columns), strict=True))


def _first(found: FoundMeans) -> LinearEstimate:
    return _single(*(float(part[0]) for part in (found.value, found.raw, found.error, found.lower, found.upper)))


def _single(value: float, raw: float, error: float, lower: float, upper: float) -> LinearEstimate:
    return LinearEstimate(value=value, raw=raw, standard_error=error, interval=Interval(lower, upper))


# --- Differences of two numbers, from different people or with people in common
# Variances of the unbiased numbers add, less twice the covariance of people in both; ends are those of Feldman and
# Cousins. Where an answer was never given, its standard error is 0, so each deviation towards an end is no smaller than
# that of the number's own interval on that side.
# Theory: docs/theory/bounded_intervals.md


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


# --- Two options of one question: the share that chose both, and the difference of their shares
# The two bits are flipped independently, so they pass through the product of two flips, a channel with four inputs and
# four outputs.
# Theory: docs/theory/several.md


_SECOND_ONLY, _FIRST_ONLY, _BOTH = 1, 2, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PairShare:
    """The share of those who chose both of two options, from `total` who were asked about both.

    `raw` is unbiased, `value` the likeliest; where nobody was asked both are None.
    """

    value: float | None = None
    raw: float | None = None
    standard_error: float | None = None
    interval: Interval
    total: int


def pair_shares(
    counts: npt.NDArray[np.int64], own: Fraction, other: Fraction, confidence: float
) -> tuple[PairShare, ...]:
    """Return a share for each row of counts of the reports 00, 01, 10 and 11."""
    totals = counts.sum(axis=1).tolist()
    found = [PairShare(interval=Interval(0.0, 1.0), total=0) for _ in totals]
    known = [place for place, total in enumerate(totals) if total]
    if not known:
        return tuple(found)
    shares = ManyReports(_two_flips(own, other), counts[known]).shares(confidence)
    columns = (shares.value, shares.raw, shares.error, shares.lower, shares.upper)
    for place, numbers in zip(known, zip(*(column[:, _BOTH].tolist() for column in columns), strict=True), strict=True):
        value, raw, error, lower, upper = numbers
        found[place] = PairShare(
            value=value, raw=raw, standard_error=error, interval=Interval(lower, upper), total=totals[place]
        )
    return tuple(found)


def option_difference(
    first: Side,
    second: Side,
    asked: tuple[int, int],
    both: npt.NDArray[np.int64],
    flips: tuple[Fraction, Fraction],
    confidence: float,
) -> LinearEstimate:
    """Return the share of one option minus that of another.

    `asked` is how many were asked about each, `both` how many of those who were asked both report 00, 01, 10 and 11.
    Where all were, the counts of these four say it. Else the two are from different people, but for those: what their
    two numbers have in common is the covariance of the choices, for the flips are apart from each other.
    """
    if asked == (int(both.sum()),) * 2:
        seen = ReportedShares(_two_flips(*flips), both)
        return seen.differences([(_FIRST_ONLY, _SECOND_ONLY)], confidence)[0]
    shares = float(np.asarray(first.value)), float(np.asarray(second.value))
    covariance = 0.0
    if both.any():
        together = float(ReportedShares(_two_flips(*flips), both).likeliest[_BOTH])
        # As many as the two shares allow.
        together = min(max(together, sum(shares) - 1, 0.0), *shares)
        covariance = float(both.sum()) * (together - shares[0] * shares[1]) / (asked[0] * asked[1])
    lower, upper = difference_intervals(first, second, low=0.0, high=1.0, confidence=confidence, covariance=covariance)
    errors = float(np.asarray(first.error)), float(np.asarray(second.error))
    return LinearEstimate(
        value=shares[0] - shares[1],
        raw=float(np.asarray(first.raw) - np.asarray(second.raw)),
        standard_error=float(np.sqrt(max(errors[0] ** 2 + errors[1] ** 2 - 2 * covariance, 0.0))),
        interval=Interval(float(lower[0]), float(upper[0])),
    )


def _two_flips(own: Fraction, other: Fraction) -> Channel:
    flip = ((own, other), (other, own))
    cells = [(first, second) for first in range(2) for second in range(2)]
    return Channel([[flip[a][c] * flip[b][d] for c, d in cells] for a, b in cells])


# --- The covariance of unbiased shares, exact up to float arithmetic
# `raw` is the mean of one column of numbers for each report, so its covariance is that of a column drawn at random,
# divided by n.


MOST_REPORTS = 4096

ShiftLike = ArcResponse | CyclicResponse | HadamardResponse | RandomizedResponse | Tabulated


def raw_covariance(mechanism: ShiftLike, law: Distribution | LawLike, n: int) -> npt.NDArray[np.float64]:
    """Cov(raw) from n reports when answers are drawn from `law`: one row and column for each answer.

    For mechanisms whose reports are numbers; its diagonal is `variance`.

    Raises:
        InvalidParameter: the mechanism reports sets, or has more than 4096 different reports.

    >>> import sfumato as sf
    >>> response = sf.mechanisms.RandomizedResponse(size=3, odds=3)
    >>> sf.inference.raw_covariance(response, [0.5, 0.3, 0.2], n=1000).round(5).tolist()
    [[0.0015, -0.0008, -0.0007], [-0.0008, 0.00136, -0.00056], [-0.0007, -0.00056, 0.00126]]
    """
    if not isinstance(mechanism, ShiftLike):
        raise InvalidParameter(
            f"must report numbers, not sets or answers to a question as {type(mechanism).__name__} does",
            parameter="mechanism",
            way_out="Use its variance.",
        )
    channel = mechanism.channel()
    if channel.shape[1] > MOST_REPORTS:
        raise InvalidParameter(
            f"has {channel.shape[1]} possible reports, and a covariance over more than {MOST_REPORTS} is too large",
            parameter="mechanism",
            way_out="Use its variance, which is exact at every size.",
        )
    shares = np.array([float(p) for p in law_of_answers(law, mechanism.size, n)])
    columns = np.array([mechanism.estimate(mechanism.tally([y])).raw for y in range(channel.shape[1])])
    chances = shares @ channel.to_dense().array
    result: npt.NDArray[np.float64] = (columns.T * chances @ columns - np.outer(shares, shares)) / n
    return result


# --- Distributions from unbiased shares, some of which are negative
# The nearest one is :func:`sfumato.prob.intervals.nearest_law`, the `projected` of every estimate. Clipping, which the
# experiments of [B] seem to use, keeps all positive noise and is much worse with many answers.
# Theory: docs/theory/binary_hadamard.md


def clip_normalise(raw: LawLike) -> npt.NDArray[np.float64]:
    """Set negative shares to zero and divide by the sum of the others.

    For comparison with [B] only: the nearest law, `projected` of every estimate, is much closer with many answers.

    >>> import sfumato as sf
    >>> sf.inference.clip_normalise([0.75, 0.5, -0.25]).tolist()
    [0.6, 0.4, 0.0]
    """
    clipped = np.maximum(np.asarray(raw, dtype=np.float64), 0.0)
    if clipped.ndim != 1 or not (total := float(clipped.sum())) > 0 or not np.isfinite(total):
        raise InvalidParameter(
            "must be one column of finite numbers, one of them positive", parameter="raw", way_out="Pass estimate.raw."
        )
    return clipped / total
