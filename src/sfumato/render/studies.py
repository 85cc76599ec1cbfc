"""Studies for the terminal: who sees how much, and what the reports say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from sfumato.render.surveys import escaped, markdown_table, printable
from sfumato.study.estimating import QuestionEstimate
from sfumato.study.studies import Study, has_levels
from sfumato.study.totals import totals_of
from sfumato.values import Interval

if TYPE_CHECKING:
    from rich.console import RenderableType

MOST_ANSWERS = 30
_BAR = 34


def totals_table(study: Study) -> RenderableType:
    """Return what each reader sees of a respondent: ε by question, and the sum over all questions."""
    header, rows = totals_rows(study)
    table = Table(title="ε that a respondent spends (nats, rounded up)", title_justify="left", title_style="")
    for i, name in enumerate(header):
        table.add_column(name, justify="left" if i == 0 else "right")
    for row in rows:
        table.add_row(*row)
    return table


def totals_rows(study: Study) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return header and rows of what each reader sees."""
    header = ("reader", *(question.id for question in study.questions), "all questions")
    rows = []
    for total in totals_of(study):
        cells = [epsilon_text(value) for _, value in total.by_question]
        if total.sees_answers:
            cells = [
                "answer" if has_levels(question) else cell
                for cell, question in zip(cells, study.questions, strict=True)
            ]
        rows.append((total.holder, *cells, "answers" if total.sees_answers else epsilon_text(total.epsilon)))
    return header, rows


def totals_words(study: Study) -> str:
    """Say in one sentence what readers see of a respondent over all questions."""
    parts = [
        f"{total.holder}: the answers" if total.sees_answers else f"{total.holder}: ε = {epsilon_text(total.epsilon)}"
        for total in totals_of(study)
    ]
    return "What is seen of a respondent over all questions. " + "; ".join(parts) + "."


def epsilon_text(value: float) -> str:
    """Show an ε, rounded up."""
    return "∞" if math.isinf(value) else f"{math.ceil(value * 1000 - 1e-9) / 1000:g}"


def estimates_tables(estimates: Sequence[QuestionEstimate]) -> list[RenderableType]:
    """Return a table for each question and group, the most common answers first when there are many."""
    return [_estimate_table(found) for found in estimates]


def _estimate_table(found: QuestionEstimate) -> RenderableType:
    where = "" if found.group is None else f" · {printable(found.group)}"
    seen = f"ε = {epsilon_text(found.epsilon)}"
    title = f"{printable(found.question.text)}{where}  ({found.total:,} reports, {seen})"
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("answer")
    table.add_column("share", justify="right")
    table.add_column(f"{100 * found.confidence:g} % interval", justify="right")
    table.add_column(Text("0 %".ljust(_BAR - 5) + "100 %"))
    order = shown_order(found.shares)
    for place in order:
        interval = found.intervals[place]
        table.add_row(
            printable(found.labels[place]),
            f"{100 * found.shares[place]:.1f} %",
            f"{100 * interval.lower:.1f} to {100 * interval.upper:.1f} %",
            share_bar(found.shares[place], interval, _BAR),
        )
    rest = len(found.shares) - len(order)
    notes = [f"and {rest} rarer answers; --json has them all"] if rest else []
    if found.mean is not None:
        inside = found.mean.interval
        notes.append(
            f"mean {found.mean.mean:.4g}, {100 * found.confidence:g} % {inside.lower:.4g} to {inside.upper:.4g}"
        )
    table.caption = "; ".join([*notes, *found.notes]) or None
    return table


def estimates_as_markdown(estimates: Sequence[QuestionEstimate]) -> str:
    """Return the same tables as Markdown."""
    lines: list[str] = []
    for found in estimates:
        where = "" if found.group is None else f" · {escaped(found.group)}"
        title = (
            f"**{escaped(found.question.text)}**{where} ({found.total:,} reports, ε = {epsilon_text(found.epsilon)})"
        )
        rows = [
            (
                found.labels[place],
                f"{100 * found.shares[place]:.1f} %",
                f"{100 * found.intervals[place].lower:.1f} to {100 * found.intervals[place].upper:.1f} %",
            )
            for place in shown_order(found.shares)
        ]
        lines += [title, "", *markdown_table(("answer", "share", f"{100 * found.confidence:g} % interval"), rows), ""]
    return "\n".join(lines)


def shown_order(shares: Sequence[float]) -> list[int]:
    """Which answers to show: all in their order, or the most common of many."""
    if len(shares) <= MOST_ANSWERS:
        return list(range(len(shares)))
    return sorted(range(len(shares)), key=lambda place: -shares[place])[:MOST_ANSWERS]


def share_bar(share: float, interval: Interval, width: int) -> str:
    """Draw an interval from 0 to 1 as a bar with a dot."""
    cells = ["·"] * width
    for place in range(int(interval.lower * (width - 1)), int(interval.upper * (width - 1)) + 1):
        cells[place] = "─"
    cells[round(min(max(share, 0.0), 1.0) * (width - 1))] = "●"
    return "".join(cells)
