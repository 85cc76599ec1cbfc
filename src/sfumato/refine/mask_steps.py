"""Steps of a ladder of flags: a space of masks above the one that was drawn before, and at last an element.

Draws go from the public space upwards, and none of them looks at the answer. A step takes the space of dimension `low`
to a uniform one of dimension `high` above it, or with chance `erased` to any; the last takes the space of the sharpest
level to an element that favours those at which its masks are even. Spaces and elements are numbered, relative to the
public space of the row, which is number 0.   Theory: docs/theory/flags.md
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource, Coin, RowSource, RowStarts, RowWords, UniformBelow
from sfumato.bits.mechanism import smallest_dtype
from sfumato.bits.row_words import ROW_WIDTH, AnyRows, RowArray
from sfumato.bits.source import MOST_WIDTH
from sfumato.mechanisms.mask_spaces import Table, space_table, spaces
from sfumato.mechanisms.public_masks import place_below
from sfumato.refine.leading_laws import LeadingLaw
from sfumato.refine.mask_walks import MaskWalk, walk_of
from sfumato.refine.shifts import ShiftArray, Sums
from sfumato.values import Interval
from sfumato.values.checks import check_at_least, check_between, check_integer

_STREAM_WIDTHS, _WORDS_A_PLACE = (16, 32, 64), 4

Chosen = npt.NDArray[np.uint8]


class _ChosenPlace(ABC):
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
        self.together([self]).add_numbered([key], starts, sums)
        return sums.astype(smallest_dtype(self.modulus))

    def add_numbered(self, key: bytes, starts: RowStarts, sums: Sums) -> None:
        """Go on by words of numbered rows under a key."""
        self.add_rows(RowWords(key, starts.numbers_at(np.arange(sums.size))), sums)

    @staticmethod
    def together(steps: Sequence[Any]) -> MaskWalk:
        """Return the pass that draws all of these steps."""
        return walk_of(tuple(reversed(steps)))

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


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceStep(_ChosenPlace):
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
    def chance(self) -> Fraction:
        """That the space before is not looked at."""
        return self.erased

    @property
    def sizes(self) -> tuple[int, int]:
        """How many spaces are above one, and how many there are."""
        return spaces(self.length - self.low, self.high - self.low), spaces(self.length, self.high)

    @property
    def letter(self) -> LeadingLaw:
        """Spaces above the first come first."""
        above, every = self.sizes
        inside = 1 - self.erased + self.erased * above / every
        return LeadingLaw(modulus=every, favoured_count=above, inside=inside)

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
        from sfumato.mechanisms.mask_kernel import climb  # noqa: PLC0415  numba is slow to import

        before = space_table(self.length, self.low, self.public)
        climb(codes, chosen, places, self.low, self.high, (before, *self.tables()))


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementStep(_ChosenPlace):
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
    def chance(self) -> Fraction:
        """That some mask is odd."""
        return 1 - self.inside

    @property
    def sizes(self) -> tuple[int, int]:
        """At how many elements all masks are even, and at how many they are not."""
        even = (1 << (self.length - self.dimension)) - 1
        return even, (1 << self.length) - 1 - even

    @property
    def letter(self) -> LeadingLaw:
        """Elements at which the masks of the public space are even come first."""
        even, other = self.sizes
        return LeadingLaw(modulus=even + other, favoured_count=even, inside=self.inside)

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
        from sfumato.mechanisms.mask_kernel import hide  # noqa: PLC0415  numba is slow to import

        table = space_table(self.length, self.dimension, self.public)
        hide(codes, chosen, places, self.length, self.dimension, self.public, table)
