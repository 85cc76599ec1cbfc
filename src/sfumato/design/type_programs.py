"""A converse for n responses by a linear program on types, proved in fractions from both sides.

A guesser who sees only how often each value was named, and names j with probability g(j|type), is right with
probability Σ m_j E[g(j|T)|j], multilinear in the n rows of j; each row is a mixture of the vertices ρe_j + (1-ρ)e_l, so
the worst of them has c_l rows at vertex l, and only c matters. The best g is a program. Its solution is cleaned, put on
a grid and judged by its worst c in fractions, so the solver's word counts for nothing; its prices, treated likewise,
are a coin kept for life that does as well.   Proof: docs/theory/many_responses.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.design.patience import FOREVER, Patience
from sfumato.design.programs import solve
from sfumato.design.response_types import type_count, types
from sfumato.errors import InvalidParameter
from sfumato.prob.exact import round_to_grid
from sfumato.values.checks import check_at_least, check_between, check_integer

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# Up to here a program takes a second or so; with four values n = 16 took 40 s and n = 20 did not end.
MOST_ENTRIES = 75_000
MOST_N = 20
_GRID_BITS = 40
# From so many types on interior points are faster than the simplex.
_MANY_TYPES = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeBounds:
    """Two fractions around the best privacy with a coin kept for life, and what the solver said.

    `upper` holds for n independent responses too: it is a converse.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> bounds = sf.design.type_bounds([Fraction(1, 4)] * 4, Fraction(2, 5), 3)
    >>> round(float(bounds.lower), 8), round(float(bounds.upper), 8), bounds.lower <= bounds.upper
    (0.6, 0.6, True)
    """

    lower: Fraction
    upper: Fraction
    solved: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cells:
    """For one value, every vertex count c with every type that it can show: p = ways·(1-ρ)^wrong·ρ^right.

    `counts` and `shown` are places in the list of types; `right` leaves out rows that say j for certain.
    """

    counts: IntArray
    shown: IntArray
    ways: IntArray
    wrong: IntArray
    right: IntArray


def most_types_n(size: int) -> int:
    """Return the largest n for which the program is offered, 0 if for none."""
    n = 0
    while n < MOST_N and size * type_count(n + 1, 2 * size - 1) <= MOST_ENTRIES:
        n += 1
    return n


def type_bounds(maxima: Sequence[Fraction], rho: Fraction, n: int, *, patience: Patience = FOREVER) -> TypeBounds:
    """Enclose the best privacy of n responses with a coin kept for life, for values with these m_j and any ρ.

    Raises:
        InvalidParameter: n is so large that the program would grow out of hand.
        NotCertified: the solver did not come to an end.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> bounds = sf.design.type_bounds([Fraction(1, 4)] * 4, Fraction(2, 5), 5)
    >>> query = sf.design.Query.of([0.25] * 4, [0, 1, 2, 3], 0.4)
    >>> round(float(bounds.upper), 6), float(sf.design.converse(query, 5))
    (0.57888, 0.6)
    """
    size = len(maxima)
    check_at_least("n", check_integer("n", n), 1)
    check_between("rho", rho, 0, 1)
    if n > most_types_n(size):
        raise InvalidParameter(
            f"must be at most {most_types_n(size)} for a program over {size} values",
            parameter="n",
            value=n,
            way_out="The bound for fewer responses holds as well.",
        )
    cells = [_cells(n, size, j) for j in range(size)]
    guesses, prices, solved = _solve(maxima, float(rho), n, cells, patience)
    powers = _powers(rho, n)
    return TypeBounds(
        lower=1 - _right_against_coin(maxima, cells, powers, prices),
        upper=1 - _right_of_guesser(maxima, cells, powers, guesses),
        solved=1 + solved,
    )


def _cells(n: int, size: int, j: int) -> _Cells:
    others = [place for place in range(size) if place != j]
    # A vertex l ≠ j that was used c_l times showed l some times and j the other times; the last part is c_j.
    split = types(n, 2 * size - 1)
    missed, hit, sure = split[:, : size - 1], split[:, size - 1 : -1], split[:, -1]
    counts, shown = (np.empty((len(split), size), dtype=np.int64) for _ in range(2))
    counts[:, others], counts[:, j] = missed + hit, sure
    shown[:, others], shown[:, j] = missed, sure + hit.sum(axis=1)
    choose = np.array([[math.comb(c, a) for a in range(n + 1)] for c in range(n + 1)], dtype=np.int64)
    place = {tuple(row): i for i, row in enumerate(types(n, size).tolist())}
    return _Cells(
        counts=np.array([place[tuple(row)] for row in counts.tolist()], dtype=np.int64),
        shown=np.array([place[tuple(row)] for row in shown.tolist()], dtype=np.int64),
        ways=choose[missed + hit, missed].prod(axis=1),
        wrong=missed.sum(axis=1),
        right=hit.sum(axis=1),
    )


def _solve(
    maxima: Sequence[Fraction], rho: float, n: int, cells: Sequence[_Cells], patience: Patience
) -> tuple[FloatArray, FloatArray, float]:
    """Maximise Σ m_j s_j, s_j ≤ Σ_t g(j|t)p(t|j,c): g by types, prices of (j, c), and minus the optimum."""
    from scipy.sparse import coo_array  # noqa: PLC0415  scipy is slow to import

    size, count = len(maxima), type_count(n, len(maxima))
    data, rows, columns = [], [], []
    for j, cell in enumerate(cells):
        data += [-cell.ways * (1 - rho) ** cell.wrong * rho**cell.right, np.ones(count)]
        rows += [j * count + cell.counts, j * count + np.arange(count)]
        columns += [cell.shown * size + j, np.full(count, count * size + j)]
    total = count * size + size
    places = (np.concatenate(rows), np.concatenate(columns))
    above = coo_array((np.concatenate(data), places), shape=(size * count, total)).tocsr()
    of_type = (np.arange(count * size) // size, np.arange(count * size))
    equal = coo_array((np.ones(count * size), of_type), shape=(count, total)).tocsr()
    costs = np.zeros(total)
    costs[count * size :] = [-float(m) for m in maxima]
    bounds = np.zeros((total, 2))
    bounds[:, 1] = 1.0
    found = solve(
        costs, above, np.zeros(size * count), equal, np.ones(count), bounds, patience, inner=count > _MANY_TYPES
    )
    guesses = found.values[: count * size].reshape(count, size)
    return guesses, found.prices.reshape(size, count), found.value


def _powers(rho: Fraction, n: int) -> list[list[int]]:
    """(1-ρ)^wrong·ρ^right as whole numbers over the n-th power of ρ's denominator."""
    right, whole = rho.numerator, rho.denominator
    return [[(whole - right) ** a * right**b * whole ** (n - a - b) for b in range(n + 1 - a)] for a in range(n + 1)]


