"""Handlers and contents of the pages for respondents."""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from html import escape
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, quote
from weakref import WeakKeyDictionary

from starlette.requests import Request
from starlette.responses import Response

from sfumato.certificates.channels import as_collected
from sfumato.server import api as handlers
from sfumato.server.admission import NotAdmitted, hash_token, not_admitted, panel_credential
from sfumato.server.page_parts import (
    POLICY,
    Messages,
    html_response,
    integrity,
    messages_for,
    script_tag,
    script_url,
    section,
    sentences,
    style_sheet,
    style_version,
    whole_html,
)
from sfumato.server.paper_pages import LEFT_OUT, PaperForm, Typed, closed_page, office_page, paper_page, paper_thanks
from sfumato.server.requests import Problem, body_of, not_found
from sfumato.server.service import CollectionServer
from sfumato.server.store_base import Issue, Outcome, Spending
from sfumato.study.collect_terms import CollectTerms, Paper
from sfumato.study.collection import (
    ID_BYTES,
    SECRET_BYTES,
    Collection,
    StoredRow,
    collected_how,
    collection_words,
    form_document,
    report_id,
)
from sfumato.study.readers import REGISTRAR

# --- What readers can do with a report, in sentences for respondents
# Every number is rounded up.


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Who sees reports, None for the public, and the most by which that changes odds; None is without limit."""

    name: str | None
    odds: Fraction | None
    differs: bool = False

    @property
    def recovers(self) -> bool:
        """Whether it is the registrar, who gets answers back."""
        return self.name == REGISTRAR


def readers_of(questions: Sequence[Mapping[str, Any]]) -> tuple[Reader, ...]:
    """Return who sees reports of a form's questions, each with the worst that one report can do, the sharpest last."""
    found = [_reader_from_odds(None, [one["odds"] for one in questions])]
    seen: dict[str, list[str | None]] = {}
    for question in questions:
        for one in question["sees"]:
            seen.setdefault(one["name"], []).append(one["odds"])
    keyed = sorted((_reader_from_odds(name, odds) for name, odds in seen.items()), key=_sharpness)
    return (*found, *keyed)


def odds_text(odds: Fraction, decimal: str = ".") -> str:
    """Show odds with about three digits, rounded up: towards less privacy claimed.

    >>> odds_text(Fraction(271828, 100000)), odds_text(Fraction(20086, 1000)), odds_text(Fraction(7))
    ('2.72', '20.1', '7')
    """
    digits = 2 if odds < 10 else 1 if odds < 100 else 0
    scaled = -(-odds.numerator * 10**digits // odds.denominator)
    whole, rest = divmod(scaled, 10**digits)
    behind = f"{rest:0{digits}d}".rstrip("0") if digits else ""
    return f"{whole}{decimal}{behind}" if behind else str(whole)


def sight(odds: Fraction | None) -> float:
    """How blurred a reader sees, for a picture: 0 is sharp, and 1-fold odds, which disclose nothing, the most."""
    if odds is None:
        return 0.0
    return max(0.6, 7.0 / math.pow(max(1.0, float(odds)), 0.6))


def question_sentences(question: Mapping[str, Any], messages: Messages, *, table: str) -> tuple[str, ...]:
    """Say what each reader can do with a report on one question."""
    decimal = messages("page.decimal")
    said = []
    for one in readers_of([question]):
        key = "public" if one.name is None else "registrar" if one.recovers else "analyst"
        if one.recovers:
            said.append(messages(f"{table}.registrar"))
        elif one.odds is None:
            said.append(messages(f"{table}.{key}_all", name=one.name))
        else:
            said.append(messages(f"{table}.{key}", name=one.name, odds=odds_text(one.odds, decimal)))
    return tuple(said)


def _sharpness(reader: Reader) -> tuple[bool, Fraction]:
    return reader.odds is None, reader.odds or Fraction(0)


def _reader_from_odds(name: str | None, odds: Sequence[str | None]) -> Reader:
    known = [Fraction(one) for one in odds if one is not None]
    return Reader(name=name, odds=None if len(known) < len(odds) else max(known), differs=len(set(odds)) > 1)


# --- The first page of a study
# What it is, who asks, who sees how much, and whether a report can be linked to a person.


_SCRIPT = "respond.js"


def welcome_page(
    form: Mapping[str, Any], terms: CollectTerms, messages: Messages, *, wait_seconds: float, is_open: bool = True
) -> str:
    """Return the page; `form` is what the page's script will fetch too, without what only drawing needs."""
    study, count = form["study"], len(form["questions"])
    key = "count_one" if count == 1 else "count_most" if any("ask_if" in one for one in form["questions"]) else "count"
    how_many = messages(f"welcome.{key}", count=count)
    main = (
        f'<div id="app" aria-busy="true"><p class="kicker">{escape(messages("page.survey"))}</p>'
        f"<h1>{escape(study)}</h1>"
        f"{_facts(terms, messages)}<p>{escape(how_many)}</p>{_without(messages)}"
        f"{section('how', messages('welcome.how_title'), _how(messages))}"
        f"{section('who', messages('welcome.who_title'), _who(form, messages))}"
        f"{section('link', messages('welcome.link_title'), _link(form, messages))}"
        f'<div id="start"><p class="scripted" role="status">'
        f"{escape(messages('welcome.loading'))}</p></div></div>"
    )
    return whole_html(
        messages,
        title=study,
        main=main,
        head=script_tag(script_url(_SCRIPT), integrity(_SCRIPT)),
        data={
            "language": messages.language,
            "messages": dict(messages.texts),
            "wait_seconds": wait_seconds,
            "open": is_open,
            "fingerprint": form["fingerprint"],
            "certificate": messages.path("/certificate"),
        },
        links=(
            (messages.path("/certificate"), messages("page.certificate")),
            (messages.path("/paper"), messages("page.paper")),
        ),
    )


def _facts(terms: CollectTerms, messages: Messages) -> str:
    about = "" if terms.about is None else f'<p class="lead">{escape(terms.about)}</p>'
    pairs = [
        (messages(f"welcome.{name}"), getattr(terms, name))
        for name in ("asked_by", "contact")
        if getattr(terms, name) is not None
    ]
    told = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in pairs)
    return about + (f'<dl class="facts">{told}</dl>' if told else "")


