"""The protocol of a level mechanism: a mechanism at given odds whose noise can be taken back.

Ladders, and readers of a level, use nothing else of a mechanism. A family of level mechanisms is one class with this
protocol and one line in the table of :mod:`sfumato.ladders.spec`.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

from sfumato import measures
from sfumato.errors import InvalidParameter
from sfumato.ladders.groups import Group, Law, Residues
from sfumato.ladders.steps import ShiftArray, Step, TwoLevelShift
from sfumato.numbers.intervals import Interval
from sfumato.prob.structured import AnyChannel
from sfumato.sampling.mechanism import Mechanism, Positions, ReportArray, Tally

Scores = npt.NDArray[np.float64]
Draws = npt.NDArray[Any]


class LevelMechanism(Mechanism, Protocol):
    """A mechanism at a level. A public report is the true symbol plus a shift, in a group of `modulus` members."""

    kind: ClassVar[str]
    """Its name in declarations."""
    base: ClassVar[type]
    """The mechanism that a ladder of this family is made over."""

    @classmethod
    def over(cls, mechanism: Any) -> Self:
        """Return the level mechanism of a mechanism of class `base`."""
        ...

    @classmethod
    def declared(cls, document: Mapping[str, Any]) -> Self:
        """Read what `declaration` wrote, at any odds; raises ValueError or KeyError on anything else."""
        ...

    def declaration(self) -> dict[str, Any]:
        """Return what a declaration says of the mechanism, odds left out."""
        ...

    @property
    def odds(self) -> Fraction:
        """How much a report favours one answer over another at the most, exact."""
        ...

    @property
    def modulus(self) -> int:
        """How many reports there are."""
        ...

    @property
    def group(self) -> Group:
        """What symbols and shifts are added in."""
        ...

    def levels(self, odds: Sequence[Fraction]) -> tuple[Self, ...]:
        """Return the levels of a ladder with these odds, sharpest first; refuses what cannot be drawn."""
        ...

    def steps(self, odds: Sequence[Fraction]) -> tuple[Step, ...]:
        """Return what is drawn for such a ladder, the sharpest level first; draws go from the last to the first."""
        ...

    def key_law(self, odds: Sequence[Fraction], level: int) -> Step:
        """Return the law of a row of the key of `level`: the steps below it together are one step."""
        ...

    def made(self, values: npt.ArrayLike, draws: Draws, positions: Positions = 0) -> ReportArray:
        """Return the public reports of answers, from what was drawn for level 0."""
        ...

    def seen(self, reports: npt.NDArray[Any], draws: Draws) -> ReportArray:
        """Return public reports as this level shows them, from what was drawn down from it."""
        ...

    def recovered(self, reports: npt.NDArray[Any], draws: Draws, positions: Positions = 0) -> npt.NDArray[np.int64]:
        """Return the answers of public reports, from what was drawn for level 0; -1 where there is none."""
        ...

    @property
    def level_reason(self) -> str:
        """The reason why a reader of a level learns nothing from those below it."""
        ...

    @property
    def key_reason(self) -> str:
        """What the bits of a key are the entropy of."""
        ...

    @property
    def back_reason(self) -> str:
        """Why the key of level 0 gives answers back, in a formula."""
        ...

    def measured_odds(self) -> Fraction | float:
        """Return the odds as measured on the channel of a position."""
        ...

    def remarks(self) -> tuple[str, ...]:
        """What a reader of a certificate has to know of the mechanism besides."""
        ...

    @property
    def by_position(self) -> bool:
        """Whether each position is asked another question, so that a report means nothing without its position."""
        ...

    @property
    def by_number(self) -> bool:
        """Whether it is by position, and still any of the reports can be read alone, each with its position."""
        ...

    def report_words(self, asked: str) -> str:
        """Say what a report is, for readers of the file; `asked` is what is asked for."""
        ...

    @property
    def report_count(self) -> int:
        """How many reports of this level there are."""
        ...

    @property
    def recoverable(self) -> bool:
        """Whether a report and its key determine the answer."""
        ...

    @property
    def partial(self) -> bool:
        """Whether level 0 may have a key although it does not determine the answer."""
        ...

    @property
    def says_answers(self) -> bool:
        """Whether a report is one of the answers, most likely the true one."""
        ...

    def at(self, odds: Fraction) -> Self:
        """Return the level mechanism at other odds."""
        ...

    def odds_for(self, epsilon: float) -> Fraction:
        """Return the largest odds on the mechanism's grid that keep `epsilon`."""
        ...

    def truths(self, values: npt.ArrayLike, positions: Positions = 0) -> ReportArray:
        """Return the true symbols of answers; `positions` is that of the first, or of each."""
        ...

    def answers(self, symbols: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the answers of true symbols, -1 where a symbol is none; only where it is `recoverable`."""
        ...

    def tally(self, reports: npt.ArrayLike, positions: Positions = 0) -> Tally:
        """Count reports; `positions` is that of the first, or of each."""
        ...

    def channel_at(self, position: int) -> AnyChannel:
        """Return the channel of those at a position, who are all asked the same."""
        ...

    def randomness_bits(self) -> Interval:
        """Enclose the random bits that a report of this level alone uses."""
        ...

    def noise_ratio(self) -> float:
        """The noise of a share over the least possible, V0/V*; 1 is the best for many answers."""
        ...

    def share_deviation(self, share: float) -> float:
        """√n times the standard deviation of the unbiased share of an answer that so many hold."""
        ...

    def largest_risk(self, n: int) -> float | None:
        """E‖p̂ - p‖² of unbiased shares from n reports at its worst law; None of no shares, or with too few people."""
        ...

    def linear_scores(self, values: Sequence[float]) -> Scores | None:
        """Return a number for each report whose mean is the mean of `values`, one value for each answer.

        None where a report means nothing without its position.
        """
        ...

    def hitting(self) -> tuple[Fraction, Fraction, ShiftArray] | None:
        """Return how probably a report hits its answer and another one, and the shifts with which it does.

        None where shares are not read off counts of hits.
        """
        ...

    def weights(self) -> Scores | None:
        """Return what a report counts towards each answer, a row a report; the sums are unbiased counts of answers.

        None where a report means nothing without its position.
        """
        ...

    def because(self, levels: Sequence[Fraction], asked: str = "answers") -> str:
        """Say in words why a ladder with these odds is made over this mechanism; `asked` is what is asked for."""
        ...


def member_deviation(own: Fraction, other: Fraction, share: float) -> float:
    """√n times the standard deviation of a share, when a report hits its answer with `own` and others with `other`."""
    hit = float(other) + float(own - other) * share
    return math.sqrt(hit * (1 - hit)) / float(own - other)


class Spread(Protocol):
    """What has so many answers, and a share of each with so much noise."""

    @property
    def size(self) -> int:
        """How many answers there are."""
        ...

    def share_deviation(self, share: float) -> float:
        """√n times the standard deviation of the unbiased share of an answer that so many hold."""
        ...


def uniform_risk(rung: Spread, n: int) -> float:
    """Return the expected squared error over all answers at uniform shares, from n reports."""
    return rung.size * rung.share_deviation(1 / rung.size) ** 2 / n


def by_degrees(levels: Sequence[Fraction]) -> str:
    """Say how many levels there are."""
    return f"{len(levels)} levels of one report" if len(levels) > 1 else "one level"


def check_values(values: Sequence[float], size: int) -> Scores:
    """Return the values of the answers, one for each."""
    column: Scores = np.asarray(values, dtype=np.float64)
    if column.shape != (size,) or not np.isfinite(column).all():
        raise InvalidParameter(
            f"must be {size} finite numbers, one for each answer",
            parameter="values",
            way_out="Give every answer a value.",
        )
    return column


def whole(document: Mapping[str, Any], name: str) -> int:
    """Return a whole number of a declaration; raises ValueError or KeyError when it is none."""
    number = document[name]
    if type(number) is not int:
        raise ValueError(name)
    return number


def flag(document: Mapping[str, Any], name: str) -> bool:
    """Return whether a declaration says so; raises ValueError or KeyError when it is neither true nor false."""
    found = document[name]
    if type(found) is not bool:
        raise ValueError(name)
    return found


# --- Level mechanisms whose noise is a sum of shifts
# A report is the true symbol plus all shifts down to its level. The key of a level holds the sum of the steps below it.
# Theory: docs/theory/ladders.md


class ShiftLevel(LevelMechanism, Protocol):
    """A level mechanism whose levels are one another's sums with independent shifts."""

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


class ShiftingLevel(ABC):
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
        """Return the level mechanism at other odds."""

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


class TwoLevelMechanism(ShiftingLevel):
    """Base of levels whose shift is favoured or not, mod `modulus`: each step below the first is an erasure.

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
