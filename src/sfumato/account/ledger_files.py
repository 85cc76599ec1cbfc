"""A ledger's records in an SQLite file: whole transactions, written through to the disk, checked when read.

The journal is the rollback journal (DELETE): between transactions everything is in the one file, so a copy of it is
complete. A journal left behind by a kill undoes a debit that nobody was told of; whoever opens the ledger next does
that. With synchronous=EXTRA the folder is flushed too after the journal is deleted, or a power failure could bring the
journal back and undo a debit that was acknowledged.

Nothing here opens the file but SQLite: closing any other descriptor of it would drop the locks that another thread's
connection holds on it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

from sfumato.account.ledger_books import Book, Row
from sfumato.account.ledger_records import Damaged, Opened
from sfumato.errors import InvalidParameter, UnknownSchema, UnreadableFile

APPLICATION_ID = int.from_bytes(b"Sfum", "big")
VERSION = 1
MOST_BYTES = 2**28

_TABLES = {
    "records": "CREATE TABLE records (number INTEGER PRIMARY KEY, text TEXT NOT NULL, digest TEXT NOT NULL)",
    # Without it, the last records could be deleted and the chain before them would still hold.
    "head": "CREATE TABLE head (place INTEGER PRIMARY KEY, count INTEGER NOT NULL, digest TEXT NOT NULL)",
}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_SCHEMA}
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


def create_file(path: Path, opened: Opened) -> None:
    """Make a new ledger, whole or not at all; a file that exists is never touched."""
    content = _new_database(opened)
    temporary = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.tmp")
    try:
        _write_new(temporary, content)
        _give_name(temporary, path, content)
    except FileExistsError:
        raise InvalidParameter(
            f"path={path} exists already, and a ledger is never overwritten. Choose another name, or spend from it."
        ) from None
    except (FileNotFoundError, NotADirectoryError):
        raise InvalidParameter(f"path={path} lies in a folder that does not exist. Create the folder first.") from None
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or "it is not a name that a file can have"
        raise InvalidParameter(f"path={str(path)!r} could not be written: {reason}. Choose another place.") from None
    finally:
        with contextlib.suppress(OSError, ValueError):
            temporary.unlink()
    _flush_folder(path.parent)


@contextlib.contextmanager
def reading(path: Path, patience_seconds: float) -> Iterator[sqlite3.Connection]:
    """Read in one transaction: what is seen is one moment of the ledger."""
    with _connected(path, patience_seconds) as connection:
        connection.execute("BEGIN")
        yield connection
        connection.execute("COMMIT")


@contextlib.contextmanager
def writing(path: Path, patience_seconds: float) -> Iterator[sqlite3.Connection]:
    """Read and write, alone: nobody else writes before this ends, and when it has ended it is on the disk."""
    with _connected(path, patience_seconds) as connection:
        # Immediate: two that read first and wrote later could both spend the same rest.
        connection.execute("BEGIN IMMEDIATE")
        yield connection
        connection.execute("COMMIT")


def check_file(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is no ledger, a newer one, or one whose pages are damaged."""
    application, version = (_number(connection, name) for name in ("application_id", "user_version"))
    if application != APPLICATION_ID:
        raise UnreadableFile(f"file {path} is a database of something else, not a ledger. Name a ledger.")
    if version != VERSION:
        raise UnknownSchema(
            f"file {path} is a ledger of version {version}, and this Sfumato knows version {VERSION}. Update Sfumato."
        )
    found = dict(connection.execute("SELECT name, sql FROM sqlite_master").fetchall())
    if found != _TABLES:
        raise Damaged
    if connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
        raise Damaged


def read_book(connection: sqlite3.Connection, known: Book) -> Book:
    """Return the book with what was written after it was last read; raise Damaged if that does not follow from it."""
    # All rows, also below 0, when nothing is known. A file that went another way since then has another chain or head.
    first = known.count or -(2**63)
    query = "SELECT number, text, digest FROM records WHERE number >= ? ORDER BY number"
    book = known.with_rows(connection.execute(query, (first,)))
    if connection.execute("SELECT * FROM head").fetchall() != [(0, book.count, book.digest)] or book.opened is None:
        raise Damaged
    return book


