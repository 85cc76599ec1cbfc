"""The linking game: in anonymous mode nothing that the server keeps links a token to its report."""

import io
import logging
import secrets
from functools import cache

import psycopg
import pytest

from server import samples
from server.databases import KINDS, made_store
from server.linking import of_postgres, of_sqlite, won
from server.plain_server import InThread, plain_server
from server.senders import send_all
from sfumato.server.admission import BlindSigning
from sfumato.server.client import Credential, report_body
from sfumato.server.credentials import CredentialKey, credential_hash, new_tokens, token_hash
from sfumato.server.sqlite_store import SqliteStore
from sfumato.server.store_base import Invitation
from sfumato.study.collection import StoredRow
from sfumato.workflows.responding import respond_all

SIZES = [200, pytest.param(1000, marks=pytest.mark.slow)]
# Right by chance are as many as a random permutation leaves in place: one. Ten or more are less likely than 1e-6.
BY_CHANCE = 9


class Remembering(BlindSigning):
    """The same number gets the same signature, so two databases need not compute it twice."""

    def sign(self, blinded):
        return signed(blinded)


@cache
def a_key():
    return CredentialKey.generate()


@cache
def signed(blinded):
    return a_key().signer.sign(blinded)


@cache
def devices(people):
    """Tokens, credentials and submissions of so many people."""
    of = samples.collection()
    made = respond_all(of, [{"moved": "yes", "place": "south"}] * people)
    credentials = [Credential.new(a_key().public_text, of.fingerprint) for _ in range(people)]
    return of, new_tokens(people), credentials, made


def shuffled(count, wait):
    """In which order reports come when somebody spends a token every second and each waits up to so many seconds."""
    wishes = [(i + wait * secrets.randbelow(1 << 30) / (1 << 30), i) for i in range(count)]
    return [i for _, i in sorted(wishes)]


def play(store, wait, *, threads, people):
    """Let everybody spend their token, wait, and send; return the truth and the server's logs."""
    of, tokens, credentials, made = devices(people)
    server = plain_server(store, signing=Remembering(a_key(), of.fingerprint))
    store.invite([Invitation(token=token_hash(one)) for one in tokens])
    heard = io.StringIO()
    handler = logging.StreamHandler(heard)
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    order = shuffled(people, wait)
    spending = [
        samples.encoded({"token": token, "blinded": samples.text(one.blinding.blinded)})
        for token, one in zip(tokens, credentials, strict=True)
    ]
    try:
        with InThread(server) as running:
            port = running.socket.getsockname()[1]
            answers = send_all(port, "/credentials", spending, threads=threads)
            assert {status for status, _ in answers} == {200}
            whole = [
                one.signed(samples.base64.b64decode(answer["signature"]))
                for one, (_, answer) in zip(credentials, answers, strict=True)
            ]
            sent = send_all(
                port, "/reports", [report_body(made[i], credential=whole[i]) for i in order], threads=threads
            )
            assert {status for status, _ in sent} == {200}
    finally:
        root.removeHandler(handler)
        root.setLevel(before)
    truth = {token_hash(token): one.id for token, one in zip(tokens, made, strict=True)}
    return truth, heard.getvalue()


BEGAN = {}


def evidence_of(kind, place, logs, postgres):
    return of_sqlite(place, logs) if kind == "sqlite" else of_postgres(place, postgres().folder, logs, BEGAN[place])


UNFLUSHED = {"sqlite": {"synchronous": "OFF"}, "postgresql": {"synchronous": False}}


def opened(kind, folder, postgres, **settings):
    """A store, where the attacker finds it, and what keeps the log of SQLite from being folded in."""
    store = made_store(kind, folder, postgres, **settings)
    if kind == "sqlite":
        keeps = SqliteStore(store.path)
        keeps._connection.execute("BEGIN")
        keeps._connection.execute("SELECT count(*) FROM tokens").fetchone()
        return store, store.path, keeps
    with psycopg.connect(store.url) as asked:
        (BEGAN[store.url],) = asked.execute("SELECT pg_walfile_name(pg_current_wal_lsn())").fetchone()
    return store, store.url, None


@pytest.mark.parametrize("people", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_that_is_kept_links_token_and_report(kind, people, tmp_path, postgres):
    store, place, keeps = opened(kind, tmp_path, postgres)
    truth, logs = play(store, wait=100 * people, threads=8, people=people)
    found = won(evidence_of(kind, place, logs, postgres), truth)
    assert len(found) == 7
    assert max(found.values()) <= BY_CHANCE, found
    if keeps is not None:
        keeps.close()


def test_who_does_not_wait_is_linked_by_order(tmp_path, postgres):
    """What blind signatures cannot hide, and why devices wait: the order in which a database was written."""
    store, place, keeps = opened("sqlite", tmp_path, postgres)
    truth, logs = play(store, wait=0, threads=1, people=200)
    found = won(evidence_of("sqlite", place, logs, postgres), truth)
    assert found["the same order in the write-ahead log"] == 200
    assert found["the same transaction"] == 0
    keeps.close()


@pytest.mark.parametrize("people", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_in_one_transaction_the_attacker_wins(kind, people, tmp_path, postgres):
    """The control: token and report written together, in any order of people, are linked one by one."""
    of, tokens, _, made = devices(people)
    store, place, keeps = opened(kind, tmp_path, postgres, **UNFLUSHED[kind])  # what is written is the same
    plain_server(store)  # opens it for the collection
    store.invite([Invitation(token=token_hash(one)) for one in tokens])
    mark = "%s" if kind == "postgresql" else "?"
    for i in shuffled(people, 10 * people):
        row = StoredRow(
            id=made[i].id,
            credential=credential_hash(secrets.token_bytes(32)),
            row=made[i].row,
            shares=of.join_shares(made[i].shares),
        )
        with store._transaction() as run:
            run(
                f"UPDATE tokens SET blinded = {mark}, signature = {mark} WHERE token = {mark}",  # noqa: S608
                (secrets.token_bytes(32), secrets.token_bytes(256), token_hash(tokens[i])),
            )
            marks = ", ".join([mark] * 4)
            run(
                f"INSERT INTO reports (wave, id, credential, row, shares, batch) VALUES (1, {marks}, 1)",  # noqa: S608
                (row.id, row.credential, row.row, row.shares),
            )
    truth = {token_hash(token): one.id for token, one in zip(tokens, made, strict=True)}
    found = won(evidence_of(kind, place, "", postgres), truth)
    assert max(found.values()) >= 0.98 * people, found
    if kind == "postgresql":
        assert found["the same transaction"] == people
    store.close()
    if keeps is not None:
        keeps.close()


def test_a_server_that_logs_too_much_would_be_found(tmp_path, postgres):
    """Another control: one line that names both is enough."""
    _, tokens, _, made = devices(200)
    store, place, keeps = opened("sqlite", tmp_path, postgres)
    plain_server(store)
    pairs = list(zip(tokens, made, strict=True))[:50]
    store.invite([Invitation(token=token_hash(token)) for token, _ in pairs])
    store._connection.execute("UPDATE tokens SET blinded = token, signature = token")
    for _, one in pairs:
        store.add([StoredRow(id=one.id, credential=secrets.token_bytes(32), row=one.row, shares=b"")])
    logs = "\n".join(f"took {one.id.hex()} from {token_hash(token).hex()}" for token, one in pairs)
    truth = {token_hash(token): one.id for token, one in pairs}
    assert won(of_sqlite(place, logs), truth)["the same line of a log"] == 50
    store.close()
    keeps.close()
