"""The study's first page: what it is, who asks, who sees how much, and whether a report can be linked to somebody."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from sfumato.study.collect_terms import CollectTerms
from sfumato.web.pages.layout import script_tag, section, sentences, whole_html
from sfumato.web.pages.page_messages import Messages
from sfumato.web.pages.protection import Reader, odds_text, readers_of, sight
from sfumato.web.static_files import integrity, script_url

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
