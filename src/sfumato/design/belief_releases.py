"""A design of noise for bounded beliefs, and what it releases: drawn exactly, rounded, booked by Theorem 1.

Theory: docs/theory/bounded_beliefs.md
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.bits import BitSource, SystemBits
from sfumato.bits.rounded_gaussian import RoundedGaussian
from sfumato.certificates import Certificate
from sfumato.certificates.registry import subject_of
from sfumato.design.belief_certificates import ANYONES, BELIEVED, NOBODYS
from sfumato.design.belief_subjects import HISTOGRAM, BeliefSubject
from sfumato.design.private_numbers import check_counts, finite_number, private_number
from sfumato.design.recounts import NORMAL, Recount, bits_of
from sfumato.errors import InvalidParameter
from sfumato.values import Interval
from sfumato.values.checks import as_exact
from sfumato.values.correlation import Correlation
from sfumato.values.shown import Shown
from sfumato.values.types import Real, Reals


@dataclass(frozen=True, slots=True, kw_only=True)
class BelievedNoise(Shown):
    """Noise on the sum, mean or count of `records` numbers; with `clip`, those outside the range are moved into it.

    Or on each count of a histogram.

    One gets it from `believed_sum` and its siblings. What the same release tells whoever believes that records are
    independent, whoever the noise was made for, and whoever believes that all move together, is claimed side by side.

    >>> import sfumato as sf
    >>> noise = sf.design.believed_sum(0, 10, records=1000, budget_bits=0.1, shared_bits=5)
    >>> [round(one.upper, 5) for one in (noise.independent_bits, noise.capacity_bits, noise.anyone_bits)]
    [1e-05, 0.1, 1.65544]
    >>> told = noise.release([5] * 1000)
    """

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
        """What is released: sum, mean, count or histogram."""
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
        return Correlation(people=self.subject.people, shared_bits=self.shared_bits)

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

    def bits_for(self, correlated: Correlation) -> float:
        """Bound from above what the same noise tells under another assumption; such bits add up under that one.

        For people it is a bound on the capacity of the noise, for shared bits Theorem 1.
        """
        return self.capacity_bits.upper if correlated == self.correlated else bits_of(self.recount, correlated)

    @property
    def recount(self) -> Recount:
        """What it takes to find again what a release tells, under whatever assumption."""
        found = self.subject
        return Recount(
            kind=NORMAL,
            parameters={
                "records": found.records,
                "squared_reach": str(found.squared_reach),
                "deviation": str(found.deviation),
                "dimension": found.ball.dimension,
                "squared_radius": str(found.ball.squared_radius),
            },
        )

    def release(self, value: Reals | Real, bits: BitSource | None = None) -> Fraction | tuple[Fraction, ...]:
        """Return the private sum or mean of the records; of counts, what they sum to is given.

        The true values are in no error. A record outside the range is refused, unless the design clips.
        """
        found, source = self.subject, SystemBits() if bits is None else bits
        noise = RoundedGaussian(deviation=found.deviation, grid=found.grid)
        if found.statistic == HISTOGRAM:
            return tuple(noise.release(exact, source) for exact in self._several(value))
        exact = self._counted(value) if found.statistic == "count" else self._summed(value)
        return noise.release(exact, source)

    def _several(self, values: Any) -> list[Fraction]:
        if len(values) != self.subject.dimension:
            raise InvalidParameter(
                f"must be {self.subject.dimension} numbers", parameter="values", way_out="Pass exactly so many."
            )
        exact = [finite_number(value) for value in values]
        check_counts(exact, self.records)
        return exact

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
