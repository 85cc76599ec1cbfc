"""Normal noise on a sum, a mean or a count, for readers whose beliefs share at most so many bits.

Between *nobody depends on anybody* and *anybody may depend on everybody*: the bits that a release tells about one
record are bounded for everybody whose beliefs differ from independent records by at most c bits over the whole data
set. c is assumed, never measured. The noise is drawn exactly and the noisy number is rounded; the bits are those of
Theorem 1, which add up over releases. `people`: instead of records, households of at most so many are independent.
Theory: docs/theory/bounded_beliefs.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.certificates.certifying import certify_subject
from sfumato.design.belief_calibration import least_deviation, least_deviation_for
from sfumato.design.belief_releases import BelievedNoise
from sfumato.design.belief_subjects import (
    HISTOGRAM,
    MOST_DIMENSION,
    BeliefSubject,
    ball_of,
    believed_interval,
    squared_reach,
)
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.measures.amplitude.capacities import LEAST_BUDGET_BITS, MOST_BUDGET_BITS
from sfumato.measures.beliefs import (
    MOST_RECORDS,
    MOST_SHARED_BITS,
    best_own_share,
    split_bits,
)
from sfumato.values.checks import as_exact, as_number, check_at_least, check_between, check_integer, check_positive
from sfumato.values.types import Real

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
    >>> design = sf.design.believed_sum(0, 1, 10**6, budget_bits=0.1, shared_bits=10)
    >>> round(float(design.deviation)), round(float(design.anyone_deviation))
    (4989, 1297000)
    >>> families = sf.design.believed_sum(0, 1, 10**6, budget_bits=0.1, shared_bits=10, people=4)
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
    >>> design = sf.design.believed_mean(0, 1, 10**6, budget_bits=0.1, shared_bits=10)
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
    ...     design = sf.design.believed_count(1000, budget_bits=0.1, shared_bits=shared)
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
    >>> design = sf.design.believed_histogram(ways, 10**4, budget_bits=0.1, shared_bits=10)
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
