"""What the papers share: comparisons with the print, errata that run, drawing, and the page of all of it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from io import BytesIO
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.figure import Figure

from sfumato.display.pages import page_frame
from sfumato.display.tables import scroll_box
from sfumato.errors import ClaimRefused, Refused, printable_lines
from sfumato.numbers.checks import Number

# --- Records

# Fractions are exact and shown as such; floats are rounded where they are shown.
Cell = str | Fraction | float

ErratumKind = Literal["error", "missing hypothesis", "unit or notation", "gap in a proof", "question settled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with what the print says and what comes out; `rows` hold one cell for each of `columns`."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that the print says beside ours; both are functions of a parameter, which has a value in the paper.

    `at` has the place (a figure, a table or a passage), what is compared, the parameter and its value. `relation` is
    what the print says of ours: that it equals the printed number, is at most or is at least that. Where `printed` is
    None the print has words only. `erratum` is the `where` of the erratum that explains why print and ours do not
    agree, and None when they do.
    """

    at: tuple[str, str, str, Any]
    ours: Callable[[Any], Number]
    says: str
    printed: Callable[[Any], Number] | None = None
    relation: Literal["=", "≤", "≥"] = "="
    tolerance: float = 1e-9
    erratum: str | None = None

    @property
    def place(self) -> str:
        """A figure, a table or a passage."""
        return self.at[0]

    @property
    def what(self) -> str:
        """What is compared."""
        return self.at[1]

    def judge(self) -> Comparison:
        """Work out both sides where the paper stands."""
        value = self.at[3]
        ours = self.ours(value)
        if self.printed is None:
            return Comparison(self, ours, None, None)
        printed = self.printed(value)
        excess = float(ours - printed)
        holds = {"=": abs(excess) <= self.tolerance, "≤": excess <= self.tolerance, "≥": excess >= -self.tolerance}
        return Comparison(self, ours, printed, holds[self.relation])


@dataclass(frozen=True, slots=True)
class Comparison:
    """An entry with its numbers; `agrees` is None where the print has no number."""

    entry: Entry
    ours: Number
    printed: Number | None
    agrees: bool | None

    @property
    def is_explained(self) -> bool:
        """Whether an erratum is named exactly where print and ours do not agree."""
        return (self.agrees is False) == (self.entry.erratum is not None)


@dataclass(frozen=True, slots=True)
class Erratum:
    """Where the software departs from print. `check` runs the example and raises unless it shows what it says.

    What is printed, what is right and the example in words are on the paper's page in docs/theory, under `where`.
    """

    where: str
    kind: ErratumKind
    check: Callable[[], None]

    def refusal(self) -> str:
        """Run the example: empty when it shows what it says, else why it does not."""
        try:
            self.check()
        except Refused as error:
            return str(error)
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A paper by its letter in docs/references.bib; figures and tables are functions with the paper's values."""

    key: str
    title: str
    page: str  # of its errata, in docs/theory
    figures: Mapping[str, Callable[[], Figure]]
    tables: Mapping[str, Callable[[], Table]]
    errata: tuple[Erratum, ...]
    entries: tuple[Entry, ...]


def must_show(what: str, *, holds: bool) -> None:
    """Raise unless an example shows what it says."""
    if not holds:
        raise ClaimRefused(
            f"the counter-example does not show that {what}", way_out="The print may be right after all."
        )


# --- Drawing: one style, and files that come out the same, byte for byte, each time they are drawn

# Okabe and Ito's colours, told apart by colour-blind readers too; line styles differ as well, for paper.
BLUE, VERMILION, GREEN, BLACK, GREY = "#0072B2", "#D55E00", "#009E73", "#1d2733", "#6b7680"
SURFACE = "cividis"

