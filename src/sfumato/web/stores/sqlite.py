"""SQLite: one file, the default. A transaction is on disk when it is committed (WAL with synchronous=FULL).

Rows are kept in the order of their ids, which are hashes, and without row numbers: the table does not show in which
order reports came. The write-ahead log does until it is folded in, and deleted rows are overwritten with zeros.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from sfumato.files.disk import flush_folder
from sfumato.study.collections import StoredRow
from sfumato.web.stores.base import Counts, Invitation, Issue, Outcome, Spending, Spent, State, StoreFailed
from sfumato.web.stores.migrations import newer_tables, unmade
from sfumato.web.stores.sqlite_tables import MIGRATIONS

_COLUMNS = "wave, id, credential, row, shares, panel"
_PATIENCE_SECONDS = 30.0
# Ids are hashes, so rows go everywhere in the file: 64 MB of it stay in memory, and the log is folded in by 16 MB.
_ROOM = ("cache_size=-65536", "wal_autocheckpoint=4096")


class SqliteStore:
    """One connection to a file of SQLite.

    `synchronous` is FULL wherever reports are collected; a test takes OFF, to see that its absence is noticed.
    """

    def __init__(self, path: str | Path, *, synchronous: str = "FULL") -> None:
        self.path = Path(path)
        self._synchronous = synchronous
        is_new = not self.path.exists()
        try:
            if is_new:
                self.path.touch(mode=0o600)
            self._connection = sqlite3.connect(
                self.path, timeout=_PATIENCE_SECONDS, isolation_level=None, check_same_thread=False
            )
            for pragma in ("journal_mode=WAL", f"synchronous={synchronous}", "secure_delete=ON", *_ROOM):
                self._connection.execute(f"PRAGMA {pragma}")
        except (sqlite3.Error, OSError) as error:
            raise _failed(error, self.path) from None
        if is_new:
            flush_folder(self.path.parent)

    def clone(self) -> SqliteStore:
        """Return another connection to the same file."""
        return SqliteStore(self.path, synchronous=self._synchronous)

    def close(self) -> None:
        """Let go of the file; the last one to do so folds the log into it."""
        self._connection.close()

    def ping(self) -> None:
        """Ask for the state."""
        self.state()

    def migrate(self) -> None:
        """Make the tables, or bring those of an older version up to date."""
        with self._transaction() as run:
            (version,) = run("PRAGMA user_version").fetchone()
            if version > len(MIGRATIONS):
                raise newer_tables(str(self.path))
            for step in MIGRATIONS[version:]:
                for statement in step:
                    run(statement)
            run(f"PRAGMA user_version={len(MIGRATIONS)}")

    def add(self, rows: Sequence[StoredRow]) -> list[Outcome]:
        """Keep reports in one transaction, in the order of their ids: on a page, cells lie as they were written."""
        order = sorted(range(len(rows)), key=lambda place: (rows[place].id, place))
        outcomes = self._add([rows[place] for place in order])
        found = dict(zip(order, outcomes, strict=True))
        return [found[place] for place in range(len(rows))]

    def _add(self, rows: Sequence[StoredRow]) -> list[Outcome]:
        records = [(row.wave, row.id, row.credential, row.row, row.shares, row.panel) for row in rows]
        with self._transaction() as run:
            state = self._state()
            if not state.closed and all(row.wave == state.wave for row in rows):
                run("SAVEPOINT together")
                if self._insert_together(records) == len(rows):
                    return [Outcome.NEW] * len(rows)
                run("ROLLBACK TO together")
            return [self._add_one(row, record, state) for row, record in zip(rows, records, strict=True)]

    def _insert_together(self, records: Sequence[tuple[object, ...]]) -> int:
        """Insert in few statements, of 2^k rows each: Python hands its lock over at every statement, not every row."""
        done, inserted = 0, 0
        while done < len(records):
            count = 1 << ((len(records) - done).bit_length() - 1)
            given: list[Any] = [value for record in records[done : done + count] for value in record]
            inserted += self._connection.execute(_insert_of(count), given).rowcount
            done += count
        return inserted

    def _add_one(self, row: StoredRow, record: tuple[object, ...], state: State) -> Outcome:
        run = self._connection.execute
        is_open = not state.closed and row.wave == state.wave
        if is_open and run(_insert_of(1), record).rowcount == 1:
            return Outcome.NEW
        found = run(f"SELECT {_COLUMNS} FROM reports WHERE wave = ? AND id = ?", (row.wave, row.id)).fetchone()  # noqa: S608
        if found is not None:
            return Outcome.SAME if found == record else Outcome.OTHER_BODY
        if run("SELECT 1 FROM withdrawn WHERE credential = ?", (row.credential,)).fetchone():
            return Outcome.WITHDRAWN
        return Outcome.USED_CREDENTIAL if is_open else Outcome.CLOSED

    def find(self, ids: Sequence[bytes], *, wave: int) -> set[bytes]:
        """Return which of these reports are kept."""
        with self._transaction("DEFERRED") as run:
            query = "SELECT 1 FROM reports WHERE wave = ? AND id = ?"
            return {one for one in ids if run(query, (wave, one)).fetchone()}

    def invitation(self, token: bytes) -> Invitation | None:
        """Return what is known of a token."""
        with _sentences(self.path):
            query = "SELECT panel, blinded, signature FROM tokens WHERE token = ?"
            found = self._connection.execute(query, (token,)).fetchone()
        if found is None:
            return None
        return Invitation(token=token, panel=found[0], blinded=found[1], signature=found[2])

    def spend(self, spendings: Sequence[Spending]) -> list[Spent]:
        """Spend tokens in one transaction, in the order of their hashes."""
        order = sorted(range(len(spendings)), key=lambda place: (spendings[place].token, place))
        with self._transaction():
            closed = self._state().closed
            found = {place: self._spend_one(spendings[place], closed=closed) for place in order}
        return [found[place] for place in range(len(spendings))]

    def _spend_one(self, one: Spending, *, closed: bool) -> Spent:
        run = self._connection.execute
        found = run("SELECT blinded, signature FROM tokens WHERE token = ?", (one.token,)).fetchone()
        if found is None:
            return Spent(outcome=Issue.UNKNOWN_TOKEN)
        if found[0] is not None:
            same = found[0] == one.blinded
            return Spent(outcome=Issue.SAME, signature=found[1]) if same else Spent(outcome=Issue.OTHER_NONCE)
        if closed:
            return Spent(outcome=Issue.CLOSED)
        run("UPDATE tokens SET blinded = ?, signature = ? WHERE token = ?", (one.blinded, one.signature, one.token))
        return Spent(outcome=Issue.NEW, signature=one.signature)

    def invite(self, invitations: Sequence[Invitation]) -> None:
        """Let tokens in."""
        with self._transaction():
            records = sorted((one.token, one.panel) for one in invitations)
            self._connection.executemany("INSERT INTO tokens (token, panel) VALUES (?, ?)", records)

    def withdraw(self, report: bytes) -> int | None:
        """Delete the report of an id."""
        with self._transaction() as run:
            gone = self._delete("id = ?", report)
            if not gone and not run("SELECT 1 FROM withdrawn WHERE id = ?", (report,)).fetchone():
                return None
        self._fold_log()
        return gone

    def withdraw_panel(self, panel: bytes) -> int:
        """Delete all reports of a pseudonym."""
        with self._transaction():
            gone = self._delete("panel = ?", panel)
        self._fold_log()
        return gone

    def _delete(self, which: str, value: bytes) -> int:
        run = self._connection.execute
        run(f"INSERT INTO withdrawn (credential, id) SELECT credential, id FROM reports WHERE {which}", (value,))  # noqa: S608
        return run(f"DELETE FROM reports WHERE {which}", (value,)).rowcount  # noqa: S608

    def _fold_log(self) -> None:
        """The log still holds what was deleted; who reads at this moment keeps it from being emptied, until later."""
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def compact(self) -> None:
        """Build the file anew, table by table in the order of its keys, and empty the log."""
        with _sentences(self.path):
            self._connection.execute("VACUUM")
            busy, *_ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StoreFailed(
                "is being read, so that its log cannot be emptied",
                parameter="database",
                value=str(self.path),
                way_out="Do it again when no export or backup is under way.",
            )

    def snapshot(self, wave: int | None = None) -> Iterator[StoredRow]:
        """Go through all rows as they were when this began."""
        where = "" if wave is None else f"WHERE wave = {int(wave)}"
        with self._transaction("DEFERRED") as run:
            for found in run(f"SELECT {_COLUMNS} FROM reports {where} ORDER BY wave, id"):  # noqa: S608
                yield StoredRow(
                    wave=found[0], id=found[1], credential=found[2], row=found[3], shares=found[4], panel=found[5]
                )

    def row_counts(self, wave: int) -> list[tuple[bytes, int]]:
        """Count equal rows, in one statement that keeps no writer waiting."""
        with self._transaction("DEFERRED") as run:
            return run("SELECT row, count(*) FROM reports WHERE wave = ? GROUP BY row", (wave,)).fetchall()

    def counts(self) -> Counts:
        """Count what is kept."""
        with self._transaction("DEFERRED") as run:
            reports, invited, spent, withdrawn = run(
                "SELECT (SELECT count(*) FROM reports), (SELECT count(*) FROM tokens), "
                "(SELECT count(*) FROM tokens WHERE blinded IS NOT NULL), (SELECT count(*) FROM withdrawn)"
            ).fetchone()
        return Counts(reports=reports, invited=invited, spent=spent, withdrawn=withdrawn)

    def state(self) -> State | None:
        """Return what the store is for."""
        with _sentences(self.path):
            found = self._connection.execute("SELECT fingerprint, mode, wave, closed FROM state").fetchone()
        if found is None:
            return None
        return State(fingerprint=found[0], mode=found[1], wave=found[2], closed=bool(found[3]))

    def _state(self) -> State:
        state = self.state()
        if state is None:
            raise unmade(str(self.path))
        return state

    def set_state(self, state: State) -> None:
        """Write the state; writers wait for each other, so no report is taken under the old one afterwards."""
        with self._transaction() as run:
            run(
                "INSERT OR REPLACE INTO state VALUES (1, ?, ?, ?, ?)",
                (state.fingerprint, state.mode, state.wave, int(state.closed)),
            )

    def copy_to(self, path: str | Path) -> None:
        """Write a copy of the database as it is at one moment, while others go on."""
        with _sentences(self.path):
            self._connection.execute("VACUUM INTO ?", (str(path),))

    @contextmanager
    def _transaction(self, kind: str = "IMMEDIATE") -> Iterator[Callable[..., sqlite3.Cursor]]:
        """One transaction: committed at the end, which is when it is on disk, or rolled back as a whole."""
        run = self._connection.execute
        with _sentences(self.path):
            run(f"BEGIN {kind}")
            try:
                yield run
                run("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    run("ROLLBACK")
                raise


@cache
def _insert_of(count: int) -> str:
    # A withdrawn credential lets nobody in again; a conflict with an id or a credential is looked at afterwards.
    rows = ", ".join(["(?, ?, ?, ?, ?, ?)"] * count)
    return (
        f"INSERT INTO reports ({_COLUMNS}) SELECT * FROM (VALUES {rows}) "  # noqa: S608  nothing but question marks
        "WHERE NOT EXISTS (SELECT 1 FROM withdrawn WHERE credential = column3) ON CONFLICT DO NOTHING"
    )


@contextmanager
def _sentences(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OverflowError) as error:
        raise _failed(error, path) from None


def _failed(error: Exception, path: Path) -> StoreFailed:
    """A database's own message may quote what it was given, so only its name is passed on."""
    name = getattr(error, "sqlite_errorname", None) or getattr(error, "strerror", None) or type(error).__name__
    return StoreFailed(
        f"could not be written or read: {name}",
        parameter="database",
        value=str(path),
        way_out="Check the disk and the permissions. What was acknowledged is kept; senders try again.",
    )
