"""Rungs over binary Hadamard: a report is one bit, and every step is a flip.

Of two answers the bit is the answer. Of more it is the answer to one public question, which the position decides; no
key gives the answer back then, and a report means nothing without its position [B, Thm 3].
Theory: docs/theory/ladders.md
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, NotCertified
from sfumato.mechanisms import BinaryHadamard
from sfumato.mechanisms.randomness_budget import odds_within
from sfumato.prob import Channel
from sfumato.refine.rungs.base import Scores, by_degrees, check_values, member_deviation, whole
from sfumato.refine.rungs.shifting import TwoLevelRung
from sfumato.refine.shift_laws import ShiftLaw
from sfumato.refine.shifts import ShiftArray

# A channel of more entries than this is not written out.
_MOST_ENTRIES = 1 << 18


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipRung(BinaryHadamard, TwoLevelRung):
    """Binary Hadamard as a level: everybody answers, as often yes as the odds allow, so noise is a flip."""

    kind: ClassVar[str] = "binary_hadamard"
    base: ClassVar[type] = BinaryHadamard

    @classmethod
    def over(cls, mechanism: BinaryHadamard) -> Self:
        """Return the rung of a mechanism, whose `yes` and `silence` are left behind: with them noise is no flip."""
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
        """Of two answers there is one question, for everybody."""
        return self.size > 2

    @property
    def recoverable(self) -> bool:
        """A bit and its key tell two answers apart, no more."""
        return self.size == 2

    def at(self, odds: Fraction) -> Self:
        """Return the rung at other odds."""
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
