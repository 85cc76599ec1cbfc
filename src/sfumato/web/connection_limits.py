"""Limits on connections that keep the server waiting: bytes and time of a request, and how many there may be.

A connection is *incomplete* from its acceptance, or from the first byte of its next request, until the request is
complete. It is *idle* between an answer and the next request, and while its client does not read the answer. The rest
are answered by the server and are never closed here.

Each address may have a number of incomplete connections; one more closes the oldest of them. When all connections
together reach their limit, the address with the most incomplete and idle ones loses its oldest. A client that sends its
request at once is therefore served, however many others do not.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, NamedTuple

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sfumato.web.problems import Problem, header_too_large, not_http, too_slow
from sfumato.web.settings import Settings

_MOST_CONNECTIONS = 4096
_FILES_WITHOUT_LIMIT = 512
_CHECK_SECONDS = 0.25
_FLUSH_SECONDS = 1.0
_IPV6_CLIENT_BITS = 64


class Address(NamedTuple):
    """What connections are counted under: an address or a network, and whether it is a trusted proxy's."""

    name: str
    is_trusted: bool


@dataclass(slots=True)
class _Waiting:
    """The connections of one address that keep the server waiting, the oldest first."""

    incomplete: dict[LimitedProtocol, None] = field(default_factory=dict)
    idle: dict[LimitedProtocol, None] = field(default_factory=dict)


class ConnectionLimits:
    """The open connections of a server, by address and by age."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.most = most_connections(settings.connections)
        self.most_incomplete = max(1, min(settings.address_connections, self.most // 2))
        self._trusted = _networks(settings.trusted_proxies)
        self._open: set[LimitedProtocol] = set()
        self._waiting: dict[Address, _Waiting] = {}
        self._timer: asyncio.TimerHandle | None = None

    def address_of(self, host: str) -> Address:
        """Return what connections from a host are counted under."""
        return _address_of(host, self._trusted)

    def open(self, connection: LimitedProtocol) -> None:
        """Take a new connection; an older one is closed where there are too many."""
        self._open.add(connection)
        if self._timer is None:
            self._timer = connection.loop.call_later(_CHECK_SECONDS, self._check_deadlines, connection.loop)
        self.set_incomplete(connection)
        if len(self._open) > self.most:
            found = max(self._waiting.items(), key=_least_welcome)[1]
            self._drop(next(iter(found.incomplete or found.idle)))

    def close(self, connection: LimitedProtocol) -> None:
        """Forget a connection."""
        self._open.discard(connection)
        self.set_busy(connection)

    def set_incomplete(self, connection: LimitedProtocol) -> None:
        """Wait for a request; the oldest connection of the address is closed where too many of it do."""
        found = self._waiting.setdefault(connection.address, _Waiting())
        if connection not in self._open or connection in found.incomplete:
            return
        found.idle.pop(connection, None)
        found.incomplete[connection] = None
        if len(found.incomplete) > self.most_incomplete and not connection.address.is_trusted:
            self._drop(next(iter(found.incomplete)))

    def set_idle(self, connection: LimitedProtocol) -> None:
        """Wait for a client that has its answer, or does not read it."""
        self.set_busy(connection)
        if connection in self._open:
            self._waiting.setdefault(connection.address, _Waiting()).idle[connection] = None

    def set_busy(self, connection: LimitedProtocol) -> None:
        """Wait for nothing: the server answers."""
        found = self._waiting.get(connection.address)
        if found is None:
            return
        found.incomplete.pop(connection, None)
        found.idle.pop(connection, None)
        if not found.incomplete and not found.idle:
            del self._waiting[connection.address]

    def _drop(self, connection: LimitedProtocol) -> None:
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


class LimitedProtocol(HttpToolsProtocol):
    """A connection of uvicorn whose requests have a size and a deadline."""

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


def most_connections(wanted: int) -> int:
    """Return how many connections there may be: so many, or 0 for the most, within three quarters of the open files."""
    try:
        import resource  # noqa: PLC0415  Windows has no such limit

        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    except ImportError:
        files = _FILES_WITHOUT_LIMIT
    most = _MOST_CONNECTIONS if files < 0 else min(_MOST_CONNECTIONS, files * 3 // 4)
    return max(2, min(wanted or most, most))


@lru_cache(maxsize=4096)
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
