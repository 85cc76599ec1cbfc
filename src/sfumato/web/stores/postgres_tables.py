"""The tables of PostgreSQL, the function that keeps a batch of reports in one statement, and writing them anew."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, LiteralString

import psycopg
from psycopg.conninfo import conninfo_to_dict

# One step a version. What is in a release is never changed; a new version appends a step.
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
    """Write all rows anew, in a transaction that is under way, in the order of their keys and into new files.

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
