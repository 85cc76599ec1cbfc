"""Running the server, with limits on connections and requests."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import re
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, NamedTuple, Protocol, cast

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sfumato.errors import InvalidParameter
from sfumato.server.app import CollectionApp
from sfumato.server.requests import Problem, header_too_large, not_http, too_slow
from sfumato.server.service import CollectionServer
from sfumato.server.settings import Settings

# --- Limits on waiting connections
# A connection is *incomplete* from its acceptance, or from the first byte of its next request, until the request is
# complete. It is *idle* between an answer and the next request, and while its client does not read the answer. The
# rest are answered by the server and are never closed here.
#
# Each address may have a number of incomplete connections; one more closes the oldest of them. When all connections
# together reach their limit, the address with the most incomplete and idle ones loses its oldest. A client that sends
# its request at once is therefore served, however many others do not.


_MOST_CONNECTIONS = 4096
_FILES_WITHOUT_LIMIT = 512
_CHECK_SECONDS = 0.25
_IPV6_CLIENT_BITS = 64


class Address(NamedTuple):
    """What connections are counted under: an address or a network, and whether it is a trusted proxy's."""

    name: str
    is_trusted: bool


class Connection(Protocol):
    """What is known of a connection; its deadline is in the loop's time."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    address: Address
    deadline: float

    def expire(self) -> None:
        """Close it, because its deadline has passed."""
        ...


@dataclass(slots=True)
class _Waiting:
    """The connections of one address that keep the server waiting, the oldest first."""

    incomplete: dict[Connection, None] = field(default_factory=dict)
    idle: dict[Connection, None] = field(default_factory=dict)


class ConnectionLimits:
    """The open connections of a server, by address and by age."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.most = most_connections(settings.connections)
        self.most_incomplete = max(1, min(settings.address_connections, self.most // 2))
        trusted = _networks(settings.trusted_proxies)
        self.address_of: Callable[[str], Address] = lru_cache(4096)(partial(_address_of, trusted=trusted))
        self._open: set[Connection] = set()
        self._waiting: dict[Address, _Waiting] = {}
        self._timer: asyncio.TimerHandle | None = None

    def open(self, connection: Connection) -> None:
        """Take a new connection; an older one is closed where there are too many."""
        self._open.add(connection)
        if self._timer is None:
            self._timer = connection.loop.call_later(_CHECK_SECONDS, self._check_deadlines, connection.loop)
        self.set_incomplete(connection)
        if len(self._open) > self.most:
            found = max(self._waiting.items(), key=_least_welcome)[1]
            self._drop(next(iter(found.incomplete or found.idle)))

    def close(self, connection: Connection) -> None:
        """Forget a connection."""
        self._open.discard(connection)
        self.set_busy(connection)

    def set_incomplete(self, connection: Connection) -> None:
        """Wait for a request; the oldest connection of the address is closed where too many of it do."""
        found = self._waiting.setdefault(connection.address, _Waiting())
        if connection not in self._open or connection in found.incomplete:
            return
        found.idle.pop(connection, None)
        found.incomplete[connection] = None
        if len(found.incomplete) > self.most_incomplete and not connection.address.is_trusted:
            self._drop(next(iter(found.incomplete)))

    def set_idle(self, connection: Connection) -> None:
        """Wait for a client that has its answer, or does not read it."""
        self.set_busy(connection)
        if connection in self._open:
            self._waiting.setdefault(connection.address, _Waiting()).idle[connection] = None

    def set_busy(self, connection: Connection) -> None:
        """Wait for nothing: the server answers."""
        found = self._waiting.get(connection.address)
        if found is None:
            return
        found.incomplete.pop(connection, None)
        found.idle.pop(connection, None)
        if not found.incomplete and not found.idle:
            del self._waiting[connection.address]

    def _drop(self, connection: Connection) -> None:
        self.close(connection)
        connection.transport.abort()

    def _check_deadlines(self, loop: asyncio.AbstractEventLoop) -> None:
        now = loop.time()
        for connection in [one for one in self._open if one.deadline <= now]:
            connection.expire()
        self._timer = loop.call_later(_CHECK_SECONDS, self._check_deadlines, loop) if self._open else None


def _least_welcome(item: tuple[Address, _Waiting]) -> tuple[bool, int]:
    address, waiting = item
    return not address.is_trusted, len(waiting.incomplete) + len(waiting.idle)


def most_connections(wanted: int) -> int:
    """Return how many connections there may be: so many, or 0 for the most, within three quarters of the open files."""
    try:
        import resource  # noqa: PLC0415  Windows has no such limit

        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    except ImportError:
        files = _FILES_WITHOUT_LIMIT
    most = _MOST_CONNECTIONS if files < 0 else min(_MOST_CONNECTIONS, files * 3 // 4)
    return max(2, min(wanted or most, most))


def _address_of(host: str, trusted: tuple[IPv4Network | IPv6Network, ...]) -> Address:
    """Return a host as it is counted; of IPv6 the network of 64 bits, which one client has as a whole."""
    try:
        found = ip_address(host)
    except ValueError:
        return Address(host, is_trusted=False)
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    if any(found in one for one in trusted):
        return Address(str(found), is_trusted=True)
    bits = _IPV6_CLIENT_BITS if isinstance(found, IPv6Address) else found.max_prefixlen
    return Address(str(ip_network((int(found), bits), strict=False)), is_trusted=False)


def _networks(listed: str) -> tuple[IPv4Network | IPv6Network, ...]:
    """Return the networks of a list as uvicorn reads it; a name that is no address is trusted there, and not here."""
    if listed.strip() == "*":
        return (ip_network("0.0.0.0/0"), ip_network("::/0"))
    found = []
    for one in listed.split(","):
        try:
            found.append(ip_network(one.strip(), strict=False))
        except ValueError:
            continue
    return tuple(found)


# --- Connections of uvicorn with limits on size and time of requests
# A new connection is an `Arrival`, which only gathers bytes until its first request is complete. Then
# `LimitedProtocol`, which is uvicorn's own with limits, parses and answers it. So a client that never completes a
# request costs little, and others are answered meanwhile.


_FLUSH_SECONDS = 1.0
_MOST_GATHERED = 65_536
_END = re.compile(rb"\n\r?\n")
_LONGEST_END = 3
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,9})[ \t]*\r\n", re.IGNORECASE)
_AT_ONCE = re.compile(rb"\r\n(expect|transfer-encoding|upgrade):", re.IGNORECASE)


class Arrival(asyncio.Protocol):
    """A new connection until its first request is complete, or cannot be gathered."""

    def __init__(self, limits: ConnectionLimits, **rest: Any) -> None:
        self.limits = limits
        self.loop = rest["_loop"] or asyncio.get_running_loop()
        self.transport: asyncio.Transport
        self.address = limits.address_of("")
        self.deadline = self.loop.time() + limits.settings.header_seconds
        self._rest = rest
        self._gathered = bytearray()
        self._wanted = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        self.transport = transport
        self.address = self.limits.address_of((transport.get_extra_info("peername") or ("",))[0])
        self._rest["server_state"].connections.add(self)
        self.limits.open(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        del exc
        self._leave()

    def data_received(self, data: bytes) -> None:
        """Gather bytes; with the last one of the request hand them over."""
        searched = max(0, len(self._gathered) - _LONGEST_END + 1)
        self._gathered += data
        if not self._wanted:
            self._wanted = self._request_bytes(searched)
        if len(self._gathered) >= self._wanted > 0:
            self._hand_over()

    def expire(self) -> None:
        """Close the connection; a client that has sent a part of a request gets the reason."""
        if not self._gathered:
            self.transport.abort()
        elif not (made := self._hand_over()).transport.is_closing():
            made.expire()

    def shutdown(self) -> None:
        """Close the connection, because the server stops."""
        self.transport.abort()

    def _request_bytes(self, searched: int) -> int:
        """Return how many bytes to gather: 0 if that is not known yet, 1 if the parser is to judge what there is."""
        end = _END.search(self._gathered, searched)
        if end is None:
            is_hopeless = not b"A" <= self._gathered[:1] <= b"Z"  # every method is in capitals
            return 1 if is_hopeless or len(self._gathered) > self.limits.settings.header_bytes else 0
        header = bytes(self._gathered[: end.end()])
        if _AT_ONCE.search(header):
            return 1
        self.deadline = self.loop.time() + self.limits.settings.body_seconds
        length = _LENGTH.search(header)
        wanted = len(header) + (int(length[1]) if length else 0)
        return wanted if wanted <= _MOST_GATHERED else 1

    def _hand_over(self) -> LimitedProtocol:
        """Let uvicorn parse and answer what was gathered."""
        self._leave()
        made = LimitedProtocol(self.limits, **self._rest)
        self.transport.set_protocol(made)
        made.connection_made(self.transport)
        made.data_received(bytes(self._gathered))
        return made

    def _leave(self) -> None:
        self._rest["server_state"].connections.discard(self)
        self.limits.close(self)


class LimitedProtocol(HttpToolsProtocol):
    """A connection that uvicorn parses and answers."""

    def __init__(self, limits: ConnectionLimits, **rest: Any) -> None:
        super().__init__(**rest)
        self.limits = limits
        self.address = limits.address_of("")
        self.deadline = math.inf
        self._in_header = self._in_body = False
        self._header_bytes = 0
        self._is_parsed = False
        self._unparsed_bytes = 0
        self._problem: Problem | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self.address = self.limits.address_of(self.client[0] if self.client else "")
        self._expire_in(self.limits.settings.header_seconds)
        self.limits.open(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        self.limits.close(self)

    def data_received(self, data: bytes) -> None:
        """Parse what came; refuse more bytes than a header may have where they are no body."""
        self._is_parsed = False
        super().data_received(data)
        self._unparsed_bytes = 0 if self._is_parsed else self._unparsed_bytes + len(data)
        if self._unparsed_bytes > self.limits.settings.header_bytes and not self.transport.is_closing():
            self._refuse(self._header_problem())

    def on_message_begin(self) -> None:
        """Begin to wait for the header of a request."""
        super().on_message_begin()
        self._in_header, self._header_bytes = True, 0
        if self.cycle is not None:
            self._expire_in(self.limits.settings.header_seconds)
            self.limits.set_incomplete(self)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a field of the header, or of what may follow a body in chunks."""
        super().on_header(name, value)
        self._header_bytes += len(name) + len(value) + len(": \r\n")
        if len(self.headers) > self.limits.settings.header_fields:
            self._stop_parsing(self._header_problem())

    def on_headers_complete(self) -> None:
        """Begin to wait for the body."""
        if self._header_bytes + len(self.url) > self.limits.settings.header_bytes:
            self._stop_parsing(self._header_problem())
        self._in_header, self._in_body, self._is_parsed = False, True, True
        self._expire_in(self.limits.settings.body_seconds)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._is_parsed = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Leave the request to the server, which has all of it."""
        self._in_body, self._is_parsed = False, True
        super().on_message_complete()
        self._wait()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request, unless this one is still coming."""
        super().on_response_complete()
        self._wait()

    def pause_writing(self) -> None:
        """Begin to wait for a client that does not read its answer."""
        super().pause_writing()
        self._wait()

    def resume_writing(self) -> None:
        """Go on with an answer."""
        super().resume_writing()
        self._wait()

    def send_400_response(self, msg: str) -> None:
        """Refuse what cannot be parsed, or what was refused while it was parsed."""
        del msg
        self._refuse(self._problem or not_http())

    def expire(self) -> None:
        """Close a connection whose deadline has passed."""
        if (self._in_header or self._in_body) and not self.transport.is_closing():
            self._refuse(too_slow())
        else:
            self.transport.abort()

    def _wait(self) -> None:
        if self._in_header or self._in_body or self.cycle is None:
            return
        if not self.cycle.response_complete and not self.flow.write_paused:
            self.deadline = math.inf
            self.limits.set_busy(self)
        else:
            self._expire_in(self.limits.settings.idle_seconds)
            self.limits.set_idle(self)

    def _expire_in(self, seconds: float) -> None:
        self.deadline = self.loop.time() + seconds

    def _stop_parsing(self, problem: Problem) -> None:
        self._problem = problem
        raise ValueError(problem.rule)  # the parser hands it to uvicorn, which calls send_400_response

    def _refuse(self, problem: Problem) -> None:
        """Answer, where no other answer is under way, and close; `expire` ends it if the answer is not read."""
        self._expire_in(_FLUSH_SECONDS)
        if self._is_free_to_answer():
            self.transport.write(problem.http_bytes())
            self.transport.close()
        else:
            self.transport.abort()

    def _header_problem(self) -> Problem:
        return header_too_large(self.limits.settings.header_bytes, self.limits.settings.header_fields)

    def _is_free_to_answer(self) -> bool:
        if self._in_body:
            return not self.pipeline and not self.cycle.response_started
        return getattr(self.cycle, "response_complete", True)


_BACKLOG = 2048


class _Uvicorn(uvicorn.Server):
    """Stops on SIGTERM and SIGINT, after finishing current requests."""

    def __init__(self, config: uvicorn.Config, listening: Callable[[], None]) -> None:
        super().__init__(config)
        self._listening = listening

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {one: signal.signal(one, self.handle_exit) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self._listening()


def bound_socket(settings: Settings) -> socket.socket:
    """Bind the port, or refuse one that cannot be used."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    taken = socket.socket(family, socket.SOCK_STREAM)
    try:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind((settings.host, settings.port))
    except (OSError, OverflowError) as error:
        taken.close()
        raise InvalidParameter(
            f"at {settings.host} cannot be listened at: {getattr(error, 'strerror', None) or 'it is no port'}",
            parameter="port",
            value=settings.port,
            way_out="Choose another port or host, or stop what listens there.",
        ) from None
    return taken


def run_server(server: CollectionServer, taken: socket.socket, listening: Callable[[], None] = lambda: None) -> None:
    """Answer requests on a socket until SIGTERM or SIGINT, and close it; `listening` is called at first."""
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    settings = server.settings
    config = uvicorn.Config(
        CollectionApp(server),
        http=cast("type[asyncio.Protocol]", partial(Arrival, ConnectionLimits(settings))),
        loop="auto",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,  # it would have addresses and times
        server_header=False,
        date_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies,
        backlog=_BACKLOG,
        timeout_keep_alive=math.ceil(settings.idle_seconds),
        timeout_graceful_shutdown=settings.grace_seconds,
    )
    with contextlib.closing(taken):  # uvicorn leaves it open where it did not come to listen
        _Uvicorn(config, listening).run(sockets=[taken])
