"""Checks of parameters, and the types of numbers that functions accept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from numbers import Rational
from numbers import Real as RealNumber

from sfumato.errors import InvalidParameter

Number = Fraction | float


def check_integer(name: str, value: object) -> int:
    """Return a whole number; True and 3.0 are refused, because each is more often a slip than a count."""
    if isinstance(value, bool):
        raise InvalidParameter(
            "must be a whole number", parameter=name, value=value, way_out="Write it without quotes or point."
        )
    try:
        return value.__index__()  # type: ignore[attr-defined, no-any-return]
    except (AttributeError, TypeError):  # an array has the method, and refuses
        raise InvalidParameter(
            "must be a whole number", parameter=name, value=value, way_out="Write it without quotes or point."
        ) from None


def check_at_least(name: str, value: Number, least: int) -> None:
    """Refuse a number below `least`, and NaN."""
    if not value >= least:
        raise InvalidParameter(f"must be at least {least}", parameter=name, value=value, way_out=f"Raise `{name}`.")


def check_between(name: str, value: Number, low: Number, high: Number, *, way_out: str = "") -> None:
    """Refuse a number outside [low, high], and NaN."""
    if not low <= value <= high:
        advice = way_out or f"Move `{name}` into that range."
        raise InvalidParameter(f"must lie in [{low}, {high}]", parameter=name, value=value, way_out=advice)


def check_positive(name: str, value: Number) -> None:
    """Refuse zero, negative numbers, infinity and NaN."""
    if not (value > 0 and math.isfinite(value)):
        raise InvalidParameter(
            "must be a positive finite number", parameter=name, value=value, way_out=f"Choose `{name}` > 0."
        )


def as_exact(name: str, value: object) -> Fraction:
    """Read a finite number exactly; a float means the decimal that it prints as, so 0.1 is 1/10."""
    number = as_number(name, value)
    return number if isinstance(number, Fraction) else Fraction(repr(number))


def as_number(name: str, value: object) -> Number:
    """Read an exact number as a Fraction and a float as a float, NaN and infinities refused."""
    if isinstance(value, bool):
        raise InvalidParameter("must be a number", parameter=name, value=value, way_out="Write 1 or 0.")
    if isinstance(value, Fraction):
        return value
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, RealNumber):
        number = float(value)
        if not math.isfinite(number):
            raise InvalidParameter("must be finite", parameter=name, value=number, way_out="Check how it was computed.")
        return number
    raise InvalidParameter(
        f"must be a number (int, Fraction or float), not {type(value).__name__}",
        parameter=name,
        way_out="Convert it first.",
    )


# --- Types of numbers that parameters accept, before a check makes them exact


Real = int | float | Fraction
"""A number as it is given; `as_exact` and `as_number` read it."""
Reals = Sequence[Real]
"""Several numbers: a law, weights, thresholds."""
Profile = tuple[tuple[Fraction | float, int], ...]
"""The probabilities of a row with how often each occurs: all that an entropy needs to know."""
