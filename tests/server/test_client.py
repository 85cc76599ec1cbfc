"""The reference client against a real server: lost connections, interruptions, other studies, withdrawal."""

import base64
import gc
import hashlib
import json
import math
import stat
import threading
import warnings
from contextlib import closing, contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from typer.testing import CliRunner

import sfumato as sf
from server import samples
from server.plain_server import InThread, plain_server
from sfumato.cli.app import whole_app
from sfumato.errors import DigestMismatch, InvalidParameter, KeyRefused, SfumatoError, UnreadableFile
from sfumato.server.admission import BlindSigning
from sfumato.server.client import (
    Connection,
    ServerAway,
    ServerRefused,
    Wallet,
    drawn_wait,
    fetch_collection,
    report_body,
    submit,
    withdraw,
)
from sfumato.server.credentials import CredentialKey, new_tokens, token_hash
from sfumato.server.sqlite_store import SqliteStore
from sfumato.server.store_base import Invitation
from sfumato.study.collection import report_id
from sfumato.workflows.responding import DeviceMemory

ANSWERS = {"moved": "yes", "place": "south"}


@cache
def a_key():
    return CredentialKey.generate()


@contextmanager
def running(folder, mode="anonymous", tokens=()):
    """A server with real credentials, and its store to look into."""
    store = SqliteStore(folder / "reports.sqlite")
    of = samples.collection(mode)
    server = plain_server(store, mode=mode, signing=BlindSigning(a_key(), of.fingerprint))
    panel = [hashlib.sha256(one.encode()).digest()[:16] if mode == "panel" else None for one in tokens]
    store.invite([Invitation(token=token_hash(one), panel=p) for one, p in zip(tokens, panel, strict=True)])
    with InThread(server) as thread, closing(SqliteStore(folder / "reports.sqlite")) as looking:
        yield thread.url, looking


def quick(url, **settings):
    return Connection(url=url, pause=lambda _: None, **settings)


@pytest.mark.parametrize("mode", ["anonymous", "panel"])
def test_a_report_arrives_once_however_often_it_is_sent(tmp_path, mode):
    (token,) = new_tokens(1)
    with running(tmp_path, mode, (token,)) as (url, store):
        of = fetch_collection(url)
        made = sf.respond(of, ANSWERS)
        wallet = Wallet()
        first = submit(quick(url), made, token, collection=of, wallet=wallet, wait_seconds=0)
        again = submit(quick(url), made, token, collection=of, wallet=wallet, wait_seconds=0)
        assert first == again
        assert first.mode == mode
        (row,) = store.snapshot()
        assert row.id == made.id
        assert row.row == made.row
        assert row.shares == of.join_shares(made.shares)
        with pytest.raises(ServerRefused) as caught:
            submit(quick(url), sf.respond(of, ANSWERS), token, collection=of, wallet=wallet, wait_seconds=0)
        assert caught.value.status == 409
        assert store.counts().reports == 1


def test_a_token_is_spent_on_one_device(tmp_path):
    (token,) = new_tokens(1)
    with running(tmp_path, tokens=(token,)) as (url, store):
        of = fetch_collection(url)
        submit(quick(url), sf.respond(of, ANSWERS), token, wait_seconds=0)
        with pytest.raises(ServerRefused, match="another credential") as caught:
            submit(quick(url), sf.respond(of, ANSWERS), token, wait_seconds=0)
        assert caught.value.status == 409
        with pytest.raises(ServerRefused):
            submit(quick(url), sf.respond(of, ANSWERS), new_tokens(1)[0], wait_seconds=0)
        assert store.counts().reports == 1


def test_who_is_interrupted_goes_on_where_they_stopped(tmp_path):
    """The device dies after each request in turn; the same call again finishes, and one report is kept."""
    tokens = new_tokens(4)
    with running(tmp_path, tokens=tokens) as (url, store):
        for dies_after, token in enumerate(tokens, start=1):
            memory, place = tmp_path / f"device{dies_after}", tmp_path / f"wallet{dies_after}"
            calls = []

            class Dying(Connection):
                def _once(self, method, path, body, calls=calls, last=dies_after):
                    answer = Connection._once(self, method, path, body)
                    calls.append(path)
                    if len(calls) == last:
                        raise KeyboardInterrupt  # after the server did it
                    return answer

            dying = Dying(url=url, pause=lambda _: None)
            made = sf.respond(fetch_collection(url), ANSWERS, memory=DeviceMemory(memory))
            with pytest.raises(KeyboardInterrupt):
                submit(dying, made, token, wallet=Wallet(place), wait_seconds=0)
            again = sf.respond(fetch_collection(url), ANSWERS, memory=DeviceMemory(memory))
            assert again.id == made.id
            submit(quick(url), again, token, wallet=Wallet(place), wait_seconds=0)
            assert stat.S_IMODE(place.stat().st_mode) == 0o600
            assert token not in place.read_text()
        assert store.counts().reports == 4
        assert store.counts().spent == 4


