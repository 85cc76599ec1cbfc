"""Numbers that may be public although the table behind them is not: two digits, rounded outwards.

A number of bits to twelve digits is a function of the table that singles it out among millions; of two digits, none of
them finer than a hundredth, it says that it tells much or little.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from sfumato.values import Interval

_DIGITS = 2
_FINEST = -2


def two_digits(number: float, *, up: bool) -> float:
    """Round a number ≥ 0 up or down to two digits; one that is written with two stays, being nearest to them."""
    if is_two_digits(number):
        return number
    exact = Decimal(number)
    step = _step(exact)
    rounded = exact.quantize(step, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    # The double next to the decimal may lie on the wrong side of the number, by less than its last place.
    if (float(rounded) < number) if up else (float(rounded) > number):
        rounded += step if up else -step
    return float(rounded)


def outwards(number: Interval) -> Interval:
    """Round both ends to two digits, away from each other."""
    return Interval(two_digits(number.lower, up=False), two_digits(number.upper, up=True))


def is_outwards(number: Interval) -> bool:
    """Whether an interval can come from rounding one outwards that was narrower than a digit's last place."""
    lower, upper = Decimal(repr(number.lower)), Decimal(repr(number.upper))
    # Written so that -0.0, a second spelling of 0, is refused too.
    if not upper.is_finite() or lower.is_signed() or any(end != end.quantize(_step(end)) for end in (lower, upper)):
        return False
    return upper - lower <= 2 * _step(upper)


def is_two_digits(number: float) -> bool:
    """Whether a number ≥ 0 has two digits, none of them finer than a hundredth."""
    return is_outwards(Interval(number, number))


def _step(number: Decimal) -> Decimal:
    return Decimal(1).scaleb(_FINEST if number == 0 else max(_FINEST, number.adjusted() - _DIGITS + 1))
