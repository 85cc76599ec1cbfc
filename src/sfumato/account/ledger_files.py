"""A ledger's records in an SQLite file: whole transactions, written through to the disk, checked when read.

The journal is the rollback journal (DELETE): between transactions everything is in the one file, so a copy of it is
complete. A journal left behind by a kill undoes a debit that nobody was told of; whoever opens the ledger next does
that. With synchronous=EXTRA the folder is flushed too after the journal is deleted, or a power failure could bring the
journal back and undo a debit that was acknowledged.

Once it is made, nothing here opens the file but SQLite: closing any other descriptor of it would drop the locks that
another thread's connection holds on it. That is why `sfumato.files` makes the file and does not read or lock it.
"""

from __future__ import annotations

import contextlib
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

from sfumato.account.ledger_books import Book
from sfumato.account.ledger_entries import Row
from sfumato.account.ledger_records import Damaged, Opened
from sfumato.errors import InvalidParameter, Place, SfumatoError, UnknownSchema, UnreadableFile
from sfumato.files.disk import create_atomically

APPLICATION_ID = int.from_bytes(b"Sfum", "big")
VERSION = 3
# Ledgers of version 2 are read and written as they are: all their bits are for anyone.
_READ = (2, VERSION)
MOST_BYTES = 2**28

_TABLES = {
    "records": "CREATE TABLE records (number INTEGER PRIMARY KEY, text TEXT NOT NULL, digest TEXT NOT NULL)",
    # Without it, the last records could be deleted and the chain before them would still hold.
    "head": "CREATE TABLE head (place INTEGER PRIMARY KEY, count INTEGER NOT NULL, digest TEXT NOT NULL)",
}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_SCHEMA}


def create_file(path: Path, opened: Opened) -> None:
    """Make a new ledger, whole or not at all; a file that exists is never touched."""
    # The user's default permissions: a ledger holds no secret, and those who release share it.
    create_atomically(path, _new_database(opened))


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
        raise UnreadableFile(
            "the file is a database of something else, not a ledger",
            way_out="Name a ledger.",
            place=Place(file=str(path)),
        )
    if version not in _READ:
        raise UnknownSchema(
            f"the file is a ledger of version {version}, and this Sfumato knows versions {_READ[0]} to {VERSION}",
            way_out="Update Sfumato." if version > VERSION else "Begin another, and say so to the people.",
            place=Place(file=str(path)),
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
                    "the file keeps its journal in another way than a ledger does, and a copy of it may lack debits",
                    way_out="Run PRAGMA journal_mode=DELETE on it if that was done on purpose.",
                    place=Place(file=str(path)),
                )
            yield connection
        finally:
            connection.close()
    except (Damaged, UnicodeDecodeError):  # SQLite quotes a damaged schema, and Python cannot read the quotation
        raise _damaged(path) from None
    except sqlite3.Error as error:
        raise _sentence(error, path, patience_seconds) from None


def _check_there(path: Path) -> None:
    try:
        found = path.stat()
    except FileNotFoundError:
        raise UnreadableFile(
            "the file does not exist",
            way_out="Check the name, or make a ledger with `sfumato budget init`.",
            place=Place(file=str(path)),
        ) from None
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or "it is not a name that a file can have"
        raise UnreadableFile(
            f"the file cannot be opened: {reason}", way_out="Check the name.", place=Place(file=repr(str(path)))
        ) from None
    if stat.S_ISDIR(found.st_mode):
        raise UnreadableFile(
            "this is a folder, not a file", way_out="Name a ledger inside it.", place=Place(file=str(path))
        )
    if not stat.S_ISREG(found.st_mode):
        raise UnreadableFile("the file is a pipe or a device", way_out="Name a ledger.", place=Place(file=str(path)))
    if found.st_size == 0:
        raise UnreadableFile(
            "the file is empty",
            way_out="Restore the ledger from a copy: what was spent is not known.",
            place=Place(file=str(path)),
        )
    if found.st_size > MOST_BYTES:
        raise UnreadableFile(
            f"the file holds {found.st_size} bytes and at most {MOST_BYTES} are read",
            way_out="Begin anew.",
            place=Place(file=str(path)),
        )


def _sentence(error: sqlite3.Error, path: Path, patience_seconds: float) -> SfumatoError:
    # The low byte is the kind of error; the rest says which of several.
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    if code in _BUSY:
        return InvalidParameter(
            f"is in use: another process has been writing to it for {patience_seconds:g} seconds",
            parameter="path",
            value=str(path),
            way_out="Nothing was debited. Wait for it to finish and try again.",
        )
    if code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}:
        return InvalidParameter(
            "may not be written by this user, or not its folder, where the journal is kept",
            parameter="path",
            value=str(path),
            way_out="Nothing was debited. Change the permissions.",
        )
    if code == sqlite3.SQLITE_CANTOPEN:
        return UnreadableFile(
            "the file, or a journal beside it, cannot be opened",
            way_out="Check permissions and folder.",
            place=Place(file=str(path)),
        )
    if code in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}:
        return InvalidParameter(
            f"could not be written or read ({error})",
            parameter="path",
            value=str(path),
            way_out="Release nothing. Make room, look at the ledger, and spend again with the same `release_id`: "
            "what was debited is not debited twice.",
        )
    return _damaged(path)


def _damaged(path: Path) -> UnreadableFile:
    return UnreadableFile(
        "the file is not a ledger, or was damaged or changed by something else",
        way_out="Put back the latest copy, with the journal beside it if there is one; without it nobody knows what "
        "was spent.",
        place=Place(file=str(path)),
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


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
