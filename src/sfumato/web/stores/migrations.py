"""What the tables of both databases share: the columns of the state, and what is said of tables of another version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, LiteralString

from sfumato.errors import UnknownSchema
from sfumato.web.stores.base import State, StoreFailed

STATE: LiteralString = "fingerprint, mode, wave, closed, shown, tally_reports"
"""The columns of the state, in the order in which `state_of` reads them."""

COUNTS: LiteralString = (
    "SELECT (SELECT count(*) FROM reports) - (SELECT count(*) FROM leaving), (SELECT count(*) FROM tokens), "
    "(SELECT count(*) FROM tokens WHERE blinded IS NOT NULL), (SELECT count(*) FROM withdrawn)"
)
"""What is counted, in the order of `Counts`."""


def state_of(found: Sequence[Any]) -> State:
    """Return the state of a row of its table."""
    fingerprint, mode, wave, closed, shown, least = found
    return State(fingerprint=fingerprint, mode=mode, wave=wave, closed=bool(closed), shown=shown, tally_reports=least)


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
