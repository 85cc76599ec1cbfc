"""How many connections may keep the server waiting, and for how long.

A connection is *incomplete* from its acceptance, or from the first byte of its next request, until the request is
complete. It is *idle* between an answer and the next request, and while its client does not read the answer. The rest
are answered by the server and are never closed here.

Each address may have a number of incomplete connections; one more closes the oldest of them. When all connections
together reach their limit, the address with the most incomplete and idle ones loses its oldest. A client that sends its
request at once is therefore served, however many others do not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import NamedTuple, Protocol

from sfumato.web.settings import Settings

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
