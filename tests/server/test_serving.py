"""From a study file to estimates: opened, served, answered by devices, tallied, exported, backed up and restored."""

import base64
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import httpx
import pytest

import sfumato as sf
import sfumato_check
from server import samples
from server.databases import KINDS, _binaries
from server.plain_server import InThread, plain_server, store_at
from server.senders import send_all
from sfumato.errors import InvalidParameter, Refused, UnreadableFile
from sfumato.server.blind_rsa import blind, unblinded
from sfumato.server.credentials import credential_statement, read_invites, read_public_key
from sfumato.server.opening import ADMIN_FILE, open_server
from sfumato.server.settings import Settings, settings_from
from sfumato.study.collection import Collection, collection_of, report_id

STUDY = """schema = "sfumato/study/2"
name = "Homes"

[public]
epsilon = 1

[collect]
mode = "{mode}"

[[questions]]
id = "moved"
text = "Did you move?"
kind = "yes-no"
"""


def study_file(folder, mode="anonymous"):
    path = folder / "study.toml"
    path.write_text(STUDY.format(mode=mode))
    return path


def database_of(kind, postgres):
    return None if kind == "sqlite" else postgres().new_place()


def credential(client, token, fingerprint):
    """Spend a token as a device does."""
    key = read_public_key(client.get("/credentials").json()["public_key"])
    made = blind(key, credential_statement(fingerprint))
    answer = client.post("/credentials", json={"token": token, "blinded": samples.text(made.blinded)})
    signed = unblinded(key, made, base64.b64decode(answer.json()["signature"]))
    return {"nonce": made.nonce.hex(), "signature": samples.text(signed)}


def body_of(submission, **admitted):
    return {
        "id": submission.id.hex(),
        "row": samples.text(submission.row),
        "shares": {name: samples.text(one) for name, one in submission.shares.items()},
        **admitted,
    }


@pytest.mark.parametrize("kind", KINDS)
def test_reports_of_devices_become_estimates(kind, tmp_path, postgres):
    """Invited, answered, closed, tallied, exported, and estimated by the ordinary verb."""
    study, database = study_file(tmp_path), database_of(kind, postgres)
    opened = open_server(study, database=database)
    assert opened.admin is not None
    opened.invite(80, tmp_path / "invites.csv")
    tokens = read_invites(tmp_path / "invites.csv")
    server = opened.server(Settings(port=0, rate=0.0, tally_seconds=0.0, dashboard="public"))
    with InThread(server) as running, httpx.Client(base_url=running.url) as client:
        of = Collection.from_document(client.get("/study").json())
        for number, token in enumerate(tokens):
            made = sf.respond(of, {"moved": "yes" if number % 4 else "no"})
            kept = client.post("/reports", json=body_of(made, credential=credential(client, token, of.fingerprint)))
            assert kept.status_code == 200, kept.text
            if number == 20:
                few = client.get("/tally").json()
                assert few["reports"] is few["estimates"] is None
        head = {"Authorization": f"Bearer {opened.admin}"}
        assert client.post("/close", headers=head).json()["reports"] == 80
        until = time.monotonic() + 30  # it rests for a while after it was made
        while (tally := client.get("/tally").json())["reports"] is None and time.monotonic() < until:
            time.sleep(0.05)
        assert tally["reports"] == 80
        (found,) = tally["estimates"]
        assert found["question"] == "moved"
        certificate = client.get("/certificate").json()
        assert certificate["questions"]["moved"]["schema"].startswith("sfumato/")
        sealed = client.get("/certificate", params={"question": "moved"}).text
        assert json.loads(sealed) == certificate["questions"]["moved"]
        sf.verify(sf.Certificate.from_json(sealed))
        assert sfumato_check.answer(sealed.encode())["exit_code"] == 0
        assert json.loads(sealed)["subject"]["collected"]["mode"] == "anonymous"
        assert client.get("/certificate", params={"question": "other"}).status_code == 404
        archive = zipfile.ZipFile(io.BytesIO(client.get("/export", headers=head).content))
        archive.extractall(tmp_path / "export")
    assert (tmp_path / "export" / "moved.certificate.json").read_text() == sealed
    (estimate,) = sf.estimate_reports(tmp_path / "export" / "reports.parquet")
    assert estimate.labels == ("no", "yes")
    assert [one["share"] for one in found["answers"]] == list(estimate.shares)
    # A second start finds everything, and pays nothing.
    again = open_server(study, database=database)
    assert not again.opened.is_new
    assert again.admin is None
    assert again.state.closed
    assert again.counts().reports == 80
    assert again.export(tmp_path / "second").rows == 80
    again.store.close()
    assert (tmp_path / "study.collection" / ADMIN_FILE).stat().st_mode & 0o777 == 0o600
    assert opened.admin not in (tmp_path / "study.collection" / ADMIN_FILE).read_text()


