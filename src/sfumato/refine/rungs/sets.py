"""Rungs over the sets response: sets of answers around one another, the sharpest level having the smallest.

For at most 64 answers: every level has the error of subset selection, which is the least there is, in a report as short
as an answer. The price is in the keys, which hold sets.   Theory: docs/theory/flags.md
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar, Self

from sfumato.errors import InvalidParameter
from sfumato.mechanisms.declared import nominal_odds
from sfumato.mechanisms.favoured_sets import least_noise
from sfumato.mechanisms.numbered_sets import MOST_RESIDUES
from sfumato.mechanisms.sets import SetsResponse, set_noise
from sfumato.refine.rungs.base import by_degrees, whole
from sfumato.refine.rungs.nested import MOST_EPSILON, NestedRung
from sfumato.refine.rungs.set_choices import best_sizes, is_numbered
from sfumato.refine.set_steps import InnerSetStep, MemberStep
from sfumato.values.checks import check_between, check_integer


@dataclass(frozen=True, slots=True, kw_only=True)
class SetsRung(NestedRung, SetsResponse):
    """The sets response as a level: `sizes` are those of the sets of all levels, sharpest first, `level` its number."""

    kind: ClassVar[str] = "sets"
    base: ClassVar[type] = SetsResponse
    parts_name: ClassVar[str] = "sizes"
    level_reason: ClassVar[str] = (
        "the set of a level is drawn around that of the level above, apart from the answer, checked exactly [B, Thm 3]"
    )
    back_reason: ClassVar[str] = "(x-u)+u = x mod k for every answer x and every key u"

    sizes: tuple[int, ...] = ()
    level: int = 1

    def __post_init__(self) -> None:
        if not self.sizes:
            object.__setattr__(self, "sizes", (self.chosen,) * self.level)
        SetsResponse.__post_init__(self)
        for chosen in self.sizes:
            check_between("sizes", check_integer("sizes", chosen), 1, self.size - 1)
        if any(above > below for above, below in pairwise(self.sizes)):
            raise InvalidParameter(
                "must not fall from level to level", parameter="sizes", way_out="Sort them, the smallest first."
            )
        if self.chosen != self.sizes[self.level - 1]:
            raise InvalidParameter(
                "is not that of its level", parameter="chosen", value=self.chosen, way_out="Use `levels`."
            )
        if any(not is_numbered(self.size, chosen) for chosen in self.sizes[:-1]):
            raise InvalidParameter(
                "of a level with a key are more than words can number",
                parameter="sizes",
                way_out="Use smaller sets at that level.",
            )

    @classmethod
    def over(cls, mechanism: SetsResponse) -> Self:
        """Return the rung of a mechanism; all levels then have sets of its size, unless it is a rung already."""
        if isinstance(mechanism, cls):
            return mechanism
        return cls(**{field.name: getattr(mechanism, field.name) for field in fields(SetsResponse)})

    @classmethod
    def serving(cls, *, size: int, epsilons: Sequence[float]) -> Self:
        """Return the rung whose sets serve all levels: the worst noise ratio is least."""
        check_between("size", check_integer("size", size), 2, MOST_RESIDUES)
        sizes = best_sizes(size, [nominal_odds(min(epsilon, MOST_EPSILON)) for epsilon in epsilons])
        return cls(size=size, odds=Fraction(2), chosen=sizes[0], sizes=sizes)

    @classmethod
    def declared(cls, document: Mapping[str, Any]) -> Self:
        """Read the sizes of the sets of all levels."""
        given = document["sizes"]
        if not isinstance(given, list) or not given or any(type(chosen) is not int for chosen in given):
            raise ValueError("sizes")
        return cls(size=whole(document, "size"), odds=Fraction(2), chosen=given[0], sizes=tuple(given))

    def declaration(self) -> dict[str, Any]:
        """Say how many answers there are, and the sizes of the sets of all levels."""
        return {"size": self.size, "sizes": list(self.sizes)}

    @property
    def parts(self) -> tuple[int, ...]:
        """The sizes of the sets of all levels."""
        return self.sizes

    @property
    def public_chosen(self) -> int:
        """The size of the last level's sets."""
        return self.sizes[-1]

    def set_count(self, part: int) -> int:
        """How many sets there are of a size."""
        return math.comb(self.size, part)

    def members(self, part: int) -> int:
        """As many as its size."""
        return part

    def placed(self, odds: Fraction, parts: tuple[int, ...], level: int) -> Self:
        """Return the rung of a level."""
        return replace(self, odds=odds, chosen=parts[level - 1], sizes=parts, level=level)

    def set_step(self, below: int, above: int, erased: Fraction, public: int) -> InnerSetStep:
        """Return what draws the set of a level from that of one below it."""
        del public
        return InnerSetStep(size=self.size, outer=below, inner=above, erased=erased, width=self.width)

    def element_step(self) -> MemberStep:
        """Return what draws a residue from the set of this level."""
        own = self.chosen * self.odds
        inside = own / (own + self.size - self.chosen)
        return MemberStep(size=self.size, members=self.chosen, inside=inside, width=self.width)

    def report_words(self, asked: str) -> str:
        """Say what a symbol is, and what a key puts beside it."""
        return (
            f"a symbol from 0 to {self.modulus - 1} of the sets response, which with the number of its row favours "
            f"several of the {self.size} {asked}; opened by a key, the symbol and {self.modulus} times the number of a "
            f"set; not an answer"
        )

    def remarks(self) -> tuple[str, ...]:
        """Say what a report is about."""
        shown = ", ".join(map(str, self.sizes))
        return (
            (
                f"Answers are residues mod {self.size}. What is drawn for a row, sets of {shown} residues from the "
                f"sharpest level to the public one and a residue, does not depend on the answer; the set of the public "
                f"level follows from the number of the row. The claims hold for every row."
            ),
        )

    def noise_ratio(self) -> float:
        """V0/V* of the level's sets at these odds."""
        odds = float(self.odds)
        return set_noise(self.size, self.chosen, odds) / least_noise(odds)

    def because(self, levels: Sequence[Fraction], asked: str = "answers") -> str:
        """Say what one report costs each level."""
        found = self.levels(levels)
        shown, noise = ", ".join(map(str, found[0].sizes)), ", ".join(f"{one.noise_ratio():.2f}" for one in found)
        return (
            f"{self.size} {asked}: the sets response on {self.modulus} possible reports, {by_degrees(levels)}. Each "
            f"level has sets of its own, of {shown} answers, inside those of the level below; the noise over the least "
            f"possible is {noise}, sharpest level first."
        )
