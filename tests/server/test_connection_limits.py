"""Clients that send without end, slowly or not at all are cut off; clients that send their request are served."""

import json
import resource
import socket
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from server import samples
from server.databases import made_store
from server.plain_server import InThread, plain_server
from sfumato.server.serving import ConnectionLimits, most_connections
from sfumato.server.settings import Settings

OF = samples.collection()
ATTACKER, HONEST, PROXY = "127.0.0.2", "127.0.0.3", "127.0.0.1"
GET = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
HALF_HEADER = b"GET /health HTTP/1.1\r\nHost: x\r\n"
HALF_BODY = b"POST /reports HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{"
CHUNKED = b"POST /reports HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


class Clients:
    """Servers with small limits and sockets from any address of this machine; all are closed at the end."""

    def __init__(self, folder):
        self._folder = folder
        self._opened = ExitStack()
        self.port = self.running = None

    def serve(self, **settings):
        server = plain_server(made_store("sqlite", self._folder, None), **settings)
        self.running = self._opened.enter_context(InThread(server))
        self.port = int(self.running.url.rsplit(":", 1)[1])

    def connect(self, address, data=b""):
        made = self._opened.enter_context(socket.socket())
        made.settimeout(10)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        made.bind((address, 0))
        made.connect(("127.0.0.1", self.port))
        made.sendall(data)
        return made

    def close(self):
        self._opened.close()


@pytest.fixture
def clients(tmp_path):
    made = Clients(tmp_path)
    yield made
    made.close()


def answer(connection):
    """Return the status and the document of one answer; 0 where the server closed without one."""
    heard = b""
    try:
        while b"\r\n\r\n" not in heard:
            part = connection.recv(65536)
            if not part:
                return 0, None
            heard += part
        head, _, body = heard.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        while len(body) < length:
            body += connection.recv(65536)
    except ConnectionError:
        return 0, None
    return int(head.split()[1]), json.loads(body)


def is_closed(connection):
    """Whether the server has closed it by now."""
    connection.settimeout(0.01)
    try:
        return connection.recv(1) == b""
    except TimeoutError:
        return False
    except ConnectionError:
        return True


def post(number, spaces=0):
    body = samples.encoded(samples.plain_report(OF, number)) + b" " * spaces
    return b"POST /reports HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def seconds_until_closed(connection, drip):
    """Send a little every now and then until the server closes; returns how long that took and the last status."""
    begun = time.monotonic()
    while not is_closed(connection):
        assert time.monotonic() - begun < 10, "the server waits for ever"
        try:
            connection.sendall(drip)
        except ConnectionError:
            break
        time.sleep(0.02)
    return time.monotonic() - begun


@pytest.mark.parametrize(
    ("begun", "more", "status"),
    [
        (b"GET /health HTTP/1.1\r\nX: ", b"a" * 512, 431),
        (b"GET /", b"a" * 512, 431),
        (b"GET /health HTTP/1.1\r\n", b"A: b\r\n" * 80, 431),
        (CHUNKED + b"1;", b"a" * 512, 431),
        (CHUNKED + b"1\r\n \r\n0\r\nX: ", b"a" * 512, 431),
        (b"", b"\r\n" * 256, 431),
    ],
    ids=["value", "address", "fields", "chunk extension", "trailer", "empty lines"],
)
def test_a_header_without_end_is_refused(clients, begun, more, status):
    clients.serve(header_bytes=2048, header_fields=20)
    connection = clients.connect(ATTACKER, begun)
    connection.settimeout(5)  # at once, and not when the time for a header is over
    with suppress(ConnectionError):
        for _ in range(50):
            connection.sendall(more)
            time.sleep(0.001)
    found, document = answer(connection)
    assert found in {status, 0}  # what was sent after the end may have cost the answer
    if document is not None:
        assert set(document["error"]) == {"status", "rule", "parameter", "way_out"}


def test_a_header_that_is_too_long_gets_an_answer(clients):
    clients.serve(header_bytes=2048, header_fields=20)
    for header in (b"X: " + b"a" * 2048 + b"\r\n", b"A: b\r\n" * 20):
        connection = clients.connect(ATTACKER, HALF_HEADER + header + b"\r\n")
        found, document = answer(connection)
        assert (found, document["error"]["parameter"]) == (431, "header")
        assert is_closed(connection)


@pytest.mark.parametrize("data", [b"\x16\x03\x01\x02\x00\x01", b"GET / HTTP/1.1\nHost: x\n\n", b"get / HTTP/1.1\r\n"])
def test_what_is_no_request_is_refused_at_once(clients, data):
    clients.serve()
    connection = clients.connect(ATTACKER, data)
    connection.settimeout(5)
    assert answer(connection)[0] == 400


def test_a_body_may_be_longer_than_a_header(clients):
    clients.serve(header_bytes=1024)
    assert answer(clients.connect(ATTACKER, post(1, spaces=4000)))[0] == 200


@pytest.mark.parametrize("is_kept", [False, True], ids=["first", "kept alive"])
@pytest.mark.parametrize(("begun", "more"), [(HALF_HEADER, b"A: b\r\n"), (HALF_BODY, b" ")], ids=["header", "body"])
def test_a_slow_request_is_cut_off(clients, is_kept, begun, more):
    """Whatever trickles in, as the first request of a connection or as the next one."""
    clients.serve(header_seconds=0.4, body_seconds=0.4)
    connection = clients.connect(ATTACKER, GET if is_kept else begun)
    if is_kept:
        assert answer(connection)[0] == 200
        connection.sendall(begun)
    assert 0.3 < seconds_until_closed(connection, more) < 5


