"""Key files written while their draws come, or copied, in little memory however many rows there are.

A file is made under a temporary name that only its owner may read. It gets its name when all of it is on the disk.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from sfumato.files.byte_sources import ByteSource
from sfumato.files.disk import write_atomically
from sfumato.files.growing import GrowingFile
from sfumato.files.places import check_free
from sfumato.refine.key_documents import KeySealer, check_rows, seal_key
from sfumato.refine.key_protection import Protection
from sfumato.refine.key_segments import segments_of
from sfumato.refine.keys import Draws, Key

_COPIED_AT_ONCE = 1 << 20


class KeyWriter:
    """Writes the file of a key of true draws row after row, without ever holding more than a segment of them.

    `blank` says everything of the key but its draws and its record; `path` must be free unless it is to be overwritten.
    The caller holds the lock of the path if others could write there. Used in a `with` statement, what was not finished
    is discarded.
    """

    __slots__ = ("_file", "_path", "_replaces", "_sealer")

    def __init__(self, blank: Key, path: str | Path, protection: Protection, *, overwrite: bool = False) -> None:
        self._path, self._replaces = path, overwrite
        self._sealer = KeySealer(blank, protection)
        self._check_free()
        self._file = GrowingFile(path, self._sealer.front_bytes)

    def append(self, shifts: npt.NDArray[np.integer[Any]]) -> None:
        """Write the draws of the rows that follow, however many there are."""
        for segment in self._sealer.add(shifts):
            self._file.write(segment)

    def complete(self, produced: str | None = None) -> None:
        """Write header and box, once every row has come, and wait until all is on the disk; it has no name yet."""
        self._file.complete(self._sealer.front(produced))

    def put_in_place(self) -> None:
        """Give the complete file its name."""
        self._check_free()
        self._file.put_in_place()

    def finish(self, produced: str | None = None) -> None:
        """Complete the file, with the digest of the reports made under the key if there are any, and name it."""
        self.complete(produced)
        self.put_in_place()

    def discard(self) -> None:
        """Leave nothing of a file that is not in place; one that is stays."""
        self._file.discard()

    def _check_free(self) -> None:
        if not self._replaces:
            check_free("path", self._path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()


def key_file_bytes(blank: Key, protection: Protection) -> int:
    """Return how long the file of a key of true draws will be, to see beforehand whether there is room for it."""
    sealer = KeySealer(blank, protection)
    return sealer.front_bytes + sealer.segment_bytes


def write_sealed(key: Key, path: str | Path, protection: Protection) -> None:
    """Write or replace a key file; its draws pass through memory a segment at a time, and are sealed anew."""
    if not isinstance(key.material, Draws):
        write_atomically(path, seal_key(key, protection), private=True)
        return
    with filled_writer(key, path, protection, overwrite=True) as writer:
        writer.finish(key.produced)


def filled_writer(key: Key, path: str | Path, protection: Protection, *, overwrite: bool = False) -> KeyWriter:
    """Return a writer that all draws of a key were given to, to be finished."""
    check_rows(key)
    writer = KeyWriter(key, path, protection, overwrite=overwrite)
    try:
        for shifts in segments_of(key.material) if isinstance(key.material, Draws) else ():
            writer.append(shifts)
    except BaseException:
        writer.discard()
        raise
    return writer


def copy_with_front(source: ByteSource, front: bytes, skipped: int, path: str | Path) -> None:
    """Replace a key file by one with another front: what follows the first `skipped` bytes stays as it is."""
    with GrowingFile(path, len(front)) as file:
        place = skipped
        while piece := source.read(place, _COPIED_AT_ONCE):
            file.write(piece)
            place += len(piece)
        file.complete(front)
        file.put_in_place()
