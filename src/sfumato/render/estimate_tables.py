"""What the reports say, for the terminal and as Markdown: of two answers a line a group, of more a table a group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from sfumato.printing import printable
from sfumato.render.estimate_lines import (
    Line,
    all_lines,
    estimate_column,
    first_column,
    is_pair,
    share_lines,
    shown_places,
)
from sfumato.render.fitted_tables import FittedTable
from sfumato.render.text_bars import bar_header, line_bar
from sfumato.render.words import epsilon_text, escaped, interval_words, markdown_table

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sfumato.study import QuestionEstimate


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
    """Name a group; everybody has none."""
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