def test_a_panel_is_exported_with_its_pseudonyms(tmp_path):
    opened = open_server(study_file(tmp_path, "panel"))
    opened.invite(3, tmp_path / "invites.csv")
    invited = [line.split(",") for line in (tmp_path / "invites.csv").read_text().splitlines()]
    assert invited[0] == ["token", "panel"]
    of = opened.collection
    with (
        InThread(opened.server(Settings(port=0, rate=0.0))) as running,
        httpx.Client(base_url=running.url) as client,
    ):
        for token, _ in invited[1:]:
            made = sf.respond(of, {"moved": "yes"})
            assert client.post("/reports", json=body_of(made, token=token)).status_code == 200
    again = open_server(study_file(tmp_path, "panel"))
    again.close_collection()
    again.export(tmp_path / "out")
    again.store.close()
    import pyarrow.parquet as pq

    kept = pq.read_table(tmp_path / "out" / "reports.parquet").column("panel").to_pylist()
    assert sorted(kept) == sorted(panel for _, panel in invited[1:])


def test_waves_go_forward_and_a_changed_study_is_another(tmp_path):
    study = study_file(tmp_path)
    first = open_server(study)
    assert first.opened.is_new
    assert first.state.wave == 1
    first.close_collection()
    first.store.close()
    second = open_server(study, wave=2)
    assert second.opened.is_new
    assert (second.state.wave, second.state.closed) == (2, False)
    second.store.close()
    with pytest.raises(InvalidParameter, match="is over"):
        open_server(study, wave=1)
    study.write_text(STUDY.format(mode="anonymous").replace("epsilon = 1", "epsilon = 2"))
    with pytest.raises(Refused, match="another study"):
        open_server(study)
    # What was refused was not paid for: two waves are recorded, and no more.
    assert len(json.loads((tmp_path / "releases.json").read_text())["releases"]) == 2


def test_settings_come_from_options_then_the_environment_then_defaults():
    assert settings_from({}, {}) == Settings()
    assert settings_from({"rate": 3}, {"SFUMATO_RATE": "7", "SFUMATO_BURST": "9"}) == Settings(rate=3.0, burst=9)
    for wrong in ({"port": -1}, {"burst": "many"}, {"rate": "nan"}):
        with pytest.raises(InvalidParameter, match="must be"):
            settings_from(wrong, {})


def loaded(store, during):
    """Run something while reports come in; returns what was acknowledged before it began, and all that was sent."""
    of = samples.collection()
    bodies = [samples.plain_report(of, one) for one in range(3000)]
    with InThread(plain_server(store)) as running:
        port = int(running.url.rsplit(":", 1)[1])
        before = send_all(port, "/reports", bodies[:300], threads=8)
        assert {answer[0] for answer in before} == {200}
        stop, found = threading.Event(), []
        sending = threading.Thread(
            target=lambda: found.extend(send_all(port, "/reports", bodies[300:], threads=8, until=stop))
        )
        sending.start()
        try:
            while sending.is_alive() and running.server.writer.figures.written <= len(before):
                time.sleep(0.001)
            result = during(running)
        finally:
            stop.set()
            sending.join()
    acknowledged = {body["id"] for body, answer in zip(bodies[300:], found, strict=True) if answer}
    return result, {body["id"] for body in bodies[:300]}, {body["id"] for body in bodies[:300]} | acknowledged


