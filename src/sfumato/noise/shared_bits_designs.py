"""Designs of noise for beliefs that share few bits, and their releases.

The assumption lies between independent records and arbitrary dependence: the bits that a release reveals about one
record are bounded for every reader whose beliefs differ from independent records by at most c bits over the whole data
set. c is assumed, never measured. The noise is drawn exactly and the noisy number is rounded. The bits are those of
Theorem 1, which add up over releases. With `people`, households of at most so many are independent instead of records.
Theory: docs/theory/bounded_beliefs.md
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.certificates.certificate import Certificate, subject_of
from sfumato.certificates.certifying import certify_subject
from sfumato.display.notebooks import Shown, headline, html_table
from sfumato.display.text import at_most, fraction_text
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.measures.amplitude import LEAST_BUDGET_BITS, MOST_BUDGET_BITS
from sfumato.measures.beliefs import MOST_RECORDS, MOST_SHARED_BITS, best_own_share, split_bits
from sfumato.measures.dependence import Correlation
from sfumato.noise.private_data import check_counts, finite_number, private_number
from sfumato.noise.reaccounting import NORMAL, Reaccounting, bits_of
from sfumato.noise.shared_bits import (
    ANYONES,
    BELIEVED,
    HISTOGRAM,
    MOST_DIMENSION,
    NOBODYS,
    BeliefSubject,
    ball_of,
    believed_interval,
    least_deviation,
    least_deviation_for,
    squared_reach,
)
from sfumato.numbers.checks import (
    Real,
    Reals,
    as_exact,
    as_number,
    check_at_least,
    check_between,
    check_integer,
    check_positive,
)
from sfumato.numbers.intervals import Interval
from sfumato.sampling.noise import RoundedGaussian
from sfumato.sampling.sources import BitSource, SystemBits

# --- A design for bounded beliefs and its release: drawn exactly, rounded, counted by Theorem 1
# Theory: docs/theory/bounded_beliefs.md


@dataclass(frozen=True, slots=True, kw_only=True)
class BelievedNoise(Shown):
    """Noise on the sum, mean or count of `records` numbers; with `clip`, those outside the range are moved into it.

    Or on each count of a histogram.

    One gets it from `believed_sum` and its siblings. What the same release tells whoever believes that records are
    independent, whoever the noise was made for, and whoever believes that all move together, is claimed side by side.

    >>> import sfumato as sf
    >>> noise = sf.noise.believed_sum(0, 10, records=1000, budget_bits=0.1, shared_bits=5)
    >>> [round(one.upper, 5) for one in (noise.independent_bits, noise.capacity_bits, noise.anyone_bits)]
    [1e-05, 0.1, 1.65544]
    >>> told = noise.release([5] * 1000)
    """

    budget_bits: float
    clip: bool
    certificate: Certificate

    def _view(self) -> str:
        return f"{headline(self.certificate.title)}{html_table(('what', 'how much'), believed_lines(self))}"

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
        """A deviation that would be enough for the same bits under all beliefs."""
        return self.subject.anyone_deviation

    @property
    def capacity_bits(self) -> Interval:
        """What one release adds at most about any one record, by Theorem 1: these bits are booked, and add up."""
        return self._claimed(BELIEVED)

    @property
    def independent_bits(self) -> Interval:
        """The bits revealed to a reader who believes that the records are independent."""
        return self._claimed(NOBODYS)

    @property
    def anyone_bits(self) -> Interval:
        """The bits for a reader who believes that all records move together, who is not covered."""
        return self._claimed(ANYONES)

    def _claimed(self, measure: str) -> Interval:
        value = self.certificate[measure].value
        assert isinstance(value, Interval)
        return value

    def bits_for(self, correlated: Correlation) -> float:
        """Bound from above what the same noise reveals under another assumption; such bits add up under that one.

        For people it is a bound on the capacity of the noise, for shared bits Theorem 1.
        """
        return self.capacity_bits.upper if correlated == self.correlated else bits_of(self.reaccounting, correlated)

    @property
    def reaccounting(self) -> Reaccounting:
        """The data that `bits_for` needs for any assumption."""
        found = self.subject
        return Reaccounting(
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


# The grid is a power of ten, at most this part of the noise: rounding then adds less than a thousandth to the variance.
_GRID_PART = Fraction(1, 8)


def believed_sum(
    low: Real,
    high: Real,
    records: int,
    budget_bits: float,
    shared_bits: Real,
    *,
    people: int = 1,
    grid: Real | None = None,
    clip: bool = False,
) -> BelievedNoise:
    """Return the least noise for the sum of `records` numbers in [low, high].

    Where beliefs may share 10 bits over a million records, that is far less than against anyone; households of four
    take about twice as much as single people.

    >>> import sfumato as sf
    >>> design = sf.noise.believed_sum(0, 1, 10**6, budget_bits=0.1, shared_bits=10)
    >>> round(float(design.deviation)), round(float(design.anyone_deviation))
    (4989, 1297000)
    >>> families = sf.noise.believed_sum(0, 1, 10**6, budget_bits=0.1, shared_bits=10, people=4)
    >>> round(float(families.deviation))
    9980
    """
    asked = _Asked(records=records, budget_bits=budget_bits, shared_bits=shared_bits, people=people, grid=grid)
    return _design("sum", low, high, asked, clip=clip)


def believed_mean(
    low: Real,
    high: Real,
    records: int,
    budget_bits: float,
    shared_bits: Real,
    *,
    people: int = 1,
    grid: Real | None = None,
    clip: bool = False,
) -> BelievedNoise:
    """Return the least noise for the mean of `records` numbers in [low, high].

    >>> import sfumato as sf
    >>> design = sf.noise.believed_mean(0, 1, 10**6, budget_bits=0.1, shared_bits=10)
    >>> float(design.deviation), float(design.anyone_deviation)
    (0.00498881, 1.297)
    """
    asked = _Asked(records=records, budget_bits=budget_bits, shared_bits=shared_bits, people=people, grid=grid)
    return _design("mean", low, high, asked, clip=clip)


def believed_count(
    records: int,
    budget_bits: float,
    shared_bits: Real,
    *,
    people: int = 1,
    grid: Real | None = None,
) -> BelievedNoise:
    """Return the least noise for how many of `records` yes/no records say yes.

    >>> import sfumato as sf
    >>> for shared in (0, 5, 50):
    ...     design = sf.noise.believed_count(1000, budget_bits=0.1, shared_bits=shared)
    ...     print(shared, round(float(design.deviation), 1), float(design.anyone_deviation))
    0 1.3 1297.0
    5 112.5 1297.0
    50 354.5 1297.0
    """
    if as_number("budget_bits", budget_bits) >= 1:
        raise InvalidParameter(
            "is no limit: a yes or no holds 1 bit at most, so no noise is needed",
            parameter="budget_bits",
            value=budget_bits,
            way_out="Lower `budget_bits`.",
        )
    asked = _Asked(records=records, budget_bits=budget_bits, shared_bits=shared_bits, people=people, grid=grid)
    return _design("count", 0, 1, asked)


def believed_histogram(
    cells: int | Sequence[str],
    records: int,
    budget_bits: float,
    shared_bits: Real,
    *,
    people: int = 1,
    grid: Real | None = None,
) -> BelievedNoise:
    """Return the least noise for how many of the records are in each cell, every record in one at most.

    >>> import sfumato as sf
    >>> ways = ["train", "car", "on foot", "other"]
    >>> design = sf.noise.believed_histogram(ways, 10**4, budget_bits=0.1, shared_bits=10)
    >>> round(float(design.deviation), 2)
    707.63
    >>> len(design.release([2500, 4000, 3000, 500]))
    4
    """
    count = check_integer("cells", cells) if not isinstance(cells, Sequence) else len(set(cells))
    if isinstance(cells, Sequence) and count != len(cells):
        raise InvalidParameter("names a cell twice", parameter="cells", way_out="Name each cell once.")
    check_between("cells", count, 2, MOST_DIMENSION, way_out="Use believed_count for one cell.")
    asked = _Asked(records=records, budget_bits=budget_bits, shared_bits=shared_bits, people=people, grid=grid)
    return _design(HISTOGRAM, 0, 1, asked, dimension=count)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What every statistic is asked with."""

    records: int
    budget_bits: float
    shared_bits: Real
    people: int
    grid: Real | None


