"""Exact mixtures in fractions from mixtures found in floats.

A distribution of S is corrected by its own rounding: its smallest cells, each measured by what it can hold, keep their
values, and the others are solved for, so that a cell of 1e-14 is not lost in the rounding of one of 0.1. Weights are
solved for too. Where there is no solution they are shrunk slightly until no cell is covered more than once. What is
then left of the prior, which has its marginals up to scale, joins the most probable symbol.
Ref: [D, Def. 1]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from sfumato.disclosure.data import LEAST_MASS, DataLaw, FloatArray, Groups, marginal_matrix, most_by_cell, scarce_rows
from sfumato.numbers.exact import solve_exactly

# Two readings of a float law: as a corner with the solver's rounding in it, or as it stands.
_SUPPORTS = (1e-9, 1e-14)
_GRID = 1 << 64
_MOST_PIVOTS = 200


def rows_in_fractions(
    law: DataLaw, groups: Groups, laws: FloatArray, weights: FloatArray, classes: Sequence[int] = ()
) -> list[list[Fraction]] | None:
    """Return P(y|x) in Fractions, symbols independent of every group; None when a law cannot be mended.

    Cells of one class have one row, where `classes` are given and a permutation of samples moves one to the other.
    """
    masses = [Fraction(mass) for mass in law.masses]
    alike = _alike(classes, masses)
    rows = scarce_rows(marginal_matrix(law, groups), law.array)
    goal = [_sum(m for v, m in zip(row, masses, strict=True) if v) for row in rows.tolist()]
    most = most_by_cell(rows, np.array([float(level) for level in goal]))
    joint = None
    for least in _SUPPORTS:
        mended = [_averaged(_mended(found, rows, goal, most, masses, least), alike) for found in laws]
        exact = [one for one in mended if one is not None]
        if len(exact) == len(mended):
            joint = _weighed(exact, masses)
            if joint is not None:
                break
    if joint is None:
        if len(exact) < len(mended):
            return None
        joint = _shrunk(exact, weights, masses)
    sizes = [_sum(part) for part in joint]
    largest = max(range(len(sizes)), key=lambda y: sizes[y])
    used = [y for y, size in enumerate(sizes) if size > LEAST_MASS]
    for y in set(range(len(sizes))) - set(used):
        # A symbol too rare for a float tells nothing that one could add up.
        joint[largest] = [a + b for a, b in zip(joint[largest], joint[y], strict=True)]
    return [[joint[y][c] / mass for y in used] for c, mass in enumerate(masses)]


def _mended(
    found: FloatArray,
    rows: FloatArray,
    goal: Sequence[Fraction],
    most: FloatArray,
    masses: Sequence[Fraction],
    least: float,
) -> list[Fraction] | None:
    """Return a law of S in Fractions next to a float one; cells with less than `least` of what they can hold get 0."""
    order = np.argsort(-found / most, kind="stable")
    basis = _independent(rows, order)
    kept = np.where(found > least * most, found, 0.0)
    exact = [Fraction(0)] * len(masses)
    for c in set(range(len(masses))) - set(basis):
        exact[c] = Fraction(float(kept[c]))
    missing = [
        level - _sum(exact[c] for c in np.flatnonzero(row).tolist()) for row, level in zip(rows, goal, strict=True)
    ]
    solution = solve_exactly([[int(row[c]) for c in basis] for row in rows], missing)
    if solution is None:
        return None
    if min(solution) < 0:
        _pivot(rows, goal, basis, exact, most)
    else:
        for c, value in zip(basis, solution, strict=True):
            exact[c] = value
    # Towards the prior until nothing is negative: from outside S back to its border.
    step = max((value / (value - mass) for value, mass in zip(exact, masses, strict=True) if value < 0), default=0)
    return [value + step * (mass - value) for value, mass in zip(exact, masses, strict=True)]


def _pivot(
    rows: FloatArray, goal: Sequence[Fraction], basis: list[int], exact: list[Fraction], most: FloatArray
) -> None:
    """Fill in a law next by, from basis to basis: a cell below 0 leaves, and the one that must move least comes in.

    Corners that floats take for one differ by a hair in Fractions; then a basis of one may be no corner of the other.
    """
    table = [[*(Fraction(int(v)) for v in row), level] for row, level in zip(rows, goal, strict=True)]
    for place, c in enumerate(basis):
        # Rows are sorted so that row `place` solves for its cell.
        _solve_for(table, place, c, next(r for r in range(place, len(table)) if table[r][c]))
    for _ in range(_MOST_PIVOTS):
        for c in basis:
            exact[c] = Fraction(0)
        values = [row[-1] - _sum(v * exact[c] for c, v in enumerate(row[:-1]) if v and exact[c]) for row in table]
        for c, value in zip(basis, values, strict=True):
            exact[c] = value
        worst = min(range(len(basis)), key=lambda k: values[k] / Fraction(float(most[basis[k]])))
        free = [c for c in range(len(exact)) if table[worst][c] < 0]
        if values[worst] >= 0 or not free:
            return
        steps = {c: values[worst] / table[worst][c] / Fraction(float(most[c])) for c in free}
        enters = min(free, key=lambda c: steps[c])
        exact[basis[worst]] = Fraction(0)
        basis[worst] = enters
        _solve_for(table, worst, enters, worst)


def _solve_for(table: list[list[Fraction]], place: int, column: int, pivot: int) -> None:
    """Bring the pivot's row to the place, and take the column out of all others."""
    table[place], table[pivot] = table[pivot], table[place]
    scale = table[place][column]
    table[place] = [v / scale for v in table[place]]
    for r, row in enumerate(table):
        if r != place and row[column]:
            factor = row[column]
            table[r] = [a - factor * b for a, b in zip(row, table[place], strict=True)]


