"""k-ary randomised response: the true answer, or one of the others at random.

A respondent holding x reports x with weight `odds` and each other symbol with weight 1, so no report favours one answer
over another by more than `odds`: epsilon = ln(odds).   Ref: [War65]; proof: docs/theory/randomized_response.md

Sampling is one uniform integer below the total weight, drawn by rejection, without floating point or rounding, so the
sampled law is the declared one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
import numpy.typing as npt

from sfumato.mechanisms.base import (
    check_confidence,
    check_tally,
    check_weight,
    exact_odds,
    member_estimate,
    member_variance,
    nominal_odds,
    odds_keeping,
)
from sfumato.numbers.checks import check_at_least, check_between, check_integer
from sfumato.numbers.exact import LawLike
from sfumato.prob.distribution import Distribution
from sfumato.prob.structured import Circulant
from sfumato.sampling.mechanism import Estimate, ReportArray, Tally, bits_or_default, check_symbols, smallest_dtype
from sfumato.sampling.samplers import UniformBelow
from sfumato.sampling.sources import MOST_WIDTH, BitSource


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomizedResponse:
    """`size` answers, each reported truthfully with weight `odds` against 1 for every other.

    Tell the truth, or pick anyone else's answer [War65]; it suits few answers.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))
    >>> coin.law(0), round(sf.measures.epsilon(coin.channel()), 4)
    ((Fraction(3, 4), Fraction(1, 4)), 1.0986)
    >>> reports = coin.privatize([0] * 900 + [1] * 100, sf.sampling.InsecureSeeded(7))
    >>> found = coin.estimate(coin.tally(reports))
    >>> round(found.raw[1], 2), round(found.standard_errors[1], 2)
    (0.12, 0.03)
    """

    size: int
    odds: Fraction
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        check_at_least("size", check_integer("size", self.size), 2)
        check_between("width", check_integer("width", self.width), 1, MOST_WIDTH)
        odds = exact_odds(self.odds, "RandomizedResponse")
        object.__setattr__(self, "odds", odds)
        check_weight(self._total, odds=odds, size=self.size, width=self.width)

    @classmethod
    def within(cls, *, size: int, epsilon: float, width: int = MOST_WIDTH) -> Self:
        """Return the mechanism with the largest odds on a fine grid that keep the promise of `epsilon`."""
        check_at_least("size", check_integer("size", size), 2)
        odds = odds_keeping(epsilon, weight=nominal_odds(epsilon) + size, size=size, width=width)
        return cls(size=size, odds=odds, width=width)

    @property
    def name(self) -> str:
        """What marks the tallies of this mechanism."""
        return f"randomized_response size={self.size} odds={self.odds}"

    @property
    def _total(self) -> int:
        return self.odds.numerator + (self.size - 1) * self.odds.denominator

    def law(self, x: int) -> tuple[Fraction, ...]:
        """P(.|x), exact."""
        check_between("x", check_integer("x", x), 0, self.size - 1)
        own, other = self.probabilities
        return tuple(own if y == x else other for y in range(self.size))

    def channel(self) -> Circulant:
        """All laws together: Y = X + U with the shift 0 favoured by `odds`."""
        return Circulant.two_level(size=self.size, support=[0], odds=self.odds)

    def privatize(self, values: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """One report for each value 0..size-1."""
        answers = check_symbols("values", values, self.size)
        draws = UniformBelow(bound=self._total, width=self.width).draw(bits_or_default(bits), answers.size)
        own, other = np.uint64(self.odds.numerator), np.uint64(self.odds.denominator)
        truthful = draws < own
        # Below `own` the shift is 0; above, each of the size-1 other shifts owns `other` numbers.
        shifts = np.where(truthful, np.uint64(0), (draws - own) // other + np.uint64(1)).astype(np.int64)
        return ((answers + shifts) % self.size).astype(smallest_dtype(self.size))

    def tally(self, reports: npt.ArrayLike) -> Tally:
        """Count reports."""
        counts = np.bincount(check_symbols("reports", reports, self.size), minlength=self.size)
        return Tally(mechanism=self.name, counts=tuple(counts.tolist()))

    def estimate(self, tally: Tally, *, confidence: float = 0.95) -> Estimate:
        """Shares of the answers: the share of reports of x is pulled back through other + (own - other)·share."""
        check_confidence(confidence)
        total = check_tally(tally, self.name)
        return member_estimate(tally.counts, *self.probabilities, total=total, confidence=confidence)

    def variance(self, law: Distribution | LawLike, n: int) -> tuple[Fraction, ...]:
        """Return the exact variance of each share in `raw`, from n reports, when answers follow `law`."""
        return member_variance(law, self.size, n, *self.probabilities)

    @property
    def probabilities(self) -> tuple[Fraction, Fraction]:
        """How probably a report is the true answer, and any other."""
        return self.odds / (self.odds + self.size - 1), Fraction(1) / (self.odds + self.size - 1)
