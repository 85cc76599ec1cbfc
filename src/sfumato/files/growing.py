"""A file that grows piece by piece, for its owner alone, and takes its name only when it is complete."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import Self

from sfumato.errors import InvalidParameter
from sfumato.files.disk import flush_folder, stat_if_there, temporary_beside, writing_sentences


class GrowingFile:
    """A private file under a temporary name, with room at its front for what is known only at the end.

    Other users may not read it from its creation on; one that it replaces hands on what its owner was allowed. A link
    stays a link. Until `put_in_place` nothing is seen under the name, and `discard` leaves nothing.
    """

    __slots__ = ("_path", "_stream", "_target", "_temporary")

    def __init__(self, path: str | Path, room: int) -> None:
        self._path = path
        with writing_sentences(path):
            self._target = Path(os.path.realpath(path))
            old = stat_if_there(path)
            if old is not None and stat.S_ISDIR(old.st_mode):
                raise IsADirectoryError
            if old is not None and not stat.S_ISREG(old.st_mode):
                raise InvalidParameter(
                    "is a pipe or a device, and what is written piece by piece needs a file",
                    parameter="path",
                    value=str(path),
                    way_out="Name a file.",
                )
            self._temporary = temporary_beside(self._target)
            try:
                descriptor = os.open(self._temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                self._stream = os.fdopen(descriptor, "wb")
                if old is not None:
                    os.fchmod(descriptor, stat.S_IMODE(old.st_mode) & 0o700)
                self._stream.seek(room)
            except BaseException:  # an interrupt may come between any two lines
                self.discard()
                raise

    def write(self, data: bytes) -> None:
        """Add at the end."""
        with writing_sentences(self._path):
            self._stream.write(data)

    def complete(self, front: bytes) -> None:
        """Fill the room at the front, and wait until all of it is on the disk."""
        with writing_sentences(self._path):
            self._stream.seek(0)
            self._stream.write(front)
            self._stream.flush()
            os.fsync(self._stream.fileno())
            self._stream.close()

    def put_in_place(self) -> None:
        """Give the complete file its name; what has it already is replaced."""
        with writing_sentences(self._path):
            self._temporary.replace(self._target)
            flush_folder(self._target.parent)

    def discard(self) -> None:
        """Remove what was written; nothing is done once it is in place."""
        with contextlib.suppress(OSError, AttributeError):  # it may have come to no stream at all
            self._stream.close()
        with contextlib.suppress(OSError):
            self._temporary.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()
