"""What the pages of whoever runs a study ask for: how much there is, and new invitations."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from sfumato.web.admin_handlers import check_admin
from sfumato.web.bodies import InvitationBody, read_body
from sfumato.web.collecting import CollectionServer
from sfumato.web.credentials import check_link, invite_link
from sfumato.web.desk_pages.admin import MOST_CODES, admin_page
from sfumato.web.desk_pages.dashboard import dashboard_page
from sfumato.web.desk_pages.layout import desk_style, style_version
from sfumato.web.invitations import DrawnInvitation, drawn_invitations, qr_svg
from sfumato.web.limits import body_of
from sfumato.web.problems import Problem
from sfumato.web.readers import check_reader

_SMALL_BODY = 16_384


async def dashboard(server: CollectionServer, request: Request) -> Response:
    """The dashboard, for whoever may see live numbers; the numbers are fetched by it."""
    del request
    return dashboard_page(server.collection, server.settings)


async def admin(server: CollectionServer, request: Request) -> Response:
    """The desk of whoever runs the study; everything on it is fetched with their token."""
    del request
    return admin_page(server.collection)


async def style(server: CollectionServer, request: Request) -> Response:
    """The style of the dashboard and the desk."""
    del server
    is_named = request.scope["query_string"].decode("latin-1") == style_version()
    kept = "public, max-age=31536000, immutable" if is_named else "no-cache"
    return Response(desk_style(), media_type="text/css", headers={"Cache-Control": kept})


async def counts(server: CollectionServer, request: Request) -> Response:
    """How much is kept, and the tokens of readers."""
    check_admin(server, request)
    known, state = await server.read(lambda store: (store.counts(), store.state()))
    return _json(
        {
            "reports": known.reports,
            "invited": known.invited,
            "spent": known.spent,
            "withdrawn": known.withdrawn,
            "open": state is not None and not state.closed,
            "mode": server.collection.mode.value,
            "wave": server.collection.wave,
            "fingerprint": server.collection.fingerprint,
            "least_reports": server.settings.tally_reports,
            "readers": [
                {"name": one.name, "token": server.reader_token(one.name)} for one in server.collection.receivers
            ],
        }
    )


async def invite(server: CollectionServer, request: Request) -> Response:
    """Let people in. Their tokens are in the answer and nowhere else."""
    check_admin(server, request)
    given = read_body(InvitationBody, await body_of(request, _SMALL_BODY))
    check_link(given.link)
    if given.codes and (given.link is None or given.count > MOST_CODES):
        raise Problem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"need the address of the server, and are drawn for at most {MOST_CODES} people at once",
            parameter="codes",
            way_out="Say `link`, and invite fewer at a time.",
        )
    drawn = await asyncio.to_thread(drawn_invitations, given.count, is_panel=server.is_panel)
    await server.writer.act(lambda store: store.invite([one.known for one in drawn]))
    made = await asyncio.to_thread(_shown, drawn, given, server)
    return _json({"schema": "sfumato/invitations/1", "invitations": made})


def _shown(drawn: tuple[DrawnInvitation, ...], given: InvitationBody, server: CollectionServer) -> list[dict[str, Any]]:
    fingerprint = server.collection.fingerprint
    key = None if server.signing is None else server.signing.document["key_digest"]
    made = []
    for one in drawn:
        found: dict[str, Any] = {"token": one.shown}
        if given.link is not None:
            found["link"] = invite_link(given.link, one.token, fingerprint, key)
        if given.codes:
            found["code"] = qr_svg(found["link"])
        if one.panel is not None:
            found["panel"] = one.panel
        made.append(found)
    return made


async def shares(server: CollectionServer, request: Request) -> Response:
    """Rows and sealed bodies of one reader, for their own browser."""
    receiver = check_reader(server, request)
    return Response(await server.feeds.of(receiver), media_type="application/octet-stream")


def _json(document: object) -> Response:
    return Response(msgspec.json.encode(document), media_type="application/json")
