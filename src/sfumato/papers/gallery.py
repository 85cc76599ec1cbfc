"""All figures, tables and errata of the papers on one page: what is printed, what comes out, and why they differ."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING

from sfumato.papers.drawing import png_bytes, svg_bytes
from sfumato.papers.records import Cell, Comparison, Erratum, Paper, Table, refusal_of
from sfumato.render.page_style import whole_page
from sfumato.render.sheets import scroll_box
from sfumato.values.checks import Number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# A drawing with more than this is a surface of many small facets; its pixels are lighter.
_MOST_SVG = 200_000
_STYLE = """
td.agrees{color:var(--s2)}tr.differs td,tr.differs th{background:var(--pane)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:.4rem 0}dt{color:var(--soft)}dd{margin:0}
@media (max-width:40rem){dl{display:block}dd{margin:0 0 .4rem}}
"""


def gallery_html(papers: Mapping[str, Paper]) -> str:
    """Return the page; everything on it is worked out when it is asked for."""
    links = "".join(f'<li><a href="#{slug}">{escape(paper.title)}</a></li>' for slug, paper in papers.items())
    shown = "".join(_paper(slug, paper) for slug, paper in papers.items())
    return whole_page(
        "The papers, recomputed",
        "<header><h1>The papers, recomputed</h1>"
        '<p class="lead">Every number in the column “ours” comes from calls that users have. Where it is not the '
        "printed one, an entry says why and of what kind it is (only an error is called one), and its example was run "
        "for this page.</p></header>"
        f'<nav aria-label="Papers"><ul class="plain">{links}</ul></nav><main>{shown}</main>',
        _STYLE,
    )


def shown_cell(cell: Cell) -> str:
    """Fractions are exact and shown as such; floats are rounded."""
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)


def _paper(slug: str, paper: Paper) -> str:
    numbers = {erratum.where: (i, erratum.kind.capitalize()) for i, erratum in enumerate(paper.errata, start=1)}
    rows = "".join(_comparison(slug, entry.judge(), numbers) for entry in paper.entries)
    header = "".join(f'<th scope="col">{name}</th>' for name in ("where", "what", "print", "ours", "why"))
    compared = f"<table><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table>"
    return (
        f'<section aria-labelledby="{slug}"><h2 id="{slug}">{escape(paper.title)}</h2><p>[{escape(paper.key)}] in '
        f"docs/references.bib</p><h3>Print beside ours</h3>{scroll_box(f'Print beside ours, {slug}', compared)}"
        f"<h3>Figures</h3>{''.join(_figure(name, draw) for name, draw in paper.figures.items())}"
        f"<h3>Tables</h3>{''.join(_table(make()) for make in paper.tables.values())}"
        f"<h3>Errata</h3>{''.join(_erratum(slug, numbers[erratum.where][0], erratum) for erratum in paper.errata)}"
        "</section>"
    )


def _comparison(slug: str, found: Comparison, numbers: Mapping[str, tuple[int, str]]) -> str:
    entry = found.entry
    at = f"{entry.what}, {entry.parameter} = {short_number(entry.value)}"
    sign = "" if entry.relation == "=" else f"{entry.relation} "
    printed = "" if found.printed is None else f"\n{sign}{short_number(found.printed)}"
    if entry.erratum is not None:
        number, kind = numbers[entry.erratum]
        verdict = f'<td><a href="#{slug}-erratum-{number}">{kind} {number}</a></td>'
    elif found.agrees is None:
        verdict = "<td>no number in print</td>"
    else:
        verdict = '<td class="agrees">none: agrees</td>' if found.agrees else '<td class="warn">NOT EXPLAINED</td>'
    mark = ' class="differs"' if found.agrees is False else ""
    return (
        f'<tr{mark}><th scope="row">{escape(entry.place)}</th><td>{escape(at)}</td>'
        f'<td class="lines">{escape(entry.says + printed)}</td>'
        f'<td class="number">{short_number(found.ours)}</td>{verdict}</tr>'
    )


def _figure(name: str, draw: Callable[..., Figure]) -> str:
    drawn = draw()
    kind, data = "svg+xml", svg_bytes(drawn)
    if len(data) > _MOST_SVG:
        kind, data = "png", png_bytes(drawn)
    words = escape((draw.__doc__ or name).strip().splitlines()[0])
    return (
        f'<figure><img alt="{words}" src="data:image/{kind};base64,{b64encode(data).decode()}">'
        f"<figcaption>{escape(name)}. {words}</figcaption></figure>"
    )


def _table(table: Table) -> str:
    header = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.columns)
    rows = "".join(
        f'<tr><th scope="row">{escape(shown_cell(row[0]))}</th>'
        + "".join(f'<td class="lines">{escape(shown_cell(cell))}</td>' for cell in row[1:])
        + "</tr>"
        for row in table.rows
    )
    inside = f"<table><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table>"
    notes = "".join(f'<p class="caption">{escape(note)}</p>' for note in table.notes)
    return f"<h4>{escape(table.title)}</h4>{scroll_box(table.title, inside)}{notes}"


def _erratum(slug: str, number: int, erratum: Erratum) -> str:
    refusal = refusal_of(erratum)
    verdict = (
        f'<dd class="warn">NOT CONFIRMED: {escape(refusal)}</dd>'
        if refusal
        else "<dd>confirmed: the example shows what it says</dd>"
    )
    said = "".join(f"<dt>{name}</dt><dd>{escape(words)}</dd>" for name, words in erratum.sayings)
    return (
        f'<h4 id="{slug}-erratum-{number}">{erratum.kind.capitalize()} {number}. {escape(erratum.where)}</h4>'
        f"<dl>{said}<dt>verdict</dt>{verdict}</dl>"
    )


def short_number(number: Number) -> str:
    """A small fraction as such, anything else with six digits."""
    if isinstance(number, Fraction) and number.denominator <= 1000:
        return str(number)
    return f"{float(number):.6g}"
