"""A server without its command line, for tests: in a process of its own that can be killed, or in a thread.

`python -m server.plain_server` reads one request a line, forks, and serves in the fork, so that it imports once.
"""

import hashlib
import json
import logging
import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path

from server import samples
from sfumato.server.postgres_store import PostgresStore
from sfumato.server.service import CollectionServer
from sfumato.server.serving import _Uvicorn, bound_socket, run_server
from sfumato.server.settings import Settings
from sfumato.server.sqlite_store import SqliteStore
from sfumato.server.store_base import State

_PLAIN = _Uvicorn


class PlainSteps:
    """Steps that need no study: an export is the ids."""

    certificates = {"moved": "{}"}  # noqa: RUF012

    def certificate(self):
        return {"schema": "test"}

    def export(self, store, out):
        out.mkdir()
        (out / "ids").write_text("".join(f"{one.id.hex()}\n" for one in store.shown_rows(1)))

    def count(self, store):
        return sum(count for _, count in store.shown_counts(1))

    def tally(self, counted, *, least):
        return {"reports": counted}

    def live(self, counted, *, least):
        return {"reports": counted}


def store_at(place, **settings):
    return PostgresStore(place, **settings) if place.startswith("postgresql") else SqliteStore(place, **settings)


def plain_server(store, *, mode="anonymous", signing=None, steps=None, wave=1, **settings):
    """A server with rate limits off; the store is opened for its collection."""
    of = samples.collection(mode, wave)
    store.migrate()
    if store.state() is None:
        store.set_state(State(fingerprint=of.fingerprint, mode=mode, wave=wave))
    return CollectionServer(
        of,
        store,
        Settings(**{"port": 0, "rate": 0.0, **settings}),
        admin=hashlib.sha256(samples.ADMIN.encode()).digest(),
        signing=(signing or samples.PlainSigning()) if mode == "anonymous" else None,
        steps=steps or PlainSteps(),
    )


class InThread:
    """A server in a thread of this process, stopped as a signal would stop it."""

    def __init__(self, server):
        self.server = server
        self.socket = bound_socket(server.settings)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        started = threading.Event()
        self._uvicorn = None
        self.thread = threading.Thread(target=self._run, args=(started,), daemon=True)
        self.thread.start()
        if not started.wait(20):
            raise RuntimeError("the server did not start")

    def _run(self, started):
        from sfumato.server import serving

        outer = self

        # Not of what is there now, which may be that of another server that runs.
        class Kept(_PLAIN):
            def __init__(self, *arguments):
                super().__init__(*arguments)
                outer._uvicorn = self

        original, serving._Uvicorn = serving._Uvicorn, Kept
        try:
            run_server(self.server, self.socket, started.set)
        finally:
            serving._Uvicorn = original

    def stop(self):
        self._uvicorn.should_exit = True
        self.thread.join(30)
        self.socket.close()
        assert not self.thread.is_alive()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stop()


class Servers:
    """Processes that are servers, forked from one that has everything imported."""

    def __init__(self):
        root = Path(__file__).parents[1]
        self._mother = subprocess.Popen(
            [sys.executable, "-m", "server.plain_server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{os.environ.get('PYTHONPATH', root.parent / 'src')}"},
        )

    def start(self, place, **settings):
        """Return the process and the port of a new server; `settings` of its store are given by name."""
        self._mother.stdin.write(json.dumps({"place": str(place), **settings}) + "\n")
        self._mother.stdin.flush()
        pid, port = json.loads(self._mother.stdout.readline())
        return pid, port

    def wait(self, pid):
        self._mother.stdin.write(json.dumps({"wait": pid}) + "\n")
        self._mother.stdin.flush()
        return json.loads(self._mother.stdout.readline())

    def kill(self, pid):
        os.kill(pid, signal.SIGKILL)
        return self.wait(pid)

    def close(self):
        self._mother.stdin.close()
        self._mother.wait(20)
        self._mother.stdout.close()


def _serve(request, said):
    place = request.pop("place")
    log = request.pop("log", os.devnull)
    if "files" in request:
        resource.setrlimit(resource.RLIMIT_NOFILE, (request["files"], request.pop("files")))
    os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
    os.dup2(2, 1)
    logging.basicConfig(level=logging.DEBUG)
    server = plain_server(store_at(place, **request.pop("store", {})), **request)
    taken = bound_socket(server.settings)
    run_server(server, taken, lambda: os.write(said, str(taken.getsockname()[1]).encode()))


def main():
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            _, status = os.waitpid(request["wait"], 0)
            answer = os.waitstatus_to_exitcode(status)
        else:
            hears, said = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.close(hears)
                sys.stdin.close()
                try:
                    _serve(request, said)
                    os._exit(0)
                finally:
                    os._exit(70)
            os.close(said)
            port = os.read(hears, 20)
            os.close(hears)
            answer = [pid, int(port or 0)]
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
