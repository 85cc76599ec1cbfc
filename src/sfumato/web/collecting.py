"""What a running server holds: the collection, its database, the writer, who is let in, and the live tally."""

from __future__ import annotations

import asyncio
import hmac
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from sfumato.study.collections import Collection
from sfumato.study.forms import form_document
from sfumato.study.live_tallies import LiveTallies
from sfumato.web.admissions import Remembered, Signing
from sfumato.web.limits import RateLimit
from sfumato.web.metrics import Metrics
from sfumato.web.reader_tokens import reader_token
from sfumato.web.settings import Settings
from sfumato.web.share_feeds import ShareFeeds
from sfumato.web.stores import State, Store, StoreFailed, few_words
from sfumato.web.writer import GroupWriter

T = TypeVar("T")

_READ_PATIENCE_SECONDS = 5.0
# A body is hex, base64 and names around the bytes of a row and its shares; this is what is not the bytes.
_BODY_MARGIN = 8192
# Wrong tokens of administrators and readers from one address: so many at once, and so many a second.
_TRIES, _TRIES_A_SECOND = 10, 0.5
_REST = 4


class CollectionSteps(Protocol):
    """What the study does with what was collected; the server only calls it."""

    def certificate(self) -> Mapping[str, Any]:
        """Return what a report tells about an answer, with its proofs."""
        ...

    @property
    def certificates(self) -> Mapping[str, str]:
        """The sealed certificate of each question, letter by letter."""
        ...

    def export(self, store: Store, out: Path) -> None:
        """Write the reports that are shown into a new folder, as a part that the ordinary verbs read."""
        ...

    def count(self, store: Store) -> LiveTallies:
        """Count the reports that are shown."""
        ...

    def tally(self, counted: LiveTallies, *, least: int) -> Mapping[str, Any]:
        """Return what counted reports say; where none are shown nothing is said."""
        ...

    def live(self, counted: LiveTallies, *, least: int) -> Mapping[str, Any]:
        """Return the counts themselves; where none are shown nothing is said."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The reports of one view, counted; `due` is when it may be asked whether there is a later view."""

    state: State
    tallies: LiveTallies
    due: float


