"""Studies that can be answered by hand, and one that cannot, as files."""

from fractions import Fraction

from sfumato.study import Card, CollectTerms, Study, YesNo
from sfumato.study.file import as_toml

SICK = "Have you gone to work although you were ill?"
HIDDEN = "Have you hidden an illness from your employer?"


def paper_study(folder, *, mode="anonymous", paper="typed", **changes):
    """Two questions with cards, of which the second may be left out; returns the file."""
    declared = {
        "name": "Illness at work",
        "questions": (
            Card(id="sick", text=SICK, guess_error=Fraction(3, 8), max_epsilon=Fraction(3, 2), faces=100),
            Card(id="hidden", text=HIDDEN, guess_error=Fraction(3, 8), missing="public"),
        ),
        "collect": CollectTerms(
            mode=mode,
            paper=paper,
            asked_by="Works council of Example Ltd",
            about="How many of us go to work although they are ill?",
            contact="Works council, room 3.14",
        ),
    }
    path = folder / "study.toml"
    path.write_text(as_toml(Study(**(declared | changes))))
    return path


def by_machine(text="Tired?"):
    """A question that no hand can draw."""
    return YesNo(id="tired", text=text, epsilon=Fraction(1))
