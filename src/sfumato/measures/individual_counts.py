"""Individual capacity of reports on counts, sums and histograms, in polynomial time.

If the report depends on the data set through a statistic only, the adversary of [E, Thm 2] picks, for each value of the
record, one value of the statistic that this value allows. For yes/no records and a count that is every pair of
different counts, and where the likelihood ratio is monotone the pair {0, n} reveals most. If at most m people depend on
each other, the others are a fixed base, and counts differ by at most m.   Theory: docs/theory/correlations.md
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.measures.capacity import DEFAULT_GAP_BITS, capacity_with_witness
from sfumato.measures.dependence import Correlation
from sfumato.measures.individual import INDIVIDUAL_GAP_BITS, Places, Race, best_selection, normalised_rows
from sfumato.numbers.checks import Number, check_at_least, check_between, check_integer, check_positive
from sfumato.numbers.exact import FloatArray, IntegerArray
from sfumato.numbers.intervals import LOG2_E, UNIT_ROUNDOFF, Interval
from sfumato.prob.channel import Channel
from sfumato.prob.structured import AnyChannel, ChannelLike, as_channel

# --- Counts with noise, row by row: entries are computed only when they are needed
#
# Three classics: two-sided geometric noise (the discrete Laplace law), folded into 0..top; the exponential mechanism
# with score -|y-s|; and the count of yeses after every person answered by randomized response. Folding collects outputs
# whose columns are proportional (everything below 0, everything above the top), so it does not change the information
# of the report. All three have a monotone likelihood ratio.   Theory: docs/theory/correlations.md


GEOMETRIC, EXPONENTIAL, RESPONSES = "geometric", "exponential", "randomized response"
# Below this a double loses digits; what is left out is less than 1e-270 bits of anything here.
_SMALLEST = 1e-290
_LARGEST_EXPONENT = 700


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyCount:
    """A channel from a count 0..top to a noisy count 0..top, ε-differentially private for one person.

    >>> import sfumato as sf
    >>> blurred = sf.measures.NoisyCount.geometric(top=2, epsilon=1)
    >>> [round(share, 4) for share in blurred.rows([0])[0].tolist()]
    [0.7311, 0.17, 0.0989]
    >>> round(sf.measures.count_capacity(blurred).bits.upper, 4)
    0.3925
    """

    kind: str
    top: int
    epsilon: float

    def __post_init__(self) -> None:
        check_at_least("top", check_integer("top", self.top), 1)
        check_positive("epsilon", self.epsilon)
        check_between("epsilon", self.epsilon, 0, _LARGEST_EXPONENT, way_out="No noise is left long before that.")
        if self.kind not in _ROWS:
            raise InvalidParameter(
                "is no noise known here",
                parameter="kind",
                value=self.kind,
                way_out=f"Choose one of {', '.join(_ROWS)}.",
            )

    @classmethod
    def geometric(cls, *, top: int, epsilon: Number) -> NoisyCount:
        """P(y|s) ∝ e^(-ε|y-s|) on all whole numbers, folded into 0..top: the discrete Laplace law."""
        return cls(kind=GEOMETRIC, top=top, epsilon=_as_double(epsilon))

    @classmethod
    def exponential(cls, *, top: int, epsilon: Number) -> NoisyCount:
        """P(y|s) ∝ e^(-ε|y-s|/2) on 0..top: the exponential mechanism with score -|y-s|."""
        return cls(kind=EXPONENTIAL, top=top, epsilon=_as_double(epsilon))

    @classmethod
    def responses(cls, *, top: int, epsilon: Number) -> NoisyCount:
        """How many of `top` people report yes if s would, each answering truthfully with odds e^ε."""
        return cls(kind=RESPONSES, top=top, epsilon=_as_double(epsilon))

    @property
    def relative_error(self) -> float:
        """How far an entry is from the true one at most, as a share of it; entries below 1e-290 are 0."""
        # An exponent is a product rounded once, exp and the normaliser cost a few units, a sum one for each term.
        steps = 8 * self.top if self.kind == RESPONSES else min(self.epsilon * self.top, _LARGEST_EXPONENT)
        return UNIT_ROUNDOFF * 4 * (steps + self.top + 16)

    def rows(self, counts: Sequence[int]) -> FloatArray:
        """P(·|s) for these counts, each row summing to 1 as nearly as it can."""
        found = np.stack([_ROWS[self.kind](int(count), self.top, self.epsilon) for count in counts])
        found = np.where(found < _SMALLEST, 0.0, found)
        return np.asarray(found / found.sum(axis=1, keepdims=True))

    def channel(self) -> Channel:
        """All rows, as a dense float64 channel."""
        return Channel(self.rows(range(self.top + 1)))


def _as_double(epsilon: Number) -> float:
    check_positive("epsilon", epsilon)
    return float(epsilon)


def _geometric(count: int, top: int, epsilon: float) -> FloatArray:
    powers = np.exp(-epsilon * np.abs(np.arange(top + 1, dtype=np.float64) - count))
    powers[1:-1] *= -math.expm1(-epsilon)  # 1 - e^-ε, without cancelling
    return np.asarray(powers / (1 + math.exp(-epsilon)))


def _exponential(count: int, top: int, epsilon: float) -> FloatArray:
    return np.asarray(np.exp(-epsilon / 2 * np.abs(np.arange(top + 1, dtype=np.float64) - count)))


def _responses(count: int, top: int, epsilon: float) -> FloatArray:
    return np.convolve(_binomial(count, epsilon), _binomial(top - count, -epsilon))


def _binomial(draws: int, log_odds: float) -> FloatArray:
    """Return the binomial law by its ratios from the mode outwards: only products, so each step costs a few units."""
    if draws == 0:
        return np.ones(1)
    share = 1 / (1 + math.exp(-log_odds))
    mode = min(draws, int((draws + 1) * share))
    k = np.arange(draws, dtype=np.float64)
    ratios = (draws - k) / (k + 1) * math.exp(log_odds)  # P(k+1)/P(k)
    upwards, downwards = np.cumprod(ratios[mode:]), np.cumprod(1 / ratios[:mode][::-1])
    masses = np.concatenate([downwards[::-1], [1.0], upwards])
    return np.asarray(masses / masses.sum())


_ROWS = {GEOMETRIC: _geometric, EXPONENTIAL: _exponential, RESPONSES: _responses}


# --- The monotone likelihood ratio of a channel on a line: larger reports speak for larger counts
#
# A channel P(y|s) has it, for an order of its outputs, if P(y|s+1)/P(y|s) never falls as y rises, for each s; outputs
# that neither row gives are passed over. Neighbouring rows are enough: the property goes on from s, s+1 and s+1, s+2
# to s, s+2, zeros included. If any order will do, that of E[s|y] under equal weights does.
#
# In doubles, equal ratios differ in their last digits. If no log-ratio falls by more than v, the ratios of each two
# neighbours can be made monotone by moving each by v/2 at most, so a channel with the property is within a factor of
# e^(±nv) in each entry.   Theory: docs/theory/correlations.md


def has_monotone_ratio(channel: ChannelLike) -> bool:
    """Whether some order of the outputs has a monotone likelihood ratio, in exact arithmetic.

    Raises:
        InvalidParameter: the channel is not exact.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> third, rest = Fraction(1, 3), Fraction(2, 3)
    >>> sf.measures.has_monotone_ratio(sf.Channel([[rest, third], [third, rest], [0, 1]]))
    True
    """
    dense = as_channel(channel).to_dense()
    if not dense.exact:
        raise InvalidParameter(
            "is not exact, and doubles for equal ratios are not equal",
            parameter="channel",
            way_out="Write its rows in Fractions.",
        )
    numerators, _ = dense.integers()
    table = np.asarray(numerators, dtype=object)
    table = table[:, (table > 0).any(axis=0)]
    places = np.arange(len(table), dtype=object)
    means = [Fraction(int(total), int(mass)) for total, mass in zip(places @ table, table.sum(axis=0), strict=True)]
    table = table[:, sorted(range(len(means)), key=means.__getitem__)]
    return all(_rises(low, high) for low, high in itertools.pairwise(table))


def _rises(low: IntegerArray, high: IntegerArray) -> bool:
    seen = np.array([a > 0 or b > 0 for a, b in zip(low, high, strict=True)])
    below, above = low[seen], high[seen]
    # above/below of one output against the next one, cross-multiplied: infinite ratios need no case of their own.
    return bool((above[:-1] * below[1:] <= above[1:] * below[:-1]).all())


def ratio_slip(rows: FloatArray) -> float:
    """How many nats a log-ratio of neighbouring rows falls at most, rounding included; infinite if zeros forbid it."""
    table = rows[:, rows.max(axis=0) > 0]
    means = np.arange(len(table)) @ table / table.sum(axis=0)
    table = table[:, np.argsort(means, kind="stable")]
    with np.errstate(divide="ignore"):
        logs = np.log(table)
    worst = max(_fall(low, high) for low, high in itertools.pairwise(logs))
    largest = float(np.abs(logs[np.isfinite(logs)]).max())
    return worst + 8 * UNIT_ROUNDOFF * (largest + 1)


def _fall(low: FloatArray, high: FloatArray) -> float:
    seen = np.isfinite(low) | np.isfinite(high)
    ratios = high[seen] - low[seen]  # -inf where only the lower row gives the output, inf where only the higher does
    finite = np.flatnonzero(np.isfinite(ratios))
    within = ratios[finite[0] : finite[-1] + 1] if len(finite) else ratios[:0]
    edge = finite[0] if len(finite) else int((ratios == -np.inf).sum())
    if not np.isfinite(within).all() or (ratios[:edge] > 0).any() or (ratios[edge + len(within) :] < 0).any():
        return math.inf
    return float((np.maximum.accumulate(within) - within).max(initial=0.0))


Total = tuple[int, ...]
_ENTRIES_AT_ONCE = 2_000_000
# Entries below 1e-290 are taken for 0; their information is far below this.
_LEFT_OUT_BITS = 1e-270
# |C - C'| ≤ η(C + 4) if entries differ by at most η of themselves, and a yes or no has at most one bit.
_CHANGE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticCapacity:
    """The most that a report on a statistic reveals about one person, and the adversary who learns it.

    Seeing the a-th value of the person, this adversary is sure that the statistic is `totals[a]`; before the report,
    the values have the probabilities `law`. `monotone` says whether a monotone likelihood ratio spared the search.

    >>> import sfumato as sf
    >>> found = sf.measures.count_capacity(sf.measures.NoisyCount.geometric(top=10, epsilon=0.5))
    >>> found.totals, found.monotone  # everybody says no, or everybody yes
    (((0,), (10,)), True)
    >>> round(found.bits.upper, 4), [round(share, 4) for share in found.law]
    (0.8271, [0.5, 0.5])
    """

    bits: Interval
    totals: tuple[Total, ...]
    law: tuple[float, ...]
    monotone: bool


def count_capacity(
    channel: ChannelLike | NoisyCount,
    *,
    correlated: Correlation | str | int = "anyone",
    gap_bits: float = INDIVIDUAL_GAP_BITS,
) -> StatisticCapacity:
    """Return C_1 of a report on how many of n people say yes; row s of the channel belongs to the count s.

    `correlated` says who may depend on whom: "anyone", "nobody", or at most so many people, the person included.

    >>> import sfumato as sf
    >>> blurred = sf.measures.NoisyCount.geometric(top=1000, epsilon=0.1)
    >>> for who in ("nobody", 5, 50, "anyone"):
    ...     found = sf.measures.count_capacity(blurred, correlated=who)
    ...     print(found.totals, f"{found.bits.upper:.6f}")
    ((0,), (1,)) 0.001801
    ((0,), (5,)) 0.038271
    ((0,), (50,)) 0.823829
    ((0,), (1000,)) 1.000000
    """
    check_positive("gap_bits", gap_bits)
    channel = channel if isinstance(channel, NoisyCount) else as_channel(channel)
    people = channel.shape[0] - 1 if not isinstance(channel, NoisyCount) else channel.top
    if people < 1:
        raise InvalidParameter(
            "has one row, so it counts nobody", parameter="channel", way_out="Give it a row for each count 0..n."
        )
    alike = _alike(correlated, people)
    if isinstance(channel, NoisyCount):
        return _of_noise(channel, alike, gap_bits)
    rows = normalised_rows(channel)
    slip = 0.0 if _is_exact(channel) and has_monotone_ratio(channel) else people * ratio_slip(rows)
    # A channel with a monotone ratio is this near: there and back, the information changes by no more than this.
    allowance = 2.02 * math.expm1(min(1.0, slip)) * _CHANGE
    monotone = allowance <= gap_bits / 4
    distances = (alike,) if monotone else tuple(range(alike, 0, -1))
    found = _best_pair(_Rows(rows), people, distances, gap_bits, monotone=monotone)
    if not monotone or not allowance:
        return found
    return replace(found, bits=Interval(found.bits.lower, min(1.0, found.bits.upper + allowance)))


def statistic_capacity(
    channel: ChannelLike | NoisyCount,
    *,
    people: int,
    contributions: Sequence[int | Sequence[int]],
    correlated: Correlation | str | int = "anyone",
    gap_bits: float = INDIVIDUAL_GAP_BITS,
) -> StatisticCapacity:
    """Return C_1 of a report on a sum over n people, to which a person with value a adds `contributions[a]`.

    Contributions are whole numbers or tuples of them: (0, 1, 2) for a sum of ratings, the unit vectors for a histogram.
    Rows of the channel belong to the totals that are possible, in ascending order (`totals_of`).

    >>> import sfumato as sf
    >>> ratings = sf.measures.NoisyCount.geometric(top=4, epsilon=1)
    >>> found = sf.measures.statistic_capacity(ratings, people=2, contributions=(0, 1, 2))
    >>> found.totals, round(found.bits.lower, 6)                       # three points; {0, 4} alone tell 0.738967
    (((0,), (2,), (4,)), 0.77226)
    """
    check_positive("gap_bits", gap_bits)
    vectors = _vectors(contributions)
    check_at_least("people", check_integer("people", people), 1)
    totals = totals_of(people, contributions)
    noise = channel if isinstance(channel, NoisyCount) else None
    if isinstance(channel, NoisyCount):
        rows = channel.rows(range(channel.top + 1))
    else:
        rows = normalised_rows(as_channel(channel))
    if len(rows) != len(totals):
        raise InvalidParameter(
            f"means {len(totals)} different totals, but the channel has {len(rows)} rows",
            parameter="contributions",
            way_out="Give the channel a row for each total that is possible, in ascending order.",
        )
    alike = _alike(correlated, people)
    place = {total: index for index, total in enumerate(totals)}
    others = totals_of(alike - 1, contributions)
    contests = [
        tuple(
            np.array(sorted({place[_plus(base, _plus(vector, other))] for other in others}), dtype=np.int64)
            for vector in vectors
        )
        for base in totals_of(people - alike, contributions)
    ]
    found = best_selection([tuple(rows[one] for one in contest) for contest in contests], gap_bits=gap_bits)
    chosen = tuple(totals[int(one[at])] for one, at in zip(contests[found.contest], found.places, strict=True))
    bits = _enclosed(found.bits, noise, len(vectors))
    return StatisticCapacity(bits=bits, totals=chosen, law=found.law, monotone=False)


def totals_of(people: int, contributions: Sequence[int | Sequence[int]]) -> tuple[Total, ...]:
    """List the totals that so many people can have, ascending: the order of a channel's rows.

    >>> import sfumato as sf
    >>> sf.measures.totals_of(2, (0, 1, 2))
    ((0,), (1,), (2,), (3,), (4,))
    >>> sf.measures.totals_of(2, ((0, 1), (1, 0)))
    ((0, 2), (1, 1), (2, 0))
    """
    check_at_least("people", check_integer("people", people), 0)
    vectors = _vectors(contributions)
    found: set[Total] = {(0,) * len(vectors[0])}
    for _ in range(people):
        found = {_plus(total, vector) for total in found for vector in vectors}
    return tuple(sorted(found))


class _Rows:
    """Rows of a table or of a noise, asked for by their places."""

    def __init__(self, source: FloatArray | NoisyCount) -> None:
        self.noise = source if isinstance(source, NoisyCount) else None
        self._source = source
        self.width = source.top + 1 if isinstance(source, NoisyCount) else source.shape[1]

    def __call__(self, places: Places) -> FloatArray:
        if isinstance(self._source, NoisyCount):
            return self._source.rows(places.tolist())
        return np.asarray(self._source[places])


def _of_noise(noise: NoisyCount, alike: int, gap_bits: float) -> StatisticCapacity:
    if noise.kind == GEOMETRIC:  # moving both counts changes nothing but which outputs are folded
        noise = replace(noise, top=alike)
    return _best_pair(_Rows(noise), noise.top, (alike,), gap_bits, monotone=True)


def _best_pair(
    rows: _Rows, people: int, distances: Sequence[int], gap_bits: float, *, monotone: bool
) -> StatisticCapacity:
    """Return the most informative pair of counts at one of these distances; the longest distances first."""
    if distances == (people,):
        totals = (0, people)
        gap = max(DEFAULT_GAP_BITS, min(gap_bits, INDIVIDUAL_GAP_BITS) / 100)
        bits, law = capacity_with_witness(Channel(rows(np.array(totals))), gap_bits=gap)
    else:
        bits, law, totals = _raced_pair(rows, people, distances, gap_bits)
    bits = _enclosed(bits, rows.noise, 2)
    return StatisticCapacity(bits=bits, totals=tuple((total,) for total in totals), law=law, monotone=monotone)


def _raced_pair(
    rows: _Rows, people: int, distances: Sequence[int], gap_bits: float
) -> tuple[Interval, tuple[float, ...], tuple[int, int]]:
    race = Race(tolerance_nats=0.9 * gap_bits / LOG2_E)
    heats: list[Places] = []
    for lower, distance in _heats(people, distances, max(1, _ENTRIES_AT_ONCE // rows.width)):
        if race.best + race.tolerance > math.log(2):
            break  # a yes or no has at most one bit
        line = np.arange(len(lower))
        race.run(len(heats), (rows(lower), rows(lower + distance)), np.stack([line, line]))
        heats.append(np.stack([lower, lower + distance]))
    tag, places = race.winner or (0, (0, 0))
    low, high = (int(total) for total in heats[tag][:, places[0]])
    bits, law = race.settle(rows(np.array([low, high])), race.slack(2, rows.width), gap_bits)
    return bits, law, (low, high)


def _heats(people: int, distances: Sequence[int], at_once: int) -> Iterator[tuple[Places, int]]:
    for distance in distances:
        lower = np.arange(people + 1 - distance, dtype=np.int64)
        for start in range(0, len(lower), at_once):
            yield lower[start : start + at_once], distance


def _enclosed(bits: Interval, noise: NoisyCount | None, values: int) -> Interval:
    """Account for what the entries of a noise are off by: |C - C'| ≤ η(C + 4) if each is off by η of itself at most."""
    most = math.log2(values)
    if noise is not None:
        # Dividing a row by its sum doubles what an entry is off by.
        bits = bits.widened(1.01 * 2 * noise.relative_error * (most + 4) + _LEFT_OUT_BITS).at_least(0.0)
    ceiling = float(most) if most == int(most) else math.nextafter(most, math.inf)
    return Interval(min(bits.lower, ceiling), min(bits.upper, ceiling))


def _is_exact(channel: AnyChannel) -> bool:
    return channel.to_dense().exact


def _alike(correlated: Correlation | str | int, people: int) -> int:
    """How many people may depend on each other, at most all of them."""
    said = Correlation.of(correlated)
    if said.shared_bits is not None:
        raise InvalidParameter(
            "is not a number of people",
            parameter="correlated",
            value=said.words,
            way_out="Say how many people may depend on each other, or anyone.",
        )
    return people if said.people is None else min(said.people, people)


def _vectors(contributions: Sequence[int | Sequence[int]]) -> tuple[Total, ...]:
    found = tuple(
        tuple(check_integer("contributions", part) for part in one)
        if isinstance(one, Sequence)
        else (check_integer("contributions", one),)
        for one in contributions
    )
    if not found or len({len(one) for one in found}) != 1:
        raise InvalidParameter(
            "must be whole numbers, or tuples of equally many of them",
            parameter="contributions",
            way_out="Say what a person with each value adds, such as (0, 1) or ((1, 0), (0, 1)).",
        )
    return found


def _plus(one: Total, other: Total) -> Total:
    return tuple(a + b for a, b in zip(one, other, strict=True))
