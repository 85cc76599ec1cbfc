"""Who sees how much of a respondent, for the terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sfumato.render.fitted_tables import FittedTable
from sfumato.render.words import epsilon_text
from sfumato.study.studies import Study
from sfumato.study.totals import totals_of

if TYPE_CHECKING:
    from rich.console import RenderableType

ShowEpsilon = Callable[[float, str, int], str]


def totals_table(study: Study) -> RenderableType:
    """Return what each reader sees of a respondent: ε by question, and the sum over all questions."""
    from rich.console import Group  # noqa: PLC0415  rich is only needed to print
    from rich.text import Text  # noqa: PLC0415

    header, rows = totals_rows(study)
    return Group(Text("ε that a respondent spends (nats, rounded up)"), FittedTable(header=header, rows=rows))


def totals_rows(study: Study, show: ShowEpsilon | None = None) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return header and rows of what each reader sees; `show` writes an ε, of a question at a level or of all."""
    write = show or (lambda epsilon, _question, _level: epsilon_text(epsilon))
    header = ("reader", *(question.id for question in study.questions), "all questions")
    rows = []
    for total in totals_of(study):
        cells = [
            "answer" if seen.is_answer else write(seen.epsilon, seen.question, seen.level) for seen in total.by_question
        ]
        rows.append((total.holder, *cells, "answers" if total.sees_answers else write(total.epsilon, "", 0)))
    return header, rows


def totals_words(study: Study) -> str:
    """Say in one sentence what readers see of a respondent over all questions."""
    parts = [
        f"{total.holder}: the answers" if total.sees_answers else f"{total.holder}: ε = {epsilon_text(total.epsilon)}"
        for total in totals_of(study)
    ]
    return "What is seen of a respondent over all questions. " + "; ".join(parts) + "."
