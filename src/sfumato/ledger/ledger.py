"""The ledger: releases made so far and what is left of a budget, in an SQLite file.

A release is debited before it is made. When `spend` returns, the debit is on the disk, so no kill or power failure can
lead to a release that is not in the ledger. A debit whose release was never made stays spent, which is the safe side.

Post-processing costs nothing, so it has no entry [E, Prop 1]. The amount spent is that of the person who has paid most.
People with different names are declared to be different, which is not checked.
Theory: docs/theory/composition.md
"""

from __future__ import annotations

import contextlib
import secrets
import sqlite3
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from sfumato.errors import DigestMismatch, InvalidParameter, Place, SfumatoError, UnknownSchema, UnreadableFile
from sfumato.files.disk import create_atomically
from sfumato.ledger.accounts import Entry, LedgerState, Receipt, Row
from sfumato.ledger.amounts import MOST_NOTE, NO_LIMITS, Charges, Currency, check_line, limit_of
from sfumato.ledger.documents import Damaged, Opened, Per, now, per_of
from sfumato.ledger.releases import Release, checked_id
from sfumato.measures.dependence import Correlation
from sfumato.numbers.checks import Real, check_positive

# --- The SQLite file: whole transactions, written through to the disk, checked when read
# The journal is the rollback journal (DELETE): between transactions everything is in one file, so a copy of it is
# complete. A journal left behind by a kill undoes an unacknowledged debit when the ledger is next opened. With
# synchronous=EXTRA the folder is flushed after the journal is deleted; otherwise a power failure could restore the
# journal and undo an acknowledged debit.
#
# Once the file is made, only SQLite opens it here: closing any other descriptor would release the locks of a connection
# in another thread. So `sfumato.files` makes the file and does not read or lock it.


APPLICATION_ID = int.from_bytes(b"Sfum", "big")
VERSION = 3
# Ledgers of version 2 are read and written as they are: all their bits hold under arbitrary dependence.
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
    """Read and write exclusively: no other writer before this ends, and then it is on the disk."""
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


def read_book(connection: sqlite3.Connection, known: LedgerState) -> LedgerState:
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
        append(connection, LedgerState().row_for(opened))
        return connection.serialize()


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


PATIENCE_SECONDS = 60.0


