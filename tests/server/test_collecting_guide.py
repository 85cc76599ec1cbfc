"""The guide to collecting: its commands are run against a real server, its unit and its proxy are checked."""

import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli.app import whole_app
from sfumato.server.client import fetch_collection
from sfumato.server.postgres_store import PostgresStore
from sfumato.server.store_base import Invitation, Spending, State
from sfumato.study.collection import StoredRow

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "collect.md").read_text()
PEOPLE = 25
SERVE = "from sfumato.cli.app import main; main()"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def commands():
    """The lines of the page that are commands, without their comments."""
    lines = [line.split("  #")[0].strip() for block in blocks("sh") for line in block.splitlines()]
    return [line for line in lines if line]


def run(line, folder, monkeypatch):
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(whole_app(), shlex.split(line)[1:])
    assert done.exit_code == 0, f"{line}\n{done.output}"
    return done.output


def served(folder, *options):
    """A server in a process of its own, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, "serve", "study.toml", "--port", "0", "--json", *options],
        cwd=folder, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(Path(sf.__file__).parents[1])},
    )  # fmt: skip
    lines = []
    while True:
        line = process.stdout.readline()
        assert line, "the server ended"
        lines.append(line)
        try:
            return process, json.loads("".join(lines))["url"]
        except json.JSONDecodeError:
            continue


def stopped(process):
    process.terminate()
    assert process.wait(30) == 0
    process.stdout.close()


def test_every_command_of_the_guide_works_in_its_order(tmp_path, monkeypatch):
    (study,) = blocks("toml")
    (tmp_path / "study.toml").write_text(study)
    (tmp_path / "secret.txt").write_text("a passphrase of several words")
    (tmp_path / "mine.json").write_text('{"overtime": "yes"}')
    process, url, seen, admin = None, "", [], None
    for line in commands():
        seen.append(line.split()[:2])
        if line == "sfumato serve study.toml":
            process, url = served(tmp_path, "--setting", "rate=0")
            continue
        if line.startswith("curl"):
            asked = shlex.split(line.replace("https://survey.example", url).replace("$TOKEN", admin))
            done = subprocess.run([*asked, "-s"], capture_output=True, check=True)
            assert json.loads(done.stdout)["schema"] == "sfumato/tally/1"
            continue
        if line.startswith("sfumato respond"):
            with (tmp_path / "invites.csv").open() as file:
                tokens = [row["token"] for row in csv.DictReader(file)]
            assert len(tokens) == 500
            (tmp_path / "token.txt").write_text(tokens[0])
            line += " --wait-seconds 0"  # noqa: PLW2901
        line = line.replace("https://survey.example", url or "https://survey.example")  # noqa: PLW2901
        told = run(line.replace("/backup/", "backup-"), tmp_path, monkeypatch)
        admin = next(iter(re.findall(r"shown this once: (\S+)", told)), admin)
        if line.startswith("sfumato respond"):
            of = fetch_collection(url)
            for token in tokens[1:PEOPLE]:
                sf.submit(url, sf.respond(of, {"overtime": "no"}), token, collection=of, wait_seconds=0)
    assert len(seen) == 10
    stopped(process)
    assert "Verified" in run("sfumato verify out/overtime.certificate.json", tmp_path, monkeypatch)
    run("sfumato open out/reports.parquet --key keys/ministry.overtime.key --private-key ministry.private "
        "--passphrase-file secret.txt -o seen.parquet", tmp_path, monkeypatch)  # fmt: skip
    # Restored as the page says: the copy in the place of the folder.
    shutil.rmtree(tmp_path / "study.collection")
    shutil.move(tmp_path / "backup-monday", tmp_path / "study.collection")
    process, url = served(tmp_path)
    stopped(process)
    told = json.loads(run("sfumato serve study.toml --export again --json", tmp_path, monkeypatch))
    assert (told["exported"], told["spent"], told["invited"], told["open"]) == (PEOPLE, PEOPLE, 500, False)


def test_the_unit_is_one_that_systemd_takes(tmp_path):
    (unit,) = blocks("ini")
    unit = unit.replace("/srv/survey/venv/bin/sfumato", sys.executable).replace("User=sfumato", "User=root")
    (tmp_path / "sfumato.service").write_text(unit)
    found = shutil.which("systemd-analyze")
    if found is None:
        pytest.skip("systemd-analyze is not installed")
    done = subprocess.run(
        [found, "verify", "--man=no", str(tmp_path / "sfumato.service")], capture_output=True, text=True, check=False
    )
    assert "sfumato.service" not in done.stderr, done.stderr
    (tmp_path / "broken.service").write_text(unit.replace("Restart=on-failure", "Restart=sometimes"))
    done = subprocess.run(
        [found, "verify", "--man=no", str(tmp_path / "broken.service")], capture_output=True, text=True, check=False
    )
    assert "broken.service" in done.stderr  # it would be told


def test_the_proxy_is_one_that_nginx_takes(tmp_path):
    (proxy,) = blocks("nginx")
    assert proxy.count("{") == proxy.count("}")
    for line in proxy.splitlines():
        words = line.split("#")[0].strip()
        assert not words or words[-1] in "{};", line
    assert "access_log off;" in proxy
    found = shutil.which("nginx")
    if found is None:
        return
    plain = re.sub(r"listen 443 ssl;|ssl_certificate\S*\s+\S+;", "", proxy)
    (tmp_path / "nginx.conf").write_text(f"pid {tmp_path}/pid;\nevents {{}}\nhttp {{\n{plain}\n}}\n")
    subprocess.run([found, "-t", "-e", "stderr", "-p", tmp_path, "-c", tmp_path / "nginx.conf"], check=True)


def test_a_dump_of_postgres_restores_every_report(tmp_path, postgres):
    """What the page says to take beside the folder: rows, withdrawals and spent tokens are there again."""
    made, other = PostgresStore(postgres().new_database()), postgres().new_database()
    made.migrate()
    made.set_state(State(fingerprint="f", mode="anonymous"))
    made.invite([Invitation(token=bytes([n]) * 32) for n in range(9)])
    made.spend([Spending(token=bytes(32), blinded=b"b", signature=b"s")])
    rows = [StoredRow(id=bytes([n]) * 32, credential=bytes([n]) * 32, row=b"r", shares=b"s") for n in range(9)]
    made.add(rows)
    made.withdraw(rows[4].id)
    subprocess.run(["pg_dump", "--format=custom", f"--file={tmp_path / 'dump'}", made.url], check=True)
    subprocess.run(["pg_restore", "--no-owner", f"--dbname={other}", tmp_path / "dump"], check=True)
    again = PostgresStore(other)
    again.migrate()
    assert list(again.snapshot()) == list(made.snapshot())
    assert (again.counts(), again.state()) == (made.counts(), made.state())
    assert again.add([rows[4], rows[5]]) == ["withdrawn", "same"]
    assert again.spend([Spending(token=bytes(32), blinded=b"c", signature=b"t")])[0].outcome == "other-nonce"
    for store in (made, again):
        store.close()
