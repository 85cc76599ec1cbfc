"""Exact samplers by integer comparisons: uniform numbers, coins, rows of a channel and geometric noise.

A sampler has a word width. At 16 bits or fewer every word can be tried, which proves that the sampled law is that of
the thresholds; at 64 bits the same thresholds give the law of production.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, SourceFailed
from sfumato.numbers.checks import as_number, check_at_least, check_between, check_integer
from sfumato.numbers.exact import LawLike, common_numerators, round_to_grid
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution
from sfumato.sampling.mechanism import check_symbols, smallest_dtype
from sfumato.sampling.rows import AnyRows, RowArray, RowSource
from sfumato.sampling.sources import MOST_WIDTH, BitSource, Guarantee, ScriptedBits, WordArray

IndexArray = npt.NDArray[np.int64]

# The widest words that a test can try one by one.
MOST_ENUMERATED_WIDTH = 16


class Sampler(Protocol):
    """Draws outcomes 0, 1, … from words of a fixed width.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> samplers: list[sf.sampling.Sampler] = [
    ...     sf.sampling.UniformBelow(bound=2, width=8), sf.sampling.Coin(chance=Fraction(1, 4), width=8)
    ... ]
    >>> [str(one.law()[1]) for one in samplers]
    ['1/2', '1/4']
    """

    @property
    def width(self) -> int:
        """Bits in a word."""
        ...

    def sample(self, bits: BitSource, count: int) -> IndexArray:
        """`count` independent outcomes."""
        ...

    def law(self) -> tuple[Fraction, ...]:
        """Return the law read from the sampler's own integers."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class UniformBelow:
    """A whole number below `bound`, exactly uniform: words beyond the last full multiple are drawn again.

    >>> import sfumato as sf
    >>> die = sf.sampling.UniformBelow(bound=6, width=3)
    >>> die.last  # the words 6 and 7 are drawn again
    5
    >>> die.sample(sf.sampling.ScriptedBits([7, 2, 5]), 2).tolist()
    [5, 2]
    """

    bound: int
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        check_between("width", check_integer("width", self.width), 1, MOST_WIDTH)
        check_at_least("bound", check_integer("bound", self.bound), 1)
        if self.bound > 1 << self.width:
            raise InvalidParameter(
                f"does not fit words of `width`={self.width} bits",
                parameter="bound",
                value=self.bound,
                way_out="Use a smaller `bound` or wider words.",
            )

    @property
    def last(self) -> int:
        """The last word that is not drawn again: where the full multiples of `bound` end."""
        return (1 << self.width) - (1 << self.width) % self.bound - 1

    def draw(self, bits: BitSource, count: int) -> npt.NDArray[np.uint64]:
        """`count` independent numbers, as unsigned words."""
        return self.draw_rows(AnyRows(bits), np.arange(count))

    def draw_rows(self, source: RowSource, rows: RowArray) -> npt.NDArray[np.uint64]:
        """A number for each of the rows, from words of its own."""
        words = source.words(rows, self.width).astype(np.uint64)
        if self.last < (1 << self.width) - 1:
            # The number of redraws depends on the words alone, never on an answer.
            while (rejected := np.flatnonzero(words > np.uint64(self.last))).size:
                words[rejected] = source.words(rows[rejected], self.width)
        return words if self.bound == 1 << 64 else words % np.uint64(self.bound)

    def sample(self, bits: BitSource, count: int) -> IndexArray:
        """`count` independent numbers; `bound` must fit a signed word."""
        check_between("bound", self.bound, 1, (1 << 63) - 1)
        return self.draw(bits, count).astype(np.int64)

    def law(self) -> tuple[Fraction, ...]:
        """1/bound each: given that a word is not drawn again, every number has equally many words."""
        return (Fraction(1, self.bound),) * self.bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Categorical:
    """One uniform number, compared with integer thresholds: outcome i has probability counts[i]/sum(counts).

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> sf.sampling.Categorical.near([Fraction(1, 3), Fraction(2, 3)])
    Categorical(counts=(1, 2), width=64)
    >>> sf.sampling.Categorical.near([0.3, 0.7], width=4).law()  # the nearest that words of 4 bits can draw
    (Fraction(5, 16), Fraction(11, 16))
    """

    counts: tuple[int, ...]
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        if any(check_integer("counts", count) < 0 for count in self.counts) or not sum(self.counts):
            raise InvalidParameter(
                "must be whole numbers ≥ 0, not all 0",
                parameter="counts",
                way_out="Use Categorical.near to round a law.",
            )
        UniformBelow(bound=sum(self.counts), width=self.width)

    @classmethod
    def near(cls, law: Distribution | LawLike, *, width: int = MOST_WIDTH) -> Categorical:
        """Return a sampler of exactly this law when its denominator fits a word, else of the nearest law that does.

        Nearest is meant by the rounding rule of :mod:`sfumato.numbers.exact`; `law_of` tells the law that results.
        """
        exact = (law if isinstance(law, Distribution) else Distribution(law)).to_exact().fractions
        numerators, denominator = common_numerators([exact])
        if denominator <= 1 << width:
            return cls(counts=tuple(numerators[0].tolist()), width=width)
        return cls(counts=round_to_grid(exact, width), width=width)

    def sample(self, bits: BitSource, count: int) -> IndexArray:
        """`count` independent outcomes."""
        numbers = UniformBelow(bound=sum(self.counts), width=self.width).draw(bits, count)
        # A number is below the sum, so thresholds from there on (2^64 would not even fit) are never reached.
        thresholds = itertools.accumulate(self.counts)
        reachable = np.array([t for t in thresholds if t < sum(self.counts)], dtype=np.uint64)
        return np.searchsorted(reachable, numbers, side="right").astype(np.int64)

    def law(self) -> tuple[Fraction, ...]:
        """counts / sum(counts)."""
        return tuple(Fraction(count, sum(self.counts)) for count in self.counts)


