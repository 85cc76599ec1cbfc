"""What all pages of the server share: head and foot, the switch of languages, and headers that let nothing in or out.

A page asks for nothing but its own server. There is no inline script and no inline style; what the script needs to
know stands in the page as JSON, which is data and never runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from starlette.responses import Response

from sfumato.printing import printable_lines
from sfumato.web.pages.page_messages import LANGUAGES, Messages, messages_in
from sfumato.web.pages.styles import style_integrity, style_url

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
"""What a page may load and send: only from here, and only to here."""
_ALWAYS = {
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Vary": "Accept, Accept-Language",
}


def whole_html(
    messages: Messages,
    *,
    title: str,
    main: str,
    path: str = "/",
    head: str = "",
    data: Mapping[str, Any] | None = None,
    links: Sequence[tuple[str, str]] = (),
) -> str:
    """Return a page. `main` is HTML; `title` is text, and the same for everybody: no answer ever stands in it.

    `path` is the page's own address, for the switch; `head` may hold scripts, `data` is what they read.
    """
    foot = "".join(f'<a href="{escape(address)}">{escape(text)}</a>' for address, text in links)
    held = "" if data is None else f'<script type="application/json" id="page-data">{_as_data(data)}</script>'
    return printable_lines(f"""<!doctype html>
<html lang="{messages.language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
<title>{escape(title)}</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="{style_url()}" integrity="{style_integrity()}" crossorigin="anonymous">{head}</head>
<body class="served"><a class="skip" href="#main">{escape(messages("page.skip"))}</a>
<header class="bar"><span class="brand" aria-hidden="true">sfumato</span>{_switch(messages, path)}</header>
<main id="main" tabindex="-1">{main}</main>
<footer><p>{escape(messages("page.made_by"))}</p>{f'<p class="links">{foot}</p>' if foot else ""}</footer>{held}
</body></html>
""")


def script_tag(address: str, integrity: str) -> str:
    """Return the tag of a script, which runs when the page is read and only if it is the one that is named."""
    return f'<script defer src="{escape(address)}" integrity="{escape(integrity)}" crossorigin="anonymous"></script>'


def html_response(
    page: str, status: int = 200, policy: Mapping[str, str] | None = None, language: str = LANGUAGES[0]
) -> Response:
    """Send a page with its policy; `policy` replaces what all pages have."""
    rules = POLICY if policy is None else policy
    headers = {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in rules.items()),
        "Content-Language": language,
        **_ALWAYS,
    }
    return Response(page, status_code=status, media_type="text/html", headers=headers)


def sentences(texts: Sequence[str], tag: str = "p") -> str:
    """Return each text in a tag of its own."""
    return "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts)


def section(anchor: str, title: str, inside: str, kind: str = "") -> str:
    """Return a part of a page under a heading, which names it."""
    named = f' class="{kind}"' if kind else ""
    return f'<section{named} aria-labelledby="{anchor}"><h2 id="{anchor}">{escape(title)}</h2>{inside}</section>'


def _switch(messages: Messages, path: str) -> str:
    items = []
    for one in LANGUAGES:
        name, address = messages_in(one)("language.name"), messages_in(one, is_chosen=True).path(path)
        current = ' aria-current="true"' if one == messages.language else ""
        items.append(f'<li><a href="{escape(address)}" lang="{one}" hreflang="{one}"{current}>{escape(name)}</a></li>')
    return f'<nav aria-label="{escape(messages("language.choose"))}"><ul class="switch">{"".join(items)}</ul></nav>'


def _as_data(data: Mapping[str, Any]) -> str:
    """Spell JSON so that nothing in it ends the element that it stands in."""
    return json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
