"""Random shifts with two levels of probability: what every step of a ladder adds, and what every key takes away.

A shift lies in a favoured set F of residues mod K with probability `inside`, uniform there, and is uniform on the rest
otherwise. With F a difference set it is the shift of the cyclic response; with F = {0} it is an erasure, which leaves
the report alone or replaces it by noise; with K = 2 and F = {0} it is a flip.   Theory: docs/theory/ladders.md

A row under a key has words of 32 bits. Bits from the system are dear: a column drawn from a source takes words of 16
while places fit them well. The coin goes on where they leave it open, so the law is exact at any width.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource, Coin, RowSource, RowStarts, RowWords, UniformBelow
from sfumato.bits.mechanism import smallest_dtype
from sfumato.bits.row_words import ROW_WIDTH, RowArray
from sfumato.errors import InvalidParameter
from sfumato.measures.enclosures import entropy_interval
from sfumato.prob.distinct_values import distinct
from sfumato.refine.shift_thresholds import UNKNOWN, RowThresholds, Thresholds
from sfumato.refine.step_documents import set_document
from sfumato.refine.steps import OneByOne
from sfumato.values import Interval
from sfumato.values.checks import check_at_least, check_between, check_integer

ShiftArray = npt.NDArray[np.int64]
Sums = npt.NDArray[Any]  # unsigned integers, as small as the modulus allows

_WIDTH = 64
_MOST_MODULUS = 1 << ROW_WIDTH  # a place in a row is one word
# Bits in a word of a stream: the first width that has this many words for each place, so that few are drawn again.
_STREAM_WIDTHS, _WORDS_A_PLACE = (16, 32), 4
# Words in which a coin may agree with its chance before more of the chance is written out.
_DEPTH = 8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TwoLevelShift(OneByOne):
    """A residue mod `modulus`: in `favoured`, uniformly, with probability `inside`; else uniform outside.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> shift = sf.refine.TwoLevelShift.erasure(4, Fraction(1, 2))
    >>> [str(chance) for chance in shift.law()]
    ['5/8', '1/8', '1/8', '1/8']
    >>> round(shift.entropy_bits().upper, 4)
    1.5488
    """

    modulus: int
    favoured: ShiftArray
    inside: Fraction
    width: int = _WIDTH
    _order: ShiftArray | None = field(init=False, repr=False)
    _found: dict[tuple[int, int], Thresholds] = field(init=False, repr=False, default_factory=dict)
    _found_rows: list[RowThresholds | None] = field(init=False, repr=False, default_factory=list)

    def __post_init__(self) -> None:
        check_between("modulus", check_integer("modulus", self.modulus), 2, _MOST_MODULUS)
        check_between("inside", self.inside, 0, 1)
        members = distinct(np.asarray(self.favoured, dtype=np.int64))
        if not 0 < members.size < self.modulus or members[0] < 0 or members[-1] >= self.modulus:
            raise InvalidParameter(
                f"must hold between 1 and {self.modulus - 1} different residues mod {self.modulus}",
                parameter="favoured",
                way_out="Reduce them first.",
            )
        order = None
        if members[-1] != members.size - 1:
            order = np.concatenate([members, np.delete(np.arange(self.modulus), members)])
            order.setflags(write=False)
        members.setflags(write=False)
        object.__setattr__(self, "favoured", members)
        object.__setattr__(self, "_order", order)

    @classmethod
    def erasure(cls, modulus: int, chance: Fraction, *, width: int = _WIDTH) -> TwoLevelShift:
        """0, or with probability `chance` anything, uniformly."""
        stay = 1 - chance + chance / modulus
        return cls(modulus=modulus, favoured=np.zeros(1, dtype=np.int64), inside=stay, width=width)

    @property
    def is_in_order(self) -> bool:
        """Whether the favoured shifts are the first ones, so that each shift is its own place; then none is listed."""
        return self._order is None

    @property
    def order(self) -> ShiftArray:
        """All shifts, the favoured first, each level ascending."""
        return np.arange(self.modulus) if self._order is None else self._order

    @property
    def favoured_count(self) -> int:
        """How many shifts are favoured."""
        return self.favoured.size

    @property
    def dtype(self) -> np.dtype[Any]:
        """The smallest that holds a shift."""
        return smallest_dtype(self.modulus)

    @property
    def probabilities(self) -> tuple[Fraction, Fraction]:
        """Of one favoured shift, and of one other."""
        return self.inside / self.favoured.size, (1 - self.inside) / (self.modulus - self.favoured.size)

    def law(self) -> tuple[Fraction, ...]:
        """Return the probability of every shift."""
        high, low = self.probabilities
        law = [low] * self.modulus
        for shift in self.favoured.tolist():
            law[shift] = high
        return tuple(law)

    def entropy_bits(self) -> Interval:
        """Enclose what a draw costs and what storing it takes, at the least."""
        high, low = self.probabilities
        return entropy_interval(((high, self.favoured.size), (low, self.modulus - self.favoured.size)))

    def document(self) -> dict[str, Any]:
        """Return the favoured set, and how probable it is."""
        return {"favoured": set_document(self.favoured, self.modulus), "inside": str(self.inside)}

    def is_like(self, other: object) -> bool:
        """Whether another step has the same law."""
        if not isinstance(other, TwoLevelShift) or (self.modulus, self.inside) != (other.modulus, other.inside):
            return False
        return bool(np.array_equal(self.favoured, other.favoured))

    @property
    def letter(self) -> TwoLevelShift:
        """A draw is one letter of its own law."""
        return self

    @property
    def letters(self) -> int:
        """One."""
        return 1

    def spelled(self, shifts: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
        """Return the shifts themselves."""
        return shifts

    def joined(self, letters: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the letters themselves."""
        return letters

    @property
    def stream_width(self) -> int:
        """Bits in the words that a column is drawn from."""
        fitting = [width for width in _STREAM_WIDTHS if 1 << width >= _WORDS_A_PLACE * self.modulus]
        return min([*fitting, self.width])

    @property
    def row_width(self) -> int:
        """Bits in the words of rows."""
        return min(self.width, ROW_WIDTH)

    def thresholds(self, width: int, depth: int) -> Thresholds:
        """What words of a width are compared with, the chance written out to `depth` of them; worked out once."""
        if (width, depth) not in self._found:
            self._found[width, depth] = _thresholds(self, width, depth)
        return self._found[width, depth]

    def row_thresholds(self) -> RowThresholds | None:
        """What the first lanes of rows are compared with, worked out once; nothing where no coin is thrown."""
        if not self._found_rows:
            self._found_rows.append(_row_thresholds(self, self.thresholds(self.row_width, 1)))
        return self._found_rows[0]

    def draw(self, bits: BitSource, count: int) -> Sums:
        """`count` independent shifts."""
        check_at_least("count", check_integer("count", count), 0)
        sums: Sums = np.zeros(count, dtype=smallest_dtype(self.modulus))
        self.add_drawn(bits, sums)
        return sums

    def add_drawn(self, bits: BitSource, sums: Sums) -> None:
        """Add independent shifts to sums, which stay below the modulus.

        A flip is drawn thriftily; otherwise each row takes the next words, one for the level and one for the place.
        """
        if self.modulus == 2:
            outside = Coin(chance=1 - self.inside, width=self.width, thrifty=True).sample(bits, sums.size)
            sums ^= self.at(outside).astype(sums.dtype)
            return
        kernel = _kernel()
        width, depth, words = self.stream_width, _DEPTH, np.empty(0, dtype=np.uint8)
        state = np.array([0, self.thresholds(width, depth).known, 0], dtype=np.int64)
        while state[kernel.DONE] < sums.size:
            found = self.thresholds(width, depth)
            if not words.size:
                # What the rows need in any case, so that nothing is drawn in vain; one may know its level already.
                needed = (sums.size - int(state[kernel.DONE])) * found.least_words
                words = bits.words(needed - (state[kernel.LEVEL] != found.known and found.least_words > 1), width)
                words = words.astype(words.dtype.newbyteorder("="), copy=False)
                words.setflags(write=False)  # so that one compiled pass serves all sources
            words = words[kernel.add_streamed(words, *found, sums, state) :]
            depth = max(depth, 2 * int(state[kernel.DEPTH]))

    def draw_rows(self, source: RowSource, count: int) -> ShiftArray:
        """A shift for each of `count` rows, from words of its own: one decides the level, one the place."""
        coin = Coin(chance=1 - self.inside, width=self.row_width)
        outside = coin.sample_rows(source, np.arange(count))
        ranks = outside * self.favoured.size
        for level, size in enumerate((self.favoured.size, self.modulus - self.favoured.size)):
            if size > 1:
                rows = np.flatnonzero(outside == level)
                ranks[rows] += UniformBelow(bound=size, width=self.row_width).draw_rows(source, rows).astype(np.int64)
        return self.at(ranks)

    def draw_numbered(self, key: bytes, numbers: RowArray) -> Sums:
        """The shifts of the rows with these numbers under a key."""
        starts = RowStarts(numbers.size)
        starts.take(numbers)
        sums: Sums = np.zeros(numbers.size, dtype=smallest_dtype(self.modulus))
        self.add_numbered(key, starts, sums)
        return sums

    def add_numbered(self, key: bytes, starts: RowStarts, sums: Sums) -> None:
        """Add the shifts of numbered rows under a key: what `draw_rows` says, most of it compiled."""
        kernel, found = _kernel(), self.row_thresholds()
        if found is None:  # a coin that is not thrown takes no word, so the first is for the place
            left = np.arange(sums.size)
        else:
            words = starts.under(key)
            if not kernel.add_first(words, *found, sums):
                return
            left = np.flatnonzero(kernel.rows_left(words, found.coin, found.levels))
        drawn = self.draw_rows(RowWords(key, starts.numbers_at(left)), left.size)
        sums[left] = (sums[left] + drawn) % self.modulus

    def at(self, ranks: ShiftArray) -> ShiftArray:
        """Return the shifts at places of `order`."""
        return np.asarray(ranks, dtype=np.int64) if self._order is None else np.asarray(self._order[ranks])

    def ranks(self, shifts: npt.NDArray[np.integer[Any]]) -> ShiftArray:
        """Return the places of shifts in `order`."""
        if self._order is None:
            return shifts.astype(np.int64)
        places = np.empty(self.modulus, dtype=np.int64)
        places[self._order] = np.arange(self.modulus, dtype=np.int64)
        ranks: ShiftArray = places[shifts]
        return ranks


