"""What the pages of the server share: layout, messages, style and scripts.

A page loads only from its own server. There is no inline script and no inline style. Data for the script is in the page
as JSON, which is not executed.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from sfumato.display.pages import shared_style
from sfumato.errors import printable_lines
from sfumato.server.service import CollectionServer

# --- Style: the shared style of all pages, and additions for the server's


STYLE_PATH = "/pages.css"


@functools.cache
def style_sheet() -> bytes:
    """Return the whole style."""
    own = resources.files("sfumato.server").joinpath("static", "pages.css").read_text("utf-8")
    return f"{shared_style()}\n{own}".encode()


@functools.cache
def style_integrity() -> str:
    """Return its hash as pages name it."""
    return f"sha384-{base64.b64encode(hashlib.sha384(style_sheet()).digest()).decode()}"


@functools.cache
def style_version() -> str:
    """Return a part of its hash: an address with it never changes what it means."""
    return hashlib.sha384(style_sheet()).hexdigest()[:16]


def style_url() -> str:
    """Return its address."""
    return f"{STYLE_PATH}?{style_version()}"


# --- Messages in every language: one file each in `messages/`, with the same keys
# A language is chosen by the switch on the page, which is in the address (`?lang=de`), or else by the browser's
# preference. Nothing is stored, so no cookie is needed.


LANGUAGES = ("en", "de")
"""The languages, the first of which is spoken to whoever asks for none of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """The messages of one language, by table and key; `is_chosen` says that the reader chose it on a page.

    >>> messages_in("de")("ask.next")
    'Weiter'
    >>> messages_in("en")("ask.place", place=2, count=7)
    'Question 2 of 7'
    """

    language: str
    texts: Mapping[str, str]
    is_chosen: bool = False

    def __call__(self, key: str, **names: object) -> str:
        """Return a message with its names filled in. It is text: the caller escapes it for a page."""
        text = self.texts[key]
        return text.format(**names) if names else text

    def path(self, path: str) -> str:
        """Return an address in this language, if it was chosen; else browsers ask for it by themselves."""
        if not self.is_chosen:
            return path
        return f"{path}{'&' if '?' in path else '?'}lang={self.language}"


@functools.cache
def _texts(language: str) -> Mapping[str, str]:
    source = resources.files("sfumato.server").joinpath("messages", f"{language}.toml").read_text("utf-8")
    return {f"{table}.{key}": text for table, found in tomllib.loads(source).items() for key, text in found.items()}


def messages_in(language: str, *, is_chosen: bool = False) -> Messages:
    """Return the messages of a language that there is."""
    return Messages(language=language, texts=_texts(language), is_chosen=is_chosen)


def messages_for(chosen: str | None, accepted: str) -> Messages:
    """Return the messages for a reader: in the language that was chosen, or the one that the browser likes best.

    >>> messages_for(None, "fr, de-AT;q=0.8, en;q=0.5").language
    'de'
    """
    if chosen in LANGUAGES:
        return messages_in(str(chosen), is_chosen=True)
    wished: list[tuple[float, int, str]] = []
    for place, part in enumerate(accepted[:1000].split(",")):
        name, _, rest = part.strip().partition(";")
        language = name.strip().lower().partition("-")[0]
        if language in LANGUAGES:
            wished.append((-_quality(rest), place, language))
    best = min(wished, default=(0.0, 0, LANGUAGES[0]))
    return messages_in(best[2] if best[0] < 0 or not wished else LANGUAGES[0])


def _quality(text: str) -> float:
    name, _, value = text.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        found = float(value)
    except ValueError:
        return 0.0
    return found if 0 <= found <= 1 else 0.0


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
    """Return a page. `main` is HTML; `title` is text without any answer, the same for all respondents.

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


# --- Scripts: files of this package, built from `browser/` and served unchanged
# A page names the hash of its script (`integrity`), and a browser refuses a script with another hash. An address with
# the hash in it always means the same file, so browsers may cache it without limit.


SCRIPTS = ("admin.js", "dashboard.js", "estimates_worker.js", "reader_worker.js", "respond.js")
"""What is built and served, each under its own name."""
_KEPT = "public, max-age=31536000, immutable"
_ASKED_AGAIN = "no-cache"


@functools.cache
def script(name: str) -> bytes:
    """Return a script as it was built."""
    return resources.files("sfumato.server").joinpath("static", name).read_bytes()


@functools.cache
def integrity(name: str) -> str:
    """Return the hash of a script as pages name it, and as `sfumato serve` prints it."""
    return f"sha384-{base64.b64encode(hashlib.sha384(script(name)).digest()).decode()}"


@functools.cache
def script_url(name: str) -> str:
    """Return the address of a script with a part of its hash."""
    return f"/{name}?{_version(name)}"


async def serve_script(server: CollectionServer, request: Request) -> Response:
    """Send the script of this path."""
    del server
    name = request.scope["path"].removeprefix("/")
    is_named = request.scope["query_string"].decode("latin-1") == _version(name)
    kept = _KEPT if is_named else _ASKED_AGAIN
    return Response(script(name), media_type="text/javascript", headers={"Cache-Control": kept})


def _version(name: str) -> str:
    return hashlib.sha384(script(name)).hexdigest()[:16]
