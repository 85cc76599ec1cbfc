"""Uniformised chains and quantile cells for samples of any distribution [D, Thm 5].

The sums of neighbouring uniform variables are independent of each of them, and so of each underlying sample. This works
for alphabets of any size. The disclosed information is computed for the whole chain, and is more than the sum over its
pairs.
Ref: [D, Sec. V-C, eq. (67)]; theory: docs/theory/disclosure_schemes.md
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sfumato.disclosure.schemes import (
    IndependenceCheck,
    RunningSums,
    Symbols,
    certify_independence,
    check_count,
    check_sample_law,
    efficiency_interval,
    leak_from_chi_square_bits,
    leak_within_bits,
    scaled_interval,
    slices,
)
from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.measures.shannon import mutual_information_interval
from sfumato.numbers.checks import Number, check_at_least, check_between, check_integer
from sfumato.numbers.intervals import UNIT_ROUNDOFF, Interval, entropy_interval, log2_interval
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution
from sfumato.sampling.mechanism import ReportArray, bits_or_default, check_symbols, smallest_dtype, unmasked
from sfumato.sampling.samplers import RowDraws
from sfumato.sampling.sources import MOST_WIDTH, BitSource

# --- The information of the sums of neighbours in a uniformised chain about all samples together
# Each sample X_i becomes a uniform S_i, and L_i = S_i + S_{i+1} mod M is published. Given the sums, one S determines
# all others, so S^n and (S_n, L^{n-1}) determine each other, and with I(X;S) = log M - H(S|X)
#
# I(X^n; L^{n-1}) = (n-1) log M - H(L^{n-1}|X^n) = n I(X;S) - log M + H(S_n|X^n, L^{n-1}).
#
# The last term is computed by a recursion over the distributions of S_n given all that is known, of which there are few
# because a sum only rotates them. It never rises with n, which bounds it once they are too many.
# Ref: [D, eq. (67)], which adds up pairs as if they did not share a sample; theory: docs/theory/disclosure_schemes.md


State = tuple[tuple[int, int], ...]
"""Residues with whole-number weights without a common factor: a law up to its scale, turned to begin at 0."""

# Products of two weights in the whole recursion, which take a fraction of a second.
MOST_PRODUCTS = 60_000
# What is left open after so many samples is far below a double's last digit for all but the most lopsided laws.
MOST_STEPS = 96


def chain_information_interval(law: Distribution, uniformiser: Channel, n: int) -> Interval:
    """Enclose I(X^n; L^{n-1}); a few ulps wide for few samples, and closed to H(S_n|…) of fewer samples for many."""
    modulus = uniformiser.shape[1]
    each = mutual_information_interval(uniformiser, law)
    start = log2_interval(Fraction(modulus))
    rest = leftover_interval(law, uniformiser, n)
    lower = n * each.lower - start.upper + rest.lower
    upper = n * each.upper - start.lower + rest.upper
    slack = 4 * UNIT_ROUNDOFF * (n * each.upper + start.upper + rest.upper)
    return Interval(lower, upper).widened(slack).at_least(0.0)


@lru_cache(maxsize=64)
def leftover_interval(law: Distribution, uniformiser: Channel, n: int) -> Interval:
    """Enclose H(S_n|X^n, L^{n-1}): what the samples and all sums leave open about one uniformised sample."""
    rows = [_weights(row) for row in uniformiser.integers()[0]]
    modulus = uniformiser.shape[1]
    states: dict[State, float] = defaultdict(float)
    for share, row in zip(law.fractions, rows, strict=True):
        states[_turned(row, modulus)] += float(share)
    widths = sum(len(row) for row in rows)
    products = 0
    for done in range(1, n):
        products += widths * sum(len(state) for state in states)
        if products > MOST_PRODUCTS or done > MOST_STEPS:
            return Interval(0.0, _expected_entropy(states, done).upper)
        states = _next_states(states, law, rows, modulus)
    return _expected_entropy(states, n)


def _next_states(
    states: dict[State, float], law: Distribution, rows: Sequence[Sequence[tuple[int, int]]], modulus: int
) -> dict[State, float]:
    """One more sample x with chance P(x), and one more sum l: S' has weight P(S = l-s')P(s'|x)."""
    found: dict[State, list[float]] = defaultdict(list)
    for state, chance in states.items():
        whole = sum(weight for _, weight in state)
        for share, row in zip(law.array.tolist(), rows, strict=True):
            scale = whole * sum(weight for _, weight in row)
            by_sum: dict[int, list[tuple[int, int]]] = defaultdict(list)
            for s, weight in state:
                for following, factor in row:
                    by_sum[(s + following) % modulus].append((following, weight * factor))
            for part in by_sum.values():
                mass = sum(weight for _, weight in part) / scale
                found[_turned(part, modulus)].append(chance * share * mass)
    return {state: math.fsum(parts) for state, parts in found.items()}


def _turned(law: Sequence[tuple[int, int]], modulus: int) -> State:
    """Leave out what does not matter to later sums: the scale, and by how much the law is turned."""
    divisor = math.gcd(*(weight for _, weight in law))
    return min(tuple(sorted(((s - start) % modulus, weight // divisor) for s, weight in law)) for start, _ in law)


def _weights(row: Sequence[int]) -> tuple[tuple[int, int], ...]:
    return tuple((s, int(weight)) for s, weight in enumerate(row) if weight)


def _expected_entropy(states: dict[State, float], steps: int) -> Interval:
    lower, upper = [], []
    for state, chance in states.items():
        whole = sum(weight for _, weight in state)
        entropy = entropy_interval((Fraction(weight, whole), 1) for _, weight in state)
        lower.append(chance * entropy.lower)
        upper.append(chance * entropy.upper)
    # Each step multiplies three rounded numbers and adds them without error, all of them positive.
    slack = 8 * (steps + 1) * UNIT_ROUNDOFF
    return Interval(math.fsum(lower) * (1 - slack), math.fsum(upper) * (1 + slack)).widened(0.0).at_least(0.0)


CHUNK = 1 << 18


@dataclass(frozen=True, slots=True, kw_only=True)
class UniformisedChain:
    """Samples of law `law`, each sent through `uniformiser` to a uniform residue; sums of neighbours are published.

    `closest`, `by_quantiles` and `lossless` make one from a law.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> from sfumato.disclosure.uniformising import UniformisedChain
    >>> chain = UniformisedChain.closest(sf.Distribution([Fraction(1, 4), Fraction(3, 4)]))
    >>> chain.modulus, chain.certify_small(3).comparisons
    (2, 24)
    >>> round(chain.information_bits(100).lower, 2), round(chain.efficiency(100).lower, 3)
    (30.13, 0.371)
    """

    law: Distribution
    uniformiser: Channel
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        object.__setattr__(self, "law", check_sample_law(self.law))
        if self.uniformiser.shape[0] != len(self.law) or not self.uniformiser.exact:
            raise InvalidLaw(
                f"must be an exact channel with {len(self.law)} inputs, one for each outcome of the law",
                parameter="uniformiser",
                way_out="Use `closest_uniformiser` or `quantile_uniformiser`.",
            )
        law = Distribution(self.law.fractions, self.uniformiser.inputs)
        if set(self.uniformiser.output_law(law)) != {Fraction(1, self.modulus)}:
            raise InvalidLaw(
                "does not make samples of this law exactly uniform, and then sums of neighbours leak",
                parameter="uniformiser",
                way_out="Use `closest_uniformiser` or `quantile_uniformiser`.",
            )

    @classmethod
    def closest(cls, law: Distribution) -> UniformisedChain:
        """Keep each sample as it is as often as a uniform law allows; the Z channel for a binary law."""
        return cls(law=law, uniformiser=closest_uniformiser(law))

    @classmethod
    def by_quantiles(cls, law: Distribution, modulus: int) -> UniformisedChain:
        """Spread the outcomes over `modulus` equally likely places in their order."""
        return cls(law=law, uniformiser=quantile_uniformiser(law, modulus))

    @classmethod
    def lossless(cls, law: Distribution) -> UniformisedChain:
        """Take as many places as the law's common denominator: none is shared, so all but log2 M bits are disclosed."""
        return cls.by_quantiles(law, math.lcm(*(p.denominator for p in law.fractions)))

    @property
    def modulus(self) -> int:
        """M: how many residues there are."""
        return self.uniformiser.shape[1]

    def release(self, samples: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """One sum for each pair of neighbours in a column of symbols. Publish one release of a dataset only."""
        column = check_symbols("samples", samples, len(self.law))
        check_count(column.size, 2)
        return np.concatenate(list(self.stream((column[part] for part in slices(column.size, CHUNK)), bits)))

    def stream(self, chunks: Iterable[npt.ArrayLike], bits: BitSource | None = None) -> Iterator[ReportArray]:
        """Do the same for a column that comes in pieces; the last residue of a piece is kept, and never shown."""
        source = bits_or_default(bits)
        rows = RowDraws(self.uniformiser, self.width)
        dtype = smallest_dtype(self.modulus)
        kept = np.empty(0, dtype=np.int64)
        for chunk in chunks:
            drawn = rows.draw(source, check_symbols("samples", chunk, len(self.law)))
            residues = np.concatenate([kept, drawn])
            kept = residues[-1:]
            yield ((residues[:-1] + residues[1:]) % self.modulus).astype(dtype)

    def information_bits(self, n: int) -> Interval:
        """I(X^n; Y) for n samples, by the recursion over the chain."""
        return chain_information_interval(self._law, self.uniformiser, check_count(n, 2))

    def pairwise_bits(self, n: int) -> Interval:
        """The sum over pairs [D, eq. (67)]: exact for two samples, a bound from below for more."""
        pair = chain_information_interval(self._law, self.uniformiser, 2)
        return scaled_interval(pair, check_count(n, 2) - 1)

    def efficiency(self, n: int) -> Interval:
        """I(X^n; Y) / H(X^n)."""
        return efficiency_interval(self.information_bits(n), self.law, n)

    @property
    def asymptotic_efficiency(self) -> Interval:
        """What the efficiency tends to for long columns: I(X;S)/H(X)."""
        return efficiency_interval(mutual_information_interval(self.uniformiser, self._law), self.law, 1)

    def certify_small(self, n: int) -> IndependenceCheck:
        """List all datasets of n samples and compare P(x_i, y) with P(x_i)P(y), in fractions."""
        return certify_independence(self.law, check_count(n, 2), self.output_law)

    def output_law(self, dataset: Symbols) -> dict[Symbols, Fraction]:
        """P(y|x^n) for one dataset, by listing; for few samples."""
        reached: dict[tuple[Symbols, int], Fraction] = {((), -1): Fraction(1)}
        for symbol in dataset:
            row = [(s, Fraction(chance)) for s, chance in enumerate(self.uniformiser.row(symbol)) if chance]
            following: dict[tuple[Symbols, int], Fraction] = defaultdict(Fraction)
            for ((sums, last), weight), (s, chance) in itertools.product(reached.items(), row):
                longer = sums if last < 0 else (*sums, (last + s) % self.modulus)
                following[longer, s] += weight * chance
            reached = following
        outputs: dict[Symbols, Fraction] = defaultdict(Fraction)
        for (sums, _), weight in reached.items():
            outputs[sums] += weight
        return outputs

    def leak_within(self, n: int, radius: Number) -> float:
        """Bound the leak about a sample, in bits, when the true law is within `radius` of `law` in total variation."""
        return leak_within_bits(self.law, n, radius)

    @property
    def _law(self) -> Distribution:
        return Distribution(self.law.fractions, self.uniformiser.inputs)


def closest_uniformiser(law: Distribution) -> Channel:
    """Leave min(p, 1/M) of each outcome in its place, and move the rest, in order, to the outcomes that lack some.

    For `UniformisedChain`: sums of neighbours say nothing about a sample only if what is summed is uniform.

    Returns:
        An exact channel from outcomes to as many residues.

    Raises:
        InvalidLaw: an outcome is impossible, or there is only one.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> channel = sf.disclosure.closest_uniformiser(sf.Distribution([Fraction(1, 4), Fraction(3, 4)]))
    >>> [[str(chance) for chance in row] for row in channel.rows]
    [['1', '0'], ['1/3', '2/3']]
    """
    exact = check_sample_law(law)
    even = Fraction(1, len(exact))
    kept = [[min(p, even) if x == s else Fraction(0) for s in range(len(exact))] for x, p in enumerate(exact.fractions)]
    spare = [max(p - even, Fraction(0)) for p in exact.fractions]
    lacking = [max(even - p, Fraction(0)) for p in exact.fractions]
    for x, s in itertools.product(range(len(exact)), repeat=2):
        moved = min(spare[x], lacking[s])
        kept[x][s] += moved
        spare[x] -= moved
        lacking[s] -= moved
    return Channel([[mass / p for mass in row] for row, p in zip(kept, exact.fractions, strict=True)], exact.labels)


def quantile_uniformiser(law: Distribution, modulus: int) -> Channel:
    """Lay the outcomes side by side on [0, 1) and cut it into `modulus` equal parts: S is the part a point falls in.

    For `UniformisedChain`; with as many parts as the law's common denominator, no two outcomes share one.

    Returns:
        An exact channel from outcomes to parts.

    Raises:
        InvalidLaw: an outcome is impossible, or there is only one.
        InvalidParameter: the table would be too large.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> channel = sf.disclosure.quantile_uniformiser(sf.Distribution([Fraction(1, 4), Fraction(3, 4)]), 4)
    >>> [[str(chance) for chance in row] for row in channel.rows]
    [['1', '0', '0', '0'], ['0', '1/3', '1/3', '1/3']]
    """
    exact = check_sample_law(law)
    check_at_least("modulus", check_integer("modulus", modulus), 2)
    if modulus * len(exact) > 1 << 22:
        raise InvalidParameter(
            f"makes too large a table for {len(exact)} outcomes",
            parameter="modulus",
            value=modulus,
            way_out="Take fewer parts.",
        )
    rows = []
    start = Fraction(0)
    for p in exact.fractions:
        row = [Fraction(0)] * modulus
        part = int(start * modulus)
        while part < modulus and Fraction(part, modulus) < start + p:
            overlap = min(start + p, Fraction(part + 1, modulus)) - max(start, Fraction(part, modulus))
            row[part] = overlap / p
            part += 1
        rows.append(row)
        start += p
    return Channel(rows, exact.labels)


# --- Continuous samples: cut their distribution into M equally likely cells, and publish sums of cells mod M
# The cell of a sample is uniform, so sums of the cells of independent samples carry log2 M bits and nothing about any
# one of them. Cells are as even as the distribution they were cut by is known: for cells cut from a reference sample
# the leak is bounded at a stated confidence.
# Ref: [D, Thm 5]; theory: docs/theory/disclosure_schemes.md


FloatColumn = npt.NDArray[np.float64]

MOST_CELLS = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantileCells:
    """Cells between `borders`, each with the same probability; a value on a border belongs to the cell above.

    `reference_size` tells how many reference values the borders were read from; None when the law is known.

    >>> import sfumato as sf
    >>> cells = sf.disclosure.QuantileCells.of_law(lambda share: 100 * share, 4)
    >>> cells.borders
    (25.0, 50.0, 75.0)
    >>> cells.cells_of([10.0, 60.0, 99.0]).tolist(), cells.release([10.0, 60.0, 99.0]).tolist()
    ([0, 2, 3], [2, 1])
    >>> round(cells.leak_within(2, 0.01), 5), sf.disclosure.QuantileCells.from_reference(range(1000), 4).reference_size
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
    >>> cells = sf.disclosure.QuantileCells.of_law(lambda share: 100 * share, 4)
    >>> pairs = sf.disclosure.ColumnSums(columns=(cells, cells))
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
