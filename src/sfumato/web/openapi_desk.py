"""The part of the OpenAPI document that is for whoever runs a study, and for its readers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sfumato.web.bodies import ADDRESS, MOST_INVITED

_POSTED = (400, 401, 409, 413, 422, 429, 500, 503)
_READ = (401, 409, 422, 429, 500, 503)
_WHOLE = {"type": "integer", "minimum": 0}


def desk_paths(operation: Callable[..., dict[str, Any]], table: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """Return what these paths take and give, made of the parts that all paths share."""
    reader = table(("name", "token"), name={"type": "string"}, token={"type": "string"})
    counted = ("reports", "invited", "spent", "withdrawn", "wave", "least_reports")
    counts = table(
        (*counted, "open", "mode", "fingerprint", "readers"),
        **dict.fromkeys(counted, _WHOLE),
        open={"type": "boolean"},
        mode={"type": "string"},
        fingerprint={"type": "string"},
        readers={"type": "array", "items": reader},
    )
    invited = table(("token",), **{key: {"type": "string"} for key in ("token", "link", "code", "panel")})
    invitations = table(
        ("schema", "invitations"), schema={"type": "string"}, invitations={"type": "array", "items": invited}
    )
    wanted = table(
        ("count",),
        count={"type": "integer", "minimum": 1, "maximum": MOST_INVITED},
        link={"type": ["string", "null"], "maxLength": 200, "pattern": ADDRESS},
        codes={"type": "boolean"},
    )
    page = {"type": "string"}
    return {
        "/dashboard": {"get": operation("dashboard", "The dashboard.", (429, 500), page, media="text/html")},
        "/admin": {"get": operation("admin", "The desk of whoever runs it.", (429, 500), page, media="text/html")},
        "/desk.css": {"get": operation("desk_css", "The style of these pages.", (429, 500), page, media="text/css")},
        "/counts": {"get": operation("counts", "How much is kept.", (401, 429, 500, 503), counts, admin=True)},
        "/invitations": {
            "post": operation(
                "invite",
                "Let people in. Their tokens are in the answer and nowhere else.",
                _POSTED,
                invitations,
                body=wanted,
                admin=True,
            )
        },
        "/shares": {
            "get": operation(
                "shares",
                "Rows and sealed bodies of one reader, for their own machine; the administrator names whose.",
                _READ,
                {"type": "string", "format": "binary"},
                admin=True,
                media="application/octet-stream",
            )
        },
    }
