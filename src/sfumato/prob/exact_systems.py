"""Linear systems in Fractions, for what must be exact and is small."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def solve_exactly(matrix: Sequence[Sequence[int | Fraction]], goal: Sequence[Fraction]) -> list[Fraction] | None:
    """Solve a system with as many or more equations than unknowns in Fractions; None unless there is just one."""
    rows = [[Fraction(v) for v in row] + [Fraction(g)] for row, g in zip(matrix, goal, strict=True)]
    width = len(rows[0]) - 1
    pivot = 0
    for column in range(width):
        place = next((r for r in range(pivot, len(rows)) if rows[r][column] != 0), None)
        if place is None:
            return None
        rows[pivot], rows[place] = rows[place], rows[pivot]
        scale = rows[pivot][column]
        rows[pivot] = [v / scale for v in rows[pivot]]
        for r in range(len(rows)):
            if r != pivot and rows[r][column] != 0:
                factor = rows[r][column]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[pivot], strict=True)]
        pivot += 1
    if any(row[-1] != 0 for row in rows[pivot:]):
        return None
    return [rows[i][-1] for i in range(width)]
