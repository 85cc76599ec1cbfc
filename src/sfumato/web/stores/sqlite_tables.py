"""The tables of SQLite."""

from __future__ import annotations

# One step a version. What is in a release is never changed; a new version appends a step.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE reports (
            wave INTEGER NOT NULL, id BLOB NOT NULL, credential BLOB NOT NULL UNIQUE, row BLOB NOT NULL,
            shares BLOB NOT NULL, panel BLOB, PRIMARY KEY (wave, id)) WITHOUT ROWID""",
        "CREATE INDEX reports_of_panel ON reports (panel) WHERE panel IS NOT NULL",
        "CREATE TABLE withdrawn (credential BLOB NOT NULL PRIMARY KEY, id BLOB NOT NULL) WITHOUT ROWID",
        "CREATE INDEX withdrawn_ids ON withdrawn (id)",
        """CREATE TABLE tokens (
            token BLOB NOT NULL PRIMARY KEY, panel BLOB, blinded BLOB, signature BLOB) WITHOUT ROWID""",
        """CREATE TABLE state (
            one INTEGER PRIMARY KEY CHECK (one = 1), fingerprint TEXT NOT NULL, mode TEXT NOT NULL,
            wave INTEGER NOT NULL, closed INTEGER NOT NULL)""",
    ),
)
