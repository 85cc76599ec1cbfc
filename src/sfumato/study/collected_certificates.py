"""Certificates of what is collected over the web: those of the questions, which also say how reports came in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sfumato.certificates import Certificate
from sfumato.certificates.collected import COMPUTATIONAL, Collected, as_collected
from sfumato.study.collections import Collection, can_recover


def collected_how(collection: Collection, question: str) -> Collected:
    """Return how reports on a question come in, as its certificate says it."""
    levels = [one.levels[question] for one in collection.receivers if question in one.levels]
    return Collected(
        mode=collection.mode.value,
        sealed_by=str(collection.terms.kem) if levels else None,
        guarantee=COMPUTATIONAL if levels else None,
        recover=can_recover(collection.study) and 0 in levels,
    )


def collection_certificates(collection: Collection) -> Mapping[str, Certificate]:
    """Return the certificate of each question, and of each sealed column."""
    sealed = {name: way.certificate() for name, way in collection.columns.items() if name not in collection.ways}
    return {
        name: as_collected(way.certificate(), collected_how(collection, name)) for name, way in collection.ways.items()
    } | sealed


def certificate_path(folder: Path, question: str) -> Path:
    """Where the certificate of a question stands beside exported reports."""
    return folder / f"{question}.certificate.json"
