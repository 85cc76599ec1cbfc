"""The arc response: add a random shift that favours a run of small ones, on a cycle so long that no arc wraps.

Answers 0..k-1 stand in order among K = k+d-1 residues. A respondent holding x reports y = x + U mod K, where U lies in
0..d-1 with weight `odds` each and anywhere else with weight 1. The favoured reports of x are x, x+1, …, x+d-1, the last
of which is at most K-1: the arc of the highest answer ends where the cycle does, and reports near an answer speak for
that answer and its neighbours and for no others. So a mean is read with little noise, where a difference set would mix
the lowest answers with the highest. It is a shift with two levels of probability like the cyclic response, so that keys
can sharpen it by degrees and undo it.   Theory: docs/theory/numbers.md

With `apart` the last answer is no number of the scale (it is "no answer"): it stands at k-1+d, where k is how many the
others are, so that its arc meets none of theirs, and K = k+2d-1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Self

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import ReportArray, bits_or_default, check_symbols
from sfumato.bits.source import MOST_WIDTH, BitSource
from sfumato.errors import InvalidParameter
from sfumato.mechanisms.arc_lengths import best_length
from sfumato.mechanisms.declared import check_weight, exact_odds, law_of_answers, nominal_odds, odds_keeping
from sfumato.mechanisms.linear import FloatArray, check_confidence, check_tally, member_estimate, normal_estimate
from sfumato.mechanisms.shifting import shifted, total_weight
from sfumato.mechanisms.unbiased import unbiased_weights
from sfumato.prob import AnyChannel, Channel, Circulant, Distribution, LawLike
from sfumato.values import Estimate, Tally
from sfumato.values.checks import check_at_least, check_between, check_integer

MOST_RESIDUES = 1 << 11
"""Reports that shares are read from by solving as many equations as there are answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArcResponse:
    """`size` answers in order, of which the last stands `apart` or not; `length` favoured shifts.

    For answers that are numbers: a report speaks for an answer and its neighbours, so that a mean has little noise.

    >>> import sfumato as sf
    >>> stars = sf.mechanisms.ArcResponse.within(size=10, epsilon=1.0)
    >>> stars.length, stars.modulus  # each answer favours 9 of 18 reports
    (9, 18)
    >>> reports = stars.privatize([7] * 10_000, sf.bits.InsecureSeeded(7))
    >>> shares = stars.estimate(stars.tally(reports)).raw
    >>> round(sum(answer * share for answer, share in enumerate(shares)), 1)  # the mean
    7.0
    """

    size: int
    odds: Fraction
    length: int
    apart: bool = False
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        check_at_least("size", check_integer("size", self.size), 2 + bool(self.apart))
        check_between("size", self.size, 2, MOST_RESIDUES)
        check_between("width", check_integer("width", self.width), 1, MOST_WIDTH)
        check_between("length", check_integer("length", self.length), 1, MOST_RESIDUES)
        if self.modulus > MOST_RESIDUES:
            raise InvalidParameter(
                f"makes {self.modulus} reports of {self.size} answers, more than {MOST_RESIDUES}",
                parameter="length",
                value=self.length,
                way_out="Shorten `length`, or round answers to fewer values.",
            )
        odds = exact_odds(self.odds, "ArcResponse")
        object.__setattr__(self, "odds", odds)
        check_weight(self._total + 1, odds=odds, size=self.size, width=self.width)

    @classmethod
    def within(cls, *, size: int, epsilon: float, apart: bool = False, width: int = MOST_WIDTH) -> Self:
        """Return the length with the least worst variance of a mean, and the largest odds that keep `epsilon`."""
        check_at_least("size", check_integer("size", size), 2 + apart)
        check_between("size", size, 2, MOST_RESIDUES // 4)
        top = nominal_odds(epsilon)
        length = best_length(size - apart, top)
        modulus = size - apart + length - 1 + apart * length
        odds = odds_keeping(epsilon, weight=(top + 1) * modulus, size=size, width=width)
        return cls(size=size, odds=odds, length=length, apart=apart, width=width)

    @property
    def name(self) -> str:
        """What marks the tallies of this mechanism."""
        apart = " apart" if self.apart else ""
        return f"arc_response size={self.size} odds={self.odds} length={self.length}{apart}"

    @property
    def modulus(self) -> int:
        """K, the number of possible reports."""
        return self.size - self.apart + self.length - 1 + self.apart * self.length

    @property
    def _total(self) -> int:
        return total_weight(self.odds, self.length, self.modulus)

    @property
    def residues(self) -> npt.NDArray[np.int64]:
        """Where each answer stands on the cycle."""
        places = np.arange(self.size)
        if self.apart:
            places[-1] += self.length - 1
        return places

    @property
    def cycle(self) -> Circulant:
        """Y = X + U mod K from every residue, also from those that no answer has."""
        return Circulant.two_level(size=self.modulus, support=range(self.length), odds=self.odds)

    def channel(self) -> AnyChannel:
        """All laws together; written out where an answer stands apart."""
        if not self.apart or self.length == 1:
            return Circulant.two_level(
                size=self.modulus, support=range(self.length), odds=self.odds, input_count=self.size
            )
        return Channel([self.law(x) for x in range(self.size)])

    def law(self, x: int) -> tuple[Fraction, ...]:
        """P(.|x), exact."""
        check_between("x", check_integer("x", x), 0, self.size - 1)
        first = int(self.residues[x])
        high, low = self.probabilities
        return tuple(high if first <= y < first + self.length else low for y in range(self.modulus))

    @property
    def probabilities(self) -> tuple[Fraction, Fraction]:
        """How probable a report is for an answer that favours it, and for one that does not."""
        low = Fraction(self.odds.denominator, self._total)
        return self.odds * low, low

    def privatize(self, values: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """One report for each value 0..size-1."""
        answers = self.residues[check_symbols("values", values, self.size)]
        shifts, source = np.arange(self.modulus), bits_or_default(bits)
        return shifted(answers, shifts, self.length, self.odds, width=self.width, source=source)

    def tally(self, reports: npt.ArrayLike) -> Tally:
        """Count reports."""
        counts = np.bincount(check_symbols("reports", reports, self.modulus), minlength=self.modulus)
        return Tally(mechanism=self.name, counts=tuple(counts.tolist()))

    def estimate(self, tally: Tally, *, confidence: float = 0.95) -> Estimate:
        """Shares of the answers, unbiased, with the least variance where answers are spread evenly.

        An arc of one report hits its answer or another, so that one count tells of a share, and intervals are exact.
        """
        check_confidence(confidence)
        total = check_tally(tally, self.name)
        if self.length == 1:
            return member_estimate(tally.counts, *self.probabilities, total=total, confidence=confidence)
        weights, seen = self.weights(), np.array(tally.counts) / total
        raw = seen @ weights
        return normal_estimate(raw, (seen @ weights**2 - raw**2) / total, total=total, confidence=confidence)

    def variance(self, law: Distribution | LawLike, n: int) -> tuple[float, ...]:
        """Return the variance of each share in `raw`, from n reports, when answers follow `law`; up to float rounding.

        The numbers that reports count are floats here, so this is no Fraction.
        """
        shares = np.array([float(share) for share in law_of_answers(law, self.size, n)])
        weights, seen = self.weights(), shares @ self.rows()
        variances: list[float] = ((seen @ weights**2 - (seen @ weights) ** 2) / n).tolist()
        return tuple(variances)

    def rows(self) -> FloatArray:
        """The laws of all answers as float64."""
        return _tables(self.size, self.length, self.apart, self.odds)[0]

    def weights(self) -> FloatArray:
        """Return what a report counts towards each answer, a row a report; the sums are unbiased counts of answers."""
        found = _tables(self.size, self.length, self.apart, self.odds)[1]
        if found is None:
            raise InvalidParameter("every report is pure noise; nothing can be estimated", way_out="Raise `odds`.")
        return found


@lru_cache(maxsize=16)
def _tables(size: int, length: int, apart: bool, odds: Fraction) -> tuple[FloatArray, FloatArray | None]:
    """The laws and the weights; kept, because groups and levels are read one after the other."""
    mechanism = ArcResponse(size=size, odds=odds, length=length, apart=apart)
    distances = np.arange(mechanism.modulus) - mechanism.residues[:, None]
    low = 1 / float(length * odds + mechanism.modulus - length)
    rows = np.where((distances >= 0) & (distances < length), float(odds) * low, low)
    weights = unbiased_weights(rows) if odds > 1 else None
    for table in (rows, weights):
        if table is not None:
            table.setflags(write=False)
    return rows, weights
