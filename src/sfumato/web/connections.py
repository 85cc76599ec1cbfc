"""How a device speaks to a server: JSON over HTTP, the same headers from everybody, tried again where nothing is lost.

A redirection is not followed: it could lead a token anywhere. Over plain HTTP only this very machine is spoken to. What
a server says is taken for text: it is cut, and nothing in it moves a cursor.
"""

from __future__ import annotations

import http.client
import json
import secrets
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from sfumato.errors import InvalidParameter, Refused

MOST_SECONDS = 60.0
ATTEMPTS = 6
_MOST_BYTES = 64 * 2**20
_MOST_WORDS = 300
_FIRST_PAUSE_SECONDS = 0.5
_MOST_PAUSE_SECONDS = 30.0
_HERE = ("localhost", "127.0.0.1", "::1")
_AGAIN = (408, 425, 429, 500, 502, 503, 504)
_HEADERS = {"User-Agent": "sfumato", "Accept": "application/json"}


class ServerRefused(Refused):
    """A server that understood, and said no; `status` is the number of its answer."""

    status: int = 0


class ServerAway(Refused):
    """A server that could not be reached, or gave no answer that could be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """The address of a server, and how patiently it is asked."""

    url: str
    attempts: int = ATTEMPTS
    seconds: float = MOST_SECONDS
    pause: Callable[[float], None] = field(default=time.sleep, repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InvalidParameter(
                "must be the address of a server, https://…", parameter="url", way_out="Copy it from the invitation."
            )
        if parts.scheme == "http" and parts.hostname not in _HERE:
            raise InvalidParameter(
                "is not encrypted, so that whoever is on the way could read the token and change the report",
                parameter="url",
                way_out="Use https://, or http:// on this very machine.",
            )

    def get(self, path: str) -> Any:
        """Return the document at a path."""
        return self._asked("GET", path, None)

    def post(self, path: str, body: bytes) -> Any:
        """Send a body, the same one as often as it takes, and return what is answered."""
        return self._asked("POST", path, body)

    def _asked(self, method: str, path: str, body: bytes | None) -> Any:
        pause = _FIRST_PAUSE_SECONDS
        for left in range(self.attempts - 1, -1, -1):
            try:
                status, answer = self._once(method, path, body)
            except (OSError, http.client.HTTPException, ValueError) as error:
                if not left:
                    raise _away(type(error).__name__) from None
            else:
                if status == http.client.OK:
                    return answer
                if status not in _AGAIN or not left:
                    raise _refused(status, answer)
            # Devices that were turned away together do not come back together.
            self.pause(pause * (500 + secrets.randbelow(1001)) / 1000)
            pause = min(2 * pause, _MOST_PAUSE_SECONDS)
        raise _away("no attempt was allowed")

    def _once(self, method: str, path: str, body: bytes | None) -> tuple[int, Any]:
        parts = urlsplit(self.url)
        kind: Callable[..., http.client.HTTPConnection] = http.client.HTTPConnection
        settings: dict[str, Any] = {"timeout": self.seconds}
        if parts.scheme == "https":
            kind, settings["context"] = http.client.HTTPSConnection, ssl.create_default_context()
        connection = kind(parts.hostname or "", parts.port, **settings)
        try:
            headers = _HEADERS | ({} if body is None else {"Content-Type": "application/json"})
            connection.request(method, f"{parts.path.rstrip('/')}{path}", body, headers)
            # An answer that is not read to its end holds the socket open, whatever happens to the connection.
            with connection.getresponse() as answer:
                data = answer.read(_MOST_BYTES + 1)
                if len(data) > _MOST_BYTES:
                    raise ValueError("too much")
                return answer.status, json.loads(data)
        except RecursionError:
            raise ValueError("too deep") from None
        finally:
            connection.close()


def _away(why: str) -> ServerAway:
    return ServerAway(
        f"the server gave no answer that can be used ({why})",
        way_out="Check the address and the connection, and send the same again: nothing is counted twice.",
    )


def _refused(status: int, answer: Any) -> ServerRefused:
    told = answer.get("error") if isinstance(answer, dict) else None
    said = told if isinstance(told, dict) else {}
    words = " ".join(str(said.get(name) or "") for name in ("parameter", "rule")).strip()
    found = ServerRefused(
        f"the server says no ({status}): {words[:_MOST_WORDS] or 'it does not say why'}",
        way_out=str(said.get("way_out") or "Ask whoever runs the study.")[:_MOST_WORDS],
    )
    found.status = status
    return found
