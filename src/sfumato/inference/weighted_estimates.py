"""Shares and means of a weighted sample, with intervals within their bounds.

The shares shown are the distribution nearest to the unbiased shares; `raw` numbers are given separately. For each share
θ, an interval tests how far the raw number lies from θ. The empirical distribution of the scores is tilted
exponentially until its mean is θ. Its variance, divided by the effective number of reports that follows from the plan's
variance, is the variance at θ. So an interval has width where an answer was never given, and it ends at 0 and 1. The
split of α is Feldman and Cousins' [FC98]; tails are Student's with the degrees of freedom of the plan.
Theory: docs/theory/sampling_plans.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.inference.estimates import NO_DEVIATION
from sfumato.inference.sampling import (
    FloatArray,
    Noise,
    SamplingPlan,
    WeightedPoint,
    hajek_mean,
    horvitz_thompson_mean,
    score_table,
    sums_by,
)
from sfumato.numbers.checks import check_between
from sfumato.numbers.intervals import Interval
from sfumato.prob.intervals import bounded_ends, nearest_law, skewed_tails

_TILTS = 801
_REACH = 40.0
# Scores take as many values as there are reports; where there are more, neighbours are put together.
_MOST_VALUES = 2048
# The cube root is good up to here; more is met only where less than one hit is expected.
_MOST_SKEWED = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedEstimate:
    """A share or a mean: `value` respects bounds, `raw` is what the weights give, `interval` holds `value`."""

    value: float
    raw: float
    standard_error: float
    interval: Interval
    effective_size: float
    """How many reports of a simple random sample, drawn with replacement, would be as sure."""
    design_effect: float
    """How many times the variance is what it were in such a sample of as many rows."""


def weighted_shares(
    scores: npt.ArrayLike,
    plan: SamplingPlan,
    *,
    confidence: float = 0.95,
    size: float | None = None,
    noise: Noise = None,
) -> tuple[WeightedEstimate, ...]:
    """Return the share of each answer, a column of the scores each; one column alone is the share of one answer.

    The raw shares are Hájek's ratios [Haj71], or with `size` = N Horvitz and Thompson's means [HT52].

    >>> import sfumato as sf
    >>> plan = sf.inference.SamplingPlan.of([10.0, 10.0, 30.0, 30.0] * 100)
    >>> (found,) = sf.inference.weighted_shares([0, 1, 1, 0] * 100, plan)
    >>> round(found.value, 3), round(found.standard_error, 3)
    (0.5, 0.028)
    """
    check_between("confidence", confidence, 0.5, 1 - 1e-12)
    table = score_table(scores, plan)
    found = _point(table, plan, size, noise)
    lone = table.shape[1] == 1
    shown = np.clip(found.point, 0.0, 1.0) if lone else np.asarray(nearest_law(found.point), dtype=np.float64)
    return bounded_estimates(table, found.point, found.standard_errors, shown, plan, found.degrees, confidence)


def weighted_mean(
    scores: npt.ArrayLike,
    plan: SamplingPlan,
    values: npt.ArrayLike,
    *,
    confidence: float = 0.95,
    size: float | None = None,
) -> WeightedEstimate:
    """Return the mean of what answers are worth, with an interval between the least and the greatest value."""
    check_between("confidence", confidence, 0.5, 1 - 1e-12)
    table = score_table(scores, plan)
    worth = np.asarray(values, dtype=np.float64)
    if worth.shape != (table.shape[1],) or not np.isfinite(worth).all() or worth.min() == worth.max():
        raise InvalidParameter(
            f"must be {table.shape[1]} finite numbers, one for each answer, that are not all the same",
            parameter="values",
            way_out="Give every answer a value.",
        )
    low, span = float(worth.min()), float(worth.max() - worth.min())
    places = (worth - low) / span
    found = _point(table, plan, size, None)
    first = float(places @ found.sampling @ places)
    error = math.sqrt(max(first, first + float(places @ found.randomisation @ places)))
    # Scores of a row add up to 1 on average only; what they lack belongs to the lowest value.
    column, raw, shown = table @ places, float(found.point @ places), float(nearest_law(found.point) @ places)
    (unit,) = bounded_estimates(
        column[:, None], np.array([raw]), np.array([error]), np.array([shown]), plan, found.degrees, confidence
    )
    return WeightedEstimate(
        value=low + span * unit.value,
        raw=low + span * unit.raw,
        standard_error=span * unit.standard_error,
        interval=Interval(low + span * unit.interval.lower, low + span * unit.interval.upper),
        effective_size=unit.effective_size,
        design_effect=unit.design_effect,
    )


def _point(table: FloatArray, plan: SamplingPlan, size: float | None, noise: Noise) -> WeightedPoint:
    if size is None:
        return hajek_mean(table, plan, noise=noise)
    return horvitz_thompson_mean(table, plan, size=size, noise=noise)


def bounded_estimates(
    table: FloatArray,
    raw: FloatArray,
    errors: FloatArray,
    shown: FloatArray,
    plan: SamplingPlan,
    degrees: int,
    confidence: float,
) -> tuple[WeightedEstimate, ...]:
    """Return estimates with intervals within [0, 1] for columns of scores that have these means and errors."""
    parts = plan.weights / plan.weights.sum()
    uneven = float((parts**3).sum() / (parts**2).sum() ** 2)
    spread = parts @ (table - parts @ table) ** 2
    sizes = _effective_sizes(spread, errors, plan, parts)
    laws = [_tilted(column, parts) for column in table.T]

    def deviation(share: FloatArray) -> FloatArray:
        second = np.array([np.interp(one, law[0], law[1]) for one, law in zip(share, laws, strict=True)])
        return np.maximum(np.sqrt(second / sizes), NO_DEVIATION)

    def tails(share: FloatArray) -> tuple[FloatArray, FloatArray]:
        third = np.array([np.interp(one, law[0], law[2]) for one, law in zip(share, laws, strict=True)])
        apart = deviation(share)
        # The skewness of one score at this share over the root of the effective number, more where weights differ.
        skewness = np.clip(third / (apart**2 * sizes) ** 1.5 / np.sqrt(sizes) * uneven, -_MOST_SKEWED, _MOST_SKEWED)
        return _student(*skewed_tails((raw - share) / apart, skewness), degrees)

    lower, upper = bounded_ends(
        above=lambda share: tails(share)[0],
        below=lambda share: tails(share)[1],
        deviation=deviation,
        inside=np.clip(raw, 0.0, 1.0),
        low=0.0,
        high=1.0,
        confidence=confidence,
    )
    ends = zip(np.minimum(lower, shown).tolist(), np.maximum(upper, shown).tolist(), strict=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        effects = np.where(np.isfinite(sizes), plan.rows / sizes, 0.0)
    return tuple(
        WeightedEstimate(
            value=float(shown[i]),
            raw=float(raw[i]),
            standard_error=float(errors[i]),
            interval=Interval(max(low, 0.0), min(high, 1.0)),
            effective_size=float(sizes[i]),
            design_effect=float(effects[i]),
        )
        for i, (low, high) in enumerate(ends)
    )


def _effective_sizes(spread: FloatArray, errors: FloatArray, plan: SamplingPlan, parts: FloatArray) -> FloatArray:
    """Return the variance of a score over that of the mean; where all scores are the same, the least it can be."""
    # Rows of a cluster that all say the same may be copies of one another, so nothing better than one each is sure.
    whole = sums_by(plan.clusters, parts, plan.homes.size)
    least = 1 / float((whole**2).sum())
    varied = spread > NO_DEVIATION
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = np.where(varied, spread / errors**2, least)
    return found


def _tilted(column: FloatArray, parts: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return means, variances and third central moments of the law of scores, tilted by more and more.

    One more respondent is added to it, half at 0 and half at 1: scores of those who hold an answer average to 1 and
    scores of the others to 0, so every channel gives scores at least that far apart.
    """
    values, masses = _law(column, parts)
    more = float((parts**2).sum())
    values = np.append(values, [0.0, 1.0])
    masses = np.append(masses, [more / 2, more / 2])
    width = float(values.max() - values.min())
    tilts = np.linspace(-1.0, 1.0, _TILTS) * (_REACH + math.log(1 / more + 1)) / width
    exponents = np.log(masses) + tilts[:, None] * values
    laws = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    laws /= laws.sum(axis=1, keepdims=True)
    means = laws @ values
    apart = values - means[:, None]
    return means, (laws * apart**2).sum(axis=1), (laws * apart**3).sum(axis=1)


def _law(column: FloatArray, parts: FloatArray) -> tuple[FloatArray, FloatArray]:
    values, places = np.unique(column, return_inverse=True)
    if values.size > _MOST_VALUES:
        width = values[-1] - values[0]
        places = np.minimum((column - values[0]) / width * _MOST_VALUES, _MOST_VALUES - 1).astype(np.int64)
    places, size = places.reshape(-1), min(values.size, _MOST_VALUES)
    masses, sums = sums_by(places, parts, size), sums_by(places, parts * column, size)
    held = masses > 0
    return sums[held] / masses[held], masses[held]


def _student(above: FloatArray, below: FloatArray, degrees: int) -> tuple[FloatArray, FloatArray]:
    """Return tails of Student's law at the distances at which a normal law has these."""
    from scipy.special import ndtri, stdtr  # noqa: PLC0415  scipy is slow to import

    with np.errstate(invalid="ignore"):
        return stdtr(degrees, ndtri(above)), stdtr(degrees, ndtri(below))
