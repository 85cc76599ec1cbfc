"""Numbers in plain words. A guarantee is rounded against itself: "at least" down, "at most" up."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from sfumato.printing import about
from sfumato.values import Interval
from sfumato.values.checks import Number

_DIGITS = 4


def percent(value: Number, *, rounding: str = ROUND_HALF_EVEN) -> str:
    """37.5 %."""
    return f"{_short(Fraction(value) * 100, rounding)} %"


def percent_at_least(value: Number) -> str:
    """Round down, so that "at least" stays true."""
    return percent(value, rounding=ROUND_FLOOR)


def percent_at_most(value: Number) -> str:
    """Round up, so that "at most" stays true."""
    return percent(value, rounding=ROUND_CEILING)


def at_most(value: Number | Interval) -> str:
    """A number rounded up."""
    return _short(Fraction(value.upper if isinstance(value, Interval) else value), ROUND_CEILING)


def at_least(value: Number | Interval) -> str:
    """A number rounded down."""
    return _short(Fraction(value.lower if isinstance(value, Interval) else value), ROUND_FLOOR)


def times(value: Number) -> str:
    """A factor, rounded up."""
    return f"{at_most(value)} times"


def fraction_text(value: Fraction) -> str:
    """Return the exact number, with its decimal value when the fraction is too long to read."""
    text = str(value)
    return text if len(text) <= 24 else f"{text[:10]}…{text[-10:]} ≈ {about(value, 12)}"


def _short(value: Fraction, rounding: str) -> str:
    if value == 0:
        return "0"
    # Two steps: a division with digits to spare, then the rounding that is seen.
    wide = Context(prec=60, rounding=rounding).divide(Decimal(value.numerator), Decimal(value.denominator))
    shown = Context(prec=_DIGITS, rounding=rounding).plus(wide)
    if Decimal("1e-4") <= abs(shown) < Decimal("1e6"):
        text = format(shown, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    return format(shown.normalize(), "E").replace("E+", "e").replace("E", "e")
