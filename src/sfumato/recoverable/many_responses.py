"""n independent responses that are each right with probability rho, and the bound on their privacy.

The published schemes repeat one response. The best repeated response is searched for on types. Responses that differ
from one another are found by linear programs, each improved while the others stay fixed; so are responses that hide a
predicate, and responses for a family of priors. The best result is returned with the bound that no scheme exceeds, and
it states whether the search was completed.
Theory: docs/theory/many_responses.md
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.display.notebooks import Shown
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.numbers.checks import Real, check_at_least, check_between, check_integer
from sfumato.numbers.exact import round_to_grid
from sfumato.numbers.intervals import Interval
from sfumato.numbers.linear_programs import FOREVER, OutOfTime, Patience, get_ready, solve
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Label
from sfumato.recoverable.answers import Rows, best_noise, hide_predicate
from sfumato.recoverable.persistent import pair_error
from sfumato.recoverable.queries import Function, Prior, Query, places_of
from sfumato.recoverable.response_search import Progress, Stakes, best_repeated, privacy_interval, search, searched_n
from sfumato.recoverable.schemes import (
    HALF,
    MOST_EXACT_N,
    MOST_EXACT_TYPES,
    as_channels,
    exact_right_guesses,
    minority_chance,
    privacy_of_noise,
    published_noise,
    type_count,
    types,
)
from sfumato.recoverable.several_priors import robust_stakes

# --- A converse for n responses by a linear program on types, proved in fractions from both sides
# A guesser sees how often each value was named and names j with probability g(j|type). Its success Σ m_j E[g(j|T)|j] is
# multilinear in the n rows of j. Each row is a mixture of the vertices ρe_j + (1-ρ)e_l, so the worst case has c_l rows
# at vertex l and depends on c only. The best g solves a program; it is rounded to a grid and evaluated at its worst c
# in fractions, so the solver need not be trusted. The prices, treated likewise, give a persistent secret that does as
# well.
# Proof: docs/theory/many_responses.md


FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# Up to this size a program takes about a second; with four values n = 16 took 40 s and n = 20 did not end.
MOST_ENTRIES = 75_000
MOST_N = 20
_GRID_BITS = 40
# From so many types on interior points are faster than the simplex.
_MANY_TYPES = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeBounds:
    """Two fractions around the best privacy with a coin kept for life, and what the solver said.

    `upper` holds for n independent responses too: it is a converse.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> bounds = sf.recoverable.type_bounds([Fraction(1, 4)] * 4, Fraction(2, 5), 3)
    >>> round(float(bounds.lower), 8), round(float(bounds.upper), 8), bounds.lower <= bounds.upper
    (0.6, 0.6, True)
    """

    lower: Fraction
    upper: Fraction
    solved: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cells:
    """For one value, every vertex count c with every type that it can show: p = ways·(1-ρ)^wrong·ρ^right.

    `counts` and `shown` are places in the list of types; `right` leaves out rows that say j for certain.
    """

    counts: IntArray
    shown: IntArray
    ways: IntArray
    wrong: IntArray
    right: IntArray


def most_types_n(size: int) -> int:
    """Return the largest n for which the program is offered, 0 if for none."""
    n = 0
    while n < MOST_N and size * type_count(n + 1, 2 * size - 1) <= MOST_ENTRIES:
        n += 1
    return n


def type_bounds(maxima: Sequence[Fraction], rho: Fraction, n: int, *, patience: Patience = FOREVER) -> TypeBounds:
    """Enclose the best privacy of n responses with a coin kept for life, for values with these m_j and any ρ.

    Raises:
        InvalidParameter: n is so large that the program would grow out of hand.
        NotCertified: the solver did not come to an end.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> bounds = sf.recoverable.type_bounds([Fraction(1, 4)] * 4, Fraction(2, 5), 5)
    >>> query = sf.recoverable.Query.of([0.25] * 4, [0, 1, 2, 3], 0.4)
    >>> round(float(bounds.upper), 6), float(sf.recoverable.converse(query, 5))
    (0.57888, 0.6)
    """
    size = len(maxima)
    check_at_least("n", check_integer("n", n), 1)
    check_between("rho", rho, 0, 1)
    if n > most_types_n(size):
        raise InvalidParameter(
            f"must be at most {most_types_n(size)} for a program over {size} values",
            parameter="n",
            value=n,
            way_out="The bound for fewer responses holds as well.",
        )
    cells = [_type_cells(n, size, j) for j in range(size)]
    guesses, prices, solved = _solve(maxima, float(rho), n, cells, patience)
    powers = _powers(rho, n)
    return TypeBounds(
        lower=1 - _right_against_coin(maxima, cells, powers, prices),
        upper=1 - _right_of_guesser(maxima, cells, powers, guesses),
        solved=1 + solved,
    )


def _type_cells(n: int, size: int, j: int) -> _Cells:
    others = [place for place in range(size) if place != j]
    # A vertex l ≠ j that was used c_l times showed l some times and j the other times; the last part is c_j.
    split = types(n, 2 * size - 1)
    missed, hit, sure = split[:, : size - 1], split[:, size - 1 : -1], split[:, -1]
    counts, shown = (np.empty((len(split), size), dtype=np.int64) for _ in range(2))
    counts[:, others], counts[:, j] = missed + hit, sure
    shown[:, others], shown[:, j] = missed, sure + hit.sum(axis=1)
    choose = np.array([[math.comb(c, a) for a in range(n + 1)] for c in range(n + 1)], dtype=np.int64)
    place = {tuple(row): i for i, row in enumerate(types(n, size).tolist())}
    return _Cells(
        counts=np.array([place[tuple(row)] for row in counts.tolist()], dtype=np.int64),
        shown=np.array([place[tuple(row)] for row in shown.tolist()], dtype=np.int64),
        ways=choose[missed + hit, missed].prod(axis=1),
        wrong=missed.sum(axis=1),
        right=hit.sum(axis=1),
    )


def _solve(
    maxima: Sequence[Fraction], rho: float, n: int, cells: Sequence[_Cells], patience: Patience
) -> tuple[FloatArray, FloatArray, float]:
    """Maximise Σ m_j s_j, s_j ≤ Σ_t g(j|t)p(t|j,c): g by types, prices of (j, c), and minus the optimum."""
    from scipy.sparse import coo_array  # noqa: PLC0415  scipy is slow to import

    size, count = len(maxima), type_count(n, len(maxima))
    data, rows, columns = [], [], []
    for j, cell in enumerate(cells):
        data += [-cell.ways * (1 - rho) ** cell.wrong * rho**cell.right, np.ones(count)]
        rows += [j * count + cell.counts, j * count + np.arange(count)]
        columns += [cell.shown * size + j, np.full(count, count * size + j)]
    total = count * size + size
    places = (np.concatenate(rows), np.concatenate(columns))
    above = coo_array((np.concatenate(data), places), shape=(size * count, total)).tocsr()
    of_type = (np.arange(count * size) // size, np.arange(count * size))
    equal = coo_array((np.ones(count * size), of_type), shape=(count, total)).tocsr()
    costs = np.zeros(total)
    costs[count * size :] = [-float(m) for m in maxima]
    bounds = np.zeros((total, 2))
    bounds[:, 1] = 1.0
    found = solve(
        costs, above, np.zeros(size * count), equal, np.ones(count), bounds, patience, inner=count > _MANY_TYPES
    )
    guesses = found.values[: count * size].reshape(count, size)
    return guesses, found.prices.reshape(size, count), found.value


def _powers(rho: Fraction, n: int) -> list[list[int]]:
    """(1-ρ)^wrong·ρ^right as whole numbers over the n-th power of ρ's denominator."""
    right, whole = rho.numerator, rho.denominator
    return [[(whole - right) ** a * right**b * whole ** (n - a - b) for b in range(n + 1 - a)] for a in range(n + 1)]


