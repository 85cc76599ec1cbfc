"""Bytes in and bytes out: reading is bounded before it begins, writing is all or nothing."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from sfumato.errors import InvalidParameter, Place, UnreadableFile

DEFAULT_LIMIT_BYTES = 64 * 2**20

# Some network file systems cannot flush a folder at all; that is no reason to refuse the write.
_NO_FOLDER_FLUSH = {errno.EINVAL, errno.ENOTSUP, errno.EBADF}
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


def read_bytes(path: str | Path, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> bytes:
    r"""Return all bytes of a file, refusing one that is missing, empty or over the limit before reading it.

    Raises:
        UnreadableFile: it is not there, is empty, may not be read, or is larger than `limit_bytes`.

    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> _ = Path("answers.csv").write_bytes(b"tired\nyes\n")
    >>> sf.files.read_bytes("answers.csv")
    b'tired\nyes\n'
    >>> try:
    ...     sf.files.read_bytes("answers.csv", limit_bytes=4)
    ... except sf.errors.UnreadableFile as error:
    ...     print(error.rule)
    ...
    the file holds 10 bytes and at most 4 are read
    """
    with open_for_reading(path, limit_bytes=limit_bytes) as stream:
        data = read_at_most(stream, limit_bytes + 1, path)
    # A pipe has no size to ask for beforehand, and a file may grow while it is read.
    if len(data) > limit_bytes:
        raise _too_large(path, f"more than {limit_bytes} bytes", limit_bytes)
    if not data:
        raise empty_file(path)
    return data


@contextlib.contextmanager
def open_for_reading(path: str | Path, *, limit_bytes: int) -> Iterator[BinaryIO]:
    """Open a file whose size is within the limit, and close it again; only a regular file has a size to check."""
    try:
        stream = Path(path).open("rb")  # noqa: SIM115  closed below; opening alone has these ways to fail
    except FileNotFoundError:
        raise UnreadableFile(
            "the file does not exist", way_out="Check the name and the folder.", place=Place(file=str(path))
        ) from None
    except IsADirectoryError:
        raise UnreadableFile(
            "this is a folder, not a file", way_out="Name a file inside it.", place=Place(file=str(path))
        ) from None
    except PermissionError:
        raise UnreadableFile(
            "the file may not be read by this user",
            way_out="Change its permissions, or copy it.",
            place=Place(file=str(path)),
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL byte in it
        raise UnreadableFile(
            f"the file cannot be opened: {_reason(error)}",
            way_out="Check the name.",
            place=Place(file=repr(_cut(path))),
        ) from None
    with stream:
        found = os.fstat(stream.fileno())
        if stat.S_ISREG(found.st_mode) and found.st_size > limit_bytes:
            raise _too_large(path, f"{found.st_size} bytes", limit_bytes)
        yield stream


def write_atomically(path: str | Path, data: bytes | str, *, private: bool = False) -> None:
    r"""Replace a file as a whole: after any failure the old file is as it was and nothing is left beside it.

    An existing file keeps its permissions; a new one gets the user's default. When private, a new file is its owner's
    alone from its creation on, and an existing one takes back what it allowed to others. A link stays a link, and a
    pipe or a device (`/dev/stdout`) is written to directly, because there is nothing to replace.

    Raises:
        InvalidParameter: the file cannot be written; what was there before is untouched.

    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> sf.files.write_atomically("plan.txt", "first\n")
    >>> sf.files.write_atomically("plan.txt", "second\n")
    >>> Path("plan.txt").read_text(), [file.name for file in Path().glob("*plan*")]
    ('second\n', ['plan.txt'])
    """
    with writing_sentences(path):
        content = data.encode("utf-8") if isinstance(data, str) else data
        old = stat_if_there(path)
        if old is None or stat.S_ISREG(old.st_mode):
            _replace(Path(os.path.realpath(path)), content, old, private=private)
        else:
            Path(path).write_bytes(content)


def create_atomically(path: str | Path, data: bytes, *, private: bool = False) -> None:
    """Make a new file, whole or not at all; what has that name already, even a link to nowhere, is never touched.

    When private, it is its owner's alone from its creation on.

    Raises:
        InvalidParameter: something has that name already, or the file cannot be written.

    >>> import sfumato as sf
    >>> sf.files.create_atomically("key.bin", bytes(32), private=True)
    >>> try:
    ...     sf.files.create_atomically("key.bin", bytes(32), private=True)
    ... except sf.errors.InvalidParameter as error:
    ...     print(error)
    ...
    path='key.bin' exists already, and is never overwritten. Choose another name, or use the file that is there.
    """
    mode = 0o600 if private else 0o666
    with writing_sentences(path):
        target = Path(path)
        temporary = temporary_beside(target)
        try:
            _write_new(temporary, data, mode)
            try:
                # A link, unlike a renaming, is refused when the name is taken.
                os.link(temporary, target)
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
                _write_new(target, data, mode)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()
        flush_folder(target.parent)


@contextlib.contextmanager
def writing_sentences(path: str | Path) -> Iterator[None]:
    """Turn what goes wrong in writing into a sentence."""
    try:
        yield
    except FileExistsError:
        raise InvalidParameter(
            "exists already, and is never overwritten",
            parameter="path",
            value=str(path),
            way_out="Choose another name, or use the file that is there.",
        ) from None
    except IsADirectoryError:
        raise InvalidParameter(
            "is a folder", parameter="path", value=str(path), way_out="Name a file inside it."
        ) from None
    except (FileNotFoundError, NotADirectoryError):
        raise InvalidParameter(
            "lies in a folder that does not exist",
            parameter="path",
            value=str(path),
            way_out="Create the folder first.",
        ) from None
    except PermissionError:
        raise InvalidParameter(
            "may not be written by this user", parameter="path", value=str(path), way_out="Choose another folder."
        ) from None
    except InvalidParameter:
        raise
    except (OSError, ValueError) as error:
        raise InvalidParameter(
            f"could not be written: {_reason(error)}",
            parameter="path",
            value=_cut(path),
            way_out="What was there before is untouched; make room or choose another folder.",
        ) from None


def empty_file(path: str | Path) -> UnreadableFile:
    """Return the refusal of a file that holds nothing."""
    return UnreadableFile(
        "the file is empty",
        way_out="Check that the program that wrote it has finished, or name another file.",
        place=Place(file=str(path)),
    )


def _replace(target: Path, content: bytes, old: os.stat_result | None, *, private: bool) -> None:
    temporary = temporary_beside(target)
    # A file that was private must not be readable by others even for a moment; a new one takes the umask.
    mode = 0o666 if old is None and not private else 0o600
    keeps = None if old is None else stat.S_IMODE(old.st_mode) & (0o700 if private else 0o7777)
    try:
        # Inside: an interrupt may come between the creation of the file and the next line.
        _write_new(temporary, content, mode, keeps)
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    flush_folder(target.parent)


def temporary_beside(target: Path) -> Path:
    """Return a name for what is to become a file: new, hidden, and on the same disk."""
    import secrets  # noqa: PLC0415  who writes nothing does without it

    return target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.tmp")


def _write_new(path: Path, content: bytes, mode: int = 0o666, keeps: int | None = None) -> None:
    """Write a file that is not there yet, through to the disk; `keeps` are permissions to give it before a byte is."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as stream:
        if keeps is not None:
            os.fchmod(stream.fileno(), keeps)
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def flush_folder(folder: Path) -> None:
    """Wait until what a folder lists is on the disk."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:  # a folder that may be written and not read: the file is in place, more cannot be asked
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_FLUSH:
            raise InvalidParameter(
                f"was written, but its folder {folder} could not be flushed ({_reason(error)}), so a power failure "
                f"may undo it",
                parameter="path",
                way_out="Write it again, or choose another disk.",
            ) from None
    finally:
        os.close(descriptor)


def read_at_most(stream: BinaryIO, most: int, path: str | Path) -> bytes:
    """Return the next bytes of an open file, all that there are up to so many."""
    try:
        return stream.read(most)
    except OSError as error:
        raise UnreadableFile(
            f"the file could not be read to its end: {_reason(error)}",
            way_out="Copy it and retry.",
            place=Place(file=str(path)),
        ) from None


def stat_if_there(path: str | Path) -> os.stat_result | None:
    """Say what is known of a file, or None where there is none."""
    try:
        return Path(path).stat()
    except FileNotFoundError:
        return None


def _too_large(path: str | Path, size: str, limit_bytes: int) -> UnreadableFile:
    return UnreadableFile(
        f"the file holds {size} and at most {limit_bytes} are read",
        way_out="Raise `limit_bytes` if the file is meant to be that large.",
        place=Place(file=str(path)),
    )


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or "it is not a name that a file can have"


def _cut(path: str | Path) -> str:
    """Return a name that may itself be the trouble, not too long to show."""
    text = str(path)
    return text if len(text) <= 120 else f"{text[:80]}…"
