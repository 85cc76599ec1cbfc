"""The pages of one study: made when they are asked for, from what is worked out once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from sfumato.certificates.collected import as_collected
from sfumato.study.collected_certificates import collected_how
from sfumato.study.collection_sentences import collection_words
from sfumato.study.collections import Collection
from sfumato.study.forms import form_document
from sfumato.web.pages.certificate_pages import certificate_page
from sfumato.web.pages.page_messages import Messages
from sfumato.web.pages.paper_forms import PaperForm
from sfumato.web.pages.welcome import welcome_page

# What only a device needs, and may be large.
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
        way = self._collection.ways.get(question)
        if way is None:
            return None
        return as_collected(way.certificate(), collected_how(self._collection, question)).to_html()
