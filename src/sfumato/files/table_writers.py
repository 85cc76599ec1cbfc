"""Tables written chunk by chunk: nothing is in place before all of it is, and the note, which comes last, is in it.

A Parquet file carries its note in the footer, and every table has it beside as well, in `<name>.about.json`: tools that
select or join rows keep no footer.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO, Self

from sfumato.errors import InvalidParameter
from sfumato.files.disk import flush_folder, temporary_beside, write_atomically, writing_sentences
from sfumato.files.formats import Format, format_of
from sfumato.files.tables import NOTE_KEY, note_path


class TableWriter:
    """Writes one table. `ascending` names a column of rising whole numbers, which take hardly any room."""

    def __init__(self, path: str | Path, *, private: bool = False, ascending: str | None = None) -> None:
        self._path, self._private, self._ascending = Path(path), private, ascending
        self._format = format_of(path)
        if self._format is Format.JSON:
            raise InvalidParameter(
                "is JSON; tables are written as CSV or Parquet",
                parameter="path",
                value=str(path),
                way_out="Name one of these.",
            )
        self._writer: Any = None
        self.rows = 0
        with writing_sentences(path):
            self._old = self._path.stat() if self._path.exists() else None
            if self._old is not None and not stat.S_ISREG(self._old.st_mode):  # a pipe or a device is written to
                self._temporary: Path | None = None
                self._stream: BinaryIO = self._path.open("wb")
            else:
                self._target = Path(os.path.realpath(self._path))
                self._temporary = temporary_beside(self._target)
                self._stream = self._created(self._temporary)

    def _created(self, path: Path) -> BinaryIO:
        mode = 0o666 if self._old is None and not self._private else 0o600
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        if self._old is not None:
            os.fchmod(descriptor, stat.S_IMODE(self._old.st_mode) & (0o700 if self._private else 0o7777))
        return os.fdopen(descriptor, "wb")

    def write(self, table: Any) -> None:
        """Add rows; every chunk has the same columns."""
        with writing_sentences(self._path):
            if self._writer is None:
                self._writer = self._opened(table.schema)
            if self._format is Format.PARQUET:
                self._writer.write_table(table, row_group_size=max(1, table.num_rows))
            else:
                self._writer.write_table(_plain(table))
            self.rows += table.num_rows

    def finish(self, note: str | None = None, *, beside: bool = True) -> None:
        """Put the table in place, its note first, which stands `beside` it too; until now nothing was there."""
        with writing_sentences(self._path):
            if self._writer is not None:
                if note is not None and self._format is Format.PARQUET:
                    self._writer.add_key_value_metadata({NOTE_KEY: note.encode()})
                self._writer.close()
            self._stream.flush()
            if self._temporary is None:
                self._stream.close()
                return
            os.fsync(self._stream.fileno())
            self._stream.close()
            if note is not None and beside:
                write_atomically(note_path(self._path), note, private=self._private)
            self._temporary.replace(self._target)
            flush_folder(self._target.parent)

    def discard(self) -> None:
        """Leave nothing behind."""
        with contextlib.suppress(Exception):
            if self._writer is not None:
                self._writer.close()
        with contextlib.suppress(OSError, ValueError):
            self._stream.close()
        if self._temporary is not None:
            with contextlib.suppress(OSError):
                self._temporary.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self.discard()

    def _opened(self, schema: Any) -> Any:
        if self._format is Format.CSV:
            from pyarrow import csv  # noqa: PLC0415  takes a second to import

            return csv.CSVWriter(
                self._stream,
                _plain(schema.empty_table()).schema,
                write_options=csv.WriteOptions(quoting_style="needed"),
            )
        import pyarrow.parquet as pq  # noqa: PLC0415  takes a second to import

        rising = [name for name in schema.names if name == self._ascending]
        return pq.ParquetWriter(
            self._stream,
            schema,
            use_dictionary=[name for name in schema.names if name not in rising] or False,
            column_encoding=dict.fromkeys(rising, "DELTA_BINARY_PACKED") or None,
            write_page_checksum=True,
        )


def write_table(table: Any, path: str | Path, note: str | None = None, *, private: bool = False) -> None:
    """Write an Arrow table at once."""
    with TableWriter(path, private=private) as writer:
        writer.write(table)
        writer.finish(note)


def _plain(table: Any) -> Any:
    """A CSV has no dictionaries."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    return pa.table(
        {
            name: column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
            for name, column in zip(table.column_names, table.columns, strict=True)
        }
    )
