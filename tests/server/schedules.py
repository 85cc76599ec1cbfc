"""Random schedules of a collection against the real application, and every view that its readers got.

A schedule is a sequence of submissions, withdrawals, fetches, restarts and at last a close. The application is called
in this process, without a socket; a restart is a new application over the same database. Every report of a schedule
is another one, so that counts tell which reports a view has.
"""

import asyncio
import hashlib
import io
import json
import random
import zipfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from server import samples
from sfumato.keys.shares import Kem
from sfumato.server.app import CollectionApp
from sfumato.server.credentials import new_tokens, token_hash
from sfumato.server.service import CollectionServer, StudySteps
from sfumato.server.settings import Settings
from sfumato.server.store_base import Invitation, State
from sfumato.study import Analyst, OneOfMany, Study
from sfumato.study.collect_terms import CollectTerms
from sfumato.study.collection import Collection, Receiver, levels_of, report_id
from sfumato.workflows.collecting import OpenedCollection, export_part

READERS = ("ministry", "press")
MOST_PEOPLE = 60
TOKENS = new_tokens(MOST_PEOPLE)


@cache
def collection(mode, wave=1):
    """One question with more reports than a schedule has people."""
    study = Study(
        name="Schedules",
        population=1000,
        questions=(OneOfMany(id="place", text="Where?", answers=tuple(f"place {n}" for n in range(MOST_PEOPLE))),),
        analysts=tuple(Analyst(name=name, epsilon=3 - place) for place, name in enumerate(READERS)),
        public_epsilon=0.5,
        collect=CollectTerms(mode=mode),
    )
    receivers = tuple(
        Receiver(name=name, kem=Kem.X25519, public_key=hashlib.sha256(name.encode()).digest(), levels=levels)
        for name, levels in levels_of(study).items()
    )
    declared = {way.question.id: way.declaration for way in study.handlers}
    return Collection(study=study, declarations=declared, receivers=receivers, wave=wave)


class Steps(StudySteps):
    """The real steps; a tally says what it counted instead of estimating, and most exports are lists of ids."""

    def __init__(self, of, *, real_exports):
        super().__init__(OpenedCollection(collection=of, published=None, is_new=True))
        self._real_exports = real_exports

    def export(self, store, out):
        if self._real_exports:
            export_part(self._collection, store.shown_rows(self._collection.wave), out, certified=False)
            return
        out.mkdir()
        ids = [one.id.hex() for one in store.shown_rows(self._collection.wave)]
        (out / "ids").write_text("\n".join(ids))

    def tally(self, counted, *, least):
        return {"reports": counted.reports, "seen": {name: list(one) for name, one in counted.seen.items()}}


@cache
def steps(mode, *, real_exports):
    return Steps(collection(mode), real_exports=real_exports)


@dataclass
class Played:
    """What a schedule showed: each view as the set of its people, by when and to whom; and what was done until then."""

    least: int
    views: list = field(default_factory=list)
    closed_with: int | None = None
    withdrawn: set = field(default_factory=set)


