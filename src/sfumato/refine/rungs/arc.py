"""Rungs over the arc response: answers in order, reports that speak for an answer and its neighbours.

Which shifts are favoured moves no step of a ladder, so levels, keys and recovery are those of any two-level shift.
Theory: docs/theory/numbers.md, docs/theory/ladders.md
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sfumato import measures
from sfumato.bits.mechanism import Positions, ReportArray, check_symbols
from sfumato.mechanisms import ArcResponse
from sfumato.mechanisms.declared import nominal_odds, odds_keeping
from sfumato.mechanisms.favoured_sets import least_noise
from sfumato.prob import AnyChannel
from sfumato.refine.rungs.base import Scores, by_degrees, check_values, flag, whole
from sfumato.refine.rungs.shifting import TwoLevelRung
from sfumato.refine.shift_laws import ShiftLaw
from sfumato.refine.shifts import ShiftArray
from sfumato.values import Interval, Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class ArcRung(ArcResponse, TwoLevelRung):
    """The arc response as a level: the true symbol is where the answer stands, small shifts are favoured."""

    kind: ClassVar[str] = "arc_response"
    base: ClassVar[type] = ArcResponse

    @classmethod
    def over(cls, mechanism: ArcResponse) -> Self:
        """Return the rung of an arc response."""
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
        """Hit x by saying x, where an arc is one report long; of longer ones no count tells of one share alone."""
        return (*self.probabilities, self.favoured_shifts) if self.length == 1 else None

    @property
    def by_position(self) -> bool:
        """Everybody is asked the same."""
        return False

    @property
    def recoverable(self) -> bool:
        """There is a report for every answer."""
        return True

    def at(self, odds: Fraction) -> Self:
        """Return the rung on the same arc at other odds."""
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
        """Return the channel of everybody."""
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