def _right_of_guesser(
    maxima: Sequence[Fraction], cells: Sequence[_Cells], powers: list[list[int]], guesses: FloatArray
) -> Fraction:
    """Σ m_j times the least chance of a right guess over c, of the guesser made exact."""
    clipped = np.clip(guesses, 0.0, 1.0)
    grid = [round_to_grid(row, _GRID_BITS) for row in (clipped / clipped.sum(axis=1, keepdims=True)).tolist()]
    whole = powers[0][0] << _GRID_BITS
    right = Fraction(0)
    for j, (m, cell) in enumerate(zip(maxima, cells, strict=True)):
        chances = [0] * len(grid)
        for count, shown, ways, wrong, hit in _lines(cell):
            chances[count] += grid[shown][j] * ways * powers[wrong][hit]
        right += m * Fraction(min(chances), whole)
    return right


def _right_against_coin(
    maxima: Sequence[Fraction], cells: Sequence[_Cells], powers: list[list[int]], prices: FloatArray
) -> Fraction:
    """Σ over types of the largest weight of a value, where value j takes the coin c as its prices say, made exact."""
    count = prices.shape[1]
    shown_by: list[list[int]] = []
    for price, cell in zip(prices, cells, strict=True):
        clipped = np.clip(price, 0.0, None)
        law = clipped / clipped.sum() if clipped.sum() > 0 else np.full(count, 1 / count)
        coin = round_to_grid(law.tolist(), _GRID_BITS)
        weights = [0] * count
        for drawn, shown, ways, wrong, hit in _lines(cell):
            weights[shown] += coin[drawn] * ways * powers[wrong][hit]
        shown_by.append(weights)
    largest = (
        max(m * weight for m, weight in zip(maxima, column, strict=True)) for column in zip(*shown_by, strict=True)
    )
    return sum(largest, Fraction(0)) / (powers[0][0] << _GRID_BITS)


