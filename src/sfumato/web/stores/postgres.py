"""PostgreSQL, when it grows: the same tables, one statement a batch, several writers at a time.

A batch is one call of a function in the database: one transaction, one round trip. After each further one a writer
would wait for Python's lock, which the event loop has most of the time. What was not new is told apart afterwards.

Every session asks for `synchronous_commit`, and a server that does not flush to disk (`fsync=off`) is refused. Rows
that come together are inserted in the order of their ids. What the database itself keeps (`xmin`, the order on its
pages, its log) shows in which order transactions came; docs/theory/collection.md says what follows from that.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, LiteralString

from sfumato.study.collections import StoredRow
from sfumato.web.stores.base import (
    Closing,
    Counts,
    Invitation,
    Issue,
    Outcome,
    Spending,
    Spent,
    State,
    in_results,
)
from sfumato.web.stores.batches import Named, advance, close_wave, in_view, is_due, row_in_results, take_out
from sfumato.web.stores.byte_arrays import byte_array
from sfumato.web.stores.migrations import COUNTS, STATE, newer_tables, state_of, unmade
from sfumato.web.stores.postgres_connections import PostgresConnection
from sfumato.web.stores.postgres_tables import MIGRATIONS, let_log_go_on, write_anew
from sfumato.web.stores.turns import first_places, taking_turns

_KEEP: LiteralString = "SELECT sfumato_keep(%b::int, %b::bytea[], %b::bytea[], %b::bytea[], %b::bytea[], %b::bytea[])"
_ROW: LiteralString = "SELECT wave, id, credential, row, shares, panel FROM reports "
# Writers hold the door together; who closes it, goes to another wave, or withdraws waits until they are through.
_SHARED: LiteralString = "SELECT pg_advisory_xact_lock_shared(7360191921)"
_ALONE: LiteralString = "SELECT pg_advisory_xact_lock(7360191921)"
# Writers wait for who shows a batch: under load that is done so often, and whenever somebody looks.
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
        """Keep reports: new ones in one transaction, which is on disk; the others are told apart in another."""
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
        """Show the next batch if it is due, when no writer is under way."""
        self._advanced = time.monotonic()
        with self._transaction() as run:
            if is_due(run, self._state()):
                run(_ALONE)
                advance(run, self._state())

    @taking_turns
    def _tell_apart(self, rows: Sequence[StoredRow]) -> list[Outcome]:
        """Say why rows were not new. They are tried again, for what was in their way may be gone."""
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
            # Before anything is seen: a table that is written anew would look empty to whoever looked away before.
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
        """Write the state, when no writer is under way."""
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
        """Close the wave, and show what was not shown yet, when no writer is under way."""
        with self._transaction() as run:
            run(_ALONE)
            closing = close_wave(run, self._state())
            run("UPDATE state SET closed = true")
        return closing
