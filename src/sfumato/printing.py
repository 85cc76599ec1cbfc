"""Text for people to look at, wherever it came from: nothing in it moves a cursor or turns the writing round."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

_NO_BREAK_SPACE = "\u00a0"
_REPLACED = "\ufffd"


def printable(text: str) -> str:
    """Replace what would move a cursor or break a picture."""
    return _calm(text, _NO_BREAK_SPACE)


def printable_lines(text: str) -> str:
    """Do the same to a text of several lines, whose ends stay."""
    return _calm(text, f"\n\t{_NO_BREAK_SPACE}")


def about(value: Fraction | int, digits: int) -> str:
    """Write a number of any size in a few digits; one that no float can hold is no reason to fail."""
    try:
        return f"{float(value):.{digits}g}"
    except OverflowError:
        return f"{(Decimal(value.numerator) / Decimal(value.denominator)).normalize():.{digits}g}"


def _calm(text: str, kept: str) -> str:
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter in kept else _REPLACED for letter in text)
