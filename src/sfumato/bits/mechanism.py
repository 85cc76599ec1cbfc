"""The protocol of a mechanism: a randomiser that scales, and that knows the law it really samples."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sfumato.bits.source import BitSource, BulkBits
from sfumato.errors import InvalidParameter
from sfumato.prob import AnyChannel
from sfumato.values import Estimate, Tally
from sfumato.values.checks import check_between, check_integer

ReportArray = npt.NDArray[Any]  # unsigned integers, as small as the alphabet allows
Positions = int | npt.NDArray[np.integer[Any]]
"""Where the rows of a column stand: the position of the first, the others follow it; or the position of each."""

_MOST_POSITION = 1 << 62


class Mechanism(Protocol):
    """A randomiser that scales: answers go in as numbers 0..size-1; labels belong to the study.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> mechanism: sf.bits.Mechanism = sf.mechanisms.RandomizedResponse(size=3, odds=Fraction(4))
    >>> mechanism.law(0)
    (Fraction(2, 3), Fraction(1, 6), Fraction(1, 6))
    >>> reports = mechanism.privatize([0, 1, 2] * 1000, sf.bits.InsecureSeeded(7))
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
    masked = sys.modules.get("numpy.ma")  # where nobody has loaded it, nothing is masked; loading takes a while
    if masked is not None and any(isinstance(value, masked.MaskedArray) for value in several):
        raise InvalidParameter(
            "must not be masked: what a mask hides would be used",
            parameter=name,
            way_out="Replace missing entries, or drop those rows.",
        )
    return np.asarray(values)


def check_symbols(name: str, values: npt.ArrayLike, size: int, *, empty: bool = False) -> npt.NDArray[np.int64]:
    """Return a column of whole numbers 0..size-1. Errors tell where, never what: a value is somebody's answer."""
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
