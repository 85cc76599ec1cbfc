"""Tables with a title and notes as terminal text, Markdown, LaTeX or HTML."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Literal

from sfumato.display.text import escaped, markdown_table
from sfumato.errors import printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult


# --- Tables for a terminal of any width: bars are dropped first, then text is folded; a number is never cut


_LEAST_BAR, _MOST_BAR = 12, 34
# A word may be folded into pieces of this many letters; a number is never folded.
_LEAST_WORD = 14
_LONGEST_NUMBER = 26


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedTable:
    """Rows of words, which may be folded, and of numbers, which may not, and a bar for each row where it fits.

    Where not even the words fit, each row becomes a few lines: its name, and below it what each column says.
    `sections` are the places after which a line is drawn; `styles` is how a row is set.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    notes: Sequence[str] = ()
    bar_header: Callable[[int], str] | None = None
    bars: Sequence[Callable[[int], str]] = ()
    sections: Sequence[int] = ()
    styles: Sequence[str] = ()
    left: Sequence[int] = (0,)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Print as what fits."""
        from rich.text import Text  # noqa: PLC0415  rich is only needed to print

        if self.title:
            yield Text(self.title, style="bold")
        widths = self._widths(options.max_width - 3 * len(self.header) - 1)
        if widths is None:
            yield from self._cards()
        else:
            room = options.max_width - sum(widths) - 3 * len(self.header) - 4
            yield self._table(widths, min(room, _MOST_BAR) if room >= _LEAST_BAR else 0)
        if self.notes:
            yield Text("\n".join(self.notes), style="italic dim")

    def _widths(self, room: int) -> list[int] | None:
        """Return how wide each column is to be: as its words are, or less where they can be folded; None if not so."""
        columns = [[name, *(row[place] for row in self.rows)] for place, name in enumerate(self.header)]
        wanted = [max(map(_length, column)) for column in columns]
        widths = [max(map(_least, column)) for column in columns]
        left = room - sum(widths)
        if left < 0:
            return None
        # What is left goes to the narrowest of those that want more, letter by letter.
        while left and (short := [place for place, width in enumerate(wanted) if widths[place] < width]):
            widths[min(short, key=widths.__getitem__)] += 1
            left -= 1
        return widths

    def _table(self, widths: Sequence[int], bar: int) -> RenderableType:
        from rich.table import Table  # noqa: PLC0415  rich is only needed to print
        from rich.text import Text  # noqa: PLC0415  rich is only needed to print

        # As Text: a question may hold brackets, which rich would read as markup.
        table = Table()
        for place, name in enumerate(self.header):
            justify: Literal["left", "right"] = "left" if place in self.left else "right"
            table.add_column(Text(name), justify=justify, overflow="fold", width=widths[place])
        with_bar = bar > 0 and bool(self.bars)
        if with_bar:
            table.add_column(Text(self.bar_header(bar) if self.bar_header else ""), no_wrap=True)
        for i, row in enumerate(self.rows):
            cells = [Text(cell) for cell in row] + ([Text(self.bars[i](bar))] if with_bar else [])
            table.add_row(*cells, style=self.styles[i] if self.styles else None, end_section=i in self.sections)
        return table

    def _cards(self) -> list[RenderableType]:
        from rich.padding import Padding  # noqa: PLC0415  rich is only needed to print
        from rich.text import Text  # noqa: PLC0415  rich is only needed to print

        parts: list[RenderableType] = []
        for i, row in enumerate(self.rows):
            parts.append(Text(row[0], style=(self.styles[i] if self.styles else "") or "bold", overflow="fold"))
            parts += [
                Padding(Text(f"{name}: {cell}", overflow="fold"), (0, 0, 0, 2))
                for name, cell in zip(self.header[1:], row[1:], strict=True)
            ]
        return parts


@dataclass(frozen=True, slots=True)
class FittedText:
    """Lines that are made for the width there is."""

    make: Callable[[int], str]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Make them."""
        from rich.text import Text  # noqa: PLC0415  rich is only needed to print

        yield Text(self.make(options.max_width))


def _length(text: str) -> int:
    from rich.cells import cell_len  # noqa: PLC0415  rich is only needed to print

    return cell_len(text)


def _least(text: str) -> int:
    """How narrow a cell may be: a number stays whole, words are folded at their blanks, and a long word anywhere."""
    if any(letter.isdigit() for letter in text) and _length(text) <= _LONGEST_NUMBER:
        return _length(text)
    return min(max(map(_length, text.split()), default=0), _LEAST_WORD)


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
