"""The PostgreSQL store for several front ends.

A batch is one call of a function in the database: one transaction, one round trip. With more round trips a writer would
wait for Python's lock, which the event loop holds most of the time. Why a row was not new is determined afterwards.

Every session sets `synchronous_commit`, and a server that does not flush to disk (`fsync=off`) is refused. Rows of a
batch are inserted in the order of their ids. What the database itself keeps (`xmin`, the order on its pages, its log)
shows the order of transactions; docs/theory/collection.md states the consequences.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import wraps
from itertools import groupby
from typing import Any, LiteralString, ParamSpec, TypeVar

import psycopg
from psycopg import Connection, errors
from psycopg.adapt import Buffer, Dumper
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Format

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
    close_wave,
    in_results,
    in_view,
    is_due,
    newer_tables,
    row_in_results,
    state_of,
    take_out,
    unmade,
)
from sfumato.study.collection import StoredRow

# --- Tables, the function that keeps a batch of reports in one statement, and rewriting tables


# One step a version. A released step is never changed; a new version appends a step.
MIGRATIONS: tuple[tuple[LiteralString, ...], ...] = (
    (
        """CREATE TABLE reports (
            wave INTEGER NOT NULL, id BYTEA NOT NULL, credential BYTEA NOT NULL UNIQUE, row BYTEA NOT NULL,
            shares BYTEA NOT NULL, panel BYTEA, batch INTEGER NOT NULL, PRIMARY KEY (wave, id))""",
        "CREATE INDEX reports_of_batch ON reports (wave, batch)",
        "CREATE INDEX reports_of_panel ON reports (panel) WHERE panel IS NOT NULL",
        "CREATE TABLE withdrawn (credential BYTEA PRIMARY KEY, id BYTEA NOT NULL)",
        "CREATE INDEX withdrawn_ids ON withdrawn (id)",
        "CREATE TABLE leaving (wave INTEGER NOT NULL, id BYTEA NOT NULL, PRIMARY KEY (wave, id))",
        "CREATE TABLE tokens (token BYTEA PRIMARY KEY, panel BYTEA, blinded BYTEA, signature BYTEA)",
        """CREATE TABLE state (
            one INTEGER PRIMARY KEY CHECK (one = 1), fingerprint TEXT NOT NULL, mode TEXT NOT NULL,
            wave INTEGER NOT NULL, closed BOOLEAN NOT NULL, shown INTEGER NOT NULL, tally_reports INTEGER NOT NULL)""",
    ),
    (
        # Being volatile, it sees in each statement what is committed by then: first the door, then who closed or
        # withdrew before it opened. A null after the ids says that a batch is to be shown, which needs the door alone.
        # Its plans are made once, when the table is small: a scan of the table would stay for good.
        """CREATE FUNCTION sfumato_keep(
            of_wave INTEGER, ids BYTEA[], credentials BYTEA[], packed BYTEA[], bodies BYTEA[], panels BYTEA[]
        ) RETURNS SETOF BYTEA LANGUAGE plpgsql VOLATILE SET enable_seqscan = off AS $$
        DECLARE known state; held INTEGER; filled INTEGER;
        BEGIN
            PERFORM pg_advisory_xact_lock_shared(7360191921);
            SELECT * INTO known FROM state;
            IF known.wave IS DISTINCT FROM of_wave OR known.closed THEN RETURN; END IF;
            SELECT count(*) INTO held FROM (SELECT 1 FROM reports WHERE wave = of_wave AND batch = known.shown + 1
                LIMIT known.tally_reports) AS counted;
            RETURN QUERY INSERT INTO reports (wave, id, credential, row, shares, panel, batch)
                SELECT of_wave, given.*, known.shown + CASE WHEN held < known.tally_reports THEN 1 ELSE 2 END
                FROM unnest(ids, credentials, packed, bodies, panels) AS given (id, credential, row, shares, panel)
                WHERE NOT EXISTS (SELECT 1 FROM withdrawn WHERE withdrawn.credential = given.credential)
                ON CONFLICT DO NOTHING RETURNING reports.id;
            SELECT count(*) INTO filled FROM (SELECT 1 FROM reports WHERE wave = of_wave AND batch = known.shown + 2
                LIMIT known.tally_reports) AS counted;
            IF filled >= known.tally_reports THEN RETURN NEXT NULL; END IF;
        END $$""",
    ),
)
_KEYS: tuple[tuple[LiteralString, LiteralString], ...]
_KEYS = (("reports", "wave, id"), ("withdrawn", "credential"), ("leaving", "wave, id"), ("tokens", "token"))


def write_anew(run: Any) -> None:
    """Write all rows anew, in the current transaction, in the order of their keys and into new files.

    They then have one `xmin`, which `CLUSTER` and `VACUUM FULL` would leave as it was; dead rows go with the old files.
    """
    run("LOCK TABLE reports, tokens, withdrawn, leaving IN ACCESS EXCLUSIVE MODE")
    for table, key in _KEYS:
        run("CREATE TEMPORARY TABLE held ON COMMIT DROP AS SELECT * FROM " + table)  # noqa: S608  both are ours
        run("TRUNCATE " + table)
        run("INSERT INTO " + table + " SELECT * FROM held ORDER BY " + key)  # noqa: S608
        run("DROP TABLE held")


def let_log_go_on(connection: psycopg.Connection[Any]) -> None:
    """Begin the next file of the write-ahead log, where this user may: the one before is recycled the sooner."""
    with suppress(psycopg.Error):
        connection.execute("SELECT pg_switch_wal()")
        connection.execute("CHECKPOINT")


def place_of(url: str) -> str:
    """Return where a database is, without user and password."""
    try:
        known = conninfo_to_dict(url)
    except psycopg.Error:
        return "postgresql"
    host, port, name = (known.get(key) for key in ("host", "port", "dbname"))
    return f"postgresql://{host or 'localhost'}{f':{port}' if port else ''}/{name or ''}"


# --- Repeating conflicting transactions
# Of two conflicting transactions PostgreSQL undoes one as a whole, which is then repeated.


IN_THE_WAY = (errors.DeadlockDetected, errors.SerializationFailure)
_TURNS = 5

T = TypeVar("T")
P = ParamSpec("P")


class Conflicting(StoreFailed):
    """A transaction that was undone because of a conflict with another."""


def taking_turns(method: Callable[P, T]) -> Callable[P, T]:
    """Do a transaction again that was undone so; after a few times it has failed."""

    @wraps(method)
    def done(*given: P.args, **named: P.kwargs) -> T:
        for _ in range(_TURNS - 1):
            with suppress(Conflicting):
                return method(*given, **named)
        return method(*given, **named)

    return done


def first_places(rows: Sequence[StoredRow]) -> dict[tuple[int, bytes], int]:
    """Return where each wave and id stands first, sorted by them: writers wait for each other in one order."""
    found: dict[tuple[int, bytes], int] = {}
    for place, row in enumerate(rows):
        found.setdefault((row.wave, row.id), place)
    return dict(sorted(found.items()))


# --- Many byte strings as one parameter: an array in its binary form
# psycopg converts every element of a list in Python, which takes longer than sending it. All bodies of a study have one
# length, so the bytes between two of them are always the same, and one `join` makes the array.


_BYTEA, _BYTEA_ARRAY = 17, 1001
# Dimensions, whether there are nulls, the type of elements, how many, and the number of the first.
_HEAD = struct.Struct(">iiIii")
_NULL = (-1).to_bytes(4, "big", signed=True)


class ByteArray(bytes):
    """An array of byte strings as PostgreSQL reads it."""

    __slots__ = ()


class _AsItIs(Dumper):
    format = Format.BINARY
    oid = _BYTEA_ARRAY

    def dump(self, obj: Buffer) -> Buffer:
        return obj


def byte_array(values: Sequence[bytes | None]) -> ByteArray:
    """Return byte strings as one array; None is a null."""
    if not values:
        return ByteArray(_HEAD.pack(0, 0, _BYTEA, 0, 1)[:12])
    marks = {_NULL if value is None else len(value).to_bytes(4, "big") for value in values}
    head = _HEAD.pack(1, int(_NULL in marks), _BYTEA, len(values), 1)
    if len(marks) == 1:
        return ByteArray(marks.pop().join([head, *(value or b"" for value in values)]))
    each = (_NULL if value is None else len(value).to_bytes(4, "big") + value for value in values)
    return ByteArray(head + b"".join(each))


def take_byte_arrays(connection: Connection) -> None:
    """Let a connection take such arrays as they are."""
    connection.adapters.register_dumper(ByteArray, _AsItIs)


# --- One connection: session settings, transactions and errors


class PostgresConnection:
    """One connection to a database of PostgreSQL.

    `synchronous` is on wherever reports are collected; a test takes off, to see that its absence is noticed.
    """

    def __init__(self, url: str, *, synchronous: bool = True) -> None:
        self.url = url
        self._synchronous = synchronous
        self.place = place_of(url)
        with self._sentences():
            self._connection = psycopg.connect(url, autocommit=True, connect_timeout=10)
        try:
            self._begin()
        except StoreFailed:
            self._connection.close()
            raise

    def _begin(self) -> None:
        """Say what every transaction of this connection needs; refuse a server that does not flush."""
        take_byte_arrays(self._connection)
        with self._sentences():
            self._connection.prepare_threshold = 1
            self._connection.execute(f"SET synchronous_commit TO {'on' if self._synchronous else 'off'}")
            # Under another default of the database, who waited at the door would see what was before it was closed.
            self._connection.execute("SET default_transaction_isolation TO 'read committed'")
            flushing = self._connection.execute("SELECT current_setting('fsync')").fetchone()
        if self._synchronous and flushing != ("on",):
            raise StoreFailed(
                "runs with fsync=off, so what is acknowledged could be lost",
                parameter="database",
                value=self.place,
                way_out="Set fsync = on in postgresql.conf, and restart it.",
            )

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        """One transaction: committed at the end, which is when it is on disk, or rolled back as a whole."""
        with self._sentences(), self._connection.transaction(), self._connection.cursor(binary=True) as cursor:
            yield cursor.execute

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            # Its own message may quote what it was given, so only its kind is passed on.
            kind = Conflicting if isinstance(error, IN_THE_WAY) else StoreFailed
            raise kind(
                f"could not be reached, written or read: {type(error).__name__}",
                parameter="database",
                value=self.place,
                way_out="Check that it runs and has room. What was acknowledged is kept; senders try again.",
            ) from None


_KEEP: LiteralString = "SELECT sfumato_keep(%b::int, %b::bytea[], %b::bytea[], %b::bytea[], %b::bytea[], %b::bytea[])"
_ROW: LiteralString = "SELECT wave, id, credential, row, shares, panel FROM reports "
# Writers share this lock. Closing, changing the wave and withdrawing wait until no writer holds it.
_SHARED: LiteralString = "SELECT pg_advisory_xact_lock_shared(7360191921)"
_ALONE: LiteralString = "SELECT pg_advisory_xact_lock(7360191921)"
# Writers wait while a batch is shown: under load it is shown this often, and whenever a reader looks.
_ADVANCE_SECONDS = 0.1
_MAKING: LiteralString = "SELECT pg_advisory_xact_lock(7360191922)"


class PostgresStore(PostgresConnection):
    """The store of a database of PostgreSQL."""

    _advanced = 0.0

    def clone(self) -> PostgresStore:
        """Return another connection to the same database."""
        return PostgresStore(self.url, synchronous=self._synchronous)

    def ping(self) -> None:
        """Ask for the state."""
        self.state()

    def migrate(self) -> None:
        """Make the tables, or bring those of an older version up to date."""
        with self._transaction() as run:
            run(_MAKING)
            run("CREATE TABLE IF NOT EXISTS sfumato_tables (version INTEGER NOT NULL)")
            found = run("SELECT version FROM sfumato_tables").fetchone()
            version = 0 if found is None else found[0]
            if version > len(MIGRATIONS):
                raise newer_tables(self.place)
            for step in MIGRATIONS[version:]:
                for statement in step:
                    run(statement)
            run("DELETE FROM sfumato_tables")
            run("INSERT INTO sfumato_tables VALUES (%s)", (len(MIGRATIONS),))

    def add(self, rows: Sequence[StoredRow]) -> list[Outcome]:
        """Keep reports: new ones in one transaction, which is on disk; another finds why the others were not new."""
        places = first_places(rows)
        new, is_full = self._keep_new([rows[place] for place in places.values()])
        found = {places[name]: Outcome.NEW for name in new}
        if len(found) < len(rows):
            others = [place for place in range(len(rows)) if place not in found]
            told = self._tell_apart([rows[place] for place in others])
            found |= dict(zip(others, told, strict=True))
        if is_full and time.monotonic() - self._advanced > _ADVANCE_SECONDS:
            self.advance()
        return [found[place] for place in range(len(rows))]

    @taking_turns
    def _keep_new(self, rows: Sequence[StoredRow]) -> tuple[set[tuple[int, bytes]], bool]:
        with self._sentences(), self._connection.cursor(binary=True) as cursor:
            return self._keep(cursor.execute, rows)

    def _keep(self, run: Any, rows: Sequence[StoredRow]) -> tuple[set[tuple[int, bytes]], bool]:
        """Insert rows that are sorted, so that two writers wait for each other in one order.

        Returns which are new, and whether the batch is full that is being filled.
        """
        new: set[tuple[int, bytes]] = set()
        is_full = False
        for wave, some in groupby(rows, key=lambda row: row.wave):
            records = [(one.id, one.credential, one.row, one.shares, one.panel) for one in some]
            found = run(_KEEP, (wave, *map(byte_array, zip(*records, strict=True)))).fetchall()
            new.update((wave, one[0]) for one in found if one[0] is not None)
            is_full |= (None,) in found
        return new, is_full

    @taking_turns
    def advance(self) -> None:
        """Show the next batch if it is due, while no writer is active."""
        self._advanced = time.monotonic()
        with self._transaction() as run:
            if is_due(run, self._state()):
                run(_ALONE)
                advance(run, self._state())

    @taking_turns
    def _tell_apart(self, rows: Sequence[StoredRow]) -> list[Outcome]:
        """Say why rows were not new. They are tried again, because the conflict may be gone."""
        with self._transaction() as run:
            run(_SHARED)
            state = self._state()
            places = first_places(rows)
            new = {places[name] for name in self._keep(run, [rows[place] for place in places.values()])[0]}
            return [
                Outcome.NEW
                if place in new
                else self._seen_before(run, row, is_open=not state.closed and row.wave == state.wave)
                for place, row in enumerate(rows)
            ]

    def _seen_before(self, run: Any, row: StoredRow, *, is_open: bool) -> Outcome:
        if run("SELECT 1 FROM withdrawn WHERE credential = %b", (row.credential,)).fetchone():
            return Outcome.WITHDRAWN
        found = run(_ROW + "WHERE wave = %b AND id = %b", (row.wave, row.id)).fetchone()
        if found is not None:
            same = found == (row.wave, row.id, row.credential, row.row, row.shares, row.panel)
            return Outcome.SAME if same else Outcome.OTHER_BODY
        return Outcome.USED_CREDENTIAL if is_open else Outcome.CLOSED

    def find(self, ids: Sequence[bytes], *, wave: int) -> set[bytes]:
        """Return which of these reports are kept."""
        with self._transaction() as run:
            found = run("SELECT id FROM reports WHERE wave = %b AND id = ANY(%b::bytea[])", (wave, list(ids)))
            return {one[0] for one in found}

    def invitation(self, token: bytes) -> Invitation | None:
        """Return what is known of a token."""
        with self._sentences():
            query: LiteralString = "SELECT panel, blinded, signature FROM tokens WHERE token = %b"
            found = self._connection.execute(query, (token,)).fetchone()
        if found is None:
            return None
        return Invitation(token=token, panel=found[0], blinded=found[1], signature=found[2])

    @taking_turns
    def spend(self, spendings: Sequence[Spending]) -> list[Spent]:
        """Spend tokens in one transaction, in the order of their hashes: two writers cannot block each other."""
        order = sorted(range(len(spendings)), key=lambda index: spendings[index].token)
        with self._transaction() as run:
            run(_SHARED)
            closed = self._state().closed
            found = {index: self._spend_one(run, spendings[index], closed=closed) for index in order}
        return [found[index] for index in range(len(spendings))]

    def _spend_one(self, run: Any, one: Spending, *, closed: bool) -> Spent:
        if not closed:
            change = "UPDATE tokens SET blinded = %b, signature = %b WHERE token = %b AND blinded IS NULL"
            if run(change, (one.blinded, one.signature, one.token)).rowcount == 1:
                return Spent(outcome=Issue.NEW, signature=one.signature)
        found = run("SELECT blinded, signature FROM tokens WHERE token = %b", (one.token,)).fetchone()
        if found is None:
            return Spent(outcome=Issue.UNKNOWN_TOKEN)
        if found[0] is None:
            return Spent(outcome=Issue.CLOSED)
        same = found[0] == one.blinded
        return Spent(outcome=Issue.SAME, signature=found[1]) if same else Spent(outcome=Issue.OTHER_NONCE)

    def invite(self, invitations: Sequence[Invitation]) -> None:
        """Let tokens in."""
        records = sorted((one.token, one.panel) for one in invitations)
        with self._transaction(), self._connection.cursor() as cursor:
            cursor.executemany("INSERT INTO tokens (token, panel) VALUES (%b, %b)", records)

    def withdraw(self, report: bytes) -> int | None:
        """Withdraw the report of an id."""
        gone = self._withdraw(Named(column="id", value=report, mark="%b"))
        with self._transaction() as run:
            known = run("SELECT 1 FROM withdrawn WHERE id = %b", (report,)).fetchone()
        return gone if known else None

    def withdraw_panel(self, panel: bytes) -> int:
        """Withdraw all reports of a pseudonym."""
        return self._withdraw(Named(column="panel", value=panel, mark="%b"))

    @taking_turns
    def _withdraw(self, named: Named) -> int:
        with self._transaction() as run:
            run(_ALONE)
            state = self._state()
            row = row_in_results(run, state, named)
            gone = take_out(run, state, named)
        if row is not None:
            raise in_results(row)
        return gone

    @taking_turns
    def compact(self) -> None:
        """Write all rows anew in one transaction. The log keeps what it had until it is recycled."""
        with self._transaction() as run:
            run(_ALONE)
            write_anew(run)
        let_log_go_on(self._connection)

    def snapshot(self, wave: int | None = None) -> Iterator[StoredRow]:
        """Go through all rows as they were when this began."""
        return self._rows("" if wave is None else f"WHERE wave = {wave:d} ")

    def shown_rows(self, wave: int) -> Iterator[StoredRow]:
        """Go through the rows that readers may see."""
        return self._rows(f"WHERE {in_view(wave)} ")

    def _rows(self, where: str) -> Iterator[StoredRow]:
        with self._transaction() as run:
            run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            # Before anything is seen: a rewritten table would look empty to a transaction with an older snapshot.
            run("LOCK TABLE reports IN ACCESS SHARE MODE")
            with self._connection.cursor("snapshot", binary=True) as cursor:
                cursor.itersize = 5000
                run_it: Any = cursor.execute
                run_it(_ROW + where + "ORDER BY wave, id")
                for found in cursor:
                    yield StoredRow(
                        wave=found[0], id=found[1], credential=found[2], row=found[3], shares=found[4], panel=found[5]
                    )

    def shown_counts(self, wave: int) -> list[tuple[bytes, int]]:
        """Count equal rows that readers may see, in one statement that keeps no writer waiting."""
        with self._transaction() as run:
            found: list[tuple[bytes, int]] = run(
                f"SELECT row, count(*) FROM reports WHERE {in_view(wave)} GROUP BY row"  # noqa: S608
            ).fetchall()
        return found

    def counts(self) -> Counts:
        """Count what is kept."""
        with self._transaction() as run:
            found = run(COUNTS).fetchone()
        return Counts(reports=found[0], invited=found[1], spent=found[2], withdrawn=found[3])

    def state(self) -> State | None:
        """Return what the store is for."""
        with self._sentences():
            found = self._connection.execute("SELECT " + STATE + " FROM state").fetchone()  # noqa: S608
        return None if found is None else state_of(found)

    def _state(self) -> State:
        state = self.state()
        if state is None:
            raise unmade(self.place)
        return state

    @taking_turns
    def set_state(self, state: State) -> None:
        """Write the state while no writer is active."""
        with self._transaction() as run:
            run(_ALONE)
            run("DELETE FROM state")
            run(
                "INSERT INTO state (one, " + STATE + ") VALUES (1, %s, %s, %s, %s, %s, %s)",  # noqa: S608
                (state.fingerprint, state.mode, state.wave, state.closed, state.shown, state.tally_reports),
            )

    @taking_turns
    def set_tally_reports(self, count: int) -> None:
        """Say how many reports a batch has at least."""
        with self._transaction() as run:
            run(_ALONE)
            run("UPDATE state SET tally_reports = %b", (count,))
            advance(run, self._state())

    @taking_turns
    def close_wave(self) -> Closing:
        """Close the wave, and show what was not shown yet, while no writer is active."""
        with self._transaction() as run:
            run(_ALONE)
            closing = close_wave(run, self._state())
            run("UPDATE state SET closed = true")
        return closing