def _lines(cell: _Cells) -> list[tuple[int, ...]]:
    return list(
        zip(*(part.tolist() for part in (cell.counts, cell.shown, cell.ways, cell.wrong, cell.right)), strict=True)
    )


# --- The best known bound for n independent responses, whatever is to be hidden
# For ρ > 1/2 it is the closed form of a persistent secret, which is never above [A, Thm 4]. For ρ ≤ 1/2 it is the
# lesser of [A, Thm 4] and of the program on types, at n or, where that is too large, at fewer responses: more responses
# never hide more.


def quick_converse(stakes: Stakes, n: int) -> Fraction:
    """Return the bound without any program, exact."""
    bounds = []
    for peaks, blind in zip(stakes.peaks, stakes.blind, strict=True):
        total = sum(peaks, Fraction(0))
        if stakes.rho > HALF:
            told = total - pair_error(peaks, stakes.rho, n)
        else:
            likely = 1 - min(minority_chance(stakes.rho, m) for m in (n - 1, n) if m)
            told = total * max(stakes.rho, likely)
        bounds.append(1 - max(blind, told))
    return min(bounds)


def best_converse(stakes: Stakes, n: int, *, enough: Fraction | None = None, patience: Patience = FOREVER) -> Fraction:
    """Return the least bound known; programs are left out where they cannot help, or where `enough` is reached."""
    found = quick_converse(stakes, n)
    if stakes.rho > HALF or (enough is not None and found <= enough):
        return found
    offered = min(n, most_types_n(stakes.size))
    # With two values the guess that looks at nothing is the best of all, and V_2 meets it.
    if stakes.size == 2 or offered < 1:
        return found
    try:
        uppers: Sequence[Fraction] = [
            type_bounds(peaks, stakes.rho, offered, patience=patience).upper for peaks in stakes.peaks
        ]
    except (OutOfTime, NotCertified):
        return found
    return min(found, *uppers)


def responses_converse(query: Query, n: int) -> Fraction:
    """Return the bound that no n independent responses to a query pass, when the data are to be hidden.

    For ρ > 1/2 it falls, as more responses are given, to 1 - S, which even whoever knows f(x) misses.

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.6, 0.3, 0.1], [0, 1, 2], 0.7)
    >>> [round(float(sf.recoverable.responses_converse(query, n)), 4) for n in (1, 2, 5, 20)]
    [0.3, 0.258, 0.1631, 0.0295]
    """
    return best_converse(Stakes.of_values(query), n)


