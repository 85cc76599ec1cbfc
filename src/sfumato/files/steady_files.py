"""A file that is read for long, or more than once, and has to stay the same meanwhile."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from sfumato.errors import Place, UnreadableFile
from sfumato.files.disk import empty_file, open_for_reading, read_bytes

PIPE_LIMIT_BYTES = 2**28
"""A pipe can be read once and has no end to look at first, so it is held in memory, up to here."""

Stamp = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SteadyFile:
    """A file as it was when it was first looked at; whoever reads it later reads the same, or is told."""

    path: Path
    limit_bytes: int = sys.maxsize
    held: bytes | None = field(default=None, repr=False)
    _stamp: Stamp | None = None

    @classmethod
    def at(cls, path: str | Path, *, limit_bytes: int | None = None) -> SteadyFile:
        """Look at a file; one that is missing, empty or over the limit is refused."""
        limit = sys.maxsize if limit_bytes is None else limit_bytes
        # A pipe would wait here for whoever writes to it, and be empty for the next to open it.
        if Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
            data = read_bytes(path, limit_bytes=min(limit, PIPE_LIMIT_BYTES))
            return cls(path=Path(path), limit_bytes=limit, held=data)
        with open_for_reading(path, limit_bytes=limit) as stream:
            found = os.fstat(stream.fileno())
        if stat.S_ISREG(found.st_mode) and found.st_size == 0:
            raise empty_file(path)
        return cls(path=Path(path), limit_bytes=limit, _stamp=_stamp_of(found))

    @property
    def place(self) -> Place:
        """What a refusal says of where it is."""
        return Place(file=str(self.path))

    @contextlib.contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Open it, and refuse what has been changed since it was looked at, or while it was open."""
        if self.held is not None:
            yield io.BytesIO(self.held)
            return
        with open_for_reading(self.path, limit_bytes=self.limit_bytes) as stream:
            self._check(os.fstat(stream.fileno()))
            try:
                yield stream
            except UnreadableFile:
                # What is half written looks damaged; the reason comes first.
                self._check(os.fstat(stream.fileno()))
                raise
            self._check(os.fstat(stream.fileno()))
            with contextlib.suppress(FileNotFoundError):  # deleted: what was opened is whole
                self._check(self.path.stat())

    def _check(self, found: os.stat_result) -> None:
        if _stamp_of(found) != self._stamp:
            raise UnreadableFile(
                "the file was changed while it was read",
                way_out="Wait until the program that writes it has finished, then start again.",
                place=self.place,
            )


def _stamp_of(found: os.stat_result) -> Stamp:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
