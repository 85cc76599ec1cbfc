"""Rungs over the flags response: spaces of masks inside one another, the sharpest level having the largest.

What is drawn never looks at the answer: the public space of the row, a space above it for each level going up, and an
element that favours those at which the masks of the sharpest level are even. The public report is the quotient of the
answer by that element. The key of a level is its space, relative to the public one; with the report it tells which
masks are even at the answer, or seldom not. The key of level 0 is the element, and the answer their product.
Theory: docs/theory/flags.md
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sfumato import measures
from sfumato.bits.mechanism import Positions, ReportArray, check_positions, check_symbols, smallest_dtype
from sfumato.errors import InvalidParameter
from sfumato.mechanisms.declared import nominal_odds, odds_keeping
from sfumato.mechanisms.favoured_sets import least_noise
from sfumato.mechanisms.flags import FlagsResponse, check_dimension, mask_counts, mask_noise
from sfumato.mechanisms.mask_spaces import spaces
from sfumato.refine.groups import Residues
from sfumato.refine.mask_steps import ElementStep, SpaceStep
from sfumato.refine.rungs.base import Draws, Scores, by_degrees, check_values, member_deviation, uniform_risk, whole
from sfumato.refine.rungs.flag_choices import best_dimensions, odds_below
from sfumato.refine.rungs.flag_words import chosen_words, flags_remarks, report_words
from sfumato.refine.step_protocol import Step
from sfumato.values import Interval, Tally

# Sets are chosen as if no epsilon were larger.
_MOST_EPSILON = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagsRung(FlagsResponse):
    """The flags response as a level: `dimensions` are those of all levels, sharpest first, `level` is its number."""

    kind: ClassVar[str] = "flags"
    base: ClassVar[type] = FlagsResponse
    level_reason: ClassVar[str] = (
        "masks of a level are drawn from those of the level above, apart from the answer, checked exactly [B, Thm 3]"
    )
    key_reason: ClassVar[str] = "H of what a level has more than the public [B, Thm 4]"

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
        odds = [nominal_odds(min(epsilon, _MOST_EPSILON)) for epsilon in epsilons]
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
    def public_dimension(self) -> int:
        """That of the last level."""
        return self.dimensions[-1]

    @property
    def group(self) -> Residues:
        """Logarithms, mod 2^t - 1: a sum is a product of elements."""
        return Residues(self.modulus)

    @property
    def by_position(self) -> bool:
        """Each row has public masks of its own."""
        return True

    @property
    def by_number(self) -> bool:
        """A report is read with the masks of its own row, and needs no other."""
        return True

    def report_words(self, asked: str) -> str:
        """Say what a symbol is, and what a key puts beside it."""
        return report_words(self.modulus, self.size, asked)

    @property
    def recoverable(self) -> bool:
        """There is a report for every answer."""
        return True

    @property
    def says_answers(self) -> bool:
        """A report is a quotient."""
        return False

    @property
    def report_count(self) -> int:
        """How many reports of this level there are: symbols, beside each of its spaces."""
        codes = 1 if self.level == len(self.dimensions) else spaces(self.length, self.dimension)
        return self.modulus * codes

    # Levels.

    def at(self, odds: Fraction) -> Self:
        """Return the rung at other odds."""
        return replace(self, odds=odds)

    def odds_for(self, epsilon: float) -> Fraction:
        """Return the largest odds on the grid that keep `epsilon`."""
        weight = (nominal_odds(epsilon) + 1) * self.modulus
        return odds_keeping(epsilon, weight=weight, size=self.size, width=self.width)

    def levels(self, odds: Sequence[Fraction]) -> tuple[Self, ...]:
        """Return the rungs of the levels; refuses odds that spaces inside one another cannot have."""
        dimensions = self.dimensions if len(self.dimensions) > 1 else self.dimensions * len(odds)
        if len(dimensions) != len(odds):
            raise InvalidParameter(
                f"has {len(dimensions)} entries for {len(odds)} levels",
                parameter="dimensions",
                way_out="Give one dimension for each level, or let FlagsRung.serving choose.",
            )
        found = tuple(
            replace(self, odds=value, dimension=dimension, dimensions=dimensions, level=level)
            for level, (value, dimension) in enumerate(zip(odds, dimensions, strict=True), start=1)
        )
        for above, below in pairwise(found):
            if above.odds_left(below.dimension) < below.odds:
                raise InvalidParameter(
                    f"of level {below.level} cannot be made: masks of dimension {below.dimension} in those of level "
                    f"{above.level} have odds {above.odds_left(below.dimension)}",
                    parameter="odds",
                    value=below.odds,
                    way_out="Lower them, or use a larger dimension at that level.",
                )
        return found

    def odds_left(self, dimension: int) -> Fraction:
        """Return the odds of a uniform space of a lower dimension inside that of this level."""
        return odds_below(self.odds, self.length, self.dimension, dimension)

    def erased(self, below: FlagsRung) -> Fraction:
        """With which chance the space of the level below has nothing to do with that of this one."""
        left, odds = self.odds_left(below.dimension), below.odds
        b, r, _ = mask_counts(self.length, below.dimension)
        ratio = b * (left - odds) / ((b + r * (left - 1)) * (odds - 1))
        return ratio / (1 + ratio)

    def steps(self, odds: Sequence[Fraction]) -> tuple[Step, ...]:
        """Return the element's draw, and the space of each level but the public one."""
        found = self.levels(odds)
        above = [
            SpaceStep(
                length=self.length,
                low=lower.dimension,
                high=upper.dimension,
                erased=upper.erased(lower),
                public=self.dimensions[-1],
                width=self.width,
            )
            for upper, lower in pairwise(found)
        ]
        return (found[0].element_step(), *above)

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

    def key_law(self, odds: Sequence[Fraction], level: int) -> Step:
        """Return what is drawn for a level: a space above the public one, or any; for level 0 an element."""
        found = self.levels(odds)
        if level == 0:
            return found[-1].element_step()
        kept = math.prod((1 - upper.erased(lower) for upper, lower in pairwise(found[level - 1 :])), start=Fraction(1))
        return SpaceStep(
            length=self.length,
            low=found[-1].dimension,
            high=found[level - 1].dimension,
            erased=1 - kept,
            public=found[-1].dimension,
            width=self.width,
        )

    # Reports.

    def truths(self, values: npt.ArrayLike, positions: Positions = 0) -> ReportArray:  # noqa: ARG002  all are alike
        """Return the answers themselves, which are logarithms."""
        return check_symbols("values", values, self.size)

    def answers(self, symbols: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the symbols themselves, -1 where a symbol is no answer."""
        return np.where(symbols < self.size, symbols, -1)

    def made(self, values: npt.ArrayLike, draws: Draws, positions: Positions = 0) -> ReportArray:
        """Divide answers by the elements that were drawn."""
        answers = self.truths(values)
        return self.group.moved(answers, self.shifts(draws, check_positions(positions, answers.size)))

    def seen(self, reports: npt.NDArray[Any], draws: Draws) -> ReportArray:
        """Put the space that was drawn beside each report."""
        pairs: ReportArray = draws.astype(np.int64) * self.modulus + reports
        return pairs.astype(smallest_dtype(self.report_count))

    def recovered(self, reports: npt.NDArray[Any], draws: Draws, positions: Positions = 0) -> npt.NDArray[np.int64]:
        """Multiply reports by the elements that were drawn."""
        shifts = self.shifts(draws, check_positions(positions, reports.size))
        return self.answers(self.group.moved_back(reports, shifts).astype(np.int64))

    def tally(self, reports: npt.ArrayLike, positions: Positions = 0) -> Tally:
        """Count the masks of all reports."""
        column = check_symbols("reports", reports, self.report_count)
        codes, symbols = np.divmod(column, self.modulus)
        return self._tally(symbols, codes, check_positions(positions, column.size))

    # What is said of a level.

    def measured_odds(self) -> Fraction | float:
        """Measure the channel of the first space of the level."""
        return measures.odds(self.channel())

    def remarks(self) -> tuple[str, ...]:
        """Say what a report is about."""
        return flags_remarks(self.length, self.dimensions)

    def randomness_bits(self) -> Interval:
        """Enclose the entropy of an element drawn for this level alone."""
        return self.element_step().entropy_bits()

    def noise_ratio(self) -> float:
        """V0/V* of the level's masks at these odds."""
        odds = float(self.odds)
        return mask_noise(self.length, self.dimension, odds) / least_noise(odds)

    def share_deviation(self, share: float) -> float:
        """√n times the standard deviation of the unbiased share of an answer that so many hold."""
        return member_deviation(*self.probabilities, share)

    def largest_risk(self, n: int) -> float | None:
        """Take uniform shares: the variance of a share is concave in it, so their sum is largest there."""
        return uniform_risk(self, n)

    def linear_scores(self, values: Sequence[float]) -> Scores | None:
        """A report means nothing without its position."""
        check_values(values, self.size)
        return None

    def hitting(self) -> None:
        """Which reports hit an answer depends on the row."""
        return

    def weights(self) -> Scores | None:
        """A report means nothing without its position."""
        return None

    def because(self, levels: Sequence[Fraction], asked: str = "answers") -> str:
        """Say what one report costs each level."""
        ratios = [level.noise_ratio() for level in self.levels(levels)]
        return chosen_words(self.modulus, self.dimensions, ratios, f"{self.size} {asked}", by_degrees(levels))
