"""What the OpenAPI document says of pages: they are HTML for people, and forms that such pages send."""

from __future__ import annotations

from typing import Any

_HTML = {"text/html": {"schema": {"type": "string"}}}
_REFUSED = {
    400: "The body is no form.",
    404: "The study has no such page.",
    413: "The body is too large.",
    429: "Too many requests came from this address.",
    500: "A bug of the server; nothing was acknowledged.",
    503: "It cannot be written at this moment; nothing was acknowledged.",
}
# Where people and machines meet at one address.
_BOTH = ("/", "/certificate")
_SHOWN = {
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
        path: {"get": _operation("get" + path.replace("/", "_"), words, statuses, error)}
        for path, (words, statuses) in _SHOWN.items()
    }
    for path, (name, words) in _SENT.items():
        posted = _operation(name, words, tuple(_REFUSED), error)
        posted["responses"] |= {
            "403": {"description": "The code lets nobody in; the page says so.", "content": _HTML},
            "410": {"description": "The study is closed; the page says so.", "content": _HTML},
            "422": {"description": "A report is missing; the page says which.", "content": _HTML},
        }
        fields = {"type": "object", "additionalProperties": {"type": "string"}}
        posted["requestBody"] = {"content": {"application/x-www-form-urlencoded": {"schema": fields}}}
        found[path]["post"] = posted
    style = _operation("get_pages_css", "The style of the pages.", (429, 500), error)
    style["responses"]["200"]["content"] = {"text/css": {"schema": {"type": "string"}}}
    return found | {"/pages.css": {"get": style}}


def add_pages(paths: dict[str, dict[str, Any]], error: dict[str, Any]) -> None:
    """Add all pages to a document's paths, and say where browsers get a page instead of JSON."""
    paths |= paths_of_pages(error)
    for path in _BOTH:
        paths[path]["get"]["responses"]["200"]["content"] |= _HTML


def _operation(name: str, words: str, statuses: tuple[int, ...], error: dict[str, Any]) -> dict[str, Any]:
    refused = {
        str(status): {"description": _REFUSED[status], "content": {"application/json": {"schema": error}}}
        for status in statuses
    }
    return {
        "operationId": name,
        "summary": words,
        "responses": {"200": {"description": "Done.", "content": dict(_HTML)}, **refused},
    }
