"""The tables of SQLite, the statement that keeps reports, and what is said where it fails."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from sfumato.web.stores.base import StoreFailed

COLUMNS = "wave, id, credential, row, shares, panel"
"""What a row is read as; its batch is beside it."""
# One step a version. What is in a release is never changed; a new version appends a step.
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

    A withdrawn credential lets nobody in again; a conflict with an id or a credential is looked at afterwards.
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
