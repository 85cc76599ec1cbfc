"""The linear programs behind responses: the best response while all others are fixed, and the best for many priors.

Minimise the chance of a right guess, Σ over what the guesser sees of the largest joint probability, over response
matrices that tell f(x) with probability at least ρ. A program that the solver does not bring to its optimum raises.
Solutions are made exact: rounded to a grid, each row completed on its own f(x), so that ρ holds to the last digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.errors import NotCertified
from sfumato.prob.exact import round_to_grid

FloatArray = npt.NDArray[np.float64]

_GRID_BITS = 40


def best_response(weights: FloatArray, others: FloatArray, keep: Sequence[int], size: int, rho: float) -> FloatArray:
    """Return the rows W that minimise Σ_{i,o} max_j weights[j]·others[o,j]·W[j,i] with W[j, keep[j]] ≥ rho.

    `others[o, j]` is how likely the other responses show o when the truth is row j.
    """
    count, rows = others.shape
    values = rows * size
    cells = [(i, o, j) for i in range(size) for o in range(count) for j in range(rows)]
    gains = np.array([weights[j] * others[o, j] for _, o, j in cells])
    used = np.flatnonzero(gains > 0)
    entry_rows = np.repeat(np.arange(used.size), 2)
    entry_columns = np.empty(2 * used.size, dtype=np.int64)
    entries = np.empty(2 * used.size)
    for row, place in enumerate(used.tolist()):
        i, o, j = cells[place]
        entry_columns[2 * row : 2 * row + 2] = j * size + i, values + i * count + o
        entries[2 * row : 2 * row + 2] = gains[place], -1.0
    bounds = np.zeros((values + size * count, 2))
    bounds[:values, 1] = 1.0
    bounds[values:, 1] = np.inf
    for j, place in enumerate(keep):
        bounds[j * size + place, 0] = rho
    costs = np.concatenate([np.zeros(values), np.ones(size * count)])
    solution = solve_program(costs, (entries, (entry_rows, entry_columns)), used.size, bounds, rows, size)
    return solution[:values].reshape(rows, size)


def best_for_all_priors(masses: FloatArray, keep: Sequence[int], size: int, rho: float) -> tuple[FloatArray, float]:
    """Return the rows W that minimise the largest chance of a right guess over the priors, and that chance.

    `masses[p, x]` are the priors. One program: a level above Σ_i t_(p,i) for every prior, t_(p,i) ≥ P_p(x)W(i|x).
    """
    priors, rows = masses.shape
    values = rows * size
    level = values + priors * size
    data, row_places, column_places = [], [], []
    row = 0
    for p in range(priors):
        for i in range(size):
            for x in range(rows):
                data += [masses[p, x], -1.0]
                row_places += [row, row]
                column_places += [x * size + i, values + p * size + i]
                row += 1
        data += [*([1.0] * size), -1.0]
        row_places += [row] * (size + 1)
        column_places += [*range(values + p * size, values + (p + 1) * size), level]
        row += 1
    bounds = np.zeros((level + 1, 2))
    bounds[:values, 1] = 1.0
    bounds[values:, 1] = np.inf
    for x, place in enumerate(keep):
        bounds[x * size + place, 0] = rho
    costs = np.zeros(level + 1)
    costs[level] = 1.0
    triplets = (np.array(data), (np.array(row_places), np.array(column_places)))
    solution = solve_program(costs, triplets, row, bounds, rows, size)
    return solution[:values].reshape(rows, size), float(solution[level])


def solve_program(
    costs: FloatArray,
    triplets: tuple[FloatArray, tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]],
    inequalities: int,
    bounds: FloatArray,
    rows: int,
    size: int,
) -> FloatArray:
    """Minimise costs·v with A v ≤ 0, the first rows·size variables rows that sum to 1; raises unless optimal."""
    from scipy.optimize import linprog  # noqa: PLC0415  scipy is slow to import
    from scipy.sparse import coo_array  # noqa: PLC0415

    upper = coo_array(triplets, shape=(inequalities, costs.size)).tocsr()
    places = np.arange(rows * size)
    equal = coo_array((np.ones(rows * size), (places // size, places)), shape=(rows, costs.size)).tocsr()
    options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(
        costs,
        A_ub=upper,
        b_ub=np.zeros(inequalities),
        A_eq=equal,
        b_eq=np.ones(rows),
        bounds=bounds,
        method="highs",
        options=options,
    )
    if found.status != 0:
        raise NotCertified(
            "the solver did not reach the optimum of a response's program",
            way_out="Try fewer values or responses, or another `rho`.",
        )
    solution: FloatArray = np.asarray(found.x, dtype=np.float64)
    return solution


def made_exact(rows: FloatArray, keep: Sequence[int], rho: Fraction) -> tuple[tuple[Fraction, ...], ...]:
    """Round each row to a grid, and see to it that its own value has exactly ρ or more."""
    exact = []
    for row, place in zip(rows, keep, strict=True):
        clipped = np.clip(row, 0.0, 1.0)
        counts = round_to_grid((clipped / clipped.sum()).tolist(), _GRID_BITS)
        law = [Fraction(count, 1 << _GRID_BITS) for count in counts]
        missing = rho - law[place]
        if missing > 0:
            # Take what is missing from the others, in proportion, so that nothing falls below 0.
            rest = 1 - law[place]
            law = [p - missing * p / rest if i != place else rho for i, p in enumerate(law)]
        exact.append(tuple(law))
    return tuple(exact)
