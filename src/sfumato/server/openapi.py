"""The OpenAPI document of the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sfumato import __version__
from sfumato.server.page_parts import SCRIPTS
from sfumato.server.requests import ADDRESS, HEX_16, HEX_32, MOST_INVITED
from sfumato.study.collection import Collection

# --- Routes for the administrator and for readers


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


# --- Pages: HTML, and the forms that they send


_HTML = {"text/html": {"schema": {"type": "string"}}}
_PAGE_REFUSALS = {
    400: "The body is no form.",
    404: "The study has no such page.",
    413: "The body is too large.",
    429: "Too many requests came from this address.",
    500: "A bug of the server; nothing was acknowledged.",
    503: "It cannot be written at this moment; nothing was acknowledged.",
}
# Addresses that serve both pages and JSON.
_BOTH = ("/", "/certificate")
_PAGES = {
    "/paper": ("How to answer by hand.", (429, 500)),
    "/paper/office": ("Where an office types in sheets.", (404, 429, 500)),
}
_SENT = {
    "/paper": ("take_typed", "Keep reports that a respondent drew by hand and typed in."),
    "/paper/office": ("take_sheet", "Keep reports that an office typed in."),
}


def paths_of_pages(error: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the pages' part of the document; `error` is the schema of a refusal."""
    found: dict[str, dict[str, Any]] = {
        path: {"get": _page_operation("get" + path.replace("/", "_"), words, statuses, error)}
        for path, (words, statuses) in _PAGES.items()
    }
    for path, (name, words) in _SENT.items():
        posted = _page_operation(name, words, tuple(_PAGE_REFUSALS), error)
        posted["responses"] |= {
            "403": {"description": "The code lets nobody in; the page says so.", "content": _HTML},
            "410": {"description": "The study is closed; the page says so.", "content": _HTML},
            "422": {"description": "A report is missing; the page says which.", "content": _HTML},
        }
        fields = {"type": "object", "additionalProperties": {"type": "string"}}
        posted["requestBody"] = {"content": {"application/x-www-form-urlencoded": {"schema": fields}}}
        found[path]["post"] = posted
    style = _page_operation("get_pages_css", "The style of the pages.", (429, 500), error)
    style["responses"]["200"]["content"] = {"text/css": {"schema": {"type": "string"}}}
    return found | {"/pages.css": {"get": style}}


def add_pages(paths: dict[str, dict[str, Any]], error: dict[str, Any]) -> None:
    """Add all pages to a document's paths, and say where browsers get a page instead of JSON."""
    paths |= paths_of_pages(error)
    for path in _BOTH:
        paths[path]["get"]["responses"]["200"]["content"] |= _HTML


def _page_operation(name: str, words: str, statuses: tuple[int, ...], error: dict[str, Any]) -> dict[str, Any]:
    refused = {
        str(status): {"description": _PAGE_REFUSALS[status], "content": {"application/json": {"schema": error}}}
        for status in statuses
    }
    return {
        "operationId": name,
        "summary": words,
        "responses": {"200": {"description": "Done.", "content": dict(_HTML)}, **refused},
    }


_BASE64 = {"type": "string", "contentEncoding": "base64"}
_HEX_32 = {"type": "string", "pattern": HEX_32}
_TOKEN = {"type": "string", "minLength": 1, "maxLength": 200}


def _object(needed: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(needed), "additionalProperties": False}


_ERROR = _object(
    ("error",),
    error=_object(
        ("status", "rule", "parameter", "way_out"),
        status={"type": "integer"},
        rule={"type": "string"},
        parameter={"type": ["string", "null"]},
        way_out={"type": "string"},
    ),
)
_WORDS = {
    200: "Done.",
    400: "The body is no JSON of this shape.",
    401: "This is for whoever runs the study.",
    403: "The token or credential lets nobody in.",
    404: "No such report is kept.",
    409: "It does not fit what was sent before.",
    410: "The study is closed, or the report was withdrawn.",
    413: "The body is too large.",
    422: "What was sent is nothing that a device of this study sends.",
    429: "Too many requests came from this address.",
    500: "A bug of the server; nothing was acknowledged.",
    503: "It cannot be written at this moment; nothing was acknowledged. Send the same again.",
}
_SHOWN: dict[str, tuple[str, dict[str, Any]]] = {
    "/": ("What this is.", {"type": "object"}),
    "/study": ("What a device needs to answer.", {"type": "object"}),
    "/form": ("What a page needs to ask, and to draw reports on the device.", {"type": "object"}),
    "/certificate": ("What a report tells about an answer, with its proofs.", {"type": "object"}),
    "/credentials": ("The key that credentials are signed with.", {"type": "object"}),
    "/tally": ("What the reports say so far.", {"type": "object"}),
    "/live": ("How often each report was sent so far, from which pages estimate.", {"type": "object"}),
    "/health": ("Whether the process answers.", _object(("alive",), alive={"type": "boolean"})),
    "/openapi.json": ("This document.", {"type": "object"}),
}
# --- Routes for devices
# A setting decides who may see the dashboard.
_REFUSED = {"/live": (401,), "/tally": (401,)}


