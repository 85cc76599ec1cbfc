"""The SQLite store: one file, written through to disk with each commit.

Rows are kept in the order of their ids, which are hashes, and without row numbers, so the table does not show in which
order reports came. The write-ahead log does until it is checkpointed. Deleted rows are overwritten with zeros.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from sfumato.files.disk import flush_folder
from sfumato.server.store_base import (
    COUNTS,
    STATE,
    Closing,
    Counts,
    Invitation,
    Issue,
    Named,
    Outcome,
    Spending,
    Spent,
    State,
    StoreFailed,
    advance,
    batch_of_new,
    close_wave,
    in_results,
    in_view,
    newer_tables,
    row_in_results,
    state_of,
    take_out,
    unmade,
)
from sfumato.study.collection import StoredRow

# --- Tables, the statement that keeps reports, and errors


COLUMNS = "wave, id, credential, row, shares, panel"
"""What a row is read as; its batch is beside it."""
# One step a version. A released step is never changed; a new version appends a step.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE reports (
            wave INTEGER NOT NULL, id BLOB NOT NULL, credential BLOB NOT NULL UNIQUE, row BLOB NOT NULL,
            shares BLOB NOT NULL, panel BLOB, batch INTEGER NOT NULL, PRIMARY KEY (wave, id)) WITHOUT ROWID""",
        "CREATE INDEX reports_of_batch ON reports (wave, batch)",
        "CREATE INDEX reports_of_panel ON reports (panel) WHERE panel IS NOT NULL",
        "CREATE TABLE withdrawn (credential BLOB NOT NULL PRIMARY KEY, id BLOB NOT NULL) WITHOUT ROWID",
        "CREATE INDEX withdrawn_ids ON withdrawn (id)",
        "CREATE TABLE leaving (wave INTEGER NOT NULL, id BLOB NOT NULL, PRIMARY KEY (wave, id)) WITHOUT ROWID",
        """CREATE TABLE tokens (
            token BLOB NOT NULL PRIMARY KEY, panel BLOB, blinded BLOB, signature BLOB) WITHOUT ROWID""",
        """CREATE TABLE state (
            one INTEGER PRIMARY KEY CHECK (one = 1), fingerprint TEXT NOT NULL, mode TEXT NOT NULL,
            wave INTEGER NOT NULL, closed INTEGER NOT NULL, shown INTEGER NOT NULL, tally_reports INTEGER NOT NULL)""",
    ),
)


@cache
def insert_of(count: int) -> str:
    """Return the statement that inserts so many rows, each with its batch.

    A withdrawn credential is not accepted again; conflicts of ids and credentials are examined afterwards.
    """
    rows = ", ".join(["(?, ?, ?, ?, ?, ?, ?)"] * count)
    return (
        f"INSERT INTO reports ({COLUMNS}, batch) SELECT * FROM (VALUES {rows}) "  # noqa: S608  nothing but question marks
        "WHERE NOT EXISTS (SELECT 1 FROM withdrawn WHERE credential = column3) ON CONFLICT DO NOTHING"
    )


@contextmanager
def sentences(path: Path) -> Iterator[None]:
    """Say in a sentence what a database could not do."""
    try:
        yield
    except (sqlite3.Error, OverflowError) as error:
        raise failed(error, path) from None


def failed(error: Exception, path: Path) -> StoreFailed:
    """A database's own message may quote what it was given, so only its name is passed on."""
    name = getattr(error, "sqlite_errorname", None) or getattr(error, "strerror", None) or type(error).__name__
    return StoreFailed(
        f"could not be written or read: {name}",
        parameter="database",
        value=str(path),
        way_out="Check the disk and the permissions. What was acknowledged is kept; senders try again.",
    )


