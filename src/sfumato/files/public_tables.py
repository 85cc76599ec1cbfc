"""The canonical writer of published tables, whose bytes follow from rows and note, and the audit of such bytes.

Nothing of the input is inherited. Dictionaries, views and slices are decoded to plain values, metadata of schemas and
fields is dropped, and rows are collected into row groups of a fixed size, whatever the sizes of the batches are. In
Parquet, text has a dictionary of the values that occur in the row group, sorted; whole numbers, dates and times are
stored as differences, other values plainly; there are no statistics. Only `created_by`, the version of Arrow, is not a
function of the rows and the note. A Parquet file carries its note in the footer. Every table also has its note beside
it, in `<name>.about.json`, because tools that select or join rows drop the footer. All files are written before any is
renamed into place.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self

from sfumato.errors import InvalidParameter
from sfumato.files.disk import flush_folder, temporary_beside, write_atomically, writing_sentences
from sfumato.files.formats import Format, format_of
from sfumato.files.parquet import Fields, Page, ParquetContent, arrow_errors, is_text
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
            # Where most texts are different, a dictionary takes more space than it saves.
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


# --- The audit: whether the bytes of a table follow from its rows and its note alone
#
# Anything else in a file is listed: metadata keys, dictionary entries without a row, the order of a dictionary,
# statistics that are not those of the rows, bytes that belong to nothing. Then the rows are written again and compared
# page by page, decompressed. Pages of another version of Arrow may differ.


_CREATED_BY = re.compile(r"parquet-cpp-arrow version [0-9]+\.[0-9]+\.[0-9]+")
_CELL = rb'(?:"(?:[^"]|"")*"|[^",\r\n]*)'
_LINE = re.compile(_CELL + rb"(?:," + _CELL + rb")+\n")
_READ_BYTES = 2**20
# Of a column in a row group: its type of text. Of pages: sizes and checksums, which depend on the compressing library.
_BYTE_ARRAY = 6
_PAGE_SIZES = (3, 4)
_CHUNK_PLACES, _COLUMN_PLACES, _GROUP_PLACES = (2,), (7, 9, 11), (5, 6)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableAudit:
    """What a table holds beyond its rows and its note; `remarks` say what could not be compared."""

    findings: tuple[str, ...]
    remarks: tuple[str, ...] = ()


def audit_table(path: str | Path) -> TableAudit:
    """Return what the bytes of a table, as CSV or Parquet, hold beyond its rows and its note."""
    if format_of(path) is Format.CSV:
        is_plain = _is_plain_csv(Path(path))
        return TableAudit(findings=() if is_plain else ("something else than lines of cells",))
    import pyarrow.parquet as pq  # noqa: PLC0415  takes a second to import

    content = ParquetContent(path)
    with arrow_errors(path), pq.ParquetFile(path, page_checksum_verification=True) as opened:
        found = [*_of_metadata(content), *_of_groups(content, opened), *_of_dictionaries(content, opened)]
        if found:
            return TableAudit(findings=tuple(dict.fromkeys(found)))
        if not _has_our_version(content):
            remark = "written by another version of Arrow, so its pages were not compared with those of its rows"
            return TableAudit(findings=(), remarks=(remark,))
        is_same = _is_written_again(content, opened)
    return TableAudit(findings=() if is_same else ("bytes that do not follow from the rows and the note",))


def _of_metadata(content: ParquetContent) -> Iterator[str]:
    for entry in content.footer.get(5, ()):
        if entry[1] != NOTE_KEY:
            yield f"metadata under the key {entry[1].decode(errors='replace')!r}"
    if _CREATED_BY.fullmatch(_created_by(content)) is None:
        yield "the name of another writer"
    if content.unused_bytes:
        yield f"{content.unused_bytes:,} bytes that belong to no column"


def _of_groups(content: ParquetContent, opened: Any) -> Iterator[str]:
    """Compare row groups with their size, and statistics with the rows."""
    groups = content.footer.get(4, ())
    for number, group in enumerate(groups):
        if group is not groups[-1] and group[3] != ROW_GROUP_ROWS:
            yield "row groups of another size"
        for place, chunk in enumerate(group[1]):
            told = opened.metadata.row_group(number).column(place) if chunk[3].get(12) else None
            if told is not None and not _are_of_rows(told.statistics, opened, number, told.path_in_schema):
                yield f"statistics of column {told.path_in_schema!r} that are not those of its rows"


def _are_of_rows(told: Any, opened: Any, group: int, name: str) -> bool:
    import pyarrow.compute as pc  # noqa: PLC0415  takes a second to import

    column = opened.read_row_group(group, columns=[name]).column(0)
    if told.has_null_count and told.null_count != column.null_count:
        return False
    if told.has_distinct_count and told.distinct_count != len(pc.unique(column.drop_null())):
        return False
    if not told.has_min_max:
        return True
    ends = pc.min_max(column).as_py()
    return bool((told.min, told.max) == (ends["min"], ends["max"]))


def _of_dictionaries(content: ParquetContent, opened: Any) -> Iterator[str]:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import
    import pyarrow.compute as pc  # noqa: PLC0415  takes a second to import

    kinds = {".".join(part.decode() for part in one[3][3]): one[3][1] for one in _chunks(content)}
    for page in content.pages():
        if page.has_statistics:
            yield f"statistics of column {page.column!r} in its pages"
        if not page.is_dictionary:
            continue
        if kinds[page.column] != _BYTE_ARRAY:
            yield f"a dictionary of column {page.column!r}, which is no text"
            continue
        entries = page.texts()
        if entries != sorted(set(entries)):
            yield f"a dictionary of column {page.column!r} that is not sorted"
        column = opened.read_row_group(page.group, columns=[page.column]).column(0)
        if len(set(entries) - set(pc.unique(column.cast(pa.binary())).to_pylist())):
            yield f"a dictionary of column {page.column!r} with values that are in no row"


def _is_written_again(content: ParquetContent, opened: Any) -> bool:
    """Write the rows again, and compare footer and pages."""
    notes = [entry[2].decode() for entry in content.footer.get(5, ())]
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        encoder = TableEncoder(file, Format.PARQUET)
        for number in range(opened.metadata.num_row_groups):
            encoder.write(opened.read_row_group(number))
        if not opened.metadata.num_row_groups:
            encoder.write(opened.schema_arrow.empty_table())
        encoder.close(*notes[:1])
        file.flush()
        again = ParquetContent(file.name)
        if len(notes) > 1 or _without_places(again.footer) != _without_places(content.footer):
            return False
        # Footers that are the same have the same number of pages.
        return all(_of_page(one) == _of_page(other) for one, other in zip(content.pages(), again.pages(), strict=True))


def _of_page(page: Page) -> tuple[int, str, Fields, bytes]:
    header = {key: value for key, value in page.header.items() if key not in _PAGE_SIZES}
    return page.group, page.column, header, page.content


def _without_places(footer: Fields) -> Fields:
    """Return a footer without what depends on how well pages were compressed."""
    groups = []
    for group in footer.get(4, ()):
        chunks = [_without(chunk, _CHUNK_PLACES) | {3: _without(chunk[3], _COLUMN_PLACES)} for chunk in group[1]]
        groups.append(_without(group, _GROUP_PLACES) | {1: chunks})
    return footer | {4: groups}


def _without(fields: Fields, numbers: tuple[int, ...]) -> Fields:
    return {key: value for key, value in fields.items() if key not in numbers}


def _has_our_version(content: ParquetContent) -> bool:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    return _created_by(content) == f"parquet-cpp-arrow version {pa.cpp_version}"


def _created_by(content: ParquetContent) -> str:
    return bytes(content.footer.get(6, b"")).decode(errors="replace")


def _chunks(content: ParquetContent) -> list[Fields]:
    return [chunk for group in content.footer.get(4, ()) for chunk in group[1]]


def _is_plain_csv(path: Path) -> bool:
    """Whether a file holds lines of cells, text in quotes and numbers without, and nothing between them."""
    held = b""
    with path.open("rb") as stream:
        while data := stream.read(_READ_BYTES):
            held += data
            at = 0
            while found := _LINE.match(held, at):
                at = found.end()
            held = held[at:]
    return not held
