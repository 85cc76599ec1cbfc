"""Groups in which reports and shifts are added, residues or masks of bits, and the distributions of sums.

A ladder adds shifts to true symbols and subtracts them again. Addition is defined only here.
Theory: docs/theory/ladders.md, docs/theory/several.md
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

from sfumato import measures
from sfumato.ladders.steps import OneByOne, ShiftArray, Sums, TwoLevelShift
from sfumato.numbers.checks import check_at_least, check_between, check_integer
from sfumato.numbers.columns import distinct
from sfumato.numbers.intervals import Interval, entropy_interval
from sfumato.prob.structured import Circulant
from sfumato.sampling.mechanism import smallest_dtype
from sfumato.sampling.rows import ROW_WIDTH, RowArray, RowSource, RowStarts, RowWords
from sfumato.sampling.samplers import Coin
from sfumato.sampling.sources import BitSource

# --- Exact distributions of shifts: sums of independent steps, and the channel of a shifted report
# A distribution is kept as its few distinct probabilities and a code for each residue, so a ladder on 87 381 residues
# needs 87 381 codes.
# Theory: docs/theory/ladders.md


@dataclass(frozen=True, slots=True, eq=False)
class ShiftLaw:
    """The law of a shift, exact: its distinct probabilities, ascending, and which of them each residue has."""

    values: tuple[Fraction, ...]
    codes: ShiftArray

    @classmethod
    def of(cls, values: Sequence[Fraction], codes: ShiftArray) -> ShiftLaw:
        """Return the one spelling of a law."""
        kept = sorted({values[code] for code in distinct(codes).tolist()})
        places = np.array([kept.index(value) if value in kept else -1 for value in values], dtype=np.int64)
        return cls(tuple(kept), places[codes])

    @classmethod
    def nothing(cls, modulus: int) -> ShiftLaw:
        """Return the shift that is always 0."""
        codes = np.zeros(modulus, dtype=np.int64)
        codes[0] = 1
        return cls((Fraction(0), Fraction(1)), codes)

    def plus(self, step: TwoLevelShift) -> ShiftLaw:
        """Return the law of this shift and an independent `step` together: their convolution.

        A step is c everywhere and c + e on its favoured set F, so the sum has probability c + e·Σ_{f in F} P(u-f).
        """
        high, low = step.probabilities
        if step.favoured.tolist() == [0]:
            return ShiftLaw.of([low + (high - low) * value for value in self.values], self.codes)
        sizes = np.bincount(self.codes, minlength=len(self.values))
        rare = [code for code in range(len(self.values)) if code != int(sizes.argmax())]
        reached = np.zeros((len(self.values), step.modulus), dtype=np.int64)
        for code in rare:
            reached[code] = _sums(np.flatnonzero(self.codes == code), step)
        # Every residue is reached once for each favoured shift, whatever it comes from.
        reached[int(sizes.argmax())] = step.favoured.size - reached.sum(axis=0)
        columns, codes = np.unique(reached, axis=1, return_inverse=True)
        found = [
            low + (high - low) * sum(int(n) * value for n, value in zip(column, self.values, strict=True))
            for column in columns.T
        ]
        return ShiftLaw.of(found, codes.reshape(-1))

    def law(self) -> tuple[Fraction, ...]:
        """Return the probability of every shift."""
        return tuple(self.values[code] for code in self.codes.tolist())

    def counted(self) -> tuple[tuple[Fraction, int], ...]:
        """Return each probability with the number of shifts that have it."""
        return tuple(zip(self.values, np.bincount(self.codes, minlength=len(self.values)).tolist(), strict=True))

    def odds(self, size: int) -> Fraction | float:
        """Measure the channel of a report that is shifted so."""
        return measures.odds(self.channel(size))

    def channel(self, size: int) -> Circulant:
        """Return the channel of a report that is shifted so; of `size` answers only as many kinds as reports differ."""
        return Circulant.of_codes(self.values, self.codes, min(size, len(self.codes)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShiftLaw):
            return NotImplemented
        return self.values == other.values and bool(np.array_equal(self.codes, other.codes))

    __hash__ = None  # type: ignore[assignment]


def _sums(places: ShiftArray, step: TwoLevelShift) -> ShiftArray:
    """How often each residue is a place plus a favoured shift."""
    few, many = sorted((places, step.favoured), key=len)
    found = np.zeros(step.modulus, dtype=np.int64)
    for shift in few.tolist():
        found[(many + shift) % step.modulus] += 1
    return found


# --- Random masks whose bits are independent flips: the steps of a ladder over several options
# A report of m bits, xor a mask, has each bit flipped with the same chance, independently. The sum of two masks is a
# mask. Coins are compared with words of the row, bit after bit from the least, so a row's mask depends on its own words
# alone. The distribution is exact at any width.
# Theory: docs/theory/several.md


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


# --- Exact distributions of masks: sums of independent flips of bits
# A distribution that treats all bits alike gives masks with equally many bits the same probability. So 65 536 masks
# need 17 probabilities, and sums are found by counting bits.
# Theory: docs/theory/several.md


@dataclass(frozen=True, slots=True)
class MaskLaw:
    """`values[w]` is the probability of each single mask with w bits."""

    values: tuple[Fraction, ...]

    @classmethod
    def nothing(cls, length: int) -> MaskLaw:
        """Return the mask that is always empty."""
        return cls((Fraction(1), *[Fraction(0)] * length))

    @property
    def length(self) -> int:
        """How many bits a mask has."""
        return len(self.values) - 1

    def plus(self, step: FlipMask) -> MaskLaw:
        """Return the law of this mask and an independent `step` together.

        A mask with w bits comes from one that has i of these bits less and j of the others more, by a step with i + j
        bits; there are C(w, i)·C(m-w, j) such steps.
        """
        m, steps = self.length, step.by_weight()
        found = [
            sum(
                (
                    math.comb(w, i) * math.comb(m - w, j) * steps[i + j] * self.values[w - i + j]
                    for i in range(w + 1)
                    for j in range(m - w + 1)
                    if self.values[w - i + j]
                ),
                Fraction(0),
            )
            for w in range(m + 1)
        ]
        return MaskLaw(tuple(found))

    def law(self) -> tuple[Fraction, ...]:
        """Return the probability of every mask."""
        return tuple(self.values[mask.bit_count()] for mask in range(1 << self.length))

    def counted(self) -> tuple[tuple[Fraction, int], ...]:
        """Return each probability with the number of masks that have it."""
        return tuple((value, math.comb(self.length, w)) for w, value in enumerate(self.values))

    def odds(self, size: int) -> Fraction | float:
        """Return the largest probability over the smallest: every mask leads from some answer to some report.

        Of the `size` answers there are those with every pattern of the bits that are asked for.
        """
        del size
        low = min(self.values)
        return max(self.values) / low if low else math.inf


class Law(Protocol):
    """The law of a shift, exact."""

    def plus(self, step: Any) -> Self:
        """Return the law of this shift and an independent `step` together."""
        ...

    def law(self) -> tuple[Fraction, ...]:
        """Return the probability of every shift."""
        ...

    def counted(self) -> tuple[tuple[Fraction, int], ...]:
        """Return each probability with the number of shifts that have it."""
        ...

    def odds(self, size: int) -> Fraction | float:
        """Measure how much a report that is shifted so favours one of `size` answers over another at the most."""
        ...


class Group(Protocol):
    """The group that symbols and shifts belong to, both numbered from 0."""

    name: ClassVar[str]
    """What a document calls it."""
    back: ClassVar[str]
    """Why a shift can be taken back, in a formula."""

    @property
    def modulus(self) -> int:
        """How many members it has."""
        ...

    def moved(self, symbols: npt.NDArray[Any], shifts: npt.NDArray[Any]) -> Sums:
        """Return symbols + shifts, in few bytes each."""
        ...

    def moved_back(self, symbols: npt.NDArray[Any], shifts: npt.NDArray[Any]) -> Sums:
        """Return symbols - shifts, in few bytes each."""
        ...

    def total(self, shifts: Iterable[int]) -> int:
        """Return the sum of single shifts."""
        ...

    def between(self, start: int, end: int) -> int:
        """Return the shift that leads from one symbol to another."""
        ...

    def nothing(self) -> Law:
        """Return the law of the shift that is always 0."""
        ...


@dataclass(frozen=True, slots=True)
class Residues:
    """Whole numbers mod `modulus`."""

    name: ClassVar[str] = "shift"
    back: ClassVar[str] = "(x + u) - u = x mod K for every answer x and every key u"

    modulus: int

    def moved(self, symbols: npt.NDArray[Any], shifts: npt.NDArray[Any]) -> Sums:
        """Add mod `modulus`; all are below it, and none below 0."""
        wide = smallest_dtype(2 * self.modulus)
        sums = np.add(symbols, shifts, dtype=wide, casting="unsafe")
        # Where nothing is to be taken away the difference passes below 0 and comes out larger.
        least = np.minimum(sums, sums - wide.type(self.modulus))
        fitting: Sums = least.astype(smallest_dtype(self.modulus), copy=False)
        return fitting

    def moved_back(self, symbols: npt.NDArray[Any], shifts: npt.NDArray[Any]) -> Sums:
        """Subtract mod `modulus`."""
        wide = smallest_dtype(2 * self.modulus)
        return self.moved(symbols, wide.type(self.modulus) - shifts.astype(wide))

    def total(self, shifts: Iterable[int]) -> int:
        """Add up mod `modulus`."""
        return sum(shifts) % self.modulus

    def between(self, start: int, end: int) -> int:
        """Subtract mod `modulus`."""
        return (end - start) % self.modulus

    def nothing(self) -> ShiftLaw:
        """Return the law of 0."""
        return ShiftLaw.nothing(self.modulus)


@dataclass(frozen=True, slots=True)
class Masks:
    """Masks of `length` bits. Every one is its own opposite."""

    name: ClassVar[str] = "masks"
    back: ClassVar[str] = "(x xor u) xor u = x for every answer x and every key u"

    length: int

    @property
    def modulus(self) -> int:
        """How many masks there are."""
        return 1 << self.length

    def moved(self, symbols: npt.NDArray[Any], shifts: npt.NDArray[Any]) -> Sums:
        """Flip the bits of the shift."""
        narrow = smallest_dtype(self.modulus)
        flipped: Sums = np.bitwise_xor(symbols.astype(narrow), shifts.astype(narrow))
        return flipped

    def moved_back(self, symbols: npt.NDArray[Any], shifts: npt.NDArray[Any]) -> Sums:
        """Flip them once more."""
        return self.moved(symbols, shifts)

    def total(self, shifts: Iterable[int]) -> int:
        """Flip one after the other."""
        found = 0
        for shift in shifts:
            found ^= shift
        return found

    def between(self, start: int, end: int) -> int:
        """Where the two differ."""
        return start ^ end

    def nothing(self) -> MaskLaw:
        """Return the law of the empty mask."""
        return MaskLaw.nothing(self.length)
