"""How reports stand in a file: by their label where a report is an answer, else as numbers that a codebook explains."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import UnreadableFile
from sfumato.files.tables import Words, labelled_column, number_column
from sfumato.study.notes import ReportsNote
from sfumato.study.release_words import releases_words
from sfumato.study.ways import Way

FIELD = b"sfumato"
"""Under this key a Parquet column says how it is to be read."""


def written_column(way: Way, reports: npt.NDArray[Any]) -> Any:
    """Return the Arrow column of a question's reports."""
    if way.report_numbers is not None:
        return number_column(np.array(way.report_numbers, dtype=np.int64)[reports])
    if way.report_labels is not None:
        return labelled_column(np.asarray(reports, dtype=np.int64), way.report_labels)
    return number_column(reports)


def read_column(way: Way, words: Words) -> npt.NDArray[np.int64]:
    """Return the reports of a column as numbers."""
    name = way.question.id
    labels = way.report_labels if way.report_numbers is None else tuple(map(str, way.report_numbers))
    if not len(words):
        return words.codes
    if labels is None:
        places = [int(text) if text.isdecimal() and len(text) <= 9 else -1 for text in words.texts]
        places = [place if place < way.report_count else -1 for place in places]
    else:
        known = {label: place for place, label in enumerate(labels)}
        places = [known.get(text, -1) for text in words.texts]
    found: npt.NDArray[np.int64] = np.array(places, dtype=np.int64)[words.codes]
    if found.min() < 0:
        row = words.row(np.flatnonzero(found < 0)[0])
        raise UnreadableFile(
            f"column {name}, row {row} holds what no report to its question is", way_out="Ask for the file again."
        )
    return found


def described_columns(table: Any, note: ReportsNote) -> Any:
    """Return the table with a word about each column of reports in its metadata."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    fields = []
    for field in table.schema:
        if field.name in note.columns:
            field = field.with_metadata({FIELD: json.dumps(_entry(note, field.name), ensure_ascii=False)})  # noqa: PLW2901
        fields.append(field)
    return table.cast(pa.schema(fields, metadata=table.schema.metadata))


def codebook(note: ReportsNote, kept: tuple[str, ...] = ()) -> str:
    """Return the codebook of a file of reports, in Markdown."""
    lines = [
        f"# {note.study.name}: how to read the reports",
        "",
        f"One row a respondent, {note.rows:,} in all, in the order of the answers that they were made from.",
        "A report is drawn at random and proves nothing about its respondent beyond what its certificate says. Shares",
        'are read from many reports, by `sfumato estimate`; `sf.Reports.read(…).channel("question")` is the exact',
        "law of a report given the answer.",
    ]
    if note.earlier:
        lines += ["", releases_words(note)]
    for name in note.columns:
        entry, question = _entry(note, name), note.study.question(name)
        lines += ["", f"## {name}", "", f"- question: {question.text}", f"- seen at: {entry['level']}"]
        lines.append(f"- ε: {entry['epsilon']} nats")
        lines.append(f"- a report is {entry['reports']}")
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
    way, column = note.way(name), note.column(name)
    # As promised; the level that is 0 holds the answers themselves.
    epsilon = "inf" if column.level == 0 else f"{way.epsilons[column.level - 1]:.6g}"
    entry: dict[str, Any] = {
        "question": name,
        "reports": way.report_words,
        "level": way.level_words(column.level),
        "epsilon": epsilon,
    }
    values = way.report_labels if way.report_numbers is None else way.report_numbers
    if values is None:
        return {**entry, "count": way.report_count}
    return {**entry, "values": list(values)}
