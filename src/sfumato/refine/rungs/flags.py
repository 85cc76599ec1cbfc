"""Rungs over the flags response: spaces of masks inside one another, the sharpest level having the largest.

A space favours the elements at which all its masks are even, so larger spaces favour fewer. The public report is the
quotient of the answer by the element that was drawn, and the answer their product.   Theory: docs/theory/flags.md
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar, Self

from sfumato.errors import InvalidParameter
from sfumato.mechanisms.declared import nominal_odds
from sfumato.mechanisms.favoured_sets import least_noise
from sfumato.mechanisms.flags import FlagsResponse, check_dimension, mask_noise
from sfumato.mechanisms.mask_spaces import spaces
from sfumato.refine.mask_steps import ElementStep, SpaceStep
from sfumato.refine.rungs.base import by_degrees, whole
from sfumato.refine.rungs.flag_choices import best_dimensions
from sfumato.refine.rungs.flag_words import chosen_words, flags_remarks, report_words
from sfumato.refine.rungs.nested import MOST_EPSILON, NestedRung


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagsRung(NestedRung, FlagsResponse):
    """The flags response as a level: `dimensions` are those of all levels, sharpest first, `level` is its number."""

    kind: ClassVar[str] = "flags"
    base: ClassVar[type] = FlagsResponse
    parts_name: ClassVar[str] = "dimensions"
    level_reason: ClassVar[str] = (
        "masks of a level are drawn from those of the level above, apart from the answer, checked exactly [B, Thm 3]"
    )
    back_reason: ClassVar[str] = "(x/u)·u = x in the field for every answer x and every key u"

    dimensions: tuple[int, ...] = ()
    level: int = 1

    def __post_init__(self) -> None:
        if not self.dimensions:
            object.__setattr__(self, "dimensions", (self.dimension,) * self.level)
        FlagsResponse.__post_init__(self)
        for dimension in self.dimensions:
            check_dimension(self.length, dimension)
        if any(above < below for above, below in pairwise(self.dimensions)):
            raise InvalidParameter(
                "must not grow from level to level", parameter="dimensions", way_out="Sort them, the largest first."
            )
        if self.dimension != self.dimensions[self.level - 1]:
            raise InvalidParameter(
                "is not that of its level", parameter="dimension", value=self.dimension, way_out="Use `levels`."
            )

    @classmethod
    def over(cls, mechanism: FlagsResponse) -> Self:
        """Return the rung of a mechanism; all levels then have its dimension, unless it is a rung already."""
        if isinstance(mechanism, cls):
            return mechanism
        return cls(**{field.name: getattr(mechanism, field.name) for field in fields(FlagsResponse)})

    @classmethod
    def serving(cls, *, size: int, epsilons: Sequence[float]) -> Self:
        """Return the rung whose spaces serve all levels: the worst noise ratio is least."""
        odds = [nominal_odds(min(epsilon, MOST_EPSILON)) for epsilon in epsilons]
        length, dimensions = best_dimensions(size, odds)
        return cls(size=size, odds=Fraction(2), length=length, dimension=dimensions[0], dimensions=dimensions)

    @classmethod
    def declared(cls, document: Mapping[str, Any]) -> Self:
        """Read the dimensions of all levels."""
        size, length = (whole(document, name) for name in ("size", "length"))
        given = document["dimensions"]
        if not isinstance(given, list) or not given or any(type(dimension) is not int for dimension in given):
            raise ValueError("dimensions")
        return cls(size=size, odds=Fraction(2), length=length, dimension=given[0], dimensions=tuple(given))

    def declaration(self) -> dict[str, Any]:
        """Say how long masks are, and the dimensions of all levels."""
        return {"size": self.size, "length": self.length, "dimensions": list(self.dimensions)}

    @property
    def parts(self) -> tuple[int, ...]:
        """The dimensions of all levels."""
        return self.dimensions

    @property
    def public_dimension(self) -> int:
        """That of the last level."""
        return self.dimensions[-1]

    def set_count(self, part: int) -> int:
        """How many spaces there are of a dimension."""
        return spaces(self.length, part)

    def members(self, part: int) -> int:
        """At how many elements the masks of a space are all even."""
        return (1 << (self.length - part)) - 1

    def placed(self, odds: Fraction, parts: tuple[int, ...], level: int) -> Self:
        """Return the rung of a level."""
        return replace(self, odds=odds, dimension=parts[level - 1], dimensions=parts, level=level)

    def set_step(self, below: int, above: int, erased: Fraction, public: int) -> SpaceStep:
        """Return what draws the space of a level from that of one below it."""
        return SpaceStep(length=self.length, low=below, high=above, erased=erased, public=public, width=self.width)

    def element_step(self) -> ElementStep:
        """Return what draws an element from the space of this level."""
        own = self.favoured_count * self.odds
        return ElementStep(
            length=self.length,
            dimension=self.dimension,
            public=self.public_dimension,
            inside=own / (own + self.modulus - self.favoured_count),
            width=self.width,
        )

    def report_words(self, asked: str) -> str:
        """Say what a symbol is, and what a key puts beside it."""
        return report_words(self.modulus, self.size, asked)

    def remarks(self) -> tuple[str, ...]:
        """Say what a report is about."""
        return flags_remarks(self.length, self.dimensions)

    def noise_ratio(self) -> float:
        """V0/V* of the level's masks at these odds."""
        odds = float(self.odds)
        return mask_noise(self.length, self.dimension, odds) / least_noise(odds)

    def because(self, levels: Sequence[Fraction], asked: str = "answers") -> str:
        """Say what one report costs each level."""
        ratios = [level.noise_ratio() for level in self.levels(levels)]
        return chosen_words(self.modulus, self.dimensions, ratios, f"{self.size} {asked}", by_degrees(levels))