def test_a_slow_request_is_told_why(clients):
    clients.serve(header_seconds=0.4, body_seconds=0.4)
    for begun in (HALF_HEADER, HALF_BODY):
        assert answer(clients.connect(ATTACKER, begun))[0] == 408
    assert answer(clients.connect(ATTACKER))[0] == 0  # a connection that a browser opened in advance


def test_the_rest_of_an_answered_request_is_not_awaited_for_ever(clients):
    clients.serve(body_seconds=0.4)
    connection = clients.connect(ATTACKER, CHUNKED.replace(b"POST /reports", b"GET /health"))
    assert answer(connection)[0] == 200
    assert seconds_until_closed(connection, b"1\r\n \r\n") < 5


def test_an_idle_connection_is_closed(clients):
    clients.serve(idle_seconds=0.4)
    connection = clients.connect(ATTACKER, GET)
    assert answer(connection)[0] == 200
    assert 0.3 < seconds_until_closed(connection, b"\r\n") < 5  # empty lines before a request are no request


def test_an_answer_that_is_not_read_is_given_up(clients):
    clients.serve(idle_seconds=0.4)
    clients.running.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    connection = clients.connect(ATTACKER, b"GET /reader_worker.js HTTP/1.1\r\nHost: x\r\n\r\n" * 4)
    time.sleep(1.5)
    heard = b""
    with suppress(ConnectionError):
        while part := connection.recv(1 << 20):
            heard += part
    assert 0 < heard.count(b"HTTP/1.1 200") < 4


def test_one_address_has_so_many_incomplete_requests_and_proxies_have_more(clients):
    clients.serve(address_connections=5)
    found = {}
    for address in (ATTACKER, PROXY):
        made = [clients.connect(address, (b"", HALF_HEADER, HALF_BODY)[one % 3]) for one in range(15)]
        assert answer(clients.connect(HONEST, post(address)))[0] == 200
        assert answer(clients.connect(address, post(f"of {address}")))[0] == 200  # a neighbour who sends at once
        found[address] = [is_closed(one) for one in made]
    assert found[PROXY] == [False] * 15
    assert found[ATTACKER] == [True] * 11 + [False] * 4  # the oldest made room, the last one for the neighbour


def test_connections_with_a_complete_request_are_not_counted(clients):
    """Clients of one address keep their connections, more than may be incomplete, and use them again."""
    clients.serve(address_connections=10)
    made = []
    for one in range(40):
        made.append(clients.connect(HONEST, post(one)))
        assert answer(made[-1])[0] == 200
    for connection in made:
        connection.sendall(GET)
        assert answer(connection)[0] == 200


def test_200_clients_of_one_address_are_all_served(clients):
    """At the limits that a server has by default, also that on requests a second."""
    clients.serve(rate=20.0)
    made = [clients.connect(HONEST) for _ in range(200)]
    for number, connection in enumerate(made):
        connection.sendall(post(number))
    assert [answer(connection)[0] for connection in made] == [200] * 200


@pytest.mark.parametrize("data", [b"", HALF_BODY, GET], ids=["silent", "half sent", "kept alive"])
def test_whoever_has_the_most_connections_makes_room(clients, data):
    clients.serve(connections=30)
    honest = clients.connect(HONEST, GET)
    assert answer(honest)[0] == 200
    attacking = [clients.connect(f"127.0.0.{20 + one % 4}", data) for one in range(80)]
    assert answer(clients.connect(HONEST, post(1)))[0] == 200
    honest.sendall(GET)
    assert answer(honest)[0] == 200  # kept through all of it
    assert sum(not is_closed(one) for one in attacking if data != GET or answer(one)[0] == 0) <= 30


def test_files_do_not_run_out(clients, servers, tmp_path):
    """More half-sent bodies than files may be open, and a report is kept."""
    pid, clients.port = servers.start(tmp_path / "reports.sqlite", files=128, log=str(tmp_path / "log"))
    try:
        attacking = [clients.connect(f"127.0.0.{20 + one % 5}", HALF_BODY) for one in range(200)]
        assert [answer(clients.connect(HONEST, post(one)))[0] for one in range(10)] == [200] * 10
        assert len(list(Path(f"/proc/{pid}/fd").iterdir())) < 128
        assert sum(is_closed(one) for one in attacking) >= 200 - 96
    finally:
        servers.kill(pid)
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_connections_leave_files_for_the_database(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 4096))
    assert most_connections(0) == most_connections(5000) == 768
    assert most_connections(100) == 100
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert 768 <= most_connections(0) < 10_000


def test_what_counts_as_one_address():
    of = ConnectionLimits(Settings(trusted_proxies="127.0.0.1, 10.0.0.0/8")).address_of
    assert of("2001:db8::1") == of("2001:db8::ffff:1") != of("2001:db8:0:1::1")
    assert of("::ffff:192.0.2.1") == of("192.0.2.1") != of("192.0.2.2")
    assert of("127.0.0.1").is_trusted
    assert of("10.1.2.3").is_trusted
    assert not of("127.0.0.2").is_trusted
    assert ConnectionLimits(Settings(trusted_proxies="*")).address_of("2001:db8::1").is_trusted
