"""The arc response: a random shift on a cycle that favours a range of small shifts.

Answers 0..k-1 stand in order among K = k+d-1 residues. A respondent holding x reports y = x + U mod K, where U lies in
0..d-1 with weight `odds` each and anywhere else with weight 1. The favoured reports of x are x, x+1, …, x+d-1, the last
of which is at most K-1: the arc of the highest answer ends where the cycle does, so a report favours only answers near
each other. A mean therefore has little noise, where a difference set would mix the lowest answers with the highest. As
a shift with two levels of probability, like the cyclic response, it can be sharpened in steps and undone with keys.
Theory: docs/theory/numbers.md

With `apart` the last answer is no number of the scale (it is "no answer"): its residue is k-1+d, where k is the number
of the other answers, so that its arc meets none of theirs, and K = k+2d-1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
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
    law_of_answers,
    member_estimate,
    nominal_odds,
    normal_estimate,
    odds_keeping,
    shifted,
    total_weight,
)
from sfumato.numbers.checks import check_at_least, check_between, check_integer
from sfumato.numbers.exact import LawLike
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution
from sfumato.prob.structured import AnyChannel, Circulant
from sfumato.sampling.mechanism import Estimate, ReportArray, Tally, bits_or_default, check_symbols
from sfumato.sampling.sources import MOST_WIDTH, BitSource

# --- Scores for reports whose means are those of the answers, for any channel, with the least variance at one law
#
# A score s with Σ_y P(y|x) s_y = v_x for every answer x estimates the mean of v from the reports without bias, whatever
# the law of the answers. Of all such scores this one has the least variance when answers follow the reference law; that
# it is unbiased does not depend on it. With every answer a value of 0 or 1 it is the share of that answer, so all
# shares and all means come from one table.   Proof: docs/theory/numbers.md

MOST_STEPS = 1024
"""Up to so many steps answers are looked at one by one; beyond, they are as good as everywhere."""


def unbiased_weights(rows: FloatArray, reference: FloatArray | None = None) -> FloatArray:
    """Return what a report counts towards each answer, a row a report; `reference` is even if it is not given.

    With q the law of reports at the reference: q⁻¹Pᵀ(P q⁻¹ Pᵀ)⁻¹.
    """
    law = np.full(len(rows), 1 / len(rows)) if reference is None else reference
    scaled = rows / (law @ rows)
    inner = scaled @ rows.T
    if np.linalg.matrix_rank(inner, hermitian=True) < len(rows):
        raise InvalidParameter(
            "every report is pure noise, or some answers cannot be told apart; nothing can be estimated",
            way_out="Raise `odds`.",
        )
    return np.asarray(np.linalg.solve(inner, scaled).T, dtype=np.float64)


def second_moments(rows: FloatArray, scores: FloatArray) -> FloatArray:
    """E[s²|x] for every answer."""
    found: FloatArray = rows @ scores**2
    return found


def worst_variance(moments: FloatArray, steps: int | None = None) -> float:
    """Return the largest variance of one report about a fixed answer on [-1, 1], rounded at random to even points.

    `moments` are E[s²|x] at the points. An answer between two of them is rounded up or down at random, right on
    average, so its E[s²] lies on the straight line between theirs. With `steps` answers are that many steps from one
    end to the other; without, anything between.
    """
    count = len(moments)
    points = np.linspace(-1.0, 1.0, count)
    if steps is not None and steps <= MOST_STEPS:
        answers = np.linspace(-1.0, 1.0, steps + 1)
        return float((np.interp(answers, points, moments) - answers**2).max())
    gap, rise = 2 / (count - 1), np.diff(moments)
    # m + t·rise - (v + t·gap)² is greatest here, or at an end.
    places = np.clip((rise - 2 * points[:-1] * gap) / (2 * gap * gap), 0.0, 1.0)
    between = moments[:-1] + places * rise - (points[:-1] + places * gap) ** 2
    return float(between.max())


# --- The length of the arc: the noise of a mean for each length, without solving equations
#
# An unbiased score for evenly spread values has s_{y+d} - s_y = c, the same for all y, since the favoured reports of
# x+1 are those of x without the first and with one more. So each of the d classes of reports modulo d has one free
# number, and one equation binds them all: the score of least variance is a weighted mean for each class and one
# multiplier.   Proof: docs/theory/numbers.md


def arc_moments(size: int, length: int, odds: float) -> FloatArray:
    """E[s²|x] of the unbiased score of values spread evenly over [-1, 1], best where answers are spread evenly."""
    k, d = size, length
    modulus = k + d - 1
    low, gain = 1 / (d * odds + modulus - d), odds - 1
    step = 2 / ((k - 1) * low * gain)
    reports = np.arange(modulus)
    classes, turns = reports % d, reports // d
    # How many answers favour each report, and how probable it is when answers are even.
    favouring = np.minimum(np.minimum(reports + 1, modulus - reports), min(k, d))
    chances = low * (1 + gain * favouring / k)
    mass, members = np.bincount(classes, chances, d), np.bincount(classes, minlength=d)
    centres = np.bincount(classes, chances * turns, d) / mass
    # E[s|0] = low·(Σ s + gain·Σ_{y<d} s_y) = -1 binds the d first scores a_r, which are -step·centre + m·weight/mass.
    weight = low * (members + gain)
    fixed = low * step * (np.bincount(classes, turns, d) - (members + gain) * centres).sum()
    multiplier = (-1 - fixed) / (weight**2 / mass).sum()
    scores = (-step * centres + multiplier * weight / mass)[classes] + step * turns
    squares = np.concatenate([[0.0], np.cumsum(scores**2)])
    found: FloatArray = low * (squares[-1] + gain * (squares[d : d + k] - squares[:k]))
    return found


@lru_cache(maxsize=1 << 15)
def arc_noise(size: int, length: int, odds: float, steps: int | None = None) -> float:
    """Return the largest variance of one report about a fixed number on [-1, 1]; `steps` as in `worst_variance`."""
    return worst_variance(arc_moments(size, length, odds), steps)


def best_length(size: int, odds: float) -> int:
    """Return the shortest arc among those within a hundredth of the least noise for this many points."""
    found = [arc_noise(size, length, odds) for length in range(1, max(2, size))]
    return 1 + next(i for i, noise in enumerate(found) if noise <= 1.01 * min(found))


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
    >>> reports = stars.privatize([7] * 10_000, sf.sampling.InsecureSeeded(7))
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
