"""Parquet files: checked footers, rows in batches, and raw pages.

Footer strings and lists have maximal sizes, page checksums are verified where the writer stored them, and text columns
are read as dictionaries, because a small file can repeat one long value twenty million times.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import Place, SfumatoError, UnreadableFile
from sfumato.files.disk import SteadyFile
from sfumato.files.texts import check_names, normal

MOST_ENTRIES = 20_000_000
"""Rows times columns of a table that is held in memory."""
_FOOTER_LIMIT = 10_000_000
"""Bytes of one string, or entries of one list, in the footer."""
_BATCH_ROWS = 2**16
_BUFFER_BYTES = 2**20
# A Boolean column has eight entries in a byte; repeated text is compressed to a fiftieth.
_MOST_PER_BYTE = 100
_PLAIN_BYTES = 2**27


@contextlib.contextmanager
def arrow_errors(path: str | Path) -> Iterator[None]:
    """Turn whatever the Parquet library raises on a damaged file into one sentence."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    try:
        yield
    except SfumatoError:
        raise
    except MemoryError:  # what is damaged may claim any size
        raise UnreadableFile(
            "the file asks for more memory than this machine has left, or it is damaged",
            way_out="Close other programs, or check that it was copied whole.",
            place=Place(file=str(path)),
        ) from None
    # The library speaks through its own exceptions and, for some kinds of damage, through Python's.
    except (pa.ArrowException, OSError, ValueError, KeyError, IndexError, TypeError, OverflowError):
        raise UnreadableFile(
            "the file is not Parquet, or is damaged",
            way_out="Write it again with the program that made it, or check that it was copied whole.",
            place=Place(file=str(path)),
        ) from None


def open_parquet(source: Any, path: str | Path) -> Any:
    """Open a file or a buffer and check its column names; call it within `arrow_errors`."""
    import pyarrow.parquet as pq  # noqa: PLC0415  takes a second to import

    options = {
        "page_checksum_verification": True,
        "thrift_string_size_limit": _FOOTER_LIMIT,
        "thrift_container_size_limit": _FOOTER_LIMIT,
        # Read ahead of batches, a file would be held as a whole; without a buffer, all of a row group's column.
        "pre_buffer": False,
        "buffer_size": _BUFFER_BYTES,
    }
    opened = pq.ParquetFile(source, **options)
    _check_proportions(opened.metadata, _size_of(source), path)
    check_names(opened.schema_arrow.names, Place(file=str(path)))
    words = [field.name for field in opened.schema_arrow if is_text(field.type)]
    return pq.ParquetFile(source, read_dictionary=words, **options) if words else opened


def check_entries(opened: Any, path: str | Path) -> None:
    """Refuse a table that would not fit in memory, from its footer alone."""
    rows, columns = opened.metadata.num_rows, opened.metadata.num_columns
    if rows < 1 or columns < 1:
        raise UnreadableFile(
            f"the file has {rows} rows and {columns} columns",
            way_out="Write at least one of each.",
            place=Place(file=str(path)),
        )
    if rows * columns > MOST_ENTRIES:
        raise UnreadableFile(
            f"the file has {rows} rows × {columns} columns, more than {MOST_ENTRIES} entries",
            way_out="Merge symbols, or write a structured channel as JSON.",
            place=Place(file=str(path)),
        )


def _check_proportions(footer: Any, size: int, path: str | Path) -> None:
    """Refuse a file of a few kilobytes that stands for gigabytes: one value, repeated or compressed without end."""
    entries = footer.num_rows * footer.num_columns
    # Of row groups, not of their columns: a damaged column chunk, asked for by itself, ends the process.
    plain = sum(footer.row_group(i).total_byte_size for i in range(footer.num_row_groups))
    if entries > max(MOST_ENTRIES, size * _MOST_PER_BYTE) or plain > max(_PLAIN_BYTES, size * _MOST_PER_BYTE):
        raise UnreadableFile(
            f"the file stands for more than {_MOST_PER_BYTE} entries or bytes in each of its own bytes",
            way_out="Write it as CSV, or leave out columns that say the same in every row.",
            place=Place(file=str(path)),
        )


def _size_of(source: Any) -> int:
    size = getattr(source, "size", None)
    return int(size()) if callable(size) else os.fstat(source.fileno()).st_size


def batches(opened: Any, columns: list[str], size: int = _BATCH_ROWS) -> Iterator[Any]:
    """Yield record batches that have been checked from end to end."""
    for batch in opened.iter_batches(batch_size=size, columns=columns, use_threads=False):
        # A damaged page can decode to offsets that point outside their buffer; later steps would follow them.
        batch.validate(full=True)
        yield batch