def law_of(sampler: Sampler) -> Distribution:
    """Return the exact law that a sampler really draws; certificates are computed from this.

    >>> import sfumato as sf
    >>> sampler = sf.sampling.Categorical.near([0.3, 0.7], width=4)
    >>> sf.sampling.law_of(sampler).probabilities
    (Fraction(5, 16), Fraction(11, 16))
    """
    return Distribution(sampler.law())


def enumerated_law(sampler: Sampler) -> Distribution:
    """Return the law found by feeding the sampler every word, one at a time; words it rejects are left out.

    What a sampler says of itself (`law_of`) is proved by it: every word of its width is tried.

    Raises:
        InvalidParameter: words have more than 16 bits.

    >>> import sfumato as sf
    >>> sampler = sf.sampling.Categorical(counts=(1, 2, 4), width=8)
    >>> found = sf.sampling.enumerated_law(sampler)
    >>> found.probabilities == sampler.law()
    True
    """
    check_between("width", sampler.width, 1, MOST_ENUMERATED_WIDTH, way_out="Enumerate a narrower sampler.")
    hits: dict[int, int] = {}
    for word in range(1 << sampler.width):
        script = ScriptedBits([word])
        try:
            outcome = int(sampler.sample(script, 1)[0])
        except SourceFailed:
            continue  # the sampler asked for a second word: it rejected the first
        hits[outcome] = hits.get(outcome, 0) + 1
    accepted = sum(hits.values())
    return Distribution([Fraction(hits.get(i, 0), accepted) for i in range(len(sampler.law()))])


# --- The entropy-recycling sampler, and the meter that counts its random bits
#
# A report needs H(Y|X) random bits, often a fraction of one, while a 64-bit word is spent on each when speed matters.
# This sampler recycles: it keeps a number uniform on a range and takes an outcome out of it, and the rest is again
# uniform on a smaller range. It draws hardly more than the entropy of the column, and its law is exact for counts over
# 2^32.


DEPTH = 32
_WORD_BITS = 16
# The range is refilled below 2^48, so that a draw is in vain less than once in 2^16, and never passes 2^64.
_FLOOR = 1 << 48
_GUIDE_BITS = 12


