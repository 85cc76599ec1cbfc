"""Opening the store of a server."""

from __future__ import annotations

from pathlib import Path

from sfumato.errors import InvalidParameter
from sfumato.server.store_base import (
    Closing,
    Counts,
    InResults,
    Invitation,
    Issue,
    Outcome,
    Spending,
    Spent,
    State,
    Store,
    StoreFailed,
    few_words,
)
from sfumato.study.collection import StoredRow

DATABASE_FILE = "reports.sqlite"

__all__ = [
    "DATABASE_FILE",
    "Closing",
    "Counts",
    "InResults",
    "Invitation",
    "Issue",
    "Outcome",
    "Spending",
    "Spent",
    "State",
    "Store",
    "StoreFailed",
    "StoredRow",
    "few_words",
    "open_store",
]


def open_store(database: str | None, data: Path) -> Store:
    """Open the database of a URL, or the file in the server's folder where there is none; tables are made."""
    store: Store
    if database is None:
        from sfumato.server.sqlite_store import SqliteStore  # noqa: PLC0415  one database is loaded, not both

        store = SqliteStore(data / DATABASE_FILE)
    elif database.startswith(("postgresql://", "postgres://")):
        from sfumato.server.postgres_store import PostgresStore  # noqa: PLC0415

        store = PostgresStore(database)
    elif database.startswith("sqlite:///"):
        from sfumato.server.sqlite_store import SqliteStore  # noqa: PLC0415

        store = SqliteStore(database.removeprefix("sqlite:///"))
    else:
        raise InvalidParameter(
            "must begin with postgresql:// or sqlite:///",
            parameter="database",
            way_out="Leave it out for a file of SQLite in the server's folder.",
        )
    store.migrate()
    return store
