"""The least noise for a budget on several numbers at once and on a histogram.

All counts get independent discrete Gaussian noise of the same size and are bounded together. A person in one of k cells
moves two counts by one each, so this is far less noise than k separate bounds would need.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.certificates.certificate import Certificate, subject_of
from sfumato.certificates.certifying import certify_subject
from sfumato.certificates.claims import publish
from sfumato.display.notebooks import Shown
from sfumato.errors import InvalidParameter
from sfumato.measures.dependence import Correlation
from sfumato.measures.gaussian import best_spread, power_bound
from sfumato.noise.certificates import (
    MOST_DIMENSION,
    VECTOR_CAPACITY,
    VectorSubject,
    squared_radius,
)
from sfumato.noise.private_data import check_counts, finite_number, group_of
from sfumato.noise.reaccounting import Reaccounting, bits_of
from sfumato.numbers.checks import Reals, as_exact, check_at_least, check_between, check_integer, check_positive
from sfumato.numbers.intervals import Interval, float_above
from sfumato.sampling.noise import DiscreteGaussian
from sfumato.sampling.sources import BitSource, SystemBits

_LEAST_BUDGET_BITS, _MOST_BUDGET_BITS = 1e-6, 64.0
# The parameter keeps about this many bits, a relative loss of one millionth.
_BITS = 20
_LEAST_VARIANCE = Fraction(1, 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorDesign(Shown):
    """Independent noise for `dimension` counts: what is added, what it costs, and what it proves.

    >>> import sfumato as sf
    >>> design = sf.noise.private_histogram(["train", "car", "on foot"], 1000, 1, correlated="nobody")
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
        """How many counts are released."""
        return self.subject.dimension

    @property
    def records(self) -> int:
        """Of how many records they are made."""
        return self.subject.records

    @property
    def noise(self) -> DiscreteGaussian:
        """What is added to each count."""
        return DiscreteGaussian(variance=self.subject.variance)

    @property
    def variance(self) -> float:
        """The variance of each count's noise, rounded up."""
        return float_above(self.subject.variance)

    @property
    def capacity_bits(self) -> Interval:
        """The most that one release reveals; no lower bound is claimed."""
        value = self.certificate[VECTOR_CAPACITY].value
        assert isinstance(value, Interval)
        return Interval(0.0, value.upper)

    @property
    def reaccounting(self) -> Reaccounting:
        """The data that `bits_for` needs for any assumption."""
        subject = self.subject
        return Reaccounting(
            kind="vector",
            parameters={
                "dimension": subject.dimension,
                "records": subject.records,
                "variance": str(subject.variance),
            },
        )

    def bits_for(self, correlation: Correlation) -> float:
        """Bound from above what one release reveals about a person under another assumption, in bits."""
        return bits_of(self.reaccounting, correlation)

    def release(self, values: Reals, bits: BitSource | None = None) -> tuple[Fraction, ...]:
        """Return one private count for each cell, or nothing at all when one is refused."""
        if len(values) != self.dimension:
            raise InvalidParameter(
                f"must be {self.dimension} numbers", parameter="values", way_out="Pass exactly so many."
            )
        exact = [finite_number(value) for value in values]
        check_counts(exact, self.records)
        drawn = self.noise.sample(SystemBits() if bits is None else bits, self.dimension).tolist()
        return tuple(count + added for count, added in zip(exact, drawn, strict=True))


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
    >>> design = sf.noise.private_histogram(4, 1000, 1, correlated="nobody")
    >>> round(design.variance, 3)
    0.454
    """
    count = check_integer("cells", cells) if not isinstance(cells, Sequence) else len(set(cells))
    if isinstance(cells, Sequence) and count != len(cells):
        raise InvalidParameter("names a cell twice", parameter="cells", way_out="Name each cell once.")
    check_between("cells", count, 2, MOST_DIMENSION, way_out="Use private_count for one cell.")
    who = group_of(correlated)
    check_at_least("records", check_integer("records", records), 1)
    budget = as_exact("budget_bits", budget_bits)
    check_positive("budget_bits", budget)
    check_between("budget_bits", budget, _LEAST_BUDGET_BITS, _MOST_BUDGET_BITS)
    people = None if who.people is None or who.people >= records else who.people
    moving = records if people is None else people
    radius = squared_radius(count, moving)
    variance = _least_variance(count, radius, budget)
    subject = VectorSubject(
        dimension=count,
        records=int(records),
        people=people,
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