def _operation(
    name: str,
    words: str,
    statuses: tuple[int, ...],
    answer: dict[str, Any],
    *,
    body: dict[str, Any] | None = None,
    admin: bool = False,
    media: str = "application/json",
) -> dict[str, Any]:
    responses: dict[str, Any] = {
        str(status): {"description": _WORDS[status], "content": {"application/json": {"schema": _ERROR}}}
        for status in statuses
    }
    responses["200"] = {"description": _WORDS[200], "content": {media: {"schema": answer}}}
    found: dict[str, Any] = {"operationId": name, "summary": words, "responses": dict(sorted(responses.items()))}
    if body is not None:
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    if admin:
        found["security"] = [{"administrator": []}]
    return found


def openapi_document(collection: Collection) -> dict[str, Any]:
    """Return the document of a server of this collection: sizes and names of receivers are those of the study."""
    credential = _object(("nonce", "signature"), nonce=_HEX_32, signature=_BASE64)
    is_panel = collection.mode.value == "panel"
    admitted: dict[str, Any] = {"token": _TOKEN} if is_panel else {"credential": credential}
    row = {**_BASE64, "description": f"{collection.row_bytes} bytes"}
    bodies = {
        name: {**_BASE64, "description": f"{size} bytes, sealed to this receiver"}
        for name, size in collection.share_bytes.items()
    }
    shares = _object(tuple(collection.share_bytes), **bodies)
    report = _object(("id", "row", "shares", *admitted), id=_HEX_32, row=row, shares=shares, **admitted)
    whom: dict[str, Any] = {"secret": _HEX_32}
    if is_panel:
        whom |= {"token": _TOKEN, "panel": {"type": "string", "pattern": HEX_16}}
    kept = _object(("id", "kept"), id=_HEX_32, kept={"type": "boolean"})
    posted = (400, 403, 409, 410, 413, 422, 429, 500, 503)
    paths: dict[str, dict[str, Any]] = {
        path: {
            "get": _operation(
                "get" + path.replace("/", "_").replace(".", "_"),
                words,
                (*_REFUSED.get(path, ()), 429, 500, 503),
                answer,
            )
        }
        for path, (words, answer) in _SHOWN.items()
    }
    paths["/credentials"]["post"] = _operation(
        "issue_credential",
        "Spend a token for a blind signature (RFC 9474). The same again gives the same signature.",
        posted,
        _object(("signature",), signature=_BASE64),
        body=_object(("token", "blinded"), token=_TOKEN, blinded=_BASE64),
    )
    paths["/reports"] = {
        "post": _operation(
            "take_report",
            "Keep a report. What is answered with 200 is on disk; the id is the key by which it is kept once.",
            posted,
            kept,
            body=report,
        )
    }
    paths["/withdrawals"] = {
        "post": _operation(
            "withdraw",
            "Withdraw a report, by the secret whose hash its id is; it leaves the views when the next batch is shown.",
            (400, 401, 403, 404, 409, 410, 413, 422, 429, 500, 503),
            _object(("withdrawn",), withdrawn={"type": "boolean"}),
            body={**_object((), **whom), "minProperties": 1, "maxProperties": 1},
        )
    }
    paths["/close"] = {
        "post": _operation(
            "close",
            "Take no more reports, and show all.",
            (401, 429, 500, 503),
            _object(
                ("closed", "reports", "note"),
                closed={"type": "boolean"},
                reports={"type": "integer"},
                note={"type": ["string", "null"]},
            ),
            admin=True,
        )
    }
    paths["/export"] = {
        "get": _operation(
            "export",
            "The reports that are shown, as a part that the ordinary verbs read.",
            (401, 409, 422, 429, 500, 503),
            {"type": "string", "format": "binary"},
            admin=True,
            media="application/zip",
        )
    }
    ready = _object(("ready", "open"), ready={"type": "boolean"}, open={"type": "boolean"})
    paths["/ready"] = {"get": _operation("ready", "Whether reports are taken.", (500, 503), ready)}
    paths["/metrics"] = {
        "get": _operation(
            "metrics", "Figures for Prometheus.", (401, 429, 500), {"type": "string"}, admin=True, media="text/plain"
        )
    }
    paths["/certificate"]["get"] |= {
        "parameters": [
            {
                "name": "question",
                "in": "query",
                "required": False,
                "description": "The question whose sealed certificate is wanted, as `sfumato verify` reads it.",
                "schema": {"type": "string", "enum": list(collection.handlers)},
            }
        ]
    }
    absent = {"description": "No such question.", "content": {"application/json": {"schema": _ERROR}}}
    paths["/certificate"]["get"]["responses"]["404"] = absent
    paths |= {
        f"/{name}": {
            "get": _operation(
                f"get_{name.replace('.', '_')}",
                "A script of the pages.",
                (429, 500),
                {"type": "string"},
                media="text/javascript",
            )
        }
        for name in SCRIPTS
    }
    add_pages(paths, _ERROR)
    paths |= desk_paths(_operation, _object)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Sfumato collection server",
            "version": __version__,
            "description": "Receives reports that were randomised on the device that sends them.",
        },
        "paths": dict(sorted(paths.items())),
        "components": {"securitySchemes": {"administrator": {"type": "http", "scheme": "bearer"}}},
    }
