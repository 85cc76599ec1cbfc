"""Levels whose noise is a sum of shifts: cyclic response, arc response, flips, options and the one-time pad.

Theory: docs/theory/ladders.md
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
import numpy.typing as npt

from sfumato import measures
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.ladders.groups import FlipMask, MaskLaw, Masks, ShiftLaw
from sfumato.ladders.level_mechanisms import (
    Scores,
    ShiftingLevel,
    TwoLevelMechanism,
    by_degrees,
    check_values,
    flag,
    member_deviation,
    whole,
)
from sfumato.ladders.steps import ShiftArray, Step, TwoLevelShift
from sfumato.mechanisms.arc import ArcResponse
from sfumato.mechanisms.base import nominal_odds, odds_keeping
from sfumato.mechanisms.binary_hadamard import BinaryHadamard, odds_within
from sfumato.mechanisms.cyclic import CyclicResponse, Family, best_set, least_noise
from sfumato.mechanisms.options import MOST_ASKED, AssignedOptions, best_asked, choices, option_deviation
from sfumato.numbers.checks import check_between, check_integer, check_positive
from sfumato.numbers.intervals import Interval, entropy_interval, float_below, log2_interval
from sfumato.prob.channel import Channel
from sfumato.prob.structured import AnyChannel, Circulant
from sfumato.sampling.mechanism import Estimate, Positions, ReportArray, Tally, bits_or_default, check_symbols
from sfumato.sampling.sources import BitSource

# From this number of answers on the bound that noise is compared with is meaningful; few answers can do better.
_MANY = 50
# Larger epsilons are cut to this when sets are chosen.
_MOST_EPSILON = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CyclicLevel(CyclicResponse, TwoLevelMechanism):
    """The cyclic response as a level: the true symbol is the answer, the shift favours a difference set."""

    kind: ClassVar[str] = "cyclic_response"
    base: ClassVar[type] = CyclicResponse

    @classmethod
    def over(cls, mechanism: CyclicResponse) -> Self:
        """Return the level mechanism of a cyclic response."""
        return cls(**{field.name: getattr(mechanism, field.name) for field in fields(CyclicResponse)})

    @classmethod
    def serving(cls, *, size: int, epsilons: Sequence[float]) -> Self:
        """Return the level mechanism whose difference set serves all levels: the worst noise ratio is least."""
        odds = [nominal_odds(min(epsilon, _MOST_EPSILON)) for epsilon in epsilons]
        chosen = best_set(size, lambda found: max(found.noise(o) / least_noise(o) for o in odds))
        return cls(size=size, odds=Fraction(2), q=chosen.q, t=chosen.t, family=chosen.family)

    @classmethod
    def declared(cls, document: Mapping[str, Any]) -> Self:
        """Read the set by its name."""
        size, q, t = (whole(document, name) for name in ("size", "q", "t"))
        return cls(size=size, odds=Fraction(2), q=q, t=t, family=Family(document["family"]))

    def declaration(self) -> dict[str, Any]:
        """Name the set."""
        return {"size": self.size, "family": self.family.value, "q": self.q, "t": self.t}

    @property
    def favoured_shifts(self) -> ShiftArray:
        """The members of the difference set."""
        return self.difference_set.members

    @property
    def favoured_count(self) -> int:
        """d of the difference set (K, d, λ)."""
        return self.favoured.parameters[1]

    def hitting(self) -> tuple[Fraction, Fraction, ShiftArray]:
        """Hit x by falling into x + D."""
        own, other = self.probabilities
        return own, other, self.favoured_shifts

    @property
    def by_position(self) -> bool:
        """Everyone is asked the same."""
        return False

    @property
    def recoverable(self) -> bool:
        """There is a report for every answer."""
        return True

    def at(self, odds: Fraction) -> Self:
        """Return the level mechanism on the same set at other odds."""
        return replace(self, odds=odds)

    def odds_for(self, epsilon: float) -> Fraction:
        """Return the largest odds on the grid that keep `epsilon`."""
        weight = (nominal_odds(epsilon) + 1) * self.modulus
        return odds_keeping(epsilon, weight=weight, size=self.size, width=self.width)

    def truths(self, values: npt.ArrayLike, positions: Positions = 0) -> ReportArray:  # noqa: ARG002  all are alike
        """Return the answers themselves."""
        return check_symbols("values", values, self.size)

    def answers(self, symbols: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the symbols themselves, -1 where a symbol is no answer."""
        return np.where(symbols < self.size, symbols, -1)

    def tally(self, reports: npt.ArrayLike, positions: Positions = 0) -> Tally:  # noqa: ARG002  all are alike
        """Count reports."""
        return CyclicResponse.tally(self, reports)

    def channel_at(self, position: int) -> Circulant:  # noqa: ARG002  all positions are alike
        """Return the channel, which is the same for everyone."""
        return self.channel()

    def shift_law(self) -> ShiftLaw:
        """Read the shift from the channel."""
        channel = self.channel()
        return ShiftLaw.of([Fraction(value) for value in channel.levels], channel.codes.astype(np.int64))

    def randomness_bits(self) -> Interval:
        """Enclose the entropy of the shift."""
        return measures.largest_randomness_interval(self.channel())

    def noise_ratio(self) -> float:
        """V0/V* of the set at these odds."""
        odds = float(self.odds)
        return self.favoured.noise(odds) / least_noise(odds)

    def share_deviation(self, share: float) -> float:
        """√n times the standard deviation of the unbiased share of an answer that so many hold."""
        return member_deviation(*self.probabilities, share)

    def linear_scores(self, values: Sequence[float]) -> Scores:
        """Give report y the values of the answers x with y in x + D, rescaled: one convolution."""
        held = np.zeros(self.modulus)
        held[: self.size] = check_values(values, self.size)
        favoured = np.fft.rfft(self.difference_set.indicator())
        hits = np.fft.irfft(np.fft.rfft(held) * favoured, n=self.modulus)
        own, other = (float(p) for p in self.probabilities)
        scores: Scores = (hits - other * held.sum()) / (own - other)
        return scores

    def weights(self) -> Scores:
        """Give report y to the answers x with y in x + D, rescaled: two numbers, wherever they stand."""
        own, other = self.probabilities
        hit, miss = (1 - other) / (own - other), -other / (own - other)
        values = np.where(self.difference_set.indicator() == 1, float(hit), float(miss))
        shifts = np.subtract.outer(np.arange(self.modulus), np.arange(self.size)) % self.modulus
        found: Scores = values[shifts]
        return found

    def because(self, levels: Sequence[Fraction], asked: str = "answers") -> str:
        """Say how many reports there are, and what one set for all levels costs."""
        words = f"{self.size} {asked}: the cyclic response on {self.modulus} possible reports, {by_degrees(levels)}."
        if len(levels) > 1 and self.size >= _MANY:
            ratios = ", ".join(f"{self.at(odds).noise_ratio():.2f}" for odds in levels)
            words += (
                f" One set of favoured shifts serves all levels; the noise over the least possible is {ratios}, "
                f"sharpest level first."
            )
        return words


