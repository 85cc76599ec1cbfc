"""One response repeated: the best matrix found by a sequence of linear programs on types.

Only how often each value was named matters, so the chance of a right guess is Σ_t max_j F_tj with F_tj = m_j·(number of
sequences)·Π V(i|j)^t_i. Each F is replaced by its tangent, the program's step is kept within a radius, and a step
counts only if the value itself falls, not its tangent's. What comes out is a local optimum, and said to be no more; its
privacy is computed in fractions.   Theory: docs/theory/many_responses.md
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sfumato.design.patience import FOREVER, OutOfTime, Patience
from sfumato.design.programs import solve
from sfumato.design.published_schemes import HALF, published_noise
from sfumato.design.queries import Query
from sfumato.design.recoverable_answers import Rows, best_noise
from sfumato.design.response_programs import made_exact
from sfumato.design.response_search import Found, spread_numbers
from sfumato.design.response_types import type_count, types
from sfumato.errors import InvalidParameter

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# Beyond, a program has too many rows for a search of seconds.
MOST_SEARCHED_TYPES = 300
# Up to how many times as many responses the best for fewer is tried.
_TIMES_AS_MANY = 3
_STEPS = 200
_FIRST_RADIUS, _MOST_RADIUS, _LEAST_RADIUS = 0.2, 0.5, 1e-8
_PROGRESS = 1e-13


def searched_n(query: Query, n: int) -> int:
    """Return for how many responses the best repeated one is searched: for n, or for as many as can be, or for none.

    What is best for fewer serves more as well, for a while: where ρ ≤ 1/2 it is far better than V_2 at first, which
    tells as much after any number of responses. Where ρ > 1/2 V_1 is as good by then.
    """
    size, most = len(query.values), 1
    while most < n and type_count(most + 1, size) <= MOST_SEARCHED_TYPES:
        most += 1
    if n == most:
        return n if n > 1 else 0
    return most if query.rho <= HALF and n <= _TIMES_AS_MANY * most else 0


def best_repeated(query: Query, n: int, *, starts: int, patience: Patience = FOREVER) -> Found:
    """Return the best noise V(i|j) found for n repetitions, from V_1 or V_2, from V_o and from random starts."""
    size = len(query.values)
    if type_count(n, size) > MOST_SEARCHED_TYPES:
        raise InvalidParameter(
            f"responses over {size} values have {type_count(n, size)} types, too many for a search",
            parameter="n",
            value=n,
            way_out="Lower `n`, or use the published schemes (`starts`=0).",
        )
    counts = types(n, size)
    ways = np.array([math.factorial(n) // math.prod(map(math.factorial, row)) for row in counts.tolist()], dtype=float)
    weights = ways[:, None] * np.array([float(m) for m in query.maxima])[None]
    best: FloatArray | None = None
    least = math.inf
    try:
        for start in range(starts):
            for rows, right in _descent(_start(query, start), counts, weights, float(query.rho), patience):
                if right < least:
                    best, least = rows, right
    except OutOfTime:
        return Found(responses=None if best is None else (_exact(best, query),), ended=False)
    return Found(responses=None if best is None else (_exact(best, query),), ended=True)


def _exact(rows: FloatArray, query: Query) -> Rows:
    return made_exact(rows, range(len(query.values)), query.rho)


def _start(query: Query, start: int) -> FloatArray:
    size = len(query.values)
    if start < 2:
        rows = published_noise(query) if start == 0 else best_noise(query)
        return np.array([[float(p) for p in row] for row in rows])
    spread = spread_numbers(size * size, 7_000 + start).reshape(size, size)
    np.fill_diagonal(spread, 0.0)
    spread /= spread.sum(axis=1, keepdims=True)
    if start % 2 == 0:
        # Every value leans to one other: the best responses do, and which ones is what chance alone seldom hits.
        leaning = np.zeros((size, size))
        for j in range(size):
            leaning[j, (j + 1 + (start - 2) // 2 // (size - 1) ** j % (size - 1)) % size] = 1.0
        spread = 0.8 * leaning + 0.2 * spread
    rho = float(query.rho)
    start_rows: FloatArray = (1 - rho) * spread + rho * np.eye(size)
    return start_rows


def _descent(
    rows: FloatArray, counts: IntArray, weights: FloatArray, rho: float, patience: Patience
) -> Iterator[tuple[FloatArray, float]]:
    """Yield the start and every step that lowers the chance of a right guess."""
    radius = _FIRST_RADIUS
    chances, slopes = _tangents(rows, counts, weights)
    right = float(chances.max(axis=1).sum())
    yield rows, right
    for _ in range(_STEPS):
        moved = _repaired(rows + _step(rows, chances, slopes, rho, radius, patience), rho)
        new_chances, new_slopes = _tangents(moved, counts, weights)
        new = float(new_chances.max(axis=1).sum())
        if new < right - _PROGRESS:
            rows, right, chances, slopes = moved, new, new_chances, new_slopes
            radius = min(_MOST_RADIUS, 1.5 * radius)
            yield rows, right
        else:
            radius /= 3
        if radius < _LEAST_RADIUS:
            return


def _tangents(rows: FloatArray, counts: IntArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """F by type and row, and its slope by type, row and entry; no division, since entries may be 0."""
    size = len(rows)
    powers = rows[None] ** counts[:, None, :]
    chances = weights * powers.prod(axis=2)
    slopes = np.empty_like(powers)
    for i in range(size):
        rest = np.delete(powers, i, axis=2).prod(axis=2)
        lower = rows[None, :, i] ** np.maximum(counts[:, None, i] - 1, 0)
        slopes[:, :, i] = weights * rest * counts[:, None, i] * lower
    return chances, slopes


def _step(
    rows: FloatArray, chances: FloatArray, slopes: FloatArray, rho: float, radius: float, patience: Patience
) -> FloatArray:
    """Minimise Σ u_t with u_t ≥ F_tj + Σ_i slope·step, rows of the step summing to 0, within the radius."""
    from scipy.sparse import coo_array  # noqa: PLC0415  scipy is slow to import

    count, size = chances.shape
    entries = size * size
    cells = np.arange(count * size)
    above = coo_array(
        (
            np.concatenate([slopes.ravel(), -np.ones(count * size)]),
            (
                np.concatenate([np.repeat(cells, size), cells]),
                np.concatenate([np.tile(np.arange(entries), count), entries + cells // size]),
            ),
        ),
        shape=(count * size, entries + count),
    ).tocsr()
    own = np.arange(entries)
    equal = coo_array((np.ones(entries), (own // size, own)), shape=(size, entries + count)).tocsr()
    bounds = np.zeros((entries + count, 2))
    bounds[entries:, 1] = np.inf
    bounds[:entries, 0] = np.maximum(-radius, np.minimum(0.0, (rho * np.eye(size) - rows).ravel()))
    bounds[:entries, 1] = np.minimum(radius, np.maximum(0.0, (1 - rows).ravel()))
    costs = np.concatenate([np.zeros(entries), np.ones(count)])
    found = solve(costs, above, -chances.ravel(), equal, np.zeros(size), bounds, patience)
    return found.values[:entries].reshape(size, size)


def _repaired(rows: FloatArray, rho: float) -> FloatArray:
    """Rows of probabilities again, each with ρ or more on its own value: what the solver left over goes there."""
    clean = np.clip(rows, 0.0, 1.0)
    np.fill_diagonal(clean, 0.0)
    rest = np.minimum(clean.sum(axis=1), 1 - rho)
    scale = np.divide(rest, clean.sum(axis=1), out=np.zeros_like(rest), where=clean.sum(axis=1) > 0)
    clean *= scale[:, None]
    np.fill_diagonal(clean, 1 - clean.sum(axis=1))
    return clean
