"""Unary encodings: an answer is a row of bits, each reported with noise.

The bit of the true answer is reported as one with probability `own`, each other bit with probability `other`. Two
answers differ in two bits, so no report favours one answer over another by more than own(1-other)/(other(1-own)).
The symmetric form flips every bit alike; the optimised form reports the true bit by a fair coin and spends the whole
epsilon on the zeros.   Ref: [EPK14] (symmetric, with a permanent part), [WBLJ17] (optimised); proof:
docs/theory/unary.md

Each bit is one word compared with an integer threshold. The thresholds are rounded towards more privacy, so the odds
that are sampled, an exact Fraction, never exceed the odds that are declared.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from sfumato.certificates.claims import Claim, Relation, Status
from sfumato.display.text import times
from sfumato.errors import InvalidParameter
from sfumato.mechanisms.base import (
    MOST_OUTPUTS,
    check_confidence,
    check_packed,
    check_tally,
    count_ones,
    exact_odds,
    member_estimate,
    member_variance,
    row_chunks,
)
from sfumato.numbers.checks import check_at_least, check_between, check_integer, check_positive
from sfumato.numbers.exact import LawLike
from sfumato.numbers.intervals import fraction_below_exp
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution
from sfumato.sampling.mechanism import Estimate, ReportArray, Tally, bits_or_default, check_symbols
from sfumato.sampling.sources import MOST_WIDTH, BitSource

# Odds promised as an epsilon are rounded down to multiples of 2^-32.
_ODDS_BITS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unary(ABC):
    """What every unary encoding shares; each form has thresholds of its own."""

    form: ClassVar[str]

    size: int
    odds: Fraction
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        check_at_least("size", check_integer("size", self.size), 2)
        check_between("width", check_integer("width", self.width), 1, MOST_WIDTH)
        object.__setattr__(self, "odds", exact_odds(self.odds, type(self).__name__))

    @classmethod
    def within(cls, *, size: int, epsilon: float, width: int = MOST_WIDTH) -> Self:
        """Return the mechanism with the largest odds on a fine grid that keep the promise of `epsilon`."""
        return cls(size=size, odds=_odds_within(epsilon, width), width=width)

    @property
    @abstractmethod
    def thresholds(self) -> tuple[int, int]:
        """Below which words, out of 2^width, the true bit and any other bit are reported as one."""

    @property
    def probabilities(self) -> tuple[Fraction, Fraction]:
        """How probably the true bit, and any other bit, is reported as one."""
        own, other = self.thresholds
        return Fraction(own, 1 << self.width), Fraction(other, 1 << self.width)

    @property
    def sampled_odds(self) -> Fraction:
        """The odds of the law that is really sampled, exact at every size; never above the declared ones."""
        own, other = self.probabilities
        return own * (1 - other) / (other * (1 - own))

    @property
    def claim(self) -> Claim:
        """The sampled odds in the vocabulary of certificates, for sizes whose channel is too large to write out."""
        return _odds_claim(self.sampled_odds, "two answers differ in two independent bits [WBLJ17]", "A report favours")

    @property
    def name(self) -> str:
        """What marks the tallies of this mechanism."""
        own, other = self.probabilities
        return f"{self.form} size={self.size} own={own} other={other}"

    def privatize(self, values: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """One report for each value 0..size-1: a row of packed bits, padded with zeros to whole bytes."""
        answers = check_symbols("values", values, self.size)
        source = bits_or_default(bits)
        own, other = self.thresholds
        reports = np.empty((answers.size, -(-self.size // 8)), dtype=np.uint8)
        for rows in row_chunks(answers.size, self.size):
            held = answers[rows, None]
            words = source.words(held.size * self.size, self.width).reshape(-1, self.size)
            ones = words < words.dtype.type(other)
            np.put_along_axis(ones, held, np.take_along_axis(words, held, 1) < words.dtype.type(own), 1)
            reports[rows] = np.packbits(ones, axis=1)
        return reports

    def tally(self, reports: npt.ArrayLike) -> Tally:
        """Count the ones of each bit."""
        packed = check_packed(reports, self.size)
        return Tally(mechanism=self.name, counts=count_ones(packed, self.size), reports=len(packed))

    def estimate(self, tally: Tally, *, confidence: float = 0.95) -> Estimate:
        """Shares of the answers: the share s of ones is pulled back through s = other + (own - other)·share."""
        check_confidence(confidence)
        total = check_tally(tally, self.name)
        return member_estimate(tally.counts, *self.probabilities, total=total, confidence=confidence)

    def variance(self, law: Distribution | LawLike, n: int) -> tuple[Fraction, ...]:
        """Return the exact variance of each share in `raw`, from n reports, when answers follow `law`."""
        return member_variance(law, self.size, n, *self.probabilities)

    def law(self, x: int) -> tuple[Fraction, ...]:
        """P(.|x), exact, over all rows of bits in the order of the numbers that they spell."""
        check_between("x", check_integer("x", x), 0, self.size - 1)
        self._check_outputs()
        own, other = self.probabilities
        law = [Fraction(1)]
        for i in range(self.size):
            one = own if i == x else other
            law = [p * factor for p in law for factor in (1 - one, one)]
        return tuple(law)

    def channel(self) -> Channel:
        """All laws together; a report is labelled by its bits."""
        self._check_outputs()
        labels = ("".join(digits) for digits in itertools.product("01", repeat=self.size))
        return Channel([self.law(x) for x in range(self.size)], outputs=labels)

    def _check_outputs(self) -> None:
        if 1 << self.size > MOST_OUTPUTS:
            raise InvalidParameter(
                f"gives 2^{self.size} possible reports, more than the {MOST_OUTPUTS} that are written out",
                parameter="size",
                value=self.size,
                way_out="Read sampled_odds and variance, which are exact at every size.",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class SymmetricUnary(_Unary):
    """Every bit is flipped with probability 1/(1+√odds), rounded up to a multiple of 2^-width.

    An answer is a row of bits with a single one, each reported with noise of its own [EPK14].

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> colours = sf.mechanisms.SymmetricUnary(size=5, odds=Fraction(9))
    >>> [round(float(p), 4) for p in colours.probabilities]  # how probably the true bit, and another, is a one
    [0.75, 0.25]
    >>> reports = colours.privatize([2, 2, 0], sf.sampling.InsecureSeeded(7))
    >>> [f"{int(row[0]) >> 3:05b}" for row in reports]
    ['00100', '00100', '10101']
    """

    form: ClassVar[str] = "symmetric_unary"

    @property
    def thresholds(self) -> tuple[int, int]:
        """The least t with ((2^width-t)/t)² ≤ odds, for zeros; its complement, for the one."""
        a, b = self.odds.numerator, self.odds.denominator
        words = 1 << self.width
        if a == b:
            return words // 2, words // 2
        # With odds = a/b the condition is t(a-b) + b·2^width ≥ √(ab)·2^width, a comparison with an integer's root.
        root = math.isqrt(a * b * words * words - 1) + 1
        flip = -(-(root - b * words) // (a - b))
        return words - flip, flip


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimisedUnary(_Unary):
    """The one is kept by a fair coin; a zero becomes a one with probability 1/(odds+1), rounded up.

    An answer is a row of bits with a single one; all privacy is spent on the zeros, which suits rare answers [WBLJ17].

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> colours = sf.mechanisms.OptimisedUnary(size=50, odds=Fraction(9))
    >>> [round(float(p), 4) for p in colours.probabilities]  # how probably the true bit, and another, is a one
    [0.5, 0.1]
    >>> same = sf.mechanisms.SymmetricUnary(size=50, odds=Fraction(9))
    >>> [round(float(one.variance(sf.Distribution.uniform(50), 1000)[0]) ** 0.5, 4) for one in (colours, same)]
    [0.0245, 0.0277]
    """

    form: ClassVar[str] = "optimised_unary"

    @property
    def thresholds(self) -> tuple[int, int]:
        """One half, and the least t with (2^width-t)/t ≤ odds."""
        words = 1 << self.width
        return words // 2, math.ceil(words / (self.odds + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class PermanentUnary(SymmetricUnary):
    """Answers that are asked again and again: permanent noise drawn once, fresh noise at each report.

    `odds` bound what unlimited reports about one unchanged answer reveal; `fresh_odds` are the odds that one fresh
    report keeps a permanent bit. The caller stores the permanent report of each respondent **and answer** and draws it
    once: drawing it again for the same answer spends `odds` again.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> weekly = sf.mechanisms.PermanentUnary(size=4, odds=Fraction(9))
    >>> kept = weekly.permanent([0, 2, 2], sf.sampling.SystemBits())
    >>> weeks = [weekly.instantaneous(kept, sf.sampling.SystemBits()) for _ in range(3)]
    >>> [round(float(weekly.odds_after(reports)), 2) for reports in (1, 3, 100)]
    [2.78, 7.47, 9.0]
    """

    form: ClassVar[str] = "permanent_unary"

    fresh_odds: Fraction = Fraction(3)

    def __post_init__(self) -> None:
        SymmetricUnary.__post_init__(self)
        object.__setattr__(self, "fresh_odds", exact_odds(self.fresh_odds, "PermanentUnary", "fresh_odds"))

    @classmethod
    def within(cls, *, size: int, epsilon: float, width: int = MOST_WIDTH, fresh_odds: Fraction = Fraction(3)) -> Self:
        """Return the mechanism whose unlimited reports keep the promise of `epsilon`."""
        return cls(size=size, odds=_odds_within(epsilon, width), width=width, fresh_odds=fresh_odds)

    @property
    def fresh_threshold(self) -> int:
        """Below which words, out of 2^width, a permanent bit is flipped in one report."""
        return math.ceil((1 << self.width) / (self.fresh_odds + 1))

    @property
    def permanent_part(self) -> SymmetricUnary:
        """The mechanism that draws permanent reports."""
        return SymmetricUnary(size=self.size, odds=self.odds, width=self.width)

    @property
    def probabilities(self) -> tuple[Fraction, Fraction]:
        """How probably a bit of one fresh report is one, for the true bit and any other."""
        flip = Fraction(self.fresh_threshold, 1 << self.width)
        own, other = self.permanent_part.probabilities
        return own + flip * (1 - 2 * own), other + flip * (1 - 2 * other)

    def permanent(self, values: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """Draw what is kept for each respondent and never published."""
        return self.permanent_part.privatize(values, bits)

    def instantaneous(self, permanent_reports: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """Fresh noise on permanent reports: what is published this time."""
        packed = check_packed(permanent_reports, self.size)
        source = bits_or_default(bits)
        reports = np.empty_like(packed)
        for rows in row_chunks(len(packed), self.size):
            kept = packed[rows]
            words = source.words(len(kept) * self.size, self.width).reshape(-1, self.size)
            reports[rows] = kept ^ np.packbits(words < words.dtype.type(self.fresh_threshold), axis=1)
        return reports

    def privatize(self, values: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """One fresh report on a permanent one that is then forgotten: for answers that are asked for once."""
        source = bits_or_default(bits)
        return self.instantaneous(self.permanent(values, source), source)

    def odds_after(self, reports: int) -> Fraction:
        """The exact odds of so many fresh reports about one permanent report."""
        check_at_least("reports", check_integer("reports", reports), 1)
        own, other = self.permanent_part.probabilities
        flip = Fraction(self.fresh_threshold, 1 << self.width)
        # The likelihood ratio rises with the number of ones, so its ends are all ones and all zeros.
        keep, turn = (1 - flip) ** reports, flip**reports
        ones = (own * keep + (1 - own) * turn) / (other * keep + (1 - other) * turn)
        zeros = ((1 - other) * keep + other * turn) / ((1 - own) * keep + own * turn)
        return ones * zeros

    @property
    def claims(self) -> tuple[Claim, Claim]:
        """What one fresh report reveals, and what unlimited ones do."""
        return (
            _odds_claim(
                self.odds_after(1), "permanent and fresh flips compose to one flip a bit", "One report favours"
            ),
            _odds_claim(
                self.permanent_part.sampled_odds,
                "fresh reports are made from the permanent one alone [EPK14]",
                "Reports without limit about one unchanged answer favour",
                Relation.AT_MOST,
            ),
        )


def _odds_within(epsilon: float, width: int) -> Fraction:
    check_positive("epsilon", epsilon)
    if epsilon > width * math.log(2):
        raise InvalidParameter(
            f"needs finer words than width={width} bits",
            parameter="epsilon",
            value=epsilon,
            way_out="At this epsilon the answers are all but public: lower `epsilon`.",
        )
    return fraction_below_exp(epsilon, denominator=1 << _ODDS_BITS)


def _odds_claim(value: Fraction, because: str, who: str, relation: Relation = Relation.EQUALS) -> Claim:
    return Claim(
        measure="odds",
        relation=relation,
        value=value,
        unit="ratio",
        status=Status.EXACT,
        because=because,
        sentence=f"{who} one answer over another by at most {times(value)}.",
    )
