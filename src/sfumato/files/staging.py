"""Staging folders that are renamed into place, and locks beside files."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from sfumato.errors import InvalidParameter
from sfumato.files.disk import flush_folder, read_bytes, write_atomically

_ENDING = ".staged"
_TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.tmp")


def staging_beside(target: str | Path, token: str) -> Path:
    """Return the folder in which a file `target` is staged: on the same disk, so that renaming moves no bytes."""
    real = Path(os.path.realpath(target))
    return real.with_name(f".{real.name[:100]}.{token}{_ENDING}")


def staging_inside(folder: str | Path, token: str) -> Path:
    """Return the folder in which files for a folder are staged: inside it, for it may be a disk of its own."""
    return Path(os.path.realpath(folder)) / f".{token}{_ENDING}"


@contextlib.contextmanager
def staged_afresh(folder: Path) -> Iterator[Path]:
    """Make a staging folder that only its owner may look into; after a failure nothing of it is left."""
    try:
        discard(folder)
        folder.mkdir(mode=0o700)
        yield folder
    except BaseException as error:
        discard(folder)
        # What has no number is not of the disk: a library that could not be loaded, for want of memory.
        if not isinstance(error, OSError) or error.errno is None:
            raise
        raise InvalidParameter(
            f"could not be written: {error.strerror}",
            parameter="path",
            value=str(folder.parent),
            way_out="Make room, or choose another folder.",
        ) from None


@contextlib.contextmanager
def new_folders(*folders: Path | None) -> Iterator[None]:
    """After a failure, remove those of these folders that were not there before and hold nothing."""
    named = [folder for folder in folders if folder is not None]
    missing = {place for folder in named for place in (folder, *folder.parents) if not os.path.lexists(place)}
    try:
        yield
    except BaseException:
        for place in sorted(missing, key=lambda path: -len(path.parts)):
            with contextlib.suppress(OSError):
                place.rmdir()
        raise


def flush_staged(folder: Path) -> None:
    """Wait until what is staged is on the disk, and the folder with it."""
    flush_folder(folder)
    flush_folder(folder.parent)


def discard(folder: Path) -> None:
    """Remove a staging folder, whatever is in it; one that is not there is no trouble."""
    shutil.rmtree(folder, ignore_errors=True)


def staged_like(example: Path) -> list[Path]:
    """Return the staging folders that attempts left where `example` would be."""
    # `.name.token.staged` or `.token.staged`: what comes before the token is the same for all attempts.
    before = example.name.removesuffix(_ENDING).rpartition(".")[0]
    found = []
    with contextlib.suppress(OSError):
        for folder in sorted(example.parent.iterdir()):
            stem = folder.name.removesuffix(_ENDING)
            if folder.name.endswith(_ENDING) and stem.rpartition(".")[0] == before and folder.is_dir():
                found.append(folder)
    return found


def discard_others(example: Path, wanted: Collection[Path]) -> None:
    """Remove the staging folders that earlier attempts left where `example` would be, but for those still wanted."""
    for folder in staged_like(example):
        if folder not in wanted:
            discard(folder)


def remove_stale(*targets: str | Path) -> None:
    """Remove what interrupted writes left beside files that no other process is writing now."""
    for target in targets:
        real = Path(os.path.realpath(target))
        with contextlib.suppress(OSError):
            for found in real.parent.iterdir():
                name = f".{real.name[:100]}"
                if found.name.startswith(name) and _TEMPORARY.fullmatch(found.name[len(name) :]):
                    found.unlink()


def put_in_place(staged: Path, target: str | Path) -> None:
    """Rename a staged file into place, replacing what is there; where it was put in place before, nothing is done.

    A file that is replaced hands on its permissions. A link stays a link, and a pipe or a device is written to. Where
    one of the two is a folder, what is there stays: it cannot be replaced at once, and only a part that was published
    before, with the same reports, has its name.
    """
    if not staged.exists():
        return
    real = Path(os.path.realpath(target))
    try:
        old = real.stat() if real.exists() else None
        if old is not None and (staged.is_dir() or stat.S_ISDIR(old.st_mode)):
            return
        if old is not None and not stat.S_ISREG(old.st_mode):
            write_atomically(real, read_bytes(staged, limit_bytes=staged.stat().st_size))
            return
        if old is not None:
            staged.chmod(stat.S_IMODE(old.st_mode))
        staged.replace(real)
    except OSError as error:
        raise InvalidParameter(
            f"could not be written: {error.strerror or 'the disk refused it'}",
            parameter="path",
            value=str(target),
            way_out="What is staged beside it is complete: mend the place and run the same again, which finishes it.",
        ) from None
    flush_folder(real.parent)


# --- Locks: a file beside the file that is worked on, removed afterwards, admits one process at a time


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
