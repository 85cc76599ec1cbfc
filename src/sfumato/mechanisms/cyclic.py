"""The cyclic response: a random shift that favours a difference set.

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
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache, lru_cache
from typing import Self

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.mechanisms.base import (
    FloatArray,
    check_confidence,
    check_tally,
    check_weight,
    exact_odds,
    member_estimate,
    member_variance,
    nominal_odds,
    odds_keeping,
    shifted,
    total_weight,
)
from sfumato.mechanisms.difference_sets import (
    MOST_MODULUS,
    MOST_PRIME,
    DifferenceSet,
    check_paley,
    check_singer,
    is_order,
    next_paley_modulus,
    paley_set,
    singer_parameters,
    singer_set,
)
from sfumato.numbers.checks import check_at_least, check_between, check_integer
from sfumato.numbers.exact import LawLike
from sfumato.prob.distribution import Distribution
from sfumato.prob.structured import Circulant
from sfumato.sampling.mechanism import Estimate, ReportArray, Tally, bits_or_default, check_symbols
from sfumato.sampling.sources import MOST_WIDTH, BitSource

# --- The choice of a difference set: the candidates for an alphabet, and the noise that each adds to a share
#
# With odds o, n times the variance of the share of an answer with no respondents is
# V0 = (d+λ(o-1))(K-d+(d-λ)(o-1))/((d-λ)(o-1))². No mechanism of odds o does better than about V* = 4o/(o-1)² on many
# answers.   Theory: docs/theory/cyclic_response.md


WORTH = 1.01
"""A smaller alphabet of reports is worth this much variance: shorter reports and quicker decoding."""


class Family(StrEnum):
    """Where the difference set comes from."""

    SINGER = "Singer"
    PALEY = "Paley"


@dataclass(frozen=True, slots=True, kw_only=True)
class FavouredSet:
    """A difference set by name: `q` and `t` of Singer's, or K = `q` of Paley's (t = 1)."""

    q: int
    t: int
    family: Family

    @property
    def parameters(self) -> tuple[int, int, int]:
        """(K, d, λ)."""
        if self.family is Family.PALEY:
            return self.q, (self.q - 1) // 2, (self.q - 3) // 4
        return singer_parameters(self.q, self.t)

    @property
    def modulus(self) -> int:
        """K."""
        return self.parameters[0]

    def check(self) -> None:
        """Refuse names that no set has, without making one."""
        if self.family is Family.SINGER:
            check_singer(self.q, self.t)
            return
        check_paley(self.q)
        if self.t != 1:
            raise InvalidParameter(
                "must be 1 for a set of Paley's, which has no dimension", parameter="t", value=self.t, way_out="Say 1."
            )

    def members(self) -> DifferenceSet:
        """Return the set itself."""
        return singer_set(self.q, self.t) if self.family is Family.SINGER else paley_set(self.q)

    def noise(self, odds: float) -> float:
        """V0: n times the variance of the share of an answer that no respondent holds."""
        modulus, members, repeats = self.parameters
        inside = members + repeats * (odds - 1)
        outside = modulus - members + (members - repeats) * (odds - 1)
        return inside * outside / ((members - repeats) * (odds - 1)) ** 2


def least_noise(odds: float) -> float:
    """V* = 4o/(o-1)², what the best set comes close to on many answers."""
    return 4 * odds / (odds - 1) ** 2


def best_set(size: int, badness: Callable[[FavouredSet], float]) -> FavouredSet:
    """Return the set with the fewest reports among those within a hundredth of the least badness."""
    judged = [(badness(candidate), candidate) for candidate in candidate_sets(size)]
    least = min(value for value, _ in judged)
    good = [candidate for value, candidate in judged if value <= WORTH * least]
    return min(good, key=lambda choice: (choice.modulus, choice.q, choice.t))


@lru_cache(maxsize=64)
def candidate_sets(size: int) -> tuple[FavouredSet, ...]:
    """Return what is chosen from: of each field the smallest set that holds so many answers, and Paley's."""
    found = []
    for q in _orders():
        t = next(t for t in range(2, 40) if singer_parameters(q, t)[0] >= size)
        if singer_parameters(q, t)[0] <= MOST_MODULUS:
            found.append(FavouredSet(q=q, t=t, family=Family.SINGER))
    if size <= MOST_MODULUS // 2:
        found.append(FavouredSet(q=next_paley_modulus(max(size, 7)), t=1, family=Family.PALEY))
    if not found:
        raise InvalidParameter(
            f"is more than {MOST_MODULUS} residues hold",
            parameter="size",
            value=size,
            way_out="Hash the answers first.",
        )
    return tuple(found)


@cache
def _orders() -> tuple[int, ...]:
    """How many elements fields have."""
    return tuple(q for q in range(2, MOST_PRIME + 1) if is_order(q))


@dataclass(frozen=True, slots=True, kw_only=True)
class CyclicResponse:
    """`size` answers among K residues; `q` and `t` name Singer's set, or K = `q` names Paley's (t = 1).

    Add a random shift that favours a difference set, the projective-geometry response of [FNNT22] in cyclic form: for
    long lists too, near the least error, and a key can undo it.

    >>> import sfumato as sf
    >>> towns = sf.mechanisms.CyclicResponse.within(size=1000, epsilon=2.0)
    >>> towns.family.value, towns.q, towns.t, towns.modulus
    ('Singer', 7, 5, 2801)
    >>> reports = towns.privatize([42] * 3000 + [7] * 7000, sf.sampling.InsecureSeeded(7))
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
