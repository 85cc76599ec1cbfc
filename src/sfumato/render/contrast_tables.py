"""Differences between groups or between answers, for the terminal and as Markdown; shares differ by points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from sfumato.printing import printable
from sfumato.render.fitted_tables import FittedTable
from sfumato.render.quantity_words import quantity_cells
from sfumato.render.words import Show, escaped, markdown_table, number_text
from sfumato.study.contrasts import Between, Contrast
from sfumato.study.ways import Quantity, Unit
from sfumato.values import Interval

if TYPE_CHECKING:
    from rich.console import RenderableType


# The last columns: the difference and its interval.
_NUMBERS = 2


def contrasts_tables(contrasts: Sequence[Contrast]) -> list[RenderableType]:
    """Return a table for each question, for rich to print."""
    return [
        FittedTable(
            header=_header(part),
            rows=_rows(part),
            title=_title(part),
            notes=_notes(part),
            left=tuple(range(len(_header(part)) - _NUMBERS)),
        )
        for part in _parts(contrasts)
    ]


def contrasts_markdown(contrasts: Sequence[Contrast]) -> str:
    """Return the same tables as Markdown."""
    lines: list[str] = []
    for part in _parts(contrasts):
        lines += [f"**{escaped(_title(part))}**", "", *markdown_table(_header(part), _rows(part)), ""]
        lines += [line for note in _notes(part) for line in (f"> {escaped(note)}", "")]
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


def _parts(contrasts: Sequence[Contrast]) -> Iterator[list[Contrast]]:
    for _, same in groupby(contrasts, key=lambda one: one.question):
        yield list(same)


def _header(part: list[Contrast]) -> tuple[str, ...]:
    numbers = "difference", f"{100 * part[0].confidence:.6g} % interval"
    if part[0].between is Between.GROUPS:
        return "groups", "of", *numbers
    return ("group", "shares of", *numbers) if _by_group(part) else ("shares of", *numbers)


def _title(part: list[Contrast]) -> str:
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


def _notes(part: list[Contrast]) -> list[str]:
    together = part[0].together
    rounded = ["shares are of rounded answers"] if part[0].between is Between.ANSWERS and part[0].shares_of else []
    return rounded + ([] if together is None else [f"differences that hold together at {100 * together:.6g} %"])


def answers_name(one: Contrast) -> str:
    """Say which answers are compared."""
    return f"“{printable(one.first)}” minus “{printable(one.second)}”"


def contrast_name(one: Contrast) -> str:
    """Say of what it is the difference."""
    if one.answer is None:
        return printable(one.quantity)
    return f"share of “{printable(one.answer)}”{' (rounded)' if one.shares_of else ''}"


def contrast_cells(one: Contrast, show: Show = number_text) -> tuple[str, str]:
    """Return the difference and its interval; shares differ by points."""
    times, points = (100, " points") if one.unit is Unit.SHARE else (1, "")
    ends = Interval(times * one.interval.lower, times * one.interval.upper)
    found = Quantity(name=one.quantity, value=times * one.value, interval=ends)
    value, reach = quantity_cells(found, show)
    if points and quantity_cells(found)[0] in {"1", "-1"}:
        return f"{value} point", f"{reach.replace(' – ', ' to ')}{points}"
    return f"{value}{points}", f"{reach.replace(' – ', ' to ')}{points}"
