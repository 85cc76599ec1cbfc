"""Runs a server until it is told to stop: it then takes no more, answers what is under way, and writes what waits."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import cast

import uvicorn

from sfumato.errors import InvalidParameter
from sfumato.web.app import CollectionApp
from sfumato.web.collecting import CollectionServer
from sfumato.web.connection_limits import ConnectionLimits
from sfumato.web.request_protocols import Arrival
from sfumato.web.settings import Settings

_BACKLOG = 2048


class _Uvicorn(uvicorn.Server):
    """Stops on SIGTERM and SIGINT, and leaves quietly: what was under way is done."""

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
    """Take the port, or say who is in the way."""
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
