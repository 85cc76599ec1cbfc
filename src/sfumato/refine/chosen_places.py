"""Steps that draw one of two classes by a coin, and a place in it: what those share whose sets lie inside one another.

Theory: docs/theory/flags.md
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource, Coin, RowSource, RowStarts, RowWords, UniformBelow
from sfumato.bits.mechanism import smallest_dtype
from sfumato.bits.row_words import ROW_WIDTH, AnyRows, RowArray
from sfumato.mechanisms.public_masks import place_below
from sfumato.refine.leading_laws import LeadingLaw
from sfumato.refine.shifts import ShiftArray, Sums
from sfumato.refine.step_protocol import Walk
from sfumato.values import Interval
from sfumato.values.checks import check_at_least, check_integer

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
