"""What browsers get: the study's pages, where machines get JSON at the same address; and the form without a script."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import parse_qs
from weakref import WeakKeyDictionary

from starlette.requests import Request
from starlette.responses import Response

from sfumato.study.collect_terms import Paper
from sfumato.study.collections import ID_BYTES, SECRET_BYTES, report_id
from sfumato.web import handlers
from sfumato.web.admissions import NotAdmitted, hash_token, not_admitted, panel_credential
from sfumato.web.collecting import CollectionServer
from sfumato.web.limits import body_of
from sfumato.web.pages.certificate_pages import PROOF_POLICY
from sfumato.web.pages.layout import POLICY, html_response
from sfumato.web.pages.page_messages import Messages, messages_for
from sfumato.web.pages.paper import closed_page, office_page, paper_page, paper_thanks
from sfumato.web.pages.paper_forms import LEFT_OUT, PaperForm, Typed
from sfumato.web.pages.study_pages import StudyPages
from sfumato.web.pages.styles import style_sheet, style_version
from sfumato.web.problems import Problem, not_found
from sfumato.web.stores import Issue, Outcome, Spending, StoredRow

_MOST_FORM_BYTES = 65_536
_KEPT = "public, max-age=31536000, immutable"
_PAGES: WeakKeyDictionary[CollectionServer, StudyPages] = WeakKeyDictionary()


def is_for_people(request: Request) -> bool:
    """Whether a browser asks, which shows pages; machines ask for JSON, or for anything."""
    return "text/html" in request.headers.get("accept", "")


def messages_of(request: Request) -> Messages:
    """Return the messages for whoever asks."""
    return messages_for(request.query_params.get("lang"), request.headers.get("accept-language", ""))


def pages_of(server: CollectionServer) -> StudyPages:
    """Return the pages of a server's study, of which it works out only what is asked for."""
    if server not in _PAGES:
        _PAGES[server] = StudyPages(server.collection, wait_seconds=server.settings.wait_seconds)
    return _PAGES[server]


async def front(server: CollectionServer, request: Request) -> Response:
    """What this is: the study's first page for people, a document for machines."""
    if not is_for_people(request):
        return await handlers.about(server, request)
    messages, state = messages_of(request), await server.state()
    page = await asyncio.to_thread(pages_of(server).welcome, messages, is_open=not state.closed)
    # Its forms are heard by the script; if ever one was not, no answer may go anywhere by it.
    return html_response(page, policy={**POLICY, "form-action": "'none'"}, language=messages.language)


async def certificate(server: CollectionServer, request: Request) -> Response:
    """What a report tells about an answer: in plain words for people, with its proofs for machines."""
    if not is_for_people(request):
        return await handlers.certificate(server, request)
    asked = request.query_params.get("question")
    if asked is not None:
        found = await asyncio.to_thread(pages_of(server).proofs, asked)
        if found is None:
            raise not_found()
        return html_response(found, policy=PROOF_POLICY)
    messages = messages_of(request)
    page = await asyncio.to_thread(pages_of(server).certificate, messages)
    return html_response(page, language=messages.language)


async def style(server: CollectionServer, request: Request) -> Response:
    """The style of the pages."""
    del server
    is_named = request.scope["query_string"].decode("latin-1") == style_version()
    headers = {"Cache-Control": _KEPT if is_named else "no-cache"}
    return Response(style_sheet(), media_type="text/css", headers=headers)


async def paper(server: CollectionServer, request: Request) -> Response:
    """How to answer by hand, and where the study allows it a form for what was drawn."""
    messages, form = messages_of(request), await _paper_form(server)
    return html_response(paper_page(form, messages), language=messages.language)


async def office(server: CollectionServer, request: Request) -> Response:
    """Where an office types in sheets."""
    messages, form = messages_of(request), await _paper_form(server)
    if form.typed_by is not Paper.OFFICE:
        raise not_found()
    return html_response(office_page(form, messages), language=messages.language)


