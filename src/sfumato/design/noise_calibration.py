"""The least discrete Gaussian noise whose certified capacity is within a budget.

The capacity of the sampled law is what counts, so the parameter is searched among fractions with short denominators
and each trial is bounded from above; where to begin is only a guess.

Theory: docs/theory/gaussian_noise.md
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from sfumato.design.noise_bounds import bound_noise, uses_selections
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.measures.amplitude.capacities import amplitude_ratio
from sfumato.measures.lattice.selections import one_selection, selection_capacity

# The parameter keeps about so many bits: a millionth of it is the price.
_BITS = 20
# A deviation of so many steps loses nothing that counts; with few values a coarser scale keeps selections few.
_STEPS_PER_DEVIATION, _STEPS_WITH_FEW_VALUES = 8, 4
_USUAL_STEPS = 16
# A scale whose steps are this small against the noise is finer than anybody can see.
_MOST_DEVIATION = 200
_LEAST_VARIANCE = Fraction(1, 16)
_SMALL_ROOM = 1e-6


def likely_ratio(budget_bits: float, values: int | None) -> float:
    """Return about the largest T²/N within a budget: where to begin.

    Exact for two values. Else the larger of two bounds from below, by power, C ≤ ½log2(1+T²/N), and by amplitude,
    C ≤ log2(1+T√(2/πe)/√N) [McK04]; the truth lies a few per cent above.
    """
    if values == 2:
        return amplitude_ratio(budget_bits, points=2)
    by_power = math.expm1(2 * budget_bits * math.log(2))
    by_amplitude = math.expm1(budget_bits * math.log(2)) ** 2 * math.pi * math.e / 2
    return max(by_power, by_amplitude)


def default_steps(ratio: float, values: int | None) -> int:
    """How many steps from the middle to the end, for T²/N = ratio: several a deviation, but not too many."""
    end = math.sqrt(ratio)
    fine = _STEPS_WITH_FEW_VALUES if values in {3, 4} else _STEPS_PER_DEVIATION
    usual = _USUAL_STEPS if values is None or values == 2 else 1
    return max(1, math.ceil(fine * end), min(usual, math.floor(_MOST_DEVIATION * end)))


def least_variance(budget_bits: float, steps: int, values: int | None, ratio: float) -> Fraction:
    """Return the parameter, in steps²."""
    guess = Fraction(steps**2) / Fraction(ratio)
    if values is not None and values > 2 and uses_selections(guess, steps, values):
        return _least_by_race(budget_bits, steps, values, guess)
    return _bisected(lambda variance: bound_noise(variance, steps, values).bits.upper, budget_bits, guess)


def _least_by_race(budget_bits: float, steps: int, values: int, guess: Fraction) -> Fraction:
    """Follow the best selection alone, then bound all of them; a selection that overtakes is followed next."""
    room = _SMALL_ROOM
    for _ in range(20):
        chosen = selection_capacity(guess, steps, values).positions
        guess = _bisected(
            lambda variance: one_selection(variance, steps, chosen).bits.upper,  # noqa: B023
            budget_bits - room,
            guess,
        )
        if bound_noise(guess, steps, values).bits.upper <= budget_bits:
            return guess
        room *= 2
    raise NotCertified(
        f"no noise on `steps`={steps} could be certified for `values`={values} within the budget",
        way_out="Leave `values` out.",
    )


def _bisected(upper: Callable[[Fraction], float], budget_bits: float, guess: Fraction) -> Fraction:
    denominator = 1 << max(0, _BITS - math.frexp(float(guess))[1])

    def fits(numerator: int) -> bool:
        return upper(Fraction(numerator, denominator)) <= budget_bits

    least = math.ceil(_LEAST_VARIANCE * denominator)
    high = max(least, math.ceil(guess * denominator))
    stride = max(1, high >> 10)
    while not fits(high):
        high, stride = high + stride, 2 * stride
    low, stride = high, max(1, high >> 10)
    while fits(low):
        if low == least:
            raise InvalidParameter(
                "is so large for these steps that hardly any noise is needed: the scale is too coarse to hold more "
                "bits",
                parameter="budget_bits",
                way_out="Raise `steps`, or lower `budget_bits`.",
            )
        high, low, stride = low, max(least, low - stride), 2 * stride
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return Fraction(high, denominator)