def test_the_random_wait_lies_between_token_and_report(tmp_path):
    tokens = new_tokens(8)
    waits, seen = [], []
    with running(tmp_path, tokens=tokens) as (url, store):
        for token in tokens:

            def pause(seconds):
                waits.append(seconds)
                seen.append((store.counts().spent, store.counts().reports))

            submit(quick(url), sf.respond(fetch_collection(url), ANSWERS), token, wait_seconds=900, pause=pause)
    assert seen == [(n + 1, n) for n in range(8)]
    assert all(0 <= wait < 37 * 900 for wait in waits)
    assert len(set(waits)) == 8


def test_waits_forget_how_long_they_have_been():
    """They are exponential, and a uniform wait is told from that."""
    drawn = [drawn_wait(100.0) for _ in range(40_000)]
    for seconds in (50, 100, 200, 400):
        share, wanted = sum(one > seconds for one in drawn) / len(drawn), math.exp(-seconds / 100)
        assert abs(share - wanted) < 6 * math.sqrt(wanted / len(drawn))
    uniform = sum(200 * n / len(drawn) > 150 for n in range(len(drawn))) / len(drawn)
    assert abs(uniform - math.exp(-1.5)) > 6 * math.sqrt(math.exp(-1.5) / len(drawn))
    assert drawn_wait(0.0) == 0


def test_withdrawal_needs_the_secret_and_gives_no_token_back(tmp_path):
    (token,) = new_tokens(1)
    with running(tmp_path, tokens=(token,)) as (url, store):
        of, wallet = fetch_collection(url), Wallet(tmp_path / "wallet")
        receipt = submit(quick(url), sf.respond(of, ANSWERS), token, wallet=wallet, wait_seconds=0)
        assert wallet.secrets(of.fingerprint) == (receipt.secret,)
        assert report_id(receipt.secret) == receipt.id
        with pytest.raises(ServerRefused) as caught:
            withdraw(quick(url), bytes(32))
        assert caught.value.status == 404
        withdraw(quick(url), receipt.secret)
        assert store.counts().reports == 0
        with pytest.raises(ServerRefused) as caught:
            submit(quick(url), sf.respond(of, ANSWERS), token, wallet=wallet, wait_seconds=0)
        assert caught.value.status == 410


def test_all_bodies_of_a_study_have_one_length(tmp_path):
    tokens = new_tokens(6)
    sizes = set()
    with running(tmp_path, tokens=tokens) as (url, _):
        of = fetch_collection(url)
        for token, moved, place in zip(tokens, ["yes", "no"] * 3, ["north", "south", "east"] * 2, strict=True):
            made, wallet = sf.respond(of, {"moved": moved, "place": place}), Wallet()
            submit(quick(url), made, token, wallet=wallet, wait_seconds=0)
            sizes.add(len(report_body(made, credential=wallet.credential(of.fingerprint, token))))
    assert len(sizes) == 1


def test_another_study_or_key_is_refused_before_a_token_is_spent(tmp_path):
    (token,) = new_tokens(1)
    with running(tmp_path, tokens=(token,)) as (url, store):
        with pytest.raises(DigestMismatch, match="another study"):
            fetch_collection(quick(url), "00" * 32)
        other = samples.collection("panel")
        with pytest.raises(DigestMismatch, match="another study"):
            submit(quick(url), sf.respond(other, ANSWERS), token, collection=other, wait_seconds=0)
        made = sf.respond(fetch_collection(url), ANSWERS)
        with pytest.raises(DigestMismatch, match="another key"):
            submit(quick(url), made, token, key_name="00" * 32, wait_seconds=0)
        with pytest.raises(UnreadableFile):
            submit(quick(url), type(made)(secret=made.secret, row=b"", shares=made.shares), token, wait_seconds=0)
        with pytest.raises(InvalidParameter, match="32 letters"):
            submit(quick(url), made, "token", wait_seconds=0)
        assert store.counts().spent == 0
        submit(quick(url), made, token, key_name=a_key().digest, wait_seconds=0)
        assert store.counts().reports == 1


class Scripted:
    """A server that says what it is told to."""

    def __init__(self, *answers):
        script, self.asked = list(answers), []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.asked.append((dict(self.headers), body))
                status, data = script.pop(0)
                if status is None:
                    self.close_connection = True
                    return
                self.send_response(status)
                self.send_header("Location", "http://127.0.0.1:9/elsewhere")
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.server.shutdown()
        self.server.server_close()