# --- Levels over the arc response: ordered answers, and reports that favour an answer and its neighbours
# The steps of a ladder do not depend on which shifts are favoured, so levels, keys and recovery are those of any
# two-level shift.
# Theory: docs/theory/numbers.md, docs/theory/ladders.md


@dataclass(frozen=True, slots=True, kw_only=True)
class ArcLevel(ArcResponse, TwoLevelMechanism):
    """The arc response as a level: the true symbol is where the answer stands, small shifts are favoured."""

    kind: ClassVar[str] = "arc_response"
    base: ClassVar[type] = ArcResponse

    @classmethod
    def over(cls, mechanism: ArcResponse) -> Self:
        """Return the level mechanism of an arc response."""
        return cls(**{field.name: getattr(mechanism, field.name) for field in fields(ArcResponse)})

    @classmethod
    def declared(cls, document: Mapping[str, Any]) -> Self:
        """Read the arc by its length."""
        size, length = (whole(document, name) for name in ("size", "length"))
        return cls(size=size, odds=Fraction(2), length=length, apart=flag(document, "apart"))

    def declaration(self) -> dict[str, Any]:
        """Say how long the arc is, and whether the last answer stands apart."""
        return {"size": self.size, "length": self.length, "apart": self.apart}

    @property
    def favoured_shifts(self) -> ShiftArray:
        """0..d-1."""
        return np.arange(self.length)

    @property
    def favoured_count(self) -> int:
        """As many as the arc is long."""
        return self.length

    def hitting(self) -> tuple[Fraction, Fraction, ShiftArray] | None:
        """Hit x by saying x, where an arc is one report long; of longer ones no count depends on one share alone."""
        return (*self.probabilities, self.favoured_shifts) if self.length == 1 else None

    @property
    def by_position(self) -> bool:
        """Everyone is asked the same."""
        return False

    @property
    def recoverable(self) -> bool:
        """There is a report for every answer."""
        return True

    def at(self, odds: Fraction) -> Self:
        """Return the level mechanism on the same arc at other odds."""
        return replace(self, odds=odds)

    def odds_for(self, epsilon: float) -> Fraction:
        """Return the largest odds on the grid that keep `epsilon`."""
        weight = (nominal_odds(epsilon) + 1) * self.modulus
        return odds_keeping(epsilon, weight=weight, size=self.size, width=self.width)

    def truths(self, values: npt.ArrayLike, positions: Positions = 0) -> ReportArray:  # noqa: ARG002  all are alike
        """Return where the answers stand."""
        found: ReportArray = self.residues[check_symbols("values", values, self.size)]
        return found

    def answers(self, symbols: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the answers that stand there, -1 where none does."""
        places = np.full(self.modulus, -1, dtype=np.int64)
        places[self.residues] = np.arange(self.size)
        found: npt.NDArray[np.int64] = places[symbols]
        return found

    def tally(self, reports: npt.ArrayLike, positions: Positions = 0) -> Tally:  # noqa: ARG002  all are alike
        """Count reports."""
        return ArcResponse.tally(self, reports)

    def channel_at(self, position: int) -> AnyChannel:  # noqa: ARG002  all positions are alike
        """Return the channel, which is the same for everyone."""
        return self.channel()

    def shift_law(self) -> ShiftLaw:
        """Read the shift from the law of the first answer, which stands at 0."""
        law = self.law(0)
        levels = sorted(set(law))
        return ShiftLaw.of(levels, np.array([levels.index(p) for p in law], dtype=np.int64))

    def randomness_bits(self) -> Interval:
        """Enclose the entropy of the shift."""
        return measures.largest_randomness_interval(self.cycle)

    def noise_ratio(self) -> float:
        """V0/V* of the share that is read worst: an arc is made for means, not for shares."""
        seen = np.full(self.size, 1 / (self.size - 1)) @ self.rows()
        row = self.rows() / (self.size - 1)
        # Nobody holds x, and the others are spread evenly.
        noise = ((seen[:, None] - row.T) * self.weights() ** 2).sum(axis=0)
        return float(noise.max()) / least_noise(float(self.odds))

    def share_deviation(self, share: float) -> float:
        """√n times the standard deviation of the share that is read worst, if so many hold it and others are even."""
        rows, weights = self.rows(), self.weights()
        rest = (1 - share) / (self.size - 1)
        seen = rest * rows.sum(axis=0)[:, None] + (share - rest) * rows.T
        variances = (seen * weights**2).sum(axis=0) - share**2
        return float(np.sqrt(variances.max()))

    def largest_risk(self, n: int) -> None:
        """An arc is made for means."""
        del n

    def linear_scores(self, values: Sequence[float]) -> Scores:
        """Give each report the sum of what it counts towards the answers, times their values."""
        scores: Scores = self.weights() @ check_values(values, self.size)
        return scores

    def because(self, levels: Sequence[Fraction], asked: str = "answers") -> str:
        """Say how many reports there are, and which of them an answer favours."""
        count = self.size - self.apart
        last = " The last answer stands apart from them." if self.apart else ""
        favoured = "itself" if self.length == 1 else f"{self.length} reports in a row"
        return (
            f"{count} {asked} in order: the arc response on {self.modulus} possible reports, {by_degrees(levels)}; "
            f"each favours {favoured}, so that near answers are mixed with near ones and none with those at the other "
            f"end.{last}"
        )


# --- Levels over binary Hadamard: a report is one bit, and every step is a flip
# For two answers the bit is the answer. For more it is the answer to one public question, which the position
# determines; then no key recovers the answer, and a report has no meaning without its position [B, Thm 3].
# Theory: docs/theory/ladders.md


# A channel of more entries than this is not listed.
_MOST_ENTRIES = 1 << 18


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipLevel(BinaryHadamard, TwoLevelMechanism):
    """Binary Hadamard as a level: everyone answers, yes as often as the odds allow, so noise is a flip."""

    kind: ClassVar[str] = "binary_hadamard"
    base: ClassVar[type] = BinaryHadamard

    @classmethod
    def over(cls, mechanism: BinaryHadamard) -> Self:
        """Return the level mechanism without the `yes` and `silence` of a mechanism: with them noise is no flip."""
        return cls(size=mechanism.size, odds=mechanism.odds, width=mechanism.width)

    @classmethod
    def declared(cls, document: Mapping[str, Any]) -> Self:
        """Read how many answers there are."""
        return cls(size=whole(document, "size"), odds=Fraction(2))

    def declaration(self) -> dict[str, Any]:
        """Say how many answers there are."""
        return {"size": self.size}

    @property
    def modulus(self) -> int:
        """A report is a bit."""
        return 2

    @property
    def favoured_shifts(self) -> ShiftArray:
        """Not to flip."""
        return np.zeros(1, dtype=np.int64)

    @property
    def favoured_count(self) -> int:
        """One of the two."""
        return 1

    @property
    def by_position(self) -> bool:
        """Of two answers there is one question, for everyone."""
        return self.size > 2

    @property
    def recoverable(self) -> bool:
        """A bit and its key distinguish two answers, no more."""
        return self.size == 2

    def at(self, odds: Fraction) -> Self:
        """Return the level mechanism at other odds."""
        return type(self)(size=self.size, odds=odds, width=self.width)

    def odds_for(self, epsilon: float) -> Fraction:
        """Return the largest odds on the grid that keep `epsilon`."""
        return odds_within(epsilon, 1.0, self.width)

    def answers(self, symbols: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the symbols themselves, of two answers."""
        if not self.recoverable:
            raise InvalidParameter(
                "answers cannot be told apart by one bit", parameter="size", value=self.size, way_out="Use two answers."
            )
        return symbols

    def channel(self, group: int | None = None) -> Channel:
        """What a report and its public question say together: outputs are pairs of them, or bits of two answers.

        Each question is as frequent as any other. With `group`, the channel of that question alone.
        """
        if group is not None or not self.by_position:
            return BinaryHadamard.channel(self, group or 1)
        if self.size * self.groups * self.outcomes > _MOST_ENTRIES:
            raise InvalidParameter(
                f"makes a channel of {self.size}×{self.groups * self.outcomes} entries, from an answer to a question "
                f"and its report, which is not written out",
                parameter="size",
                value=self.size,
                way_out="Look at channel(group=1): every question leaks the same.",
            )
        questions = range(1, self.groups + 1)
        rows = [[p / self.groups for group in questions for p in self.law(x, group)] for x in range(self.size)]
        outputs = [(group, report) for group in questions for report in range(self.outcomes)]
        return Channel(rows, outputs=outputs)

    def channel_at(self, position: int) -> Channel:
        """Return the channel of the question that the position is asked."""
        return BinaryHadamard.channel(self, self.question(position))

    def shift_law(self) -> ShiftLaw:
        """Read from the laws of the two kinds of answers how often either is flipped."""
        zero, one = self._laws()
        if zero != one[::-1]:
            raise NotCertified(
                "a level does not flip a yes as often as a no, so its report is no shift",
                way_out="Make the ladder anew.",
            )
        return ShiftLaw.of(list(zero), np.arange(2))

    def noise_ratio(self) -> float:
        """V0/V*: each of the K-1 questions is asked of n/(K-1), and a share is the mean of K contrasts."""
        K, odds = self.padded_size, float(self.odds)
        return (K - 1) ** 2 / K**2 * ((odds + 1) ** 2 / (4 * odds))

    def share_deviation(self, share: float) -> float:
        """√n times the standard deviation of an unbiased share; of more than two answers at uniform shares."""
        if not self.by_position:
            own, other = self.law(0)
            return member_deviation(own, other, share)
        return math.sqrt(self.groups * self.uniform_risk() / self.size)

    def largest_risk(self, n: int) -> float | None:  # type: ignore[override]
        """Return that of binary Hadamard, whose worst law is not the uniform one."""
        return None if n < self.groups else BinaryHadamard.largest_risk(self, n)

    def linear_scores(self, values: Sequence[float]) -> Scores | None:
        """Pull the values of two answers apart by as much as flips push them together."""
        held = check_values(values, self.size)
        if self.by_position:
            return None
        own, other = (float(p) for p in self.law(0))
        scores: Scores = (held - other * held.sum()) / (own - other)
        return scores

    def weights(self) -> Scores | None:
        """Give a report to its answer, and take a part of it from the other; of two answers only."""
        if self.by_position:
            return None
        own, other = self.law(0)
        hit, miss = float((1 - other) / (own - other)), float(-other / (own - other))
        return np.array([[hit, miss], [miss, hit]])

    def report_words(self, asked: str) -> str:
        """Say what a bit is."""
        return f"1 or 0: yes or no to a public question about the {asked}, another one at each place; not an answer"

    def because(self, levels: Sequence[Fraction], asked: str = "answers") -> str:
        """Say what a bit is about."""
        if not self.by_position:
            return f"Two {asked}: each report is the answer or its opposite, {by_degrees(levels)}, by flips."
        return (
            f"Few random bits are allowed: each respondent answers one public yes/no question about the answer, "
            f"{by_degrees(levels)}, by flips."
        )


# --- Levels over assigned options: a report is m bits, and every step flips each of them independently
# A position determines which of the options are asked about, so the key of level 0 recovers those and no others; where
# all are asked, that is the whole answer.
# Theory: docs/theory/several.md


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionsLevel(AssignedOptions, ShiftingLevel):
    """Assigned options as a level: the true symbol is the answer to those that are asked, the shift flips bits."""

    kind: ClassVar[str] = "assigned_options"
    base: ClassVar[type] = AssignedOptions
    partial: ClassVar[bool] = True

    @classmethod
    def over(cls, mechanism: AssignedOptions) -> Self:
        """Return the level mechanism of a mechanism."""
        return cls(**{field.name: getattr(mechanism, field.name) for field in fields(AssignedOptions)})

    @classmethod
    def serving(cls, *, options: int, epsilons: Sequence[float], asked: int | None = None, share: float = 0.5) -> Self:
        """Return the level mechanism with the smallest worst error over the least possible.

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
        """Unless everyone is asked about all options."""
        return self.asked < self.options

    @property
    def recoverable(self) -> bool:
        """A report and its key determine the answer about all options that were asked."""
        return self.asked == self.options

    @property
    def says_answers(self) -> bool:
        """A report is a number."""
        return False

    def at(self, odds: Fraction) -> Self:
        """Return the level mechanism at other odds."""
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


# --- A one-time pad as the only level of a ladder: the answer's number plus a uniform shift, mod `size`
# Every report has the same probability under all answers, so it reveals nothing and nothing is estimated from it. The
# key of level 0, the shift, recovers the answer.
# Theory: docs/theory/recovery.md


MOST_PADDED = (1 << 32) - 1
"""Answers that a sealed column can tell apart: a digest takes four bytes a row, and one value is an empty cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneTimePad:
    """Adds a uniform shift to one of `size` numbers; the reports are uniform whatever the number is."""

    size: int

    def __post_init__(self) -> None:
        check_between("size", check_integer("size", self.size), 2, MOST_PADDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class PadLevel(OneTimePad, TwoLevelMechanism):
    """The one-time pad as a level; its odds are 1."""

    kind: ClassVar[str] = "one_time_pad"
    base: ClassVar[type] = OneTimePad

    @classmethod
    def over(cls, mechanism: OneTimePad) -> Self:
        """Return the level mechanism of a pad."""
        return cls(size=mechanism.size)

    @classmethod
    def declared(cls, document: Mapping[str, Any]) -> Self:
        """Read how many answers there are."""
        return cls(size=whole(document, "size"))

    def declaration(self) -> dict[str, Any]:
        """Say how many answers there are."""
        return {"size": self.size}

    @property
    def name(self) -> str:
        """What marks it."""
        return f"one-time pad of {self.size}"

    @property
    def odds(self) -> Fraction:
        """No report favours any answer."""
        return Fraction(1)

    @property
    def modulus(self) -> int:
        """As many reports as answers."""
        return self.size

    @property
    def favoured_shifts(self) -> ShiftArray:
        """0, which is as probable as any other."""
        return np.zeros(1, dtype=np.int64)

    @property
    def favoured_count(self) -> int:
        """One."""
        return 1

    @property
    def by_position(self) -> bool:
        """All rows are alike."""
        return False

    @property
    def recoverable(self) -> bool:
        """There is a report for every answer."""
        return True

    @property
    def says_answers(self) -> bool:
        """A report says nothing."""
        return False

    def shift_at(self, odds: Fraction) -> TwoLevelShift:
        """Return the uniform shift: an erasure that is sure to erase."""
        del odds
        return TwoLevelShift.erasure(self.size, Fraction(1))

    def levels(self, odds: Sequence[Fraction]) -> tuple[Self, ...]:
        """Return the one level there is."""
        if tuple(odds) != (Fraction(1),):
            raise InvalidParameter("of a one-time pad are 1", parameter="odds", way_out="Give it one level.")
        return (self,)

    def at(self, odds: Fraction) -> Self:
        """Return itself."""
        return self.levels((odds,))[0]

    def odds_for(self, epsilon: float) -> Fraction:
        """Return 1, which keeps every epsilon."""
        del epsilon
        return Fraction(1)

    def truths(self, values: npt.ArrayLike, positions: Positions = 0) -> ReportArray:  # noqa: ARG002  all are alike
        """Return the answers themselves."""
        return check_symbols("values", values, self.size)

    def answers(self, symbols: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the symbols themselves."""
        return symbols

    def privatize(self, values: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """Add a uniform shift to each value, which is not kept."""
        answers = self.truths(values)
        return self.group.moved(answers, self.shift_at(self.odds).draw(bits_or_default(bits), answers.size))

    def law(self, x: int) -> tuple[Fraction, ...]:
        """1/size each."""
        check_between("x", x, 0, self.size - 1)
        return (Fraction(1, self.size),) * self.size

    def channel(self) -> AnyChannel:
        """Return the channel whose entries are all 1/size."""
        return Circulant.two_level(size=self.size, support=(0,), odds=self.odds)

    def channel_at(self, position: int) -> AnyChannel:  # noqa: ARG002  all positions are alike
        """Return the channel, which is the same for everyone."""
        return self.channel()

    def shift_law(self) -> ShiftLaw:
        """1/size each."""
        return ShiftLaw.of((Fraction(1, self.size),), np.zeros(self.size, dtype=np.int64))

    def randomness_bits(self) -> Interval:
        """Enclose log2 of the size."""
        return log2_interval(Fraction(self.size))

    def measured_odds(self) -> Fraction:
        """1, of the law."""
        return self.odds

    def tally(self, reports: npt.ArrayLike, positions: Positions = 0) -> NoReturn:
        """Refuse."""
        del reports, positions
        raise self._tells_nothing()

    def estimate(self, tally: Tally, *, confidence: float = 0.95) -> Estimate:
        """Refuse."""
        del tally, confidence
        raise self._tells_nothing()

    def noise_ratio(self) -> float:
        """Without limit."""
        return float("inf")

    def share_deviation(self, share: float) -> float:
        """Without limit."""
        del share
        return float("inf")

    def largest_risk(self, n: int) -> None:
        """There are no shares."""
        del n

    def linear_scores(self, values: Sequence[float]) -> Scores | None:
        """There are none."""
        del values
        return None

    def weights(self) -> Scores | None:
        """There are none."""
        return None

    def report_words(self, asked: str) -> str:
        """Say that a report reveals nothing."""
        del asked
        return (
            f"the number of the answer plus a number drawn uniformly, mod {self.size}: it tells nothing without the "
            f"registrar's key"
        )

    def because(self, levels: Sequence[Fraction], asked: str = "answers") -> str:
        """Say what it is for."""
        del levels
        return f"{self.size} {asked}, sealed for the registrar."

    @staticmethod
    def _tells_nothing() -> InvalidParameter:
        return InvalidParameter(
            "is a one-time pad, whose reports tell nothing", parameter="mechanism", way_out="Estimate from the reports."
        )
