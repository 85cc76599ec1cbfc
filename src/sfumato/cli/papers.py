"""sfumato papers: the papers behind the software, recomputed beside the print."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.options import Json
from sfumato.cli.output import console, say, show_waiting, tell, tell_json

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sfumato.papers import Cell, Comparison, Erratum, Paper, Table
    from sfumato.values.checks import Number

# On a screen this wide a table is laid out with care: so much for a column of numbers, so much for one of text.
_WIDE, _NUMBERS, _TEXT = 118, 7, 14


def papers_command(
    slug: Annotated[
        str | None, typer.Argument(help="Which paper, for instance randomized-responses. Leave out to list them.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Draw its figures into this folder, as SVG and PNG; made if it is not there."),
    ] = None,
    gallery: Annotated[
        Path | None,
        typer.Option(help="Write one page with all figures, tables and errata, of every paper or of the one named."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Work figures, tables and claims out at another value than the paper's, for instance epsilon=2; "
            "several values with commas between. Repeat it for several names. An unknown name lists those there are.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Recompute a paper: its tables and claims beside the print, its errata with their examples run, its figures.

    Exit code 0 when every counter-example shows what it says, 1 when one does not, 2 when the call cannot be used.

    Example:

        sfumato papers randomized-responses --out figures
        sfumato papers successive-refinement --set epsilon=2 --set size=100
        sfumato papers --gallery gallery.html
    """
    from sfumato.errors import InvalidParameter
    from sfumato.papers import PAPERS, paper_at, paper_named, read_settings, refusal_of

    if settings and slug is None:
        raise InvalidParameter(
            "needs a paper",
            parameter="set",
            way_out=f"Name one of {', '.join(sorted(PAPERS))}: each has its own names.",
        )
    if gallery is not None:
        if out is not None:
            raise InvalidParameter(
                "has the figures on its page, so `out` has nothing to do", parameter="gallery", way_out="Give one."
            )
        shown = PAPERS if slug is None else {slug: paper_at(paper_named(slug), read_settings(settings or ()))}
        _write_gallery(gallery, shown, json=json)
        return
    if slug is None:
        if out is not None:
            raise InvalidParameter(
                "needs a paper to draw", parameter="out", way_out=f"Name one of {', '.join(sorted(PAPERS))}."
            )
        _list(json=json)
        return
    asked = read_settings(settings or ())
    paper = paper_at(paper_named(slug), asked)
    tables = {name: make() for name, make in paper.tables.items()}
    verdicts = [refusal_of(erratum) for erratum in paper.errata]
    claims = [entry.judge() for entry in paper.entries]
    written = [] if out is None else _draw(paper, slug, out)
    if json:
        document = {
            "schema": "sfumato/paper/1",
            "slug": slug,
            "key": paper.key,
            "title": paper.title,
            "settings": asked,
            "tables": {name: _table_json(table) for name, table in tables.items()},
            "entries": [_entry_json(claim) for claim in claims],
            "errata": [_erratum_json(*pair) for pair in zip(paper.errata, verdicts, strict=True)],
            "figures": sorted(paper.figures),
            "written": written,
        }
        tell_json(document)
    else:
        screen = console()
        screen.print(f"[bold]{paper.title}[/bold]  (\\[{paper.key}] in docs/references.bib)\n")
        for table in tables.values():
            screen.print(_table(table, wide=screen.width >= _WIDE))
        screen.print(_claims(paper, claims, moved=bool(asked)))
        for number, (erratum, refusal) in enumerate(zip(paper.errata, verdicts, strict=True), start=1):
            screen.print(_erratum(number, erratum, refusal))
    if any(verdicts):
        raise typer.Exit(1)


def _list(*, json: bool) -> None:
    from sfumato.papers import PAPERS

    if json:
        entries = [{"slug": slug, "key": paper.key, "title": paper.title} for slug, paper in sorted(PAPERS.items())]
        tell_json({"schema": "sfumato/papers/1", "papers": entries})
        return
    for slug, paper in sorted(PAPERS.items()):
        tell(f"{slug}  [{paper.key}] {paper.title}")


def _write_gallery(path: Path, papers: Mapping[str, Paper], *, json: bool) -> None:
    from sfumato.files import write_atomically
    from sfumato.papers.gallery import gallery_html

    with show_waiting("recomputing the papers"):
        write_atomically(path, gallery_html(papers))
    if json:
        document = {"schema": "sfumato/gallery/1", "papers": sorted(papers), "page": str(path)}
        tell_json(document)
    else:
        tell(f"wrote {path}")


