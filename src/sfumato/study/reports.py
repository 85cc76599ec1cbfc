"""Reports with the note that tells what they are: the thing that is published, opened and estimated from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files import write_atomically
from sfumato.files.formats import Format, format_of
from sfumato.files.places import check_places, check_table_place
from sfumato.files.tables import TABLE_LIMIT_BYTES, note_path, read_table, words_of, write_table
from sfumato.prob import AnyChannel
from sfumato.refine.keys import digest_of
from sfumato.study.codebooks import codebook, described_columns, read_column
from sfumato.study.notes import ReportsNote

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

MOST_GROUPS = 1000


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
            raise UnreadableFile(
                f"lacks the column {missing[0]!r} of its note",
                place=Place(file=str(path)),
                way_out="Ask for the file again.",
            )
        return found

    def write(self, path: str | Path) -> None:
        """Write reports and note, as CSV or Parquet, and a codebook beside them.

        What a key has opened is for whoever holds that key: only the owner of the file may read it.
        """
        kept = tuple(name for name in self.table.column_names if name not in self.note.columns)
        private = self.is_opened
        write_atomically(codebook_path(path), codebook(self.note, kept), private=private)
        write_table(described_columns(self.table, self.note), path, self.note.to_text(), private=private)

    @property
    def is_opened(self) -> bool:
        """Whether some column is sharper than the public one."""
        return any(column.level < len(self.note.way(name).epsilons) for name, column in self.note.columns.items())

    def to_arrow(self) -> pa.Table:
        """Return the table as it is; a report that is an answer stands there by its label."""
        return described_columns(self.table, self.note)

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas DataFrame; pandas must be installed."""
        return self.table.to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Return a polars DataFrame; polars must be installed."""
        import polars  # noqa: PLC0415, ICN001  only if the reader has it

        return polars.DataFrame(polars.from_arrow(self.table))

    def column(self, question: str) -> npt.NDArray[np.int64]:
        """Return the reports of a question as numbers, checked against the note; of two answers, 1 is the second."""
        noted = self.note.column(question)
        reports = read_column(self.note.way(question), words_of(self.table, question))
        if digest_of(reports) != noted.digest:
            raise UnreadableFile(
                f"column {question} is not the column that its note speaks of: rows were changed, dropped or put in "
                f"another order",
                way_out="Ask for the file again.",
            )
        return reports

    def channel(self, question: str) -> AnyChannel:
        """Return the exact channel from answers to reports of a question, at the level that these reports show."""
        return self.note.way(question).channel(self.note.column(question).level)

    def tallies(self, question: str, group: str | None = None) -> Iterator[tuple[str | None, Any]]:
        """Count the reports of a question: over everybody first, then by the groups of a kept column."""
        way, reports, level = self.note.way(question), self.column(question), self.note.column(question).level
        yield None, way.tally(reports, level, positions=self.note.offset)
        for label, rows in self._groups(group):
            if way.by_position:
                raise InvalidParameter(
                    f"question {question!r} means something only in the order of all its reports, so groups cannot be "
                    f"read from it",
                    parameter="group",
                    value=group,
                    way_out="Name the other questions, or leave out `group`.",
                )
            yield label, way.tally(reports[rows], level)

    def _groups(self, group: str | None) -> list[tuple[str, npt.NDArray[np.int64]]]:
        if group is None:
            return []
        if group in self.note.columns:
            raise InvalidParameter(
                "is a question; its reports are noise, not groups",
                parameter="group",
                value=group,
                way_out="Name a kept column.",
            )
        words = words_of(self.table, group)
        if len(words.texts) > MOST_GROUPS:
            raise InvalidParameter(
                f"has more than {MOST_GROUPS} values",
                parameter="group",
                value=group,
                way_out="An identifier is no group; name another column.",
            )
        order = sorted(range(len(words.texts)), key=lambda code: words.texts[code])
        return [(words.texts[code], np.flatnonzero(words.codes == code)) for code in order]

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __repr__(self) -> str:
        columns = ", ".join(
            f"{name} at {self.note.way(name).level_words(column.level)}" for name, column in self.note.columns.items()
        )
        return f"<Reports on {self.note.study.name!r}: {len(self):,} rows; {columns}>"

    def _repr_html_(self) -> str:
        from sfumato.render.notebooks import reports_html  # noqa: PLC0415  a door into a later room, opened when used

        return reports_html(self)


def check_reports_place(path: str | Path, parameter: str = "out") -> None:
    """Refuse a place where reports, their note or their codebook cannot be written."""
    check_table_place(parameter, path)
    beside = [codebook_path(path)] if format_of(path) is Format.PARQUET else [codebook_path(path), note_path(path)]
    for place in beside:
        check_places(**{parameter: place})


def codebook_path(path: str | Path) -> Path:
    """Where the codebook of a file of reports stands."""
    return Path(f"{path}.codebook.md")
