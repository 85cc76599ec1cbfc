"""What an estimate says, line by line, wherever it is shown: shares and the numbers beside them, in one order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from sfumato.printing import printable
from sfumato.render.quantity_words import quantity_cells
from sfumato.render.words import Show, digits_for, interval_words, number_text, share_words
from sfumato.study.ways import Picture, Quantity, QuestionEstimate, Unit

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


def answer_numbers(estimate: QuestionEstimate) -> list[float] | None:
    """Return where answers that are numbers lie; those at the end that are words, as "no answer", have no place."""
    labels = estimate.labels
    found = list(estimate.numbers)
    for label in () if found else labels:
        try:
            found.append(float(label))
        except ValueError:
            break
    rest = len(labels) - len(found)
    rises = all(low < high for low, high in pairwise(found))
    return found if len(found) > 1 and rest <= 1 and rises else None


def cumulative(found: QuestionEstimate) -> list[float]:
    """Return where the answers of a scale begin and end when their shares are laid end to end."""
    return [0.0, *(min(max(end, 0.0), 1.0) for end in accumulate(found.shares))]


def cumulative_quantities(found: QuestionEstimate) -> list[Quantity]:
    """Return the cumulative shares with their intervals, where there is one for each end but the last."""
    several = [one for one in found.quantities if one.unit is Unit.SHARE and one.value is not None]
    ends = cumulative(found)[1:-1]
    near = len(several) == len(ends) and all(
        abs((one.value or 0.0) - end) < 0.05 for one, end in zip(several, ends, strict=True)
    )
    return several if near else []
