"""How much anybody may send: bytes a body, and requests a second from one address.

Addresses are needed to count by and are forgotten: a bucket holds a keyed hash of one, under a key that lives as long
as the process, in memory only, and buckets that are full again are dropped.
"""

from __future__ import annotations

import secrets
import time
from hashlib import blake2b
from http import HTTPStatus

from starlette.requests import Request

from sfumato.web.problems import Problem

_MOST_BUCKETS = 100_000


class RateLimit:
    """A token bucket for each address: `burst` at once, `rate` a second afterwards; a rate of 0 is no limit."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate = rate
        self._burst = max(1, burst)
        self._key = secrets.token_bytes(32)
        self._buckets: dict[bytes, tuple[float, float]] = {}

    def check(self, address: str) -> None:
        """Refuse an address that sends too much."""
        if self._rate <= 0:
            return
        now = time.monotonic()
        name = blake2b(address.encode(), key=self._key, digest_size=16).digest()
        left, then = self._buckets.get(name, (float(self._burst), now))
        left = min(float(self._burst), left + (now - then) * self._rate)
        if left < 1.0:
            wait = int((1.0 - left) / self._rate) + 1
            raise Problem(
                HTTPStatus.TOO_MANY_REQUESTS,
                "too many requests came from this address",
                way_out=f"Wait {wait} s.",
                headers={"Retry-After": str(wait)},
            )
        if len(self._buckets) >= _MOST_BUCKETS:
            self._forget(now)
        self._buckets[name] = (left - 1.0, now)

    def _forget(self, now: float) -> None:
        """Drop the buckets that are full again; where none is, all of them, which is generous and not fatal."""
        full = float(self._burst)
        kept = {name: one for name, one in self._buckets.items() if one[0] + (now - one[1]) * self._rate < full}
        self._buckets = kept if len(kept) < _MOST_BUCKETS else {}


async def body_of(request: Request, limit_bytes: int) -> bytes:
    """Return a body, and stop reading where it is longer than anybody needs."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit_bytes:
        raise _too_large(limit_bytes)
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > limit_bytes:
            raise _too_large(limit_bytes)
        parts.append(part)
    return b"".join(parts)


def _too_large(limit_bytes: int) -> Problem:
    return Problem(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        f"holds more than {limit_bytes} bytes",
        parameter="body",
        way_out="Send what `sfumato respond` makes, for this very study.",
        headers={"Connection": "close"},
    )
