"""A coin that falls on 1 with any rational probability, exactly.

A word of w bits is compared with the first w bits of the probability. Only when all of them agree, once in 2^w words,
does the comparison go on with the bits that follow; so the law is exact whatever the denominator, and a word is enough
but for 2^-64 of the time. Words can also be recycled (:class:`sfumato.bits.Economical`), which costs hardly more than
the coin's entropy.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.bits.economical import DEPTH, Economical
from sfumato.bits.row_words import AnyRows, RowArray, RowSource
from sfumato.bits.samplers import IndexArray
from sfumato.bits.source import MOST_WIDTH, BitSource
from sfumato.errors import InvalidParameter
from sfumato.values.checks import as_number, check_at_least, check_between, check_integer


@dataclass(frozen=True, slots=True, kw_only=True)
class Coin:
    """1 with probability `chance`, else 0; `thrifty` recycles words, at the entropy of the coin.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.bits.Coin(chance=Fraction(1, 3), width=2)
    >>> coin.law()
    (Fraction(2, 3), Fraction(1, 3))
    >>> coin.sample(sf.bits.ScriptedBits([0, 3, 1, 0]), 3).tolist()  # the word 1 leaves it open, and 0 decides
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
    outcomes = Economical(counts=((1 << DEPTH) - border - open_end, border, open_end)).sample(bits, count)
    undecided = np.flatnonzero(outcomes > 1)
    if undecided.size:
        outcomes[undecided] = _compared(rest, width, AnyRows(bits), undecided)
    return outcomes


def _split(chance: Fraction, width: int) -> tuple[int, Fraction]:
    """Return the first bits of a probability below 1 as a number, and the probability that its other bits spell."""
    border, rest = divmod(chance * (1 << width), 1)
    return int(border), Fraction(rest)
