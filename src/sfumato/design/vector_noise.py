"""The least noise on several numbers at once, and on a histogram.   Theory: docs/theory/correlated_noise.md

All numbers get independent discrete Gaussian noise of the same size, and are bounded together: a person in one of k
cells moves two counts by one each, not all of them, so that is far less noise than k bounds side by side would take.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.bits import BitSource, SystemBits
from sfumato.bits.discrete_gaussian import DiscreteGaussian
from sfumato.certificates import Certificate
from sfumato.certificates.certifying import certify_subject
from sfumato.certificates.registry import subject_of
from sfumato.certificates.rules import publish
from sfumato.design.private_numbers import check_counts, finite_number, group_of
from sfumato.design.recounts import Recount, bits_of
from sfumato.design.vector_certificates import (
    CAPACITY,
    CHANGE,
    HISTOGRAM,
    MOST_DIMENSION,
    SUM,
    VectorSubject,
    squared_radius,
)
from sfumato.errors import InvalidParameter
from sfumato.measures.lattice.powers import best_spread, power_bound
from sfumato.values import Interval
from sfumato.values.checks import as_exact, check_at_least, check_between, check_integer, check_positive
from sfumato.values.correlation import Correlation
from sfumato.values.rounding import float_above
from sfumato.values.shown import Shown
from sfumato.values.types import Real, Reals

_LEAST_BUDGET_BITS, _MOST_BUDGET_BITS = 1e-6, 64.0
# About so many bits of the parameter are kept: a millionth of it is the price.
_BITS = 20
_LEAST_VARIANCE = Fraction(1, 1000)
# Steps to a group's reach, for each √k: rounding to them costs about 10^-4 of the variance.
_FINE = 1 << 13
_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorDesign(Shown):
    """Independent noise for `dimension` numbers: what is added, what it costs, and what it proves.

    >>> import sfumato as sf
    >>> design = sf.design.private_histogram(["train", "car", "on foot"], 1000, 1, correlated="nobody")
    >>> design.dimension, round(design.variance**0.5, 3), design.capacity_bits.upper <= 1
    (3, 0.618, True)
    >>> len(design.release([200, 500, 300]))
    3
    """

    budget_bits: float
    certificate: Certificate
    correlated: Correlation

    @property
    def subject(self) -> VectorSubject:
        """What the certificate is about."""
        found = self.certificate.subject
        assert isinstance(found, VectorSubject)
        return found

    @property
    def dimension(self) -> int:
        """How many numbers are released."""
        return self.subject.dimension

    @property
    def records(self) -> int:
        """Of how many records they are made."""
        return self.subject.records

    @property
    def grid(self) -> Fraction:
        """The distance between two released values of a number."""
        return self.subject.grid

    @property
    def noise(self) -> DiscreteGaussian:
        """What is added to each number, in steps."""
        return DiscreteGaussian(variance=self.subject.variance)

    @property
    def variance(self) -> float:
        """The variance of each number's noise, in its square units, rounded up."""
        return float_above(self.subject.variance * self.grid**2)

    @property
    def capacity_bits(self) -> Interval:
        """What one release tells at most; from below nothing is claimed."""
        value = self.certificate[CAPACITY].value
        assert isinstance(value, Interval)
        return Interval(0.0, value.upper)

    @property
    def recount(self) -> Recount:
        """What it takes to find again what a release tells, under whatever assumption."""
        subject = self.subject
        return Recount(
            kind="vector",
            parameters={
                "what": subject.what,
                "dimension": subject.dimension,
                "records": subject.records,
                "size": str(subject.size / subject.grid),
                "variance": str(subject.variance),
            },
        )

    def bits_for(self, correlation: Correlation) -> float:
        """Bound from above what one release tells about a person under another assumption, in bits."""
        return bits_of(self.recount, correlation)

    def release(self, values: Reals, bits: BitSource | None = None) -> tuple[Fraction, ...]:
        """Return one private value for each number, or nothing at all when one is refused."""
        if len(values) != self.dimension:
            raise InvalidParameter(
                f"must be {self.dimension} numbers", parameter="values", way_out="Pass exactly so many."
            )
        exact = [finite_number(value) for value in values]
        if self.subject.what == HISTOGRAM:
            check_counts(exact, self.records)
        drawn = self.noise.sample(SystemBits() if bits is None else bits, self.dimension).tolist()
        # Half up, a function of the data.
        places = [math.floor(number / self.grid + _HALF) for number in exact]
        return tuple(self.grid * (place + added) for place, added in zip(places, drawn, strict=True))


@subject_of.register
def _vector_subject(thing: VectorDesign) -> VectorSubject:
    return thing.subject


