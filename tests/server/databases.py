"""A real PostgreSQL in a temporary folder, not run as root, and stores of both kinds."""

import contextlib
import glob
import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from pathlib import Path
from urllib.parse import quote

import psycopg

from sfumato.server.postgres_store import PostgresStore
from sfumato.server.sqlite_store import SqliteStore

KINDS = ("sqlite", "postgresql")


def _binaries():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))  # noqa: PTH207
    if found:
        return Path(found[-1])
    initdb = shutil.which("initdb")
    if initdb is None:
        raise RuntimeError("PostgreSQL is not installed: tools/system-packages brings it")
    return Path(initdb).parent


class Postgres:
    """A cluster of its own: made, started, stopped, killed, and thrown away.

    It listens in its own folder: a port that was free when it was looked for may be somebody's when it is wanted.
    """

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="sfumato-pg-"))
        self._as = []
        if os.geteuid() == 0:
            # Nobody is not root, and PostgreSQL refuses to run as root.
            shutil.chown(self.folder, "nobody")
            self._as = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        self._run("initdb", "-D", self.data, "-U", "sfumato", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C")
        settings = self.data / "postgresql.auto.conf"
        settings.write_text(
            settings.read_text() + f"listen_addresses=''\nunix_socket_directories='{self.folder}'\n"
            "max_connections=40\nshared_buffers='64MB'\nrecovery_init_sync_method=syncfs\n"
            "wal_writer_delay='10s'\n"  # what a commit does not flush stays so, however slowly a test goes on
        )
        self.process = None
        self.start()

    @property
    def data(self):
        return self.folder / "data"

    def _run(self, name, *arguments):
        command = [*self._as, str(_binaries() / name), *map(str, arguments)]
        subprocess.run(command, check=True, capture_output=True, cwd=self.folder)

    def start(self):
        command = [*self._as, str(_binaries() / "postgres"), "-D", str(self.data)]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)
        deadline = time.monotonic() + 30
        while True:
            with contextlib.suppress(psycopg.OperationalError):
                psycopg.connect(self.url("postgres"), connect_timeout=2).close()
                return
            if time.monotonic() > deadline:
                raise RuntimeError((self.folder / "log").read_text())
            time.sleep(0.05)

    def url(self, name):
        return f"postgresql://sfumato@{quote(str(self.folder), safe='')}/{name}"

    def new_place(self):
        """An empty schema of one database: made, and thrown away with the cluster, much faster than a database."""
        name = f"s{uuid.uuid4().hex}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return f"{self.url('postgres')}?options=-csearch_path%3D{name}"

    def new_database(self):
        name = f"d{uuid.uuid4().hex}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def stop(self, *, immediately=False):
        self.process.send_signal(signal.SIGQUIT if immediately else signal.SIGINT)
        self.process.wait(30)

    def throw_away(self):
        if self.process.poll() is None:
            self.stop(immediately=True)
        shutil.rmtree(self.folder)


def made_store(kind, folder, postgres, **settings):
    """A store of a kind, with its tables; PostgreSQL is asked for only where it is needed."""
    store = (
        SqliteStore(folder / "reports.sqlite", **settings)
        if kind == "sqlite"
        else PostgresStore(postgres().new_place(), **settings)
    )
    store.migrate()
    return store