def test_the_same_bytes_are_sent_until_they_are_acknowledged():
    pauses = []
    with Scripted((None, b""), (503, b"{}"), (429, b"{}"), (200, b"not json"), (200, b'{"kept":true}')) as script:
        connection = Connection(url=script.url, pause=pauses.append)
        assert connection.post("/reports", b'{"id":1}') == {"kept": True}
    assert [body for _, body in script.asked] == [b'{"id":1}'] * 5
    assert len({json.dumps({**headers, "Host": ""}) for headers, _ in script.asked}) == 1
    assert all(0.25 * 2**i <= pause <= 0.75 * 2**i for i, pause in enumerate(pauses))


def test_an_answer_that_is_too_long_leaves_no_socket_open(monkeypatch):
    """Whoever catches the error may keep it in a cycle, and then nobody knows in what order its frames are freed."""
    monkeypatch.setattr("sfumato.server.client._MOST_BYTES", 3)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with Scripted((200, b"too long for it")) as script:
            with pytest.raises(ServerAway) as found:
                Connection(url=script.url, attempts=1).get("/study")
            found.value.kept = found.value
            del found
            gc.collect()
    assert [str(one.message) for one in told if issubclass(one.category, ResourceWarning)] == []


@pytest.mark.parametrize("status", [301, 400, 403, 404, 409, 422])
def test_what_is_refused_is_not_sent_again(status):
    words = {"error": {"rule": "no\x1b[2J", "parameter": "id", "way_out": "Stop."}}
    with Scripted((status, json.dumps(words).encode())) as script:
        with pytest.raises(ServerRefused) as caught:
            quick(script.url).post("/reports", b"{}")
        assert caught.value.status == status
        assert "\x1b" not in str(caught.value)
        assert len(script.asked) == 1


def test_a_server_that_never_answers_is_given_up():
    with Scripted(*[(500, b"{}")] * 3) as script, pytest.raises(ServerRefused):
        quick(script.url, attempts=3).post("/reports", b"{}")
    with pytest.raises(ServerAway, match="ConnectionRefused"):
        quick("http://127.0.0.1:9", attempts=2).get("/study")


@pytest.mark.parametrize("url", ["http://example.org", "ftp://127.0.0.1", "survey", "https://"])
def test_addresses_that_are_not_spoken_to(url):
    with pytest.raises(InvalidParameter, match="url"):
        Connection(url=url)


def test_a_signature_that_is_wrong_stops_the_device(tmp_path):
    """A server whose key does not fit, by fault or on purpose, gets no report."""
    (token,) = new_tokens(1)
    with running(tmp_path, tokens=(token,)) as (url, store):

        class Forging(Connection):
            def _once(self, method, path, body):
                status, answer = Connection._once(self, method, path, body)
                if path == "/credentials" and method == "POST":
                    answer = {"signature": base64.b64encode(bytes(256)).decode()}
                return status, answer

        with pytest.raises(KeyRefused):
            submit(Forging(url=url), sf.respond(fetch_collection(url), ANSWERS), token, wait_seconds=0)
        assert store.counts().reports == 0


@pytest.mark.parametrize("text", ["", "[]", '{"schema":"sfumato/wallet/1"}', '{"schema":"sfumato/wallet/9"}'])
def test_a_damaged_wallet_is_refused(tmp_path, text):
    path = tmp_path / "wallet"
    path.write_text(text)
    with pytest.raises(SfumatoError):
        Wallet(path).secrets("ab")


# The command.


def run(*words):
    return CliRunner().invoke(whole_app(), [str(word) for word in words], catch_exceptions=False)


def test_the_command_sends_and_withdraws(tmp_path):
    (token,) = new_tokens(1)
    (tmp_path / "answers.json").write_text(json.dumps(ANSWERS))
    (tmp_path / "token").write_text(token + "\n")
    with running(tmp_path, tokens=(token,)) as (url, store):
        memory = tmp_path / "device.json"
        words = ["respond", url, "--answers", tmp_path / "answers.json", "--memory", memory, "--wait-seconds", 0]
        done = run(*words, "--token-file", tmp_path / "token", "--json")
        assert done.exit_code == 0, done.output
        (row,) = store.snapshot()
        assert json.loads(done.stdout)["id"] == row.id.hex()
        again = run(*words, "--token", token)
        assert again.exit_code == 0
        assert store.counts().reports == 1
        for said in (done.output, again.output):
            assert "south" not in said
            assert token not in said
        gone = run("respond", url, "--withdraw", "--wallet", f"{memory}.wallet", "--json")
        assert json.loads(gone.stdout)["withdrawn"] == 1
        assert store.counts().reports == 0


def test_a_dry_run_sends_nothing(tmp_path):
    with running(tmp_path) as (url, store):
        done = run("respond", url, "--answer", "moved=yes", "--answer", "place=south", "--dry-run", "--json")
        shown = json.loads(done.stdout)
        assert set(shown["reports"]) == set(ANSWERS)
        assert shown["sealed_bytes"] == dict(fetch_collection(url).share_bytes)
        assert store.counts().reports == 0
