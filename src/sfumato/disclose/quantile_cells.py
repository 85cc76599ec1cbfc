"""Continuous samples: cut their law into M equally likely cells, and publish sums of cells mod M.

The cell of a sample is uniform, so sums of the cells of independent samples say log2 M bits and nothing about one of
them; with M they grow beyond bounds. Cells are as even as the law they were cut by is known: for cells cut from a
reference sample the leak is bounded at a stated confidence.
Ref: [D, Thm 5]; theory: docs/theory/disclosure_schemes.md
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import ReportArray, smallest_dtype, unmasked
from sfumato.bits.source import BitSource
from sfumato.disclose.law_drift import leak_from_chi_square_bits
from sfumato.disclose.running_sums import RunningSums
from sfumato.disclose.scheme_checks import IndependenceCheck, check_count, scaled_interval
from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.measures.enclosures import log2_interval
from sfumato.values import Interval
from sfumato.values.checks import Number, check_at_least, check_between, check_integer

FloatColumn = npt.NDArray[np.float64]

MOST_CELLS = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantileCells:
    """Cells between `borders`, each with the same probability; a value on a border belongs to the cell above.

    `reference_size` tells how many reference values the borders were read from; None when the law is known.

    >>> import sfumato as sf
    >>> cells = sf.disclose.QuantileCells.of_law(lambda share: 100 * share, 4)
    >>> cells.borders
    (25.0, 50.0, 75.0)
    >>> cells.cells_of([10.0, 60.0, 99.0]).tolist(), cells.release([10.0, 60.0, 99.0]).tolist()
    ([0, 2, 3], [2, 1])
    >>> round(cells.leak_within(2, 0.01), 5), sf.disclose.QuantileCells.from_reference(range(1000), 4).reference_size
    (0.00115, 1000)
    """

    borders: tuple[float, ...]
    reference_size: int | None = None
    window: int = 2
    masked: bool = False

    def __post_init__(self) -> None:
        check_between("cells", self.cells, 2, MOST_CELLS)
        if not all(low < high for low, high in itertools.pairwise(self.borders)) or any(map(math.isnan, self.borders)):
            raise InvalidLaw(
                "must rise strictly: a law with values that repeat is not continuous",
                parameter="borders",
                way_out="Take fewer `cells`, or UniformisedChain.by_quantiles for a law on listed values.",
            )
        RunningSums(modulus=self.cells, window=self.window, masked=self.masked)

    @classmethod
    def of_law(cls, quantile: Callable[[float], float], cells: int) -> QuantileCells:
        """Cut a known continuous law by its quantile function."""
        check_between("cells", check_integer("cells", cells), 2, MOST_CELLS)
        return cls(borders=tuple(float(quantile(j / cells)) for j in range(1, cells)))

    @classmethod
    def from_reference(cls, reference: npt.ArrayLike, cells: int) -> QuantileCells:
        """Cut by the order statistics of a sample of the same law that shares no record with what is disclosed."""
        column = np.sort(_check_column("reference", reference))
        check_between("cells", check_integer("cells", cells), 2, MOST_CELLS)
        if column.size < 2 * cells:
            raise InvalidParameter(
                f"has {column.size} values for {cells} cells",
                parameter="reference",
                way_out="Give at least two for each cell, or take fewer.",
            )
        ranks = _ranks(column.size, cells)
        return cls(borders=tuple(column[[rank - 1 for rank in ranks]].tolist()), reference_size=int(column.size))

    @property
    def cells(self) -> int:
        """M: how many cells there are."""
        return len(self.borders) + 1

    @property
    def sums(self) -> RunningSums:
        """The scheme that the cells go through."""
        return RunningSums(modulus=self.cells, window=self.window, masked=self.masked)

    def cells_of(self, values: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """The cell of each value: secret, as the values are."""
        return np.searchsorted(np.array(self.borders), _check_column("values", values), side="right").astype(np.int64)

    def release(self, values: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """Running sums of the cells of one column of independent values. Publish one release of a dataset only."""
        return self.sums.release(self.cells_of(values), bits)

    def information_bits(self, n: int) -> Interval:
        """I(X^n; Y) for n values; it has no limit as cells get narrower."""
        return self.sums.information_bits(n)

    def efficiency(self, n: int) -> Fraction:
        """The part of the cells' own information that is disclosed; that of the values is infinite."""
        return self.sums.efficiency(n)

    def certify_small(self, n: int) -> IndependenceCheck:
        """Check the sums of n equally likely cells by listing."""
        return self.sums.certify_small(n)

    def leak_within(self, n: int, radius: Number) -> float:
        """Bound the leak about a value, in bits, when the true law is within `radius` of the one that was cut."""
        return self.sums.leak_within(n, radius)

    def reference_leak(self, n: int, *, failing: float = 1e-6) -> float:
        """Bound the leak about a value, in bits, but for an unlucky reference (probability at most `failing`).

        A cell between order statistics has a beta-distributed probability, whatever the continuous law is.
        """
        from scipy.stats import beta  # noqa: PLC0415  scipy is slow to import

        if self.reference_size is None:
            raise InvalidParameter(
                "these cells come from a known law, not from a reference", way_out="Use `leak_within`."
            )
        check_between("failing", failing, 0, 1)
        size = self.reference_size
        ranks = [0, *_ranks(size, self.cells), size + 1]
        gaps = np.diff(ranks)
        tail = failing / (2 * self.cells)
        low, high = beta.ppf(tail, gaps, size + 1 - gaps), beta.isf(tail, gaps, size + 1 - gaps)
        even = 1 / self.cells
        furthest = np.maximum(np.abs(low - even), np.abs(high - even))
        # The margin covers the rounding of the quantiles, whose relative error is far smaller.
        chi_square = self.cells * float((furthest**2).sum()) * (1 + 1e-6)
        return leak_from_chi_square_bits(n, chi_square, self.cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSums:
    """Columns that are independent of each other: publish, row by row, sums of the cells of neighbouring columns.

    With two columns it is the mapping of [D, Thm 5]. Each row is independent of each of its values.

    >>> import sfumato as sf
    >>> cells = sf.disclose.QuantileCells.of_law(lambda share: 100 * share, 4)
    >>> pairs = sf.disclose.ColumnSums(columns=(cells, cells))
    >>> pairs.release([[10.0, 60.0, 99.0], [80.0, 60.0, 5.0]]).tolist()
    [[3], [0], [3]]
    >>> round(pairs.information_bits(3).upper, 4), str(pairs.efficiency)
    (6.0, '1/2')
    """

    columns: tuple[QuantileCells, ...]

    def __post_init__(self) -> None:
        check_at_least("columns", len(self.columns), 2)
        if len({column.cells for column in self.columns}) != 1:
            raise InvalidParameter(
                "must be cut into the same number of cells", parameter="columns", way_out="Cut them again."
            )

    @property
    def cells(self) -> int:
        """M: how many cells each column has."""
        return self.columns[0].cells

    def release(self, table: Sequence[npt.ArrayLike]) -> ReportArray:
        """One row of sums for each row of the table, given as its columns. Publish one release of a dataset only."""
        if len(table) != len(self.columns):
            raise InvalidParameter(
                f"has {len(table)} columns instead of {len(self.columns)}",
                parameter="table",
                way_out="Give one for each.",
            )
        found = [column.cells_of(values) for column, values in zip(self.columns, table, strict=True)]
        if len({part.size for part in found}) != 1:
            raise InvalidParameter(
                "has columns of different lengths", parameter="table", way_out="Give one value for each row and column."
            )
        sums = [(left + right) % self.cells for left, right in itertools.pairwise(found)]
        return np.stack(sums, axis=1).astype(smallest_dtype(self.cells))

    def information_bits(self, n: int) -> Interval:
        """I(X;Y) of n rows: the sums are uniform, and fixed by the values."""
        return scaled_interval(log2_interval(Fraction(self.cells)), check_count(n, 1) * (len(self.columns) - 1))

    @property
    def efficiency(self) -> Fraction:
        """The part of the cells' own information that is disclosed."""
        return Fraction(len(self.columns) - 1, len(self.columns))

    def certify_small(self) -> IndependenceCheck:
        """Check one row of equally likely cells by listing."""
        return RunningSums(modulus=self.cells).certify_small(len(self.columns))

    def leak_within(self, radius: Number) -> float:
        """Bound the leak about a value, in bits, when each true law is within `radius` of the one that was cut."""
        return RunningSums(modulus=self.cells).leak_within(len(self.columns), radius)


def _ranks(size: int, cells: int) -> list[int]:
    """Which order statistics cut a sample into cells that are even on average."""
    return [(2 * j * (size + 1) + cells) // (2 * cells) for j in range(1, cells)]


def _check_column(name: str, values: npt.ArrayLike) -> FloatColumn:
    array = unmasked(name, values)
    if array.ndim != 1 or array.size == 0:
        raise InvalidParameter(
            "must be one column with at least one number", parameter=name, way_out="Pass a list of numbers."
        )
    if array.dtype.kind not in "iuf":
        raise InvalidParameter(
            f"must be numbers, not of type {array.dtype}", parameter=name, way_out="Replace missing entries first."
        )
    column = array.astype(np.float64, copy=False)
    missing = np.flatnonzero(np.isnan(column))
    if missing.size:
        raise InvalidParameter(
            f"has {missing.size} missing entries, the first at position {int(missing[0])}",
            parameter=name,
            way_out="Replace or drop them.",
        )
    return column
