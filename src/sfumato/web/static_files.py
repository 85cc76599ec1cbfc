"""The scripts that pages load: files of this package, built from `browser/` and served as they are.

A page names the hash of its script (`integrity`), and a browser that finds another one does not run it. An address
with the hash in it never changes what it means, so browsers may keep that for good.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from importlib import resources

from starlette.requests import Request
from starlette.responses import Response

from sfumato.web.collecting import CollectionServer

SCRIPTS = ("admin.js", "dashboard.js", "estimates_worker.js", "reader_worker.js", "respond.js")
"""What is built and served, each under its own name."""
_KEPT = "public, max-age=31536000, immutable"
_ASKED_AGAIN = "no-cache"


@functools.cache
def script(name: str) -> bytes:
    """Return a script as it was built."""
    return resources.files("sfumato.web").joinpath("static", name).read_bytes()


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
