"""One row of reports as text: which report, of which group, how often; and what is said of a row that is none.

The reports are people's data: a refusal says where it is, and never repeats a cell.
"""

from __future__ import annotations

from pathlib import Path

from sfumato.errors import Place, UnreadableFile
from sfumato.files.numbers import parse_count
from sfumato.files.streams import LONGEST_LABEL, MOST_COUNT
from sfumato.files.texts import normal
from sfumato.io.report_columns import ReportColumns

Cells = tuple[str, ...]


def read_row(cells: Cells, columns: ReportColumns, known: tuple[str, ...]) -> tuple[tuple[str, str], int]:
    """Read the cells that matter; none at all is a row of the wrong length."""
    if not cells:
        raise UnreadableFile("has another number of cells than the header", way_out="Complete the line, or drop it.")
    report = normal(cells[0]).strip()
    if report not in known:
        raise unknown_report(report, known)
    name = "" if columns.group is None else normal(cells[1]).strip()
    if columns.group is not None and not 0 < len(name) <= LONGEST_LABEL:
        raise UnreadableFile(
            f"names no group, or one of more than {LONGEST_LABEL} characters", way_out="Fill it in, or drop it."
        )
    count = (
        1 if columns.count is None else parse_count(cells[-1], f"has a column {columns.count} that", most=MOST_COUNT)
    )
    return (report, name), count


def at_row(path: str | Path, error: UnreadableFile, row: int) -> UnreadableFile:
    """A table has rows where a text has lines."""
    return UnreadableFile(f"row {row} {error.rule}", way_out=error.way_out, place=Place(file=str(path)))


def unknown_report(report: str, known: tuple[str, ...]) -> UnreadableFile:
    """Say what is wrong with a report without repeating it."""
    labels = ", ".join(map(repr, known))
    if not report:
        return UnreadableFile("holds no report", way_out=f"Write one of {labels}, or drop the line.")
    return UnreadableFile(
        "holds a report that the design never gives",
        way_out=f"Its reports are {labels}; correct the line, or drop it.",
    )
