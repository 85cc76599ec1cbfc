"""Who may look while a study runs: the administrator at everything, a reader at the tally and at their own shares.

A reader's token lets nobody open anything, which takes the reader's private key; it keeps rows and sealed bodies from
whoever has no business with them.
"""

from __future__ import annotations

import hmac
from http import HTTPStatus

from starlette.requests import Request

from sfumato.study.collections import Receiver
from sfumato.web.collecting import CollectionServer
from sfumato.web.problems import Problem


def reader_of(server: CollectionServer, request: Request) -> Receiver | None:
    """Return whose token a request says; all are compared, in constant time."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    found = None
    for receiver in server.collection.receivers:
        known = server.reader_token(receiver.name)
        if hmac.compare_digest(given.strip().encode("utf-8", "replace"), known.encode()) and scheme.lower() == "bearer":
            found = receiver
    return found


def check_viewer(server: CollectionServer, request: Request) -> None:
    """Refuse whoever may not see live numbers."""
    if server.settings.dashboard == "public" or server.is_admin(request.headers.get("authorization", "")):
        return
    if reader_of(server, request) is None:
        _count_try(server, request)
        raise Problem(
            HTTPStatus.UNAUTHORIZED,
            "is for whoever runs the study, and for its readers",
            parameter="authorization",
            way_out="Send the header: Authorization: Bearer TOKEN, with the administrator's token or a reader's; or "
            "serve with the setting dashboard=public.",
            headers={"WWW-Authenticate": "Bearer"},
        )


def check_reader(server: CollectionServer, request: Request) -> Receiver:
    """Return whose shares are asked for: a reader's own, or of the one whom the administrator names."""
    own = reader_of(server, request)
    asked = request.query_params.get("receiver")
    if own is not None and asked in {None, own.name}:
        return own
    if server.is_admin(request.headers.get("authorization", "")):
        found = next((one for one in server.collection.receivers if one.name == asked), None)
        if found is not None:
            return found
        names = ", ".join(one.name for one in server.collection.receivers) or "nobody"
        raise Problem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"must be one of those who receive shares: {names}",
            parameter="receiver",
            way_out="Ask for /shares?receiver=NAME.",
        )
    _count_try(server, request)
    raise Problem(
        HTTPStatus.UNAUTHORIZED,
        "is for the reader whose shares these are",
        parameter="authorization",
        way_out="Send the header: Authorization: Bearer TOKEN, with the token that the administrator gave you.",
        headers={"WWW-Authenticate": "Bearer"},
    )


def _count_try(server: CollectionServer, request: Request) -> None:
    """Refuse an address that guesses tokens; who says none at all guesses nothing."""
    if "authorization" in request.headers:
        server.failures.check(request.client.host if request.client else "")
