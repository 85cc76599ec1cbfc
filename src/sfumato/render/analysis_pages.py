"""An analysis as one page: tables, and the picture of the coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sfumato.render.page_style import checked_page, inline_svg
from sfumato.render.sheets import Sheet, html_sheet


def analysis_page(title: str, sheets: Sequence[Sheet], *, picture: str = "", warning: str = "") -> str:
    """Return the page; `picture` is SVG, and what it shows is in the tables as well."""
    drawn = ""
    if picture:
        words = "Coefficients with their intervals; the numbers are in the tables"
        drawn = f"<figure>{inline_svg(picture, words)}</figure>"
    alarm = f'<p class="alarm" role="note">{escape(warning)}</p>' if warning else ""
    body = "".join(html_sheet(sheet) for sheet in sheets)
    return checked_page(title, f"<header><h1>{escape(title)}</h1>{alarm}</header><main>{drawn}{body}</main>")
