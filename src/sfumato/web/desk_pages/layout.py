"""What the dashboard and the desk share: head and foot, their style, and headers that let nothing in or out.

There is no inline script and no inline style. What a script needs to know stands in the page as JSON, which never
runs.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from typing import Any

from starlette.responses import Response

from sfumato.printing import printable_lines
from sfumato.render.page_style import shared_style
from sfumato.web.static_files import integrity, script_url

STYLE_PATH = "/desk.css"
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "worker-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "form-action": "'none'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
"""What a page may load and send: only from here, and only to here."""
_HEADERS = {"Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin"}


@functools.cache
def desk_style() -> bytes:
    """Return the style of these pages."""
    own = resources.files("sfumato.web").joinpath("static", "desk.css").read_text("utf-8")
    return f"{shared_style()}\n{own}".encode()


@functools.cache
def style_version() -> str:
    """Return a part of its hash: an address with it never changes what it means."""
    return hashlib.sha384(desk_style()).hexdigest()[:16]


def desk_page(
    title: str, main: str, script: str, data: Mapping[str, Any], links: Sequence[tuple[str, str]] = ()
) -> Response:
    """Return a page with one script, which reads `data`; `main` is HTML, `title` and the words of `links` are text."""
    style_hash = base64.b64encode(hashlib.sha384(desk_style()).digest()).decode()
    foot = "".join(f'<a href="{escape(address)}">{escape(words)}</a>' for address, words in links)
    held = json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    page = printable_lines(f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
<title>{escape(title)}</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="{STYLE_PATH}?{style_version()}" integrity="sha384-{style_hash}" crossorigin="anonymous">
<script defer src="{script_url(script)}" integrity="{integrity(script)}" crossorigin="anonymous"></script></head>
<body class="desk"><a class="skip" href="#main">Skip to the content</a>
<header class="bar"><span class="brand" aria-hidden="true">sfumato</span></header>
<main id="main" tabindex="-1">{main}</main>
<footer><p class="links">{foot}</p></footer>
<script type="application/json" id="page-data">{held}</script>
</body></html>
""")
    policy = "; ".join(f"{name} {value}" for name, value in POLICY.items())
    return Response(page, media_type="text/html", headers={"Content-Security-Policy": policy, **_HEADERS})
