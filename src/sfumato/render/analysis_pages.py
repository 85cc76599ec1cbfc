"""An analysis as one page: tables, and the picture of the coefficients."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from html import escape

from sfumato.render.page_style import whole_page
from sfumato.render.sheets import Sheet, html_sheet


def analysis_page(title: str, sheets: Sequence[Sheet], *, picture: str = "", warning: str = "") -> str:
    """Return the page; `picture` is SVG, and what it shows is in the tables as well."""
    drawn = ""
    if picture:
        held = b64encode(picture.encode()).decode()
        drawn = (
            f'<figure><img alt="Coefficients with their intervals; the numbers are in the tables" '
            f'src="data:image/svg+xml;base64,{held}"></figure>'
        )
    alarm = f'<p class="alarm" role="note">{escape(warning)}</p>' if warning else ""
    body = "".join(html_sheet(sheet) for sheet in sheets)
    return whole_page(title, f"<header><h1>{escape(title)}</h1>{alarm}</header><main>{drawn}{body}</main>")