# --- Results of a search for n responses: schemes with their privacy, and the best of them with the bound
# Theory: docs/theory/many_responses.md


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponsesDesign(Shown):
    """Channels, one a response, with the privacy of all of them together and the bound that none passes.

    `exact` is the privacy as a fraction where it was summed in fractions. `candidates` are the privacies of every
    scheme that was tried, best first; `search` says how far the search went; `gap` is what may still be missing.

    >>> import sfumato as sf
    >>> two = sf.recoverable.responses([0.6, 0.4], [0, 1], 0.7, 5)
    >>> two.name, two.n, float(two.exact), two.exact == two.converse, two.gap
    ('V_o repeated', 5, 0.16308, True, 0.0)
    >>> two.search, [name for name, _ in two.candidates]
    ('not searched', ['V_o repeated', 'V_1 repeated'])
    """

    name: str
    query: Query
    channels: tuple[Channel, ...]
    privacy: Interval
    exact: Fraction | None
    converse: Fraction
    candidates: tuple[tuple[str, Interval], ...]
    search: str

    @property
    def gap(self) -> float:
        """How far the privacy may be from the best possible; 0 is proved."""
        reached = Fraction(self.privacy.lower) if self.exact is None else self.exact
        return float(max(Fraction(0), self.converse - reached))

    @property
    def n(self) -> int:
        """How many responses there are."""
        return len(self.channels)


@dataclass(frozen=True, slots=True)
class Scheme:
    """Responses with a name, and their privacy: enclosed, and exact where it was summed in fractions."""

    name: str
    privacy: Interval
    exact: Fraction | None
    channels: tuple[Channel, ...]


@dataclass(slots=True)
class SchemeSearch:
    """What a search is given, what it has found, and whether it was stopped, or made for `fewer` responses."""

    query: Query
    n: int
    starts: int
    patience: Patience
    progress: Progress | None
    found: list[Scheme] = field(default_factory=list)
    tried: bool = False
    stopped: bool = False
    fewer: int | None = None

    @property
    def words(self) -> str:
        """How far the search went."""
        if not self.tried:
            return "not searched"
        ended = f"stopped after {self.patience.seconds:g} seconds" if self.stopped else "searched to its end"
        return ended if self.fewer is None else f"{ended}, for {self.fewer} responses in place of {self.n}"

    def add(self, name: str, right: Fraction | Interval, channels: tuple[Channel, ...]) -> None:
        """Add a scheme by how often guesses are right."""
        exact = 1 - right if isinstance(right, Fraction) else None
        self.found.append(Scheme(name, privacy_interval(right), exact, channels))

    def alternate(self, name: str, stakes: Stakes, bases: Sequence[Rows], expand: Callable[[Rows], Channel]) -> None:
        """Search for responses that differ from one another."""
        self.tried = True
        ended = search(stakes, self.n, bases, starts=self.starts, patience=self.patience, progress=self.progress)
        self.stopped |= not ended.ended
        if ended.responses is not None:
            right = stakes.right(ended.responses)
            self.add(name, right, tuple(expand(rows) for rows in ended.responses))

    def design(self, stakes: Stakes) -> ResponsesDesign:
        """Return the best of all that was found, with the bound that none passes."""
        self.found.sort(key=lambda candidate: -candidate.privacy.lower)
        best = self.found[0]
        reached = Fraction(best.privacy.lower) if best.exact is None else best.exact
        return ResponsesDesign(
            name=best.name,
            query=self.query,
            channels=best.channels,
            privacy=best.privacy,
            exact=best.exact,
            converse=best_converse(stakes, self.n, enough=reached),
            candidates=tuple((candidate.name, candidate.privacy) for candidate in self.found),
            search=self.words,
        )


# Most sequences × rows of a program.
MOST_CELLS = 60_000
MOST_SECONDS = 5.0
_STARTS = 8