def private_histogram(
    cells: int | Sequence[str], records: int, budget_bits: float, correlated: Correlation | str | int
) -> VectorDesign:
    """Return the least noise for how many of the records are in each cell, every record in one at most.

    The cells are declared without looking, and each gets noise, the empty ones too. Released counts are whole, may be
    negative, and need not sum to the number of records.

    >>> import sfumato as sf
    >>> design = sf.design.private_histogram(4, 1000, 1, correlated="nobody")
    >>> round(design.variance, 3), design.grid
    (0.454, Fraction(1, 1))
    """
    count = check_integer("cells", cells) if not isinstance(cells, Sequence) else len(set(cells))
    if isinstance(cells, Sequence) and count != len(cells):
        raise InvalidParameter("names a cell twice", parameter="cells", way_out="Name each cell once.")
    check_between("cells", count, 2, MOST_DIMENSION, way_out="Use private_count for one cell.")
    return _designed(HISTOGRAM, count, records, Fraction(1), budget_bits, correlated)


def gaussian_vector(
    dimension: int,
    records: int,
    budget_bits: float,
    correlated: Correlation | str | int,
    *,
    change: Real | None = None,
    ball: Real | None = None,
) -> VectorDesign:
    """Return the least noise for a vector made of `records`.

    `change`: the distance by which one record moves it at most. `ball`: or it is a sum of one vector a record, each in
    one ball of this radius, wherever its centre is; that takes less noise than a `change` of twice the radius.

    Raises:
        InvalidParameter: not exactly one of `change` and `ball` is given, or `budget_bits` leaves nothing to hide or
            nothing to release.

    >>> import sfumato as sf
    >>> design = sf.design.gaussian_vector(10, 1000, 1, correlated=1, ball=1)
    >>> looser = sf.design.gaussian_vector(10, 1000, 1, correlated=1, change=2)
    >>> round(design.variance**0.5, 3), round(looser.variance**0.5, 3)
    (0.82, 1.106)
    """
    if (change is None) == (ball is None):
        raise InvalidParameter("either `change` or `ball` must say how far a record moves it", way_out="Give one.")
    count = check_integer("dimension", dimension)
    check_between("dimension", count, 1, MOST_DIMENSION)
    name, given = ("change", change) if ball is None else ("ball", ball)
    size = as_exact(name, given)
    check_positive(name, size)
    return _designed(CHANGE if ball is None else SUM, count, records, size, budget_bits, correlated)


def _designed(
    what: str, count: int, records: int, size: Fraction, budget_bits: float, correlated: Correlation | str | int
) -> VectorDesign:
    who = group_of(correlated)
    check_at_least("records", check_integer("records", records), 1)
    budget = as_exact("budget_bits", budget_bits)
    check_positive("budget_bits", budget)
    check_between("budget_bits", budget, _LEAST_BUDGET_BITS, _MOST_BUDGET_BITS)
    people = None if who.people is None or who.people >= records else who.people
    moving = records if people is None else people
    grid = Fraction(1) if what == HISTOGRAM else moving * size / (_FINE * (math.isqrt(count) + 1))
    radius = squared_radius(what, count, moving, size / grid)
    variance = _least_variance(count, radius, budget)
    subject = VectorSubject(
        what=what,
        dimension=count,
        records=int(records),
        people=people,
        size=size,
        grid=grid,
        variance=variance,
        spread=best_spread(count, radius, variance),
    )
    return VectorDesign(budget_bits=float(budget), certificate=certify_subject(subject), correlated=who)


def _least_variance(count: int, radius: Fraction, budget: Fraction) -> Fraction:
    """The bound falls as the noise grows, so it is halved in, among fractions with few digits."""
    guess = radius / count / Fraction(math.expm1(2 * math.log(2) * float(budget) / count))
    denominator = 1 << max(0, _BITS - math.frexp(float(guess))[1])

    def fits(numerator: int) -> bool:
        variance = Fraction(numerator, denominator)
        bits = publish(power_bound(count, radius, variance, best_spread(count, radius, variance)))
        return Fraction(bits.upper) <= budget

    least = math.ceil(_LEAST_VARIANCE * denominator)
    high = max(least + 1, math.ceil(guess * denominator))
    while not fits(high):
        high += max(1, high >> 6)
    low = max(least, high - max(1, high >> 5))
    while fits(low):
        if low == least:
            raise InvalidParameter(
                "is so large that hardly any noise is needed",
                parameter="budget_bits",
                value=float(budget),
                way_out="Lower `budget_bits`.",
            )
        high, low = low, max(least, low - max(1, low >> 3))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return Fraction(high, denominator)
