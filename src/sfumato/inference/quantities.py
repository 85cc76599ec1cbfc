"""Numbers beside the shares of answers, and what an estimate says line by line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from sfumato.display.text import Show, digits_for, interval_words, number_text, share_words
from sfumato.errors import printable
from sfumato.numbers.intervals import Interval

if TYPE_CHECKING:
    from sfumato.inference.results import QuestionEstimate

# Which picture suits the shares of a question.


class Picture(StrEnum):
    """What suits the shares of a question: marks, steps of a scale, a curve over numbers, or a bar for each option."""

    ANSWERS = "answers"
    ORDERED = "ordered"
    NUMBERS = "numbers"
    OPTIONS = "options"


class Unit(StrEnum):
    """What a quantity is measured in, and so how it is shown."""

    NUMBER = "number"
    SHARE = "share"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number of its own beside the shares: a mean, a median, a cumulative share.

    `value` is plausible and inside `interval`; `raw` is unbiased, and with few reports it may lie outside of what can
    be answered. `value` is None where nothing can be said, and `words` say why. Where the unit is an answer, numbers
    are places in `scale`. `within` is where a mean lies whatever people answer, if that is known.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> hours = sf.BoundedNumber(id="hours", text="Hours of sleep?", lowest=0, highest=10, epsilon=Fraction(2))
    >>> made = sf.publish(sf.Study(name="Rest", questions=(hours,)), {"hours": [6, 8] * 500}, insecure_seed=7)
    >>> mean = sf.estimate_reports(made.reports)[0].mean
    >>> mean.name, round(mean.value, 1), round(mean.interval.lower, 1), round(mean.interval.upper, 1)
    ('mean', 7.0, 6.8, 7.4)
    >>> mean.within
    Interval(lower=0.0, upper=10.0)
    """

    name: str
    value: float | None
    interval: Interval
    raw: float | None = None
    standard_error: float | None = None
    unit: Unit = Unit.NUMBER
    scale: tuple[str, ...] = ()
    words: str = ""
    within: Interval | None = None


# A number beside the shares, as people see it: as many digits as its interval is worth, ends rounded outwards.


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


# What an estimate says, line by line, wherever it is shown: shares and the numbers beside them, in one order.


MOST_ANSWERS = 30
# The pictures in which the order of the answers says something.
_IN_ORDER = (Picture.ORDERED, Picture.NUMBERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A share, which has a place among the answers, or a quantity; with its words."""

    name: str
    value: str
    reach: str
    place: int | None = None
    quantity: Quantity | None = None


def shown_places(found: QuestionEstimate) -> list[int]:
    """Which answers to show: all in their order, or the most common of many."""
    shares = found.shares
    if len(shares) <= MOST_ANSWERS:
        return list(range(len(shares)))
    common = sorted(range(len(shares)), key=lambda place: -shares[place])[:MOST_ANSWERS]
    return sorted(common) if found.picture in _IN_ORDER else common


def is_pair(found: QuestionEstimate) -> bool:
    """Whether there are two answers and nothing else, so that the share of the second says it all."""
    both = len(found.labels) == len(found.question.labels) == 2
    return both and not found.quantities and found.picture is not Picture.OPTIONS


def share_lines(found: QuestionEstimate, places: Sequence[int] | None = None, show: Show = number_text) -> list[Line]:
    """Return the shares of the answers."""
    order = shown_places(found) if places is None else places
    digits = digits_for(max((interval.upper for interval in found.intervals), default=1.0))
    return [
        Line(
            name=f"{printable(found.labels[place])} (rounded)" if found.shares_of else printable(found.labels[place]),
            value=share_words(found.shares[place], digits, show),
            reach=interval_words(found.intervals[place], digits, show),
            place=place,
        )
        for place in order
    ]


def quantity_lines(found: QuestionEstimate, show: Show = number_text) -> list[Line]:
    """Return the numbers beside the shares."""
    lines = []
    for one in found.quantities:
        value, reach = quantity_cells(one, show)
        lines.append(Line(name=printable(one.name), value=value, reach=reach, quantity=one))
    return lines


def numbers_first(found: QuestionEstimate) -> bool:
    """Whether the numbers come first: where answers are numbers, their mean is what was asked for."""
    return found.picture is Picture.NUMBERS


def all_lines(found: QuestionEstimate) -> tuple[list[Line], int]:
    """Return all lines in their order, and after how many of them the second part begins."""
    shares, numbers = share_lines(found), quantity_lines(found)
    first, second = (numbers, shares) if numbers_first(found) else (shares, numbers)
    return [*first, *second], len(first)


def first_column(found: QuestionEstimate) -> str:
    """Name the column of what is estimated."""
    return "answer" if found.labels else "number"


def estimate_column(found: QuestionEstimate) -> str:
    """Name the column of the values."""
    return "estimate" if found.quantities else "share"
