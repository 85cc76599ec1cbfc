"""The polytope S of laws with the same protected marginals, and what its matrix says about disclosure.

A release is private when every posterior law of the data, given what was released, has the marginals of the prior on
every protected group: P t = P p [D, Lemma 1]. P has a row of 0 and 1 for each value of each group.
Theory: docs/theory/disclosure.md
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np

from sfumato.disclose.data_laws import DataLaw, FloatArray, Groups
from sfumato.errors import InvalidParameter
from sfumato.prob.exact_systems import solve_exactly

# So many bases are tried one by one when corners are enumerated.
MOST_BASES = 400_000


def marginal_matrix(law: DataLaw, groups: Groups) -> FloatArray:
    """Return P: one row for each value of each group that can happen."""
    blocks = []
    for group in groups:
        codes = law.group_codes(group)
        blocks.append((codes[None] == np.arange(codes.max() + 1)[:, None]).astype(np.float64))
    return np.concatenate(blocks)


def independent_rows(matrix: FloatArray) -> FloatArray:
    """Return as many rows as the rank, spanning the same space."""
    from scipy.linalg import qr  # noqa: PLC0415  scipy is slow to import

    _, triangle, order = qr(matrix.T, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    rank = int((diagonal > 1e-9 * max(1.0, diagonal[0])).sum())
    chosen: FloatArray = matrix[np.sort(order[:rank])]
    return chosen


def nullity(law: DataLaw, groups: Groups) -> int:
    """Return how many directions the law can move in without moving a protected marginal.

    Where it is 0, nothing can be told [D, Prop 1].

    >>> import sfumato as sf
    >>> law = sf.disclose.DataLaw.independent([0.5, 0.5], 3)
    >>> sf.disclose.nullity(law, law.singles()), sf.disclose.nullity(law, law.windows(2))
    (4, 2)
    """
    return law.size - len(independent_rows(marginal_matrix(law, groups)))


def can_tell(matrix: FloatArray, feature: FloatArray | None) -> bool:
    """Whether anything can be told: some direction that no marginal sees moves the feature [D, Prop 1]."""
    rank = len(independent_rows(matrix))
    if feature is None:
        return bool(rank < matrix.shape[1])
    return len(independent_rows(np.concatenate([matrix, feature]))) > rank


def entropy_bits(table: FloatArray) -> FloatArray:
    """H of each column, in bits."""
    safe = np.where(table > 0, table, 1.0)
    result: FloatArray = -(table * np.log2(safe)).sum(axis=0)
    return result


def corners(law: DataLaw, groups: Groups) -> list[tuple[Fraction, ...]]:
    """Return every corner of S, exactly; for small supports."""
    exact = [Fraction(mass) for mass in law.masses]
    rows = [[int(v) for v in row] for row in independent_rows(marginal_matrix(law, groups))]
    goal = [sum((p for v, p in zip(row, exact, strict=True) if v), Fraction(0)) for row in rows]
    if math.comb(law.size, len(rows)) > MOST_BASES:
        raise InvalidParameter(
            f"{law.size} cells and {len(rows)} protected marginals have too many corners to list",
            way_out="Use the programs.",
        )
    found = set()
    for basis in itertools.combinations(range(law.size), len(rows)):
        solution = solve_exactly([[row[c] for c in basis] for row in rows], goal)
        if solution is not None and min(solution) >= 0:
            corner = [Fraction(0)] * law.size
            for c, value in zip(basis, solution, strict=True):
                corner[c] = value
            found.add(tuple(corner))
    return sorted(found)