class CollectionServer:
    """One server of one collection; a panel has no `signing`. `admin` is the hash of the administrator's token."""

    def __init__(
        self,
        collection: Collection,
        store: Store,
        settings: Settings,
        *,
        admin: bytes,
        signing: Signing | None,
        steps: CollectionSteps,
    ) -> None:
        self.collection = collection
        self.settings = settings
        self.signing = signing
        self.metrics = Metrics()
        self.limit = RateLimit(settings.rate, settings.burst)
        self.pseudonyms = Remembered()
        self.study_json = msgspec.json.encode(collection.to_document())
        self.steps = steps
        self._admin = admin
        self._store = store
        self._reading = threading.Lock()
        self._certificate_json: bytes | None = None
        self._form_json: bytes | None = None
        self._counted: Counted | None = None
        self._tally: bytes | None = None
        self._live: bytes | None = None
        self._tallying = asyncio.Lock()
        self.failures = RateLimit(min(settings.rate, _TRIES_A_SECOND), _TRIES)
        self.feeds = ShareFeeds(self)
        self.writer: GroupWriter

    @property
    def is_panel(self) -> bool:
        """Whether reports are kept under pseudonyms."""
        return self.signing is None

    @property
    def body_limit(self) -> int:
        """How many bytes a body may have."""
        needed = 2 * (self.collection.row_bytes + sum(self.collection.share_bytes.values())) + _BODY_MARGIN
        return self.settings.body_bytes or needed

    def is_admin(self, header: str) -> bool:
        """Whether a request says the administrator's token; compared in constant time, by its hash."""
        return _says(header, self._admin)

    def may_watch(self, header: str) -> bool:
        """Whether a request may see the metrics: with the administrator's token, or with the one that is set for it."""
        token = self.settings.metrics_token
        return self.is_admin(header) or (bool(token) and _says(header, sha256(token.encode()).digest()))

    def reader_token(self, receiver: str) -> str:
        """Return the token of a reader, which the administrator hands out."""
        return reader_token(self._admin, self.collection.fingerprint, receiver)

    async def start(self) -> None:
        """Begin to write."""
        threads = self.settings.writers or (3 if hasattr(self._store, "url") else 1)
        try:
            await asyncio.to_thread(self._store.set_tally_reports, self.settings.tally_reports)
            self.writer = GroupWriter(self._store, threads=threads)
        except StoreFailed:
            self._store.close()
            raise

    async def stop(self) -> None:
        """Write what waits, and let go of the database."""
        await self.writer.stop()
        self._store.close()

    async def read(self, question: Callable[[Store], T]) -> T:
        """Ask the database something small, away from the event loop."""

        def ask() -> T:
            with self._reading:
                return question(self._store)

        return await asyncio.wait_for(asyncio.to_thread(ask), _READ_PATIENCE_SECONDS)

    async def apart(self, job: Callable[[Store], T]) -> T:
        """Do something long on a connection of its own."""

        def run() -> T:
            own = self._store.clone()
            try:
                return job(own)
            finally:
                own.close()

        return await asyncio.to_thread(run)

    async def state(self) -> State:
        """Return the state as it is in the database."""
        found = await self.read(lambda store: store.state())
        if found is None:  # it was opened before the server was
            raise LookupError
        return found

    async def view(self) -> State:
        """Return the state by which views are made, after a batch that is due was shown."""
        await self.read(lambda store: store.advance())
        return await self.state()

    async def form(self) -> bytes:
        """Return the form, which is made once."""
        if self._form_json is None:
            self._form_json = msgspec.json.encode(await asyncio.to_thread(form_document, self.collection))
        return self._form_json

    async def certificate(self) -> bytes:
        """Return the certificate, which is made once."""
        if self._certificate_json is None:
            self._certificate_json = msgspec.json.encode(await asyncio.to_thread(self.steps.certificate))
        return self._certificate_json

    async def certificates(self) -> Mapping[str, str]:
        """Return the sealed certificates, which are made once."""
        return await asyncio.to_thread(lambda: self.steps.certificates)

    async def tally(self) -> bytes:
        """Return the live tally of the reports that are shown.

        Who asks while reports are counted anew gets what was made before.
        """
        if self._tallying.locked() and self._tally is not None:
            return self._tally
        async with self._tallying:
            counted = await self._fresh()
            if self._tally is None:
                found = await asyncio.to_thread(self.steps.tally, counted.tallies, least=self.settings.tally_reports)
                self._tally = _noted(found, counted.state)
            return self._tally

    async def live(self) -> bytes:
        """Return the counts that the live tally is made of."""
        if self._tallying.locked() and self._live is not None:
            return self._live
        async with self._tallying:
            counted = await self._fresh()
            if self._live is None:
                found = await asyncio.to_thread(self.steps.live, counted.tallies, least=self.settings.tally_reports)
                self._live = _noted(found, counted.state)
            return self._live

    async def _fresh(self) -> Counted:
        """Return what was counted last, counted anew where another view is shown since."""
        known = self._counted
        if known is not None and time.monotonic() < known.due:
            return known
        state = await self.view()
        if known is not None and known.state == state:
            return known
        begun = time.monotonic()
        tallies = await self.apart(self.steps.count)
        # Counting takes a fifth of the time at the most, however many reports there are.
        due = time.monotonic() + max(self.settings.tally_seconds, _REST * (time.monotonic() - begun))
        self._counted, self._live, self._tally = Counted(state=state, tallies=tallies, due=due), None, None
        return self._counted


def _noted(document: Mapping[str, Any], state: State) -> bytes:
    """Return what is sent, with the sentence for a study that closed with few reports."""
    note = few_words(document["reports"] or 0, state.tally_reports) if state.closed else None
    return msgspec.json.encode({**document, "note": note})


def _says(header: str, wanted: bytes) -> bool:
    """Whether a header of authorization says the token of a hash."""
    scheme, _, token = header.partition(" ")
    given = sha256(token.strip().encode("utf-8", "replace")).digest()
    return hmac.compare_digest(given, wanted) and scheme.lower() == "bearer"
