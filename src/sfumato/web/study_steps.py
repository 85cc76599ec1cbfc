"""What the study does with what was collected: its certificate, an exported part, and the live tally."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from sfumato.render.estimate_documents import estimate_document
from sfumato.study.collected_certificates import collection_certificates
from sfumato.study.collection_sentences import collection_words
from sfumato.study.collections import Collection
from sfumato.study.live_tallies import LiveTallies
from sfumato.study.reading_documents import public_reckonings
from sfumato.study.steps.collecting import OpenedCollection, export_part
from sfumato.web.stores import Store


class StudySteps:
    """The steps of a collection that is paid for."""

    def __init__(self, opened: OpenedCollection) -> None:
        self._opened = opened

    @property
    def _collection(self) -> Collection:
        return self._opened.collection

    @cached_property
    def certificates(self) -> Mapping[str, str]:
        """The sealed certificate of each question, letter by letter."""
        return {name: made.to_json() for name, made in collection_certificates(self._collection).items()}

    def certificate(self) -> Mapping[str, Any]:
        """Return the certificate of each question, and the sentences for whoever is asked."""
        collection = self._collection
        return {
            "schema": "sfumato/collection-certificate/1",
            "study": collection.study.name,
            "fingerprint": collection.fingerprint,
            "mode": collection.mode.value,
            "notes": list(collection_words(collection)),
            "questions": {name: json.loads(text) for name, text in self.certificates.items()},
        }

    def export(self, store: Store, out: Path) -> None:
        """Write the reports of this wave that are shown, sorted by their ids."""
        export_part(self._opened, store.shown_rows(self._collection.wave), out)

    def count(self, store: Store) -> LiveTallies:
        """Count the reports of this wave that are shown."""
        return LiveTallies.of(self._collection, store.shown_counts(self._collection.wave))

    def tally(self, counted: LiveTallies, *, least: int) -> Mapping[str, Any]:
        """Return what counted reports say, to the public."""
        head = self._head("sfumato/tally/1", least)
        if not counted.reports:
            return {**head, "reports": None, "estimates": None}
        found = [estimate_document(one) for one in counted.estimates()]
        return {**head, "reports": counted.reports, "estimates": found}

    def live(self, counted: LiveTallies, *, least: int) -> Mapping[str, Any]:
        """Return how often each report was sent, by question; estimates of those that only Python works out."""
        head = self._head("sfumato/live/1", least)
        if not counted.reports:
            return {**head, "reports": None, "counts": {}, "estimates": []}
        alone = counted.only(name for name, reading in self.reckonings.items() if reading is None)
        found = [estimate_document(one) for one in alone.estimates()]
        return {**head, "reports": counted.reports, "counts": counted.counts(self.reckonings), "estimates": found}

    @cached_property
    def reckonings(self) -> Mapping[str, Any]:
        """How each question is reckoned as everybody sees it; None where only Python does it."""
        return public_reckonings(self._collection)

    def _head(self, schema: str, least: int) -> dict[str, Any]:
        collection = self._collection
        return {
            "schema": schema,
            "study": collection.study.name,
            "wave": collection.wave,
            "least_reports": least,
        }
