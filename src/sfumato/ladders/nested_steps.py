"""Steps between nested sets and between nested spaces of masks.

Theory: docs/theory/flags.md
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.ladders.steps import OneByOne, ShiftArray, Sums, Walk
from sfumato.mechanisms.set_systems import MOST_RESIDUES, Table, place_below, space_table, spaces
from sfumato.numbers.checks import check_at_least, check_between, check_integer
from sfumato.numbers.intervals import Interval, entropy_interval
from sfumato.sampling.mechanism import smallest_dtype
from sfumato.sampling.rows import ROW_WIDTH, AnyRows, RowArray, RowSource, RowStarts, RowWords
from sfumato.sampling.samplers import Coin, UniformBelow
from sfumato.sampling.sources import MOST_WIDTH, BitSource

# --- Numbers of which the first are favoured: a two-level distribution without a list of its members
# Spaces of masks are too many to be listed; the favoured ones among them have the first numbers.


_MOST_LISTED = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadingLaw:
    """One of the first `favoured_count` numbers below `modulus` with probability `inside`, uniform there and beyond."""

    modulus: int
    favoured_count: int
    inside: Fraction

    @property
    def probabilities(self) -> tuple[Fraction, Fraction]:
        """Of one favoured number, and of one other."""
        others = self.modulus - self.favoured_count
        return self.inside / self.favoured_count, (1 - self.inside) / others if others else Fraction(0)

    def law(self) -> tuple[Fraction, ...]:
        """Return the probability of every number, of which there may not be many."""
        if self.modulus > _MOST_LISTED:
            raise ValueError("too many to be listed")
        high, low = self.probabilities
        return (high,) * self.favoured_count + (low,) * (self.modulus - self.favoured_count)

    def entropy_bits(self) -> Interval:
        """Enclose what a draw costs and what storing it takes, at the least."""
        high, low = self.probabilities
        return entropy_interval(((high, self.favoured_count), (low, self.modulus - self.favoured_count)))

    def at(self, ranks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the numbers at places: themselves."""
        return ranks

    def ranks(self, shifts: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
        """Return the places of numbers: themselves."""
        return shifts.astype(np.int64)


_STREAM_WIDTHS, _WORDS_A_PLACE = (16, 32, 64), 4

Chosen = npt.NDArray[np.uint8]


class ChosenPlace(ABC):
    """One of two classes by a coin, a place in it, and what the two make of what was drawn before."""

    __slots__ = ()

    width: int

    @property
    @abstractmethod
    def chance(self) -> Fraction:
        """Of the second class."""

    @property
    @abstractmethod
    def sizes(self) -> tuple[int, int]:
        """How many places the classes have."""

    @property
    @abstractmethod
    def letter(self) -> LeadingLaw:
        """The law of a draw that starts from the public space, which is what a key file holds of it."""

    @abstractmethod
    def apply(self, codes: ShiftArray, chosen: Chosen, places: ShiftArray) -> None:
        """Replace numbers by what was drawn."""

    @property
    def modulus(self) -> int:
        """How many numbers there are."""
        return self.letter.modulus

    @property
    def dtype(self) -> np.dtype[Any]:
        """Words, since what is drawn before may have more numbers."""
        return np.dtype(np.int64)

    @property
    def letters(self) -> int:
        """One."""
        return 1

    def law(self) -> tuple[Fraction, ...]:
        """Return the probability of every number, starting from the public space."""
        return self.letter.law()

    def entropy_bits(self) -> Interval:
        """Enclose what a draw costs and what storing it takes, at the least."""
        return self.letter.entropy_bits()

    def is_like(self, other: object) -> bool:
        """Whether another step is the same."""
        return self == other

    def spelled(self, shifts: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
        """Return the numbers themselves."""
        return shifts

    def joined(self, letters: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the numbers themselves."""
        return letters

    # Draws.

    def draw(self, bits: BitSource, count: int) -> Sums:
        """`count` independent draws that start from the public space."""
        check_at_least("count", check_integer("count", count), 0)
        sums: Sums = np.zeros(count, dtype=self.dtype)
        self.add_drawn(bits, sums)
        return sums.astype(smallest_dtype(self.modulus))

    def add_drawn(self, bits: BitSource, sums: Sums) -> None:
        """Go on from what was drawn before, by a stream of words: all coins first, then the places of either class."""
        chosen = Coin(chance=self.chance, width=self.width, thrifty=True).sample(bits, sums.size)
        self._go_on(sums, AnyRows(bits), chosen, self._stream_width)

    def draw_rows(self, source: RowSource, count: int) -> ShiftArray:
        """A draw for each of `count` rows, from words of its own: one decides the class, the next ones the place."""
        sums = np.zeros(count, dtype=np.int64)
        self.add_rows(source, sums)
        return sums

    def add_rows(self, source: RowSource, sums: Sums) -> None:
        """Go on from what was drawn before, by words of rows."""
        coin = Coin(chance=self.chance, width=min(self.width, ROW_WIDTH))
        self._go_on(sums, source, coin.sample_rows(source, np.arange(sums.size)), self.row_places)

    def draw_numbered(self, key: bytes, numbers: RowArray) -> Sums:
        """The draws of the rows with these numbers under a key."""
        starts = RowStarts(numbers.size)
        starts.take(numbers)
        sums: Sums = np.zeros(numbers.size, dtype=self.dtype)
        walk = self.together([self])
        if walk is None:
            self.add_numbered(key, starts, sums)
        else:
            walk.add_numbered([key], starts, sums)
        return sums.astype(smallest_dtype(self.modulus))

    def add_numbered(self, key: bytes, starts: RowStarts, sums: Sums) -> None:
        """Go on by words of numbered rows under a key."""
        self.add_rows(RowWords(key, starts.numbers_at(np.arange(sums.size))), sums)

    @staticmethod
    @abstractmethod
    def together(steps: Sequence[Any]) -> Walk | None:
        """Return what draws steps of this kind at once; none where they are drawn one by one."""

    def _go_on(self, sums: Sums, source: RowSource, chosen: ShiftArray, sampler: Any) -> None:
        places = np.zeros(sums.size, dtype=np.int64)
        for kind, size in enumerate(self.sizes):
            rows = np.flatnonzero(chosen == kind)
            if size > 1 and rows.size:
                places[rows] = sampler(size).draw_rows(source, rows).astype(np.int64)
        self.apply(sums, chosen.astype(np.uint8), places)

    def row_places(self, size: int) -> UniformBelow:
        """How a place of a class is drawn from words of rows."""
        return place_below(size, self.width)

    def _stream_width(self, size: int) -> UniformBelow:
        fitting = [width for width in _STREAM_WIDTHS if 1 << width >= _WORDS_A_PLACE * size]
        return UniformBelow(bound=size, width=min([*fitting, self.width]))


class Erased(ChosenPlace):
    """A place that goes with what was drawn before; with chance `erased` any, as if that were not known."""

    __slots__ = ()

    erased: Fraction

    @property
    def chance(self) -> Fraction:
        """That what was drawn before is not looked at."""
        return self.erased

    @property
    def letter(self) -> LeadingLaw:
        """Those that go with the first come first."""
        fitting, every = self.sizes
        kept = 1 - self.erased + self.erased * fitting / every
        return LeadingLaw(modulus=every, favoured_count=fitting, inside=kept)


class Favoured(ChosenPlace):
    """With chance `inside` a place that what was drawn before favours, else one of the others."""

    __slots__ = ()

    inside: Fraction

    @property
    def chance(self) -> Fraction:
        """That it is not favoured."""
        return 1 - self.inside

    @property
    def letter(self) -> LeadingLaw:
        """Those that the public one favours come first."""
        favoured, other = self.sizes
        return LeadingLaw(modulus=favoured + other, favoured_count=favoured, inside=self.inside)


# --- Steps of a ladder of sets: a set inside the one drawn before, and at last a residue
# Draws go from the public set to that of the sharpest level, independently of the answer. A step takes a set of `outer`
# members to a uniform one of `inner` inside it, or with chance `erased` to any; the last takes the sharpest set to a
# residue that favours its members. Sets and residues are numbered relative to the public set of the row, number 0.
# Theory: docs/theory/flags.md


@dataclass(frozen=True, slots=True, kw_only=True)
class InnerSetStep(OneByOne, Erased):
    """From a set of `outer` residues mod `size` to one of `inner` inside it, or with chance `erased` to any."""

    size: int
    outer: int
    inner: int
    erased: Fraction
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        check_between("size", check_integer("size", self.size), 2, MOST_RESIDUES)
        check_between("outer", check_integer("outer", self.outer), self.inner, self.size - 1)
        check_between("inner", check_integer("inner", self.inner), 1, self.outer)
        check_between("erased", self.erased, 0, 1)

    @property
    def sizes(self) -> tuple[int, int]:
        """How many sets are inside one, and how many there are."""
        return math.comb(self.outer, self.inner), math.comb(self.size, self.inner)

    def document(self) -> dict[str, Any]:
        """Return the sizes and the chance."""
        return {"size": self.size, "outer": self.outer, "inner": self.inner, "erased": str(self.erased)}

    def apply(self, codes: ShiftArray, chosen: Chosen, places: ShiftArray) -> None:
        """Replace sets by those that were drawn."""
        from sfumato.mechanisms.set_kernels import go_inside  # noqa: PLC0415  numba is slow to import

        go_inside(codes, chosen, places, self.size, self.outer, self.inner)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberStep(OneByOne, Favoured):
    """From a set of `members` residues mod `size` to a residue, with chance `inside` one of them."""

    size: int
    members: int
    inside: Fraction
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        check_between("size", check_integer("size", self.size), 2, MOST_RESIDUES)
        check_between("members", check_integer("members", self.members), 1, self.size - 1)
        check_between("inside", self.inside, 0, 1)

    @property
    def sizes(self) -> tuple[int, int]:
        """How many members there are, and how many others."""
        return self.members, self.size - self.members

    def document(self) -> dict[str, Any]:
        """Return the sizes and the chance."""
        return {"size": self.size, "members": self.members, "inside": str(self.inside)}

    def apply(self, codes: ShiftArray, chosen: Chosen, places: ShiftArray) -> None:
        """Replace sets by residues that were drawn."""
        from sfumato.mechanisms.set_kernels import pick  # noqa: PLC0415  numba is slow to import

        pick(codes, chosen, places, self.size, self.members)


# --- All steps of a ladder of flags in one pass, for the rows of a seed
# Theory: docs/theory/flags.md


# Larger than any half of a lane.
_NEVER = 1 << ROW_WIDTH


@dataclass(frozen=True)
class MaskWalk:
    """Steps from the public space upwards, the last of which may lead to an element."""

    steps: tuple[SpaceStep | ElementStep, ...]

    @cached_property
    def _plan(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64], npt.NDArray[np.int64], tuple[int, ...]]:
        """Words, shapes and tables for the compiled pass, and which steps have lanes after their first."""
        wide = tuple(number for number, step in enumerate(self.steps) if _is_wide(step))
        words, shapes, tables, size = list[list[int]](), list[list[int]](), list[npt.NDArray[np.int64]](), 0
        for number, step in enumerate(self.steps):
            after = len(self.steps) + wide.index(number) if number in wide else number
            mine = step.tables()
            ends = np.cumsum([size, *(table.size for table in mine)]).tolist()
            starts = ends[:2] if mine else [0, 0]
            tables, size = [*tables, *mine], ends[-1]
            words.append(_compared(step))
            shapes.append([*step.span, *starts, after, int(0 < step.chance < 1)])
        every = np.concatenate([*tables, np.zeros(1, dtype=np.int64)])
        every.setflags(write=False)  # as tables are, so that passes over them are compiled once
        return np.array(words, dtype=np.uint64), np.array(shapes, dtype=np.int64), every, wide

    def add_numbered(self, keys: Sequence[bytes], starts: RowStarts, sums: Sums) -> None:
        """Draw for numbered rows under the keys of the steps; `sums` is where it goes."""
        from sfumato.ladders.mask_kernel import walk  # noqa: PLC0415  numba is slow to import

        words, shapes, tables, wide = self._plan
        lanes = np.empty((len(self.steps) + len(wide), sums.size), dtype=np.uint64)
        for number, key in enumerate(keys):
            after = [lanes[len(self.steps) + wide.index(number)]] if number in wide else []
            starts.fill_under(key, lanes[number], *after)
        left = np.empty(sums.size, dtype=np.bool_)
        first = self.steps[0]
        climbs = sum(step.is_climb for step in self.steps)
        if walk(lanes, words, shapes, tables, first.length, first.public, climbs, sums, left):
            rows = np.flatnonzero(left)
            again = np.zeros(rows.size, dtype=np.int64)
            for step, key in zip(self.steps, keys, strict=True):
                step.add_rows(RowWords(key, starts.numbers_at(rows)), again)
            sums[rows] = again


@lru_cache(maxsize=32)
def walk_of(steps: tuple[SpaceStep | ElementStep, ...]) -> MaskWalk:
    """Return the pass of steps, of which the first starts at the public space."""
    return MaskWalk(steps)


def _is_wide(step: SpaceStep | ElementStep) -> bool:
    return 0 < step.chance < 1 and any(step.row_places(size).width > ROW_WIDTH for size in step.sizes)


def _compared(step: SpaceStep | ElementStep) -> list[int]:
    """What words are compared with, as :mod:`sfumato.ladders.mask_kernel` says."""
    width = min(step.width, ROW_WIDTH)
    chance, rest = step.chance, Fraction(0)
    if 0 < chance < 1:
        border, rest = divmod(chance * (1 << width), 1)
    else:  # always, or never
        border = int(chance) * _NEVER
    found = [ROW_WIDTH - width, int(border), int(border) if rest else _NEVER]
    for size in step.sizes:
        sampler = step.row_places(size)
        last = (1 << 64) - 1 if size == 1 else sampler.last
        found += [size, last, (_NEVER - 1) // size, 65 - sampler.width if sampler.width > ROW_WIDTH else 0]
    return found


# --- Steps of a ladder of flags: a space of masks above the one drawn before, and at last an element
# Draws go upwards from the public space, independently of the answer. A step takes the space of dimension `low` to a
# uniform one of dimension `high` above it, or with chance `erased` to any; the last takes the sharpest space to an
# element that favours those at which its masks are even. Spaces and elements are numbered relative to the public space
# of the row, number 0.
# Theory: docs/theory/flags.md


class _MaskStep(ChosenPlace):
    """What is drawn of masks, all steps in one pass."""

    __slots__ = ()

    @staticmethod
    def together(steps: Sequence[Any]) -> MaskWalk:
        """Return the pass that draws all of these steps."""
        return walk_of(tuple(reversed(steps)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceStep(_MaskStep, Erased):
    """From a space of dimension `low` to one of dimension `high` above it, or with chance `erased` to any."""

    length: int
    low: int
    high: int
    erased: Fraction
    public: int = 1
    width: int = MOST_WIDTH
    is_climb: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_between("public", check_integer("public", self.public), 1, self.low)
        check_between("low", check_integer("low", self.low), 1, self.high)
        check_between("high", check_integer("high", self.high), self.low, self.length - 1)
        check_between("erased", self.erased, 0, 1)

    @property
    def sizes(self) -> tuple[int, int]:
        """How many spaces are above one, and how many there are."""
        return spaces(self.length - self.low, self.high - self.low), spaces(self.length, self.high)

    def document(self) -> dict[str, Any]:
        """Return the dimensions and the chance."""
        return {
            "length": self.length,
            "low": self.low,
            "high": self.high,
            "public": self.public,
            "erased": str(self.erased),
        }

    @property
    def span(self) -> tuple[int, int]:
        """From which dimension it leads to which."""
        return self.low, self.high

    def tables(self) -> tuple[Table, Table]:
        """What places among spaces above one and numbers of spaces are spelled with."""
        above = space_table(self.length - self.low, self.high - self.low)
        return above, space_table(self.length, self.high, self.public)

    def apply(self, codes: ShiftArray, chosen: Chosen, places: ShiftArray) -> None:
        """Replace spaces by those that were drawn."""
        from sfumato.mechanisms.set_kernels import climb  # noqa: PLC0415  numba is slow to import

        before = space_table(self.length, self.low, self.public)
        climb(codes, chosen, places, self.low, self.high, (before, *self.tables()))


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementStep(_MaskStep, Favoured):
    """From a space of a `dimension` to an element, with chance `inside` one at which all its masks are even."""

    length: int
    dimension: int
    public: int
    inside: Fraction
    width: int = MOST_WIDTH
    is_climb: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_between("public", check_integer("public", self.public), 1, self.dimension)
        check_between("dimension", check_integer("dimension", self.dimension), self.public, self.length - 1)
        check_between("inside", self.inside, 0, 1)

    @property
    def sizes(self) -> tuple[int, int]:
        """At how many elements all masks are even, and at how many they are not."""
        even = (1 << (self.length - self.dimension)) - 1
        return even, (1 << self.length) - 1 - even

    def document(self) -> dict[str, Any]:
        """Return the dimensions and the chance."""
        return {
            "length": self.length,
            "dimension": self.dimension,
            "public": self.public,
            "inside": str(self.inside),
        }

    @property
    def span(self) -> tuple[int, int]:
        """From which dimension it leads to none."""
        return self.dimension, 0

    def tables(self) -> tuple[Table, ...]:
        """Elements need none."""
        return ()

    def apply(self, codes: ShiftArray, chosen: Chosen, places: ShiftArray) -> None:
        """Replace spaces by elements that were drawn."""
        from sfumato.mechanisms.set_kernels import hide  # noqa: PLC0415  numba is slow to import

        table = space_table(self.length, self.dimension, self.public)
        hide(codes, chosen, places, self.length, self.dimension, self.public, table)
