"""The linear programs behind responses: the best response while all others are fixed, for any stakes.

Minimise the chance of a right guess, Σ over what the guesser sees of the most that a guess wins, over response matrices
that tell f(x) with probability at least ρ; with several priors, the largest of these sums. A program that the solver
does not bring to its optimum raises. Solutions are made exact: rounded to a grid, each row completed on its own f(x),
so that ρ holds to the last digit. Prices are a guesser, whose success against every response is counted in fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.design.patience import FOREVER, Patience
from sfumato.design.programs import solve
from sfumato.design.recoverable_answers import Rows
from sfumato.design.stakes import Stakes
from sfumato.prob.exact import round_to_grid

FloatArray = npt.NDArray[np.float64]

GRID_BITS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class BestResponse:
    """The rows W, the chance of a right guess, and the prices of guesses by prior, guess, response and what else."""

    rows: FloatArray
    right: float
    prices: FloatArray


def best_response(
    gains: FloatArray,
    others: FloatArray,
    keep: Sequence[int],
    size: int,
    rho: float,
    *,
    patience: Patience = FOREVER,
) -> BestResponse:
    """Return the W that minimises max_p Σ_{i,o} max_g Σ_x gains[p,g,x]·others[o,x]·W[x,i] with W[x,keep[x]] ≥ rho.

    `others[o, x]` is how likely the other responses show o when the truth is row x.
    """
    from scipy.sparse import coo_array  # noqa: PLC0415  scipy is slow to import

    priors, guesses, rows = gains.shape
    count = len(others)
    seen = size * count
    values = rows * size
    level = values + priors * seen
    p, g, x = (part[:, None, None] for part in np.nonzero(gains))
    i, o = np.arange(size)[None, :, None], np.arange(count)[None, None, :]
    weights = np.broadcast_to(gains[p, g, x] * others[o, x], (p.size, size, count)).ravel()
    above = ((p * guesses + g) * size + i) * count + o
    cells = np.flatnonzero(weights)
    lines = priors * guesses * seen
    everyone = np.arange(lines)
    seen_of_line = values + everyone // (guesses * seen) * seen + everyone % seen
    totals = np.arange(priors * seen)
    data = [weights[cells], -np.ones(lines), np.ones(totals.size), -np.ones(priors)]
    row_places = [above.ravel()[cells], everyone, lines + totals // seen, lines + np.arange(priors)]
    columns = np.broadcast_to(x * size + i, above.shape).ravel()[cells]
    column_places = [columns, seen_of_line, values + totals, np.full(priors, level)]
    places = (np.concatenate(row_places), np.concatenate(column_places))
    table = coo_array((np.concatenate(data), places), shape=(lines + priors, level + 1)).tocsr()
    entries = np.arange(values)
    equal = coo_array((np.ones(values), (entries // size, entries)), shape=(rows, level + 1)).tocsr()
    bounds = np.zeros((level + 1, 2))
    bounds[:values, 1] = 1.0
    bounds[values:, 1] = np.inf
    bounds[np.arange(rows) * size + np.asarray(keep), 0] = rho
    costs = np.zeros(level + 1)
    costs[level] = 1.0
    if priors == 1:
        # One prior needs no level above its sum, and the sum itself is an easier thing to minimise.
        costs[values:level] = 1.0
        table, equal, bounds, costs = table[:lines, :level], equal[:, :level], bounds[:level], costs[:level]
    found = solve(costs, table, np.zeros(table.shape[0]), equal, np.ones(rows), bounds, patience)
    return BestResponse(
        rows=found.values[:values].reshape(rows, size),
        right=found.value,
        prices=found.prices[:lines].reshape(priors, guesses, size, count),
    )


def least_right(stakes: Stakes, prices: FloatArray) -> Fraction:
    """Return how often the guesser who follows these prices is right at least, whatever the one response is: exact.

    Prior p is drawn with a weight, and after response i the guess g with its price; then the best response puts ρ on
    f(x) and the rest where this guesser wins least. So no single response has more privacy than 1 minus this.
    """
    chances = np.clip(prices, 0.0, None).sum(axis=3)
    priors, guesses, size = chances.shape
    weights = chances.sum(axis=(1, 2))
    drawn = grid_law(weights)
    won = [[Fraction(0)] * size for _ in stakes.keep]
    for p in range(priors):
        for i in range(size):
            law = grid_law(chances[p, :, i])
            for g in range(guesses):
                for x, gain in enumerate(stakes.gains[p][g]):
                    if gain and law[g]:
                        won[x][i] += drawn[p] * law[g] * gain
    return sum(
        (stakes.rho * row[own] + (1 - stakes.rho) * min(row) for row, own in zip(won, stakes.keep, strict=True)),
        Fraction(0),
    )


def made_exact(rows: FloatArray, keep: Sequence[int], rho: Fraction) -> Rows:
    """Round each row to a grid, and see to it that its own value has exactly ρ or more."""
    exact = []
    for row, place in zip(rows, keep, strict=True):
        law = list(grid_law(np.clip(row, 0.0, 1.0)))
        missing = rho - law[place]
        if missing > 0:
            # Take what is missing from the others, in proportion, so that nothing falls below 0.
            rest = 1 - law[place]
            law = [p - missing * p / rest if i != place else rho for i, p in enumerate(law)]
        exact.append(tuple(law))
    return tuple(exact)


def grid_law(weights: FloatArray) -> tuple[Fraction, ...]:
    """Return weights ≥ 0 as a law on a grid, exactly; all equal where there are none."""
    total = weights.sum()
    law = weights / total if total > 0 else np.full(weights.size, 1 / weights.size)
    return tuple(Fraction(count, 1 << GRID_BITS) for count in round_to_grid(law.tolist(), GRID_BITS))
