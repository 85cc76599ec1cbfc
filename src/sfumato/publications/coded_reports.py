"""How the columns of reports are written and described."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.files.tables import labelled_column, number_column, with_gaps
from sfumato.keys.digests import NOTHING
from sfumato.publications.note import ReportsNote, releases_words
from sfumato.sampling.mechanism import smallest_dtype
from sfumato.study.handler import Handler

FIELD = b"sfumato"
"""Under this key a Parquet column says how it is to be read."""


def written_column(handler: Handler, reports: npt.NDArray[Any]) -> Any:
    """Return the Arrow column of a question's reports; a cell is empty where there is none."""
    there = None
    if handler.question.has_gaps:
        # Always in the same bytes, whether some cell of a chunk is empty or not.
        there = np.asarray(reports) != NOTHING
        reports = np.where(there, reports, 0).astype(smallest_dtype(handler.report_count))
    return with_gaps(_full_column(handler, reports), there)


def _full_column(handler: Handler, reports: npt.NDArray[Any]) -> Any:
    if handler.report_numbers is not None:
        return number_column(np.array(handler.report_numbers, dtype=np.int64)[reports])
    if handler.report_labels is not None:
        return labelled_column(np.asarray(reports, dtype=np.int64), handler.report_labels)
    return number_column(reports)


def described_columns(table: Any, note: ReportsNote) -> Any:
    """Return the table with a word about each column of reports in its metadata."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    fields = []
    for field in table.schema:
        if field.name in note.columns:
            field = field.with_metadata({FIELD: json.dumps(_entry(note, field.name), ensure_ascii=False)})  # noqa: PLW2901
        fields.append(field)
    return table.cast(pa.schema(fields, metadata=table.schema.metadata))


def codebook(note: ReportsNote, kept: tuple[str, ...] = (), told: tuple[str, ...] = ()) -> str:
    """Return the codebook of a file of reports, in Markdown; `told` is further information on all of them."""
    lines = [
        f"# {note.study.name}: how to read the reports",
        "",
        f"One row a respondent, {note.rows:,} in all. `row` is its number, by which keys find it: keep that column",
        "when you select rows, and the file `.about.json` beside the table.",
        "A report is drawn at random and proves nothing about its respondent beyond what its certificate says. Shares",
        'are read from many reports, by `sfumato estimate`; `sf.Reports.read(…).channel("question")` is the exact',
        "law of a report given the answer.",
    ]
    if note.earlier:
        lines += ["", releases_words(note)]
    if told:
        lines += ["", *told]
    for name in note.columns:
        entry, question = _entry(note, name), note.handler(name).question
        lines += ["", f"## {name}", "", f"- question: {question.text}", f"- seen at: {entry['level']}"]
        lines.append(f"- ε: {entry['epsilon']} nats")
        lines.append(f"- a report is {entry['reports']}")
        if "empty" in entry:
            lines.append(f"- an empty cell: {entry['empty']}")
        if "values" in entry:
            lines.append(f"- values, in order (code 0, 1, …): {_listed(entry['values'])}")
        else:
            lines.append(f"- values: whole numbers from 0 to {entry['count'] - 1}")
    for name in kept:
        lines += ["", f"## {name}", "", "- a column that was kept as it is, in public"]
    return "\n".join(lines) + "\n"


def _listed(values: list[str] | list[int], most: int = 100) -> str:
    """Name the values; a label may hold a comma, so it stands in quotes."""
    named = ", ".join(f"“{value}”" if isinstance(value, str) else str(value) for value in values[:most])
    rest = len(values) - most
    return f"{named} and {rest} more, in the order of the study" if rest > 0 else named


def _entry(note: ReportsNote, name: str) -> dict[str, Any]:
    handler, column = note.handler(name), note.column(name)
    # As promised; the level that is 0 holds the answers themselves.
    epsilon = "inf" if column.level == 0 else f"{handler.epsilons[column.level - 1]:.6g}"
    entry: dict[str, Any] = {
        "question": name,
        "reports": handler.report_words,
        "level": handler.level_words(column.level),
        "epsilon": epsilon,
    }
    empty = _empty_words(handler)
    if empty:
        entry["empty"] = empty
    values = handler.report_labels if handler.report_numbers is None else handler.report_numbers
    if values is None:
        return {**entry, "count": handler.report_count}
    return {**entry, "values": list(values)}


def _empty_words(handler: Handler) -> str | None:
    """Say what an empty cell of a column means, and whether not answering shows."""
    asked = handler.question
    if asked.hides and not asked.has_gaps:
        return "there is none; no answer is one more answer, and reported like the others"
    if asked.has_gaps:
        unasked = asked.missing is None or asked.hides
        return "not asked, by a public column" if unasked else "no answer, which is public"
    return None
