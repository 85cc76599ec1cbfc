"""Run the command in a process of its own: a fork of one that has imported everything, which saves a second a time.

Forks share nothing but what was imported. That the installed command does the same from a cold start is tested in
test_verbs.py, and that it imports little in test_help.py.
"""

import json
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

PATIENCE_SECONDS = 120


class Forks:
    """A server that runs the command in forks of itself, one at a time."""

    def __init__(self, folder):
        self.folder = folder
        self.server = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("fork_server.py")],
            cwd=folder,
            # The server reads requests, and never anybody's terminal.
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            # A pool of threads would not survive a fork.
            env={**os.environ, "NO_COLOR": "1", "OPENBLAS_NUM_THREADS": "1"},
        )

    def run(self, arguments, folder, environment):
        """Run the command and return what became of it, as subprocess.run does."""
        request = {"arguments": arguments, "folder": str(folder), "said": str(self.folder), "signal": None}
        self.server.stdin.write(json.dumps({**request, "environment": environment}) + "\n")
        self.server.stdin.flush()
        ready, _, _ = select.select([self.server.stdout], [], [], PATIENCE_SECONDS)
        if not ready:
            self.server.kill()
            raise subprocess.TimeoutExpired(["sfumato", *arguments], PATIENCE_SECONDS)
        code = json.loads(self.server.stdout.readline())["code"]
        out, err = ((self.folder / name).read_text(encoding="utf-8") for name in ("stdout", "stderr"))
        return subprocess.CompletedProcess(["sfumato", *arguments], code, out, err)

    def close(self):
        self.server.stdin.close()
        self.server.stdout.close()
        self.server.wait(timeout=30)


@pytest.fixture(scope="session")
def forks(tmp_path_factory):
    found = Forks(tmp_path_factory.mktemp("forks"))
    yield found
    found.close()


@pytest.fixture
def sfumato(forks, tmp_path):
    def run(*arguments, **environment):
        return forks.run([str(argument) for argument in arguments], tmp_path, environment)

    return run


@pytest.fixture
def channel_file(tmp_path):
    path = tmp_path / "channel.csv"
    path.write_text("answer,no,yes\nno,3/4,1/4\nyes,0.25,0.75\n")
    return path
