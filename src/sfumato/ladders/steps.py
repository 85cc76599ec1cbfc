"""Steps of a ladder: random two-level shifts, drawn from a source or for the rows of a key.

A shift lies in a favoured set F of residues mod K with probability `inside`, uniform there, and is uniform on the rest
otherwise. With F a difference set it is the shift of the cyclic response; with F = {0} it is an erasure, which keeps
the report or replaces it by noise; with K = 2 and F = {0} it is a flip.
Theory: docs/theory/ladders.md

A row under a key has words of 32 bits. System randomness is slow, so a column drawn from a source takes words of 16
bits where places fit them well. Where a word leaves the coin undecided the next one is used, so the distribution is
exact at any width.
"""

from __future__ import annotations

import base64
import functools
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import ModuleType
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.numbers.checks import as_number, check_at_least, check_between, check_integer
from sfumato.numbers.columns import distinct
from sfumato.numbers.intervals import Interval, entropy_interval
from sfumato.sampling.mechanism import smallest_dtype
from sfumato.sampling.rows import ROW_WIDTH, RowArray, RowSource, RowStarts, RowWords
from sfumato.sampling.samplers import Coin, UniformBelow
from sfumato.sampling.sources import BitSource

# --- Checks of levels, which must fall, and steps that are independent of one another


Number = TypeVar("Number", float, Fraction)

MOST_LEVELS = 32


class OneByOne:
    """What steps share that are drawn one after the other, whatever the others are."""

    __slots__ = ()

    @staticmethod
    def together(steps: Sequence[Any]) -> None:
        """Steps are drawn one by one."""
        del steps


def descending(name: str, values: Sequence[Number]) -> tuple[Number, ...]:
    """Return levels that fall strictly."""
    given: Any = values
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidParameter(
            "must be a list with one number for each level", parameter=name, way_out="Write it like [2.0, 1.0, 0.5]."
        )
    levels = tuple(values)
    for value in levels:
        as_number(name, value)
    if not 1 <= len(levels) <= MOST_LEVELS:
        raise InvalidParameter(
            f"must have between 1 and {MOST_LEVELS} levels, not {len(levels)}",
            parameter=name,
            way_out="Give one number for each level.",
        )
    if any(not upper > lower for upper, lower in itertools.pairwise(levels)):
        raise InvalidParameter(
            "must fall from level to level, sharpest first", parameter=name, way_out="Sort them, each once."
        )
    return levels


# --- Steps as documents: whole numbers and fractions, from which another device can draw them
# A set of residues is written in the shortest form: a run by its start, few members one by one, and many as a bit for
# each residue, so that 87 381 residues take 15 kB.


_FEW = 32


def set_document(members: npt.NDArray[np.integer[Any]], modulus: int) -> dict[str, Any]:
    """Spell a set of residues, which are sorted: `first` and `count`, or `members`, or `bits`, in base64.

    Residue r is bit r mod 8, from the least, of byte r // 8.
    """
    first, count = int(members[0]), int(members.size)
    if int(members[-1]) - first == count - 1:
        return {"first": first, "count": count}
    if count <= _FEW:
        return {"members": members.tolist()}
    is_member = np.zeros(modulus, dtype=np.bool_)
    is_member[members] = True
    return {"bits": base64.b64encode(np.packbits(is_member, bitorder="little").tobytes()).decode()}


# --- Thresholds to which words are compared, computed once for all rows


UNKNOWN = -1
"""Where the level of a row is not known before a coin is thrown."""


class Thresholds(NamedTuple):
    """What words are compared with: see :mod:`sfumato.ladders.shift_kernel`."""

    known: int
    borders: npt.NDArray[np.uint64]
    end: int
    sizes: npt.NDArray[np.uint64]
    lasts: npt.NDArray[np.uint64]
    order: npt.NDArray[Any]
    modulus: int

    @property
    def least_words(self) -> int:
        """How many words every row needs at the least."""
        possible = self.sizes if self.known == UNKNOWN else self.sizes[self.known :][:1]
        return int(self.known == UNKNOWN) + int((possible > 1).all())