def responses(
    prior: Prior,
    f: Function,
    rho: Real,
    n: int,
    predicate: Function | None = None,
    *,
    values: tuple[Label, ...] | None = None,
    starts: int = _STARTS,
    seconds: float = MOST_SECONDS,
    add_noise_only: bool | None = None,
    progress: Progress | None = None,
) -> ResponsesDesign:
    """Return the best of the published schemes and of what is found within `seconds` for n responses.

    They hide the data, or a predicate of them. With `add_noise_only` responses depend on f(x) alone, which keeps the
    programs at k×k however many values the data has; left out, it is chosen by size.

    >>> import sfumato as sf
    >>> found = sf.recoverable.responses([0.5, 0.3, 0.2], [0, 1, 2], 0.6, 2, starts=1, seconds=60)
    >>> found.name, round(found.privacy.lower, 4), float(found.converse), found.search
    ('one response repeated', 0.3685, 0.4, 'searched to its end')
    """
    return design_responses(
        Query.of(prior, f, rho, values=values),
        n,
        predicate=predicate,
        starts=starts,
        seconds=seconds,
        add_noise_only=add_noise_only,
        progress=progress,
    )


def design_responses(
    query: Query,
    n: int,
    *,
    predicate: Function | None = None,
    starts: int = _STARTS,
    seconds: float = MOST_SECONDS,
    add_noise_only: bool | None = None,
    progress: Progress | None = None,
) -> ResponsesDesign:
    """Return the best scheme found for a query.

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    >>> published = sf.recoverable.design_responses(query, 3, starts=0)
    >>> published.name, round(published.privacy.lower, 4), published.search, round(published.gap, 4)
    ('V_o repeated', 0.2829, 'not searched', 0.0691)
    """
    work = _begin(query, n, starts, seconds, progress)
    if predicate is not None:
        return _hide_predicate(work, predicate)
    stakes = Stakes.of_values(query)
    published = published_noise(query)
    for name, noise in (("V_o repeated", best_noise(query)), (_published_name(query), published)):
        _add_noise(work, name, noise)
    # What meets the bound needs no search: with two values V_1 or V_2 does.
    if max(c.exact or 0 for c in work.found) == best_converse(stakes, n, enough=Fraction(1)):
        return work.design(stakes)
    bases = [best_noise(query), published]
    if (searched := searched_n(query, n)) and starts:
        work.tried = True
        work.fewer = searched if searched < n else None
        share = Patience.of(seconds / 2) if _cells(stakes, n) <= MOST_CELLS else work.patience
        repeated = best_repeated(query, searched, starts=starts, patience=share)
        work.stopped |= not repeated.ended
        if repeated.responses is not None:
            _add_noise(work, "one response repeated", repeated.responses[0])
            bases.insert(0, repeated.responses[0])
    if starts and _cells(stakes, n) <= MOST_CELLS:
        _alternate(work, bases, add_noise_only)
    return work.design(stakes)


def robust_responses(
    priors: Sequence[Prior],
    f: Function,
    rho: Real,
    n: int,
    *,
    starts: int = _STARTS,
    seconds: float = MOST_SECONDS,
    progress: Progress | None = None,
) -> ResponsesDesign:
    """Return n responses that are best for the worst of several priors on the same data, of those that were found.

    >>> import sfumato as sf
    >>> priors = [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]]
    >>> found = sf.recoverable.robust_responses(priors, [0, 1, 2], 0.6, 2, starts=1, seconds=60)
    >>> found.name, round(found.privacy.lower, 4), round(float(found.converse), 4)
    ('alternating programs', 0.328, 0.4)
    """
    query, stakes, single = robust_stakes(priors, f, rho)
    work = _begin(query, n, starts, seconds, progress)
    rows = tuple(tuple(Fraction(p) for p in row) for row in single.channel.rows)
    bases = [rows, tuple(published_noise(query)[place] for place in query.f)]
    for name, base in zip(("the best for one repeated", _published_name(query)), bases, strict=True):
        work.add(name, stakes.right_repeated(base, n), (_as_channel(query, base),) * n)
    if starts and _cells(stakes, n) <= MOST_CELLS:
        work.alternate("alternating programs", stakes, bases, lambda found: _as_channel(query, found))
    return work.design(stakes)


