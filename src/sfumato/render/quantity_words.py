"""A number beside the shares, as people see it: as many digits as its interval is worth, ends rounded outwards."""

from __future__ import annotations

import math

from sfumato.printing import printable
from sfumato.render.words import Show, interval_words, number_text, share_words
from sfumato.study.ways import Quantity, Unit

_MOST_DIGITS = 12


def quantity_cells(one: Quantity, show: Show = number_text) -> tuple[str, str]:
    """Return the value and its interval; or why there is no value, and the interval that is left."""
    return value_words(one, show), range_words(one, show)


def quantity_line(one: Quantity, confidence: float) -> str:
    """Say a quantity in one line: mean 3.42, 95 % 3.1 to 3.8."""
    value, reach = quantity_cells(one)
    return f"{printable(one.name)} {value}, {100 * confidence:.6g} % {reach}"


def value_words(one: Quantity, show: Show = number_text) -> str:
    """Write the value, or why there is none."""
    if one.value is None:
        return printable(one.words) or "not estimable"
    if one.unit is Unit.SHARE:
        return share_words(one.value, show=show)
    if one.unit is Unit.ANSWER:
        return _answer(one, one.value)
    return show(one.value, f"decimal.{_digits(one)}")


def range_words(one: Quantity, show: Show = number_text) -> str:
    """Write the interval, rounded outwards."""
    low, high = one.interval.lower, one.interval.upper
    if one.unit is Unit.SHARE:
        return interval_words(one.interval, show=show)
    if one.unit is Unit.ANSWER:
        ends = _answer(one, math.floor(low)), _answer(one, math.ceil(high))
        return ends[0] if ends[0] == ends[1] else " – ".join(ends)
    digits = _digits(one)
    return f"{show(low, f'decimal.{digits}.down')} – {show(high, f'decimal.{digits}.up')}"


def _answer(one: Quantity, place: float) -> str:
    return printable(one.scale[min(max(round(place), 0), len(one.scale) - 1)])


def _digits(one: Quantity) -> int:
    """How many digits after the point: two that matter in the width of the interval."""
    width = one.interval.width
    if not 0 < width < math.inf:
        return 4
    return min(max(1 - math.floor(math.log10(width)), 0), _MOST_DIGITS)
