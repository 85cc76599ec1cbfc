"""Rows and the sealed bodies of one reader, for their own browser: as they are at one moment, and never a few alone.

Whoever fetches them twice sees which rows are new. So they change by as many reports at a time as the live tally does,
and of fewer there is nothing; once the study is closed they are what was collected. Rows come in the order of their
ids, which says nothing of when they came.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from http import HTTPStatus
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from sfumato.study.collected_rows import bodies_of
from sfumato.study.collections import Receiver, StoredRow
from sfumato.study.reading_documents import reading_document
from sfumato.web.problems import Problem
from sfumato.web.stores import Store

if TYPE_CHECKING:
    from sfumato.web.collecting import CollectionServer

MOST_ROWS = 20_000
"""As many as a browser opens in a quarter of a minute; beyond, the command is the better place."""
_LENGTH_BYTES = 4


class ShareFeeds:
    """The rows that each reader was last given."""

    def __init__(self, server: CollectionServer) -> None:
        self._server = server
        self._given: dict[str, tuple[int, bool, bytes]] = {}
        self._lock = asyncio.Lock()

    async def of(self, receiver: Receiver) -> bytes:
        """Return a header, its length before it, and id, row and body of each report."""
        async with self._lock:
            known, state = await self._server.read(lambda store: (store.counts(), store.state()))
            is_closed = state is not None and state.closed
            least = self._server.settings.tally_reports
            given = self._given.get(receiver.name)
            if given is not None:
                count, was_closed, document = given
                if was_closed == is_closed and abs(known.reports - count) < (1 if is_closed else least):
                    return document
            count, document = await self._server.apart(lambda store: self._made(store, receiver, least))
            self._given[receiver.name] = (count, is_closed, document)
            return document

    def _made(self, store: Store, receiver: Receiver, least: int) -> tuple[int, bytes]:
        collection = self._server.collection
        rows = list(islice(_of_wave(store.snapshot(collection.wave), collection.wave), MOST_ROWS + 1))
        if len(rows) < least:
            raise Problem(
                HTTPStatus.CONFLICT,
                f"fewer than {least} reports have come, and of so few nothing is shown",
                way_out="Come back later.",
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
        return store.counts().reports, b"".join(parts)


def _of_wave(rows: Iterator[StoredRow], wave: int) -> Iterator[StoredRow]:
    return (row for row in rows if row.wave == wave)
