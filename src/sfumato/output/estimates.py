"""Estimates and contrasts as tables and as JSON documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any

from sfumato.display.tables import FittedTable
from sfumato.display.text import (
    epsilon_text,
    escaped,
    interval_words,
    markdown_table,
)
from sfumato.errors import printable
from sfumato.inference.quantities import (
    Line,
    Picture,
    Quantity,
    Unit,
    all_lines,
    estimate_column,
    first_column,
    is_pair,
    share_lines,
    shown_places,
)
from sfumato.inference.results import Between, Contrast, QuestionEstimate, contrast_cells, contrast_name
from sfumato.numbers.intervals import Interval
from sfumato.publications.note import ReportsNote

if TYPE_CHECKING:
    from rich.console import RenderableType


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


# --- Differences between groups or answers, for the terminal and as Markdown
# Shares differ by points.


# The last columns: the difference and its interval.
_NUMBERS = 2


def contrasts_tables(contrasts: Sequence[Contrast]) -> list[RenderableType]:
    """Return a table for each question, for rich to print."""
    return [
        FittedTable(
            header=_header(part),
            rows=_rows(part),
            title=_contrast_title(part),
            notes=_contrast_notes(part),
            left=tuple(range(len(_header(part)) - _NUMBERS)),
        )
        for part in _contrast_parts(contrasts)
    ]


def contrasts_markdown(contrasts: Sequence[Contrast]) -> str:
    """Return the same tables as Markdown."""
    lines: list[str] = []
    for part in _contrast_parts(contrasts):
        lines += [
            f"**{escaped(_contrast_title(part))}**",
            "",
            *markdown_table(_header(part), _rows(part)),
            "",
        ]
        lines += [line for note in _contrast_notes(part) for line in (f"> {escaped(note)}", "")]
    return "\n".join(lines)


def contrast_document(one: Contrast) -> dict[str, Any]:
    """Return one contrast for programs."""
    return {
        "question": one.question,
        "between": one.between.value,
        "group": one.group,
        "first": one.first,
        "second": one.second,
        "quantity": one.quantity,
        "answer": one.answer,
        "unit": one.unit.value,
        "shares_of": one.shares_of or "answers",
        "value": one.value,
        "raw": one.raw,
        "standard_error": one.standard_error,
        "lower": one.interval.lower,
        "upper": one.interval.upper,
        "confidence": one.confidence,
        **({} if one.together is None else {"together": one.together}),
    }


def _contrast_parts(contrasts: Sequence[Contrast]) -> Iterator[list[Contrast]]:
    for _, same in groupby(contrasts, key=lambda one: one.question):
        yield list(same)


def _header(part: list[Contrast]) -> tuple[str, ...]:
    numbers = "difference", f"{100 * part[0].confidence:.6g} % interval"
    if part[0].between is Between.GROUPS:
        return "groups", "of", *numbers
    return ("group", "shares of", *numbers) if _by_group(part) else ("shares of", *numbers)


def _contrast_title(part: list[Contrast]) -> str:
    return f"{printable(part[0].text)}  (differences between {part[0].between.value})"


def _rows(part: list[Contrast]) -> list[tuple[str, ...]]:
    if part[0].between is Between.GROUPS:
        return [
            (f"{printable(one.first)} minus {printable(one.second)}", contrast_name(one), *contrast_cells(one))
            for one in part
        ]
    rows: list[tuple[str, ...]] = [(answers_name(one), *contrast_cells(one)) for one in part]
    if not _by_group(part):
        return rows
    return [("all" if one.group is None else printable(one.group), *row) for one, row in zip(part, rows, strict=True)]


def _by_group(part: list[Contrast]) -> bool:
    return any(one.group is not None for one in part)


def _contrast_notes(part: list[Contrast]) -> list[str]:
    together = part[0].together
    rounded = ["shares are of rounded answers"] if part[0].between is Between.ANSWERS and part[0].shares_of else []
    return rounded + ([] if together is None else [f"differences that hold together at {100 * together:.6g} %"])


def answers_name(one: Contrast) -> str:
    """Say which answers are compared."""
    return f"“{printable(one.first)}” minus “{printable(one.second)}”"


# Estimates, and what weights are of, as one JSON document, for programs.


def weights_document(note: ReportsNote, questions: Sequence[str] | None = None) -> dict[str, Any]:
    """Return what a table of weights is of, as one document."""
    names = note.questions if questions is None else dict.fromkeys(questions)
    return {**_heading("sfumato/weights/1", note), "questions": [_weighed(note, name) for name in names]}


def _weighed(note: ReportsNote, name: str) -> dict[str, Any]:
    handler, level = note.handler(name), note.column(name).level
    epsilon = handler.epsilons[level - 1]
    return {
        "question": name,
        "level": level,
        "epsilon": epsilon if isfinite(epsilon) else "inf",
        "reports": handler.report_count,
        "answers": list(handler.question.labels),
    }


def estimates_document(
    estimates: Sequence[QuestionEstimate], note: ReportsNote, contrasts: Sequence[Contrast] | None = None
) -> dict[str, Any]:
    """Return estimates as one document, with the contrasts if there are any."""
    asked = {} if contrasts is None else {"contrasts": [contrast_document(one) for one in contrasts]}
    return {
        **_heading("sfumato/estimates/1", note),
        "again": note.again,
        "releases": len(note.earlier) + 1,
        "total_epsilon_of_releases": {one.holder: one.as_json for one in note.sums},
        "estimates": [estimate_document(found) for found in estimates],
        **asked,
    }


def _heading(schema: str, note: ReportsNote) -> dict[str, Any]:
    return {
        "schema": schema,
        "study": note.study.name,
        "epoch": note.epoch,
        "source": note.source,
        "insecure": note.insecure,
        "assumed_disjoint": note.assumed_disjoint,
    }


def estimate_document(found: QuestionEstimate) -> dict[str, Any]:
    """Return the estimate of one question."""
    document: dict[str, Any] = {
        "question": found.question.id,
        "group": found.group,
        "level": found.level,
        "epsilon": found.epsilon if isfinite(found.epsilon) else "inf",
        "total": found.total,
        "confidence": found.confidence,
        "method": found.method,
        "answers": [
            {
                "answer": label,
                "share": found.shares[i],
                "raw": found.raw[i],
                "standard_error": found.standard_errors[i],
                **_ends(found.intervals[i]),
            }
            for i, label in enumerate(found.labels)
        ],
        "quantities": [_quantity(one) for one in found.quantities],
        "picture": found.picture.value,
        "shares_of": found.shares_of or "answers",
        "notes": list(found.notes),
    }
    if found.together is not None:
        document["together"] = found.together
    if found.band is not None:
        document["band"] = {"ignoring": found.ignoring, **_ends(found.band)}
    return document


def _quantity(one: Quantity) -> dict[str, Any]:
    """Return one number; of an answer its place among the answers, and the text."""
    answer = {} if one.unit is not Unit.ANSWER else {"answers": list(one.scale)}
    return {
        "quantity": one.name,
        "unit": one.unit.value,
        "value": one.value,
        "raw": one.raw,
        "standard_error": one.standard_error,
        **_ends(one.interval),
        **answer,
        "words": one.words,
    }


def _ends(interval: Interval) -> dict[str, float]:
    return {"lower": interval.lower, "upper": interval.upper}


# --- Pictures made of characters: a dot on a line, steps of a scale, bars


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
    """Draw a bar from 0 to a share, and a line as far as its interval reaches, within a width of `most` characters."""
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


def estimates_tables(estimates: Sequence[QuestionEstimate]) -> list[RenderableType]:
    """Return the tables for rich to print."""
    return [_table(part) for part in _parts(estimates)]


def estimates_markdown(estimates: Sequence[QuestionEstimate]) -> str:
    """Return the same tables as Markdown."""
    lines: list[str] = []
    for part in _parts(estimates):
        header, rows = _cells(part)
        lines += [f"**{escaped(_title(part))}**", "", *markdown_table(header, rows), ""]
        lines += [f"> {escaped(note)}" for note in _notes(part)] + [""] * bool(_notes(part))
    return "\n".join(lines)


def group_name(found: QuestionEstimate) -> str:
    """Return the name of a group; all people together have none."""
    return "all" if found.group is None else printable(found.group)


def _parts(estimates: Sequence[QuestionEstimate]) -> Iterator[list[QuestionEstimate]]:
    """Put together what goes into one table."""
    for _, same in groupby(estimates, key=lambda found: (found.question.id, found.level)):
        several = list(same)
        if all(is_pair(found) for found in several):
            yield several
        else:
            yield from ([found] for found in several)


def _table(part: list[QuestionEstimate]) -> FittedTable:
    header, rows = _cells(part)
    if is_pair(part[0]):
        bars = [line_bar(found, _second(found)) for found in part]
        split = 0
    else:
        lines, split = all_lines(part[0])
        bars = [line_bar(part[0], line) for line in lines]
    return FittedTable(
        header=header,
        rows=rows,
        title=_title(part),
        notes=_notes(part),
        bar_header=bar_header(part[0]),
        bars=bars if part[0].labels else (),
        sections=(split - 1,) if 0 < split < len(rows) else (),
    )


def _cells(part: list[QuestionEstimate]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    first = part[0]
    interval = f"{100 * first.confidence:.6g} % interval"
    if is_pair(first):
        seconds = [_second(found) for found in part]
        return ("group", "reports", f"share of “{printable(first.labels[1])}”", interval), [
            (group_name(found), f"{found.total:,}", line.value, line.reach)
            for found, line in zip(part, seconds, strict=True)
        ]
    lines, _ = all_lines(first)
    return (first_column(first), estimate_column(first), interval), [
        (line.name, line.value, line.reach) for line in lines
    ]


def _second(found: QuestionEstimate) -> Line:
    """Return the share of the second of two answers."""
    return share_lines(found, [1])[0]


def _title(part: list[QuestionEstimate]) -> str:
    first = part[0]
    where = "" if first.group is None or is_pair(first) else f" · {group_name(first)}"
    seen = f"ε = {epsilon_text(first.epsilon)}"
    return f"{printable(first.question.text)}{where}  ({first.total:,} reports, {seen})"


def _notes(part: list[QuestionEstimate]) -> list[str]:
    notes = []
    rest = len(part[0].shares) - len(shown_places(part[0]))
    if rest:
        notes.append(f"and {rest} rarer answers; --json has them all")
    if part[0].together is not None:
        notes.append(f"intervals that hold together at {100 * part[0].together:.6g} %")
    for found in part:
        who = f"{group_name(found)}: " if len(part) > 1 else ""
        # Why there is no number stands where the number would; what else is to be known of one stands here.
        notes += [f"{who}{one.name}: {one.words}" for one in found.quantities if one.words and one.value is not None]
        if found.band is not None:
            share = f"{100 * (found.ignoring or 0):g} %"
            notes.append(f"{who}{interval_words(found.band)} if {share} of the respondents ignored the instructions")
        notes += [f"{who}{note}" for note in found.notes]
    return notes
