"""Exact samplers: integer comparisons only, so the law that is sampled is known to the last digit.

A sampler has a word width. At 16 bits or fewer every word can be tried, which proves that the code draws the law that
its thresholds say; at 64 bits the same thresholds give the law of production.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sfumato.bits.row_words import AnyRows, RowArray, RowSource
from sfumato.bits.source import MOST_WIDTH, BitSource, ScriptedBits
from sfumato.errors import InvalidParameter, SourceFailed
from sfumato.prob import Distribution, LawLike
from sfumato.prob.exact import common_numerators, round_to_grid
from sfumato.values.checks import check_at_least, check_between, check_integer

IndexArray = npt.NDArray[np.int64]

# Words that can be tried one by one in a test's time.
MOST_ENUMERATED_WIDTH = 16


class Sampler(Protocol):
    """Draws outcomes 0, 1, … from words of a fixed width.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> samplers: list[sf.bits.Sampler] = [
    ...     sf.bits.UniformBelow(bound=2, width=8), sf.bits.Coin(chance=Fraction(1, 4), width=8)
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
    >>> die = sf.bits.UniformBelow(bound=6, width=3)
    >>> die.last  # the words 6 and 7 are drawn again
    5
    >>> die.sample(sf.bits.ScriptedBits([7, 2, 5]), 2).tolist()
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
            # The number of redraws depends on the words alone, never on anybody's answer.
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
    >>> sf.bits.Categorical.near([Fraction(1, 3), Fraction(2, 3)])
    Categorical(counts=(1, 2), width=64)
    >>> sf.bits.Categorical.near([0.3, 0.7], width=4).law()  # the nearest that words of 4 bits can draw
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

        Nearest is meant by the rounding rule of :mod:`sfumato.prob.exact`; `law_of` tells the law that results.
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
    >>> sampler = sf.bits.Categorical.near([0.3, 0.7], width=4)
    >>> sf.bits.law_of(sampler).probabilities
    (Fraction(5, 16), Fraction(11, 16))
    """
    return Distribution(sampler.law())


def enumerated_law(sampler: Sampler) -> Distribution:
    """Return the law found by feeding the sampler every word, one at a time; words it rejects are left out.

    What a sampler says of itself (`law_of`) is proved by it: every word of its width is tried.

    Raises:
        InvalidParameter: words have more than 16 bits.

    >>> import sfumato as sf
    >>> sampler = sf.bits.Categorical(counts=(1, 2, 4), width=8)
    >>> found = sf.bits.enumerated_law(sampler)
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
