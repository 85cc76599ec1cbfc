"""Wu, Xia, He: what a report says about one person, whoever knows what. Theory: docs/theory/individual_capacity.md."""

from sfumato.papers.dalenius_goal.entries import ENTRIES
from sfumato.papers.dalenius_goal.errata import ERRATA
from sfumato.papers.dalenius_goal.figures import FIGURES
from sfumato.papers.dalenius_goal.tables import TABLES
from sfumato.papers.records import Paper

PAPER = Paper(
    key="E",
    title="Achieving Dalenius’ Goal of Data Privacy with Practical Assumptions",
    figures=FIGURES,
    tables=TABLES,
    errata=ERRATA,
    entries=ENTRIES,
)

__all__ = ["PAPER"]
