"""n independent responses, each right with probability ≥ ρ, that together tell as little as possible.

The published schemes repeat one response. The best repeated one is searched for on types, and responses that differ
from one another by linear programs, each improved while the others stay; so are responses that hide a predicate, and
responses for a family of priors. The best of all is returned with the bound that no scheme passes, and with a word on
whether the search went to its end.   Theory: docs/theory/many_responses.md
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sfumato.design.converses import best_converse
from sfumato.design.patience import FOREVER, Patience
from sfumato.design.programs import get_ready
from sfumato.design.published_schemes import HALF, as_channels, privacy_of_noise, published_noise
from sfumato.design.queries import Function, Prior, Query, places_of
from sfumato.design.recoverable_answers import Rows, best_noise, hide_predicate
from sfumato.design.repeated_response import MOST_SEARCHED_TYPES, best_repeated
from sfumato.design.response_search import Progress
from sfumato.design.response_types import MOST_EXACT_N, MOST_EXACT_TYPES, exact_right_guesses, type_count
from sfumato.design.responses_found import ResponsesDesign, Scheme, SchemeSearch
from sfumato.design.robust_answers import robust_stakes
from sfumato.design.stakes import Stakes
from sfumato.errors import InvalidParameter
from sfumato.prob import Channel
from sfumato.prob.alphabet import Label
from sfumato.values import Interval
from sfumato.values.checks import check_at_least, check_integer
from sfumato.values.types import Real

# Beyond so many sequences × rows the programs grow out of hand.
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
    >>> found = sf.design.responses([0.5, 0.3, 0.2], [0, 1, 2], 0.6, 2, starts=1, seconds=60)
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
    >>> query = sf.design.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    >>> published = sf.design.design_responses(query, 3, starts=0)
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
    if starts and n > 1 and type_count(n, len(query.values)) <= MOST_SEARCHED_TYPES:
        work.tried = True
        share = Patience.of(seconds / 2) if _cells(stakes, n) <= MOST_CELLS else work.patience
        repeated = best_repeated(query, n, starts=starts, patience=share)
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
    >>> found = sf.design.robust_responses(priors, [0, 1, 2], 0.6, 2, starts=1, seconds=60)
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
    >>> query = sf.design.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    >>> name, privacy, channels = sf.design.alternating(query, 2, starts=1)
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
    masses = [
        sum((m for m, own in zip(query.masses, pairs, strict=True) if own == kind), Fraction(0)) for kind in kinds
    ]
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
