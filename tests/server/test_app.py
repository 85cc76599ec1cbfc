"""What each path takes and gives: one shape of refusals, one answer for the same report, and nothing of it in a log."""

import hashlib
import io
import logging
import threading
import time
import zipfile

import httpx
import pytest

from server import samples
from server.databases import made_store
from server.plain_server import InThread, plain_server
from server.senders import Sender
from sfumato.server.credentials import blinded_hash, new_tokens, token_hash
from sfumato.server.store_base import Invitation, State

ADMIN = {"Authorization": f"Bearer {samples.ADMIN}"}
OF = samples.collection()


@pytest.fixture
def running(store):
    """A server of each kind of database, and a client of it."""
    with InThread(plain_server(store.clone())) as server, httpx.Client(base_url=server.url) as client:
        client.server = server.server
        client.store = store
        yield client


def refusal(answer, status, parameter=...):
    """Every refusal has the one shape."""
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert set(error) == {"status", "rule", "parameter", "way_out"}
    assert error["status"] == status
    assert error["rule"]
    if parameter is not ...:
        assert error["parameter"] == parameter
    return error


def test_a_report_is_kept_and_the_same_again_gets_the_same_answer(running):
    body = samples.plain_report(OF, 1)
    first, second = running.post("/reports", json=body), running.post("/reports", json=body)
    assert first.status_code == second.status_code == 200
    assert first.content == second.content
    (kept,) = running.store.snapshot()
    assert kept.id.hex() == body["id"]
    assert {name: samples.text(one) for name, one in OF.split_shares(kept.shares).items()} == body["shares"]
    assert kept.panel is None


def test_what_is_no_report_of_this_study_is_refused(running):
    good = samples.plain_report(OF, 1)
    running.post("/reports", json=good)
    cases = [
        (samples.plain_report(OF, 1, row=samples.text(OF.pack_row({"moved": 1, "place": 3}))), 409, "id"),
        (samples.report(OF, 2, credential=samples.plain_credential(1)), 409, "credential"),
        (samples.report(OF, 2, credential={"nonce": "0" * 64, "signature": samples.text(b"no")}), 403, "credential"),
        (samples.report(OF, 2), 422, "credential"),
        (samples.report(OF, 2, token="A" * 32), 422, "credential"),
        (samples.plain_report(OF, 2, token="A" * 32), 422, "credential"),
        (samples.plain_report(OF, 2, row=samples.text(b"\xff\xff")), 422, "row"),
        (samples.plain_report(OF, 2, row=samples.text(b"\x00")), 422, "row"),
        (samples.plain_report(OF, 2, shares={}), 422, "shares"),
        (samples.plain_report(OF, 2, shares={**good["shares"], "me": "AA=="}), 422, "shares"),
        (samples.plain_report(OF, 2, shares={**good["shares"], "press": "AA=="}), 422, "shares"),
        (samples.plain_report(OF, 2, id="x"), 400, "id"),
        (samples.plain_report(OF, 2, id=good["id"].upper()), 400, "id"),
        (samples.plain_report(OF, 2, row="?"), 400, "row"),
        (samples.plain_report(OF, 2, answer="yes"), 400, "body"),
        ([], 400, "body"),
    ]
    for body, status, parameter in cases:
        refusal(running.post("/reports", json=body), status, parameter)
    refusal(running.post("/reports", content=b"{"), 400, "body")
    refusal(running.post("/reports", content=b"[" * 5000), 400, "body")
    refusal(running.post("/reports", content=b"\xff\xfe"), 400, "body")
    refusal(running.post("/reports", content=b" " * 100_000), 413, "body")
    refusal(running.post("/reports", content=iter([b" " * 60_000] * 2)), 413, "body")  # without a length
    assert running.store.counts().reports == 1


@pytest.mark.parametrize(
    "twice", ['"id": "{id}", ', '"\\u0069d": "{id}", ', '"shares": {{}}, ', '"credential": null, ']
)
def test_a_key_that_stands_twice_is_refused(running, twice):
    """Whoever reads the first of the two, such as a proxy that filters, would see another report."""
    good = samples.plain_report(OF, 1)
    body = samples.encoded(good).decode()
    refusal(running.post("/reports", content="{" + twice.format(**good) + body[1:]), 400, "body")
    refusal(running.post("/reports", content=body.replace('"nonce"', '"nonce": "", "nonce"', 1)), 400)
    assert running.store.counts().reports == 0


