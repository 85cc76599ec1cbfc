"""Pictures made of letters, one for each kind of answers: a dot on a line, steps of a scale, bars."""

from __future__ import annotations

from collections.abc import Callable

from sfumato.render.estimate_lines import Line, answer_numbers, cumulative
from sfumato.study.ways import Picture, QuestionEstimate, Unit
from sfumato.values import Interval

Bar = Callable[[int], str]
_MEAN = " ◂ mean"


def bar_header(found: QuestionEstimate) -> Bar:
    """Return what stands above the bars."""
    right = f"{100 * bars_top(found):.3g} %"
    return lambda width: "0 %".ljust(width - len(right)) + right


def line_bar(found: QuestionEstimate, line: Line) -> Bar:
    """Return the picture of one line of an estimate."""
    one = line.quantity
    if line.place is None:
        if one is None or one.value is None or one.unit is not Unit.SHARE or found.picture is Picture.NUMBERS:
            return lambda _: ""
        value, inside = one.value, one.interval
        return lambda width: share_bar(value, inside, width)
    place, share, interval = line.place, found.shares[line.place], found.intervals[line.place]
    if found.picture is Picture.ORDERED:
        ends = cumulative(found)
        return lambda width: step_bar(ends[place], ends[place + 1], width)
    if found.picture is Picture.OPTIONS:
        return lambda width: filled_bar(share, interval, width)
    if found.picture is Picture.NUMBERS:
        top = bars_top(found)
        mark = _MEAN if place == _mean_place(found) else ""
        return lambda width: filled_bar(share, interval, width, top=top, most=width - len(_MEAN)) + mark
    return lambda width: share_bar(share, interval, width)


def bars_top(found: QuestionEstimate) -> float:
    """Return the share at which bars end: all, or less where that would leave them empty."""
    if found.picture is not Picture.NUMBERS:
        return 1.0
    highest = max((interval.upper for interval in found.intervals), default=1.0)
    return next((end for end in (0.05, 0.1, 0.2, 0.5) if highest <= end), 1.0)


def share_bar(share: float, interval: Interval, width: int) -> str:
    """Draw an interval from 0 to 1 as a bar with a dot."""
    cells = ["·"] * width
    for place in range(_cell(interval.lower, width), _cell(interval.upper, width) + 1):
        cells[place] = "─"
    cells[round(min(max(share, 0.0), 1.0) * (width - 1))] = "●"
    return "".join(cells)


def step_bar(start: float, end: float, width: int) -> str:
    """Draw a step of a scale: where it begins, the shares of the answers before it end."""
    first, last = round(start * width), round(end * width)
    if first == last:  # a step that is thinner than a letter
        first = min(first, width - 1)
        return "·" * first + "▏" + "·" * (width - first - 1)
    return "·" * first + "█" * (last - first) + "·" * (width - last)


def filled_bar(share: float, interval: Interval, width: int, *, top: float = 1.0, most: int = 0) -> str:
    """Draw a bar from 0 to a share, and a line as far as its interval reaches; it takes `most` letters of the width."""
    room = most if most > 0 else width
    filled = round(min(max(share / top, 0.0), 1.0) * room)
    reach = max(round(min(interval.upper / top, 1.0) * room), filled)
    return ("█" * filled + "─" * (reach - filled)).ljust(room)


def _cell(share: float, width: int) -> int:
    return int(min(max(share, 0.0), 1.0) * (width - 1))


def _mean_place(found: QuestionEstimate) -> int | None:
    numbers, mean = answer_numbers(found), found.mean
    if numbers is None or mean is None or mean.value is None:
        return None
    value = mean.value
    return min(range(len(numbers)), key=lambda place: abs(numbers[place] - value))