def _design(
    statistic: str,
    low: Real,
    high: Real,
    asked: _Asked,
    *,
    dimension: int = 1,
    clip: bool = False,
) -> BelievedNoise:
    count, many, start, end, budget, shared = _read(asked, low, high)
    ball = ball_of(statistic, dimension)
    relative = least_deviation(count, shared, budget, people=many, ball=ball)
    if relative > least_deviation_for(count, budget, ball=ball):
        raise InvalidParameter(
            f"is no assumption for `records`={count}: less noise protects against anyone",
            parameter="shared_bits",
            value=asked.shared_bits,
            way_out="Assume nothing, or lower `shared_bits`.",
        )
    reach = _root_above(squared_reach(statistic, start, end, count))
    deviation = relative * reach
    ratio = squared_reach(statistic, start, end, count) / deviation**2
    step = _usual_grid(statistic, deviation) if asked.grid is None else as_exact("grid", asked.grid)
    check_positive("grid", step)
    own_share = best_own_share(count, shared, ratio, people=many, ball=ball)
    # What the neighbours would need for the bits that this noise has, not for the budget, which may leave some over.
    told = split_bits(count, shared, ratio, own_share, people=many, ball=ball).upper
    subject = BeliefSubject(
        statistic=statistic,
        low=start,
        high=end,
        records=count,
        shared_bits=shared,
        deviation=deviation,
        grid=step,
        own_share=own_share,
        independent_deviation=least_deviation_for(many, told, ball=ball) * reach,
        anyone_deviation=least_deviation_for(count, told, ball=ball) * reach,
        people=many,
        dimension=dimension,
    )
    if believed_interval(subject).upper > budget:
        raise NotCertified(
            "the noise that was found could not be shown to keep `budget_bits`",
            way_out="Raise `budget_bits` by a little.",
        )
    return BelievedNoise(budget_bits=budget, clip=bool(clip), certificate=certify_subject(subject))


