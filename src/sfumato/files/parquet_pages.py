"""The pages of a Parquet file as they stand there, decompressed, and its footer as nested fields.

Libraries hand over rows. What else a file holds, in dictionaries, statistics, metadata or between its pages, is seen
only here. Headers are in Thrift's compact protocol; numbers of fields are those of parquet.thrift.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import Place, UnreadableFile

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
