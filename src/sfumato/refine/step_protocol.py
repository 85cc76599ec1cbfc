"""What a step of a ladder can do: be drawn, from a source or for the rows of a key, and be spelled in a key file."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource, RowSource, RowStarts
from sfumato.bits.row_words import RowArray
from sfumato.refine.shifts import ShiftArray, Sums
from sfumato.values import Interval


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
        """Whether another step has the same law, made in the same way."""
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
        """Return the letters of shifts, row after row."""
        ...

    def joined(self, letters: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the shifts that letters spell, as small as the modulus allows."""
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