_STYLE = {
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.labelcolor": BLACK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10.5,
    "figure.constrained_layout.use": True,
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that every machine has it
    "font.size": 10,
    "grid.color": "#e3e0d8",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "savefig.dpi": 160,
    "svg.fonttype": "path",
    "svg.hashsalt": "sfumato",
    "text.color": BLACK,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": BLACK,
    "ytick.labelcolor": BLACK,
}


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of so many inches."""
    return Figure(figsize=(width, height))


def floats(values: Iterable[Number]) -> list[float]:
    """Return exact numbers as an axis wants them."""
    return [float(value) for value in values]


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in our style, whatever the user's own settings are, and leave those as they were."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        yield


def svg_bytes(figure: Figure) -> bytes:
    """Return the figure as SVG: no date, no random names."""
    return _saved(figure, "svg", {"Date": None, "Creator": "Sfumato"})


def png_bytes(figure: Figure) -> bytes:
    """Return the figure as PNG."""
    return _saved(figure, "png", {"Software": "Sfumato"})


def _saved(figure: Figure, kind: str, metadata: dict[str, str | None]) -> bytes:
    stream = BytesIO()
    with house_style():
        figure.savefig(stream, format=kind, metadata=metadata)
    return stream.getvalue()


# --- The page

# A drawing with more than this is a surface of many small facets; its pixels are lighter.
_MOST_SVG = 200_000
_PAGE_STYLE = """
td.agrees{color:var(--s2)}tr.differs td,tr.differs th{background:var(--pane)}
"""


@dataclass(frozen=True, slots=True)
class Redrawn:
    """A paper worked out: every comparison, what each erratum's example says, figures as SVG, and tables."""

    paper: Paper
    comparisons: tuple[Comparison, ...]
    refusals: tuple[str, ...]
    tables: Mapping[str, Table]
    figures: Mapping[str, Figure]

    @property
    def failures(self) -> list[str]:
        """A sentence for each number without an explanation and for each example that fails."""
        numbers = [
            f"{one.entry.place}, {one.entry.what}: ours is {short_number(one.ours)}, print is "
            f"{'in words' if one.printed is None else short_number(one.printed)}, erratum: {one.entry.erratum}."
            for one in self.comparisons
            if not one.is_explained
        ]
        examples = [
            f"{erratum.where}: {refusal}"
            for erratum, refusal in zip(self.paper.errata, self.refusals, strict=True)
            if refusal
        ]
        return [f"[{self.paper.key}] {one}" for one in (*numbers, *examples)]


def redraw(paper: Paper) -> Redrawn:
    """Work out everything that a paper has."""
    return Redrawn(
        paper,
        tuple(entry.judge() for entry in paper.entries),
        tuple(erratum.refusal() for erratum in paper.errata),
        {name: make() for name, make in paper.tables.items()},
        {name: draw() for name, draw in paper.figures.items()},
    )


def page_html(redrawn: Iterable[Redrawn]) -> str:
    """Return one page with every figure, table, comparison and erratum."""
    papers = list(redrawn)
    links = "".join(f'<li><a href="#{one.paper.key}">{escape(one.paper.title)}</a></li>' for one in papers)
    shown = "".join(map(_section, papers))
    page = page_frame(
        "The papers, recomputed",
        "<header><h1>The papers, recomputed</h1>"
        '<p class="lead">Every number in the column “ours” comes from calls that users have. Where it is not the '
        "printed one, an entry says of what kind the difference is (only an error is called one), and its example was "
        "run for this page.</p></header>"
        f'<nav aria-label="Papers"><ul class="plain">{links}</ul></nav><main>{shown}</main>',
        _PAGE_STYLE,
    )
    return printable_lines(page)


def shown_cell(cell: Cell) -> str:
    """Fractions are exact and shown as such; floats are rounded."""
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)


def short_number(number: Number) -> str:
    """A small fraction as such, anything else with six digits."""
    if isinstance(number, Fraction) and number.denominator <= 1000:
        return str(number)
    return f"{float(number):.6g}"


