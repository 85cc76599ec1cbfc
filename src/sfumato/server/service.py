"""A running server: the collection, its store, its writer and its figures."""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from sfumato.output.estimates import estimate_document
from sfumato.publications.collected import LiveTallies, bodies_of
from sfumato.server.admission import Remembered, Signing
from sfumato.server.requests import Problem, RateLimit
from sfumato.server.settings import Settings
from sfumato.server.store_base import State, Store, StoreFailed, few_words
from sfumato.server.writer import GroupWriter
from sfumato.study.collection import (
    Collection,
    Receiver,
    collection_certificates,
    collection_words,
    form_document,
    public_reckonings,
    reading_document,
)
from sfumato.workflows.collecting import OpenedCollection, export_part

# --- Figures about the server in Prometheus' text format
# None of them is about one report or one person.


MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """What was counted since the process began."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        self.reports: Counter[str] = Counter()
        self.credentials: Counter[str] = Counter()
        self.withdrawals = 0

    def text(self, writer: GroupWriter) -> str:
        """Return all figures, one a line, each kind with its sentence."""
        figures = writer.figures
        kinds: list[tuple[str, str, str, list[tuple[str, float]]]] = [
            (
                "sfumato_requests_total", "counter", "Requests, by path and status.",
                [(f'{{path="{path}",status="{status}"}}', n) for (path, status), n in sorted(self.requests.items())],
            ),
            (
                "sfumato_reports_total", "counter", "Reports handed in, by what became of them.",
                [(f'{{outcome="{outcome}"}}', n) for outcome, n in sorted(self.reports.items())],
            ),
            (
                "sfumato_credentials_total", "counter", "Tokens handed in for credentials, by what became of them.",
                [(f'{{outcome="{outcome}"}}', n) for outcome, n in sorted(self.credentials.items())],
            ),
            ("sfumato_withdrawals_total", "counter", "Rows withdrawn.", [("", self.withdrawals)]),
            ("sfumato_commits_total", "counter", "Transactions that are on disk.", [("", figures.commits)]),
            ("sfumato_written_total", "counter", "What was written in them.", [("", figures.written)]),
            ("sfumato_write_failures_total", "counter", "Transactions that failed.", [("", figures.failures)]),
            ("sfumato_commit_seconds_total", "counter", "Time spent in transactions.", [("", figures.seconds)]),
            ("sfumato_commit_seconds_slowest", "gauge", "The slowest transaction.", [("", figures.slowest)]),
            ("sfumato_waiting", "gauge", "What waits to be written.", [("", writer.waiting)]),
            ("sfumato_ready", "gauge", "1 when reports are taken.", [("", int(writer.is_ready))]),
        ]  # fmt: skip
        lines = []
        for name, kind, words, values in kinds:
            lines += [f"# HELP {name} {words}", f"# TYPE {name} {kind}"]
            lines += [f"{name}{labels} {value:.17g}" for labels, value in values]
        return "\n".join(lines) + "\n"


# --- Tokens of readers
# Each is derived from the administrator's token and names one receiver, so nothing is stored. A new administrator's
# token gives new tokens for all readers.


_PURPOSE = b"sfumato/reader-token/1"


def reader_token(admin: bytes, fingerprint: str, receiver: str) -> str:
    """Return the token of a receiver of a study; `admin` is the hash of the administrator's token."""
    said = b"".join(len(part).to_bytes(2, "big") + part for part in (fingerprint.encode(), receiver.encode()))
    return base64.urlsafe_b64encode(hmac.digest(admin, _PURPOSE + said, "sha256")).decode().rstrip("=")


# --- Rows and the sealed bodies of one reader, for their own browser
# All readers see the same reports at any time (`store_base.py`). Rows come in the order of their ids, which does not
# show when they came.


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


T = TypeVar("T")

_READ_PATIENCE_SECONDS = 5.0
# The hex, base64 and names around the bytes of a row and its shares take at most this.
_BODY_MARGIN = 8192
# Limits on wrong tokens of administrators and readers from one address: at once, and a second.
_TRIES, _TRIES_A_SECOND = 10, 0.5
_REST = 4


class CollectionSteps(Protocol):
    """What the study does with what was collected; the server only calls it."""

    def certificate(self) -> Mapping[str, Any]:
        """Return what a report discloses about an answer, with its proofs."""
        ...

    @property
    def certificates(self) -> Mapping[str, str]:
        """The text of the sealed certificate of each question."""
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


# --- Steps on what was collected: the certificate, an exported part, and the live tally


class StudySteps:
    """The steps of a collection that is paid for."""

    def __init__(self, opened: OpenedCollection) -> None:
        self._opened = opened

    @property
    def _collection(self) -> Collection:
        return self._opened.collection

    @cached_property
    def certificates(self) -> Mapping[str, str]:
        """The text of the sealed certificate of each question."""
        return {name: made.to_json() for name, made in collection_certificates(self._collection).items()}

    def certificate(self) -> Mapping[str, Any]:
        """Return the certificate of each question, and the sentences for respondents."""
        collection = self._collection
        return {
            "schema": "sfumato/collection-certificate/1",
            "study": collection.study.name,
            "fingerprint": collection.fingerprint,
            "mode": collection.mode.value,
            "notes": list(collection_words(collection)),
            "questions": {name: json.loads(text) for name, text in self.certificates.items()},
        }

    def export(self, store: Store, out: Path) -> None:
        """Write the reports of this wave that are shown, sorted by their ids."""
        export_part(self._opened, store.shown_rows(self._collection.wave), out)

    def count(self, store: Store) -> LiveTallies:
        """Count the reports of this wave that are shown."""
        return LiveTallies.of(self._collection, store.shown_counts(self._collection.wave))

    def tally(self, counted: LiveTallies, *, least: int) -> Mapping[str, Any]:
        """Return what counted reports say, to the public."""
        head = self._head("sfumato/tally/1", least)
        if not counted.reports:
            return {**head, "reports": None, "estimates": None}
        found = [estimate_document(one) for one in counted.estimates()]
        return {**head, "reports": counted.reports, "estimates": found}

    def live(self, counted: LiveTallies, *, least: int) -> Mapping[str, Any]:
        """Return how often each report was sent, by question; estimates of those that only Python works out."""
        head = self._head("sfumato/live/1", least)
        if not counted.reports:
            return {**head, "reports": None, "counts": {}, "estimates": []}
        alone = counted.only(name for name, reading in self.reckonings.items() if reading is None)
        found = [estimate_document(one) for one in alone.estimates()]
        return {**head, "reports": counted.reports, "counts": counted.counts(self.reckonings), "estimates": found}

    @cached_property
    def reckonings(self) -> Mapping[str, Any]:
        """The browser estimator of each question at the public level; None where only Python estimates it."""
        return public_reckonings(self._collection)

    def _head(self, schema: str, least: int) -> dict[str, Any]:
        collection = self._collection
        return {
            "schema": schema,
            "study": collection.study.name,
            "wave": collection.wave,
            "least_reports": least,
        }
