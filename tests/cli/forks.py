"""A process that runs the command in forks of itself: see fork_server.py."""

import json
import os
import select
import subprocess
import sys
from pathlib import Path

PATIENCE_SECONDS = 120


class Forks:
    """One request at a time; what a fork says is in the files `stdout` and `stderr`."""

    def __init__(self, folder):
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

    def ask(self, **request):
        """Send a request and return the answer."""
        self.server.stdin.write(json.dumps(request) + "\n")
        self.server.stdin.flush()
        ready, _, _ = select.select([self.server.stdout], [], [], PATIENCE_SECONDS)
        if not ready:
            self.server.kill()
            raise subprocess.TimeoutExpired(["sfumato", *request["arguments"]], PATIENCE_SECONDS)
        return json.loads(self.server.stdout.readline())

    def close(self):
        self.server.stdin.close()
        self.server.stdout.close()
        self.server.wait(timeout=30)


class ShellForks:
    """Puts a command `sfumato` into a folder for PATH, which is a fork each time: a second less than a cold start."""

    def __init__(self, folder):
        self.socket = folder / "forks.socket"
        self.server = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("fork_server.py"), self.socket],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        self.server.stdout.readline()
        command = folder / "sfumato"
        shim = Path(__file__).with_name("fork_command.py")
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{shim}" "$@"\n', encoding="utf-8")
        command.chmod(0o755)
        self.folder = folder

    def environment(self):
        """Return what a shell needs to find it."""
        places = os.pathsep.join([str(self.folder), str(Path(sys.executable).parent), os.environ["PATH"]])
        return {**os.environ, "PATH": places, "SFUMATO_FORKS": str(self.socket)}

    def close(self):
        self.server.kill()
        self.server.stdout.close()
        self.server.wait(timeout=30)
