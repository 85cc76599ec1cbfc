"""The plan of a study, and what each reader sees, as tables and documents."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from sfumato.display.tables import FittedTable, FittedText
from sfumato.display.text import epsilon_text, escaped, markdown_table
from sfumato.errors import printable
from sfumato.output.accounts import debit_words
from sfumato.output.statements import statement_of
from sfumato.study.file import as_document, fingerprint
from sfumato.study.planning import StudyPlan
from sfumato.study.question_plans import (
    AccuracyCurve,
    PlanTable,
    QuestionPlan,
    Said,
    risk_document,
    risk_sentences,
    risk_table,
)
from sfumato.study.readers import TOGETHER
from sfumato.study.study import Study, totals_of, totals_rows

if TYPE_CHECKING:
    from rich.console import RenderableType


# --- Who sees how much of a respondent, for the terminal


def totals_table(study: Study) -> RenderableType:
    """Return what each reader sees of a respondent: ε by question, and the sum over all questions."""
    from rich.console import Group  # noqa: PLC0415  rich is only needed to print
    from rich.text import Text  # noqa: PLC0415

    header, rows = totals_rows(study)
    return Group(Text("ε that a respondent spends (nats, rounded up)"), FittedTable(header=header, rows=rows))


def totals_words(study: Study) -> str:
    """Say in one sentence what readers see of a respondent over all questions."""
    parts = [
        f"{total.holder}: the answers" if total.sees_answers else f"{total.holder}: ε = {epsilon_text(total.epsilon)}"
        for total in totals_of(study)
    ]
    return "What is seen of a respondent over all questions. " + "; ".join(parts) + "."


_WIDTH = 46
REACH = 1.959964
"""Standard deviations on either side of a 95 % interval."""


def study_plan_tables(plan: StudyPlan) -> list[RenderableType]:
    """Return the plan for rich to print."""
    from rich.text import Text  # noqa: PLC0415  rich is only needed to print

    parts: list[RenderableType] = [Text(printable(plan.study.name), style="bold")]
    for planned in plan.questions:
        parts += [Text(), *_question(planned)]
    parts += [Text(), totals_table(plan.study), Text(coalition_words(plan))]
    if plan.study.ledger is not None:
        parts.append(Text(printable(_debits(plan))))
    return parts


def study_plan_markdown(plan: StudyPlan) -> str:
    """Return the same plan as Markdown."""
    said = [f"# {escaped(plan.study.name)}", ""]
    for planned in plan.questions:
        question = planned.question
        said += [f"## {escaped(question.id)}: {escaped(question.text)}", "", escaped(planned.because), ""]
        said += [line for words in planned.words for line in (escaped(words), "")]
        if planned.instructions:
            said += ["**What each respondent does**", ""]
            said += [f"{i}. {escaped(line)}" for i, line in enumerate(planned.instructions, start=1)] + [""]
        if planned.protection:
            said += ["**What it protects**", ""]
            said += [*map(_marked, planned.protection), ""]
        if planned.risk is not None:
            said += ["**What a report tells**", "", *map(_marked, risk_sentences(planned.risk)), ""]
        said += [line for words in planned.arguments for line in (escaped(words), "")]
        for table in _tables(planned):
            said += [f"**{escaped(table.title)}**", "", *markdown_table(table.header, table.rows), ""]
        if planned.groups is not None:
            said += [escaped(planned.groups.sentence), ""]
    header, rows = totals_rows(plan.study)
    said += ["## ε that a respondent spends", "", *markdown_table(header, rows), "", coalition_words(plan)]
    if plan.study.ledger is not None:
        said += ["", escaped(_debits(plan))]
    return "\n".join(said) + "\n"


def study_plan_document(plan: StudyPlan) -> dict[str, Any]:
    """Return the plan as one JSON document."""
    return {
        "schema": "sfumato/study-plan/1",
        "study": as_document(plan.study),
        "fingerprint": fingerprint(plan.study),
        "questions": [_document(planned) for planned in plan.questions],
        "total_epsilon": {total.holder: total.as_json for total in plan.totals},
        "debits": _debits(plan) or None,
        "statement": statement_of(plan).document,
    }


def _debits(plan: StudyPlan) -> str:
    if plan.study.ledger is None:
        return ""

    return debit_words(plan.study)


def coalition_words(plan: StudyPlan) -> str:
    """Say what all analysts together see."""
    by_holder = {total.holder: total for total in plan.totals}
    if not plan.study.analysts and not plan.study.recover:
        return "Nobody gets a key: everybody sees the same reports."
    if TOGETHER not in by_holder:
        return "There is one reader at most with a key; keys are nested, so nothing adds up between readers."
    return (
        f"All analysts together see ε = {epsilon_text(by_holder[TOGETHER].epsilon)} of a respondent over all "
        f"questions: of each question what the best of their keys shows, and nothing more."
    )


def terminal_curve(curve: AccuracyCurve, width: int = 80) -> str:
    """Draw privacy against accuracy with characters: the longer the bar, the wider the interval."""
    longest = min(_WIDTH, max(width - 24, 1))
    points = curve.points
    widest = math.log(points[0][1] / points[-1][1]) or 1.0
    lines = ["Privacy against accuracy: how many respondents for the same accuracy (log scale)"]
    for epsilon, deviation in points:
        length = round(1 + (longest - 1) * math.log(deviation / points[-1][1]) / widest)
        needed = math.ceil((REACH * deviation / curve.half_width) ** 2)
        lines.append(f"  ε {epsilon:<5g} {'█' * length:<{longest}} {needed:>12,}")
    return "\n".join(lines)


def _question(planned: QuestionPlan) -> list[RenderableType]:
    from rich.padding import Padding  # noqa: PLC0415  rich is only needed to print
    from rich.text import Text  # noqa: PLC0415

    def indented(words: str, style: str = "") -> RenderableType:
        return Padding(Text(words, style=style), (0, 0, 0, 2))

    title = f"{planned.question.id}: {printable(planned.question.text)}"
    parts: list[RenderableType] = [Text(title, style="bold"), Text(planned.because), *map(Text, planned.words)]
    if planned.instructions:
        parts += [Text(), Text("What each respondent does", style="bold")]
        parts += [indented(f"{i}. {printable(line)}") for i, line in enumerate(planned.instructions, start=1)]
    told = () if planned.risk is None else risk_sentences(planned.risk)
    for title, sentences in (("What it protects", planned.protection), ("What a report tells", told)):
        if sentences:
            parts += [Text(), Text(title, style="bold")]
        for one in sentences:
            mark, style = ("!", "red") if one.is_alarm else ("·", "")
            parts.append(indented(f"{mark} {printable(one.sentence)}", style))
    if planned.arguments:
        parts += [
            Text(),
            Text("What is compared", style="bold"),
            *(indented(printable(one)) for one in planned.arguments),
        ]
    for table in _tables(planned):
        parts += [Text(), Text(printable(table.title), style="bold"), _table(table)]
    if planned.groups is not None:
        parts.append(Text(planned.groups.sentence))
    if planned.curve is not None:
        parts.append(FittedText(partial(terminal_curve, planned.curve)))
    return parts


def _tables(planned: QuestionPlan) -> tuple[PlanTable, ...]:
    return planned.tables if planned.risk is None else (risk_table(planned.risk), *planned.tables)


def _marked(one: Said) -> str:
    return f"- {'**!** ' if one.is_alarm else ''}{escaped(one.sentence)}"


def _table(table: PlanTable) -> RenderableType:
    rows, styles = [], []
    for i, row in enumerate(table.rows):
        mark = "" if table.chosen is None else "▸ " if i == table.chosen else "  "
        rows.append([printable(cell) for cell in (f"{mark}{row[0]}", *row[1:])])
        styles.append("bold" if table.chosen is not None and i == table.chosen else "")
    return FittedTable(header=table.header, rows=rows, styles=styles, left=range(table.words))


def _document(planned: QuestionPlan) -> dict[str, Any]:
    return {
        "id": planned.question.id,
        "kind": planned.question.kind,
        "because": planned.because,
        "words": list(planned.words),
        "instructions": list(planned.instructions),
        "protection": [one.sentence for one in planned.protection],
        "arguments": list(planned.arguments),
        "readers": [
            {"level": level.level, "epsilon": _number(level.epsilon), "readers": list(level.readers)}
            for level in planned.levels
        ],
        "risk": None if planned.risk is None else risk_document(planned.risk),
        "two_groups": None if planned.groups is None else planned.groups.document,
        **_plain(planned.document),
    }


def _plain(document: Mapping[str, Any]) -> Any:
    """Turn tuples and enumerations into what JSON has."""
    return json.loads(json.dumps(dict(document)))


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else "inf"
