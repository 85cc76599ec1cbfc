"""What a respondent types stays with them: it is found nowhere that the server keeps, writes or has in its memory.

The real command serves, the real client answers. The canaries are words that somebody types into the field of an
answer, and the secret of the device, of which the server gets the hash alone. The control client sends the words along,
and then they are found.
"""

import base64
import csv
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import httpx
import psycopg
import pytest

import sfumato as sf
from server.databases import KINDS
from sfumato.errors import SfumatoError
from sfumato.server.client import Connection, fetch_collection, report_body, submit
from sfumato.server.credentials import read_invites
from sfumato.server.opening import open_server
from sfumato.workflows.responding import DeviceMemory

CANARY = "kanarienvogel-7f3a91c2-von-frau-suess"
STUDY = """schema = "sfumato/study/2"
name = "Homes"

[public]
epsilon = 1

[[questions]]
id = "moved"
text = "Did you move?"
kind = "yes-no"
"""


class Served:
    """A server in a process of its own, with all that it leaves behind."""

    def __init__(self, folder, kind, postgres=None):
        """The study stands in the folder as study.toml, or is the short one of this module."""
        self.folder = folder
        if not (folder / "study.toml").exists():
            (folder / "study.toml").write_text(STUDY)
        self.cluster = None if kind == "sqlite" else postgres()
        place = None if self.cluster is None else self.cluster.new_place()
        database = [] if place is None else ["--database", place]
        opened = open_server(folder / "study.toml", database=place)
        opened.invite(3, folder / "invites.csv")
        opened.store.close()
        command = [Path(sys.executable).with_name("sfumato"), "serve", "study.toml", *database]
        environment = {
            **os.environ,
            "PYTHONPATH": str(Path(sf.__file__).parents[1]),
            "SFUMATO_RATE": "0",
            "SFUMATO_WAIT_SECONDS": "0",
        }
        self.tokens = list(read_invites(folder / "invites.csv"))
        self.log = (folder / "log").open("wb")
        self.process = subprocess.Popen(
            [*command, "--port", "0", "--json"], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=self.log
        )
        self.url = json.loads(self.process.stdout.readline())["url"]

    def link(self):
        """An invitation to the page that is served, which needs no database of its own."""
        opened = open_server(self.folder / "study.toml")
        opened.invite(1, self.folder / "links.csv", self.url)
        opened.store.close()
        with (self.folder / "links.csv").open(newline="") as file:
            return next(csv.DictReader(file))["link"]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=30)
        self.log.close()

    def files(self, *words):
        """Which files hold any of these."""
        folders = [self.folder] if self.cluster is None else [self.folder, self.cluster.folder]
        found = []
        for path in (path for folder in folders for path in folder.rglob("*") if path.name != "device"):
            with suppress(FileNotFoundError):  # what the database removed just now
                data = path.read_bytes() if path.is_file() else b""
                found += [path.name] if any(word in data for word in words) else []
        return found

    def write_down(self):
        """Let PostgreSQL bring its rows from memory to its files."""
        if self.cluster is not None:
            with psycopg.connect(self.cluster.url("postgres"), autocommit=True) as connection:
                connection.execute("CHECKPOINT")


def in_memory(pid, *words):
    """Which of these some writable page of a process holds."""
    found = set()
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            start, stop, rights = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+)", line).groups()
            if not rights.startswith("rw"):
                continue
            with suppress(OSError, ValueError):  # pages that nobody may read, of the kernel
                memory.seek(int(start, 16))
                data = memory.read(int(stop, 16) - int(start, 16))
                found |= {word for word in words if word in data}
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_typed_is_found_nowhere(tmp_path, kind, postgres):
    served = Served(tmp_path, kind, postgres)
    try:
        of, memory = fetch_collection(served.url), DeviceMemory(tmp_path / "device")
        with pytest.raises(SfumatoError) as refused:
            sf.respond(of, {"moved": CANARY}, memory=memory)
        assert CANARY not in str(refused.value)
        made = sf.respond(of, {"moved": "yes"}, memory=memory)
        submit(Connection(url=served.url), made, served.tokens[0], collection=of, wait_seconds=0)
        body = json.loads(report_body(made, token=served.tokens[1]))
        known = of.fingerprint.encode()
        told = (CANARY.encode(), made.secret, made.secret.hex().encode(), base64.b64encode(made.secret))
        assert in_memory(served.process.pid, known, *told) == {known}, "memory is read: what is there is found"
        served.write_down()
        assert served.files(made.id), "files are read: what is there is found"
        assert served.files(*told) == []
        # A client that sends it along is refused, and what it sent was in the server's hands for a while.
        for turn in range(20):
            httpx.post(f"{served.url}/reports", json={**body, "answer": CANARY, "turn": turn})
        assert in_memory(served.process.pid, CANARY.encode())
    finally:
        served.stop()
    assert served.files(CANARY.encode()) == []
