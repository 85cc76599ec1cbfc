"""Searches for good responses by linear programs.

The success of the best guess depends only on how often each value was named: it is Σ_t max_j F_tj with F_tj =
m_j·(number of sequences)·Π V(i|j)^t_i. Each F is replaced by its tangent, the step of the program is kept within a
radius, and a step is accepted only if the value itself falls, not just that of the tangent. The result is a local
optimum, and is reported as such. Its privacy is computed in fractions.
Theory: docs/theory/many_responses.md
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.numbers.exact import common_numerators, round_to_grid
from sfumato.numbers.intervals import Interval, float_above, float_below
from sfumato.numbers.linear_programs import FOREVER, OutOfTime, Patience, solve
from sfumato.prob.distribution import Distribution
from sfumato.recoverable.answers import Rows, best_noise
from sfumato.recoverable.queries import Query
from sfumato.recoverable.schemes import HALF, group_right_guesses, published_noise, type_count, types
from sfumato.sampling.sources import KeyedBits

# --- What a reader of responses gains by guessing; one program serves every kind of secret
# `gains[p][g][x]` is the weight, under prior p, of naming g while the data is x. To guess the data, g = x and the
# weight is P(x); to guess a predicate, it is P(x) where h(x) = g; to guess Y from responses that depend on X alone, it
# is J(x, g). With several priors the worst of them counts.
# Theory: docs/theory/many_responses.md


@dataclass(frozen=True, slots=True, kw_only=True)
class Stakes:
    """Gains by prior, guess and row; row x must show the value `keep[x]` of `size` with probability at least `rho`."""

    gains: tuple[Rows, ...]
    keep: tuple[int, ...]
    size: int
    rho: Fraction

    @classmethod
    def of_data(cls, query: Query) -> Stakes:
        """To guess the data."""
        return cls._diagonal([query.masses], query.f, query)

    @classmethod
    def of_values(cls, query: Query) -> Stakes:
        """To guess the data from responses that depend on f(x) alone: only the likeliest of each value counts."""
        return cls._diagonal([query.maxima], tuple(range(len(query.values))), query)

    @classmethod
    def of_priors(cls, query: Query, laws: Sequence[Distribution]) -> Stakes:
        """To guess the data, whichever of several priors they follow."""
        return cls._diagonal([law.fractions for law in laws], query.f, query)

    @classmethod
    def of_groups(cls, query: Query, groups: Sequence[int]) -> Stakes:
        """To guess the group of the data."""
        return cls(
            gains=(
                tuple(
                    tuple(mass if group == own else Fraction(0) for mass, own in zip(query.masses, groups, strict=True))
                    for group in sorted(set(groups))
                ),
            ),
            keep=query.f,
            size=len(query.values),
            rho=query.rho,
        )

    @classmethod
    def _diagonal(cls, laws: Sequence[Sequence[Fraction]], keep: tuple[int, ...], query: Query) -> Stakes:
        gains = tuple(
            tuple(tuple(mass if g == x else Fraction(0) for x in range(len(law))) for g, mass in enumerate(law))
            for law in laws
        )
        return cls(gains=gains, keep=keep, size=len(query.values), rho=query.rho)

    @property
    def array(self) -> FloatArray:
        """The gains as doubles, for programs."""
        return np.array([[[float(v) for v in row] for row in table] for table in self.gains])

    @property
    def peaks(self) -> tuple[tuple[Fraction, ...], ...]:
        """For each prior and value i of f, the gain of the best guess when f(x) = i is known."""
        return tuple(
            tuple(
                max(sum((v for v, own in zip(row, self.keep, strict=True) if own == i), Fraction(0)) for row in table)
                for i in range(self.size)
            )
            for table in self.gains
        )

    @property
    def blind(self) -> tuple[Fraction, ...]:
        """For each prior, what the best guess wins that looks at no response."""
        return tuple(max(sum(row, Fraction(0)) for row in table) for table in self.gains)

    def right(self, responses: Sequence[Rows]) -> Fraction:
        """Return how often the best guess is right under the worst prior: every sequence, in whole numbers."""
        joint = [[1] for _ in self.keep]
        whole = 1
        for rows in responses:
            numerators, denominator = common_numerators(rows)
            whole *= denominator
            joint = [
                [seen * int(part) for seen in entries for part in row]
                for entries, row in zip(joint, numerators, strict=True)
            ]
        return max(self._right_under(table, joint) for table in self.gains) / whole

    def right_repeated(self, rows: Rows, n: int) -> Interval:
        """Enclose the same for one response n times, by types."""
        ends = []
        for table in self.gains:
            cells = [(v, x, g) for g, row in enumerate(table) for x, v in enumerate(row) if v]
            ends.append(
                group_right_guesses([v for v, _, _ in cells], [rows[x] for _, x, _ in cells], [g for *_, g in cells], n)
            )
        return Interval(max(end.lower for end in ends), max(end.upper for end in ends))

    @staticmethod
    def _right_under(table: Rows, joint: list[list[int]]) -> Fraction:
        numerators, denominator = common_numerators(table)
        won = []
        for row in numerators:
            used = [(int(v), joint[x]) for x, v in enumerate(row) if v]
            won.append(
                [sum(parts) for parts in zip(*([v * seen for seen in entries] for v, entries in used), strict=True)]
            )
        return Fraction(sum(map(max, zip(*(part for part in won if part), strict=True))), denominator)


def privacy_interval(right: Fraction | Interval) -> Interval:
    """1 - right, rounded outwards."""
    if isinstance(right, Interval):
        lower, upper = 1 - Fraction(right.upper), 1 - Fraction(right.lower)
    else:
        lower = upper = 1 - right
    return Interval(max(0.0, float_below(lower)), min(1.0, float_above(upper)))


# --- Linear programs for the best response while all others are fixed
# Minimised is the success of the best guess over response matrices that name f(x) with probability at least ρ; with
# several priors, the largest of these. A program that the solver does not solve to optimality raises. Solutions are
# rounded to a grid and each row completed on its own f(x), so ρ holds exactly. Prices are a guesser, whose success
# against every response is computed in fractions.


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


# --- Searches for different responses, each improved in turn by a linear program, from several starts
# The rounds end where no response can be improved alone, which may be a local optimum. So the search has several
# starts, perturbs the best result and continues until all starts are done or the time is up.
# Theory: docs/theory/many_responses.md


Progress = Callable[[float], None]

_ROUNDS = 40
_LEAST_GAIN = 1e-9
# How much of the best responses is replaced before they are improved again.
_SHAKES = (0.03, 0.1, 0.3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The best responses of a search, made exact; None if there were none in time. `ended`: it came to its end."""

    responses: tuple[Rows, ...] | None
    ended: bool


