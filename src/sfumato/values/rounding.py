"""Floats that err on a known side, so that a guarantee is never rounded in its own favour."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

# libmpdec rounds ln correctly at any precision; 50 digits leave 33 to spare over a double.
_DOWN = Context(prec=50, rounding=ROUND_FLOOR)
_UP = Context(prec=50, rounding=ROUND_CEILING)
_LN2_DOWN = _DOWN.next_minus(_DOWN.ln(Decimal(2)))
_LN2_UP = _UP.next_plus(_UP.ln(Decimal(2)))


def float_below(value: Fraction | Decimal) -> float:
    """Return the largest double ≤ value (or the one below it)."""
    nearest = _nearest(value)
    return nearest if nearest <= _exact(value) else math.nextafter(nearest, -math.inf)


def float_above(value: Fraction | Decimal) -> float:
    """Return the smallest double ≥ value (or the one above it)."""
    nearest = _nearest(value)
    return nearest if nearest >= _exact(value) else math.nextafter(nearest, math.inf)


def ln_bounds(value: Fraction) -> tuple[float, float]:
    """Two doubles, a few ulps apart, with ln(value) between them. `value` must be positive."""
    low, high = _ln_decimals(value)
    return float_below(low), float_above(high)


def log2_bounds(value: Fraction) -> tuple[float, float]:
    """Two doubles, a few ulps apart, with log2(value) between them; exact for powers of two."""
    whole = _power_of_two(value)
    if whole is not None:
        return float(whole), float(whole)
    low, high = _ln_decimals(value)
    return (
        float_below(_DOWN.divide(low, _LN2_UP if low > 0 else _LN2_DOWN)),
        float_above(_UP.divide(high, _LN2_DOWN if high > 0 else _LN2_UP)),
    )


def fraction_below_exp(exponent: float, *, denominator: int) -> Fraction:
    """Return the largest multiple of 1/denominator that is ≤ e^exponent: odds that keep a promised epsilon."""
    # `exp` is correctly rounded, so one unit in the last place down is surely below; 60 digits follow the point.
    context = Context(prec=60 + len(str(denominator)) + int(abs(exponent)), rounding=ROUND_FLOOR)
    exponential = context.next_minus(context.exp(Decimal(exponent)))
    if exponent >= 0:  # an exponent below the last digit must not turn even odds into uneven ones
        exponential = max(exponential, Decimal(1))
    scaled = context.multiply(exponential, Decimal(denominator))
    return Fraction(int(scaled.to_integral_value(rounding=ROUND_FLOOR)), denominator)


def _ln_decimals(value: Fraction) -> tuple[Decimal, Decimal]:
    if value == 1:
        return Decimal(0), Decimal(0)
    numerator, denominator = Decimal(value.numerator), Decimal(value.denominator)
    low_ratio, high_ratio = _DOWN.divide(numerator, denominator), _UP.divide(numerator, denominator)
    # ln itself ignores the rounding direction (it rounds half-even), hence one step outward.
    return _DOWN.next_minus(_DOWN.ln(low_ratio)), _UP.next_plus(_UP.ln(high_ratio))


def _power_of_two(value: Fraction) -> int | None:
    numerator, denominator = value.numerator, value.denominator
    if numerator & (numerator - 1) or denominator & (denominator - 1):
        return None
    return numerator.bit_length() - denominator.bit_length()


def _nearest(value: Fraction | Decimal) -> float:
    try:
        return float(value)
    except OverflowError:  # beyond the largest double, where a Fraction has no nearest one
        return math.inf if value > 0 else -math.inf


def _exact(value: float | Fraction | Decimal) -> Fraction:
    return Fraction(value)
