"""Bytes that are read piece by piece, from a file that may be larger than memory or from memory itself."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Protocol

from sfumato.errors import Place
from sfumato.files.disk import DEFAULT_LIMIT_BYTES, empty_file, open_for_reading, read_at_most

_ANY_SIZE = 1 << 62
_HEAD_BYTES = 1 << 14


class ByteSource(Protocol):
    """Bytes of a known number, any of which can be asked for."""

    @property
    def size(self) -> int:
        """How many there are."""

    @property
    def place(self) -> Place | None:
        """Which file they are of, for a sentence."""

    def read(self, start: int, length: int) -> bytes:
        """Return `length` bytes from `start` on, fewer where the end comes before."""


class HeldBytes:
    """Bytes in memory."""

    __slots__ = ("_data",)

    place = None

    def __init__(self, data: bytes) -> None:
        self._data = data

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self._data)

    def read(self, start: int, length: int) -> bytes:
        """Return `length` bytes from `start` on."""
        return self._data[start : start + length]


class FileBytes:
    """Bytes of a regular file, by its name: it is open only while it is read, so any number of them can be held.

    Its first bytes are read at once, so that they belong together. Whoever replaces the file replaces what is read
    behind them from then on; who cares must be able to tell from the bytes.
    """

    __slots__ = ("_head", "_path", "size")

    size: int

    def __init__(self, path: str | Path, size: int, head: bytes = b"") -> None:
        # A program that changes its folder still means the same file.
        self._path = Path(os.path.abspath(path))  # noqa: PTH100  links are followed at each reading, not once
        self._head = head
        self.size = size

    @property
    def place(self) -> Place:
        """Which file they are of."""
        return Place(file=str(self._path))

    def read(self, start: int, length: int) -> bytes:
        """Return `length` bytes from `start` on."""
        if start + length <= len(self._head):
            return self._head[start : start + length]
        with open_for_reading(self._path, limit_bytes=_ANY_SIZE) as stream:
            stream.seek(start)
            return read_at_most(stream, length, self._path)


def source_of(path: str | Path) -> ByteSource:
    """Return the bytes of a file; those of a pipe are read at once, because they come only once."""
    with open_for_reading(path, limit_bytes=_ANY_SIZE) as stream:
        found = os.fstat(stream.fileno())
        if not stat.S_ISREG(found.st_mode):
            return HeldBytes(read_at_most(stream, DEFAULT_LIMIT_BYTES, path))
        head = read_at_most(stream, _HEAD_BYTES, path)
    if not head:
        raise empty_file(path)
    return FileBytes(path, found.st_size, head)