def test_links_made_at_the_desk_name_study_and_key(running):
    """As those of `serve --invite` do; a page refuses another study, and a key that is there for one person alone."""
    ask = {"count": 2, "link": "https://s.example/"}
    made = running.post("/invitations", json=ask, headers=ADMIN).json()["invitations"]
    key = running.server.signing.document["key_digest"]
    for one in made:
        token = one["token"].replace("-", "")
        assert one["link"] == f"https://s.example/#{token}&study={OF.fingerprint}&key={key}"
    refusal(running.post("/invitations", json={**ask, "link": "https://s.example:99999"}, headers=ADMIN), 422, "link")
    refusal(running.post("/invitations", json={**ask, "link": "ftp://s.example"}, headers=ADMIN), 400, "link")
    assert running.store.counts().invited == 2


def test_a_token_is_spent_once_for_a_signature_that_can_be_asked_for_again(running):
    (token,) = new_tokens(1)
    running.store.invite([Invitation(token=token_hash(token))])
    ask = {"token": token, "blinded": samples.text(b"b" * 256)}
    first, second = running.post("/credentials", json=ask), running.post("/credentials", json=ask)
    assert first.status_code == 200
    assert first.content == second.content
    other = {"token": token, "blinded": samples.text(b"c" * 256)}
    refusal(running.post("/credentials", json=other), 409, "token")
    refusal(running.post("/credentials", json={**ask, "token": new_tokens(1)[0]}), 403, "token")
    refusal(running.post("/credentials", json={**ask, "token": "no token"}), 403, "token")
    refusal(running.post("/credentials", json={"token": token}), 400)
    assert running.store.counts().spent == 1
    assert running.get("/credentials").json()["mode"] == "anonymous"


def test_a_report_is_withdrawn_by_its_secret_alone(running):
    running.post("/reports", json=samples.plain_report(OF, 1))
    secret = {"secret": samples.secret_of(1).hex()}
    assert running.post("/withdrawals", json=secret).json() == {"withdrawn": True}
    assert running.post("/withdrawals", json=secret).json() == {"withdrawn": True}
    assert running.store.counts().reports == 0
    refusal(running.post("/withdrawals", json={"secret": "0" * 64}), 404)
    refusal(running.post("/withdrawals", json={"token": new_tokens(1)[0]}), 422, "token")
    refusal(running.post("/withdrawals", json={"panel": "0" * 32}, headers=ADMIN), 422, "panel")
    refusal(running.post("/withdrawals", json={}), 422, "body")
    refusal(running.post("/reports", json=samples.plain_report(OF, 1)), 410)
    # Its credential lets nobody in again.
    refusal(running.post("/reports", json=samples.report(OF, 2, credential=samples.plain_credential(1))), 410)


def test_only_the_administrator_closes_and_exports(running):
    for one in range(5):
        running.post("/reports", json=samples.plain_report(OF, one))
    for wrong in ({}, {"Authorization": "Bearer no"}, {"Authorization": f"Basic {samples.ADMIN}"}):
        refusal(running.post("/close", headers=wrong), 401)
        refusal(running.get("/export", headers=wrong), 401)
    assert running.get("/ready").json() == {"ready": True, "open": True}
    closed = running.post("/close", headers=ADMIN).json()
    assert (closed["closed"], closed["reports"]) == (True, 5)
    archive = zipfile.ZipFile(io.BytesIO(running.get("/export", headers=ADMIN).content))
    ids = archive.read("ids").decode().split()
    assert ids == sorted(ids)
    assert len(ids) == 5
    assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert running.get("/ready").json() == {"ready": True, "open": False}
    assert not running.get("/").json()["open"]
    assert running.post("/reports", json=samples.plain_report(OF, 1)).status_code == 200  # a retry
    refusal(running.post("/reports", json=samples.plain_report(OF, 9)), 410)


def copies_of(running, path, bodies, others, copies):
    """Send each so many times at once, in about half of the times the other one; returns all answers, by token."""
    found = [[] for _ in bodies]
    work = iter([one for one in range(len(bodies)) for _ in range(copies)])
    lock = threading.Lock()
    port = int(str(running.base_url).rsplit(":", 1)[1].strip("/"))

    def send():
        sender = Sender(port)
        for turn in range(10**9):
            with lock:
                one = next(work, None)
            if one is None:
                break
            found[one].append(sender.post(path, (others if turn % 2 else bodies)[one]))
        sender.close()

    threads = [threading.Thread(target=send) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(one) for one in found] == [copies] * len(bodies)
    assert {status for one in found for status, _ in one} <= {200, 409}
    assert all(200 in {status for status, _ in one} for one in found)
    return found