class Metered:
    """A source that counts the bits taken from another.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> meter = sf.sampling.Metered(sf.sampling.SystemBits())
    >>> throws = sf.sampling.Coin(chance=Fraction(1, 2), width=8).sample(meter, 100)
    >>> meter.drawn_bits
    800
    """

    def __init__(self, bits: BitSource) -> None:
        self._source = bits
        self.drawn_bits = 0

    @property
    def guarantee(self) -> Guarantee:
        """That of the source behind."""
        return self._source.guarantee

    @property
    def label(self) -> str:
        """That of the source behind."""
        return self._source.label

    def words(self, count: int, width: int = MOST_WIDTH) -> WordArray:
        """Pass words on, and count them."""
        words = self._source.words(count, width)
        self.drawn_bits += count * width
        return words


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyRecycling:
    """Outcome i has probability counts[i]/2^32, exactly; a column costs its entropy and a few bits.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> sampler = sf.sampling.EntropyRecycling.near([Fraction(9, 10), Fraction(1, 10)])
    >>> sampler.counts
    (3865470566, 429496730)
    >>> round(sampler.entropy_bits, 4)  # what an outcome costs, in place of a word of 64 bits
    0.469
    """

    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        if any(check_integer("counts", count) < 0 for count in self.counts) or sum(self.counts) != 1 << DEPTH:
            raise InvalidParameter(
                f"must be whole numbers ≥ 0 that sum to 2^{DEPTH}",
                parameter="counts",
                way_out="Use EntropyRecycling.near to round a law.",
            )

    @classmethod
    def near(cls, law: Distribution | LawLike) -> EntropyRecycling:
        """Return the sampler of the nearest law on the grid, by the rule of :mod:`sfumato.numbers.exact`."""
        exact = (law if isinstance(law, Distribution) else Distribution(law)).to_exact().fractions
        return cls(counts=round_to_grid(exact, DEPTH))

    @property
    def width(self) -> int:
        """Bits in the words that it asks for."""
        return _WORD_BITS

    @property
    def entropy_bits(self) -> float:
        """H of one outcome: what a draw has to cost at the least."""
        return -math.fsum(p * math.log2(p) for p in (count / (1 << DEPTH) for count in self.counts) if p)

    def _words_for(self, outcomes: int) -> int:
        """Almost as many words as so many outcomes will need: asked again and again, little is drawn in vain."""
        return max(1, math.ceil(outcomes * self.entropy_bits * 0.99 / _WORD_BITS))

    def law(self) -> tuple[Fraction, ...]:
        """counts / 2^32."""
        return tuple(Fraction(count, 1 << DEPTH) for count in self.counts)

    def sample(self, bits: BitSource, count: int) -> IndexArray:
        """`count` independent outcomes."""
        from sfumato.sampling.kernels import draw_by_recycling  # noqa: PLC0415  brings in a compiler

        check_at_least("count", check_integer("count", count), 0)
        totals = np.array([0, *itertools.accumulate(self.counts)], dtype=np.uint64)
        steps = np.arange(1 << _GUIDE_BITS, dtype=np.uint64) << np.uint64(DEPTH - _GUIDE_BITS)
        guide = np.searchsorted(totals[1:], steps, side="right").astype(np.int64)
        outcomes = np.empty(count, dtype=np.int64)
        state = np.array([0, 1], dtype=np.uint64)
        done = 0
        while done < count:
            words = bits.words(self._words_for(count - done), _WORD_BITS).astype(np.uint64)
            done, _ = draw_by_recycling(
                words,
                np.uint64(_WORD_BITS),
                np.uint64(_FLOOR),
                totals,
                guide,
                np.uint64(DEPTH),
                np.uint64(DEPTH - _GUIDE_BITS),
                state,
                outcomes,
                done,
            )
        return outcomes


# --- A coin that falls on 1 with any rational probability, exactly
#
# A word of w bits is compared with the first w bits of the probability. Only when all of them agree, once in 2^w words,
# does the comparison go on with the bits that follow; so the law is exact whatever the denominator, and a word is
# enough but for 2^-64 of the time. Words can also be recycled (:class:`sfumato.sampling.EntropyRecycling`), which costs
# hardly more than the coin's entropy.


