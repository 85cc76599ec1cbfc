"""Reading bytes within limits, and writing files atomically."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol, Self

from sfumato.errors import InvalidParameter, Place, UnreadableFile

DEFAULT_LIMIT_BYTES = 64 * 2**20

# Some network file systems cannot flush a folder; the write is not refused for that.
_NO_FOLDER_FLUSH = {errno.EINVAL, errno.ENOTSUP, errno.EBADF}
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


def read_bytes(path: str | Path, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> bytes:
    r"""Return all bytes of a file, refusing one that is missing, empty or over the limit before reading it.

    Raises:
        UnreadableFile: it is not there, is empty, may not be read, or is larger than `limit_bytes`.

    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> from sfumato.files.disk import read_bytes
    >>> _ = Path("answers.csv").write_bytes(b"tired\nyes\n")
    >>> read_bytes("answers.csv")
    b'tired\nyes\n'
    >>> try:
    ...     read_bytes("answers.csv", limit_bytes=4)
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
    >>> from sfumato.files.disk import write_atomically
    >>> write_atomically("plan.txt", "first\n")
    >>> write_atomically("plan.txt", "second\n")
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
    >>> from sfumato.files.disk import create_atomically
    >>> create_atomically("key.bin", bytes(32), private=True)
    >>> try:
    ...     create_atomically("key.bin", bytes(32), private=True)
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


# --- A private file that is written in pieces and gets its name when it is complete


class GrowingFile:
    """A private file under a temporary name, with space at its front for bytes that are known only at the end.

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
        """Write the space at the front, and wait until the whole file is on the disk."""
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


# --- Bytes read in pieces, from a file that may be larger than memory or from memory


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


# --- A file that is read for long or more than once, and must not change meanwhile


PIPE_LIMIT_BYTES = 2**28
"""A pipe can be read once and has no end to look at first, so it is held in memory, up to here."""

Stamp = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SteadyFile:
    """A file as it was when it was first opened; reading it later gives the same bytes or an error."""

    path: Path
    limit_bytes: int = sys.maxsize
    held: bytes | None = field(default=None, repr=False)
    _stamp: Stamp | None = None

    @classmethod
    def at(cls, path: str | Path, *, limit_bytes: int | None = None) -> SteadyFile:
        """Look at a file; one that is missing, empty or over the limit is refused."""
        limit = sys.maxsize if limit_bytes is None else limit_bytes
        # A pipe would wait here for its writer, and be empty for the next reader.
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
