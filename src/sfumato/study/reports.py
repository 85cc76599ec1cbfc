"""Reports with the note that tells what they are: the thing that is published, opened and estimated from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import UnreadableFile
from sfumato.files.tables import TABLE_LIMIT_BYTES, read_table, words_of, write_table
from sfumato.refine.keys import digest_of
from sfumato.study.collecting import channel_for
from sfumato.study.notes import ReportsNote
from sfumato.study.questions import FreeText


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Reports:
    """An Arrow table with a column of reports for each question, and its note."""

    table: Any
    note: ReportsNote

    @classmethod
    def read(cls, path: str | Path, *, limit_bytes: int = TABLE_LIMIT_BYTES) -> Reports:
        """Read reports that `sfumato publish` or `sfumato open` wrote."""
        table, note = read_table(path, limit_bytes=limit_bytes)
        found = cls(table=table, note=ReportsNote.from_text(note, path))
        missing = [name for name in found.note.columns if name not in table.column_names]
        if missing:
            raise UnreadableFile(f"file {path} lacks the column {missing[0]!r} of its note. Ask for the file again.")
        return found

    def write(self, path: str | Path) -> None:
        """Write reports and note, as CSV or Parquet."""
        write_table(self.table, path, self.note.to_text())

    def to_arrow(self) -> Any:
        """Return the table as it is."""
        return self.table

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame; pandas must be installed."""
        return self.table.to_pandas()

    def to_polars(self) -> Any:
        """Return a polars DataFrame; polars must be installed."""
        import polars as pl  # noqa: PLC0415  only if the reader has it

        return pl.from_arrow(self.table)

    def column(self, question: str) -> npt.NDArray[np.int64]:
        """Return the reports of a question as numbers, checked against the note."""
        return _numbers(self.table, self.note, question)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __repr__(self) -> str:
        columns = ", ".join(f"{name} at {_level_words(self.note, name)}" for name in self.note.columns)
        return f"<Reports on {self.note.study.name!r}: {len(self):,} rows; {columns}>"

    def _repr_html_(self) -> str:
        from sfumato.render.notebooks import reports_html  # noqa: PLC0415  a door into a later room, opened when used

        return reports_html(self)


def _level_words(note: ReportsNote, name: str) -> str:
    column = note.columns[name]
    if column.ladder is None:
        return "its only level"
    return "the public level" if column.level == len(note.ladder(name).levels) else f"level {column.level}"


def _numbers(table: Any, note: ReportsNote, question: str) -> npt.NDArray[np.int64]:
    column = note.column(question)
    words = words_of(table, question)
    if column.ladder is None and not isinstance(note.study.question(question), FreeText):
        labels = [str(label) for label in channel_for(note.study, note.study.question(question)).outputs]
        if any(text not in labels for text in words.texts):
            raise UnreadableFile(f"column {question} holds reports that the card never gives. Ask for the file again.")
        places = [labels.index(text) for text in words.texts]
    else:
        if not all(text.isdecimal() and len(text) <= 9 for text in words.texts):
            raise UnreadableFile(f"column {question} must hold whole numbers. Ask for the file again.")
        places = [int(text) for text in words.texts]
    reports = np.array(places, dtype=np.int64)[words.codes]
    if digest_of(reports) != column.digest:
        raise UnreadableFile(
            f"column {question} is not the column that its note speaks of: rows were changed, dropped or put in "
            f"another order. Ask for the file again."
        )
    return reports
