"""Handlers of the JSON routes."""

from __future__ import annotations

import asyncio
import hmac
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

from sfumato import __version__
from sfumato.server.admission import hash_token, not_admitted, panel_credential
from sfumato.server.openapi import openapi_document
from sfumato.server.requests import CredentialRequest, Problem, ReportBody, WithdrawalBody, body_of, read_body, unhex
from sfumato.server.service import MEDIA_TYPE, CollectionServer
from sfumato.server.store_base import Closing, Issue, Outcome, Spending, Store, StoreFailed
from sfumato.study.collection import Receiver, StoredRow, report_id

# --- Routes of the administrator: close a study, and download what was collected


def check_admin(server: CollectionServer, request: Request) -> None:
    """Refuse requests without the administrator's token."""
    if not server.is_admin(request.headers.get("authorization", "")):
        server.failures.check(request.client.host if request.client else "")
        raise _not_for_you("the token of the first start")


def check_watcher(server: CollectionServer, request: Request) -> None:
    """Refuse requests that may not see the metrics."""
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
        with suppress(StoreFailed):  # a reader is active: it is closed, and can be written anew later
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


# --- Routes of those who watch a running study
# The administrator sees everything, a reader the tally and their own shares. A reader's token opens no reports, which
# takes the reader's private key; it restricts access to rows and sealed bodies.


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
    """Refuse requests that may not see live numbers."""
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


_SMALL_BODY = 16_384


def _json(document: object, status: HTTPStatus = HTTPStatus.OK) -> Response:
    return Response(msgspec.json.encode(document), status_code=status, media_type="application/json")


def _sent(document: bytes) -> Response:
    return Response(document, media_type="application/json")


async def about(server: CollectionServer, request: Request) -> Response:
    """What this is."""
    del request
    state = await server.state()
    return _json(
        {
            "what": "A collection server of Sfumato. Reports are randomised on the device that sends them.",
            "version": __version__,
            "study": server.collection.study.name,
            "fingerprint": server.collection.fingerprint,
            "mode": state.mode,
            "wave": state.wave,
            "open": not state.closed,
            "paths": "/openapi.json",
        }
    )


async def study(server: CollectionServer, request: Request) -> Response:
    """What a device needs to answer."""
    del request
    return _sent(server.study_json)


async def form(server: CollectionServer, request: Request) -> Response:
    """What a page needs to ask and to draw."""
    del request
    return _sent(await server.form())


async def certificate(server: CollectionServer, request: Request) -> Response:
    """What a report discloses about an answer, with its proofs; of one question the sealed file itself."""
    question = request.query_params.get("question")
    if question is None:
        return _sent(await server.certificate())
    found = (await server.certificates()).get(question)
    if found is None:
        raise Problem(
            HTTPStatus.NOT_FOUND,
            "is none of this study",
            parameter="question",
            way_out="GET /study lists the questions.",
        )
    return _sent(found.encode())


async def credential_key(server: CollectionServer, request: Request) -> Response:
    """The key that credentials are signed with; in a panel there is none."""
    del request
    known = {} if server.signing is None else server.signing.document
    return _json({"schema": "sfumato/credential-key/1", "mode": server.collection.mode, **known})


async def issue_credential(server: CollectionServer, request: Request) -> Response:
    """Spend a token for a blind signature; the same token and the same blinded number give the same signature."""
    signing = server.signing
    if signing is None:
        raise Problem(
            HTTPStatus.CONFLICT, "a panel has no credentials", way_out="Send the token with the report itself."
        )
    given = read_body(CredentialRequest, await body_of(request, _SMALL_BODY))
    token, blinded = hash_token(given.token), signing.hash_blinded(given.blinded)
    known = await server.read(lambda store: store.invitation(token))
    if known is None:
        server.metrics.credentials[Issue.UNKNOWN_TOKEN] += 1
        raise not_admitted("token")
    signature = known.signature
    if signature is None or known.blinded != blinded:
        if signature is None:  # signing costs time; only unspent tokens get this far
            signature = await asyncio.to_thread(signing.sign, given.blinded)
        spent = await server.writer.spend(Spending(token=token, blinded=blinded, signature=signature))
        server.metrics.credentials[spent.outcome] += 1
        if spent.signature is None:
            raise _told(_UNSPENT[spent.outcome])
        signature = spent.signature
    return _json({"signature": signature})


async def take_report(server: CollectionServer, request: Request) -> Response:
    """Keep a report. What is answered with 200 is on disk, and the same again gets the same answer."""
    given = read_body(ReportBody, await body_of(request, server.body_limit))
    collection = server.collection
    collection.unpack_row(given.row)
    shares = collection.join_shares(given.shares)
    credential, panel = await _admitted(server, given)
    row = StoredRow(
        id=unhex(given.id), credential=credential, row=given.row, shares=shares, panel=panel, wave=collection.wave
    )
    outcome = await server.writer.add(row)
    server.metrics.reports[outcome] += 1
    if outcome in _KEPT:
        return _json({"id": given.id, "kept": True})
    raise _told(_NOT_KEPT[outcome])


