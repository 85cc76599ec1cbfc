"""A private sum and a private count, for people who may depend on few others.

One record in [low, high] moves the sum of all by high-low at most, and the number of records with some property by 1.
Theory: docs/theory/correlated_noise.md
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sfumato.bits import BitSource
from sfumato.certificates import Certificate
from sfumato.certificates.registry import subject_of
from sfumato.design.gaussian_noise import GaussianDesign, gaussian
from sfumato.design.noise_certificates import NoiseSubject
from sfumato.design.private_numbers import finite_number, private_number
from sfumato.design.recounts import Recount
from sfumato.errors import InvalidParameter
from sfumato.values import Interval
from sfumato.values.checks import as_exact, check_at_least, check_integer
from sfumato.values.correlation import Correlation
from sfumato.values.types import Real, Reals


@dataclass(frozen=True, slots=True, kw_only=True)
class OfRecords:
    """Noise for a number that is made of `count` records in [low, high], clipped to it or refused outside."""

    count: int
    low: Fraction
    high: Fraction
    clip: bool
    design: GaussianDesign

    @property
    def variance(self) -> float:
        """The variance of the noise."""
        return self.design.variance

    @property
    def capacity_bits(self) -> Interval:
        """What one release tells at most about anyone, under the assumption that it was made for."""
        return self.design.capacity_bits

    @property
    def certificate(self) -> Certificate:
        """The claims about the noise."""
        return self.design.certificate

    @property
    def correlated(self) -> Correlation:
        """Who may depend on whom."""
        return self.design.correlated

    @property
    def recount(self) -> Recount:
        """What it takes to find again what a release tells, under whatever assumption."""
        return self.design.recount

    def bits_for(self, correlation: Correlation) -> float:
        """Bound from above what one release tells about a person under another assumption, in bits."""
        return self.design.bits_for(correlation)

    def total(self, values: Reals) -> Fraction:
        """Return the exact sum of the records, in a process that may see them."""
        if len(values) != self.count:
            raise InvalidParameter(
                f"must be the {self.count} records that the noise was planned for",
                parameter="values",
                way_out="Pass exactly so many.",
            )
        if self.clip:
            return sum((min(max(finite_number(value), self.low), self.high) for value in values), Fraction(0))
        return sum((private_number(value, self.low, self.high) for value in values), Fraction(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateSum(OfRecords):
    """Noise for the sum of `count` records in [low, high]; `release` takes the records themselves.

    >>> import sfumato as sf
    >>> design = sf.design.private_sum(0, 1, 1000, 1, correlated=2)
    >>> round(design.variance**0.5, 3), design.capacity_bits.upper <= 1
    (0.463, True)
    >>> (design.release([1] * 400 + [0] * 600) / design.design.grid).denominator
    1
    """

    def release(self, values: Reals, bits: BitSource | None = None) -> Fraction:
        """Return the private sum. A record outside of the range is refused unless records are to be clipped."""
        return self.design.release(self.total(values), bits)


@subject_of.register
def _sum_subject(thing: PrivateSum) -> NoiseSubject:
    found = thing.certificate.subject
    assert isinstance(found, NoiseSubject)
    return found


def private_sum(
    low: Real,
    high: Real,
    count: int,
    budget_bits: float,
    correlated: Correlation | str | int,
    *,
    steps: int | None = None,
    clip: bool = False,
) -> PrivateSum:
    """Return the least noise for the sum of `count` records in [low, high]; see `private_mean`.

    The noise grows with how many people may depend on each other.

    >>> import sfumato as sf
    >>> [round(sf.design.private_sum(0, 1, 1000, 1, correlated=who).variance**0.5, 3) for who in (1, 2, 4)]
    [0.231, 0.463, 0.925]
    """
    start, end, size = record_range(low, high, count)
    design = gaussian(
        low=size * start,
        high=size * end,
        budget_bits=budget_bits,
        steps=steps,
        change=end - start,
        correlated=correlated,
    )
    return PrivateSum(count=size, low=start, high=end, clip=bool(clip), design=design)


def private_count(
    records: int, budget_bits: float, correlated: Correlation | str | int, *, steps: int | None = None
) -> GaussianDesign:
    """Return the least noise for how many of so many records have some property; `release` takes the true count.

    >>> import sfumato as sf
    >>> design = sf.design.private_count(1000, 0.5, correlated=1)
    >>> round(design.variance**0.5, 3), design.capacity_bits.upper <= 0.5
    (0.489, True)
    """
    size = check_integer("records", records)
    check_at_least("records", size, 1)
    return gaussian(low=0, high=size, budget_bits=budget_bits, steps=steps, change=1, correlated=correlated)


def record_range(low: Real, high: Real, count: int) -> tuple[Fraction, Fraction, int]:
    """Read the range and the number of records."""
    size = check_integer("count", count)
    check_at_least("count", size, 1)
    start, end = as_exact("low", low), as_exact("high", high)
    if not start < end:
        raise InvalidParameter(
            f"must be below `high`={end}", parameter="low", value=start, way_out="Exchange the two, or widen the range."
        )
    return start, end, int(size)
