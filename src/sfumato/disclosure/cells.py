"""The best disclosure of a binary feature by one refined linear program.

The range of t = P(W=1) over S is cut into cells. In each cell the concave H2 lies above its chord. So a program with a
sub-distribution for each cell, priced at the chord, bounds H(W|Y) from below; its own solution is a mapping and bounds
it from above. Cells are cut at the values that the solution uses until both agree. Everything is measured relative to
p(x) and to the protected marginals, so that rare data sets have the same accuracy as common ones.
Ref: [D, Thm 1]
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from sfumato.disclosure.columns import Mixture, Progress, new_model, pass_program, run_model
from sfumato.disclosure.data import FloatArray, most_by_cell
from sfumato.errors import NotCertified

_MOST_ROUNDS = 80


def cut_cells(
    rows: FloatArray,
    prior: FloatArray,
    chance: FloatArray,
    *,
    tolerance: float,
    seconds: float,
    progress: Progress | None = None,
) -> Mixture:
    """Solve for a feature with P(W=1|cell) = `chance`."""
    deadline = time.monotonic() + seconds
    goal = rows @ prior
    at_prior = float(chance @ prior)
    whole = float(_binary_entropy(np.array([at_prior]))[0])
    # Sub-laws z in parts of p: the marginal of z is the protected one times the mass of z, both over that marginal.
    homogeneous = (rows / goal[:, None] - 1.0) * prior
    homogeneous = homogeneous[np.abs(rows - goal[:, None]).max(axis=1) > 1e-12]
    best, bound = (0.0, np.array([prior]), np.ones(1)), whole
    grid: list[float] = []
    for _ in range(_MOST_ROUNDS):
        try:
            grid = grid or sorted({*_range(rows, goal, chance), at_prior})
            value, parts = _program(homogeneous, prior, chance, np.array(grid))
        except NotCertified:
            # What is known so far is an answer, and its bounds are true.
            break
        weights = parts.sum(axis=1)
        used = weights > 1e-11
        values = np.clip((parts[used] @ chance) / weights[used], 0.0, 1.0)
        entropy = float(weights[used] @ _binary_entropy(values))
        bound = min(bound, whole - value)
        if whole - entropy > best[0]:
            best = (whole - entropy, parts[used] / weights[used, None], weights[used])
        if progress is not None:
            progress(best[0], bound)
        if bound - best[0] <= tolerance or time.monotonic() > deadline:
            break
        fresh = [t for t in values.tolist() if min(abs(t - edge) for edge in grid) > 1e-10]
        if not fresh:
            break
        grid = sorted({*grid, *fresh})
    lower, laws, weights = best
    return Mixture(
        laws=laws, weights=weights, lower_bits=max(0.0, lower), upper_bits=max(0.0, lower, bound), rounds=len(grid)
    )


def _program(
    homogeneous: FloatArray, prior: FloatArray, chance: FloatArray, grid: FloatArray
) -> tuple[float, FloatArray]:
    """Least chord price of sub-laws z_c, one a cell, that add up to the prior and lie in S up to scale."""
    from scipy.sparse import block_diag, csr_matrix, eye, kron, vstack  # noqa: PLC0415  scipy is slow to import

    left, right = grid[:-1], grid[1:]
    count, size = len(left), len(prior)
    at_left, at_right = _binary_entropy(left), _binary_entropy(right)
    slope = (at_right - at_left) / (right - left)
    costs = (((at_left - slope * left)[:, None] + slope[:, None] * chance[None]) * prior).ravel()
    equal = vstack([kron(np.ones((1, count)), eye(size)), kron(eye(count), csr_matrix(homogeneous))]).tocsr()
    level = np.concatenate([np.ones(size), np.zeros(count * len(homogeneous))])
    above = block_diag([csr_matrix(((edge - chance) * prior)[None]) for edge in left])
    below = block_diag([csr_matrix(((chance - edge) * prior)[None]) for edge in right])
    value, solution = _solve(costs, vstack([above, below]).tocsr(), equal, level, np.ones(count * size))
    return value, np.maximum(solution.reshape(count, size), 0.0) * prior


def _solve(costs: FloatArray, upper: Any, equal: Any, level: FloatArray, most: FloatArray) -> tuple[float, FloatArray]:
    """Return a bound on the least cost and the solution; the bound is the dual's, whatever the solver's tolerance."""
    from scipy.sparse import vstack  # noqa: PLC0415  scipy is slow to import

    model = new_model(scaled=False)
    if upper is None:
        matrix, levels = equal, (level, level)
    else:
        matrix = vstack([equal, upper])
        below = np.full(upper.shape[0], -np.inf)
        levels = (np.concatenate([level, below]), np.concatenate([level, np.zeros(upper.shape[0])]))
    pass_program(model, costs, matrix, levels, np.full(len(costs), np.inf))
    if not run_model(model):
        raise NotCertified("the solver did not reach the optimum of a cell program", way_out="Try a smaller problem.")
    found = model.getSolution()
    duals = np.array(found.row_dual)
    prices, rest = duals[: len(level)], np.minimum(duals[len(level) :], 0.0)
    reduced = costs - equal.T @ prices
    if upper is not None:
        reduced = reduced - upper.T @ rest
    # No variable is above `most`, so a reduced cost below 0 costs no more than this.
    bound = float(prices @ level + np.minimum(reduced, 0.0) @ most)
    return bound, np.array(found.col_value)


def _range(rows: FloatArray, goal: FloatArray, chance: FloatArray) -> tuple[float, float]:
    most = most_by_cell(rows, goal)
    scaled, ones = rows * most / goal[:, None], np.ones(len(rows))
    low, _ = _solve(chance * most, None, scaled, ones, np.ones(len(chance)))
    high, _ = _solve(-chance * most, None, scaled, ones, np.ones(len(chance)))
    return max(0.0, low), min(1.0, -high)


def _binary_entropy(t: FloatArray) -> FloatArray:
    safe = np.clip(t, 1e-300, 1.0)
    rest = np.clip(1 - t, 1e-300, 1.0)
    result: FloatArray = -(t * np.log2(safe) + (1 - t) * np.log2(rest))
    return result