def _alike(classes: Sequence[int], masses: Sequence[Fraction]) -> list[list[int]]:
    """Return the cells of each class; none when masses within a class differ, if only by a float's rounding."""
    found: dict[int, list[int]] = {}
    for c, one in enumerate(classes):
        found.setdefault(one, []).append(c)
    whole = all(masses[c] == masses[cells[0]] for cells in found.values() for c in cells)
    return list(found.values()) if whole else []


def _averaged(law: list[Fraction] | None, alike: Sequence[Sequence[int]]) -> list[Fraction] | None:
    """Average over permutations of the samples, which S allows where the prior has them."""
    if law is not None:
        for cells in alike:
            mean = _sum(law[c] for c in cells) / len(cells)
            for c in cells:
                law[c] = mean
    return law


def _independent(rows: FloatArray, order: Iterable[int]) -> list[int]:
    """Return as many cells as there are rows, their columns independent, the first ones in the order that can be."""
    chosen: list[int] = []
    frame = np.zeros((0, len(rows)))
    for c in order:
        rest = rows[:, c]
        for _ in range(2):
            rest = rest - frame.T @ (frame @ rest)
        length = float(np.linalg.norm(rest))
        if length > 1e-9:
            chosen.append(int(c))
            frame = np.vstack([frame, rest / length])
            if len(chosen) == len(rows):
                break
    return chosen


def _weighed(laws: Sequence[Sequence[Fraction]], masses: Sequence[Fraction]) -> list[list[Fraction]] | None:
    """Return u_y v_y(x) with the only weights that average to the prior; None when there are none, or many."""
    weights = solve_exactly([[law[c] for law in laws] for c in range(len(masses))], masses)
    if weights is None or min(weights) < 0:
        return None
    return [[weight * value for value in law] for weight, law in zip(weights, laws, strict=True)]


def _shrunk(
    laws: Sequence[Sequence[Fraction]], weights: FloatArray, masses: Sequence[Fraction]
) -> list[list[Fraction]]:
    """Return u_y v_y(x) with the float weights, shrunk to fit under the prior; the likeliest symbol gets the rest."""
    shares = [Fraction(float(weight)) for weight in weights]
    covered = _covered(shares, laws)
    rooms = [_down(mass / cover) if cover else Fraction(1) for mass, cover in zip(masses, covered, strict=True)]
    # A law shrinks by the tightest of its own cells, so that no cell is covered more than once by all of them.
    shares = [
        share * min(room for room, value in zip(rooms, law, strict=True) if value)
        for share, law in zip(shares, laws, strict=True)
    ]
    left = [mass - cover for mass, cover in zip(masses, _covered(shares, laws), strict=True)]
    joint = [[share * value for value in law] for share, law in zip(shares, laws, strict=True)]
    largest = max(range(len(shares)), key=lambda y: shares[y])
    for c, rest in enumerate(left):
        joint[largest][c] += rest
    return joint


def _covered(shares: Sequence[Fraction], laws: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    return [_sum(share * law[c] for share, law in zip(shares, laws, strict=True)) for c in range(len(laws[0]))]


def _down(ratio: Fraction) -> Fraction:
    """Round down to a short Fraction, so that denominators stay short."""
    return Fraction(ratio.numerator * _GRID // ratio.denominator, _GRID)


def _sum(values: Iterable[Fraction]) -> Fraction:
    return sum(values, Fraction(0))