def test_an_export_under_load_is_one_moment(store):
    """It holds whole batches of what was acknowledged before it, nothing that was not sent, and is sorted by id."""

    def exports(running):
        head = {"Authorization": f"Bearer {samples.ADMIN}"}
        with httpx.Client(base_url=running.url, timeout=60) as client:
            answers = [client.get("/export", headers=head) for _ in range(3)]
        return [zipfile.ZipFile(io.BytesIO(one.content)).read("ids").decode().split() for one in answers]

    found, before, _ = loaded(store.clone(), exports)
    sent = {report_id(samples.secret_of(one)).hex() for one in range(3000)}
    for ids, earlier in zip(found, [[], *found], strict=False):
        assert ids == sorted(set(ids))
        assert set(earlier) <= set(ids) <= sent
        assert ids == earlier or len(ids) - len(earlier) >= 50
    # At most two batches are not shown, and what came together with the last of them.
    assert len(before & set(found[0])) > 300 - 2 * (50 + 8)


@pytest.mark.parametrize("kind", KINDS)
def test_a_backup_under_load_restores_every_report_acknowledged_before_it(kind, tmp_path, postgres):
    place = str(tmp_path / "reports.sqlite") if kind == "sqlite" else postgres().new_database()
    store = store_at(place)
    if kind == "sqlite":
        restored = str(tmp_path / "restored.sqlite")

        def copy(_):
            own = store_at(place)
            own.copy_to(restored)
            own.close()
    else:
        restored = postgres().new_database()

        def copy(_):
            dump = tmp_path / "dump.sql"
            subprocess.run([_binaries() / "pg_dump", "-f", dump, place], check=True, capture_output=True)
            subprocess.run([_binaries() / "psql", "-q", "-f", dump, restored], check=True, capture_output=True)

    _, before, everything = loaded(store, copy)
    found = store_at(restored)
    found.migrate()
    kept = [one.id.hex() for one in found.snapshot()]
    assert len(kept) == len(set(kept))
    assert before <= set(kept) <= everything
    # The copy is a store like any other: the same again is the same, and new reports are taken.
    with InThread(plain_server(found)) as running:
        port = int(running.url.rsplit(":", 1)[1])
        of = samples.collection()
        answers = send_all(port, "/reports", [samples.plain_report(of, one) for one in (0, 1, "new")], threads=1)
    assert [answer[0] for answer in answers] == [200] * 3
    left = store_at(restored)
    assert left.counts().reports == len(kept) + 1
    left.close()


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_the_command_serves_until_it_is_told_to_stop(tmp_path, stop):
    study = study_file(tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(Path(sf.__file__).parents[1]), "SFUMATO_RATE": "0"}
    command = [Path(sys.executable).with_name("sfumato"), "serve", study, "--port", "0", "--json"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=tmp_path
    )
    told = json.loads(process.stdout.readline())
    assert told["schema"] == "sfumato/serving/1"
    assert told["administrator_token"]
    answer = httpx.get(told["url"])
    assert answer.json()["fingerprint"] == collection_of(sf.read_study(study)).fingerprint
    for name, integrity in told["scripts"].items():
        digest = hashlib.sha384(httpx.get(f"{told['url']}/{name}").content).digest()
        assert integrity == f"sha384-{base64.b64encode(digest).decode()}"
    assert "respond.js" in told["scripts"]
    process.send_signal(stop)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, "", "")
    assert not (tmp_path / "study.collection" / "reports.sqlite-wal").exists()


def test_what_cannot_be_served_is_said_before_anything_is_made(tmp_path):
    (tmp_path / "study.toml").write_text(STUDY.format(mode="anonymous").replace("yes-no", "text"))
    with pytest.raises(InvalidParameter, match="cannot be asked over the web"):
        open_server(tmp_path / "study.toml")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["study.toml"]


def test_an_export_of_nothing_leaves_no_folder(tmp_path):
    opened = open_server(study_file(tmp_path))
    with pytest.raises(UnreadableFile, match="no reports of this wave are shown"):
        opened.export(tmp_path / "out")
    opened.store.close()
    assert not (tmp_path / "out").exists()
