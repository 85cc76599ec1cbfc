"""The rows of a CSV file, block by block: cells are text, an empty one is no cell, and a quoted one may hold lines.

The first record names the columns. What is wrong with a row is said by its number, from 1 below the names, and never by
what it holds.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from sfumato.errors import Place, UnreadableFile
from sfumato.files.csv_tables import csv_errors, find_separator, not_text, open_reader
from sfumato.files.steady_files import SteadyFile
from sfumato.files.texts import check_names

HEAD_BYTES = 2**20
BLOCK_BYTES = 2**22
"""What is held at a time; no record is longer."""
_ODD_ROW = re.compile(r"CSV parse error: Row #(\d+): Expected \d+ columns, got (\d+):")
_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvHeader:
    """The names of the columns, what stands between cells, and after how many bytes the rows begin."""

    names: tuple[str, ...]
    separator: str
    start: int


class CsvRows:
    """A CSV file as a source of rows."""

    rows: int | None = None

    def __init__(self, file: SteadyFile) -> None:
        self._file = file
        with file.opened() as stream:
            self._header = read_header(stream.read(HEAD_BYTES), file.path)
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
            yield from csv_batches(stream, self._header, columns, self._file.path)


def read_header(data: bytes, path: str | Path) -> CsvHeader:
    """Read the first record of a file from its first bytes."""
    head = data[:HEAD_BYTES]
    if b"\0" in head:
        raise not_text(path)
    mark = len(_MARK) if head.startswith(_MARK) else 0
    text = head[mark:].decode("utf-8", errors="surrogateescape")
    separator = find_separator(text)
    lines = io.StringIO(text, newline="")
    with csv_errors(path):
        names = tuple(cell.strip() for cell in next(open_reader(iter(lines.readline, ""), separator), []))
    # Without any name, which is what a blank first line gives, the next line would be taken for names, unread by us.
    if not names or len(set(names)) != len(names) or not all(names):
        raise UnreadableFile(
            "the file needs a first line with a different name for each column",
            way_out="Write one.",
            place=Place(file=str(path)),
        )
    check_names(names, Place(file=str(path)))
    if not all(name.isascii() or _is_text(name) for name in names):
        raise not_text(path)
    start = mark + len(text[: lines.tell()].encode("utf-8", errors="surrogateescape"))
    return CsvHeader(names=names, separator=separator, start=start)


def csv_batches(stream: BinaryIO, header: CsvHeader, columns: Sequence[str], path: str | Path) -> Iterator[Any]:
    """Yield record batches of text from a stream that can be read twice."""
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
            yield pa.record_batch([_as_text(batch, name, path, done) for name in columns], names=list(columns))
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
            self.failure = not_text(self._path)
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
            way_out="Save the file again as UTF-8.",
            place=Place(file=str(path)),
        ) from None


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


def _is_text(name: str) -> bool:
    return _is_utf8(name.encode("utf-8", errors="surrogateescape"))


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
