"""What a ladder is before anything of it is built: its mechanism by name, the odds of its levels, and how many of each.

A declaration in a file may name a set of millions of shifts; whoever has only to judge it should not have to make it.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from sfumato.errors import InvalidParameter
from sfumato.refine.declarations import declare, read_declaration
from sfumato.refine.rungs import Rung
from sfumato.refine.steps import descending


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The mechanism, the exact odds of the levels, largest first, and whether level 0 has a key."""

    rung: Rung
    odds: tuple[Fraction, ...]
    recover_answers: bool

    def __post_init__(self) -> None:
        descending("odds", self.odds)
        if self.odds[-1] <= 1 and self.rung.kind != "one_time_pad":
            raise InvalidParameter(
                "the lowest level would be pure noise: its odds must be above 1", way_out="Raise its epsilon."
            )
        if self.recover_answers and not (self.rung.recoverable or self.rung.partial):
            raise no_recovery(self.rung)
        self.rung.levels(self.odds)  # which refuses odds that it cannot draw

    @classmethod
    def declared(cls, text: str) -> Self:
        """Read a declaration."""
        rung, odds, recover = read_declaration(text)
        return cls(rung=rung, odds=odds, recover_answers=recover)

    @property
    def declaration(self) -> str:
        """The one spelling."""
        return declare(self.rung, self.odds, recover=self.recover_answers)

    @property
    def depth(self) -> int:
        """How many levels there are."""
        return len(self.odds)

    @property
    def size(self) -> int:
        """How many answers there are."""
        return self.rung.size

    @property
    def modulus(self) -> int:
        """How many reports there are."""
        return self.rung.modulus

    @property
    def key_levels(self) -> tuple[int, ...]:
        """Levels that need a key: all but the public one, and 0 when answers are to be recovered."""
        return tuple(range(0 if self.recover_answers else 1, self.depth))

    @property
    def gives_answers(self) -> bool:
        """Whether the key of level 0 gives every answer back."""
        return self.recover_answers and self.rung.recoverable

    @property
    def steps_down(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The odds above and below each step but the first."""
        return tuple(itertools.pairwise(self.odds))


def no_recovery(rung: Rung) -> InvalidParameter:
    """Return the refusal to give answers back that a report and its key do not tell apart."""
    return InvalidParameter(
        f"is impossible over {rung.base.__name__} with {rung.size} answers: there are {rung.modulus} reports, and with "
        f"the key they must still tell {rung.size} answers apart",
        parameter="recover",
        value=True,
        way_out="Use CyclicResponse, or recover=False.",
    )
