"""The style of the server's pages: what all pages of the software share, and what these add."""

from __future__ import annotations

import base64
import functools
import hashlib
from importlib import resources

from sfumato.render.page_style import shared_style

STYLE_PATH = "/pages.css"


@functools.cache
def style_sheet() -> bytes:
    """Return the whole style."""
    own = resources.files("sfumato.web").joinpath("static", "pages.css").read_text("utf-8")
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
