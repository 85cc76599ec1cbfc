"""Text and numbers for readers; a number in a guarantee is rounded against the claim."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from sfumato.errors import about, printable
from sfumato.numbers.checks import Number
from sfumato.numbers.intervals import Interval

Show = Callable[[float, str], str]
"""How a number is written in a form: as text, or for a page as a mark that stands for it."""
INFINITE = {"inf": "∞", "-inf": "-∞"}
_ROUNDING = {"": ROUND_HALF_EVEN, "down": ROUND_FLOOR, "up": ROUND_CEILING}
# Numbers from here on get a separator of thousands; years are below.
_GROUPED = 10_000
# Digits enough for any double with a few decimals.
_WIDE = Context(prec=400)


def escaped(cell: str) -> str:
    """Keep text from being read as Markdown or HTML."""
    shown = printable(cell).replace("\\", "\\\\").replace("|", "\\|")
    return shown.replace("<", "&lt;")


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table as lines of Markdown."""
    lines = ["| " + " | ".join(map(escaped, header)) + " |", "|---" * len(header) + "|"]
    return lines + ["| " + " | ".join(map(escaped, row)) + " |" for row in rows]


def plain_number(number: float) -> int | float | str:
    """Return a number as JSON holds it: with twelve digits behind the point, and infinity as a word."""
    if isinstance(number, int):
        return number
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return round(float(number), 12) + 0.0


def number_text(number: float | str, form: str) -> str:
    """Write a number in one of the forms of a page: count, epsilon, percent and decimal.

    `percent.1` has one digit behind the point and is rounded to the nearest, `percent.1.up` and `percent.1.down` aside.

    >>> number_text(1234, "count"), number_text(0.41731, "percent.1"), number_text(0.41731, "percent.1.up")
    ('1,234', '41.7', '41.8')
    >>> number_text(-12345.678, "decimal.2.down"), number_text(0.9999999, "epsilon"), number_text("inf", "epsilon")
    ('-12,345.68', '1', '∞')
    """
    plain = number if isinstance(number, str) else plain_number(number)
    if isinstance(plain, str):
        return INFINITE[plain]
    kind, digits, side = (*form.split("."), "", "")[:3]
    if kind == "count":
        return f"{int(plain):,}"
    exact = Decimal(repr(plain))
    if kind == "epsilon":
        up = exact.quantize(Decimal("0.001"), rounding=ROUND_CEILING, context=_WIDE)
        return f"{abs(up) if up == 0 else up:f}".rstrip("0").rstrip(".")
    scaled = exact.scaleb({"percent": 2, "decimal": 0}[kind], context=_WIDE)
    rounded = scaled.quantize(Decimal(1).scaleb(-int(digits)), rounding=_ROUNDING[side], context=_WIDE)
    rounded = abs(rounded) if rounded == 0 else rounded
    return f"{rounded:,f}" if kind == "decimal" and abs(rounded) >= _GROUPED else f"{rounded:f}"


def share_words(share: float, digits: int = 1, show: Show = number_text) -> str:
    """Write a share in percent."""
    return f"{show(share, f'percent.{digits}')} %"


def interval_words(interval: Interval, digits: int = 1, show: Show = number_text) -> str:
    """Write an interval in percent, rounded outwards."""
    low, high = show(interval.lower, f"percent.{digits}.down"), show(interval.upper, f"percent.{digits}.up")
    return f"{low} – {high} %"


def digits_for(largest: float) -> int:
    """How many digits percents need behind the point when no share is larger than this."""
    return 1 if largest >= 0.1 else 2 if largest >= 0.01 else 3


def epsilon_text(value: float) -> str:
    """Show an ε, rounded up."""
    return number_text(value, "epsilon")


def counted(number: int, noun: str) -> str:
    """Say one question, 2 questions."""
    return f"one {noun}" if number == 1 else f"{number:,} {noun}s"


# --- Numbers in words: a guarantee is rounded against itself, "at least" down and "at most" up


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
