"""The routes of the collection server.

Every answer is JSON except the export, the metrics, the pages and the scripts. Refusals have the shape of
`requests.py`. Errors are logged by their type and place in the code alone, because a message could quote a request.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Awaitable, Callable

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from sfumato.errors import SfumatoError
from sfumato.server import (
    admin_pages as desk_handlers,
)
from sfumato.server import (
    api as admin_handlers,
)
from sfumato.server import (
    api as handlers,
)
from sfumato.server import (
    page_parts as static_files,
)
from sfumato.server import (
    pages as page_handlers,
)
from sfumato.server.requests import Problem, a_bug, not_found, problem_of, wrong_method
from sfumato.server.service import CollectionServer

Handler = Callable[[CollectionServer, Request], Awaitable[Response]]
LOG = logging.getLogger("sfumato.server")

ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "/", page_handlers.front),
    ("GET", "/study", handlers.study),
    ("GET", "/form", handlers.form),
    ("GET", "/respond.js", static_files.serve_script),
    ("GET", "/certificate", page_handlers.certificate),
    ("GET", "/paper", page_handlers.paper),
    ("POST", "/paper", page_handlers.take_typed),
    ("GET", "/paper/office", page_handlers.office),
    ("POST", "/paper/office", page_handlers.take_sheet),
    ("GET", "/pages.css", page_handlers.style),
    ("GET", "/dashboard", desk_handlers.dashboard),
    ("GET", "/admin", desk_handlers.admin),
    ("GET", "/admin.js", static_files.serve_script),
    ("GET", "/dashboard.js", static_files.serve_script),
    ("GET", "/estimates_worker.js", static_files.serve_script),
    ("GET", "/reader_worker.js", static_files.serve_script),
    ("GET", "/desk.css", desk_handlers.style),
    ("GET", "/credentials", handlers.credential_key),
    ("POST", "/credentials", handlers.issue_credential),
    ("POST", "/reports", handlers.take_report),
    ("POST", "/withdrawals", handlers.withdraw),
    ("GET", "/tally", handlers.tally),
    ("GET", "/live", handlers.live),
    ("POST", "/close", admin_handlers.close),
    ("GET", "/export", admin_handlers.export),
    ("GET", "/counts", desk_handlers.counts),
    ("POST", "/invitations", desk_handlers.invite),
    ("GET", "/shares", desk_handlers.shares),
    ("GET", "/health", handlers.health),
    ("GET", "/ready", handlers.ready),
    ("GET", "/metrics", handlers.metrics),
    ("GET", "/openapi.json", handlers.openapi),
)
# These are requested by monitoring, and are answered under any load.
_UNLIMITED = {"/health", "/ready"}
_PATHS = {path for _, path, _ in ROUTES}
_NOT_KEPT = (b"cache-control", b"no-store")
_AS_SAID = (b"x-content-type-options", b"nosniff")


class CollectionApp:
    """The application of a server, as ASGI has it: a table of paths, and one guard around every handler.

    There is one level of paths and no parameters in them, so a dictionary finds the handler: a router of patterns and
    its layers would cost a report more time than everything else that is done for it here.
    """

    def __init__(self, server: CollectionServer) -> None:
        self._server = server
        self._handlers = {(method, path): handler for method, path, handler in ROUTES}
        self._handlers |= {("HEAD", path): handler for method, path, handler in ROUTES if method == "GET"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or start and stop with the process."""
        if scope["type"] == "http":
            request = Request(scope, receive)
            response = await self._answer(request)
            response.raw_headers.append(_AS_SAID)
            if "cache-control" not in response.headers:
                response.raw_headers.append(_NOT_KEPT)
            await response(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)

    async def _answer(self, request: Request) -> Response:
        """Turn whatever a handler gives or raises into an answer, and count it."""
        server, path = self._server, request.scope["path"]
        try:
            handler = self._handlers.get((request.scope["method"], path))
            if path not in _UNLIMITED:
                server.limit.check(request.client.host if request.client else "")
            response = await (_nothing(request) if handler is None else handler(server, request))
        except Problem as problem:
            response = problem.response()
        except SfumatoError as error:
            response = problem_of(error).response()
        except ClientDisconnect:
            response = Response(status_code=400)  # the client is gone
        except Exception as error:  # noqa: BLE001  whatever it is, no traceback and no message leaves
            response = _bug(error)
        # Paths that there are not may be anything, a secret too: they are counted together.
        server.metrics.requests[path if path in _PATHS else "other", response.status_code] += 1
        return response

    async def _live(self, receive: Receive, send: Send) -> None:
        """Begin to write when the process starts, and write what waits when it stops."""
        await receive()
        try:
            await self._server.start()
        except SfumatoError as error:
            await send({"type": "lifespan.startup.failed", "message": type(error).__name__})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._server.stop()
        await send({"type": "lifespan.shutdown.complete"})


async def _nothing(request: Request) -> Response:
    """Paths and methods that there are not."""
    allowed = [method for method, path, _ in ROUTES if path == request.scope["path"]]
    raise wrong_method(", ".join(allowed)) if allowed else not_found()


def _bug(error: Exception) -> Response:
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = f"{last[0].filename.rsplit('/', 1)[-1]}:{last[0].lineno}" if last else "unknown"
    LOG.error("a bug: %s at %s", type(error).__name__, where)
    return a_bug().response()