def is_text(kind: Any) -> bool:
    """Whether a column holds text, as a dictionary or not."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(plain) or pa.types.is_large_string(plain))


def common_kind(one: Any, other: Any) -> Any:
    """Return the type that two columns of one name can both be read as; raises ArrowException where there is none."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if pa.types.is_null(one) or one == other:
        return other
    if pa.types.is_null(other):
        return one
    pair = [pa.schema([("it", one)]), pa.schema([("it", other)])]
    return pa.unify_schemas(pair, promote_options="permissive").field(0).type


def plain_text(column: Any) -> Any:
    """Return a column whose text is stored plainly: polars passes it as views, alone or in a dictionary.

    A dictionary that holds an empty word is spelled out, so that its empty cells count as empty.
    """
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if pa.types.is_string_view(column.type):
        return column.cast(pa.string())
    if not pa.types.is_dictionary(column.type):
        return column
    pieces = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    if any(piece.dictionary.null_count for piece in pieces):
        found = [piece.dictionary_decode() for piece in pieces]
    elif pa.types.is_string_view(column.type.value_type):
        found = [pa.DictionaryArray.from_arrays(p.indices, p.dictionary.cast(pa.string())) for p in pieces]
    else:
        return column
    return pa.chunked_array(found) if isinstance(column, pa.ChunkedArray) else found[0]


def text_values(column: Any, path: str | Path, *, longest: int) -> list[str]:
    """Return a text column without nulls as Python strings that share memory when equal."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    words = check_words(encoded.dictionary, path, longest=longest)
    return [words[i] for i in encoded.indices.to_pylist()]


def check_words(dictionary: Any, path: str | Path, *, longest: int) -> list[str]:
    """Return the words of a dictionary in Unicode NFC; nulls and long ones are refused without repeating them."""
    import pyarrow.compute as pc  # noqa: PLC0415  takes a second to import

    if dictionary.null_count or (pc.max(pc.binary_length(dictionary)).as_py() or 0) > longest:
        raise UnreadableFile(
            f"the file has a cell of text that is empty or longer than {longest} bytes",
            way_out="Correct it.",
            place=Place(file=str(path)),
        )
    return [normal(word) for word in dictionary.to_pylist()]


# --- The rows of a Parquet file in batches; only the columns that are needed are read


class ParquetRows:
    """A Parquet file as a source of rows; how many there are stands in its footer."""

    def __init__(self, file: SteadyFile) -> None:
        self._file = file
        with file.opened() as stream, arrow_errors(file.path):
            opened = self._open(stream)
            self.rows: int | None = int(opened.metadata.num_rows)
            self._kinds = {field.name: field.type for field in opened.schema_arrow}
        self.names = tuple(self._kinds)
        self.place = file.place

    def kind(self, name: str) -> Any:
        """Return the type of a column."""
        return self._kinds[name]

    def batches(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        """Yield the rows of some columns, checked from end to end; text comes as dictionaries."""
        seen = 0
        with self._file.opened() as stream, arrow_errors(self._file.path):
            for batch in batches(self._open(stream), list(columns), size):
                seen += batch.num_rows
                yield batch
            if seen != self.rows:
                raise UnreadableFile(
                    f"the file says that it has {self.rows} rows, and {seen} were found",
                    way_out="Write it again with the program that made it, or check that it was copied whole.",
                    place=self.place,
                )

    def _open(self, stream: Any) -> Any:
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        source = stream if self._file.held is None else pa.BufferReader(self._file.held)
        return open_parquet(source, self._file.path)


# --- The pages of a Parquet file, decompressed, and its footer as nested fields
#
# Libraries return rows only. Here the other contents of a file can be examined: dictionaries, statistics, metadata,
# bytes between pages. Headers are in Thrift's compact protocol; field numbers are those of parquet.thrift.


Fields = dict[int, Any]
"""The fields of a record by their numbers."""
_CODECS = {0: "none", 1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "lz4_raw"}
_DICTIONARY, _DATA_2 = 2, 3
_MAGIC = b"PAR1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page of a column in a row group: its header, and its content without compression."""

    group: int
    column: str
    header: Fields
    content: bytes

    @property
    def is_dictionary(self) -> bool:
        """Whether it holds the values that other pages number."""
        return bool(self.header[1] == _DICTIONARY)

    @property
    def has_statistics(self) -> bool:
        """Whether its header says something about its values."""
        return bool(self.header.get(5, {}).get(5) or self.header.get(8, {}).get(8))

    def texts(self) -> list[bytes]:
        """Return the entries of a dictionary of texts."""
        found, at = [], 0
        while at < len(self.content):
            stop = at + 4 + int.from_bytes(self.content[at : at + 4], "little")
            found.append(self.content[at + 4 : stop])
            at = stop
        return found