def _read(asked: _Asked, low: Real, high: Real) -> tuple[int, int, Fraction, Fraction, float, Fraction]:
    count, people = check_integer("records", asked.records), check_integer("people", asked.people)
    check_between("records", count, 1, MOST_RECORDS)
    check_at_least("people", people, 1)
    start, end = as_exact("low", low), as_exact("high", high)
    if not start < end:
        raise InvalidParameter(
            f"must be below `high`={end}", parameter="low", value=start, way_out="Exchange the two, or widen the range."
        )
    budget = float(as_number("budget_bits", asked.budget_bits))
    check_positive("budget_bits", budget)
    check_between("budget_bits", budget, LEAST_BUDGET_BITS, MOST_BUDGET_BITS)
    shared = as_exact("shared_bits", asked.shared_bits)
    check_between("shared_bits", shared, 0, MOST_SHARED_BITS, way_out="Say how many bits beliefs may share.")
    return count, min(people, count), start, end, budget, shared


def _root_above(square: Fraction) -> Fraction:
    """√, exact where it is a fraction, else rounded up to some twelve digits: more noise, never less."""
    above, below = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if above**2 == square.numerator and below**2 == square.denominator:
        return Fraction(above, below)
    scale = 1 << 40
    return Fraction(math.isqrt(math.ceil(square * scale**2)) + 1, scale)


def _usual_grid(statistic: str, deviation: Fraction) -> Fraction:
    """A power of ten that is small against the noise; counts are whole."""
    if statistic in {"count", HISTOGRAM}:
        return Fraction(1)
    step = Fraction(1)
    while step > deviation * _GRID_PART:
        step /= 10
    while 10 * step <= deviation * _GRID_PART:
        step *= 10
    return step


def believed_lines(design: BelievedNoise) -> tuple[tuple[str, str], ...]:
    """What a person wants to know of it, with what the neighbouring assumptions would need and be told."""
    shared, told, people = fraction_text(design.shared_bits), at_most(design.anyone_bits), design.subject.people
    unit = "record" if people == 1 else f"household of at most {people}"
    return (
        ("records", f"{design.records:,}"),
        ("adds at most", f"{at_most(design.capacity_bits)} bits about any one {unit}, in every release (certified)"),
        ("to beliefs that share at most", f"{shared} bits over the whole data set (assumed)"),
        ("noise on the " + design.statistic, f"standard deviation {float(design.deviation):.5g}, normal, then rounded"),
        (
            f"if {'record' if people == 1 else 'household'}s are independent",
            f"{float(design.independent_deviation):.4g} would be enough",
        ),
        ("against anyone", f"{float(design.anyone_deviation):.4g} would be enough; this noise may tell {told} bits"),
        ("released on a grid of", f"{float(design.grid):.5g}"),
    )
