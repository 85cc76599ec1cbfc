"""Slow, plain answers about disclosure: every basis tried with numpy, one linear program, sums written out."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog


def entropy(law):
    return -math.fsum(p * math.log2(p) for p in np.ravel(law).tolist() if p > 0)


def rows_of(cells, groups):
    """One row of 0 and 1 for each value of each group, by comparing tuples."""
    rows = []
    for group in groups:
        values = [tuple(cell[i] for i in group) for cell in cells]
        rows += [[float(value == seen) for value in values] for seen in sorted(set(values))]
    return np.array(rows)


def vertices(matrix, prior, batch=2000):
    """Every vertex of {t ≥ 0, matrix t = matrix prior}, from every basis."""
    rank = np.linalg.matrix_rank(matrix)
    chosen = []
    for row in matrix:
        if np.linalg.matrix_rank(np.array([*chosen, row])) > len(chosen):
            chosen.append(row)
    rows, goal = np.array(chosen), np.array(chosen) @ prior
    found = []
    bases = itertools.combinations(range(len(prior)), rank)
    while picked := list(itertools.islice(bases, batch)):
        squares = rows[:, np.array(picked)].transpose(1, 0, 2)
        regular = np.abs(np.linalg.det(squares)) > 1e-6
        if not regular.any():
            continue
        solved = np.linalg.solve(squares[regular], np.broadcast_to(goal, (regular.sum(), rank))[..., None])[..., 0]
        for basis, values in zip(np.array(picked)[regular], solved, strict=True):
            if values.min() > -1e-10:
                vertex = np.zeros(len(prior))
                vertex[basis] = np.maximum(values, 0)
                found.append(vertex)
    _, first = np.unique(np.round(found, 9), axis=0, return_index=True)
    return np.array(found)[first]


def best_by_vertices(cells, prior, groups, feature=None):
    """The optimum in bits and all vertices; `feature` has a row for each w."""
    prior = np.array([float(p) for p in prior])
    table = np.eye(len(prior)) if feature is None else np.array(feature, dtype=float)
    found = vertices(rows_of(cells, groups), prior)
    costs = [entropy(table @ vertex) for vertex in found]
    solved = linprog(costs, A_eq=found.T, b_eq=prior, method="highs")
    assert solved.status == 0
    return entropy(table @ prior) - solved.fun, found


def information(prior, rows, feature=None):
    """I(W;Y), or I(cell;Y), summed up as defined."""
    prior = np.array([float(p) for p in prior])
    rows = np.array([[float(v) for v in row] for row in rows])
    table = np.eye(len(prior)) if feature is None else np.array(feature, dtype=float)
    joint = (table * prior) @ rows
    outer = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    return math.fsum((j * math.log2(j / o)) for j, o in zip(joint.ravel(), outer.ravel(), strict=True) if j > 0)


def is_independent(cells, masses, group, rows):
    """P(x_group, y) = P(x_group)P(y) everywhere, in Fractions."""
    masses = [Fraction(m) for m in masses]
    outputs = range(len(rows[0]))
    whole = [sum(m * Fraction(row[y]) for m, row in zip(masses, rows, strict=True)) for y in outputs]
    values = {tuple(cell[i] for i in group) for cell in cells}
    for value in values:
        mine = [c for c, cell in enumerate(cells) if tuple(cell[i] for i in group) == value]
        mass = sum(masses[c] for c in mine)
        for y in outputs:
            if sum(masses[c] * Fraction(rows[c][y]) for c in mine) != mass * whole[y]:
                return False
    return True


def measured_through_bsc(n, chance=Fraction(1, 3), flip=Fraction(1, 10)):
    """W ~ Bern(chance) seen n times through a BSC: the law of the samples and P(w|x), in Fractions."""
    law = np.empty((2,) * n, dtype=object)
    about = np.empty((*(2,) * n, 2), dtype=object)
    for x in itertools.product((0, 1), repeat=n):
        ones = sum(x)
        zero = (1 - chance) * flip**ones * (1 - flip) ** (n - ones)
        one = chance * (1 - flip) ** ones * flip ** (n - ones)
        law[x], about[x] = zero + one, [zero / (zero + one), one / (zero + one)]
    return law.tolist(), about.tolist()


def random_law(random, shape, *, zeros=False):
    """Small whole numbers over their sum, so that laws are exact."""
    counts = random.integers(1, 13, shape)
    if zeros:
        counts[random.random(shape) < 0.3] = 0
        counts[(0,) * len(shape)] += 1
    total = int(counts.sum())
    return np.vectorize(lambda c: Fraction(int(c), total), otypes=[object])(counts).tolist()


def random_feature(random, shape, values):
    return random.dirichlet(np.full(values, 0.7), shape).tolist()