COPIES = pytest.mark.parametrize(
    ("tokens", "copies"), [(80, 16), pytest.param(2000, 16, marks=pytest.mark.slow)], ids=["quick", "slow"]
)


@COPIES
def test_copies_sent_at_once_are_counted_once(running, tokens, copies):
    """Half of them carry another id under the same credential: a person who wants to be counted twice."""
    bodies = [samples.encoded(samples.plain_report(OF, one)) for one in range(tokens)]
    others = [
        samples.encoded(samples.report(OF, ("other", one), credential=samples.plain_credential(one)))
        for one in range(tokens)
    ]
    copies_of(running, "/reports", bodies, others, copies)
    kept = list(running.store.snapshot())
    assert len(kept) == tokens
    assert len({one.credential for one in kept}) == tokens


@COPIES
def test_tokens_sent_at_once_are_spent_once(running, tokens, copies):
    """Half of the copies ask for another signature: one of the two is given, and it is the same to all who ask."""
    known = new_tokens(tokens)
    running.store.invite([Invitation(token=token_hash(one)) for one in known])
    mine, others = (
        [samples.encoded({"token": one, "blinded": samples.text(letter * 256)}) for one in known]
        for letter in (b"b", b"c")
    )
    for answers in copies_of(running, "/credentials", mine, others, copies):
        assert len({answer["signature"] for status, answer in answers if status == 200}) == 1
    assert running.store.counts().spent == tokens


def test_a_writer_that_died_makes_the_server_unready(running):
    """It is gone for good, it is said, and nobody is told that a report is kept."""

    def die(_):
        raise SystemExit

    assert running.get("/ready").status_code == 200
    running.server.writer._lanes["reports"].write = lambda store, rows: die(store)
    refusal(running.post("/reports", json=samples.plain_report(OF, 1)), 503)
    deadline = time.monotonic() + 60
    while running.get("/ready").status_code == 200:
        assert time.monotonic() < deadline
    refusal(running.get("/ready"), 503)
    refusal(running.post("/reports", json=samples.plain_report(OF, 2)), 503)
    assert running.get("/health").status_code == 200
    assert "sfumato_ready 0" in running.get("/metrics", headers=ADMIN).text
    assert running.store.counts().reports == 0


def test_metrics_are_not_for_everybody(tmp_path):
    """Whoever could ask for them all the time would see when each token is spent and when each report comes."""
    watching = {"Authorization": "Bearer a token for the machine that watches"}
    store = made_store("sqlite", tmp_path, None)
    server = plain_server(store, metrics_token=watching["Authorization"].removeprefix("Bearer "))
    with InThread(server) as running, httpx.Client(base_url=running.url) as client:
        for headers in ({}, {"Authorization": "Bearer x"}, {"Authorization": "Basic " + samples.ADMIN}):
            refusal(client.get("/metrics", headers=headers), 401, "authorization")
        for headers in (ADMIN, watching):
            assert "sfumato_ready 1" in client.get("/metrics", headers=headers).text
        refusal(client.post("/close", headers=watching), 401, "authorization")
        refusal(client.get("/export", headers=watching), 401, "authorization")
    (tmp_path / "other").mkdir()
    store = made_store("sqlite", tmp_path / "other", None)
    with InThread(plain_server(store)) as running, httpx.Client(base_url=running.url) as client:
        refusal(client.get("/metrics", headers={"Authorization": "Bearer x"}), 401)
        assert client.get("/metrics", headers=ADMIN).status_code == 200


