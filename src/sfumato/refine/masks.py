"""Random masks whose bits are independent flips: what every step of a ladder over several options adds.

A report of m bits, xor a mask, has each bit flipped with the same chance, apart from the others. Two masks, one after
the other, are a mask again. The coins are compared with words of the row, bit after bit from the least, so that a
row's mask depends on its own words alone; the law is exact at any width.   Theory: docs/theory/several.md
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource, Coin, RowSource, RowStarts, RowWords
from sfumato.bits.mechanism import smallest_dtype
from sfumato.bits.row_words import ROW_WIDTH, RowArray
from sfumato.measures.enclosures import entropy_interval
from sfumato.refine.shifts import ShiftArray, Sums, TwoLevelShift
from sfumato.refine.steps import OneByOne
from sfumato.values import Interval
from sfumato.values.checks import check_at_least, check_between, check_integer

MOST_LENGTH = 16
"""Bits in a mask: every one of them is looked at when a ladder is checked."""
_WIDTH = 64
_LOW = np.uint64((1 << ROW_WIDTH) - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipMask(OneByOne):
    """A mask of `length` bits, each of them set with probability `chance`, independently."""

    length: int
    chance: Fraction
    width: int = _WIDTH

    def __post_init__(self) -> None:
        check_between("length", check_integer("length", self.length), 1, MOST_LENGTH)
        check_between("chance", self.chance, 0, 1)

    @property
    def modulus(self) -> int:
        """How many masks there are."""
        return 1 << self.length

    @property
    def dtype(self) -> np.dtype[Any]:
        """The smallest that holds a mask."""
        return smallest_dtype(self.modulus)

    def by_weight(self) -> tuple[Fraction, ...]:
        """Return the probability of a mask by how many bits it has."""
        stay, flip = 1 - self.chance, self.chance
        return tuple(flip**w * stay ** (self.length - w) for w in range(self.length + 1))

    def law(self) -> tuple[Fraction, ...]:
        """Return the probability of every mask."""
        weights = self.by_weight()
        return tuple(weights[mask.bit_count()] for mask in range(self.modulus))

    def entropy_bits(self) -> Interval:
        """Enclose what a draw costs and what storing it takes, at the least: as much as its flips."""
        one = entropy_interval(((self.chance, 1), (1 - self.chance, 1)))
        return Interval(self.length * one.lower, self.length * one.upper).widened(0.0)

    @property
    def row_width(self) -> int:
        """Bits in the words of rows."""
        return min(self.width, ROW_WIDTH)

    def document(self) -> dict[str, Any]:
        """Return how probable a flip is."""
        return {"chance": str(self.chance)}

    def is_like(self, other: object) -> bool:
        """Whether another step has the same law."""
        return isinstance(other, FlipMask) and (self.length, self.chance) == (other.length, other.chance)

    # As letters of a code.

    @property
    def letter(self) -> TwoLevelShift:
        """What a draw is spelled in: flips."""
        return TwoLevelShift(modulus=2, favoured=np.zeros(1, dtype=np.int64), inside=1 - self.chance)

    @property
    def letters(self) -> int:
        """How many flips a draw is spelled in."""
        return self.length

    def spelled(self, shifts: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
        """Return the bits of masks, row after row, the least first."""
        bits = (shifts.astype(np.int64)[:, None] >> np.arange(self.length)) & 1
        found: npt.NDArray[Any] = bits.reshape(-1)
        return found

    def joined(self, letters: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the masks that bits spell."""
        bits = letters.reshape(-1, self.length).astype(np.int64) << np.arange(self.length)
        found: npt.NDArray[Any] = bits.sum(axis=1).astype(smallest_dtype(self.modulus))
        return found

    # Draws.

    def draw(self, bits: BitSource, count: int) -> Sums:
        """`count` independent masks."""
        check_at_least("count", check_integer("count", count), 0)
        sums: Sums = np.zeros(count, dtype=smallest_dtype(self.modulus))
        self.add_drawn(bits, sums)
        return sums

    def add_drawn(self, bits: BitSource, sums: Sums) -> None:
        """Put independent masks on sums, all rows' first bits first; words are recycled."""
        coin = Coin(chance=self.chance, width=self.width, thrifty=True)
        for place in range(self.length):
            sums ^= (coin.sample(bits, sums.size) << place).astype(sums.dtype)

    def draw_rows(self, source: RowSource, count: int) -> ShiftArray:
        """A mask for each of `count` rows, from words of its own: a coin for each bit, the least first."""
        coin, rows = Coin(chance=self.chance, width=self.row_width), np.arange(count)
        masks: ShiftArray = np.zeros(count, dtype=np.int64)
        for place in range(self.length):
            masks |= coin.sample_rows(source, rows) << place
        return masks

    def draw_numbered(self, key: bytes, numbers: RowArray) -> Sums:
        """The masks of the rows with these numbers under a key."""
        starts = RowStarts(numbers.size)
        starts.take(numbers)
        sums: Sums = np.zeros(numbers.size, dtype=smallest_dtype(self.modulus))
        self.add_numbered(key, starts, sums)
        return sums

    def add_numbered(self, key: bytes, starts: RowStarts, sums: Sums) -> None:
        """Put on the masks of numbered rows under a key: what `draw_rows` says, two bits from each lane.

        A coin that a word leaves open goes on with the next, so such a row, one in 2^32 coins, is drawn by itself.
        """
        border, rest = divmod(self.chance * (1 << self.row_width), 1)
        if self.chance in {0, 1}:
            if self.chance:
                sums ^= sums.dtype.type(self.modulus - 1)
            return
        spare = np.uint64(ROW_WIDTH - self.row_width)
        masks, is_open = np.zeros_like(sums), np.zeros(sums.size, dtype=np.bool_)
        for attempt in range((self.length + 1) // 2):
            starts.go_on(attempt)
            lanes = starts.under(key)
            halves = (lanes >> np.uint64(ROW_WIDTH), lanes & _LOW)
            for place, half in zip(range(2 * attempt, self.length), halves, strict=False):
                words = half >> spare
                masks |= (words < np.uint64(border)).astype(sums.dtype) << sums.dtype.type(place)
                if rest:
                    is_open |= words == np.uint64(border)
        starts.go_on(0)
        left = np.flatnonzero(is_open)
        if left.size:
            masks[left] = self.draw_rows(RowWords(key, starts.numbers_at(left)), left.size).astype(sums.dtype)
        sums ^= masks
