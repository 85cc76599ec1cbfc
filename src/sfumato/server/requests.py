"""The bodies of requests, their limits, and the one shape of error answers.

An error answer repeats nothing of its request. Its rules are written here or in the library, whose sentences contain no
answers, keys or ids.
"""

from __future__ import annotations

import binascii
import secrets
import time
from hashlib import blake2b
from http import HTTPStatus
from typing import Annotated, Any, TypeVar, cast

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from sfumato.errors import InvalidInput, SfumatoError, UnreadableFile
from sfumato.files.documents import read_json
from sfumato.server.admission import NotAdmitted
from sfumato.server.credentials import LINK
from sfumato.server.store_base import StoreFailed
from sfumato.server.writer import WriterFailed

_JSON = "application/json"


class Problem(Exception):
    """An answer other than the one that was asked for."""

    def __init__(
        self,
        status: HTTPStatus,
        rule: str,
        *,
        parameter: str | None = None,
        way_out: str = "",
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(rule)
        self.status = status
        self.rule = rule
        self.parameter = parameter
        self.way_out = way_out
        self.headers = headers or {}

    @property
    def document(self) -> dict[str, object]:
        """What is sent."""
        return {
            "error": {
                "status": int(self.status),
                "rule": self.rule,
                "parameter": self.parameter,
                "way_out": self.way_out,
            }
        }

    def response(self) -> Response:
        """Return the answer."""
        return Response(
            msgspec.json.encode(self.document), status_code=self.status, media_type=_JSON, headers=self.headers
        )

    def http_bytes(self) -> bytes:
        """Return the whole answer of HTTP/1.1, for a request that does not reach the application; it closes."""
        body = msgspec.json.encode(self.document)
        head = (
            f"HTTP/1.1 {int(self.status)} {self.status.phrase}\r\ncontent-type: {_JSON}\r\n"
            f"content-length: {len(body)}\r\ncache-control: no-store\r\nconnection: close\r\n\r\n"
        )
        return head.encode() + body


def problem_of(error: SfumatoError) -> Problem:
    """Return the error answer for an error of the library, without values."""
    if isinstance(error, WriterFailed | StoreFailed):
        return Problem(
            HTTPStatus.SERVICE_UNAVAILABLE,
            error.rule,
            parameter=error.parameter,
            way_out="Send the same again in a while: it is kept once.",
            headers={"Retry-After": "2"},
        )
    if isinstance(error, NotAdmitted):
        status = HTTPStatus.FORBIDDEN
    else:
        status = HTTPStatus.UNPROCESSABLE_ENTITY if isinstance(error, InvalidInput) else HTTPStatus.CONFLICT
    return Problem(status, error.rule, parameter=error.parameter, way_out=error.way_out)


def not_found() -> Problem:
    """Return the answer to a path that is none."""
    return Problem(HTTPStatus.NOT_FOUND, "there is nothing here", way_out="GET /openapi.json lists what there is.")


def wrong_method(allowed: str) -> Problem:
    """Return the answer to a method that a path does not take."""
    return Problem(
        HTTPStatus.METHOD_NOT_ALLOWED,
        "this path does not take that method",
        way_out=f"Use {allowed}.",
        headers={"Allow": allowed},
    )


def a_bug() -> Problem:
    """Return the answer where the server itself is at fault."""
    return Problem(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "this is a bug of the server; nothing was acknowledged",
        way_out="Send the same again in a while, and tell whoever runs it.",
    )


def not_http() -> Problem:
    """Return the answer to what cannot be parsed."""
    return Problem(HTTPStatus.BAD_REQUEST, "is no HTTP request", parameter="request", way_out="Send HTTP/1.1, no TLS.")


def header_too_large(limit_bytes: int, limit_fields: int) -> Problem:
    """Return the answer to a request whose header has too many bytes or fields."""
    return Problem(
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
        f"has more than {limit_bytes} bytes or {limit_fields} fields",
        parameter="header",
        way_out="Send fewer and shorter fields.",
    )


def too_slow() -> Problem:
    """Return the answer to a request that was not complete in time."""
    return Problem(
        HTTPStatus.REQUEST_TIMEOUT, "was not complete in time", parameter="request", way_out="Send the same again."
    )


# --- Limits: bytes of a body, and requests a second from one address
# Addresses are needed for counting and are not kept: a bucket holds a keyed hash of one, under a key that lives in
# memory as long as the process. Buckets that are full again are dropped.


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


# --- Bodies: their shapes and how they are read
# Sizes and meaning are checked by the handlers.


HEX_32 = r"^[0-9a-f]{64}$"
HEX_16 = r"^[0-9a-f]{32}$"
MOST_INVITED = 10_000
"""At once, over the web; more are written by `sfumato serve --invite`."""
ADDRESS = f"^{LINK}$"
Hex32 = Annotated[str, msgspec.Meta(pattern=HEX_32)]
Hex16 = Annotated[str, msgspec.Meta(pattern=HEX_16)]
Token = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class CredentialBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What lets a report in, in anonymous mode."""

    nonce: Hex32
    signature: bytes


class ReportBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A report with its id, and what lets it in: a credential, or in panel mode a token."""

    id: Hex32
    row: bytes
    shares: dict[str, bytes]
    credential: CredentialBody | None = None
    token: Token | None = None


class CredentialRequest(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A token, to be spent for a signature on what a device blinded."""

    token: Token
    blinded: bytes


class WithdrawalBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Whose report is to go: by the secret of the device; in a panel also by the token, or by the office."""

    secret: Hex32 | None = None
    token: Token | None = None
    panel: Hex16 | None = None


class InvitationBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """How many people to let in; with `link`, the public address of the server, also links, and QR codes if asked."""

    count: Annotated[int, msgspec.Meta(ge=1, le=MOST_INVITED)]
    link: Annotated[str, msgspec.Meta(max_length=200, pattern=ADDRESS)] | None = None
    codes: bool = False


B = TypeVar("B", bound=msgspec.Struct)
_KINDS = (ReportBody, CredentialRequest, WithdrawalBody, InvitationBody)
_DECODERS: dict[Any, msgspec.json.Decoder[Any]] = {kind: msgspec.json.Decoder(kind) for kind in _KINDS}


def read_body(kind: type[B], body: bytes) -> B:
    """Read a body; what is wrong is said by its place, without a word of what stood there."""
    try:
        found = cast("B", _DECODERS[kind].decode(body))
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise Problem(
            HTTPStatus.BAD_REQUEST,
            "is no JSON of the shape that this path takes",
            parameter=_place(str(error)),
            way_out="GET /openapi.json says what it takes.",
        ) from None
    try:
        read_json(body, "body", discreet=True)  # of two equal keys the decoder takes the last, others the first
    except (UnreadableFile, RecursionError):
        raise Problem(
            HTTPStatus.BAD_REQUEST, "has the same key twice", parameter="body", way_out="Send each key once."
        ) from None
    return found


def unhex(text: str) -> bytes:
    """Return the bytes of a text whose shape was checked."""
    return binascii.unhexlify(text)


def _place(message: str) -> str:
    """Return which known field is meant; names that the sender made up are not repeated."""
    for name in ("id", "row", "shares", "credential.nonce", "credential.signature", "credential", "token", "blinded",
                 "secret", "panel", "count", "link", "codes"):  # fmt: skip
        if f"`$.{name}`" in message:
            return name
    return "body"
