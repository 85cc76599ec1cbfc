"""Rungs over the cyclic response: any number of answers, and steps that keep the report or replace it.

Theory: docs/theory/ladders.md
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
from sfumato.mechanisms import CyclicResponse
from sfumato.mechanisms.declared import nominal_odds, odds_keeping
from sfumato.mechanisms.favoured_sets import Family, best_set, least_noise
from sfumato.prob import Circulant
from sfumato.refine.rungs.base import Scores, by_degrees, check_values, member_deviation, whole
from sfumato.refine.rungs.shifting import TwoLevelRung
from sfumato.refine.shift_laws import ShiftLaw
from sfumato.refine.shifts import ShiftArray
from sfumato.values import Interval, Tally

# From here on the bound that noise is compared with means something; few answers can do better.
_MANY = 50
# Sets are chosen as if no epsilon were larger.
_MOST_EPSILON = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CyclicRung(CyclicResponse, TwoLevelRung):
    """The cyclic response as a level: the true symbol is the answer, the shift favours a difference set."""

    kind: ClassVar[str] = "cyclic_response"
    base: ClassVar[type] = CyclicResponse

    @classmethod
    def over(cls, mechanism: CyclicResponse) -> Self:
        """Return the rung of a cyclic response."""
        return cls(**{field.name: getattr(mechanism, field.name) for field in fields(CyclicResponse)})

    @classmethod
    def serving(cls, *, size: int, epsilons: Sequence[float]) -> Self:
        """Return the rung whose difference set serves all levels: the worst noise ratio is least."""
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
        """Everybody is asked the same."""
        return False

    @property
    def recoverable(self) -> bool:
        """There is a report for every answer."""
        return True

    def at(self, odds: Fraction) -> Self:
        """Return the rung on the same set at other odds."""
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
        """Return the channel of everybody."""
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