class Ledger:
    """A budget on disk, shared by any number of processes; opening it checks every record.

    Each method connects, works and disconnects, so a ledger may be used from threads and across forks. Limits and sums
    are infinite where nothing is limited or no bound is known.

    `create` makes one; afterwards it is opened by its path.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> ledger = sf.ledger.Ledger.create(Path(tempfile.mkdtemp()) / "people.ledger", budget_bits=2, epsilon=3)
    >>> receipt = ledger.spend(sf.ledger.local("Health survey", 1, worst_case_bits=1))
    >>> ledger.settle(receipt)  # when the release was made
    >>> str(ledger.left.bits), str(ledger.left.epsilon)
    ('1', '2')
    >>> sf.ledger.Ledger(ledger.path).entries()[0].release.title
    'Health survey'
    """

    def __init__(self, path: str | Path, *, patience_seconds: float = PATIENCE_SECONDS) -> None:
        check_positive("patience_seconds", patience_seconds)
        self._path = Path(path)
        self._patience_seconds = patience_seconds
        with reading(self._path, patience_seconds) as connection:
            check_file(connection, self._path)
            self._book = read_book(connection, LedgerState())

    def __repr__(self) -> str:
        return f"<Ledger {self._path}: {len(self._book.entries)} debits when last read>"

    @classmethod
    def create(
        cls,
        path: str | Path,
        *,
        budget_bits: Real | None = None,
        epsilon: Real | None = None,
        leakage_bits: Real | None = None,
        per: Per | str | None = None,
        budget_bits_per_period: Real | None = None,
        epsilon_per_period: Real | None = None,
        leakage_bits_per_period: Real | None = None,
        correlated: Correlation | str | int | None = None,
    ) -> Ledger:
        """Make a new ledger and open it. A file that exists is never overwritten; at least one limit is needed.

        Beside the limits in all, or instead, there may be limits for each calendar month, quarter or year, in UTC. Bits
        are counted for the most people who depend on each other in any release, and with `correlated` for so many at
        least: anyone, nobody (who is alike), or a number.
        """
        limits = Charges(
            bits=limit_of("budget_bits", budget_bits),
            epsilon=limit_of("epsilon", epsilon),
            leakage_bits=limit_of("leakage_bits", leakage_bits),
        )
        period_limits = Charges(
            bits=limit_of("budget_bits_per_period", budget_bits_per_period),
            epsilon=limit_of("epsilon_per_period", epsilon_per_period),
            leakage_bits=limit_of("leakage_bits_per_period", leakage_bits_per_period),
        )
        length = None if per is None else per_of(per)
        _check_limits(limits, period_limits, length)
        opened = Opened(
            time=now(),
            name=secrets.token_hex(16),
            limits=limits,
            per=length,
            period_limits=period_limits,
            correlated=None if correlated is None else Correlation.of(correlated),
        )
        create_file(Path(path), opened)
        return cls(path)

    @property
    def path(self) -> Path:
        """Where the ledger is."""
        return self._path

    @property
    def limits(self) -> Charges:
        """What may be spent in each currency, in all; they never change."""
        return self._book.limits

    @property
    def spent(self) -> Charges:
        """What the person has paid by now who has paid most, also for releases that never followed."""
        return self.read().spent

    @property
    def left(self) -> Charges:
        """What may still be spent now, in all; another process may spend it first, so only `spend` decides."""
        return self.read().standing.left

    def entries(self) -> tuple[Entry, ...]:
        """Return all debits in their order."""
        return self.read().entries

    def read(self) -> LedgerState:
        """Return the whole account at one moment: limits, entries and sum belong together."""
        with reading(self._path, self._patience_seconds) as connection:
            self._book = read_book(connection, self._book)
        return self._book

    def spend(self, release: Release, *, release_id: str | None = None) -> Receipt:
        """Pay for a release; make it only when this has returned. Raise BudgetSpent if it cannot be paid for.

        With a `release_id`, the same release again returns the first receipt and debits nothing, so a program that was
        killed can begin anew. One id is one release: repeat it only to hand out the very same content, or when
        nobody can have seen anything of the first attempt. Another release under that id is refused.
        """
        if not isinstance(release, Release):
            raise InvalidParameter(
                f"must be a Release, not {type(release).__name__}",
                parameter="release",
                way_out="Make one with `information`.",
            )
        name = secrets.token_hex(8) if release_id is None else checked_id(release_id)
        if release.assumption is not None:
            # Figures are remembered, so whoever else writes need not wait until they are found.
            self.read().counted_with(release)
        book, before = self._debit(lambda _: release, name)
        if before is None:
            return book.entries[-1].receipt
        if before.release != book.as_booked(release):
            raise InvalidParameter(
                f"belongs to another release, {before.release.title!r}",
                parameter="release_id",
                value=name,
                way_out="Choose another id; an id stands for one release with one title and one price.",
            )
        return replace(before.receipt, is_new=False)

    def spend_priced(self, price: Callable[[LedgerState], Release], *, release_id: str) -> Receipt:
        """Pay for a release whose charge depends on what was paid before; as `spend` otherwise.

        `price` is given the account at a moment when no other process can debit it. For an id that was debited before
        it is not asked: what was paid then is the charge.
        """
        book, before = self._debit(price, checked_id(release_id))
        return book.entries[-1].receipt if before is None else replace(before.receipt, is_new=False)

    def _debit(self, price: Callable[[LedgerState], Release], name: str) -> tuple[LedgerState, Entry | None]:
        """Return the account with the debit, and the entry that had paid for it already, if there was one."""
        with writing(self._path, self._patience_seconds) as connection:
            book = read_book(connection, self._book)
            before = book.entry_called(name)
            if before is None:
                row = book.debit(book.as_booked(price(book)), name, now())
                append(connection, row)
                book = book.with_rows([(row.number, row.text, row.digest)])
        self._book = book
        return book, before

    def settle(self, receipt: Receipt) -> None:
        """Record that the release was made. It changes no sum; it marks debits whose release did not follow."""
        with writing(self._path, self._patience_seconds) as connection:
            book, entry = self._entry_of(receipt, read_book(connection, self._book))
            if entry.voided is not None:
                raise InvalidParameter(
                    f"was voided on {entry.voided.time[:10]}, and nothing pays for it",
                    parameter="receipt",
                    value=receipt.release_id,
                    way_out="Pay for it anew before it is released.",
                )
            if entry.settled is None:
                row = book.settling(entry, now())
                append(connection, row)
                book = book.with_rows([(row.number, row.text, row.digest)])
        self._book = book

    def void(self, receipt: Receipt, reason: str) -> None:
        """Give back a debit of reports of which nothing was ever seen, and note why; twice is the same as once.

        Whoever calls this has the proof, and sees to it that nothing of it can be seen from now on: `void_debit` of
        the steps does. What was released, and releases that are not reports, are refused.
        """
        check_line("reason", reason, MOST_NOTE)
        with writing(self._path, self._patience_seconds) as connection:
            book, entry = self._entry_of(receipt, read_book(connection, self._book))
            if entry.voided is None:
                row = book.voiding(entry, reason, now())
                append(connection, row)
                book = book.with_rows([(row.number, row.text, row.digest)])
        self._book = book

    def _entry_of(self, receipt: Receipt, book: LedgerState) -> tuple[LedgerState, Entry]:
        entry = book.entry_at(receipt.number)
        if entry is None or entry.receipt != receipt:
            raise DigestMismatch(
                f"the receipt of {receipt.release_id!r} is not from the ledger, or an older copy of the ledger was put "
                f"back",
                way_out="Use the ledger that was debited.",
                place=Place(file=str(self._path)),
            )
        return book, entry


def _check_limits(limits: Charges, period_limits: Charges, per: Per | None) -> None:
    if limits == period_limits == NO_LIMITS:
        raise InvalidParameter(
            "a ledger needs a limit", way_out="Give `budget_bits`, `epsilon` or `leakage_bits`, or several."
        )
    if (per is None) != (period_limits == NO_LIMITS):
        raise InvalidParameter(
            "goes with limits for each period, and they with it",
            parameter="per",
            way_out="Give `per` and, for instance, `epsilon_per_period`, or neither.",
        )
    names = {Currency.BITS: "budget_bits", Currency.EPSILON: "epsilon", Currency.LEAKAGE: "leakage_bits"}
    for currency, amount in period_limits:
        if isinstance(amount, Fraction) and amount > limits[currency]:
            raise InvalidParameter(
                f"is more than `{names[currency]}`, the limit in all, and would never be reached",
                parameter=f"{names[currency]}_per_period",
                value=float(amount),
                way_out="Lower it, or leave it out.",
            )