def alternating(
    query: Query, n: int, *, starts: int = _STARTS, add_noise_only: bool | None = None, progress: Progress | None = None
) -> tuple[str, Interval, tuple[Channel, ...]]:
    """Improve one response after the other by a linear program, from several starts; return the best end.

    Every end is made exact, and its privacy is computed from the exact responses, not taken from the solver.

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    >>> name, privacy, channels = sf.recoverable.alternating(query, 2, starts=1)
    >>> name, round(privacy.lower, 4), len(channels)
    ('alternating programs', 0.3632, 2)
    """
    check_at_least("starts", check_integer("starts", starts), 1)
    work = SchemeSearch(query, n, starts, FOREVER, progress)
    _alternate(work, [best_noise(query), published_noise(query)], add_noise_only)
    found = work.found[0]
    return found.name, found.privacy, found.channels


def _begin(query: Query, n: int, starts: int, seconds: float, progress: Progress | None) -> SchemeSearch:
    check_at_least("n", check_integer("n", n), 1)
    check_at_least("starts", check_integer("starts", starts), 0)
    if starts:
        get_ready()
    return SchemeSearch(query, n, starts, Patience.of(seconds), progress)


def _add_noise(work: SchemeSearch, name: str, noise: Rows) -> None:
    """Add a response repeated: exactly where there are few types, and otherwise from the guesses that lose."""
    query, n = work.query, work.n
    channels = as_channels(query, noise, n)
    if type_count(n, len(query.values)) <= MOST_EXACT_TYPES and n <= MOST_EXACT_N:
        work.add(name, exact_right_guesses(query.maxima, noise, n), channels)
    else:
        work.found.append(Scheme(name, privacy_of_noise(query, noise, n), None, channels))


def _alternate(work: SchemeSearch, bases: Sequence[Rows], add_noise_only: bool | None) -> None:
    query, n = work.query, work.n
    by_data, by_value = Stakes.of_data(query), Stakes.of_values(query)
    only = _cells(by_data, n) > MOST_CELLS if add_noise_only is None else add_noise_only
    if _cells(by_value if only else by_data, n) > MOST_CELLS:
        raise InvalidParameter(
            f"responses over {len(query.values)} values are too many for alternating programs",
            parameter="n",
            value=n,
            way_out="Lower `n`, or use the published schemes (`starts`=0).",
        )
    if only:
        name = "alternating programs, noise on the value"
        work.alternate(name, by_value, bases, lambda rows: as_channels(query, rows, 1)[0])
    else:
        spread = [tuple(base[place] for place in query.f) for base in bases]
        work.alternate("alternating programs", by_data, spread, lambda rows: _as_channel(query, rows))


def _hide_predicate(work: SchemeSearch, predicate: Function) -> ResponsesDesign:
    """Responses that depend on f(x) and h(x), and hide h(x); people who agree on both are one."""
    query, n = work.query, work.n
    places, _ = places_of("predicate", predicate, query.prior)
    pairs = list(zip(query.f, places, strict=True))
    kinds = sorted(set(pairs))
    masses = [sum(m for m, own in zip(query.masses, pairs, strict=True) if own == kind) for kind in kinds]
    merged = Query.of(masses, [f for f, _ in kinds], query.rho, values=range(len(query.values)))
    stakes = Stakes.of_groups(merged, [h for _, h in kinds])

    def expand(rows: Rows) -> Channel:
        return _as_channel(query, tuple(rows[kinds.index(pair)] for pair in pairs))

    single = hide_predicate(merged, [h for _, h in kinds]).channel
    noise = published_noise(query)
    bases = [
        tuple(tuple(Fraction(p) for p in row) for row in single.rows),
        tuple(noise[f] for f, _ in kinds),
    ]
    for name, base in zip(("W'_o repeated", _published_name(query)), bases, strict=True):
        work.add(name, stakes.right_repeated(base, n), (expand(base),) * n)
    if work.starts and _cells(stakes, n) <= MOST_CELLS:
        work.alternate("alternating programs", stakes, bases, expand)
    return work.design(stakes)


def _as_channel(query: Query, rows: Rows) -> Channel:
    return Channel(rows, query.prior.labels, query.values)


def _cells(stakes: Stakes, n: int) -> int:
    return int(stakes.size**n * len(stakes.keep))


def _published_name(query: Query) -> str:
    return "V_1 repeated" if query.rho > HALF else "V_2 repeated"