async def take_typed(server: CollectionServer, request: Request) -> Response:
    """Keep reports that respondents drew by hand and typed in, with their token."""
    return await _take(server, request, Paper.TYPED)


async def take_sheet(server: CollectionServer, request: Request) -> Response:
    """Keep reports that an office typed in, with a code that belongs to nobody."""
    return await _take(server, request, Paper.OFFICE)


async def _take(server: CollectionServer, request: Request, by: Paper) -> Response:
    messages, form = messages_of(request), await _paper_form(server)
    if form.typed_by is not by:
        raise not_found()
    show = paper_page if by is Paper.TYPED else office_page
    fields = _fields(await body_of(request, _MOST_FORM_BYTES))
    reports, wrong = _reports(form, fields)
    if wrong:
        page = show(form, messages, Typed(fields=fields, wrong=frozenset(wrong)))
        return html_response(page, HTTPStatus.UNPROCESSABLE_ENTITY, language=messages.language)
    try:
        secret = await _keep(server, reports, fields.get("token", ""))
    except NotAdmitted:
        page = show(form, messages, Typed(fields=fields, has_wrong_code=True))
        return html_response(page, HTTPStatus.FORBIDDEN, language=messages.language)
    if secret is None:
        return html_response(closed_page(messages), HTTPStatus.GONE, language=messages.language)
    return html_response(paper_thanks(form, reports, secret, messages), language=messages.language)


async def _keep(server: CollectionServer, reports: Mapping[str, int | None], code: str) -> bytes | None:
    """Spend the code and keep the reports; returns the secret that takes them back, which is kept nowhere.

    None is for a study that is closed.
    """
    of, token, secret = server.collection, hash_token(code), secrets.token_bytes(SECRET_BYTES)
    known = await server.read(lambda store: store.invitation(token))
    if known is None or known.blinded is not None:
        raise not_admitted("token")
    credential, panel = panel_credential(token, of.wave), known.panel
    if not server.is_panel:
        # Spent for nothing that could be followed: what stands in the row is drawn here, and has nothing of the code.
        credential, blank = secrets.token_bytes(ID_BYTES), secrets.token_bytes(ID_BYTES)
        spent = await server.writer.spend(Spending(token=token, blinded=blank, signature=blank))
        server.metrics.credentials[spent.outcome] += 1
        if spent.outcome is Issue.CLOSED:
            return None
        if spent.outcome is not Issue.NEW:
            raise not_admitted("token")
    row = StoredRow(
        id=report_id(secret),
        credential=credential,
        row=of.pack_row(reports),
        # Nothing is sealed by hand; bodies that open for nobody drop the row for holders of keys.
        shares=b"".join(secrets.token_bytes(size) for size in of.share_bytes.values()),
        panel=panel,
        wave=of.wave,
    )
    outcome = await server.writer.add(row)
    server.metrics.reports[outcome] += 1
    if outcome is Outcome.CLOSED:
        return None
    if outcome is not Outcome.NEW:
        raise not_admitted("token")
    return secret


async def _paper_form(server: CollectionServer) -> PaperForm:
    return await asyncio.to_thread(lambda: pages_of(server).paper)


def _fields(body: bytes) -> dict[str, str]:
    try:
        found = parse_qs(body.decode(), max_num_fields=2000, errors="strict")
    except ValueError:
        raise Problem(
            HTTPStatus.BAD_REQUEST, "is no form of this study", parameter="body", way_out="Open the page again."
        ) from None
    return {name: values[-1] for name, values in found.items()}


def _reports(form: PaperForm, fields: Mapping[str, str]) -> tuple[dict[str, int | None], set[str]]:
    """Return what was reported, by question, and the fields in which there is no report."""
    found: dict[str, int | None] = {}
    wrong = set()
    for place, question in enumerate(form.questions):
        name = form.name(place)
        given = fields.get(name)
        known = {str(value) for value in range(len(question.reports))}
        if question.card is None or (given == LEFT_OUT and question.may_be_left):
            found[question.id] = None
        elif given in known:
            found[question.id] = int(str(given))
        else:
            wrong.add(name)
    return found, wrong
