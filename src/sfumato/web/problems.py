"""One shape for everything that goes wrong: `{"error": {"status", "rule", "parameter", "way_out"}}`.

Whatever a request held, nothing of it is in the answer: rules are written here or in the library, which keeps answers,
keys and ids out of its sentences.
"""

from __future__ import annotations

from http import HTTPStatus

import msgspec
from starlette.responses import Response

from sfumato.errors import InvalidInput, SfumatoError
from sfumato.web.admissions import NotAdmitted
from sfumato.web.stores import StoreFailed
from sfumato.web.writer import WriterFailed

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
    """Return what a caller is told about an error of the library; values are left out."""
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
