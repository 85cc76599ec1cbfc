"""Which answers of a long list are surely given, under one error for the whole list.

A report hits its own answer with probability p* and any other with q*, so the hits of an answer that nobody holds are
Bin(n, q*), whatever the others hold. Reported are the answers with at least c hits, c the least count with
Pr[Bin(n, q*) ≥ c] ≤ α/k over k answers: with probability at least 1 - α none of them is held by nobody, for every n and
with no assumption of independence. Holm's step down asks the rest of α/(k-m) once m are found, at no cost [Hol79].

Against "held by a share of p_0 at most" the same is done with q* + (p*-q*)·p_0. If so many of n people hold it, and not
a chance of each, hits are a sum of unequal chances, and from a count above the mean on its tail is below the
binomial's [Hoe56].

`discovered_answers` asks less: that of what is reported a part α at most is false, on average. Whatever the dependence
of the counts, the m-th answer may then have a tail of mα/(k·H_k), H_k = 1 + ½ + … + 1/k [BY01]; with few frequent
answers that reports hardly more.   Theory: docs/theory/heavy_hitters.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.infer.tails import binomial_tail
from sfumato.prob.binomial import clopper_pearson
from sfumato.prob.binomial_tails import least_count
from sfumato.values.checks import check_at_least, check_between, check_integer

FloatArray = npt.NDArray[np.float64]
PlaceArray = npt.NDArray[np.intp]
# Of a share that is found as often as asked for.
_CLOSE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyCut:
    """The cut for `size` answers and n reports that hit their own answer with `own` and others with `other`.

    `error` is the family-wise error, and `at_least` the share that a reported answer surely exceeds.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> rule = sf.infer.FamilyCut(size=1000, n=10_000, own=Fraction(3, 4), other=Fraction(1, 4))
    >>> rule.count(), round(rule.share, 4)  # so many hits, and the share they stand for
    (2671, 0.0342)
    >>> round(rule.power(0.05), 3), round(rule.share_found(0.9), 4)
    (0.963, 0.0455)
    """

    size: int
    n: int
    own: Fraction
    other: Fraction
    error: Fraction = Fraction(1, 20)
    at_least: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        check_at_least("size", check_integer("size", self.size), 1)
        check_at_least("n", check_integer("n", self.n), 1)
        check_between("error", self.error, Fraction(1, 10**9), Fraction(1, 2))
        check_between("at_least", self.at_least, 0, 1)
        if not 0 < self.other < self.own <= 1:
            raise InvalidParameter(
                "must lie below `own`, or no report tells anything",
                parameter="other",
                way_out="Raise epsilon.",
            )

    def chance(self, share: Fraction | float) -> Fraction | float:
        """How probably a report hits an answer that a share of all hold."""
        if isinstance(share, Fraction):
            return self.other + (self.own - self.other) * share
        return float(self.other) + float(self.own - self.other) * share

    def count(self, found: int = 0) -> int:
        """Return the least number of hits that is reported, once so many others were; n + 1 where none is enough."""
        level = self.error / max(1, self.size - found)
        return self.count_within(level)

    def count_within(self, level: Fraction) -> int:
        """Return the least number of hits that an answer of the share `at_least` has no more often than a level."""
        chance = Fraction(self.chance(self.at_least))
        # From here on the tail of unequal chances is below the binomial's.
        return max(_least_count(self.n, chance, level), math.ceil(self.n * chance + 1))

    @property
    def share(self) -> float:
        """The raw share that an answer must come out with."""
        return self.share_of(self.count())

    def share_of(self, hits: float) -> float:
        """Return the unbiased share of so many hits."""
        return float((Fraction(hits) / self.n - self.other) / (self.own - self.other))

    def power(self, share: float) -> float:
        """How probably an answer is found that a share of all hold, by the first cut; Holm's step adds to it."""
        check_between("share", share, 0, 1)
        return binomial_tail(self.count(), self.n, float(self.chance(float(share))), upper=True)

    def share_found(self, power: float = 0.9) -> float | None:
        """Return the least share that is found so often; None where not even everybody's answer is."""
        check_between("power", power, 0.01, 1 - 1e-9)
        low, high = 0.0, 1.0
        if self.power(high) < power:
            return None
        while high - low > _CLOSE * high:
            middle = (low + high) / 2
            low, high = (middle, high) if self.power(middle) < power else (low, middle)
        return high


