"""The cyclic response: add a random shift that favours a difference set.

A respondent holding x reports y = x + U mod K, where U lies in the difference set D with weight `odds` for each member
and weight 1 for every other shift. No report favours one answer over another by more than `odds`, and because D meets
each of its shifts equally often, the share of reports in x + D is an unbiased reading of the share of x. With q near
odds + 1 the error reaches the best possible one as K grows. It is the projective-geometry response of [FNNT22] in
cyclic form; as a shift it can be undone with a key.   Theory: docs/theory/cyclic_response.md

Sampling is two integers, each exactly uniform below its bound: whether U lies in D, and where. Decoding is one FFT,
rounded to the integers that it computes, so estimates do not depend on the order in which reports were counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Self

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import ReportArray, bits_or_default, check_symbols
from sfumato.bits.source import MOST_WIDTH, BitSource
from sfumato.errors import InvalidParameter
from sfumato.mechanisms.declared import check_weight, exact_odds, nominal_odds, odds_keeping
from sfumato.mechanisms.difference_sets import MOST_MODULUS, DifferenceSet
from sfumato.mechanisms.favoured_sets import Family, FavouredSet, best_set
from sfumato.mechanisms.linear import FloatArray, check_confidence, check_tally, member_estimate, member_variance
from sfumato.mechanisms.shifting import shifted, total_weight
from sfumato.prob import Circulant, Distribution, LawLike
from sfumato.values import Estimate, Tally
from sfumato.values.checks import check_at_least, check_between, check_integer


@dataclass(frozen=True, slots=True, kw_only=True)
class CyclicResponse:
    """`size` answers among K residues; `q` and `t` name Singer's set, or K = `q` names Paley's (t = 1).

    Add a random shift that favours a difference set, the projective-geometry response of [FNNT22] in cyclic form: for
    long lists too, near the least error, and a key can undo it.

    >>> import sfumato as sf
    >>> towns = sf.mechanisms.CyclicResponse.within(size=1000, epsilon=2.0)
    >>> towns.family.value, towns.q, towns.t, towns.modulus
    ('Singer', 7, 5, 2801)
    >>> reports = towns.privatize([42] * 3000 + [7] * 7000, sf.bits.InsecureSeeded(7))
    >>> found = towns.estimate(towns.tally(reports))
    >>> round(found.raw[42], 2), round(found.standard_errors[42], 2)
    (0.3, 0.01)
    """

    size: int
    odds: Fraction
    q: int
    t: int
    family: Family = Family.SINGER
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        check_at_least("size", check_integer("size", self.size), 2)
        check_between("width", check_integer("width", self.width), 1, MOST_WIDTH)
        # Before any power of q is taken: a file may name these numbers.
        check_between("q", check_integer("q", self.q), 2, MOST_MODULUS)
        check_between("t", check_integer("t", self.t), 1, 40)
        self.favoured.check()
        odds = exact_odds(self.odds, "CyclicResponse")
        object.__setattr__(self, "odds", odds)
        modulus = self.modulus
        if modulus < self.size:
            raise InvalidParameter(
                f"does not fit {modulus} residues",
                parameter="size",
                value=self.size,
                way_out="Raise `t` or `q`, or let CyclicResponse.within choose.",
            )
        check_weight(max(self._total, modulus) + 1, odds=odds, size=self.size, width=self.width)

    @classmethod
    def within(cls, *, size: int, epsilon: float, width: int = MOST_WIDTH) -> Self:
        """Return the set with the least variance for the alphabet, and the largest odds that keep `epsilon`."""
        check_at_least("size", check_integer("size", size), 2)
        top = nominal_odds(epsilon)
        chosen = best_set(size, lambda candidate: candidate.noise(min(top, math.exp(20.0))))
        odds = odds_keeping(epsilon, weight=(top + 1) * chosen.modulus, size=size, width=width)
        return cls(size=size, odds=odds, q=chosen.q, t=chosen.t, family=chosen.family, width=width)

    @property
    def name(self) -> str:
        """What marks the tallies of this mechanism."""
        return f"cyclic_response size={self.size} odds={self.odds} set={self.family.value}({self.q},{self.t})"

    @property
    def modulus(self) -> int:
        """K, the number of possible reports."""
        return self.favoured.modulus

    @property
    def favoured(self) -> FavouredSet:
        """The difference set by its name."""
        return FavouredSet(q=self.q, t=self.t, family=self.family)

    @property
    def difference_set(self) -> DifferenceSet:
        """The favoured shifts."""
        return self.favoured.members()

    @property
    def _total(self) -> int:
        return total_weight(self.odds, self.favoured.parameters[1], self.modulus)

    def channel(self) -> Circulant:
        """All laws together, as Y = X + U mod K."""
        return Circulant.two_level(
            size=self.modulus, support=self.difference_set.members.tolist(), odds=self.odds, input_count=self.size
        )

    def law(self, x: int) -> tuple[Fraction, ...]:
        """P(.|x), exact."""
        check_between("x", check_integer("x", x), 0, self.size - 1)
        return tuple(Fraction(p) for p in self.channel().row(x))

    def privatize(self, values: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """One report for each value 0..size-1."""
        answers = check_symbols("values", values, self.size)
        shifts, favoured = _shifts(self.favoured), self.favoured.parameters[1]
        return shifted(answers, shifts, favoured, self.odds, width=self.width, source=bits_or_default(bits))

    def tally(self, reports: npt.ArrayLike) -> Tally:
        """Count reports."""
        counts = np.bincount(check_symbols("reports", reports, self.modulus), minlength=self.modulus)
        return Tally(mechanism=self.name, counts=tuple(counts.tolist()))

    def estimate(self, tally: Tally, *, confidence: float = 0.95) -> Estimate:
        """Shares of the answers from the share of reports in x + D, for every x at once."""
        check_confidence(confidence)
        total = check_tally(tally, self.name)
        hits = self.hits(np.fromiter(tally.counts, dtype=np.float64, count=len(tally.counts)))
        return member_estimate(hits, *self.probabilities, total=total, confidence=confidence)

    def hits(self, counts: FloatArray) -> FloatArray:
        """How many reports fell into x + D, for every answer x: whole numbers, from one FFT."""
        from scipy import fft  # noqa: PLC0415  scipy is slow to import

        # No further than x + D reaches, so that a line does for the circle; its length has no large prime factor.
        line = np.concatenate([counts, counts[: self.size - 1]])
        length = fft.next_fast_len(line.size, real=True)
        spectrum = fft.rfft(line, n=length) * np.conj(_spectrum(self.favoured, length))
        found: FloatArray = np.rint(fft.irfft(spectrum, n=length)[: self.size])
        return found

    def variance(self, law: Distribution | LawLike, n: int) -> tuple[Fraction, ...]:
        """Return the exact variance of each share in `raw`, from n reports, when answers follow `law`."""
        return member_variance(law, self.size, n, *self.probabilities)

    @property
    def probabilities(self) -> tuple[Fraction, Fraction]:
        """How probably a report about x falls into x + D, and one about any other answer."""
        modulus, members, repeats = self.favoured.parameters
        low = 1 / (self.odds * members + modulus - members)
        high = self.odds * low
        return members * high, repeats * high + (members - repeats) * low


@lru_cache(maxsize=16)
def _shifts(favoured: FavouredSet) -> npt.NDArray[np.int64]:
    """The shifts, members first; kept, because a column is drawn in many parts."""
    found = favoured.members()
    return np.concatenate([found.members, np.flatnonzero(found.indicator() == 0)])


@lru_cache(maxsize=4)
def _spectrum(favoured: FavouredSet, length: int) -> npt.NDArray[np.complex128]:
    """The spectrum of the members on a line of so many places."""
    from scipy import fft  # noqa: PLC0415  scipy is slow to import

    found: npt.NDArray[np.complex128] = fft.rfft(favoured.members().indicator(), n=length)
    return found