def _how(messages: Messages) -> str:
    first, *rest = (messages(f"welcome.how_{key}") for key in ("stay", "change", "learn"))
    return f"<p><strong>{escape(first)}</strong></p>{sentences(rest)}"


def _who(form: Mapping[str, Any], messages: Messages) -> str:
    readers = readers_of(form["questions"])
    items = "".join(_reader(one, messages) for one in readers)
    sealed = [messages("welcome.who_sealed")] if len(readers) > 1 else []
    return f'<ul class="readers">{items}</ul>{sentences([*sealed, messages("welcome.who_odds")])}'


def _reader(reader: Reader, messages: Messages) -> str:
    if reader.name is None:
        name = messages("welcome.who_everybody")
        key = "who_public_all" if reader.odds is None else "who_public_more" if reader.differs else "who_public"
    elif reader.recovers:
        name, key = messages("welcome.who_registrar"), "who_recover"
    else:
        name, key = reader.name, "who_analyst" if reader.odds is not None else "who_analyst_all"
    shown = "" if reader.odds is None else odds_text(reader.odds, messages("page.decimal"))
    said = messages(f"welcome.{key}", odds=shown)
    mark = ' class="alarm"' if reader.recovers else ""
    return f"<li{mark}>{_seen(reader, messages)}<p><strong>{escape(name)}</strong> {escape(said)}</p></li>"


def _seen(reader: Reader, messages: Messages) -> str:
    """Draw an answer as sharply as a reader sees it: a picture for the eye alone, since the sentence says it all."""
    name = f"sight-{escape(reader.name or 'public')}"
    blur = sight(reader.odds)
    drawn = f'<text x="60" y="27" text-anchor="middle" filter="url(#{name})">{escape(messages("welcome.sight"))}</text>'
    return (
        f'<svg class="sight" viewBox="0 0 120 40" width="120" height="40" aria-hidden="true" focusable="false">'
        f'<filter id="{name}" x="-30%" y="-80%" width="160%" height="260%">'
        f'<feGaussianBlur stdDeviation="{blur:.1f}"/></filter>{drawn}</svg>'
    )


def _link(form: Mapping[str, Any], messages: Messages) -> str:
    keys = ("link_panel", "link_panel_waves") if form["mode"] == "panel" else ("link_anonymous", "link_network")
    return sentences([messages(f"welcome.{key}") for key in keys])


