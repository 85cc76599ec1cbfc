"""Skewed laws, and their optimum by trying every simplex of corners in Fractions: no program and no tolerance."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np

SHAPES = [(4, 4), (3, 4), (2, 2, 2, 2), (2, 2, 3), (3, 3), (2, 8)]


def skewed_law(random, shape, concentration, least=1e-14):
    """A Dirichlet law with cells down to `least`, in floats."""
    masses = np.maximum(random.dirichlet(np.full(math.prod(shape), concentration)), least)
    return (masses / masses.sum()).reshape(shape)


def in_fractions(law):
    """The law with each mass a multiple of one unit of 1e-18 or so."""
    units = [max(1, round(mass * 10**18)) for mass in np.ravel(law).tolist()]
    exact = np.array([Fraction(unit, sum(units)) for unit in units], dtype=object)
    return exact.reshape(np.shape(law)).tolist()


def skewed_case(seed):
    """A law of at most 16 cells, in Fractions every other time, and what is asked about it."""
    random = np.random.default_rng(seed)
    shape = SHAPES[seed % len(SHAPES)]
    law = skewed_law(random, shape, random.uniform(0.05, 0.3))
    about = None if seed % 3 == 0 else random.dirichlet(np.full(1 + seed % 3, 0.7), shape).tolist()
    return (in_fractions(law) if seed % 4 < 2 else law), about


def solve(matrix, goal):
    """The only solution of an exact system, or None."""
    rows = [[Fraction(v) for v in row] + [g] for row, g in zip(matrix, goal, strict=True)]
    done = 0
    for column in range(len(rows[0]) - 1):
        pivot = next((r for r in range(done, len(rows)) if rows[r][column]), None)
        if pivot is None:
            return None
        rows[done], rows[pivot] = rows[pivot], rows[done]
        rows[done] = [v / rows[done][column] for v in rows[done]]
        for r in range(len(rows)):
            if r != done and rows[r][column]:
                rows[r] = [a - rows[r][column] * b for a, b in zip(rows[r], rows[done], strict=True)]
        done += 1
    return None if any(row[-1] for row in rows[done:]) else [row[-1] for row in rows[:done]]


def exact_corners(matrix, masses):
    """Every corner of {t ≥ 0, matrix t = matrix masses}, from every basis, in Fractions."""
    rank = int(np.linalg.matrix_rank(np.array(matrix, dtype=float)))
    goal = [sum(m for v, m in zip(row, masses, strict=True) if v) for row in matrix]
    found = set()
    for basis in itertools.combinations(range(len(masses)), rank):
        values = solve([[int(row[c]) for c in basis] for row in matrix], goal)
        if values is not None and min(values) >= 0:
            corner = [Fraction(0)] * len(masses)
            for c, value in zip(basis, values, strict=True):
                corner[c] = value
            found.add(tuple(corner))
    return sorted(found)


def entropy_of(law, feature=None):
    values = law if feature is None else [sum(f * v for f, v in zip(row, law, strict=True)) for row in feature]
    return -math.fsum(float(v) * math.log2(v) for v in values if v > 0)


def best_by_simplices(matrix, masses, feature=None):
    """The optimum in bits: the cheapest of all simplices of corners that hold the prior."""
    found = exact_corners(matrix, masses)
    costs = [entropy_of(corner, feature) for corner in found]
    best = math.inf
    # Every point of S lies in a simplex with as many corners as S has dimensions and one more, or fewer.
    for size in range(1, len(masses) - int(np.linalg.matrix_rank(np.array(matrix, dtype=float))) + 2):
        for chosen in itertools.combinations(range(len(found)), size):
            weights = solve([[found[k][c] for k in chosen] for c in range(len(masses))], masses)
            if weights is not None and min(weights) >= 0:
                cost = math.fsum(float(w) * costs[k] for w, k in zip(weights, chosen, strict=True))
                best = min(best, cost)
    return entropy_of(masses, feature) - best