@dataclass(frozen=True, slots=True, kw_only=True)
class Coin:
    """1 with probability `chance`, else 0; `thrifty` recycles words, at the entropy of the coin.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.sampling.Coin(chance=Fraction(1, 3), width=2)
    >>> coin.law()
    (Fraction(2, 3), Fraction(1, 3))
    >>> coin.sample(sf.sampling.ScriptedBits([0, 3, 1, 0]), 3).tolist()  # the word 1 leaves it open, and 0 decides
    [1, 0, 1]
    """

    chance: Fraction
    width: int = MOST_WIDTH
    thrifty: bool = False

    def __post_init__(self) -> None:
        check_between("width", check_integer("width", self.width), 1, MOST_WIDTH)
        chance = as_number("chance", self.chance)
        if not isinstance(chance, Fraction):
            raise InvalidParameter(
                "must be exact", parameter="chance", value=chance, way_out="Pass a Fraction such as Fraction(1, 3)."
            )
        check_between("chance", chance, 0, 1)
        object.__setattr__(self, "chance", chance)

    def law(self) -> tuple[Fraction, Fraction]:
        """Return the probabilities of 0 and 1."""
        return 1 - self.chance, self.chance

    def sample(self, bits: BitSource, count: int) -> IndexArray:
        """`count` independent throws."""
        check_at_least("count", check_integer("count", count), 0)
        if self.thrifty:
            return _recycled(self.chance, self.width, bits, count)
        return self.sample_rows(AnyRows(bits), np.arange(count))

    def sample_rows(self, source: RowSource, rows: RowArray) -> IndexArray:
        """A throw for each of the rows, from words of its own; nothing is recycled."""
        return _compared(self.chance, self.width, source, rows)


def _compared(chance: Fraction, width: int, source: RowSource, rows: RowArray) -> IndexArray:
    if chance in {0, 1}:
        return np.full(rows.size, int(chance), dtype=np.int64)
    border, rest = _split(chance, width)
    words = source.words(rows, width)
    throws: IndexArray = (words < words.dtype.type(border)).astype(np.int64)
    if rest:
        undecided = np.flatnonzero(words == words.dtype.type(border))
        if undecided.size:
            throws[undecided] = _compared(rest, width, source, rows[undecided])
    return throws


def _recycled(chance: Fraction, width: int, bits: BitSource, count: int) -> IndexArray:
    if chance in {0, 1}:
        return np.full(count, int(chance), dtype=np.int64)
    border, rest = _split(chance, DEPTH)
    open_end = int(rest > 0)
    outcomes = EntropyRecycling(counts=((1 << DEPTH) - border - open_end, border, open_end)).sample(bits, count)
    undecided = np.flatnonzero(outcomes > 1)
    if undecided.size:
        outcomes[undecided] = _compared(rest, width, AnyRows(bits), undecided)
    return outcomes


def _split(chance: Fraction, width: int) -> tuple[int, Fraction]:
    """Return the first bits of a probability below 1 as a number, and the probability that its other bits spell."""
    border, rest = divmod(chance * (1 << width), 1)
    return int(border), Fraction(rest)


# --- Draws from the rows of an exact channel, many records at once, for any denominators
#
# A word is compared with the first bits of the cumulative probabilities of its row. Only a word that agrees with all of
# those bits is undecided, once in 2^width; it is then decided by the exact law of the rest. So the law drawn is exactly
# the channel, as an independence that must hold exactly requires. One word is drawn for each record, also where the row
# leaves no choice.   Theory: docs/theory/disclosure_schemes.md


