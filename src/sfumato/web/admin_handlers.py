"""What whoever runs the study may ask for: close it, and fetch what was collected."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path

import msgspec
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from sfumato.web.collecting import CollectionServer
from sfumato.web.problems import Problem
from sfumato.web.stores import Closing, Store, StoreFailed


def check_admin(server: CollectionServer, request: Request) -> None:
    """Refuse whoever is not the administrator."""
    if not server.is_admin(request.headers.get("authorization", "")):
        server.failures.check(request.client.host if request.client else "")
        raise _not_for_you("the token of the first start")


def check_watcher(server: CollectionServer, request: Request) -> None:
    """Refuse whoever may not see the metrics."""
    if not server.may_watch(request.headers.get("authorization", "")):
        raise _not_for_you("the token of the first start, or the one that is set as metrics_token")


def _not_for_you(token: str) -> Problem:
    return Problem(
        HTTPStatus.UNAUTHORIZED,
        "is for whoever runs the study",
        parameter="authorization",
        way_out=f"Send the header: Authorization: Bearer TOKEN, with {token}.",
        headers={"WWW-Authenticate": "Bearer"},
    )


async def close(server: CollectionServer, request: Request) -> Response:
    """Take no more reports, show those that were not shown yet, and keep no order of them."""
    check_admin(server, request)

    def shut(store: Store) -> Closing:
        closing = store.close_wave()
        with suppress(StoreFailed):  # somebody reads at this moment: it is closed, and can be written anew later
            store.compact()
        return closing

    closing = await server.writer.act(shut)
    found = {"closed": True, "reports": closing.reports, "note": closing.note}
    return Response(msgspec.json.encode(found), media_type="application/json")


async def export(server: CollectionServer, request: Request) -> Response:
    """The reports that are shown, as a part that the ordinary verbs read, in one archive."""
    check_admin(server, request)
    await server.view()
    folder = Path(tempfile.mkdtemp(prefix="sfumato-export-"))
    try:
        archive = await server.apart(lambda store: _archive(server, store, folder))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return FileResponse(
        archive,
        media_type="application/zip",
        filename="export.zip",
        background=BackgroundTask(shutil.rmtree, folder, ignore_errors=True),
    )


def _archive(server: CollectionServer, store: Store, folder: Path) -> Path:
    out = folder / "export"
    server.steps.export(store, out)
    archive = folder / "export.zip"
    # Parquet is compressed already.
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as made:
        for path in sorted(out.rglob("*")):
            if path.is_file():
                # A date of its own would say when; this one says nothing.
                entry = zipfile.ZipInfo(path.relative_to(out).as_posix())
                with made.open(entry, "w", force_zip64=True) as target, path.open("rb") as source:
                    shutil.copyfileobj(source, target, 1 << 20)
    return archive
