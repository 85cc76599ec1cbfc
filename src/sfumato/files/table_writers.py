"""The one writer of tables for others: its bytes follow from the rows in their final order and the note alone.

Nothing of the input is inherited. Dictionaries, views and slices are decoded to plain values, metadata of schemas and
fields is dropped, and rows are collected into row groups of a fixed size, whatever pieces they come in. In Parquet,
text has a dictionary of the values that occur in the row group, sorted; whole numbers, dates and times are stored as
differences, other values plainly; there are no statistics. Only `created_by`, the version of Arrow, is not a function
of the rows and the note. A Parquet file carries its note in the footer, and every table has it beside as well, in
`<name>.about.json`: tools that select or join rows keep no footer. Nothing is in place before all of it is.
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
from sfumato.files.parquet_tables import is_text
from sfumato.files.tables import NOTE_KEY, codebook_path, note_path

ROW_GROUP_ROWS = 1 << 18
"""Rows of a row group in Parquet; the last one of a file has fewer."""


class TableWriter:
    """Writes one table, its note and its codebook."""

    def __init__(self, path: str | Path, *, private: bool = False) -> None:
        self._path, self._private = Path(path), private
        self._format = format_of(path)
        if self._format is Format.JSON:
            raise InvalidParameter(
                "is JSON; tables are written as CSV or Parquet",
                parameter="path",
                value=str(path),
                way_out="Name one of these.",
            )
        self._encoder: TableEncoder | None = None
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
        """Add rows; every piece has the same columns."""
        with writing_sentences(self._path):
            if self._encoder is None:
                self._encoder = TableEncoder(self._stream, self._format)
            self._encoder.write(table)
            self.rows += table.num_rows

    def finish(self, note: str | None = None, *, codebook: str | None = None, beside: bool = True) -> None:
        """Put the table in place, codebook and note first; the note stands `beside` it and, in Parquet, inside."""
        if codebook is not None:
            write_beside_table(self._path, codebook=codebook, private=self._private)
        with writing_sentences(self._path):
            if self._encoder is not None:
                self._encoder.close(note)
            self._stream.flush()
            if self._temporary is None:
                self._stream.close()
                return
            os.fsync(self._stream.fileno())
            self._stream.close()
            if beside:
                write_beside_table(self._path, note=note, private=self._private)
            self._temporary.replace(self._target)
            flush_folder(self._target.parent)

    def discard(self) -> None:
        """Leave nothing behind."""
        with contextlib.suppress(Exception):
            if self._encoder is not None:
                self._encoder.discard()
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


class TableEncoder:
    """Turns rows into the bytes of a table; they go into a stream, which stays open."""

    def __init__(self, stream: Any, kind: Format) -> None:
        self._stream, self._format = stream, kind
        self._writer: Any = None
        self._held: list[Any] = []
        self._varied: set[str] = set()
        self._count = 0

    def write(self, table: Any) -> None:
        """Add rows."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        rows = plain_rows(table) if self._format is Format.CSV else _coded_rows(table)
        self._held.append(rows)
        self._count += rows.num_rows
        while self._count >= ROW_GROUP_ROWS:
            joined = pa.concat_tables(self._held)
            self._write_group(joined.slice(0, ROW_GROUP_ROWS))
            self._held = [joined.slice(ROW_GROUP_ROWS)]
            self._count -= ROW_GROUP_ROWS

    def close(self, note: str | None = None) -> None:
        """Write the last rows, and the note where the format has a place for it."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        if self._held and (self._count or self._writer is None):
            self._write_group(pa.concat_tables(self._held))
        if self._writer is not None:
            if note is not None and self._format is Format.PARQUET:
                self._writer.add_key_value_metadata({NOTE_KEY: note.encode()})
            self._writer.close()

    def discard(self) -> None:
        """Stop without writing what is held."""
        if self._writer is not None:
            self._writer.close()

    def _write_group(self, rows: Any) -> None:
        if self._format is Format.CSV:
            self._write_lines(rows)
            return
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        columns = dict(_named(rows))
        texts = [name for name, column in columns.items() if _is_text(column.type) and name not in self._varied]
        columns |= {name: _sorted_dictionary(columns[name]) for name in texts}
        if self._writer is None:
            # Where most texts are different, a dictionary takes more room than it saves.
            self._varied = {name for name in texts if 2 * len(columns[name].dictionary) > max(2, rows.num_rows)}
            self._writer = self._opened(rows.schema)
        columns |= {name: plain_column(columns[name]) for name in self._varied}
        if rows.num_rows:
            self._writer.write_table(pa.table(columns).combine_chunks(), row_group_size=ROW_GROUP_ROWS)

    def _write_lines(self, rows: Any) -> None:
        from pyarrow import csv  # noqa: PLC0415  takes a second to import

        if self._writer is None:
            options = csv.WriteOptions(quoting_style="needed")
            self._writer = csv.CSVWriter(self._stream, rows.schema, write_options=options)
        self._writer.write_table(rows)

    def _opened(self, schema: Any) -> Any:
        import pyarrow as pa  # noqa: PLC0415  takes a second to import
        import pyarrow.parquet as pq  # noqa: PLC0415  takes a second to import

        whole = [field.name for field in schema if _is_whole(field.type)]
        decimals = {field.name for field in schema if pa.types.is_floating(field.type)}
        words = [field.name for field in schema if _is_text(field.type) and field.name not in self._varied]
        kinds = [(field.name, pa.string() if field.name in self._varied else field.type) for field in schema]
        return pq.ParquetWriter(
            self._stream,
            pa.schema(kinds),
            store_schema=False,
            use_dictionary=words or False,
            column_encoding=dict.fromkeys(whole, "DELTA_BINARY_PACKED") or None,
            compression={field.name: "zstd" if field.name in decimals else "snappy" for field in schema},
            write_statistics=False,
            write_page_checksum=True,
        )


def write_table(table: Any, path: str | Path, note: str | None = None, *, private: bool = False) -> None:
    """Write an Arrow table at once."""
    with TableWriter(path, private=private) as writer:
        writer.write(table)
        writer.finish(note)


def write_beside_table(
    path: str | Path, *, note: str | None = None, codebook: str | None = None, private: bool = False
) -> None:
    """Write the codebook and the note of a table beside it; of a part in several files, beside their folder."""
    if codebook is not None:
        write_atomically(codebook_path(path), codebook, private=private)
    if note is not None:
        write_atomically(note_path(path), note, private=private)


def plain_rows(table: Any) -> Any:
    """Return a table of plain columns, without metadata; every column may have empty cells."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    return pa.table({name: plain_column(table.column(name), name) for name in table.column_names})


