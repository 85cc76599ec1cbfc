"""What both databases say about tables of another version."""

from __future__ import annotations

from sfumato.errors import UnknownSchema
from sfumato.web.stores.base import StoreFailed


def newer_tables(where: str) -> UnknownSchema:
    """Return the refusal of tables that a newer version made."""
    return UnknownSchema(
        "holds tables of a newer version",
        parameter="database",
        value=where,
        way_out="Update Sfumato here, or choose another database.",
    )


def unmade(where: str) -> StoreFailed:
    """Return the refusal of a database that nobody opened for a study."""
    return StoreFailed(
        "was not opened for a study", parameter="database", value=where, way_out="Open it with `sfumato serve`."
    )
