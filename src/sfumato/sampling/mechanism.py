"""The protocol of a mechanism, with the tally of its reports and the estimate from a tally."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.numbers.checks import check_between, check_integer
from sfumato.numbers.columns import Column, Intervals
from sfumato.prob.structured import AnyChannel
from sfumato.sampling.sources import BitSource, BulkBits

# --- Tallies: the counts of reports, which are all that an estimator needs


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How often each report was seen. Tallies of the same mechanism add, in any order, exactly.

    Where one report counts in several places (a unary report has several bits set), `reports` is how many there were;
    otherwise it is left out and is the sum of the counts.

    Raises:
        InvalidParameter: there are no counts, one is negative, or tallies that are added are not of one mechanism.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))
    >>> north, south = coin.tally([0, 0, 1]), coin.tally([1, 1])
    >>> north + south
    Tally(mechanism='randomized_response size=2 odds=3', counts=(2, 3), reports=None)
    """

    mechanism: str
    counts: tuple[int, ...]
    reports: int | None = None

    def __post_init__(self) -> None:
        if not self.counts:
            raise InvalidParameter(
                "must not be empty", parameter="counts", way_out="Give one count for each possible report."
            )
        # Python integers, whatever came in: a numpy count would overflow when tallies add.
        counts = tuple(self.counts)
        if set(map(type, counts)) != {int}:
            counts = tuple(check_integer("counts", count) for count in counts)
        if min(counts) < 0:
            raise InvalidParameter(
                "must be whole numbers ≥ 0", parameter="counts", way_out="Count each possible report once."
            )
        object.__setattr__(self, "counts", counts)
        if self.reports is not None:
            reports = check_integer("reports", self.reports)
            if reports < max(counts):
                raise InvalidParameter(
                    "must be at least the largest count",
                    parameter="reports",
                    value=reports,
                    way_out="Count every report once: it counts at most once in each place.",
                )
            object.__setattr__(self, "reports", reports)

    @property
    def total(self) -> int:
        """The number of reports."""
        return sum(self.counts) if self.reports is None else self.reports

    def __add__(self, other: Tally) -> Tally:
        if self.mechanism != other.mechanism:
            raise InvalidParameter(
                f"tallies of different mechanisms do not add: {self.mechanism} and {other.mechanism}",
                way_out="Estimate each on its own.",
            )
        if len(self.counts) != len(other.counts):
            raise InvalidParameter(
                f"tallies of {len(self.counts)} and {len(other.counts)} possible reports do not add",
                way_out="Count the reports of one mechanism, in one order.",
            )
        if (self.reports is None) != (other.reports is None):
            raise InvalidParameter(
                "one tally states its number of reports and the other does not", way_out="State it in both."
            )
        return Tally(
            mechanism=self.mechanism,
            counts=tuple(a + b for a, b in zip(self.counts, other.counts, strict=True)),
            reports=None if self.reports is None else self.total + other.total,
        )


