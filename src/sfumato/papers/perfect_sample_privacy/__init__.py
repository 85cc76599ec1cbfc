"""Rassouli, Rosas, Gündüz: telling about the whole, not about the parts. Theory: docs/theory/disclosure.md."""

from sfumato.papers.perfect_sample_privacy.entries import ENTRIES
from sfumato.papers.perfect_sample_privacy.errata import ERRATA
from sfumato.papers.perfect_sample_privacy.figures import FIGURES
from sfumato.papers.perfect_sample_privacy.tables import TABLES
from sfumato.papers.records import Paper

PAPER = Paper(
    key="D",
    title="Data Disclosure under Perfect Sample Privacy",
    figures=FIGURES,
    tables=TABLES,
    errata=ERRATA,
    entries=ENTRIES,
)

__all__ = ["PAPER"]
