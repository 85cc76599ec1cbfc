"""What notebooks show of a value: HTML in which every text is text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from html import escape
from numbers import Real
from typing import Any, ClassVar

from sfumato.display.tables import Sheet
from sfumato.display.text import fraction_text
from sfumato.errors import printable_lines
from sfumato.numbers.intervals import Interval

MOST_DRAWN = 4096
"""Entries up to which a table of probabilities is drawn: a larger picture says nothing that a smaller one does not."""


class Shown:
    """A value that notebooks show as HTML: by its `_view`, or else its numbers in a table and its channel as a picture.

    Whatever text it holds is escaped there.
    """

    __slots__ = ()

    _fits_in_cell: ClassVar[bool] = True
    """Whether its numbers are shown in a cell of the table of what holds it."""

    def _repr_html_(self) -> str:
        return printable_lines(self._view())

    def _view(self) -> str:
        thing: Any = self
        if not is_dataclass(thing):
            return f"<pre>{escape(repr(self))}</pre>"
        held = [(field.name, getattr(self, field.name)) for field in fields(thing)]
        rows = [(name.replace("_", " "), words) for name, value in held if (words := cell_words(value))]
        channel = getattr(self, "channel", None)
        drawn = channel._picture() if isinstance(channel, Shown) else ""  # noqa: SLF001  of the same class
        return f"{headline(type(self).__name__)}{html_table(('what', 'value'), rows)}{drawn}"

    def _picture(self) -> str:
        """Return a picture of the value, of which there is none but of a channel."""
        return ""


def view_of(thing: Shown) -> str:
    """Return what is shown of a value, as a part of what holds it."""
    return thing._view()  # noqa: SLF001  of this module


def html_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a plain table."""
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def sheet_view(sheet: Sheet) -> str:
    """Return a table with its title and notes."""
    return f"{headline(sheet.title)}{html_table(sheet.header, sheet.rows)}{paragraphs(sheet.notes)}"


def headline(text: str) -> str:
    """Return a line in bold."""
    return f"<p><strong>{escape(text)}</strong></p>"


def paragraphs(lines: Iterable[str]) -> str:
    """Return a paragraph for each line that is not empty."""
    return "".join(f"<p>{escape(line)}</p>" for line in lines if line)


def listed(lines: Iterable[str], tag: str = "ul") -> str:
    """Return a list."""
    return f"<{tag}>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</{tag}>"


def cell_words(value: Any) -> str:
    """Write what fits into a cell; nothing for what does not."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Fraction):
        return fraction_text(value)
    if isinstance(value, Interval):
        return f"{value.lower:.6g} to {value.upper:.6g}"
    if isinstance(value, Real):
        return f"{float(value):.6g}"
    if isinstance(value, str):
        return value
    if is_dataclass(value) and not isinstance(value, type) and getattr(value, "_fits_in_cell", True):
        inside = [(field.name, getattr(value, field.name)) for field in fields(value)]
        return ", ".join(f"{name} {words}" for name, held in inside if (words := cell_words(held)))
    return ""
