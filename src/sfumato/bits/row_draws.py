"""Draw from the rows of an exact channel, many records at once, whatever the denominators.

A word is compared with the first bits of the cumulative probabilities of its row. Only a word that agrees with all of
those bits leaves something open, once in 2^width; it is then decided by the exact law of what is left. So the law
drawn is the channel itself and not a neighbour of it, which is what an independence that must hold exactly needs.
One word is drawn for each record, also where the row leaves no choice.   Theory: docs/theory/disclosure_schemes.md
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import check_symbols, smallest_dtype
from sfumato.bits.source import MOST_WIDTH, BitSource
from sfumato.errors import InvalidParameter
from sfumato.prob import Channel
from sfumato.values.checks import check_between, check_integer

IndexArray = npt.NDArray[np.int64]


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
    >>> draws = sf.bits.RowDraws(sf.Channel([[Fraction(2, 3), Fraction(1, 3)], [0, 1]]), width=2)
    >>> draws.draw(sf.bits.ScriptedBits([0, 3, 1, 2]), np.array([0, 0, 0, 1])).tolist()
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