def _without(messages: Messages) -> str:
    return (
        f'<noscript><div class="note"><h2>{escape(messages("welcome.without_title"))}</h2>'
        f"<p>{escape(messages('welcome.without_text'))}</p>"
        f'<p><a class="button" href="{escape(messages.path("/paper"))}">{escape(messages("welcome.without_link"))}</a>'
        f"</p></div></noscript>"
    )


# --- The certificate in plain words, with the proofs


PROOF_POLICY = {"frame-ancestors": "'none'", "base-uri": "'none'", "form-action": "'none'"}
"""For pages with proofs, which are files of their own: what else they may do is said in them."""


def certificate_page(form: Mapping[str, Any], notes: Sequence[str], messages: Messages) -> str:
    """Return the page; `notes` are what no certificate of a question says."""
    title = messages("certificate.title", study=form["study"])
    parts = "".join(_question(place, one, messages) for place, one in enumerate(form["questions"]))
    told = (
        f'<details class="told"><summary>{escape(messages("certificate.notes"))}</summary>'
        f'<div lang="en">{sentences(notes)}</div></details>'
    )
    check = section("check", messages("certificate.check_title"), sentences([messages("certificate.check")]))
    return whole_html(
        messages,
        title=title,
        main=f'<h1>{escape(title)}</h1><p class="lead">{escape(messages("certificate.lead"))}</p>'
        f"{sentences([messages('welcome.who_odds')])}{parts}{told}{check}",
        path="/certificate",
        links=((messages.path("/"), messages("page.front")),),
    )


def _question(place: int, question: Mapping[str, Any], messages: Messages) -> str:
    items = "".join(f"<li>{escape(one)}</li>" for one in question_sentences(question, messages, table="certificate"))
    label = escape(messages("certificate.proofs_of", question=question["text"]), quote=True)
    link = (
        f'<p><a href="/certificate?question={quote(question["id"], safe="")}" aria-label="{label}">'
        f"{escape(messages('certificate.proofs'))}</a></p>"
    )
    return section(f"question-{place + 1}", question["text"], f'<ul class="plain">{items}</ul>{link}', "asked")


# --- The pages of one study, made on request from cached values


# Entries that only a device needs, and that may be large.
_ONLY_DEVICES = ("asks", "draw")


class StudyPages:
    """What pages of a study show; what takes long is done when it is first needed, away from the event loop."""

    def __init__(self, collection: Collection, *, wait_seconds: float) -> None:
        self._collection = collection
        self._wait_seconds = wait_seconds

    @cached_property
    def form(self) -> Mapping[str, Any]:
        """The form of the study without what only devices need."""
        found = form_document(self._collection)
        asked = [{key: one[key] for key in one if key not in _ONLY_DEVICES} for one in found["questions"]]
        return {**found, "questions": asked}

    @cached_property
    def paper(self) -> PaperForm:
        """What can be drawn by hand."""
        return PaperForm.of(self._collection)

    def welcome(self, messages: Messages, *, is_open: bool = True) -> str:
        """Return the first page."""
        terms = self._collection.terms
        return welcome_page(self.form, terms, messages, wait_seconds=self._wait_seconds, is_open=is_open)

    def certificate(self, messages: Messages) -> str:
        """Return the certificate in plain words."""
        return certificate_page(self.form, collection_words(self._collection), messages)

    def proofs(self, question: str) -> str | None:
        """Return all claims about a question, as a page of its own; None if it is not asked."""
        handler = self._collection.handlers.get(question)
        if handler is None:
            return None
        return as_collected(handler.certificate(), collected_how(self._collection, question)).to_html()


_MOST_FORM_BYTES = 65_536
_KEPT = "public, max-age=31536000, immutable"
_PAGES: WeakKeyDictionary[CollectionServer, StudyPages] = WeakKeyDictionary()


def is_for_people(request: Request) -> bool:
    """Whether a browser asks, which shows pages; machines ask for JSON, or for anything."""
    return "text/html" in request.headers.get("accept", "")


def messages_of(request: Request) -> Messages:
    """Return the messages in the language of a request."""
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
    """What a report discloses about an answer: in plain words for people, with its proofs for machines."""
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
    """Keep reports that an office typed in, with a code that belongs to no person."""
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
        # Nothing is sealed by hand; bodies that no key opens drop the row for holders of keys.
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
