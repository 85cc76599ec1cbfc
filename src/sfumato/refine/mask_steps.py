"""Steps of a ladder of flags: a space of masks above the one that was drawn before, and at last an element.

Draws go from the public space upwards, and none of them looks at the answer. A step takes the space of dimension `low`
to a uniform one of dimension `high` above it, or with chance `erased` to any; the last takes the space of the sharpest
level to an element that favours those at which its masks are even. Spaces and elements are numbered, relative to the
public space of the row, which is number 0.   Theory: docs/theory/flags.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from sfumato.bits.source import MOST_WIDTH
from sfumato.mechanisms.mask_spaces import Table, space_table, spaces
from sfumato.refine.chosen_places import Chosen, ChosenPlace, Erased, Favoured
from sfumato.refine.mask_walks import MaskWalk, walk_of
from sfumato.refine.shifts import ShiftArray
from sfumato.values.checks import check_between, check_integer


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
        from sfumato.mechanisms.mask_kernel import climb  # noqa: PLC0415  numba is slow to import

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
        from sfumato.mechanisms.mask_kernel import hide  # noqa: PLC0415  numba is slow to import

        table = space_table(self.length, self.dimension, self.public)
        hide(codes, chosen, places, self.length, self.dimension, self.public, table)
