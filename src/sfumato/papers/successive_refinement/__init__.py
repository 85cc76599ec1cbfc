"""Girgis and others: private reports on few random bits. Theory: docs/theory/binary_hadamard.md, recovery.md."""

from sfumato.papers.records import Paper
from sfumato.papers.successive_refinement.entries import ENTRIES
from sfumato.papers.successive_refinement.errata import ERRATA
from sfumato.papers.successive_refinement.figures import FIGURES
from sfumato.papers.successive_refinement.tables import TABLES

PAPER = Paper(
    key="B",
    title="Successive Refinement of Privacy",
    figures=FIGURES,
    tables=TABLES,
    errata=ERRATA,
    entries=ENTRIES,
)

__all__ = ["PAPER"]
