"""Tables for a terminal of any width: pictures go first, then the table itself; a number is never cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

_LEAST_BAR, _MOST_BAR = 12, 34
# A word may be folded into pieces of so many letters; a number may not.
_LEAST_WORD = 14
_LONGEST_NUMBER = 26


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedTable:
    """Rows of words, which may be folded, and of numbers, which may not, and a bar for each row where there is room.

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
