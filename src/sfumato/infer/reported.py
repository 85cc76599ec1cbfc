"""Counts of reports, seen through the channel that made them: likeliest shares, and means of what answers are worth.

`ReportedShares` reads one sample, `ManyReports` many of the same channel at once. Shares are the likeliest laws; what
is shown of means is read off them, so the two agree. `raw` numbers are unbiased and linear in the counts. Intervals
belong to the raw numbers, respect the bounds that the truth has, and hold the number shown.
Theory: docs/theory/bounded_intervals.md
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.infer.answer_differences import Pairs, difference_ends
from sfumato.infer.likeliest_shares import MOST_LIKELIEST, gap_of, maximum_likelihood, passage_of
from sfumato.infer.linear_scores import LinearScores
from sfumato.infer.score_intervals import FoundMeans, FoundShares, mean_ends, share_ends
from sfumato.prob import AnyChannel
from sfumato.prob.simplex import nearest_law
from sfumato.values import Interval
from sfumato.values.checks import check_between

FloatArray = npt.NDArray[np.float64]

LIKELIEST = "maximum likelihood"
NEAREST = "unbiased shares, nearest law shown"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearEstimate:
    """A mean or a share: `value` is read off the likeliest shares, `raw` is unbiased, `interval` holds `value`.

    >>> import sfumato as sf
    >>> response = sf.mechanisms.RandomizedResponse(size=3, odds=6).channel()
    >>> mean = sf.infer.ReportedShares(response, [500, 300, 200]).linear([1, 2, 3])  # of answers worth 1, 2, 3
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
    >>> many = sf.infer.ManyReports(response, [[500, 300, 200], [550, 340, 110]])
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
    >>> found = sf.infer.ReportedShares(response, [550, 340, 110])
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
