"""Normal noise on a sum, a mean or a count, for readers whose beliefs share at most so many bits.

Between *nobody depends on anybody* and *anybody may depend on everybody*: the bits that a release tells about one
record are bounded for everybody whose beliefs differ from independent records by at most c bits over the whole data
set. c is assumed, never measured. The noise is drawn exactly and the noisy number is rounded; the bits are those of
Theorem 1, which add up over releases.   Theory: docs/theory/bounded_beliefs.md
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.bits import BitSource, SystemBits
from sfumato.bits.rounded_gaussian import RoundedGaussian
from sfumato.certificates import Certificate
from sfumato.certificates.certifying import certify_subject
from sfumato.certificates.registry import subject_of
from sfumato.design.belief_calibration import least_deviation, least_deviation_for
from sfumato.design.belief_certificates import (
    ANYONES,
    BELIEVED,
    NOBODYS,
    ONCE,
    BeliefSubject,
    believed_interval,
)
from sfumato.design.gaussian_noise import private_number
from sfumato.errors import InvalidParameter
from sfumato.measures.amplitude.capacities import LEAST_BUDGET_BITS, MOST_BUDGET_BITS
from sfumato.measures.beliefs import (
    MOST_RECORDS,
    MOST_SHARED_BITS,
    believed_bits,
    best_own_share,
    people_bits,
    tilt_factor,
)
from sfumato.values import Interval
from sfumato.values.checks import as_exact, as_number, check_between, check_integer, check_positive
from sfumato.values.correlation import Correlation
from sfumato.values.shown import Shown
from sfumato.values.types import Real, Reals

# The grid is a power of ten, at most this part of the noise: rounding then adds less than a thousandth to the variance.
_GRID_PART = Fraction(1, 8)


@dataclass(frozen=True, slots=True, kw_only=True)
class BelievedNoise(Shown):
    """Noise on the sum, mean or count of `records` numbers; with `clip`, those outside the range are moved into it."""

    budget_bits: float
    clip: bool
    certificate: Certificate

    @property
    def subject(self) -> BeliefSubject:
        """What the certificate is about: everything that decides the noise and its bits."""
        found = self.certificate.subject
        assert isinstance(found, BeliefSubject)
        return found

    @property
    def statistic(self) -> str:
        """What is released: sum, mean or count."""
        return self.subject.statistic

    @property
    def records(self) -> int:
        """How many records there are; their number is public."""
        return self.subject.records

    @property
    def shared_bits(self) -> Fraction:
        """c: by how much beliefs may differ from independent records, over the whole data set. Assumed."""
        return self.subject.shared_bits

    @property
    def correlated(self) -> Correlation:
        """The assumption under which the bits hold."""
        return Correlation(shared_bits=self.shared_bits)

    @property
    def deviation(self) -> Fraction:
        """The standard deviation of the noise on the released number, before it is rounded."""
        return self.subject.deviation

    @property
    def grid(self) -> Fraction:
        """The distance between two released values."""
        return self.subject.grid

    @property
    def independent_deviation(self) -> Fraction:
        """A deviation that would be enough for the same bits if records were independent."""
        return self.subject.independent_deviation

    @property
    def anyone_deviation(self) -> Fraction:
        """A deviation that would be enough for the same bits whatever anybody believes."""
        return self.subject.anyone_deviation

    @property
    def capacity_bits(self) -> Interval:
        """What one release adds at most about any one record, by Theorem 1: these bits are booked, and add up."""
        return self._claimed(BELIEVED)

    @property
    def one_release_bits(self) -> Interval:
        """The same by either theorem, if nothing else is ever released about these records. Not to be added up."""
        return self._claimed(ONCE)

    @property
    def independent_bits(self) -> Interval:
        """What is told to whoever believes that the records are independent."""
        return self._claimed(NOBODYS)

    @property
    def anyone_bits(self) -> Interval:
        """What may be told to whoever believes that all records move together, and is not covered."""
        return self._claimed(ANYONES)

    def _claimed(self, measure: str) -> Interval:
        value = self.certificate[measure].value
        assert isinstance(value, Interval)
        return value

    def bits_for(self, correlated: Correlation) -> Interval:
        """What the same noise tells under another assumption; such bits add up with others under that assumption.

        Their upper end is what counts. For people it is a bound on the capacity of the noise, for shared bits
        Theorem 1.
        """
        found, ratio = self.subject, self.subject.ratio
        if correlated.shared_bits is not None:
            if correlated.shared_bits == found.shared_bits:
                return self.capacity_bits
            return believed_bits(found.records, correlated.shared_bits, ratio)
        people = found.records if correlated.people is None else min(correlated.people, found.records)
        return people_bits(people, ratio)

    @property
    def recount(self) -> dict[str, str | int]:
        """All that is needed to find the bits again under another assumption, as plain texts and numbers."""
        found = self.subject
        return {
            "noise": "normal",
            "records": found.records,
            "reach": str(found.reach),
            "deviation": str(found.deviation),
            "own_share": str(found.own_share),
            "shared_bits": str(found.shared_bits),
        }

    def release(self, value: Reals | Real, bits: BitSource | None = None) -> Fraction:
        """Return the private sum or mean of the records, or the private count; of a count, the count itself is given.

        The true values are in no error. A record outside the range is refused, unless the design clips.
        """
        found = self.subject
        exact = self._counted(value) if found.statistic == "count" else self._summed(value)
        noise = RoundedGaussian(deviation=found.deviation, grid=found.grid)
        return noise.release(exact, SystemBits() if bits is None else bits)

    def _counted(self, value: Any) -> Fraction:
        exact = private_number(value, Fraction(0), Fraction(self.records))
        if exact.denominator != 1:
            raise InvalidParameter("the private count must be a whole number", way_out="Count again.")
        return exact

    def _summed(self, values: Any) -> Fraction:
        low, high, count = self.subject.low, self.subject.high, self.records
        if len(values) != count:
            raise InvalidParameter(
                f"must be the {count} records that the noise was planned for",
                parameter="values",
                way_out="Pass exactly so many.",
            )
        if self.clip:
            total = _exact_sum(min(max(_any_number(value), low), high) for value in values)
        else:
            total = _exact_sum(private_number(value, low, high) for value in values)
        return total / count if self.statistic == "mean" else total


@subject_of.register
def _noise_subject(thing: BelievedNoise) -> BeliefSubject:
    return thing.subject


def believed_sum(
    low: Real,
    high: Real,
    records: int,
    budget_bits: float,
    shared_bits: Real,
    *,
    grid: Real | None = None,
    clip: bool = False,
) -> BelievedNoise:
    """Return the least noise for the sum of `records` numbers in [low, high]."""
    return _design("sum", low, high, records, budget_bits, shared_bits, grid, clip)


def believed_mean(
    low: Real,
    high: Real,
    records: int,
    budget_bits: float,
    shared_bits: Real,
    *,
    grid: Real | None = None,
    clip: bool = False,
) -> BelievedNoise:
    """Return the least noise for the mean of `records` numbers in [low, high].

    >>> design = believed_mean(0, 1, 10**6, budget_bits=0.1, shared_bits=10)
    >>> float(design.deviation), float(design.anyone_deviation)
    (0.00498881, 1.297)
    """
    return _design("mean", low, high, records, budget_bits, shared_bits, grid, clip)


def believed_count(records: int, budget_bits: float, shared_bits: Real, *, grid: Real | None = None) -> BelievedNoise:
    """Return the least noise for how many of `records` yes/no records say yes."""
    if as_number("budget_bits", budget_bits) >= 1:
        raise InvalidParameter(
            "is no limit: a yes or no holds 1 bit at most, so no noise is needed",
            parameter="budget_bits",
            value=budget_bits,
            way_out="Lower `budget_bits`.",
        )
    return _design("count", 0, 1, records, budget_bits, shared_bits, grid, False)


def _design(
    statistic: str,
    low: Real,
    high: Real,
    records: int,
    budget_bits: float,
    shared_bits: Real,
    grid: Real | None,
    clip: bool,
) -> BelievedNoise:
    count = check_integer("records", records)
    check_between("records", count, 1, MOST_RECORDS)
    start, end = as_exact("low", low), as_exact("high", high)
    if not start < end:
        raise InvalidParameter(
            f"must be below `high`={end}", parameter="low", value=start, way_out="Exchange the two, or widen the range."
        )
    budget = float(as_number("budget_bits", budget_bits))
    check_positive("budget_bits", budget)
    check_between("budget_bits", budget, LEAST_BUDGET_BITS, MOST_BUDGET_BITS)
    shared = as_exact("shared_bits", shared_bits)
    check_between("shared_bits", shared, 0, MOST_SHARED_BITS, way_out="Say how many bits beliefs may share.")
    reach = (end - start) / (count if statistic == "mean" else 1)
    relative = least_deviation(count, shared, budget)
    if relative > least_deviation_for(count, budget):
        raise InvalidParameter(
            f"is no assumption for `records`={count}: less noise protects against anyone",
            parameter="shared_bits",
            value=shared_bits,
            way_out="Assume nothing, or lower `shared_bits`.",
        )
    deviation = relative * reach
    ratio = 1 / relative**2
    step = _usual_grid(statistic, deviation) if grid is None else as_exact("grid", grid)
    check_positive("grid", step)
    own_share = best_own_share(count, shared, ratio)
    # What the neighbours would need for the bits that this noise has, not for the budget, which may leave some over.
    told = believed_bits(count, shared, ratio).upper
    subject = BeliefSubject(
        statistic=statistic,
        low=start,
        high=end,
        records=count,
        shared_bits=shared,
        deviation=deviation,
        grid=step,
        own_share=own_share,
        tilt=tilt_factor(shared),
        independent_deviation=least_deviation_for(1, told) * reach,
        anyone_deviation=least_deviation_for(count, told) * reach,
    )
    assert believed_interval(subject).upper <= budget
    return BelievedNoise(budget_bits=budget, clip=bool(clip), certificate=certify_subject(subject))


def _usual_grid(statistic: str, deviation: Fraction) -> Fraction:
    """A power of ten that is small against the noise; a count is whole."""
    if statistic == "count":
        return Fraction(1)
    step = Fraction(1)
    while step > deviation * _GRID_PART:
        step /= 10
    while 10 * step <= deviation * _GRID_PART:
        step *= 10
    return step


def _exact_sum(numbers: Iterable[Fraction]) -> Fraction:
    """Add numbers of few denominators, each denominator by itself: a million of them in seconds."""
    totals: dict[int, int] = {}
    for number in numbers:
        totals[number.denominator] = totals.get(number.denominator, 0) + number.numerator
    return sum((Fraction(above, below) for below, above in totals.items()), Fraction(0))


def _any_number(value: Any) -> Fraction:
    try:
        return as_exact("value", value)
    except InvalidParameter:
        raise InvalidParameter(
            "a private value must be a finite number (int, Fraction or float)",
            way_out="Convert it, and check how it was computed.",
        ) from None