class RowThresholds(NamedTuple):
    """What the first lanes of rows are compared with: see :mod:`sfumato.ladders.shift_kernel`."""

    coin: npt.NDArray[np.uint64]
    levels: npt.NDArray[np.uint64]
    still: np.uint64
    order: npt.NDArray[Any]
    modulus: np.uint64


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
    >>> shift = sf.ladders.TwoLevelShift.erasure(4, Fraction(1, 2))
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
        """Return the step itself: a draw is one two-level shift."""
        return self

    @property
    def letters(self) -> int:
        """One."""
        return 1

    def spelled(self, shifts: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
        """Return the shifts themselves."""
        return shifts

    def joined(self, letters: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the numbers unchanged."""
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
    from sfumato.ladders import shift_kernel  # noqa: PLC0415  numba is slow to import

    return shift_kernel


# --- The protocol of a step: drawn from a source or for the rows of a key, and written in a key file


class Letter(Protocol):
    """A law of two levels: which numbers are favoured, and how probable they are together."""

    @property
    def modulus(self) -> int:
        """How many numbers there are."""
        ...

    @property
    def favoured_count(self) -> int:
        """How many of them are favoured."""
        ...

    @property
    def inside(self) -> Fraction:
        """How probable these are together."""
        ...

    def at(self, ranks: ShiftArray) -> ShiftArray:
        """Return the numbers at places, the favoured ones first."""
        ...

    def ranks(self, shifts: npt.NDArray[np.integer[Any]]) -> ShiftArray:
        """Return the places of numbers."""
        ...


class Walk(Protocol):
    """Draws several steps at once, for rows of seeds."""

    def add_numbered(self, keys: Sequence[bytes], starts: RowStarts, sums: Sums) -> None:
        """Draw for numbered rows under the keys of the steps, the last one's first; sums are 0 before."""
        ...


class Step(Protocol):
    """A random draw with an exact law on `modulus` numbers: a shift, or what goes on from the steps below."""

    @property
    def modulus(self) -> int:
        """How many shifts there are."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """What it is worked out in, with the steps below it."""
        ...

    def law(self) -> tuple[Fraction, ...]:
        """Return the probability of every shift."""
        ...

    def entropy_bits(self) -> Interval:
        """Enclose what a draw costs and what storing it takes, at the least."""
        ...

    def document(self) -> dict[str, Any]:
        """Return what another program needs to draw it, in whole numbers and fractions as text."""
        ...

    def is_like(self, other: object) -> bool:
        """Whether another step has the same distribution, made by the same parameters."""
        ...

    @property
    def letter(self) -> Letter:
        """What a draw is spelled in, for a key file: independent shifts of one law."""
        ...

    @property
    def letters(self) -> int:
        """How many of them a draw takes."""
        ...

    def spelled(self, shifts: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
        """Return shifts as two-level shifts, row after row."""
        ...

    def joined(self, letters: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the shifts from two-level shifts, in the smallest dtype that the modulus allows."""
        ...

    def draw(self, bits: BitSource, count: int) -> Sums:
        """`count` independent shifts."""
        ...

    def add_drawn(self, bits: BitSource, sums: Sums) -> None:
        """Add independent shifts to sums, which the steps below have made."""
        ...

    def draw_rows(self, source: RowSource, count: int) -> ShiftArray:
        """A shift for each of `count` rows, from words of its own."""
        ...

    def draw_numbered(self, key: bytes, numbers: RowArray) -> Sums:
        """The shifts of the rows with these numbers under a key."""
        ...

    def add_numbered(self, key: bytes, starts: RowStarts, sums: Sums) -> None:
        """Add the shifts of numbered rows under a key: what `draw_rows` says, in fast passes."""
        ...

    @staticmethod
    def together(steps: Sequence[Any]) -> Walk | None:
        """Return what draws steps of this kind at once, the last first; none where they are drawn one by one."""
        ...