@dataclass(frozen=True, slots=True)
class _Row:
    """The outcomes of one row that are possible, where each begins on [0, 1], and the words that decide for it."""

    outcomes: IndexArray
    ends: tuple[Fraction, ...]
    thresholds: npt.NDArray[np.uint64]
    open_words: npt.NDArray[np.uint64]
    width: int

    @classmethod
    def of(cls, law: Sequence[tuple[int, Fraction]], width: int) -> _Row:
        """Lay the outcomes side by side; a word stands for an interval, and is open when it is not inside one."""
        scale = 1 << width
        ends = tuple(itertools.accumulate((chance for _, chance in law), initial=Fraction(0)))
        borders = [end * scale for end in ends[1:-1]]
        first_bits = [border.numerator // border.denominator for border in borders]
        open_words = {word for word, border in zip(first_bits, borders, strict=True) if border.denominator > 1}
        return cls(
            outcomes=np.array([outcome for outcome, _ in law], dtype=np.int64),
            ends=ends,
            thresholds=np.array(first_bits, dtype=np.uint64),
            open_words=np.array(sorted(open_words), dtype=np.uint64),
            width=width,
        )

    def within(self, word: int) -> _Row:
        """The law of what an open word leaves to be decided."""
        scale = 1 << self.width
        low, high = Fraction(word, scale), Fraction(word + 1, scale)
        shares = [
            (int(outcome), (min(high, end) - max(low, start)) * scale)
            for outcome, start, end in zip(self.outcomes, self.ends, self.ends[1:], strict=False)
        ]
        return _Row.of([(outcome, share) for outcome, share in shares if share > 0], self.width)

    def pick(self, words: npt.NDArray[np.uint64], bits: BitSource) -> IndexArray:
        """One outcome for each word; an open one takes another word from the source."""
        picked: IndexArray = self.outcomes[np.searchsorted(self.thresholds, words, side="right")]
        if self.open_words.size:
            nearest = np.searchsorted(self.open_words[:-1], words)
            undecided = np.flatnonzero(self.open_words[nearest] == words)
            for word in np.unique(words[undecided]).tolist():
                here = undecided[words[undecided] == word]
                again = bits.words(here.size, self.width).astype(np.uint64, copy=False)
                picked[here] = self.within(word).pick(again, bits)
        return picked


@dataclass(frozen=True, slots=True, eq=False)
class RowDraws:
    """Record i gets an outcome from row `rows[i]` of an exact channel, exactly, whatever the denominators.

    >>> from fractions import Fraction
    >>> import numpy as np
    >>> import sfumato as sf
    >>> draws = sf.sampling.RowDraws(sf.Channel([[Fraction(2, 3), Fraction(1, 3)], [0, 1]]), width=2)
    >>> draws.draw(sf.sampling.ScriptedBits([0, 3, 1, 2]), np.array([0, 0, 0, 1])).tolist()
    [0, 1, 0, 1]
    """

    channel: Channel
    width: int = MOST_WIDTH
    _table: tuple[_Row, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check_between("width", check_integer("width", self.width), 1, MOST_WIDTH)
        if not self.channel.exact:
            raise InvalidParameter(
                "must be exact, or the law drawn would only be near it",
                parameter="channel",
                way_out="Give its entries as Fractions.",
            )
        numerators, denominator = self.channel.integers()
        table = [
            _Row.of([(y, Fraction(int(value), denominator)) for y, value in enumerate(row) if value], self.width)
            for row in numerators
        ]
        object.__setattr__(self, "_table", tuple(table))

    def draw(self, bits: BitSource, rows: npt.NDArray[np.integer[Any]]) -> IndexArray:
        """One outcome for each entry of `rows`, each from a word of its own."""
        check_symbols("rows", rows, len(self._table), empty=True)
        words = bits.words(rows.size, self.width).astype(np.uint64, copy=False)
        keys = rows.astype(smallest_dtype(len(self._table)), copy=False)
        order = np.argsort(keys, kind="stable")
        counts = np.bincount(keys, minlength=len(self._table)).tolist()
        outcomes = np.empty(rows.size, dtype=np.int64)
        start = 0
        for row, count in zip(self._table, counts, strict=True):
            if count:
                holders = order[start : start + count]
                outcomes[holders] = row.pick(words[holders], bits)
                start += count
        return outcomes


# --- The two-sided geometric law P(z) = (1-r)/(1+r)·r^|z|, exactly, for a rational r.   Ref: [GRS12]
#
# A geometric number counts how many coins of chance r succeed in a row; the difference of two of them has the law
# above, since P(z) = Σ_g (1-r)² r^(2g+|z|). Each coin compares words with the digits of r, so no float is used and no
# logarithm. How many coins are thrown depends on the noise alone, never on the value that it is added to.


def two_sided_geometric(ratio: Fraction, bits: BitSource, count: int, *, width: int = MOST_WIDTH) -> IndexArray:
    """`count` independent numbers, positive and negative alike."""
    check_at_least("count", check_integer("count", count), 0)
    exact = as_number("ratio", ratio)
    if not isinstance(exact, Fraction) or not 0 <= exact < 1:
        raise InvalidParameter(
            "must be exact, and lie in [0, 1)",
            parameter="ratio",
            value=exact,
            way_out="Pass a Fraction such as Fraction(3, 5).",
        )
    runs = _runs(Coin(chance=exact, width=width), bits, 2 * count)
    numbers: IndexArray = runs[:count] - runs[count:]
    return numbers


def _runs(coin: Coin, bits: BitSource, count: int) -> IndexArray:
    """How many throws succeed in a row."""
    runs = np.zeros(count, dtype=np.int64)
    running = np.arange(count)
    while running.size:
        running = running[coin.sample(bits, running.size) == 1]
        runs[running] += 1
    return runs