def reports_to_find(rule: FamilyCut, share: float, power: float = 0.9) -> int | None:
    """About how many reports find a share so often, by tails in floats; None where it is not above `at_least`.

    Counts are whole, so power goes up and down by a little from one number to the next.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> rule = sf.infer.FamilyCut(size=1000, n=10_000, own=Fraction(3, 4), other=Fraction(1, 4))
    >>> sf.infer.reports_to_find(rule, 0.05), sf.infer.reports_to_find(rule, 0.01)
    (8304, 201984)
    """
    check_between("share", share, 0, 1)
    check_between("power", power, 0.01, 1 - 1e-9)
    if share <= rule.at_least:
        return None
    level = float(rule.error) / rule.size
    null, held = float(rule.chance(rule.at_least)), float(rule.chance(share))

    def is_found(n: int) -> bool:
        low, high = 0, n + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if binomial_tail(middle, n, null, upper=True) <= level else (middle, high)
        return binomial_tail(high, n, held, upper=True) >= power

    most = 1
    while not is_found(most):
        most *= 2
    least = most // 2
    while most - least > max(1, most // 1000):
        middle = (least + most) // 2
        least, most = (least, middle) if is_found(middle) else (middle, most)
    return most


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoundAnswers:
    """The answers that were found, most hits first: their places, unbiased shares and errors, and intervals.

    The intervals of all k answers hold together with the confidence that was asked for, so those of the ones that were
    picked out do as well. `cut` is the last count of hits that was asked for.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> rule = sf.infer.FamilyCut(size=4, n=10_000, own=Fraction(3, 4), other=Fraction(1, 4))
    >>> found = sf.infer.found_answers([2540, 3500, 2490, 2950], rule)
    >>> found.places.tolist(), found.raw.round(2).tolist()
    ([1, 3], [0.2, 0.09])
    >>> found.lower.round(3).tolist(), found.upper.round(3).tolist()
    ([0.176, 0.067], [0.224, 0.113])
    """

    places: PlaceArray
    raw: FloatArray
    standard_errors: FloatArray
    lower: FloatArray
    upper: FloatArray
    cut: int


def found_answers(
    hits: npt.ArrayLike, rule: FamilyCut, *, confidence: float = 0.95, most: int | None = None
) -> FoundAnswers:
    """Return the answers whose hits pass the rule, by Holm's step down, with intervals over all answers at once.

    `most` keeps so many of them, those with the most hits.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> rule = sf.infer.FamilyCut(size=4, n=10_000, own=Fraction(3, 4), other=Fraction(1, 4))
    >>> found = sf.infer.found_answers([2540, 3500, 2490, 2950], rule, most=1)
    >>> found.places.tolist(), found.cut
    ([1], 2586)
    """
    check_between("confidence", confidence, 0.5, 1 - 1e-12)
    counted = _checked_hits(hits, rule)
    found, cut = 0, rule.count()
    while (now := int(np.count_nonzero(counted >= cut))) > found:
        found = now
        cut = rule.count(found)
    return _picked(counted, rule, cut, confidence, most)


def discovered_answers(hits: npt.ArrayLike, rule: FamilyCut, *, confidence: float = 0.95) -> FoundAnswers:
    """Return answers of which a part `rule.error` at most is false on average, by Benjamini and Yekutieli's step up.

    Their rule holds under any dependence of the counts; Benjamini and Hochberg's, which needs less, is not proved here.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> rule = sf.infer.FamilyCut(size=4, n=10_000, own=Fraction(3, 4), other=Fraction(1, 4))
    >>> found = sf.infer.discovered_answers([2540, 3500, 2490, 2950], rule)
    >>> found.places.tolist(), found.cut
    ([1, 3], 2599)
    """
    check_between("confidence", confidence, 0.5, 1 - 1e-12)
    counted = _checked_hits(hits, rule)
    # Above 1 + ½ + … + 1/k: Euler's constant and two terms, rounded up.
    harmonic = Fraction(math.nextafter(math.log(rule.size) + 0.57721566490153287 + 1 / (2 * rule.size), math.inf))
    found = rule.size
    while True:
        cut = rule.count_within(rule.error * found / (rule.size * harmonic))
        now = int(np.count_nonzero(counted >= cut))
        if now >= found or now == 0:
            return _picked(counted, rule, cut, confidence)
        found = now


def _checked_hits(hits: npt.ArrayLike, rule: FamilyCut) -> FloatArray:
    counted = np.asarray(hits, dtype=np.float64)
    if counted.shape != (rule.size,):
        raise InvalidParameter(
            f"must be {rule.size} counts, one for each answer", parameter="hits", way_out="Count all answers."
        )
    return counted


def _picked(counted: FloatArray, rule: FamilyCut, cut: int, confidence: float, most: int | None = None) -> FoundAnswers:
    places = np.flatnonzero(counted >= cut)
    # Equal hits in the order of the list.
    places = places[np.argsort(-counted[places], kind="stable")][:most]
    raw, errors, lower, upper = raw_shares(counted[places], rule, tail=(1 - confidence) / (2 * rule.size))
    return FoundAnswers(places=places, raw=raw, standard_errors=errors, lower=lower, upper=upper, cut=cut)


def raw_shares(hits: FloatArray, rule: FamilyCut, *, tail: float) -> tuple[FloatArray, ...]:
    """Return unbiased shares of answers, standard errors, and exact ends that fail with `tail` on each side."""
    base, gap = float(rule.other), float(rule.own - rule.other)
    chances = hits / rule.n
    # Hits beyond nobody's or everybody's are explained by no share: an end out there would leave no width.
    low, _ = clopper_pearson(np.minimum(hits, math.floor(rule.n * rule.own)), rule.n, lower_tail=tail, upper_tail=tail)
    _, high = clopper_pearson(
        np.maximum(hits, math.ceil(rule.n * rule.other)), rule.n, lower_tail=tail, upper_tail=tail
    )
    lower, upper = (np.clip((end - base) / gap, 0.0, 1.0) for end in (low, high))
    errors = np.sqrt(chances * (1 - chances) / rule.n) / gap
    return (chances - base) / gap, errors, lower, upper


@lru_cache(maxsize=256)
def _least_count(n: int, chance: Fraction, level: Fraction) -> int:
    return least_count(n, chance, level)