_PATIENCE_SECONDS = 30.0
# Ids are hashes, so rows are spread over the file: 64 MB of it are cached, and the log is checkpointed at 16 MB.
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
            raise failed(error, self.path) from None
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
        with self._transaction() as run:
            state = self._state()
            batch = batch_of_new(run, state)
            records = [(row.wave, row.id, row.credential, row.row, row.shares, row.panel, batch) for row in rows]
            outcomes = self._kept(rows, records, state)
            gone = advance(run, state)
        if gone:
            self._fold_log()
        return outcomes

    def _kept(self, rows: Sequence[StoredRow], records: Sequence[tuple[object, ...]], state: State) -> list[Outcome]:
        if not state.closed and all(row.wave == state.wave for row in rows):
            self._connection.execute("SAVEPOINT together")
            if self._insert_together(records) == len(rows):
                return [Outcome.NEW] * len(rows)
            self._connection.execute("ROLLBACK TO together")
        return [self._add_one(row, record, state) for row, record in zip(rows, records, strict=True)]

    def _insert_together(self, records: Sequence[tuple[object, ...]]) -> int:
        """Insert in few statements, of 2^k rows each: Python hands its lock over at every statement, not every row."""
        done, inserted = 0, 0
        while done < len(records):
            count = 1 << ((len(records) - done).bit_length() - 1)
            given: list[Any] = [value for record in records[done : done + count] for value in record]
            inserted += self._connection.execute(insert_of(count), given).rowcount
            done += count
        return inserted

    def _add_one(self, row: StoredRow, record: tuple[object, ...], state: State) -> Outcome:
        run = self._connection.execute
        is_open = not state.closed and row.wave == state.wave
        if is_open and run(insert_of(1), record).rowcount == 1:
            return Outcome.NEW
        found = run(f"SELECT {COLUMNS} FROM reports WHERE wave = ? AND id = ?", (row.wave, row.id)).fetchone()  # noqa: S608
        if run("SELECT 1 FROM withdrawn WHERE credential = ?", (row.credential,)).fetchone():
            return Outcome.WITHDRAWN
        if found is not None:
            return Outcome.SAME if found == record[:-1] else Outcome.OTHER_BODY
        return Outcome.USED_CREDENTIAL if is_open else Outcome.CLOSED

    def find(self, ids: Sequence[bytes], *, wave: int) -> set[bytes]:
        """Return which of these reports are kept."""
        with self._transaction("DEFERRED") as run:
            query = "SELECT 1 FROM reports WHERE wave = ? AND id = ?"
            return {one for one in ids if run(query, (wave, one)).fetchone()}

    def invitation(self, token: bytes) -> Invitation | None:
        """Return what is known of a token."""
        with sentences(self.path):
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
        """Withdraw the report of an id."""
        gone = self._withdraw(Named(column="id", value=report, mark="?"))
        with sentences(self.path):
            known = self._connection.execute("SELECT 1 FROM withdrawn WHERE id = ?", (report,)).fetchone()
        return gone if known else None

    def withdraw_panel(self, panel: bytes) -> int:
        """Withdraw all reports of a pseudonym."""
        return self._withdraw(Named(column="panel", value=panel, mark="?"))

    def _withdraw(self, named: Named) -> int:
        with self._transaction() as run:
            state = self._state()
            row = row_in_results(run, state, named)
            gone = take_out(run, state, named)
        self._fold_log()
        if row is not None:
            raise in_results(row)
        return gone

    def _fold_log(self) -> None:
        """The log still holds what was deleted; who reads at this moment keeps it from being emptied, until later."""
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def compact(self) -> None:
        """Build the file anew, table by table in the order of its keys, and empty the log."""
        with sentences(self.path):
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
        return self._rows("" if wave is None else f"WHERE wave = {wave:d}")

    def shown_rows(self, wave: int) -> Iterator[StoredRow]:
        """Go through the rows that readers may see."""
        return self._rows(f"WHERE {in_view(wave)}")

    def _rows(self, where: str) -> Iterator[StoredRow]:
        with self._transaction("DEFERRED") as run:
            for found in run(f"SELECT {COLUMNS} FROM reports {where} ORDER BY wave, id"):  # noqa: S608
                yield StoredRow(
                    wave=found[0], id=found[1], credential=found[2], row=found[3], shares=found[4], panel=found[5]
                )

    def shown_counts(self, wave: int) -> list[tuple[bytes, int]]:
        """Count equal rows that readers may see, in one statement that keeps no writer waiting."""
        with self._transaction("DEFERRED") as run:
            return run(f"SELECT row, count(*) FROM reports WHERE {in_view(wave)} GROUP BY row").fetchall()  # noqa: S608

    def counts(self) -> Counts:
        """Count what is kept."""
        with self._transaction("DEFERRED") as run:
            reports, invited, spent, withdrawn = run(COUNTS).fetchone()
        return Counts(reports=reports, invited=invited, spent=spent, withdrawn=withdrawn)

    def state(self) -> State | None:
        """Return what the store is for."""
        with sentences(self.path):
            found = self._connection.execute(f"SELECT {STATE} FROM state").fetchone()  # noqa: S608
        return None if found is None else state_of(found)

    def _state(self) -> State:
        state = self.state()
        if state is None:
            raise unmade(str(self.path))
        return state

    def set_state(self, state: State) -> None:
        """Write the state; writers wait for each other, so no report is taken under the old one afterwards."""
        with self._transaction() as run:
            run(
                f"INSERT OR REPLACE INTO state (one, {STATE}) VALUES (1, ?, ?, ?, ?, ?, ?)",  # noqa: S608
                (state.fingerprint, state.mode, state.wave, int(state.closed), state.shown, state.tally_reports),
            )

    def set_tally_reports(self, count: int) -> None:
        """Say how many reports a batch has at least."""
        with self._transaction() as run:
            run("UPDATE state SET tally_reports = ?", (count,))
            gone = advance(run, self._state())
        if gone:
            self._fold_log()

    def advance(self) -> None:
        """Do nothing: here the report that fills a batch shows the one before it."""

    def close_wave(self) -> Closing:
        """Close the wave, and show what was not shown yet."""
        with self._transaction() as run:
            closing = close_wave(run, self._state())
            run("UPDATE state SET closed = 1")
        self._fold_log()
        return closing

    def copy_to(self, path: str | Path) -> None:
        """Write a copy of the database as it is at one moment, while others go on."""
        with sentences(self.path):
            self._connection.execute("VACUUM INTO ?", (str(path),))

    @contextmanager
    def _transaction(self, kind: str = "IMMEDIATE") -> Iterator[Callable[..., sqlite3.Cursor]]:
        """One transaction: committed at the end, which is when it is on disk, or rolled back as a whole."""
        run = self._connection.execute
        with sentences(self.path):
            run(f"BEGIN {kind}")
            try:
                yield run
                run("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    run("ROLLBACK")
                raise