# --- Estimates: the unbiased numbers and the plausible ones, kept apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Shares of each answer, read from `total` reports.

    `raw` is unbiased and may leave [0, 1]; `projected` is the nearest law to it. `intervals` belong to `raw`, one
    answer at a time, at the stated confidence; they lie within [0, 1], have width, and hold the projected share.
    All four are columns, which are read like tuples and make no object before it is asked for.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))
    >>> found = coin.estimate(sf.sampling.Tally(mechanism=coin.name, counts=(760, 240)))
    >>> [round(share, 2) for share in found.raw], [round(share, 2) for share in found.projected]
    ([1.02, -0.02], [1.0, 0.0])
    >>> found.total, found.exact, round(found.intervals[1].upper, 3)
    (1000, True, 0.036)
    """

    raw: Column
    standard_errors: Column
    projected: Column
    intervals: Intervals
    confidence: float
    total: int
    exact: bool = False
    """Whether the intervals cover at least as often as they say, whatever the number of reports."""


ReportArray = npt.NDArray[Any]  # unsigned integers, as small as the alphabet allows
Positions = int | npt.NDArray[np.integer[Any]]
"""Where the rows of a column stand: the position of the first, the others follow it; or the position of each."""

_MOST_POSITION = 1 << 62


class Mechanism(Protocol):
    """A randomiser that scales: answers go in as numbers 0..size-1; labels belong to the study.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> mechanism: sf.sampling.Mechanism = sf.mechanisms.RandomizedResponse(size=3, odds=Fraction(4))
    >>> mechanism.law(0)
    (Fraction(2, 3), Fraction(1, 6), Fraction(1, 6))
    >>> reports = mechanism.privatize([0, 1, 2] * 1000, sf.sampling.InsecureSeeded(7))
    >>> [round(share, 2) for share in mechanism.estimate(mechanism.tally(reports)).raw]
    [0.31, 0.35, 0.34]
    """

    @property
    def size(self) -> int:
        """How many answers there are."""
        ...

    @property
    def name(self) -> str:
        """What marks the tallies of this mechanism: two mechanisms with one name have one law."""
        ...

    def privatize(self, values: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """One report for each value."""
        ...

    def tally(self, reports: npt.ArrayLike) -> Tally:
        """Counts of reports."""
        ...

    def estimate(self, tally: Tally, *, confidence: float = 0.95) -> Estimate:
        """Shares of the answers behind a tally."""
        ...

    def law(self, x: int) -> tuple[Fraction, ...]:
        """P(.|x) as it is really sampled."""
        ...

    def channel(self) -> AnyChannel:
        """Return all laws together, structured where that is smaller."""
        ...


def bits_or_default(bits: BitSource | None) -> BitSource:
    """Return the given source, or a freshly keyed bulk source."""
    return BulkBits() if bits is None else bits


def unmasked(name: str, values: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return an array of what was given; numpy would take a mask off and use what it hides."""
    several = values if isinstance(values, list | tuple) else [values]
    masked = sys.modules.get("numpy.ma")  # if it is not loaded, nothing is masked; loading takes a while
    if masked is not None and any(isinstance(value, masked.MaskedArray) for value in several):
        raise InvalidParameter(
            "must not be masked: what a mask hides would be used",
            parameter=name,
            way_out="Replace missing entries, or drop those rows.",
        )
    return np.asarray(values)


def check_symbols(name: str, values: npt.ArrayLike, size: int, *, empty: bool = False) -> npt.NDArray[np.int64]:
    """Return a column of whole numbers 0..size-1. Errors give the place and never the value, which is an answer."""
    array = unmasked(name, values)
    if array.ndim != 1:
        raise InvalidParameter(
            f"must be one column, not of {array.ndim} dimensions", parameter=name, way_out="Pass a list of numbers."
        )
    if array.size == 0 and empty:
        return array.astype(np.int64)
    if array.size == 0:
        raise InvalidParameter("is empty", parameter=name, way_out="Pass at least one.")
    if array.dtype.kind not in "iu":
        raise InvalidParameter(
            f"must be whole numbers 0..{size - 1}, not of type {array.dtype}",
            parameter=name,
            way_out="Replace missing entries, and map labels to their positions first.",
        )
    if array.min() < 0 or array.max() >= size:
        outside = np.flatnonzero((array < 0) | (array >= size))
        raise InvalidParameter(
            f"must lie in 0..{size - 1}; {outside.size} of {array.size} do not, the first at position "
            f"{int(outside[0])}",
            parameter=name,
            way_out="Map labels to their positions, or raise `size`.",
        )
    return array.astype(np.int64, copy=False)


def check_positions(positions: Positions, count: int) -> Positions:
    """Return positions that `count` rows can have."""
    if not isinstance(positions, np.ndarray):
        first = check_integer("positions", positions)
        check_between("positions", first, 0, _MOST_POSITION)
        return first
    if positions.shape != (count,) or positions.dtype.kind not in "iu":
        raise InvalidParameter(
            f"must be one whole number for each of the {count} rows, or the position of the first",
            parameter="positions",
            way_out="Pass the numbers of the rows.",
        )
    if count and (positions.min() < 0 or positions.max() > _MOST_POSITION):
        raise InvalidParameter(
            f"must lie in [0, {_MOST_POSITION}]", parameter="positions", way_out="Pass the numbers of the rows."
        )
    return positions


def positions_from(positions: Positions, start: int, stop: int) -> Positions:
    """Return the positions of the rows start..stop-1 of a column."""
    return positions[start:stop] if isinstance(positions, np.ndarray) else positions + start


def smallest_dtype(size: int) -> np.dtype[Any]:
    """The smallest unsigned type that holds 0..size-1."""
    return np.min_scalar_type(size - 1)