def plain_column(column: Any, name: str = "") -> Any:
    """Return the values of a column and nothing else: no dictionary, which may hold values of other rows."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    held = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    if isinstance(held.type, pa.BaseExtensionType):
        held = pa.chunked_array([piece.storage for piece in held.chunks], held.type.storage_type)
    while pa.types.is_dictionary(held.type):
        held = pa.chunked_array([piece.dictionary_decode() for piece in held.chunks], held.type.value_type)
    if pa.types.is_nested(held.type):
        raise InvalidParameter(
            "holds lists or records in a column",
            parameter="keep",
            value=name,
            way_out="Keep columns of text or numbers.",
        )
    if pa.types.is_large_string(held.type) or pa.types.is_string_view(held.type):
        return held.cast(pa.string())
    if pa.types.is_large_binary(held.type) or pa.types.is_binary_view(held.type):
        return held.cast(pa.binary())
    return held


def _coded_rows(table: Any) -> Any:
    """Return a table of plain columns, but for text: its dictionaries are put right when a row group is complete."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    return pa.table({name: _coded(column, name) for name, column in _named(table)})


def _coded(column: Any, name: str) -> Any:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if not is_text(column.type):
        plain = plain_column(column, name)
        return plain.dictionary_encode() if pa.types.is_string(plain.type) else plain
    kind = pa.dictionary(pa.int32(), pa.string())
    held = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    coded = held if pa.types.is_dictionary(held.type) else held.dictionary_encode()
    pieces = [
        pa.DictionaryArray.from_arrays(one.indices.cast(pa.int32()), one.dictionary.cast(pa.string()))
        for one in coded.chunks
    ]
    return pa.chunked_array(pieces, kind)


def _sorted_dictionary(column: Any) -> Any:
    """Return a column of text as a dictionary of the values that occur, each once, in the order of their bytes."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import
    import pyarrow.compute as pc  # noqa: PLC0415  takes a second to import

    held = column.unify_dictionaries().combine_chunks()
    # Entries that are equal become one, and an entry that is empty makes empty cells.
    merged = held.dictionary.dictionary_encode()
    codes = merged.indices.take(held.indices)
    used = pc.unique(codes).drop_null()
    used = used.take(pc.sort_indices(merged.dictionary.take(used)))
    return pa.DictionaryArray.from_arrays(pc.index_in(codes, used), merged.dictionary.take(used))


def _named(table: Any) -> Any:
    return zip(table.column_names, table.columns, strict=True)


def _is_text(kind: Any) -> bool:
    """Whether a column is held as coded text."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    return bool(pa.types.is_dictionary(kind))


def _is_whole(kind: Any) -> bool:
    """Whether Parquet stores values of a type as whole numbers."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    of_time = pa.types.is_date(kind) or pa.types.is_time(kind) or pa.types.is_timestamp(kind)
    return bool(of_time or pa.types.is_integer(kind))
