"""A process that runs the command in forks of itself: see fork_server.py."""

import fcntl
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

PATIENCE_SECONDS = 120
# What was started here ends with its owner; to forget it before would be a warning.
_STARTED = []


def fork_server(folder, owner):
    """Return the socket of the folder's server, which is started by whoever asks first and ends with its owner."""
    path = Path(folder) / "forks.socket"
    with (Path(folder) / "forks.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            server = subprocess.Popen(
                [sys.executable, Path(__file__).with_name("fork_server.py"), path, str(owner)],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # an interrupt is for whoever is asked to have it
                # A pool of threads would not survive a fork.
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )
            _STARTED.append(server)
            with server.stdout as said:
                if said.readline() != b"ready\n":
                    raise RuntimeError("the process that runs the command in forks did not start")
    return path


def connected(path):
    """Return a connection that is given up on after a while."""
    asking = socket.socket(socket.AF_UNIX)
    asking.settimeout(PATIENCE_SECONDS)
    asking.connect(str(path))
    return asking


class Forks:
    """A session with the server: one request at a time; what a fork says is in the files `stdout` and `stderr`."""

    def __init__(self, server, folder):
        self.asking = connected(server)
        environment = {**os.environ, "NO_COLOR": "1", "OPENBLAS_NUM_THREADS": "1"}
        self.asking.sendall(json.dumps({"folder": str(folder), "environment": environment}).encode())
        self.answers = self.asking.makefile(encoding="utf-8")
        self.answers.readline()

    def ask(self, **request):
        """Send a request and return the answer."""
        self.asking.sendall(json.dumps(request).encode() + b"\n")
        return json.loads(self.answers.readline())

    def close(self):
        self.answers.close()
        self.asking.close()


def shell_environment(server, folder):
    """Return the environment of a shell that finds a command `sfumato`, a fork each time."""
    command = Path(folder) / "sfumato"
    shim = Path(__file__).with_name("fork_command.py")
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{shim}" "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    places = os.pathsep.join([str(folder), str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": places, "SFUMATO_FORKS": str(server)}