def _section(found: Redrawn) -> str:
    paper = found.paper
    numbers = {one.where: f"{one.kind.capitalize()} {i}" for i, one in enumerate(paper.errata, start=1)}
    compared = _grid(
        ("where", "what", "print", "ours", "why"),
        "".join(_comparison(paper.key, one, numbers) for one in found.comparisons),
    )
    pairs = zip(paper.errata, found.refusals, strict=True)
    errata = "".join(_erratum(paper.key, numbers[one.where], one, refusal) for one, refusal in pairs)
    figures = "".join(
        _figure(name, paper.figures[name].__doc__ or name, drawn) for name, drawn in found.figures.items()
    )
    return (
        f'<section aria-labelledby="{paper.key}"><h2 id="{paper.key}">{escape(paper.title)}</h2><p>[{paper.key}] in '
        f"docs/references.bib</p><h3>Print beside ours</h3>{scroll_box(f'Print beside ours, {paper.key}', compared)}"
        f"<h3>Figures</h3>{figures}<h3>Tables</h3>{''.join(map(_table, found.tables.values()))}"
        f"<h3>Errata</h3><p>In words: docs/theory/{paper.page}.md</p>"
        f"{scroll_box(f'Errata, {paper.key}', _grid(('entry', 'where', 'example'), errata))}</section>"
    )


def _grid(columns: Iterable[str], rows: str) -> str:
    header = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    return f"<table><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table>"


def _comparison(key: str, found: Comparison, numbers: Mapping[str, str]) -> str:
    entry = found.entry
    place, what, parameter, value = entry.at
    sign = "" if entry.relation == "=" else f"{entry.relation} "
    printed = "" if found.printed is None else f"\n{sign}{short_number(found.printed)}"
    if not found.is_explained:
        verdict = '<td class="warn">NOT EXPLAINED</td>'
    elif entry.erratum is not None:
        verdict = f'<td><a href="#{_anchor(key, numbers[entry.erratum])}">{numbers[entry.erratum]}</a></td>'
    elif found.agrees is None:
        verdict = "<td>no number in print</td>"
    else:
        verdict = '<td class="agrees">none: agrees</td>'
    mark = ' class="differs"' if found.agrees is False else ""
    return (
        f'<tr{mark}><th scope="row">{escape(place)}</th>'
        f"<td>{escape(f'{what}, {parameter} = {short_number(value)}')}</td>"
        f'<td class="lines">{escape(entry.says + printed)}</td>'
        f'<td class="number">{short_number(found.ours)}</td>{verdict}</tr>'
    )


def _figure(name: str, words: str, drawn: Figure) -> str:
    kind, data = "svg+xml", svg_bytes(drawn)
    if len(data) > _MOST_SVG:
        kind, data = "png", png_bytes(drawn)
    words = escape(words.strip().splitlines()[0])
    return (
        f'<figure><img alt="{words}" src="data:image/{kind};base64,{b64encode(data).decode()}">'
        f"<figcaption>{escape(name)}. {words}</figcaption></figure>"
    )


def _table(table: Table) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escape(shown_cell(row[0]))}</th>'
        + "".join(f'<td class="lines">{escape(shown_cell(cell))}</td>' for cell in row[1:])
        + "</tr>"
        for row in table.rows
    )
    notes = "".join(f'<p class="caption">{escape(note)}</p>' for note in table.notes)
    return f"<h4>{escape(table.title)}</h4>{scroll_box(table.title, _grid(table.columns, rows))}{notes}"


def _erratum(key: str, number: str, erratum: Erratum, refusal: str) -> str:
    verdict = f'<td class="warn">NOT CONFIRMED: {escape(refusal)}</td>' if refusal else "<td>shows what it says</td>"
    return (
        f'<tr id="{_anchor(key, number)}"><th scope="row">{number}</th><td>{escape(erratum.where)}</td>{verdict}</tr>'
    )


def _anchor(key: str, number: str) -> str:
    return f"{key}-{number.replace(' ', '-')}"
