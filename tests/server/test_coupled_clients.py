"""Two people with different answers and coins under which they report the same send the same bytes, ciphertexts apart.

The real client speaks to the real server through a relay that records every byte of every request: lines, headers,
bodies, their number and their order. This is played for every kind of question that can be collected.
"""

import hashlib
import json
import re
import socket
import threading

import pytest

from kind_samples import SAMPLES
from server.databases import made_store
from server.plain_server import InThread, PlainSteps
from server.test_linking import UNFLUSHED, a_key
from sfumato.errors import InvalidParameter, SfumatoError
from sfumato.keys.shares import Kem
from sfumato.sampling import SystemBits
from sfumato.server import client
from sfumato.server.admission import BlindSigning
from sfumato.server.client import Credential, Wallet, report_body, submit
from sfumato.server.credentials import new_tokens, token_hash
from sfumato.server.service import CollectionServer
from sfumato.server.settings import Settings
from sfumato.server.store_base import Invitation, State
from sfumato.study.collection import Collection, Receiver, check_collectable, levels_of
from sfumato.workflows.responding import answers_table, cells_of, draw_cells, sealed

DRAWS = 3000
TOKEN = new_tokens(1)[0]
SECRET = b"s" * 32


def can_be_collected(sample):
    try:
        check_collectable(sample.study)
    except InvalidParameter:
        return False
    return True


COLLECTED = [sample for sample in SAMPLES if can_be_collected(sample)]


def collection(study):
    """A study as it is collected, with receivers whose private keys nobody has."""
    receivers = tuple(
        Receiver(name=name, kem=Kem.X25519, public_key=hashlib.sha256(name.encode()).digest(), levels=levels)
        for name, levels in levels_of(study).items()
    )
    declared = {way.question.id: way.declaration for way in study.handlers}
    return Collection(study=study, declarations=declared, receivers=receivers)


def drawn(of, answer, count):
    """What so many devices draw for one answer to the one question."""
    (name,) = of.handlers
    table = answers_table(of, [{name: answer}] * count)
    return draw_cells(of, name, cells_of(of, name, table), count, SystemBits())


def coupled(of, answers):
    """Submissions of people with these answers, drawn until all report the same; the secret is the same too."""
    (name,) = of.handlers
    made = [{cell.report: cell for cell in drawn(of, answer, DRAWS)} for answer in answers]
    report = min(set.intersection(*(set(one) for one in made)))
    return [sealed(of, {name: one[report]}, SECRET) for one in made]


class Relay:
    """Passes bytes on between a client and a server, and keeps what the client said."""

    def __init__(self, port):
        self._port, self.said = port, []
        self._open, self._threads = [], []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._start(self._accept)

    def _start(self, what, *given):
        self._threads.append(threading.Thread(target=what, args=given, daemon=True))
        self._threads[-1].start()

    def _accept(self):
        while True:
            try:
                one, _ = self._listening.accept()
            except OSError:
                return
            other = socket.create_connection(("127.0.0.1", self._port))
            heard = []
            self.said.append(heard)
            self._open += [one, other]
            self._start(self._pass, one, other, heard)
            self._start(self._pass, other, one, None)

    @staticmethod
    def _pass(source, target, heard):
        try:
            while data := source.recv(1 << 16):
                if heard is not None:
                    heard.append(data)
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            return

    def close(self):
        self._listening.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
        for one in (self._listening, *self._open):
            one.close()
        return [b"".join(heard) for heard in self.said]


CREDENTIALS = {}