def _right_of_guesser(
    maxima: Sequence[Fraction], cells: Sequence[_Cells], powers: list[list[int]], guesses: FloatArray
) -> Fraction:
    """Σ m_j times the least chance of a right guess over c, of the guesser made exact."""
    clipped = np.clip(guesses, 0.0, 1.0)
    grid = [round_to_grid(row, _GRID_BITS) for row in (clipped / clipped.sum(axis=1, keepdims=True)).tolist()]
    whole = powers[0][0] << _GRID_BITS
    right = Fraction(0)
    for j, (m, cell) in enumerate(zip(maxima, cells, strict=True)):
        chances = [0] * len(grid)
        for count, shown, ways, wrong, hit in _lines(cell):
            chances[count] += grid[shown][j] * ways * powers[wrong][hit]
        right += m * Fraction(min(chances), whole)
    return right


def _right_against_coin(
    maxima: Sequence[Fraction], cells: Sequence[_Cells], powers: list[list[int]], prices: FloatArray
) -> Fraction:
    """Σ over types of the largest weight of a value, where value j takes the coin c as its prices say, made exact."""
    count = prices.shape[1]
    shown_by: list[list[int]] = []
    for price, cell in zip(prices, cells, strict=True):
        clipped = np.clip(price, 0.0, None)
        law = clipped / clipped.sum() if clipped.sum() > 0 else np.full(count, 1 / count)
        coin = round_to_grid(law.tolist(), _GRID_BITS)
        weights = [0] * count
        for drawn, shown, ways, wrong, hit in _lines(cell):
            weights[shown] += coin[drawn] * ways * powers[wrong][hit]
        shown_by.append(weights)
    largest = (
        max(m * weight for m, weight in zip(maxima, column, strict=True)) for column in zip(*shown_by, strict=True)
    )
    return sum(largest, Fraction(0)) / (powers[0][0] << _GRID_BITS)


def _lines(cell: _Cells) -> list[tuple[int, ...]]:
    return list(
        zip(*(part.tolist() for part in (cell.counts, cell.shown, cell.ways, cell.wrong, cell.right)), strict=True)
    )
