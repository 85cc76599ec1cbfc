"""Yoshida, Yung, Hayashi: the best yes/no survey for a given guess error. Theory: docs/theory/survey.md."""

from sfumato.papers.randomized_responses.entries import ENTRIES
from sfumato.papers.randomized_responses.errata import ERRATA
from sfumato.papers.randomized_responses.figures import FIGURES
from sfumato.papers.randomized_responses.tables import TABLES
from sfumato.papers.records import Paper

PAPER = Paper(
    key="C",
    title="Accuracy-Privacy Trade-off in Analyzing Randomized Responses",
    figures=FIGURES,
    tables=TABLES,
    errata=ERRATA,
    entries=ENTRIES,
)

__all__ = ["PAPER"]
