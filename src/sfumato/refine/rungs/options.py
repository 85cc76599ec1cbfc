"""Rungs over assigned options: a report is m bits, and every step flips each of them apart from the others.

A position decides which of the options are asked about, so the key of level 0 gives back those and no others; where all
are asked, that is the whole answer.   Theory: docs/theory/several.md
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sfumato import measures
from sfumato.errors import InvalidParameter
from sfumato.measures.enclosures import entropy_interval
from sfumato.mechanisms.asked_counts import MOST_ASKED, best_asked, choices, option_deviation
from sfumato.mechanisms.assigned_options import AssignedOptions
from sfumato.mechanisms.randomness_budget import odds_within
from sfumato.prob import Channel
from sfumato.refine.groups import Masks
from sfumato.refine.mask_laws import MaskLaw
from sfumato.refine.masks import FlipMask
from sfumato.refine.rungs.base import Scores, by_degrees, whole
from sfumato.refine.rungs.shifting import ShiftingRung
from sfumato.refine.step_protocol import Step
from sfumato.values import Interval
from sfumato.values.checks import check_positive
from sfumato.values.rounding import float_below


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionsRung(AssignedOptions, ShiftingRung):
    """Assigned options as a level: the true symbol is the answer to those that are asked, the shift flips bits."""

    kind: ClassVar[str] = "assigned_options"
    base: ClassVar[type] = AssignedOptions
    partial: ClassVar[bool] = True

    @classmethod
    def over(cls, mechanism: AssignedOptions) -> Self:
        """Return the rung of a mechanism."""
        return cls(**{field.name: getattr(mechanism, field.name) for field in fields(AssignedOptions)})

    @classmethod
    def serving(cls, *, options: int, epsilons: Sequence[float], asked: int | None = None, share: float = 0.5) -> Self:
        """Return the rung that serves all levels: the worst of its errors over the least possible is smallest.

        `share` is the share of those who choose an option at which errors are compared; a half is the worst.
        """
        best = best_asked(options, epsilons, share) if asked is None else asked
        return cls(options=options, asked=best, odds=Fraction(2) ** best)

    @classmethod
    def declared(cls, document: Mapping[str, Any]) -> Self:
        """Read how many options there are, and how many are asked."""
        options, asked = (whole(document, name) for name in ("options", "asked"))
        if not 1 <= asked <= MOST_ASKED:
            raise ValueError("asked")
        return cls(options=options, asked=asked, odds=Fraction(2) ** asked)

    def declaration(self) -> dict[str, Any]:
        """Say how many options there are, and how many are asked."""
        return {"options": self.options, "asked": self.asked}

    @property
    def group(self) -> Masks:
        """Masks of as many bits as options are asked."""
        return Masks(self.asked)

    @property
    def favoured_count(self) -> int:
        """Only the empty mask is the likeliest."""
        return 1

    @property
    def by_position(self) -> bool:
        """Unless everybody is asked about all options."""
        return self.asked < self.options

    @property
    def recoverable(self) -> bool:
        """A report and its key tell the answer about all options that were asked."""
        return self.asked == self.options

    @property
    def says_answers(self) -> bool:
        """A report is a number."""
        return False

    def at(self, odds: Fraction) -> Self:
        """Return the rung at other odds."""
        return replace(self, odds=odds)

    def odds_for(self, epsilon: float) -> Fraction:
        """Return the largest odds on the grid of flips that keep `epsilon` all together."""
        check_positive("epsilon", epsilon)
        return odds_within(float_below(Fraction(epsilon) / self.asked), 1.0, self.width) ** self.asked

    def shift_at(self, odds: Fraction) -> FlipMask:
        """Return the mask of flips with these odds."""
        return FlipMask(length=self.asked, chance=self.at(odds).probabilities[1])

    def step_down(self, above: Fraction, below: Fraction) -> FlipMask:
        """Return the mask that, after flips with chance f, makes them flips with chance g: (g-f)/(1-2f)."""
        first, second = (self.at(odds).probabilities[1] for odds in (above, below))
        return FlipMask(length=self.asked, chance=(second - first) / (1 - 2 * first))

    def leads(self, step: Step, above: Fraction, below: Fraction) -> bool:
        """Compare what is left of a bit: 1 - 2f = (o-1)/(o+1) is multiplied by each step."""
        first, second = ((o - 1) / (o + 1) for o in (self.at(odds).flip_odds for odds in (above, below)))
        return step.is_like(FlipMask(length=self.asked, chance=(1 - second / first) / 2))

    def measured_odds(self) -> Fraction | float:
        """Measure one flip: the bits of a report are independent, so their odds multiply."""
        own, other = self.probabilities
        return measures.odds(Channel([[own, other], [other, own]])) ** self.asked

    def remarks(self) -> tuple[str, ...]:
        """Say what a report is about."""
        return options_remarks(self.options, self.asked)

    def answers(self, symbols: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the symbols themselves, where all options are asked."""
        if not self.recoverable:
            raise InvalidParameter(
                f"of {self.options} are asked about, and answers to the others cannot be told apart",
                parameter="asked",
                value=self.asked,
                way_out="Ask about all options.",
            )
        return symbols

    def shift_law(self) -> MaskLaw:
        """Read from the mechanism how probable it makes each number of flips."""
        return MaskLaw(self.by_flips())

    def randomness_bits(self) -> Interval:
        """Enclose the random bits of all flips."""
        one = entropy_interval((p, 1) for p in self.probabilities)
        return Interval(self.asked * one.lower, self.asked * one.upper).widened(0.0)

    def noise_ratio(self) -> float:
        """The variance of a share at a half over the least that any number of asked options has at these odds."""
        whole_epsilon = _ln(self.odds)
        least = min(option_deviation(self.options, m, whole_epsilon) for m in choices(self.options))
        return (option_deviation(self.options, self.asked, whole_epsilon) / least) ** 2

    def largest_risk(self, n: int) -> None:
        """Options are not answers of which one is held."""
        del n

    def linear_scores(self, values: Sequence[float]) -> Scores | None:
        """Sets of options have no values."""
        del values
        return None

    def hitting(self) -> None:
        """Each option is a count of its own."""
        return

    def weights(self) -> Scores | None:
        """A report means nothing without its position."""
        return None

    def report_words(self, asked: str) -> str:
        """Say what the bits of a number are."""
        return f"a number whose bits say which of {self.asked} {asked} were chosen, some of them flipped"

    def because(self, levels: Sequence[Fraction], asked: str = "options") -> str:
        """Say what a report is about."""
        which = "all of them" if not self.by_position else f"{self.asked} of them, which are assigned in public"
        return (
            f"{self.options} {asked}, any of which may be chosen: each respondent is asked about {which}, and each of "
            f"these is reported through a flip at {part_words(self.asked)}, {by_degrees(levels)}."
        )


def options_remarks(options: int, asked: int) -> tuple[str, ...]:
    """Say what a certificate of a report on some of the options is about."""
    if asked == options:
        return (f"An answer is a set of the {options} options; a report is about all of them.",)
    return (
        (
            f"An answer is a set of the {options} options. A report is about {asked} of them, which the number of its "
            f"row decides in public and not the answer; of the others it says nothing, and no key gives them back "
            f"from it."
        ),
    )


def part_words(asked: int) -> str:
    """Name the part of ε that one of several flips has."""
    return "the whole ε" if asked == 1 else f"ε/{asked}"


def _ln(odds: Fraction) -> float:
    """Of two whole numbers, which may be longer than a float."""
    return math.log(odds.numerator) - math.log(odds.denominator)
