"""The certificate for people: what each reader can do with a report, in plain words, and the proofs behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from sfumato.web.pages.layout import section, sentences, whole_html
from sfumato.web.pages.page_messages import Messages
from sfumato.web.pages.protection import question_sentences

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
