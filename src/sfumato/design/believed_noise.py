"""Normal noise on a sum, a mean or a count, for readers whose beliefs share at most so many bits.

Between *nobody depends on anybody* and *anybody may depend on everybody*: the bits that a release tells about one
record are bounded for everybody whose beliefs differ from independent records by at most c bits over the whole data
set. c is assumed, never measured. The noise is drawn exactly and the noisy number is rounded; the bits are those of
Theorem 1, which add up over releases.   Theory: docs/theory/bounded_beliefs.md
"""

from __future__ import annotations

from fractions import Fraction

from sfumato.certificates.certifying import certify_subject
from sfumato.design.belief_calibration import least_deviation, least_deviation_for
from sfumato.design.belief_releases import BelievedNoise
from sfumato.design.belief_subjects import BeliefSubject, believed_interval
from sfumato.errors import InvalidParameter
from sfumato.measures.amplitude.capacities import LEAST_BUDGET_BITS, MOST_BUDGET_BITS
from sfumato.measures.beliefs import (
    MOST_RECORDS,
    MOST_SHARED_BITS,
    believed_bits,
    best_own_share,
    tilt_factor,
)
from sfumato.values.checks import as_exact, as_number, check_between, check_integer, check_positive
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
