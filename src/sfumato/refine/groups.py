"""What reports and shifts are added in: residues mod K, or masks of bits, whose sum is "exclusive or".

A ladder adds shifts to true symbols and takes them back; what adding means is said here and nowhere else.
Theory: docs/theory/ladders.md, docs/theory/several.md
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import smallest_dtype
from sfumato.refine.mask_laws import MaskLaw
from sfumato.refine.shift_laws import ShiftLaw
from sfumato.refine.shifts import Sums


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
