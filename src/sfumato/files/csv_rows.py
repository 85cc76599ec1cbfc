"""The rows of a CSV file, block by block: cells are text, an empty one is no cell, and a quoted one may hold lines.

The first record names the columns. What is wrong with a row is said by its number, from 1 below the names, and never by
what it holds.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from sfumato.errors import Place, UnreadableFile
from sfumato.files.csv_headers import ANOTHER_ENCODING, HEAD_BYTES, CsvHeader, read_header
from sfumato.files.csv_tables import csv_errors, not_text, open_reader
from sfumato.files.layouts import DataFile
from sfumato.files.steady_files import SteadyFile
from sfumato.files.transcoding import as_utf8

BLOCK_BYTES = 2**22
"""What is held at a time; no record is longer."""
_COMMA = r"^(\s*[+-]?[0-9]+),([0-9]+(?:[eE][+-]?[0-9]+)?\s*)$"
_POINTED = r"^\s*[+-]?[0-9]+\.[0-9]+(?:[,eE.].*)?$"
_ODD_ROW = re.compile(r"CSV parse error: Row #(\d+): Expected \d+ columns, got (\d+):")


class CsvRows:
    """A CSV file as a source of rows."""

    rows: int | None = None

    def __init__(self, file: SteadyFile, layout: DataFile | None = None, needed: Collection[str] | None = None) -> None:
        self._file = file
        self._layout = layout or DataFile(file.path)
        with file.opened() as stream:
            head = self._text(stream).read(HEAD_BYTES)
            self._header = read_header(head, file.path, separator=self._layout.separator, needed=needed)
        self.names = self._header.names
        self.place = file.place

    @staticmethod
    def kind(name: str) -> Any:
        """Return the type of a column: text."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        del name
        return pa.string()

    def batches(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        """Yield the rows of some columns."""
        del size
        with self._file.opened() as stream:
            yield from csv_batches(
                self._text(stream), self._header, columns, self._file.path, decimal=self._layout.decimal
            )

    def _text(self, stream: BinaryIO) -> BinaryIO:
        return as_utf8(stream, self._layout.encoding, self._file.path)


def csv_batches(
    stream: BinaryIO, header: CsvHeader, columns: Sequence[str], path: str | Path, *, decimal: str = "."
) -> Iterator[Any]:
    """Yield record batches of text from a stream that can be read twice; decimals have a point there."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import
    from pyarrow import csv  # noqa: PLC0415  takes a second to import

    stream.seek(header.start)
    watched = _Watched(stream, path)
    if watched.is_empty:
        return
    done = 0
    try:
        reader = csv.open_csv(
            watched,
            # One thread: rows have numbers then, and a block at a time is in memory.
            read_options=csv.ReadOptions(column_names=header.names, use_threads=False, block_size=BLOCK_BYTES),
            # Its own handler of rows would print a traceback where a row is no text.
            parse_options=csv.ParseOptions(delimiter=header.separator, newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(columns, pa.binary()),
                strings_can_be_null=True,
                null_values=[""],
                include_columns=columns,
            ),
        )
        for batch in reader:
            texts = [_as_text(batch, name, path, done) for name in columns]
            if decimal != ".":
                texts = [_with_point(text, name, path, done) for text, name in zip(texts, columns, strict=True)]
            yield pa.record_batch(texts, names=list(columns))
            done += batch.num_rows
    except (pa.ArrowException, ValueError, OSError) as error:
        if isinstance(error, UnreadableFile | MemoryError):
            raise
        if watched.failure is not None:
            raise watched.failure from None
        raise _damaged(str(error), header, done, path) from None  # the library's message quotes the row
    if watched.quotes % 2:
        _check_closed(stream, header, path)


class _Watched(io.BufferedIOBase):
    """A stream whose quotes are counted while somebody else reads it: where they are odd, one may not be closed."""

    def __init__(self, stream: BinaryIO, path: str | Path) -> None:
        self._stream = stream
        self._path = path
        self._peeked = stream.read(1)
        self.is_empty = not self._peeked
        self.quotes = 0
        self.failure: UnreadableFile | None = None

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        try:
            data = self._peeked + self._stream.read(-1 if size is None or size < 0 else size - len(self._peeked))
        except OSError as error:
            self.failure = UnreadableFile(
                f"the file could not be read to its end: {error.strerror}",
                way_out="Copy it and retry.",
                place=Place(file=str(self._path)),
            )
            raise
        self._peeked = b""
        if b"\0" in data:
            self.failure = not_text(self._path, data)
            raise self.failure
        self.quotes += data.count(b'"')
        return data


def _as_text(batch: Any, name: str, path: str | Path, done: int) -> Any:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    column = batch.column(name)
    try:
        return column.cast(pa.string())
    except pa.ArrowInvalid:
        row = next(i for i, cell in enumerate(column) if cell.is_valid and not _is_utf8(cell.as_py()))
        raise UnreadableFile(
            f"column {name}, row {done + row + 1} is not UTF-8 text",
            way_out=ANOTHER_ENCODING,
            place=Place(file=str(path)),
        ) from None


def _with_point(column: Any, name: str, path: str | Path, done: int) -> Any:
    """Write numbers with a decimal comma with a point; one that has a point already would be read as another number."""
    import pyarrow.compute as pc  # noqa: PLC0415  takes a second to import

    pointed = pc.match_substring_regex(column, _POINTED)
    if pc.any(pointed).as_py():
        row = done + pc.index(pointed, True).as_py() + 1
        raise UnreadableFile(
            f"column {name}, row {row} has a number with a point, and `decimal` says that decimals have a comma",
            way_out="Leave out points between thousands, or leave out `decimal`.",
            place=Place(file=str(path)),
        )
    return pc.replace_substring_regex(column, _COMMA, r"\1.\2")


def _damaged(message: str, header: CsvHeader, done: int, path: str | Path) -> UnreadableFile:
    found = _ODD_ROW.match(message)
    if found:
        return UnreadableFile(
            f"row {found[1]} has {found[2]} cells, and {len(header.names)} columns are named",
            way_out="Give every row a cell for each column; a cell with a separator in it stands in quotes, and every "
            "quote is closed.",
            place=Place(file=str(path)),
        )
    return UnreadableFile(
        f"after row {done} a quote is not closed, or a record is longer than {BLOCK_BYTES // 2**20} MiB",
        way_out="Correct it, or write Parquet.",
        place=Place(file=str(path)),
    )


def _check_closed(stream: BinaryIO, header: CsvHeader, path: str | Path) -> None:
    """Go over a file whose quotes are odd again, cell by cell: its last cell may have swallowed all rows after it."""
    stream.seek(header.start)
    text = io.TextIOWrapper(stream, encoding="utf-8", errors="replace", newline="")
    try:
        with csv_errors(path):
            for _ in open_reader(text, header.separator):
                pass
    finally:
        text.detach()


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
