"""A table with a title and notes, written for whoever wants it: terminal, Markdown, LaTeX or HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from sfumato.printing import printable
from sfumato.render.fitted_tables import FittedTable
from sfumato.render.words import escaped, markdown_table

if TYPE_CHECKING:
    from rich.console import RenderableType

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "ε": r"$\varepsilon$", "–": "--", "“": "``", "”": "''",
    "≤": r"$\leq$", "×": r"$\times$", "∞": r"$\infty$", "−": "$-$", "χ": r"$\chi$", "²": r"$^2$", "·": r"$\cdot$",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "…": r"\ldots{}", "±": r"$\pm$",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """Rows of words and numbers; the columns named in `left` are words."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    left: tuple[int, ...] = (0,)


def terminal_sheet(sheet: Sheet) -> RenderableType:
    """Return a table for rich to print."""
    return FittedTable(
        header=[printable(cell) for cell in sheet.header],
        rows=[[printable(cell) for cell in row] for row in sheet.rows],
        title=printable(sheet.title),
        notes=[printable(note) for note in sheet.notes],
        left=sheet.left,
    )


def markdown_sheets(sheets: Sequence[Sheet]) -> str:
    """Return tables as Markdown."""
    lines: list[str] = []
    for sheet in sheets:
        lines += [f"**{escaped(sheet.title)}**", "", *markdown_table(sheet.header, sheet.rows), ""]
        lines += [line for note in sheet.notes for line in (f"> {escaped(note)}", "")]
    return "\n".join(lines)


def latex_sheets(sheets: Sequence[Sheet]) -> str:
    """Return tables as LaTeX, for a document that loads booktabs."""
    lines = ["% needs \\usepackage{booktabs}"]
    for sheet in sheets:
        columns = "".join("l" if place in sheet.left else "r" for place in range(len(sheet.header)))
        lines += ["\\begin{table}", "\\centering", f"\\caption{{{latex_text(sheet.title)}}}"]
        lines += [f"\\begin{{tabular}}{{{columns}}}", "\\toprule", _latex_row(sheet.header), "\\midrule"]
        lines += [*map(_latex_row, sheet.rows), "\\bottomrule", "\\end{tabular}"]
        lines += [f"\\par\\smallskip{{\\footnotesize {latex_text(note)}\\par}}" for note in sheet.notes]
        lines += ["\\end{table}", ""]
    return "\n".join(lines)


def latex_text(text: str) -> str:
    """Keep text from being read as LaTeX."""
    return "".join(_LATEX.get(letter, letter) for letter in printable(text))


def html_sheet(sheet: Sheet) -> str:
    """Return a table for a page."""
    top = "".join(
        f'<th scope="col"{_side(sheet, place)}>{escape(cell)}</th>' for place, cell in enumerate(sheet.header)
    )
    body = "".join(f"<tr>{_cells(sheet, row)}</tr>" for row in sheet.rows)
    table = f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    notes = "".join(f'<p class="caption">{escape(note)}</p>' for note in sheet.notes)
    return f"<h2>{escape(sheet.title)}</h2>{scroll_box(sheet.title, table)}{notes}"


def _cells(sheet: Sheet, row: tuple[str, ...]) -> str:
    first, *rest = row
    found = f'<th scope="row">{escape(first)}</th>'
    return found + "".join(f"<td{_side(sheet, place)}>{escape(cell)}</td>" for place, cell in enumerate(rest, start=1))


def _side(sheet: Sheet, place: int) -> str:
    return "" if place in sheet.left else ' class="number"'


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(latex_text, cells)) + r" \\"


def scroll_box(label: str, inside: str) -> str:
    """Let something wide scroll by itself, with the keyboard too, so that the page never has to."""
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(label)}">'
        f'<p class="cue" aria-hidden="true">scroll →</p>{inside}</div>'
    )