def sent(of, submission, folder, kind="sqlite", postgres=None):
    """Every byte that the client says in answering, connection by connection, and what the server keeps."""
    folder.mkdir()
    store = made_store(kind, folder, postgres, **UNFLUSHED[kind])
    store.set_state(State(fingerprint=of.fingerprint, mode="anonymous"))
    store.invite([Invitation(token=token_hash(TOKEN))])
    if of.fingerprint not in CREDENTIALS:
        CREDENTIALS[of.fingerprint] = Credential.new(a_key().public_text, of.fingerprint)
    wallet = Wallet()
    wallet.keep_credential(of.fingerprint, TOKEN, CREDENTIALS[of.fingerprint])
    signing = BlindSigning(a_key(), of.fingerprint)
    server = CollectionServer(
        of, store.clone(), Settings(port=0, rate=0.0), admin=bytes(32), signing=signing, steps=PlainSteps()
    )
    with InThread(server) as running:
        relay = Relay(running.socket.getsockname()[1])
        try:
            submit(relay.url, submission, TOKEN, collection=of, wallet=wallet, wait_seconds=0)
        except SfumatoError:
            assert store.counts().reports == 0
        heard = relay.close()
    kept = [(row.id, row.credential, row.row, len(row.shares), row.wave) for row in store.snapshot()]
    store.close()
    return heard, kept, relay.url


def without_ciphertexts(requests, url):
    """The same with every sealed body blotted out, at its length, and with the relay's own port."""
    port = url.rsplit(":", 1)[1].encode()
    found = []
    for one in requests:
        text = one.replace(b":" + port, b":PORT")
        head, _, body = text.partition(b"\r\n\r\n")
        if body and b"/reports" in head:
            for share in json.loads(body)["shares"].values():
                text = text.replace(share.encode(), re.sub(rb".", b"*", share.encode()))
        found.append(text)
    return found


@pytest.mark.parametrize(
    ("sample", "kind"),
    [*((sample, "sqlite") for sample in COLLECTED), (COLLECTED[0], "postgresql")],
    ids=lambda one: getattr(one, "name", one),
)
def test_who_reports_the_same_sends_the_same_bytes(sample, kind, tmp_path, postgres):
    of = collection(sample.study)
    answers = list(sample.tenths)[:2]
    both = [sent(of, one, tmp_path / str(n), kind, postgres) for n, one in enumerate(coupled(of, answers))]
    (first, kept, one), (second, again, other) = both
    assert kept == again
    assert len(kept) == 1
    assert without_ciphertexts(first, one) == without_ciphertexts(second, other)
    assert [len(said) for said in first] == [len(said) for said in second]
    lines = [said.split(b"\r\n", 1)[0] for said in first]
    assert lines == [b"GET /study HTTP/1.1", b"POST /credentials HTTP/1.1", b"POST /reports HTTP/1.1"]
    if of.receivers:
        assert [said.replace(one.encode()[-5:], b"") for said in first] != second


def test_a_client_that_posts_the_answer_is_told_from_that(tmp_path, monkeypatch):
    """The control: the same game finds a client that says one word more."""
    of = collection(COLLECTED[0].study)
    answers = list(COLLECTED[0].tenths)[:2]
    found = []
    for number, (submission, answer) in enumerate(zip(coupled(of, answers), answers, strict=True)):

        def leaking(*given, answer=answer, **named):
            return report_body(*given, **named)[:-1] + b"," + json.dumps({"said": answer})[1:].encode()

        monkeypatch.setattr(client, "report_body", leaking)
        heard, _, url = sent(of, submission, tmp_path / str(number))
        found.append(without_ciphertexts(heard, url))
    assert found[0] != found[1]
    assert found[0][:2] == found[1][:2]  # and shows where


@pytest.mark.parametrize("sample", COLLECTED, ids=lambda sample: sample.name)
def test_all_bodies_of_a_study_have_one_length(sample):
    """Over every answer of the sample, no answer among them where it may be, and many draws of each."""
    of = collection(sample.study)
    (name,) = of.handlers
    answers = [*sample.tenths, *([""] if sample.question.missing is not None and "" not in sample.tenths else [])]
    lengths = {
        len(report_body(sealed(of, {name: cell}, SECRET))) for answer in answers for cell in drawn(of, answer, 20)
    }
    assert len(lengths) == 1
