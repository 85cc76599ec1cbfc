"""Intervals for a parameter that has bounds: never empty, never of zero width, and right at the bounds themselves.

Feldman and Cousins [FC98] accept a value μ of a normal mean by the likelihood of what was seen over the greatest
likelihood within the bounds. Near a bound that moves the error that is allowed from one tail to the other: at the lower
bound nothing is cut below and all of α above, far from both bounds each tail has half of it. Here the normal law only
says how α is split at each μ; the tails themselves are whatever law the statistic has. So coverage is at least 1 - α
wherever the tails are exact, whatever the split. Where what is counted is one binomial number the ratio of likelihoods
itself is used, in :mod:`sfumato.prob.share_bounds`.
Theory: docs/theory/bounded_intervals.md
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from sfumato.values.checks import check_between

FloatArray = npt.NDArray[np.float64]
Tail = Callable[[FloatArray], FloatArray]
"""For each value of the parameter, how probable what was seen or more extreme on one side is."""

_HALVINGS = 48
# Below this the correction is lost in rounding, and smaller than any error of the approximation.
_STRAIGHT = 1e-6


def both_tails(tail: FloatArray, behind: FloatArray, ahead: FloatArray) -> FloatArray:
    """Return how probable it is to be ranked no higher than what was seen, of which `tail` is the side it lies on.

    `ahead` is how many standard deviations the bound on that side lies from the parameter, `behind` the other bound.
    """
    from scipy.special import ndtr, ndtri  # noqa: PLC0415  scipy is slow to import

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        far = np.maximum(-ndtri(np.clip(tail, 0.0, 1.0)), 0.0)
        # Twice the logarithm of the ratio of likelihoods there; beyond the bound the best value stays at the bound.
        lost = np.where(far <= ahead, far * far, ahead * (2 * far - ahead))
        lost = np.where(ahead <= 0, 0.0, np.where(tail <= 0, np.inf, lost))
        reach = np.sqrt(lost)
        other = np.where(reach <= behind, -reach, -(behind + lost / behind) / 2)
        other = np.where(behind <= 0, -np.inf, other)
        found: FloatArray = np.where(tail >= 0.5, 1.0, tail + ndtr(other))
    return found


def bounded_ends(
    *,
    above: Tail,
    below: Tail,
    deviation: Tail,
    inside: FloatArray,
    low: float,
    high: float,
    confidence: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of intervals, many at once; `inside` are values that are accepted, where the search begins.

    `above` and `below` are the tails at a parameter, `deviation` is about the standard deviation of an estimate there.
    """
    lower = bounded_lower_ends(
        above=above, deviation=deviation, inside=inside, low=low, high=high, confidence=confidence
    )

    def accepts(value: FloatArray) -> npt.NDArray[np.bool_]:
        behind, ahead = rooms(value, deviation(value), low, high)
        return both_tails(below(value), ahead, behind) >= 1 - confidence

    return lower, outer_edge(inside, high, accepts)


def bounded_lower_ends(
    *, above: Tail, deviation: Tail, inside: FloatArray, low: float, high: float, confidence: float
) -> FloatArray:
    """Return the lower ends alone, in half of the time."""
    check_between("confidence", confidence, 0.5, 1 - 1e-12)

    def accepts(value: FloatArray) -> npt.NDArray[np.bool_]:
        behind, ahead = rooms(value, deviation(value), low, high)
        return both_tails(above(value), behind, ahead) >= 1 - confidence

    return outer_edge(inside, low, accepts)


def bounded_intervals(
    values: npt.ArrayLike,
    deviations: npt.ArrayLike | Tail,
    low: float,
    high: float,
    confidence: float,
) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper ends for means of normal statistics that lie between `low` and `high`.

    `deviations` are standard deviations of the values, or say what they would be at a mean.
    """
    from scipy.special import ndtr  # noqa: PLC0415  scipy is slow to import

    seen = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if callable(deviations):
        deviation = deviations
    else:
        fixed = np.maximum(np.broadcast_to(np.asarray(deviations, dtype=np.float64), seen.shape), np.finfo(float).tiny)

        def deviation(value: FloatArray) -> FloatArray:
            del value
            return fixed

    def distance(value: FloatArray) -> FloatArray:
        # A statistic that cannot err is infinitely far from every other value.
        with np.errstate(over="ignore"):
            found: FloatArray = (seen - value) / deviation(value)
        return found

    return bounded_ends(
        above=lambda value: ndtr(-distance(value)),
        below=lambda value: ndtr(distance(value)),
        deviation=deviation,
        inside=np.clip(seen, low, high),
        low=low,
        high=high,
        confidence=confidence,
    )


def normal_lower_ends(
    values: FloatArray, deviations: FloatArray, low: float, high: float, confidence: float
) -> FloatArray:
    """Return the lower ends alone, for means of normal statistics with standard deviations of their own."""
    from scipy.special import ndtr  # noqa: PLC0415  scipy is slow to import

    fixed = np.maximum(deviations, np.finfo(float).tiny)

    def above(value: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            found: FloatArray = ndtr((value - values) / fixed)
        return found

    return bounded_lower_ends(
        above=above,
        deviation=lambda _: fixed,
        inside=np.clip(values, low, high),
        low=low,
        high=high,
        confidence=confidence,
    )


def rooms(value: FloatArray, deviation: FloatArray, low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Return how many deviations the bounds lie below and above a value."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        below, above = (value - low) / deviation, (high - value) / deviation
    # At a bound there is no room, however sure the statistic.
    return np.where(value <= low, 0.0, below), np.where(value >= high, 0.0, above)


def outer_edge(
    inside: FloatArray, bound: float | FloatArray, accepts: Callable[[FloatArray], npt.NDArray[np.bool_]]
) -> FloatArray:
    """Return the first values towards a bound that are not accepted, or the bound; `inside` are accepted ones."""
    held, lost = inside.copy(), np.broadcast_to(np.asarray(bound, dtype=np.float64), inside.shape).copy()
    whole = accepts(lost)
    for _ in range(_HALVINGS):
        middle = (held + lost) / 2
        taken = accepts(middle)
        held, lost = np.where(taken, middle, held), np.where(taken, lost, middle)
    return np.where(whole, np.broadcast_to(bound, inside.shape), lost)


def skewed_tails(distance: FloatArray, skewness: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return how probable it is to lie at a distance, in standard deviations, or above it, and there or below.

    Wilson and Hilferty's cube root [WH31] makes a sum of skewed terms nearly normal; it is monotone, as a tail must be.
    """
    from scipy.special import ndtr  # noqa: PLC0415  scipy is slow to import

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        straight = np.where(
            np.abs(skewness) < _STRAIGHT,
            distance,
            6 / skewness * (np.cbrt(1 + skewness * distance / 2) - 1) + skewness / 6,
        )
    return ndtr(-straight), ndtr(straight)
