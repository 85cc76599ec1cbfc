"""Steps of a ladder of sets: a set inside the one that was drawn before, and at last a residue.

Draws go from the public set to the sharpest level's, and none of them looks at the answer. A step takes a set of
`outer` members to a uniform one of `inner` inside it, or with chance `erased` to any; the last takes the set of the
sharpest level to a residue that favours its members. Sets and residues are numbered, relative to the public set of the
row, which is number 0.   Theory: docs/theory/flags.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.bits.source import MOST_WIDTH
from sfumato.mechanisms.numbered_sets import MOST_RESIDUES
from sfumato.refine.chosen_places import Chosen, Erased, Favoured
from sfumato.refine.shifts import ShiftArray
from sfumato.refine.steps import OneByOne
from sfumato.values.checks import check_between, check_integer


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
        from sfumato.mechanisms.set_kernel import go_inside  # noqa: PLC0415  numba is slow to import

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
        from sfumato.mechanisms.set_kernel import pick  # noqa: PLC0415  numba is slow to import

        pick(codes, chosen, places, self.size, self.members)
