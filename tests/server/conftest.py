"""Stores of both kinds for the tests of the server."""

import pytest

from server.databases import KINDS, Postgres, made_store


@pytest.fixture(scope="session")
def postgres():
    """A function that gives the cluster, which is started when it is first asked for."""
    started = []

    def get():
        if not started:
            started.append(Postgres())
        return started[0]

    yield get
    for one in started:
        one.throw_away()


@pytest.fixture(params=KINDS)
def store(request, tmp_path, postgres):
    """An open store, of each kind in turn."""
    made = made_store(request.param, tmp_path, postgres)
    yield made
    made.close()


@pytest.fixture(scope="session")
def servers():
    """Servers in processes of their own."""
    from server.plain_server import Servers

    made = Servers()
    yield made
    made.close()
