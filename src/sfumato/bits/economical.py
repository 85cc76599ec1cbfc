"""The economical sampler, and the meter that counts what was drawn.

A report needs H(Y|X) random bits, often a fraction of one, while a 64-bit word is spent on each when speed matters.
This sampler recycles: it keeps a number uniform on a range, takes an outcome out of it, and what is left is again
uniform on a smaller range. It draws hardly more than the entropy of the column, and its law is exact for counts over
2^32.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.bits.samplers import IndexArray
from sfumato.bits.source import MOST_WIDTH, BitSource, WordArray
from sfumato.errors import InvalidParameter
from sfumato.prob import Distribution, LawLike
from sfumato.prob.exact import round_to_grid
from sfumato.values import Guarantee
from sfumato.values.checks import check_at_least, check_integer

DEPTH = 32
_WORD_BITS = 16
# The range is refilled below 2^48, so that a draw is in vain less than once in 2^16, and never passes 2^64.
_FLOOR = 1 << 48
_GUIDE_BITS = 12


class Metered:
    """A source that counts the bits taken from another.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> meter = sf.bits.Metered(sf.bits.SystemBits())
    >>> throws = sf.bits.Coin(chance=Fraction(1, 2), width=8).sample(meter, 100)
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
class Economical:
    """Outcome i has probability counts[i]/2^32, exactly; a column costs its entropy and a few bits.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> sampler = sf.bits.Economical.near([Fraction(9, 10), Fraction(1, 10)])
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
                way_out="Use Economical.near to round a law.",
            )

    @classmethod
    def near(cls, law: Distribution | LawLike) -> Economical:
        """Return the sampler of the nearest law on the grid, by the rule of :mod:`sfumato.prob.exact`."""
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
        from sfumato.bits.recycling import draw_by_recycling  # noqa: PLC0415  brings in a compiler

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
