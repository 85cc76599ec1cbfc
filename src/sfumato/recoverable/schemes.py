"""The schemes of [A] for n independent responses, and their privacy by types.

V_1 (for ρ > 1/2) flips between neighbours, V_2 (for ρ ≤ 1/2) hides the value in a block. Both need the values sorted by
m_i = max P(x) over f(x) = i, largest first; the functions here sort them.
Theory: docs/theory/many_responses.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.measures.divergences import chernoff_information_nats
from sfumato.numbers.checks import check_at_least, check_integer
from sfumato.numbers.intervals import Interval, float_above, float_below
from sfumato.prob.channel import Channel
from sfumato.recoverable.answers import Rows
from sfumato.recoverable.queries import Query

# --- Exact privacy of n independent responses of one kind, without listing k^n sequences
# Only the counts of a sequence, its type, matter; there are C(n+k-1, k-1) types. With w_j the weight of row j, the best
# guesser is right with probability Σ over types of (number of sequences) · max_j w_j Π_i V(i|j)^count_i. The sum here
# is over the rows that are not the maximum: a tiny chance of a wrong guess would be lost in a difference from 1.


FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

MOST_TYPES = 5_000_000
# Up to this many types are summed in fractions.
MOST_EXACT_TYPES = 3_000
MOST_EXACT_N = 60
_ROUNDOFF = 2.0**-53
# More than all the terms together that are too small for a double: at most MOST_TYPES of them below 1e-307.
_LOST = 1e-300


def type_count(n: int, size: int) -> int:
    """C(n+k-1, k-1)."""
    return math.comb(n + size - 1, size - 1)


def wrong_guesses(weights: Sequence[Fraction], rows: Sequence[Sequence[Fraction]], n: int) -> Interval:
    """Enclose the weight that the best guesser of the row misses after n responses, out of Σ weights."""
    check_at_least("n", check_integer("n", n), 1)
    _check_types(n, len(rows[0]))
    if type_count(n, len(rows[0])) <= MOST_EXACT_TYPES and n <= MOST_EXACT_N:
        missed = sum(weights, Fraction(0)) - exact_right_guesses(weights, rows, n)
        return Interval(max(0.0, float_below(missed)), float_above(missed))
    logs = _log_likelihoods(np.array([[float(p) for p in row] for row in rows]), [float(w) for w in weights], n)
    logs[np.arange(len(logs)), logs.argmax(axis=1)] = -np.inf
    if not np.isfinite(logs).any():
        return Interval(0.0, 0.0)
    return _loosened(math.fsum(np.exp(logs).sum(axis=1).tolist()), n, len(rows[0]))


def exact_right_guesses(weights: Sequence[Fraction], rows: Sequence[Sequence[Fraction]], n: int) -> Fraction:
    """Return how often the guesser is right, as a fraction; for few types."""
    total = Fraction(0)
    for counts in types(n, len(rows[0])).tolist():
        ways = math.factorial(n) // math.prod(map(math.factorial, counts))
        total += ways * max(
            weight * math.prod((p**c for p, c in zip(row, counts, strict=True) if c), start=Fraction(1))
            for weight, row in zip(weights, rows, strict=True)
        )
    return total


def group_right_guesses(
    weights: Sequence[Fraction], rows: Sequence[Sequence[Fraction]], groups: Sequence[int], n: int
) -> Interval:
    """Enclose how often the best guesser of the *group* of a row is right: rows of one group are added up first."""
    _check_types(n, len(rows[0]))
    merged: dict[tuple[int, tuple[Fraction, ...]], Fraction] = {}
    for weight, row, group in zip(weights, rows, groups, strict=True):
        merged[group, tuple(row)] = merged.get((group, tuple(row)), Fraction(0)) + weight
    laws = np.array([[float(p) for p in row] for _, row in merged])
    owners = np.array([group for group, _ in merged])
    logs = _log_likelihoods(laws, [float(w) for w in merged.values()], n)
    # Some types cannot come up under any row, as when a response names values of two blocks.
    logs = logs[np.isfinite(logs).any(axis=1)]
    shift = logs.max(axis=1, keepdims=True)
    scaled = np.exp(logs - shift)
    sums = np.stack([scaled[:, owners == group].sum(axis=1) for group in sorted(set(groups))], axis=1)
    found = math.fsum((np.exp(shift[:, 0]) * sums.max(axis=1)).tolist())
    return _loosened(found, n, len(rows[0]))


def types(n: int, size: int) -> IntArray:
    """Return every type as a row of counts."""
    _check_types(n, size)
    if size == 1:
        return np.array([[n]], dtype=np.int64)
    left = np.array([n], dtype=np.int64)
    columns: list[IntArray] = []
    for _ in range(size - 1):
        repeats = left + 1
        chosen = np.concatenate([np.arange(count, dtype=np.int64) for count in repeats.tolist()])
        columns = [np.repeat(column, repeats) for column in columns]
        columns.append(chosen)
        left = np.repeat(left, repeats) - chosen
    return np.stack([*columns, left], axis=1)


def _log_likelihoods(rows: FloatArray, weights: Sequence[float], n: int) -> FloatArray:
    """ln of (number of sequences) · weight · Π V^count for every type and row; -inf where a response is impossible."""
    from scipy.special import gammaln  # noqa: PLC0415  scipy is slow to import

    counts = types(n, rows.shape[1])
    ways = gammaln(n + 1) - gammaln(counts + 1).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(rows)
        # 0 · ln 0 is 0: a response that did not come says nothing.
        parts = np.where(counts[:, None, :] > 0, counts[:, None, :] * logs[None], 0.0).sum(axis=2)
    result: FloatArray = ways[:, None] + parts + np.log(np.array(weights))[None]
    return result


def _loosened(found: float, n: int, size: int) -> Interval:
    """Rounding of ln n! and of n·ln p, carried through the exponential, with a margin."""
    slack = 64 * _ROUNDOFF * (size + 2) * (n * max(1.0, math.log(n + 1)) + 16)
    return Interval(max(0.0, found * (1 - slack) - _LOST), found * (1 + slack) + _LOST)


def _check_types(n: int, size: int) -> None:
    if type_count(n, size) * size > MOST_TYPES:
        raise InvalidParameter(
            f"responses over {size} values have {type_count(n, size)} types, too many to sum",
            parameter="n",
            value=n,
            way_out="Lower `n`, or use the bounds.",
        )


HALF = Fraction(1, 2)


def pair_noise(query: Query) -> Rows:
    """V_1: the largest and the next value flip into each other, and so on; an odd last one leaks to the first.

    Returns:
        V(i|j), a row for each value j of the function, in the query's order.

    Raises:
        InvalidParameter: ρ is 1/2 or less.

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 3], 0.7)
    >>> for row in sf.recoverable.pair_noise(query):
    ...     print(*row)
    7/10 3/10 0 0
    3/10 7/10 0 0
    0 0 7/10 3/10
    0 0 3/10 7/10
    """
    if query.rho <= HALF:
        raise InvalidParameter(
            "must be above 1/2 for V_1",
            parameter="rho",
            value=float(query.rho),
            way_out="Use `block_noise` (V_2) below.",
        )
    size = len(query.values)
    partner = [place + 1 if place % 2 == 0 else place - 1 for place in range(size)]
    partner[-1] = 0 if size % 2 else partner[-1]
    rows = [[Fraction(0)] * size for _ in range(size)]
    for place in range(size):
        rows[place][partner[place]] = 1 - query.rho
        rows[place][place] = query.rho
    return _unsorted(query, rows)


def block_noise(query: Query) -> Rows:
    """V_2: a value is hidden among the ⌊1/ρ⌋ values of its block, uniformly; with ρ ≤ 1/k there is one block.

    Returns:
        V(i|j), a row for each value j of the function, in the query's order.

    Raises:
        InvalidParameter: ρ is above 1/2.

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 3], 0.5)
    >>> for row in sf.recoverable.block_noise(query):
    ...     print(*row)
    1/2 1/2 0 0
    1/2 1/2 0 0
    0 0 1/2 1/2
    0 0 1/2 1/2
    """
    if query.rho > HALF:
        raise InvalidParameter(
            "must be at most 1/2 for V_2",
            parameter="rho",
            value=float(query.rho),
            way_out="Use `pair_noise` (V_1) above.",
        )
    size = len(query.values)
    block = size if query.rho * size <= 1 else math.floor(1 / query.rho)
    rows = []
    for place in range(size):
        start = place // block * block
        stop = min(start + block, size)
        rows.append([Fraction(int(start <= i < stop), stop - start) for i in range(size)])
    return _unsorted(query, rows)


def published_noise(query: Query) -> Rows:
    """V_1 or V_2, whichever ρ calls for.

    Returns:
        V(i|j), a row for each value j of the function, in the query's order.

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 3], 0.7)
    >>> sf.recoverable.published_noise(query) == sf.recoverable.pair_noise(query)
    True
    """
    return pair_noise(query) if query.rho > HALF else block_noise(query)


def privacy_of_noise(query: Query, noise: Rows, n: int) -> Interval:
    """Enclose π(V^n), how often the best guesser of the data is wrong after n responses [A, Lemma 9].

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    >>> noise = sf.recoverable.pair_noise(query)
    >>> [round(sf.recoverable.privacy_of_noise(query, noise, n).lower, 4) for n in (1, 3, 5)]
    [0.38, 0.28, 0.2445]
    """
    missed = wrong_guesses(query.maxima, noise, n)
    rest = 1 - query.total
    return Interval(float_below(rest + Fraction(missed.lower)), min(1.0, float_above(rest + Fraction(missed.upper))))


def accuracy_of_noise(query: Query, noise: Rows, n: int) -> Interval:
    """Enclose how often the querier's best guess of f(X) is right after n responses.

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    >>> noise = sf.recoverable.pair_noise(query)
    >>> [round(sf.recoverable.accuracy_of_noise(query, noise, n).lower, 4) for n in (1, 3, 5)]
    [0.62, 0.72, 0.7555]
    """
    found = group_right_guesses(query.value_masses, noise, range(len(query.values)), n)
    return Interval(found.lower, min(1.0, found.upper))


def accuracy_floor(query: Query, n: int) -> float:
    """[A, eq. (33)]: the least probability with which any n responses determine f(X).

    It is the largest of ρ, of the likeliest value's probability, and of how often more than half of n responses are
    right.

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 3], 0.7)
    >>> [round(sf.recoverable.accuracy_floor(query, n), 4) for n in (1, 5, 21)]
    [0.7, 0.8369, 0.9736]
    """
    return max(float(query.rho), float(max(query.value_masses)), 1 - float(minority_chance(query.rho, n)))


def converse(query: Query, n: int) -> Fraction:
    """[A, Thm 4]: no n responses have more privacy than 1 - S + S·min(1-ρ_c, 1-ρ, Pr[Bin(n,ρ) ≤ n/2]).

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 3], 0.7)
    >>> [round(float(sf.recoverable.converse(query, n)), 4) for n in (1, 5, 21)]
    [0.3, 0.1631, 0.0264]
    """
    spare = min(1 - query.critical_rho, 1 - query.rho, minority_chance(query.rho, n))
    return 1 - query.total + query.total * spare


def pair_bound(query: Query, n: int) -> Fraction:
    """[A, Thm 5]: the privacy that V_1 has at least: 1 - S + Pr[Bin(n,ρ) ≤ n/2]·Σ of every second m_i, sorted.

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 3], 0.7)
    >>> found = sf.recoverable.privacy_of_noise(query, sf.recoverable.pair_noise(query), 5)
    >>> float(sf.recoverable.pair_bound(query, 5)), round(found.lower, 5)
    (0.065232, 0.16308)
    """
    ordered = sorted(query.maxima, reverse=True)
    return 1 - query.total + minority_chance(query.rho, n) * sum(ordered[1::2], Fraction(0))


def block_privacy(query: Query) -> Fraction:
    """[A, Thm 6, eq. (61)]: the privacy of V_2, the same for every n: 1 - Σ over blocks of the largest m_i.

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 3], 0.5)
    >>> float(sf.recoverable.block_privacy(query))
    0.4
    """
    size = len(query.values)
    block = size if query.rho * size <= 1 else math.floor(1 / query.rho)
    return 1 - sum(sorted(query.maxima, reverse=True)[::block], Fraction(0))


def blocks_win_at_last(query: Query) -> bool:
    """Whether V_2 has at least the privacy of V_o for all large n, ρ ≤ 1/2 [A, Prop 11(i), eq. (80)].

    It has, except exactly where k ≥ 3, all m_i but the least are equal, that one is smaller, and 1/k < ρ ≤ ρ_c: there
    V_o has more for every n. The print has no exception; proof: docs/theory/many_responses.md

    Raises:
        InvalidParameter: ρ is above 1/2.

    >>> import sfumato as sf
    >>> from sfumato.recoverable.schemes import blocks_win_at_last
    >>> blocks_win_at_last(sf.recoverable.Query.of([0.4, 0.4, 0.2], [0, 1, 2], 0.35))
    False
    >>> blocks_win_at_last(sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.35))
    True
    """
    if query.rho > HALF:
        raise InvalidParameter(
            "must be at most 1/2 for V_2", parameter="rho", value=float(query.rho), way_out="Lower `rho`."
        )
    first, *_, last = ordered = sorted(query.maxima, reverse=True)
    size = len(ordered)
    alike_but_one = size >= 3 and first == ordered[-2] > last
    return not (alike_but_one and query.rho * size > 1 and query.rho <= query.critical_rho)


def minority_chance(rho: Fraction, n: int) -> Fraction:
    """Pr[Bin(n, ρ) ≤ ⌊n/2⌋], exact.

    That is how often no more than half of n responses are right.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> chances = [sf.recoverable.minority_chance(Fraction(3, 4), n) for n in (3, 21)]
    >>> chances[0], round(float(chances[1]), 4)
    (Fraction(5, 32), 0.0064)
    """
    check_at_least("n", check_integer("n", n), 1)
    p, q = rho.numerator, rho.denominator - rho.numerator
    total = sum(math.comb(n, hits) * p**hits * q ** (n - hits) for hits in range(n // 2 + 1))
    return Fraction(total, rho.denominator**n)


def minority_bounds(rho: float, n: int) -> tuple[float, float]:
    """[A, Lemma 7(i)]: two bounds on the same chance for ρ ≥ 1/2, e^(-nD)/(n+1) and (⌊n/2⌋+1)·e^(-nD).

    Raises:
        InvalidParameter: ρ is below 1/2.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> low, high = sf.recoverable.minority_bounds(0.75, 21)
    >>> round(low, 5), round(float(sf.recoverable.minority_chance(Fraction(3, 4), 21)), 5), round(high, 5)
    (0.00125, 0.00642, 0.30243)
    """
    if not HALF <= rho <= 1:
        raise InvalidParameter(
            "must lie in [1/2, 1] for these bounds",
            parameter="rho",
            value=rho,
            way_out="Compute `minority_chance` itself.",
        )
    check_at_least("n", check_integer("n", n), 1)
    exponent = n * _divergence_nats((n // 2) / n, rho)
    return math.exp(-exponent) / (n + 1), (n // 2 + 1) * math.exp(-exponent)


def decay_bounds(query: Query, n: int) -> tuple[float, float]:
    """[A, Prop 8]: lower and upper bounds on the best privacy for ρ > 1/2; both fall to 1 - S like e^(-nD(½‖ρ)).

    The upper bound holds for every n: the condition printed for it is not needed.

    Raises:
        InvalidParameter: ρ is 1/2 or less: there privacy does not fall with n.

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 3], 0.7)
    >>> [round(one, 4) for one in sf.recoverable.decay_bounds(query, 51)]
    [0.0001, 0.1976]
    """
    if query.rho <= HALF:
        raise InvalidParameter(
            "must be above 1/2: below, privacy does not fall with `n`",
            parameter="rho",
            value=float(query.rho),
            way_out="Raise `rho`.",
        )
    low, high = minority_bounds(float(query.rho), n)
    rest, total = float(1 - query.total), float(query.total)
    second = float(sum(sorted(query.maxima, reverse=True)[1::2], Fraction(0)))
    return rest + low * second, min(1.0, rest + high * total)


def decay_exponent_nats(rho: float) -> float:
    """D(½‖ρ) = -ln(2√(ρ(1-ρ))): how fast privacy falls to 1 - S for ρ > 1/2.

    >>> import sfumato as sf
    >>> [round(sf.recoverable.decay_exponent_nats(rho), 4) for rho in (0.5, 0.7, 0.9)]
    [0.0, 0.0872, 0.5108]
    """
    return _divergence_nats(0.5, rho)


def chernoff_radius_nats(query: Query, noise: Rows) -> tuple[float, Fraction]:
    """Return the exponent and the limit of π(V^n): the least Chernoff information between different rows.

    Of rows that are the same only the one with the largest m_i counts [A, Lemma D.2], so the limit is 1 - Σ over
    different rows of their largest m_i. The exponent is inf when a single response tells all different rows apart.

    >>> import sfumato as sf
    >>> from sfumato.recoverable.schemes import chernoff_radius_nats
    >>> query = sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    >>> exponent, limit = chernoff_radius_nats(query, sf.recoverable.pair_noise(query))
    >>> round(exponent, 6), round(sf.recoverable.decay_exponent_nats(0.6), 6), float(limit)
    (0.020411, 0.020411, 0.0)
    """
    best: dict[tuple[Fraction, ...], Fraction] = {}
    for row, mass in zip(noise, query.maxima, strict=True):
        best[row] = max(best.get(row, Fraction(0)), mass)
    rows = list(best)
    distances = [chernoff_information_nats(rows[a], rows[b]) for a in range(len(rows)) for b in range(a)]
    return min(distances, default=math.inf), 1 - sum(best.values(), Fraction(0))


def as_channels(query: Query, noise: Rows, n: int) -> tuple[Channel, ...]:
    """Return n copies of W(i|x) = V(i|f(x))."""
    channel = Channel([noise[place] for place in query.f], query.prior.labels, query.values)
    return (channel,) * n


def _unsorted(query: Query, rows: list[list[Fraction]]) -> Rows:
    """Give noise that is meant for values sorted by m_i, largest first, back in the query's own order."""
    maxima = query.maxima
    order = sorted(range(len(maxima)), key=lambda place: (-maxima[place], place))
    rank = {place: i for i, place in enumerate(order)}
    size = len(order)
    return tuple(tuple(rows[rank[j]][rank[i]] for i in range(size)) for j in range(size))


def _divergence_nats(p: float, q: float) -> float:
    """D(Ber(p)‖Ber(q))."""
    found = 0.0
    for a, b in ((p, q), (1 - p, 1 - q)):
        if a > 0:
            if b <= 0:
                return math.inf
            found += a * math.log(a / b)
    return found