def search(
    stakes: Stakes,
    n: int,
    bases: Sequence[Rows],
    *,
    starts: int,
    patience: Patience = FOREVER,
    progress: Progress | None = None,
) -> Found:
    """Improve from the bases and from other starts, then shake the best, gently and less gently, and improve again."""
    best: list[FloatArray] = []
    least = math.inf
    ended = True
    try:
        for trial in range(4 * starts):
            if trial < starts:
                rows = _starting_rows(stakes, n, trial, bases)
            else:
                shaken = _starting_rows(stakes, n, trial + len(_SHAKES), bases)
                part = _SHAKES[trial % len(_SHAKES)]
                rows = [(1 - part) * row + part * other for row, other in zip(best, shaken, strict=True)]
            for improved, right in _improvements(stakes, rows, patience):
                if right < least - _LEAST_GAIN:
                    best, least = improved, right
            if progress is not None:
                progress((trial + 1) / (4 * starts))
    except OutOfTime:
        ended = False
    exact = tuple(made_exact(matrix, stakes.keep, stakes.rho) for matrix in best)
    return Found(responses=exact or None, ended=ended)


def _improvements(
    stakes: Stakes, rows: list[FloatArray], patience: Patience
) -> Iterator[tuple[list[FloatArray], float]]:
    """Yield the responses after each round, so that nothing is lost when the time is up."""
    gains, value = stakes.array, math.inf
    for _ in range(_ROUNDS):
        for t in range(len(rows)):
            others = _sequences([matrix for u, matrix in enumerate(rows) if u != t], len(stakes.keep))
            rows[t] = best_response(gains, others, stakes.keep, stakes.size, float(stakes.rho), patience=patience).rows
        right = _right_guess(gains, rows)
        yield list(rows), right
        if value - right < _LEAST_GAIN:
            return
        value = right


def _right_guess(gains: FloatArray, rows: list[FloatArray]) -> float:
    seen = _sequences(rows, gains.shape[2])
    return max(float((seen @ table.T).max(axis=1).sum()) for table in gains)


def _sequences(matrices: list[FloatArray], rows: int) -> FloatArray:
    """Return how likely each sequence of responses is given each row; one empty sequence when there are none."""
    table = np.ones((1, rows))
    for matrix in matrices:
        table = (table[:, None, :] * matrix.T[None]).reshape(-1, rows)
    return table


def _starting_rows(stakes: Stakes, n: int, start: int, bases: Sequence[Rows]) -> list[FloatArray]:
    """Return the bases first, slightly perturbed, then random responses; starts need not be secret."""
    own = np.zeros((len(stakes.keep), stakes.size))
    own[np.arange(len(stakes.keep)), list(stakes.keep)] = 1.0
    rho = float(stakes.rho)
    found = []
    for t in range(n):
        spread = spread_numbers(own.size, start * 1000 + t).reshape(own.shape)
        spread /= spread.sum(axis=1, keepdims=True)
        if start < len(bases):
            mixed = 0.98 * np.array([[float(p) for p in row] for row in bases[start]]) + 0.02 * spread
        else:
            mixed = (1 - rho) * spread + rho * own
        short = np.maximum(0.0, rho - (mixed * own).sum(axis=1, keepdims=True))
        mixed = mixed * (1 - short) + own * short
        found.append(mixed / mixed.sum(axis=1, keepdims=True))
    return found


def spread_numbers(count: int, seed: int) -> FloatArray:
    """Exponential numbers, the same for the same seed: where a search begins has to be repeatable, not secret."""
    words = KeyedBits(sha256(b"sfumato alternating start %d" % seed).digest()).words(count, 32)
    spread: FloatArray = -np.log((words.astype(np.float64) + 0.5) / 2.0**32)
    return spread


FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# Above this a program has too many rows for a search of seconds.
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