class ParquetContent:
    """Everything that a file holds: its footer, its pages, and how many bytes belong to neither."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        with _refused(path), self._path.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - 8))
            tail = stream.read(8)
            length = int.from_bytes(tail[:4], "little")
            stream.seek(0)
            if tail[4:] != _MAGIC or stream.read(4) != _MAGIC or not 0 < length <= size - 12:
                raise ValueError("no Parquet")
            stream.seek(size - 8 - length)
            reader = _Reader(stream.read(length))
            self.footer = reader.record()
            chunks = [chunk[3] for group in self.footer.get(4, ()) for chunk in group[1]]
            self.unused_bytes = size - 12 - reader.at - sum(chunk[7] for chunk in chunks)

    def pages(self) -> Iterator[Page]:
        """Go through the pages, row group by row group, column by column."""
        with _refused(self._path), self._path.open("rb") as stream:
            for group, row_group in enumerate(self.footer.get(4, ())):
                for chunk in row_group[1]:
                    described = chunk[3]
                    stream.seek(min(described[key] for key in (9, 11) if key in described))
                    name = ".".join(part.decode() for part in described[3])
                    yield from _pages(stream.read(described[7]), group, name, _CODECS.get(described[4]))


@contextlib.contextmanager
def _refused(path: str | Path) -> Iterator[None]:
    try:
        yield
    except (LookupError, ValueError, TypeError, AttributeError, OSError, ArithmeticError, MemoryError, RuntimeError):
        raise UnreadableFile(
            "the file is not Parquet, is damaged, or is compressed in a way that is not known here",
            way_out="Ask for the file again.",
            place=Place(file=str(path)),
        ) from None


def _pages(data: bytes, group: int, column: str, codec: str | None) -> Iterator[Page]:
    at = 0
    while at < len(data):
        reader = _Reader(data, at)
        header = reader.record()
        stop = reader.at + header[3]
        held = data[reader.at : stop]
        if len(held) != header[3]:
            raise ValueError("a page is cut off")
        levels = header[8][5] + header[8][6] if header[1] == _DATA_2 else 0
        is_plain = header[1] == _DATA_2 and header[8].get(7) is False
        content = held if is_plain else held[:levels] + _plain(held[levels:], codec, header[2] - levels)
        yield Page(group=group, column=column, header=header, content=content)
        at = stop


def _plain(data: bytes, codec: str | None, size: int) -> bytes:
    if codec == "none" or not data:
        return data
    if codec is None:
        raise ValueError("a codec that is not known here")
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    return bytes(pa.Codec(codec).decompress(data, decompressed_size=size, asbytes=True))


class _Reader:
    """Thrift's compact protocol."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self._data, self.at = data, at

    def record(self) -> Fields:
        """Read the fields of a record."""
        found: Fields = {}
        number = 0
        while byte := self._byte():
            step, kind = byte >> 4, byte & 15
            number = number + step if step else self._signed()
            found[number] = kind == 1 if kind in {1, 2} else self._value(kind)
        return found

    def _byte(self) -> int:
        self.at += 1
        return self._data[self.at - 1]

    def _size(self) -> int:
        shift = found = 0
        while True:
            byte = self._byte()
            found |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return found

    def _signed(self) -> int:
        found = self._size()
        return (found >> 1) ^ -(found & 1)

    def _bytes(self, size: int) -> bytes:
        self.at += size
        if self.at > len(self._data):
            raise ValueError("a text is cut off")
        return self._data[self.at - size : self.at]

    def _value(self, kind: int) -> Any:
        if kind in {1, 2}:  # in a list a truth value is a byte
            return self._byte() == 1
        if kind == 3:
            return self._byte()
        if kind in {4, 5, 6}:
            return self._signed()
        if kind == 7:
            return self._bytes(8)
        if kind == 8:
            return self._bytes(self._size())
        if kind in {9, 10}:
            byte = self._byte()
            size = byte >> 4 if byte >> 4 < 15 else self._size()
            return [self._value(byte & 15) for _ in range(size)]
        if kind == 12:
            return self.record()
        raise ValueError("no field of Parquet")