def test_nothing_that_was_sent_is_in_a_log(store, caplog, capfd):
    """At the most talkative level: no token, no id, no body, no address."""
    caplog.set_level(logging.DEBUG)
    canary = "CANARY2CANARY2CANARY2CANARY2AAAA"
    store.invite([])
    server = plain_server(store.clone())
    with InThread(server) as running, httpx.Client(base_url=running.url) as client:
        body = samples.plain_report(OF, 1)
        client.post("/reports", json=body)
        client.post("/reports", json={**body, "answer": canary})
        client.post("/reports", content=canary.encode())
        client.post("/credentials", json={"token": canary, "blinded": "AAAA"})
        client.post(f"/{canary}", json=body)
        client.get(f"/study?{canary}", headers={"Authorization": canary, "X-Forwarded-For": canary})
        # A bug whose message quotes what was sent.
        server.limit.check = lambda address: (_ for _ in ()).throw(RuntimeError(f"{canary} {body['id']} {address}"))
        broken = client.post("/reports", json=body)
        assert broken.status_code == 500
        assert canary not in broken.text
    said = "".join(capfd.readouterr())
    logged = [record.getMessage() for record in caplog.records if not record.name.startswith(("httpx", "httpcore"))]
    text = said + "\n".join(logged)
    assert any("a bug: RuntimeError" in line for line in logged)
    for secret in (canary, body["id"], body["credential"]["nonce"], body["shares"]["press"], "127.0.0.1"):
        assert secret not in text


def test_too_many_requests_from_one_address_wait(tmp_path):
    store = made_store("sqlite", tmp_path, None)
    with InThread(plain_server(store, rate=0.001, burst=3)) as running, httpx.Client(base_url=running.url) as client:
        answers = [client.get("/study") for _ in range(5)]
        assert [one.status_code for one in answers[:3]] == [200] * 3
        refusal(answers[-1], 429)
        assert int(answers[-1].headers["Retry-After"]) >= 1
        assert client.get("/ready").status_code == 200  # who watches is always answered
        # A proxy that is trusted says who is behind it.
        assert client.get("/study", headers={"X-Forwarded-For": "192.0.2.7"}).status_code == 200


def test_a_panel_keeps_reports_under_a_pseudonym_and_the_office_withdraws(store):
    mine, other = new_tokens(2)
    of = samples.collection("panel")
    store.set_state(State(fingerprint=of.fingerprint, mode="panel"))
    store.invite([Invitation(token=token_hash(one), panel=hashlib.md5(one.encode()).digest()) for one in (mine, other)])  # noqa: S324
    with InThread(plain_server(store.clone(), mode="panel")) as running, httpx.Client(base_url=running.url) as client:
        body = samples.report(of, 1, token=mine)
        assert client.post("/reports", json=body).status_code == 200
        assert client.post("/reports", json=body).status_code == 200
        refusal(client.post("/reports", json=samples.report(of, 2, token=mine)), 409)  # one report a wave
        refusal(client.post("/reports", json=samples.report(of, 2, token=new_tokens(1)[0])), 403, "token")
        refusal(client.post("/reports", json=samples.plain_report(of, 2)), 422, "token")
        assert client.post("/reports", json=samples.report(of, 3, token=other)).status_code == 200
        refusal(client.post("/credentials", json={"token": mine, "blinded": "AAAA"}), 409)
        panels = {one.panel.hex() for one in store.snapshot()}
        assert len(panels) == 2
        first = hashlib.md5(mine.encode()).hexdigest()  # noqa: S324
        refusal(client.post("/withdrawals", json={"panel": first}), 401)
        assert client.post("/withdrawals", json={"panel": first}, headers=ADMIN).status_code == 200
        assert client.post("/withdrawals", json={"token": other}).status_code == 200
        assert store.counts().reports == 0


def test_the_openapi_document_lists_the_routes(running):
    from sfumato.server.app import ROUTES

    document = running.get("/openapi.json").json()
    listed = {(method.upper(), path) for path, known in document["paths"].items() for method in known}
    assert listed == {(method, path) for method, path, _ in ROUTES}
    refusal(running.delete("/reports"), 405)
    refusal(running.get("/nothing"), 404)
    assert running.get("/study").json() == OF.to_document()
    assert blinded_hash(b"x") != token_hash(new_tokens(1)[0])


def test_the_form_and_the_script_of_the_pages_are_served(running):
    from sfumato.server.page_parts import script, script_url
    from sfumato.study.collection import form_document

    assert running.get("/form").json() == form_document(OF)
    found = running.get("/respond.js")
    assert found.content == script("respond.js")
    assert found.headers["content-type"].startswith("text/javascript")
    assert found.headers["cache-control"] == "no-cache"
    assert "immutable" in running.get(script_url("respond.js")).headers["cache-control"]
    assert running.get("/form").headers.get_list("cache-control") == ["no-store"]
