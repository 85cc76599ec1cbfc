"""What notebooks show: small tables with the page's own style left alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from sfumato.printing import printable_lines
from sfumato.render.estimate_tables import shown_order
from sfumato.render.words import epsilon_text
from sfumato.study.release_words import releases_words

if TYPE_CHECKING:
    from sfumato.study import QuestionEstimate
    from sfumato.study.reports import Reports

_MOST_ROWS = 30


def reports_html(reports: Reports) -> str:
    """Return what a notebook shows of reports: the study, the level of each question, and the first rows."""
    note = reports.note
    head = [(name, note.study.question(name).text, _level(reports, name)) for name in note.columns]
    rows = reports.table.slice(0, 5).to_pylist()
    names = list(reports.table.column_names)
    warning = f"<p><strong>{escape(note.source)}</strong></p>" if note.insecure else ""
    warning += f"<p>{escape(releases_words(note))}</p>" if note.earlier else ""
    return printable_lines(
        f"<p><strong>{escape(note.study.name)}</strong>: {len(reports):,} reports</p>{warning}"
        + html_table(("question", "text", "seen at"), head)
        + html_table(names, [[str(row[name]) for name in names] for row in rows])
    )


def estimates_html(estimates: Sequence[QuestionEstimate]) -> str:
    """Return what a notebook shows of estimates."""
    return printable_lines("".join(_estimate_html(found) for found in estimates))


def html_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a plain table."""
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _estimate_html(found: QuestionEstimate) -> str:
    group = "" if found.group is None else f" · {escape(found.group)}"
    title = f"{escape(found.question.text)}{group} ({found.total:,} reports, ε = {epsilon_text(found.epsilon)})"
    rows = [
        (
            found.labels[i],
            f"{100 * found.shares[i]:.1f} %",
            f"{100 * found.intervals[i].lower:.1f} to {100 * found.intervals[i].upper:.1f} %",
        )
        for i in shown_order(found.shares)[:_MOST_ROWS]
    ]
    header = ("answer", "share", f"{100 * found.confidence:g} % interval")
    mean = "" if found.mean is None else f"<p>mean {found.mean.mean:.4g} ± {found.mean.standard_error:.2g}</p>"
    return f"<p><strong>{title}</strong></p>{html_table(header, rows)}{mean}"


def _level(reports: Reports, name: str) -> str:
    way, level = reports.note.way(name), reports.note.column(name).level
    return "answers" if level == 0 else f"ε = {epsilon_text(way.epsilons[level - 1])}"