class Player:
    """One schedule over one database."""

    def __init__(self, open_store, seed, *, real_exports=False):
        self.draw = random.Random(seed)  # noqa: S311  a test's schedule
        self.open_store = open_store
        self.mode = self.draw.choice(("anonymous", "panel"))
        self.least = self.draw.randint(2, 4)
        self.of = collection(self.mode)
        self.steps = steps(self.mode, real_exports=real_exports)
        self.played = Played(least=self.least)
        self.sent, self.withdrawn, self.together = 0, set(), 1
        self.ids = {report_id(samples.secret_of(n)): n for n in range(MOST_PEOPLE)}

    async def play(self):
        """Play the schedule: a dozen or more steps, then the close and a look of everybody."""
        await self.start(first=True)
        quits = self.draw.choice((0.0, 0.1, 0.2))
        for _ in range(self.draw.randint(8, 40)):
            chance = self.draw.random()
            if chance < 0.5 and self.sent < MOST_PEOPLE - 4:
                await self.submit()
            elif chance < 0.5 + quits:
                await self.withdraw()
            elif chance > 0.96:
                await self.restart()
            else:
                await self.fetch()
        for _ in range(self.draw.choice((0, 0, 1, 2, 4)) if quits else 0):
            await self.withdraw()
        if self.draw.random() < 0.9:
            await self.close()
        await self.fetch_all()
        await self.app_server.stop()
        return self.played

    async def start(self, *, first=False):
        store = self.open_store()
        if first:
            store.set_state(State(fingerprint=self.of.fingerprint, mode=self.mode))
            if self.mode == "panel":
                store.invite([Invitation(token=token_hash(one), panel=token_hash(one)[:16]) for one in TOKENS])
        settings = Settings(rate=0.0, tally_reports=self.least, tally_seconds=0.0, dashboard="public", writers=1)
        self.app_server = CollectionServer(
            self.of,
            store,
            settings,
            admin=hashlib.sha256(samples.ADMIN.encode()).digest(),
            signing=samples.PlainSigning() if self.mode == "anonymous" else None,
            steps=self.steps,
        )
        await self.app_server.start()
        self.app = CollectionApp(self.app_server)

    async def restart(self):
        await self.app_server.stop()
        await self.start()

    async def ask(self, method, target, body=None, token=None):
        """Return status and body of a request to the application."""
        path, _, query = target.partition("?")
        head = [] if token is None else [(b"authorization", f"Bearer {token}".encode())]
        scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": head,
                 "client": ("192.0.2.1", 1), "extensions": {"http.response.pathsend": {}}}  # fmt: skip
        data = b"" if body is None else json.dumps(body).encode()
        said = []

        async def receive():
            return {"type": "http.request", "body": data, "more_body": False}

        async def send(message):
            path = message.pop("path", None)
            said.append(message if path is None else {"body": Path(path).read_bytes()})  # noqa: ASYNC240  small

        await self.app(scope, receive, send)
        return said[0]["status"], b"".join(one.get("body", b"") for one in said[1:])

    async def submit(self):
        """One to three people send at once, and are written together."""
        count = self.draw.choice((1, 1, 1, 2, 3))
        self.together = max(self.together, count)
        bodies = []
        for number in range(self.sent, self.sent + count):
            row = samples.text(self.of.pack_row({"place": number}))
            let_in = {"token": TOKENS[number]} if self.mode == "panel" else None
            shares = {name: samples.text(bytes(size)) for name, size in self.of.share_bytes.items()}
            body = {"id": report_id(samples.secret_of(number)).hex(), "row": row, "shares": shares}
            bodies.append(body | (let_in or {"credential": samples.plain_credential(number)}))
        self.sent += count
        for status, said in await asyncio.gather(*(self.ask("POST", "/reports", one) for one in bodies)):
            assert status == 200, said
        await self.check_waiting()

    async def check_waiting(self):
        """No more than the held-back batch and one that is not full are kept from readers."""
        shown = await self.look("/live", None)
        unshown = set(range(self.sent)) - self.withdrawn - shown
        assert len(unshown) < 2 * self.least + 2 * self.together

    async def withdraw(self):
        """Somebody takes a report back; it is acknowledged at once, however often it is asked for."""
        if not self.sent:
            return
        # Often one of those that readers do not see yet.
        first = self.draw.choice((0, max(0, self.sent - 2 * self.least)))
        number = self.draw.randrange(first, self.sent)
        secret = {"secret": samples.secret_of(number).hex()}
        if self.mode == "panel" and self.draw.random() < 0.5:
            secret = {"token": TOKENS[number]}
        status, said = await self.ask("POST", "/withdrawals", secret)
        assert (status, json.loads(said)) == (200, {"withdrawn": True})
        self.withdrawn.add(number)

    async def close(self):
        status, said = await self.ask("POST", "/close", {}, samples.ADMIN)
        assert status == 200
        self.played.closed_with = self.sent - len(self.withdrawn)
        self.played.withdrawn = set(self.withdrawn)
        shown = await self.look("/live", None)
        assert json.loads(said)["reports"] == len(shown)
        if shown:  # what is in the results stays there, and the refusal says which row it is
            number = self.draw.choice(sorted(shown))
            names = sorted(one for one, whose in self.ids.items() if whose in shown)
            row = names.index(report_id(samples.secret_of(number)))
            status, refused = await self.ask("POST", "/withdrawals", {"secret": samples.secret_of(number).hex()})
            assert (status, f"--row {row} " in json.loads(refused)["error"]["way_out"]) == (409, True)

    async def fetch(self):
        """One reader looks, at what comes."""
        looks = [
            ("/live", None),
            ("/tally", None),
            ("/shares", self.app_server.reader_token("ministry")),
            ("/shares", self.app_server.reader_token("press")),
            ("/shares?receiver=press", samples.ADMIN),
            ("/export", samples.ADMIN),
        ]
        await self.look(*self.draw.choice(looks))

    async def fetch_all(self):
        for path, reader in (("/live", None), ("/tally", None), ("/export", samples.ADMIN),
                             *(("/shares", self.app_server.reader_token(name)) for name in READERS)):  # fmt: skip
            await self.look(path, reader)

    async def look(self, target, token):
        members = self.members(await self.ask("GET", target, token=token))
        self.played.views.append((target, self.played.closed_with is not None, members))
        return members

    def members(self, found):
        """Return whose reports an answer shows; a refusal shows none."""
        status, data = found
        if status != 200:
            assert status in {409, 422}, data
            return frozenset()
        if data[:2] == b"PK":
            return frozenset(self.ids[one] for one in _ids_of_archive(data))
        if data[:1] == b"{":
            document = json.loads(data)
            counts = document.get("counts") or document.get("seen") or {}
            of_place = counts.get("place", [])
            assert set(of_place) <= {0, 1}
            members = frozenset(number for number, count in enumerate(of_place) if count)
            assert len(members) == (document["reports"] or 0)
            return members
        length = int.from_bytes(data[:4], "big")
        header, body = json.loads(data[4 : 4 + length]), data[4 + length :]
        width = 32 + header["row_bytes"] + header["share_bytes"]
        assert len(body) == width * header["rows"]
        return frozenset(self.ids[body[start : start + 32]] for start in range(0, len(body), width))


def _ids_of_archive(data):
    archive = zipfile.ZipFile(io.BytesIO(data))
    if "ids" in archive.namelist():
        return [bytes.fromhex(one) for one in archive.read("ids").decode().split()]
    import pyarrow.parquet as pq

    return pq.read_table(io.BytesIO(archive.read("shares-press.parquet")))["id"].to_pylist()


def broken_promises(played):
    """Return what a schedule showed that it must not show, in words; an empty list is what is promised."""
    found = []
    views = list(dict.fromkeys((closed, view) for _, closed, view in played.views))
    is_few = played.closed_with is not None and played.closed_with < played.least
    for place, (first_closed, first) in enumerate(views):
        for second_closed, second in views[:place]:
            differ = len(first ^ second)
            if 0 < differ < played.least and not (is_few and (first_closed or second_closed)):
                found.append(f"two views differ by {differ} of at least {played.least}")
    last = [view for closed, view in views if closed]
    if len(last) > 1:
        found.append("two readers saw different results of a closed study")
    if any(view & played.withdrawn for view in last):
        found.append("a withdrawn report is in the results of a closed study")
    if any(view and played.closed_with - len(view) > len(played.withdrawn) for view in last):
        found.append("more reports are left out of the results than were withdrawn")
    return found
