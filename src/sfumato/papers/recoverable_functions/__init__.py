"""Nageswaran and Narayan: answers that are right often enough. Theory: docs/theory/recoverable_answers.md."""

from sfumato.papers.records import Paper
from sfumato.papers.recoverable_functions.entries import ENTRIES
from sfumato.papers.recoverable_functions.errata import ERRATA
from sfumato.papers.recoverable_functions.figures import FIGURES
from sfumato.papers.recoverable_functions.tables import TABLES

PAPER = Paper(
    key="A",
    title="Data Privacy for a ρ-Recoverable Function",
    figures=FIGURES,
    tables=TABLES,
    errata=ERRATA,
    entries=ENTRIES,
)

__all__ = ["PAPER"]