async def _admitted(server: CollectionServer, given: ReportBody) -> tuple[bytes, bytes | None]:
    if server.signing is not None:
        if given.credential is None or given.token is not None:
            raise Problem(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                "must be there, and no token, in anonymous mode",
                parameter="credential",
                way_out="Spend the token at POST /credentials first. It never goes with a report.",
            )
        return server.signing.verify(unhex(given.credential.nonce), given.credential.signature), None
    if given.token is None or given.credential is not None:
        raise Problem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "must be there, and no credential, in a panel",
            parameter="token",
            way_out="Send the token of the invitation.",
        )
    token = hash_token(given.token)
    return panel_credential(token, server.collection.wave), await _pseudonym(server, token)


async def _pseudonym(server: CollectionServer, token: bytes) -> bytes | None:
    if token not in server.pseudonyms:
        known = await server.read(lambda store: store.invitation(token))
        if known is None:
            raise not_admitted("token")
        server.pseudonyms[token] = known.panel
    return server.pseudonyms[token]


async def withdraw(server: CollectionServer, request: Request) -> Response:
    """Withdraw a report, by the device's secret; in a panel all of a person, by the token or by the office.

    It is acknowledged at once. What readers see already leaves their views when the next batch is shown.
    """
    given = read_body(WithdrawalBody, await body_of(request, _SMALL_BODY))
    if sum(one is not None for one in (given.secret, given.token, given.panel)) != 1:
        raise Problem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "must hold one of secret, token and panel",
            parameter="body",
            way_out="Send the secret that the device kept.",
        )
    if given.secret is not None:
        report = report_id(unhex(given.secret))
        gone = await server.writer.act(lambda store: store.withdraw(report))
    else:
        panel = await _panel_of(server, request, given)
        gone = await server.writer.act(lambda store: store.withdraw_panel(panel))
    if gone is None:
        raise Problem(HTTPStatus.NOT_FOUND, "no such report is kept", way_out="Check that it was sent to this server.")
    server.metrics.withdrawals += gone
    return _json({"withdrawn": True})


async def _panel_of(server: CollectionServer, request: Request, given: WithdrawalBody) -> bytes:
    if not server.is_panel:
        raise Problem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "finds no report in anonymous mode",
            parameter="token" if given.panel is None else "panel",
            way_out="Only the secret that the device kept does.",
        )
    if given.panel is not None:
        check_admin(server, request)
        return unhex(given.panel)
    panel = await _pseudonym(server, hash_token(given.token or ""))
    if panel is None:
        raise not_admitted("token")
    return panel


async def tally(server: CollectionServer, request: Request) -> Response:
    """What the reports say so far."""
    check_viewer(server, request)
    return _sent(await server.tally())


async def live(server: CollectionServer, request: Request) -> Response:
    """How often each report was sent so far: pages estimate from that themselves, however many look."""
    check_viewer(server, request)
    return _sent(await server.live())


async def health(server: CollectionServer, request: Request) -> Response:
    """Whether the process answers."""
    del server, request
    return _json({"alive": True})


async def ready(server: CollectionServer, request: Request) -> Response:
    """Whether reports are taken: every writer is alive, and the database answers."""
    del request
    if not server.writer.is_ready:
        raise _not_ready("the writer does not write")
    try:
        state = await server.state()
    except Exception:  # noqa: BLE001  whatever it is, it is not ready
        raise _not_ready("the database does not answer") from None
    return _json({"ready": True, "open": not state.closed})


async def metrics(server: CollectionServer, request: Request) -> Response:
    """Figures about the server as a whole; restricted, because they show when each report comes."""
    check_watcher(server, request)
    return Response(server.metrics.text(server.writer), media_type=MEDIA_TYPE)


async def openapi(server: CollectionServer, request: Request) -> Response:
    """This list, for machines."""
    del request
    return _json(openapi_document(server.collection))


def _not_ready(why: str) -> Problem:
    return Problem(
        HTTPStatus.SERVICE_UNAVAILABLE, why, way_out="Send the same again in a while.", headers={"Retry-After": "2"}
    )


_KEPT = {Outcome.NEW, Outcome.SAME}
# Refusals where nothing is kept: status, rule, parameter, way out.
_CLOSED = (HTTPStatus.GONE, "the study is closed, and takes nothing new", None, "There is nothing to do.")
_NOT_KEPT = {
    Outcome.OTHER_BODY: (
        HTTPStatus.CONFLICT,
        "is that of another report",
        "id",
        "Send the same report again, or nothing: this id is taken.",
    ),
    Outcome.USED_CREDENTIAL: (
        HTTPStatus.CONFLICT,
        "let another report in before",
        "credential",
        "There is nothing to do: one report is kept.",
    ),
    Outcome.WITHDRAWN: (HTTPStatus.GONE, "was withdrawn", "report", "There is nothing to do. A token is spent once."),
    Outcome.CLOSED: _CLOSED,
}
_UNSPENT = {
    Issue.UNKNOWN_TOKEN: (HTTPStatus.FORBIDDEN, "lets nobody in", "token", "Use the one of the invitation."),
    Issue.OTHER_NONCE: (
        HTTPStatus.CONFLICT,
        "was spent before, for another credential",
        "token",
        "Use the device on which it was spent.",
    ),
    Issue.CLOSED: _CLOSED,
}


def _told(answer: tuple[HTTPStatus, str, str | None, str]) -> Problem:
    status, rule, parameter, way_out = answer
    return Problem(status, rule, parameter=parameter, way_out=way_out)
