"""The least normal noise on a sum within a budget, for beliefs that share at most so many bits.

Deviations are in units of what one record can move, decimal, and each was itself held against the budget by an
enclosure that is rounded up; floats only say where to begin.   Theory: docs/theory/bounded_beliefs.md
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from sfumato.measures.beliefs import INTERVAL, Ball, believed_bits, people_bits
from sfumato.values.interval import Interval

# A deviation has so many digits: a hundred-thousandth of it is the price.
_DIGITS = 6
# The neighbours' deviations are there to be compared with.
_DIGITS_OF_NEIGHBOURS = 4
# A certificate states bits on a grid of 1e-12, rounded up; they are within the budget, too.
_PUBLISHED = 2e-12


def least_deviation(
    records: int, shared_bits: Fraction, budget_bits: float, *, people: int = 1, ball: Ball = INTERVAL
) -> Fraction:
    """Return the least σ/Δ whose bits by Theorem 1, which accounts add up, are within the budget.

    Households of five among ten thousand, beliefs that share ten bits beyond them:

    >>> round(float(least_deviation(10**4, Fraction(10), 0.1, people=5)))
    1122
    """

    def told(deviation: Fraction) -> Interval:
        return believed_bits(records, shared_bits, 1 / deviation**2, people=people, ball=ball)

    return _least(told, budget_bits, _DIGITS)


def least_deviation_for(people: int, budget_bits: float, *, ball: Ball = INTERVAL) -> Fraction:
    """Return a σ/Δ that keeps the budget if at most so many people depend on each other; for anyone, say all."""
    return _least(
        lambda deviation: people_bits(people, 1 / deviation**2, ball=ball), budget_bits, _DIGITS_OF_NEIGHBOURS
    )


def _least(told: Callable[[Fraction], Interval], budget_bits: float, digits: int) -> Fraction:
    def fits(logarithm: float) -> bool:
        return told(Fraction(math.exp(logarithm))).upper + _PUBLISHED <= budget_bits

    low, high, stride = 0.0, 0.0, 1.0
    while not fits(high):
        low, high, stride = high, high + stride, 2 * stride
    while low == high or fits(low):
        low, high, stride = low - stride, min(low, high), 2 * stride
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    found = _rounded_up(Fraction(math.exp(high)), digits)
    while told(found).upper + _PUBLISHED > budget_bits:
        found = _rounded_up(found * (1 + Fraction(1, 10**digits)), digits)
    return found


def _rounded_up(number: Fraction, digits: int) -> Fraction:
    wide = Context(prec=60, rounding=ROUND_CEILING).divide(Decimal(number.numerator), Decimal(number.denominator))
    return Fraction(Context(prec=digits, rounding=ROUND_CEILING).plus(wide))