def append(connection: sqlite3.Connection, row: Row) -> None:
    """Add a row, and make it the last."""
    connection.execute("INSERT INTO records VALUES (?, ?, ?)", (row.number, row.text, row.digest))
    connection.execute("UPDATE head SET count = ?, digest = ?", (row.number + 1, row.digest))


@contextlib.contextmanager
def _connected(path: Path, patience_seconds: float) -> Iterator[sqlite3.Connection]:
    """Be connected, and turn whatever SQLite says into a sentence; an open transaction is undone."""
    _check_there(path)
    try:
        address = f"{path.absolute().as_uri()}?mode=rw"
        connection = sqlite3.connect(address, uri=True, timeout=patience_seconds, isolation_level=None)
        try:
            for pragma in ("synchronous=EXTRA", "trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0"):
                connection.execute(f"PRAGMA {pragma}")
            if connection.execute("PRAGMA journal_mode").fetchone() != ("delete",):
                raise UnreadableFile(
                    f"file {path} keeps its journal in another way than a ledger does, and a copy of it may lack "
                    f"debits. Run PRAGMA journal_mode=DELETE on it if that was done on purpose."
                )
            yield connection
        finally:
            connection.close()
    except Damaged:
        raise UnreadableFile(_damaged(path)) from None
    except sqlite3.Error as error:
        raise _sentence(error, path, patience_seconds) from None


def _check_there(path: Path) -> None:
    try:
        found = path.stat()
    except FileNotFoundError:
        raise UnreadableFile(f"file {path} does not exist. Check the name, or make it: sfumato budget init.") from None
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or "it is not a name that a file can have"
        raise UnreadableFile(f"file {str(path)!r} cannot be opened: {reason}. Check the name.") from None
    if stat.S_ISDIR(found.st_mode):
        raise UnreadableFile(f"file {path} is a folder. Name a ledger inside it.")
    if not stat.S_ISREG(found.st_mode):
        raise UnreadableFile(f"file {path} is a pipe or a device. Name a ledger.")
    if found.st_size == 0:
        raise UnreadableFile(f"file {path} is empty. Restore the ledger from a copy: what was spent is not known.")
    if found.st_size > MOST_BYTES:
        raise UnreadableFile(f"file {path} holds {found.st_size} bytes and at most {MOST_BYTES} are read. Begin anew.")


def _sentence(error: sqlite3.Error, path: Path, patience_seconds: float) -> Exception:
    # The low byte is the kind of error; the rest says which of several.
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    if code in _BUSY:
        return InvalidParameter(
            f"path: another process has been writing to {path} for {patience_seconds:g} seconds. Nothing was debited. "
            f"Wait for it to finish and try again."
        )
    if code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}:
        return InvalidParameter(
            f"path={path} may not be written by this user, or not its folder, where the journal is kept. Nothing was "
            f"debited. Change the permissions."
        )
    if code == sqlite3.SQLITE_CANTOPEN:
        return UnreadableFile(f"file {path}, or a journal beside it, cannot be opened. Check permissions and folder.")
    if code in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}:
        return InvalidParameter(
            f"path={path} could not be written or read ({error}). Release nothing. Make room, look at the ledger, and "
            f"spend again with the same release_id: what was debited is not debited twice."
        )
    return UnreadableFile(_damaged(path))


def _damaged(path: Path) -> str:
    return (
        f"file {path} is not a ledger, or was damaged or changed by something else. Put back the latest copy, with the "
        f"journal beside it if there is one; without it nobody knows what was spent."
    )


def _new_database(opened: Opened) -> bytes:
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        for statement in _TABLES.values():
            connection.execute(statement)
        connection.execute("INSERT INTO head VALUES (0, 0, '')")
        append(connection, Book().row_for(opened))
        return connection.serialize()


def _write_new(path: Path, content: bytes) -> None:
    # The user's default permissions: a ledger holds no secret, and those who release share it.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _give_name(temporary: Path, path: Path, content: bytes) -> None:
    try:
        # A link, unlike a renaming, is refused when the name is taken.
        os.link(temporary, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _write_new(path, content)


def _flush_folder(folder: Path) -> None:
    # Some folders cannot be read or flushed; the file is in place, and the first debit flushes the folder again.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
