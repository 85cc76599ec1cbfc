"""Connections of uvicorn whose requests have a size and a deadline.

A new connection is an `Arrival`, which only gathers bytes until its first request is complete. Then `LimitedProtocol`,
which is uvicorn's own with limits, parses and answers it. So a client that never completes a request costs next to
nothing, and others are answered meanwhile.
"""

from __future__ import annotations

import asyncio
import math
import re
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sfumato.web.connection_limits import ConnectionLimits
from sfumato.web.problems import Problem, header_too_large, not_http, too_slow

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
        """Close the connection; who has sent a part of a request is told why."""
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
