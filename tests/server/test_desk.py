"""What a server hands to readers and to whoever runs a study: to whom, of how many reports, and from which of them."""

import hashlib
import json

import httpx
import pytest

from browser.desk import rows_of, serve
from sfumato.publications.collected import LiveTallies
from sfumato.server import service as collecting
from sfumato.server import service as share_feeds
from sfumato.server.service import reader_token


@pytest.fixture
def served(tmp_path, monkeypatch):
    made = serve(tmp_path, monkeypatch, count=0, tally_reports=20)
    yield made
    made.running.stop()


def client_of(served, token=None):
    head = {} if token is None else {"Authorization": f"Bearer {token}"}
    return httpx.Client(base_url=served.url, headers=head, timeout=60)


def header_of(data):
    length = int.from_bytes(data[:4], "big")
    return json.loads(data[4 : 4 + length]), data[4 + length :]


def test_shares_and_counts_change_by_many_reports_at_a_time(served, monkeypatch):
    """A batch of twenty is shown when the next one is full, nineteen more change nothing; a closed study shows all."""
    monkeypatch.setattr(collecting, "_REST", 0)  # what is due is due at once
    store, collection = served.opened.store, served.opened.collection
    rows = rows_of(collection, 65)
    admin = {"Authorization": f"Bearer {served.opened.admin}"}
    with client_of(served, served.opened_server.reader_token("press")) as client:
        store.add(rows[:20])
        store.add(rows[20:39])
        assert client.get("/shares").status_code == 409
        assert client.get("/export", headers=admin).status_code == 422
        assert client.get("/live").json()["reports"] is None
        assert client.get("/live").json()["counts"] == {}
        store.add(rows[39:40])
        assert client.get("/live").json()["reports"] == 20
        reading, body = header_of(client.get("/shares").content)
        assert (reading["receiver"], reading["rows"]) == ("press", 20)
        assert len(body) == 20 * (32 + reading["row_bytes"] + reading["share_bytes"])
        ids = [body[start : start + 32] for start in range(0, len(body), len(body) // 20)]
        assert ids == sorted(row.id for row in rows[:20])
        store.add(rows[40:59])
        assert client.get("/tally").json()["reports"] == client.get("/live").json()["reports"] == 20
        assert header_of(client.get("/shares").content)[0]["rows"] == 20
        store.add(rows[59:60])
        assert client.get("/live").json()["reports"] == 40
        assert header_of(client.get("/shares").content)[0]["rows"] == 40
        store.add(rows[60:])
        client.headers["Authorization"] = f"Bearer {served.opened.admin}"
        client.post("/close")
        assert header_of(client.get("/shares?receiver=press").content)[0]["rows"] == 65
        monkeypatch.setattr(share_feeds, "MOST_ROWS", 50)
        served.opened_server.feeds._given.clear()
        refused = client.get("/shares?receiver=press")
        assert refused.status_code == 409
        assert "sfumato keys unseal" in refused.json()["error"]["way_out"]


def test_live_counts_are_those_of_the_rows(served):
    collection = served.opened.collection
    rows = sorted(rows_of(collection, 50), key=lambda row: row.id)
    served.opened.store.add(rows)
    served.opened.store.close_wave()
    with client_of(served, served.opened.admin) as client:
        live = client.get("/live").json()
    counted = LiveTallies.of(collection, [(row.row, 1) for row in rows])
    assert live["reports"] == 50
    for name, counts in live["counts"].items():
        said = [collection.unpack_row(row.row)[name] for row in rows]
        assert counts == [said.count(report) for report in range(collection.handlers[name].report_count)]
    assert {one["question"] for one in live["estimates"]} == set(collection.handlers) - set(live["counts"])
    assert [one.question.id for one in counted.estimates()] == list(collection.handlers)


def test_guessing_a_token_is_slowed_down(tmp_path, monkeypatch):
    served = serve(tmp_path, monkeypatch, count=0, rate=0.001, burst=1000)
    try:
        with client_of(served, "a guess") as client:
            found = [client.get(path).status_code for path in ["/counts", "/live", "/shares"] * 5]
            assert set(found[:9]) == {401}
            assert found[-1] == 429
            client.headers["Authorization"] = f"Bearer {served.opened.admin}"
            assert client.get("/counts").status_code == 200
    finally:
        served.running.stop()


def test_a_reader_s_token_names_the_study_and_the_reader():
    admin = hashlib.sha256(b"secret").digest()
    mine = reader_token(admin, "ab" * 32, "press")
    others = {
        reader_token(admin, "ab" * 32, "ministry"),
        reader_token(admin, "cd" * 32, "press"),
        reader_token(hashlib.sha256(b"other").digest(), "ab" * 32, "press"),
    }
    assert len(others | {mine}) == 4
    assert len(mine) == 43


def test_everybody_sees_the_numbers_where_the_server_is_told_so(tmp_path, monkeypatch):
    served = serve(tmp_path, monkeypatch, count=0, dashboard="public")
    try:
        with client_of(served) as client:
            assert client.get("/live").status_code == client.get("/tally").status_code == 200
            assert client.get("/shares").status_code == 401
    finally:
        served.running.stop()
