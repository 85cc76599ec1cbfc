"""Rows and the sealed bodies of one reader, for their own browser: those of the reports that are shown.

All readers are shown the same reports, whenever they ask (`stores/batches.py`). Rows come in the order of their ids,
which says nothing of when they came.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from sfumato.study.collected_rows import bodies_of
from sfumato.study.collections import Receiver
from sfumato.study.reading_documents import reading_document
from sfumato.web.problems import Problem
from sfumato.web.stores import State, Store

if TYPE_CHECKING:
    from sfumato.web.collecting import CollectionServer

MOST_ROWS = 20_000
"""As many as a browser opens in a quarter of a minute; beyond, the command is the better place."""
_LENGTH_BYTES = 4


class ShareFeeds:
    """The rows that each reader was last given, kept until another view is shown."""

    def __init__(self, server: CollectionServer) -> None:
        self._server = server
        self._given: dict[str, tuple[State, bytes]] = {}
        self._lock = asyncio.Lock()

    async def of(self, receiver: Receiver) -> bytes:
        """Return a header, its length before it, and id, row and body of each report."""
        async with self._lock:
            state = await self._server.view()
            given = self._given.get(receiver.name)
            if given is not None and given[0] == state:
                return given[1]
            document = await self._server.apart(lambda store: self._made(store, receiver))
            self._given[receiver.name] = (state, document)
            return document

    def _made(self, store: Store, receiver: Receiver) -> bytes:
        collection, least = self._server.collection, self._server.settings.tally_reports
        rows = list(islice(store.shown_rows(collection.wave), MOST_ROWS + 1))
        if not rows:
            raise Problem(
                HTTPStatus.CONFLICT,
                "no reports are shown yet",
                way_out=f"Come back later: they are shown in batches of at least {least}.",
            )
        if len(rows) > MOST_ROWS:
            raise Problem(
                HTTPStatus.CONFLICT,
                f"more than {MOST_ROWS:,} reports have come, which is too many for a page",
                way_out="Take the export, and use the command: sfumato keys unseal, then open and estimate.",
            )
        header = msgspec.json.encode({**reading_document(collection, receiver), "rows": len(rows)})
        bodies = bodies_of(collection, rows, receiver)
        parts = [len(header).to_bytes(_LENGTH_BYTES, "big"), header]
        parts += [part for row, body in zip(rows, bodies, strict=True) for part in (row.id, row.row, body)]
        return b"".join(parts)
