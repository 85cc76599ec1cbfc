"""Rungs whose levels favour sets of their own, inside one another: the sharpest level has the smallest.

What is drawn never looks at the answer: the public set of the row, a set inside it for each level going up, and an
element that favours those of the sharpest level. The public report is the answer less that element. The key of a level
is its set, relative to the public one; with the report it tells which answers are favoured. The key of level 0 is the
element, and the answer their sum. Which sets there are, and what is added how, a family says.
Theory: docs/theory/flags.md
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sfumato import measures
from sfumato.bits.mechanism import Positions, ReportArray, check_positions, check_symbols, smallest_dtype
from sfumato.errors import InvalidParameter
from sfumato.mechanisms.declared import nominal_odds, odds_keeping
from sfumato.mechanisms.public_shifts import PublicShifts
from sfumato.refine.groups import Residues
from sfumato.refine.rungs.base import Draws, Scores, check_values, member_deviation, uniform_risk
from sfumato.refine.step_protocol import Step
from sfumato.values import Interval, Tally

MOST_EPSILON = 20.0
"""Sets are chosen as if no epsilon were larger."""


class NestedRung(PublicShifts):
    """A level of nested sets: `parts` say which sets all levels have, sharpest first, and `level` is its number."""

    __slots__ = ()

    key_reason: ClassVar[str] = "H of what a level has more than the public [B, Thm 4]"
    by_position: ClassVar[bool] = True
    by_number: ClassVar[bool] = True
    recoverable: ClassVar[bool] = True
    partial: ClassVar[bool] = False
    says_answers: ClassVar[bool] = False
    parts_name: ClassVar[str]

    level: int

    @property
    @abstractmethod
    def parts(self) -> tuple[int, ...]:
        """What tells the sets of all levels, sharpest first."""

    @abstractmethod
    def set_count(self, part: int) -> int:
        """How many sets there are of a kind."""

    @abstractmethod
    def members(self, part: int) -> int:
        """How many elements a set of a kind favours."""

    @abstractmethod
    def placed(self, odds: Fraction, parts: tuple[int, ...], level: int) -> Self:
        """Return the rung of a level."""

    @abstractmethod
    def set_step(self, below: int, above: int, erased: Fraction, public: int) -> Step:
        """Return what draws the set of a level from that of one below it."""

    @abstractmethod
    def element_step(self) -> Step:
        """Return what draws an element from the set of this level."""

    @property
    def group(self) -> Residues:
        """What symbols and shifts are added in."""
        return Residues(self.modulus)

    @property
    def report_count(self) -> int:
        """How many reports of this level there are: symbols, beside each of its sets."""
        parts = self.parts
        return self.modulus * (1 if self.level == len(parts) else self.set_count(parts[self.level - 1]))

    # Levels.

    def at(self, odds: Fraction) -> Self:
        """Return the rung at other odds."""
        return self.placed(odds, self.parts, self.level)

    def odds_for(self, epsilon: float) -> Fraction:
        """Return the largest odds on the grid that keep `epsilon`."""
        weight = (nominal_odds(epsilon) + 1) * self.modulus
        return odds_keeping(epsilon, weight=weight, size=self.size, width=self.width)

    def levels(self, odds: Sequence[Fraction]) -> tuple[Self, ...]:
        """Return the rungs of the levels; refuses odds that sets inside one another cannot have."""
        parts = self.parts if len(self.parts) > 1 else self.parts * len(odds)
        if len(parts) != len(odds):
            raise InvalidParameter(
                f"has {len(parts)} entries for {len(odds)} levels",
                parameter=self.parts_name,
                way_out=f"Give one for each level, or let {type(self).__name__}.serving choose.",
            )
        found = tuple(self.placed(value, parts, level) for level, value in enumerate(odds, start=1))
        for above, below in pairwise(found):
            left = above.odds_left(parts[below.level - 1])
            if left < below.odds:
                raise InvalidParameter(
                    f"of level {below.level} cannot be made: what it favours of level {above.level} has odds {left}",
                    parameter="odds",
                    value=below.odds,
                    way_out=f"Lower them, or use other `{self.parts_name}` at that level.",
                )
        return found

    def odds_left(self, part: int) -> Fraction:
        """Return the odds of this level where only a uniform set of another kind around its own is known."""
        return 1 + (self.odds - 1) * Fraction(self.favoured_count, self.members(part))

    def erased(self, below: Self) -> Fraction:
        """With which chance the set of the level below has nothing to do with that of this one."""
        left, odds, every = self.odds_left(below.parts[below.level - 1]), below.odds, self.modulus
        ratio = every * (left - odds) / ((every + below.favoured_count * (left - 1)) * (odds - 1))
        return ratio / (1 + ratio)

    def steps(self, odds: Sequence[Fraction]) -> tuple[Step, ...]:
        """Return the element's draw, and the set of each level but the public one."""
        found = self.levels(odds)
        parts = found[0].parts
        above = [
            self.set_step(parts[lower.level - 1], parts[upper.level - 1], upper.erased(lower), parts[-1])
            for upper, lower in pairwise(found)
        ]
        return (found[0].element_step(), *above)

    def key_law(self, odds: Sequence[Fraction], level: int) -> Step:
        """Return what is drawn for a level: a set inside the public one, or any; for level 0 an element."""
        found = self.levels(odds)
        if level == 0:
            return found[-1].element_step()
        kept = math.prod((1 - upper.erased(lower) for upper, lower in pairwise(found[level - 1 :])), start=Fraction(1))
        parts = found[0].parts
        return self.set_step(parts[-1], parts[level - 1], 1 - kept, parts[-1])

    # Reports.

    def truths(self, values: npt.ArrayLike, positions: Positions = 0) -> ReportArray:  # noqa: ARG002  all are alike
        """Return the answers themselves, as residues."""
        return check_symbols("values", values, self.size)

    def answers(self, symbols: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the symbols themselves, -1 where a symbol is no answer."""
        return np.where(symbols < self.size, symbols, -1)

    def made(self, values: npt.ArrayLike, draws: Draws, positions: Positions = 0) -> ReportArray:
        """Take the elements that were drawn from answers."""
        answers = self.truths(values)
        return self.group.moved(answers, self.shifts(draws, check_positions(positions, answers.size)))

    def seen(self, reports: npt.NDArray[Any], draws: Draws) -> ReportArray:
        """Put the set that was drawn beside each report."""
        pairs: ReportArray = draws.astype(np.int64) * self.modulus + reports
        return pairs.astype(smallest_dtype(self.report_count))

    def recovered(self, reports: npt.NDArray[Any], draws: Draws, positions: Positions = 0) -> npt.NDArray[np.int64]:
        """Put the elements that were drawn back."""
        shifts = self.shifts(draws, check_positions(positions, reports.size))
        return self.answers(self.group.moved_back(reports, shifts).astype(np.int64))

    def tally(self, reports: npt.ArrayLike, positions: Positions = 0) -> Tally:
        """Count what all reports hit."""
        column = check_symbols("reports", reports, self.report_count)
        codes, symbols = np.divmod(column, self.modulus)
        return self.counted(symbols, codes, check_positions(positions, column.size))

    # What is said of a level.

    def measured_odds(self) -> Fraction | float:
        """Measure the channel of the first set of the level."""
        return measures.odds(self.channel())

    def randomness_bits(self) -> Interval:
        """Enclose the entropy of an element drawn for this level alone."""
        return self.element_step().entropy_bits()

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
