"""The rows and column names of CSV files in any encoding.

The first record names the columns. An error names the row by its number, from 1 below the names, and never contains
a cell.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from sfumato.errors import Place, UnreadableFile
from sfumato.files.disk import SteadyFile
from sfumato.files.formats import SEPARATORS, DataFile
from sfumato.files.texts import check_names, csv_errors, find_separator, not_text, open_reader

# --- Text of another encoding, converted to UTF-8 block by block


UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_BLOCK = 2**20


def marked_encoding(head: bytes) -> str | None:
    """Return the encoding that the mark at the beginning of a file proves; no UTF-8 begins with that of UTF-16."""
    if head.startswith(UTF8_MARK):
        return "utf-8"
    # Four bytes of two zeros would be UTF-32, which is not in use.
    return "utf-16" if head.startswith(_UTF16_MARKS) and not head.startswith(b"\xff\xfe\0\0") else None


def as_utf8(stream: BinaryIO, encoding: str | None, path: str | Path) -> BinaryIO:
    """Return a stream of UTF-8; what is marked is read as its mark says, and a declaration must not contradict it."""
    head = stream.read(4)
    stream.seek(0)
    marked = marked_encoding(head)
    if encoding is not None and marked is not None and encoding != marked:
        raise UnreadableFile(
            f"the file begins with the mark of {marked.upper()}, and `encoding` says {encoding}",
            way_out=f"Leave out `encoding`, or say {marked}.",
            place=Place(file=str(path)),
        )
    encoded = encoding or marked or "utf-8"
    return stream if encoded == "utf-8" else _Transcoded(stream, encoded, path)  # type: ignore[return-value]


class _Transcoded(io.BufferedIOBase):
    """A stream that is decoded while it is read; where to go on is counted in UTF-8."""

    def __init__(self, stream: BinaryIO, encoding: str, path: str | Path) -> None:
        self._stream, self._encoding, self._path = stream, encoding, path
        self._begin()

    def _begin(self) -> None:
        self._stream.seek(0)
        self._decoder = codecs.getincrementaldecoder(self._encoding)(errors="strict")
        self._held = bytearray()
        self._lines = 0
        self._is_done = False

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place near the beginning, which is where rows begin."""
        if whence:
            raise io.UnsupportedOperation("only from the beginning")
        self._begin()
        rest = offset
        while rest > 0 and (skipped := self.read(min(rest, _BLOCK))):
            rest -= len(skipped)
        return offset

    def read(self, size: int | None = -1) -> bytes:
        wanted = -1 if size is None else size
        while not self._is_done and (wanted < 0 or len(self._held) < wanted):
            self._fill()
        cut = len(self._held) if wanted < 0 else wanted
        found = bytes(self._held[:cut])
        del self._held[:cut]
        return found

    def read1(self, size: int = -1) -> bytes:
        return self.read(_BLOCK if size < 0 else size)

    def _fill(self) -> None:
        data = self._stream.read(_BLOCK)
        self._is_done = not data
        try:
            text = self._decoder.decode(data, final=self._is_done)
        except UnicodeDecodeError as error:
            line = self._lines + bytes(error.object[: error.start]).count(b"\n") + 1
            raise UnreadableFile(
                f"is not text in {self._encoding}, near line {line}",
                way_out="Say another `encoding`, or save it again as UTF-8.",
                place=Place(file=str(self._path)),
            ) from None
        self._lines += text.count("\n")
        self._held += text.encode("utf-8", errors="replace")


# --- The first line of a CSV file: the column names and the separator
#
# The separator is taken from the first line only where that is unambiguous: the line has one candidate outside quotes,
# or exactly one candidate gives all columns that are needed. A column without a name, such as the row numbers that R
# and pandas write, is named by its position.


HEAD_BYTES = 2**20
ANOTHER_ENCODING = (
    "Say how it is written with `encoding`, such as windows-1252 (Excel on Windows) or latin-1, or save it again as "
    "UTF-8."
)
_WORDS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvHeader:
    """The names of the columns, what stands between cells, and after how many bytes the rows begin."""

    names: tuple[str, ...]
    separator: str
    start: int


def read_header(
    data: bytes, path: str | Path, *, separator: str | None = None, needed: Collection[str] | None = None
) -> CsvHeader:
    """Read the first record of a file from its first bytes; `needed` columns decide which separator is meant."""
    head = data[:HEAD_BYTES]
    if b"\0" in head:
        raise not_text(path, head)
    mark = len(UTF8_MARK) if head.startswith(UTF8_MARK) else 0
    text = head[mark:].decode("utf-8", errors="surrogateescape")
    chosen = separator or _chosen(text, path, needed)
    names, length = _names(text, chosen, path)
    # Without any name, which is what a blank first line gives, the next line would be taken for names, unread by us.
    if not any(names):
        raise UnreadableFile(
            "the first line is blank, and should name the columns",
            way_out="Delete it, or write a name for each column.",
            place=Place(file=str(path)),
        )
    if not all(name.isascii() or _is_text(name) for name in names):
        raise UnreadableFile(
            "the names of the columns are not UTF-8 text", way_out=ANOTHER_ENCODING, place=Place(file=str(path))
        )
    named = named_by_place(names)
    check_names(named, Place(file=str(path)))
    start = mark + len(text[:length].encode("utf-8", errors="surrogateescape"))
    return CsvHeader(names=named, separator=chosen, start=start)


def named_by_place(names: Sequence[str]) -> tuple[str, ...]:
    """Call columns without a name by their place."""
    return tuple(name or place_name(number) for number, name in enumerate(names, start=1))


def place_name(number: int) -> str:
    """What a column without a name is called."""
    return f"column {number}"


def _chosen(text: str, path: str | Path, needed: Collection[str] | None) -> str:
    """Return the only separator that can be meant; who needs no particular columns gets the most frequent one."""
    line = _first_line(text)
    candidates = [sign for sign in SEPARATORS if sign in line]
    if len(candidates) < 2 or needed is None:
        return find_separator(text) if len(candidates) != 1 else candidates[0]
    fitting = [sign for sign in candidates if set(needed) <= _names_by(text, sign, path)]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        return find_separator(text)  # the refusal says which column is missing
    raise UnreadableFile(
        f"the first line has {' and '.join(_WORDS[sign] for sign in fitting)}, and each gives the columns needed",
        way_out="Say with `separator` what stands between cells.",
        place=Place(file=str(path)),
    )


def _names_by(text: str, separator: str, path: str | Path) -> set[str]:
    try:
        return set(named_by_place(_names(text, separator, path)[0]))
    except UnreadableFile:  # by this sign the line is no table, so another one is meant
        return set()


def _first_line(text: str) -> str:
    """Return what stands outside quotes in the first record."""
    found, is_quoted = [], False
    for character in text:
        if character == '"':
            is_quoted = not is_quoted
        elif not is_quoted and character in "\r\n":
            break
        elif not is_quoted:
            found.append(character)
    return "".join(found)


def _names(text: str, separator: str, path: str | Path) -> tuple[tuple[str, ...], int]:
    lines = io.StringIO(text, newline="")
    with csv_errors(path):
        cells: list[str] = next(open_reader(iter(lines.readline, ""), separator), [])
    return tuple(cell.strip() for cell in cells), lines.tell()


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8", errors="surrogateescape").decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


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
    """A stream that counts the quotes that are read from it: where their number is odd, one may not be closed."""

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