def _draw(paper: Paper, slug: str, folder: Path) -> list[str]:
    from sfumato.errors import InvalidParameter
    from sfumato.files import write_atomically
    from sfumato.papers import png_bytes, svg_bytes

    standing = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    if not standing.is_dir():
        raise InvalidParameter(
            f"cannot be a folder: {standing} is a file", parameter="out", value=str(folder), way_out="Name a folder."
        )
    # Everything is drawn before anything is written, so a failure leaves nothing behind.
    files: dict[Path, bytes] = {}
    for name, draw in paper.figures.items():
        figure = draw()
        files[folder / f"{slug}-{name}.svg"] = svg_bytes(figure)
        files[folder / f"{slug}-{name}.png"] = png_bytes(figure)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidParameter(
            f"cannot be made: {error.strerror}",
            parameter="out",
            value=str(folder),
            way_out="Choose another folder.",
        ) from None
    for path, data in files.items():
        write_atomically(path, data)
        say(f"wrote {path}")
    return [str(path) for path in files]


def _table(table: Table, *, wide: bool) -> RenderableType:
    from rich.console import Group
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(title=table.title, title_justify="left", show_lines=True)
    for column, cells in zip(table.columns, zip(*table.rows, strict=True), strict=True):
        least, most = _widths(cells) if wide else (None, None)
        grid.add_column(Text(column), overflow="fold", min_width=least, max_width=most)
    for row in table.rows:
        grid.add_row(*(Text(_shown(cell)) for cell in row))
    return Group(grid, *(Text(f"Note: {note}") for note in table.notes), Text())


def _claims(paper: Paper, claims: list[Comparison], *, moved: bool) -> RenderableType:
    """What the print says, claim by claim, beside ours; where the two differ, which entry of the errata says why."""
    from rich.console import Group
    from rich.table import Table as Grid
    from rich.text import Text

    numbers = {erratum.where: f"{erratum.kind} {i}" for i, erratum in enumerate(paper.errata, start=1)}
    grid = Grid(title="Claim by claim: print beside ours", title_justify="left", show_lines=True)
    for column in ("where", "what", "the print", "ours", "verdict"):
        grid.add_column(column, overflow="fold")
    for found in claims:
        entry = found.entry
        sign = "" if entry.relation == "=" else f"{entry.relation} "
        printed = "" if found.printed is None else f"\n{sign}{_number(found.printed)}"
        verdict = {None: "no number in print", True: "agrees", False: "differs"}[found.agrees]
        if found.agrees is False and entry.erratum in numbers:
            verdict = f"differs: {numbers[entry.erratum]}"
        elif found.agrees is False and not moved:
            verdict = "NOT EXPLAINED"
        at = f"{entry.what}, {entry.parameter} = {_number(entry.value)}"
        grid.add_row(*map(Text, (entry.place, at, f"{entry.says}{printed}", _number(found.ours), verdict)))
    return Group(grid, Text())


def _widths(cells: tuple[Cell, ...]) -> tuple[int | None, int | None]:
    """Where there is room, formulas keep to their lines and the other columns leave it to them."""
    lines = [line for cell in cells for line in _shown(cell).split("\n") if "\n" in _shown(cell)]
    if lines:
        return max(map(len, lines)), None
    return None, _TEXT if any(isinstance(cell, str) for cell in cells) else _NUMBERS


def _erratum(number: int, erratum: Erratum, refusal: str) -> RenderableType:
    from rich.console import Group
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid.grid(padding=(0, 2))
    for name, said in erratum.sayings:
        grid.add_row(Text(f"  {name}"), Text(said))
    verdict = Text(f"NOT CONFIRMED: {refusal}", "bold red") if refusal else Text("confirmed", "green")
    grid.add_row(Text("  verdict"), verdict)
    return Group(Text(f"{erratum.kind.capitalize()} {number}. {erratum.where}", style="bold"), grid, Text())


def _table_json(table: Table) -> dict[str, object]:
    rows = [[cell if isinstance(cell, float) else str(cell) for cell in row] for row in table.rows]
    return {"title": table.title, "columns": list(table.columns), "rows": rows, "notes": list(table.notes)}


def _entry_json(found: Comparison) -> dict[str, object]:
    return {
        "place": found.entry.place,
        "what": found.entry.what,
        "parameter": found.entry.parameter,
        "value": float(found.entry.value),
        "says": found.entry.says,
        "relation": found.entry.relation,
        "printed": None if found.printed is None else float(found.printed),
        "ours": float(found.ours),
        "agrees": found.agrees,
        "erratum": found.entry.erratum,
    }


def _erratum_json(erratum: Erratum, refusal: str) -> dict[str, object]:
    return {
        "where": erratum.where,
        "kind": erratum.kind,
        "quoted": erratum.quoted,
        "reading": erratum.reading,
        "printed": erratum.printed,
        "correct": erratum.correct,
        "counter_example": erratum.counter_example,
        "confirmed": not refusal,
        "because": refusal,
    }


def _number(number: Number) -> str:
    from sfumato.papers.gallery import short_number

    return short_number(number)


def _shown(cell: Cell) -> str:
    from sfumato.papers.gallery import shown_cell

    return shown_cell(cell)