def _thresholds(step: TwoLevelShift, width: int, depth: int) -> Thresholds:
    chance, borders, end = 1 - step.inside, list[int](), -1
    known = UNKNOWN if 0 < chance < 1 else int(chance)
    while len(borders) < depth and end < 0:
        border, chance = divmod(chance * (1 << width), 1)
        end = -1 if chance else len(borders)
        borders.append(int(border))
    sizes = (step.favoured.size, step.modulus - step.favoured.size)
    lasts = [UniformBelow(bound=size, width=width).last for size in sizes]
    if known != UNKNOWN:
        borders = []
    found = [np.array(values, dtype=np.uint64) for values in (borders, sizes, lasts)]
    order = (step.favoured[:0] if step.is_in_order else step.order).astype(smallest_dtype(step.modulus))
    for array in (*found, order):
        array.setflags(write=False)
    return Thresholds(known, found[0], end, found[1], found[2], order, step.modulus)


def _row_thresholds(step: TwoLevelShift, found: Thresholds) -> RowThresholds | None:
    if found.known != UNKNOWN:
        return None
    border = int(found.borders[0])
    coin = (ROW_WIDTH - step.row_width, border, border if found.end else _MOST_MODULUS)  # no word is as large
    sizes, lasts = found.sizes.tolist(), found.lasts.tolist()
    levels = (sizes, lasts, [(_MOST_MODULUS - 1) // size for size in sizes])
    arrays = [np.array(values, dtype=np.uint64) for values in (coin, levels)]
    for array in arrays:
        array.setflags(write=False)
    still = np.uint64(0 if step.is_in_order else np.flatnonzero(step.order == 0)[0])
    return RowThresholds(arrays[0], arrays[1], still, found.order, np.uint64(step.modulus))


@functools.cache
def _kernel() -> ModuleType:
    """Return the compiled passes: importing them at every step of every block would be a tenth of the work."""
    from sfumato.refine import shift_kernel  # noqa: PLC0415  numba is slow to import

    return shift_kernel
