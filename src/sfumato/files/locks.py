"""One process at a time: a lock beside the file that is worked on, gone again afterwards."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from sfumato.errors import InvalidParameter

try:
    import fcntl
except ImportError:  # no such locks on Windows; a file that only one process can create serves instead
    _HAS_LOCKS = False
else:
    _HAS_LOCKS = True

_PATIENCE_SECONDS = 60.0
_PAUSE_SECONDS = 0.02


@contextlib.contextmanager
def locked(path: str | Path) -> Iterator[None]:
    """Be the only process at work on a file; the lock is a file beside it, gone again afterwards."""
    try:
        # Two names of one file share its lock.
        target = Path(os.path.realpath(path))
    except (OSError, ValueError):  # a NUL byte, or links in a circle
        raise InvalidParameter(
            "is not a name that a file can have", parameter="path", way_out="Choose another."
        ) from None
    lock = target.with_name(f".{target.name[:100]}.lock")
    descriptor = _take(lock)
    try:
        yield
    finally:
        # While the lock is held: who waits for this very file finds that its name is gone, and starts over.
        with contextlib.suppress(OSError):
            lock.unlink()
        os.close(descriptor)


def _take(lock: Path) -> int:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        descriptor = _try_to_take(lock)
        if descriptor is not None:
            return descriptor
        if time.monotonic() > deadline:
            raise InvalidParameter(
                f"is in use: another process has held {lock} for a minute",
                parameter="path",
                way_out="Wait for it to finish; if it was killed, delete that file.",
            )
        time.sleep(_PAUSE_SECONDS)


def _try_to_take(lock: Path) -> int | None:
    exclusively = 0 if _HAS_LOCKS else os.O_EXCL
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | exclusively, 0o600)
    except FileExistsError:
        return None
    except (FileNotFoundError, NotADirectoryError):
        raise InvalidParameter(
            "is a folder that does not exist",
            parameter="path",
            value=str(lock.parent),
            way_out="Create the folder first.",
        ) from None
    except OSError as error:
        raise InvalidParameter(
            f"lies in {lock.parent}, where no lock can be made: {error.strerror}",
            parameter="path",
            way_out="Choose another folder.",
        ) from None
    if not _HAS_LOCKS:
        return descriptor
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The holder before may have taken the name away between the opening and the locking.
        if os.path.samestat(os.fstat(descriptor), lock.stat()):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(descriptor)
    return None
