"""What rungs share whose noise is a sum of shifts: a report is the true symbol plus what was drawn down to its level.

The key of a level holds the sum of the steps below it, and takes it back.   Theory: docs/theory/ladders.md
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

from sfumato import measures
from sfumato.bits.mechanism import Positions, ReportArray
from sfumato.prob import AnyChannel
from sfumato.refine.groups import Group, Law, Residues
from sfumato.refine.rungs.base import Draws, Rung, uniform_risk
from sfumato.refine.shifts import ShiftArray, TwoLevelShift
from sfumato.refine.step_protocol import Step


class ShiftRung(Rung, Protocol):
    """A rung whose levels are one another's sums with independent shifts."""

    @property
    def favoured_count(self) -> int:
        """How many shifts are the most probable ones, without looking at them."""
        ...

    def shift_at(self, odds: Fraction) -> Step:
        """Return the shift of a level of these odds."""
        ...

    def step_down(self, above: Fraction, below: Fraction) -> Step:
        """Return what takes a level of some odds to one of lower odds."""
        ...

    def leads(self, step: Step, above: Fraction, below: Fraction) -> bool:
        """Whether a step is the one between two levels, by a closed form of its own."""
        ...

    def shift_law(self) -> Law:
        """Return how the level shifts the true symbol, read from the law of the mechanism."""
        ...


class ShiftingRung(ABC):
    """Levels and reports by shifts, which a family says how to find."""

    __slots__ = ()

    level_reason: ClassVar[str] = "each level is the level above plus a shift drawn apart, checked exactly [B, Thm 3]"
    key_reason: ClassVar[str] = "H of the sum of the steps below the level [B, Thm 4]"

    @property
    @abstractmethod
    def group(self) -> Group:
        """What symbols and shifts are added in."""

    @abstractmethod
    def at(self, odds: Fraction) -> Self:
        """Return the rung at other odds."""

    @abstractmethod
    def shift_at(self, odds: Fraction) -> Step:
        """Return the shift of a level of these odds."""

    @abstractmethod
    def step_down(self, above: Fraction, below: Fraction) -> Step:
        """Return what takes a level of some odds to one of lower odds."""

    @abstractmethod
    def truths(self, values: npt.ArrayLike, positions: Positions = 0) -> ReportArray:
        """Return the true symbols of answers."""

    @abstractmethod
    def answers(self, symbols: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the answers of true symbols, -1 where a symbol is none."""

    by_number: ClassVar[bool] = False
    partial: ClassVar[bool] = False

    @property
    def back_reason(self) -> str:
        """What the group says."""
        return self.group.back

    @property
    def report_count(self) -> int:
        """As many as the group has members, at every level."""
        return self.group.modulus

    def levels(self, odds: Sequence[Fraction]) -> tuple[Self, ...]:
        """Return the same mechanism at each of the odds."""
        return tuple(self.at(value) for value in odds)

    def steps(self, odds: Sequence[Fraction]) -> tuple[Step, ...]:
        """Return the shift of level 1, and what takes each level to the next."""
        below = [self.step_down(upper, lower) for upper, lower in itertools.pairwise(odds)]
        return (self.shift_at(odds[0]), *below)

    def key_law(self, odds: Sequence[Fraction], level: int) -> Step:
        """Return the sum of the steps below a level."""
        return self.shift_at(odds[-1]) if level == 0 else self.step_down(odds[level - 1], odds[-1])

    def made(self, values: npt.ArrayLike, draws: Draws, positions: Positions = 0) -> ReportArray:
        """Add what was drawn to the true symbols."""
        return self.group.moved(self.truths(values, positions), draws)

    def seen(self, reports: npt.NDArray[Any], draws: Draws) -> ReportArray:
        """Take back what was drawn since this level."""
        return self.group.moved_back(reports, draws)

    def recovered(self, reports: npt.NDArray[Any], draws: Draws, positions: Positions = 0) -> npt.NDArray[np.int64]:
        """Take back all that was drawn."""
        del positions
        return self.answers(self.group.moved_back(reports, draws).astype(np.int64))


class TwoLevelRung(ShiftingRung):
    """What all rungs share whose shift is favoured or not, mod `modulus`: each step below the first is an erasure.

    A two-level law is uniform but for a part c = P(one favoured) - P(one other); the step that takes c to c' keeps
    the report with probability c'/c, and else replaces it by a uniform one.
    """

    __slots__ = ()

    size: int

    @property
    @abstractmethod
    def modulus(self) -> int:
        """How many reports there are."""

    @property
    @abstractmethod
    def by_position(self) -> bool:
        """Whether a report means nothing without its position."""

    @property
    @abstractmethod
    def favoured_shifts(self) -> ShiftArray:
        """The shifts that are `odds` times as probable as the others."""

    @property
    @abstractmethod
    def favoured_count(self) -> int:
        """How many shifts are favoured, without looking at them."""

    @abstractmethod
    def share_deviation(self, share: float) -> float:
        """√n times the standard deviation of the unbiased share of an answer that so many hold."""

    @abstractmethod
    def channel_at(self, position: int) -> AnyChannel:
        """Return the channel of those at a position."""

    @property
    def says_answers(self) -> bool:
        """As many reports as answers, and no shift favoured but none."""
        same = self.modulus == self.size and not self.by_position
        return same and self.favoured_shifts.tolist() == [0]

    @property
    def group(self) -> Residues:
        """Residues mod `modulus`."""
        return Residues(self.modulus)

    def shift_at(self, odds: Fraction) -> TwoLevelShift:
        """Return the shift whose favoured values are `odds` times as probable as the others."""
        size = self.favoured_count
        inside = size * odds / (size * odds + self.modulus - size)
        return TwoLevelShift(modulus=self.modulus, favoured=self.favoured_shifts, inside=inside)

    def step_down(self, above: Fraction, below: Fraction) -> TwoLevelShift:
        """Return the erasure that takes the part of one level to that of another."""
        return TwoLevelShift.erasure(self.modulus, 1 - self._part(below) / self._part(above))

    def _part(self, odds: Fraction) -> Fraction:
        return (odds - 1) / (self.favoured_count * odds + self.modulus - self.favoured_count)

    def leads(self, step: Step, above: Fraction, below: Fraction) -> bool:
        """Compare with the erasure's chance in one fraction."""
        size, modulus = self.favoured_count, self.modulus
        ratio = modulus * (above - below) / ((modulus + size * (above - 1)) * (below - 1))
        return step.is_like(TwoLevelShift.erasure(modulus, ratio / (1 + ratio)))

    def report_words(self, asked: str) -> str:
        """Say that a report favours several answers."""
        return (
            f"a symbol from 0 to {self.modulus - 1} of the cyclic response, which favours several of the {self.size} "
            f"{asked}; not an answer"
        )

    def largest_risk(self, n: int) -> float | None:
        """Take uniform shares: the variance of a share is concave in it, so their sum is largest there."""
        return uniform_risk(self, n)

    def hitting(self) -> tuple[Fraction, Fraction, ShiftArray] | None:
        """Not unless a family says so."""
        return None

    def measured_odds(self) -> Fraction | float:
        """Measure the channel of the first position."""
        return measures.odds(self.channel_at(0))

    def remarks(self) -> tuple[str, ...]:
        """None."""
        return ()
