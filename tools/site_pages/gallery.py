"""The gallery: a page a paper with its figures drawn anew, its tables, and its errata with their examples run."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from reproduce import PAPERS
from reproduce.helper import Paper, Table, shown_cell, svg_bytes

LEAD = (
    "Every figure and table of the five papers that Sfumato is built on, made anew by the calls that users have; "
    "`make papers` makes them on your machine, on one page."
)


def write_gallery(folder: Path, *, is_quick: bool) -> None:
    """Write the pages into a folder; quickly without figures, and without running what is said of print."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.md").write_text(_index(), encoding="utf-8")
    for key, paper in PAPERS.items():
        parts = [
            f"# {paper.title}",
            f"[{key}] in the [references](../references.bib). All of them: [errata](../errata.md).",
            "## Figures",
        ]
        for name, draw in paper.figures.items():
            parts.append(f"### {name.replace('-', ' ').capitalize()}")
            if is_quick:
                parts.append("*Not drawn: this is a quick build.*")
            else:
                (folder / f"{_name(key)}-{name}.svg").write_bytes(svg_bytes(draw()))
                parts.append(f"![{name.replace('-', ' ')} of “{paper.title}”, drawn anew]({_name(key)}-{name}.svg)")
        parts.append("## Tables")
        parts += [] if is_quick else [_table(make()) for make in paper.tables.values()]
        parts += ["## What differs from print", _errata(paper, is_quick=is_quick)]
        (folder / f"{_name(key)}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _name(key: str) -> str:
    return f"paper_{key.lower()}"


def _index() -> str:
    rows = ["| paper | figures | tables | entries on print |", "|---|---|---|---|"]
    rows += [
        f"| [{paper.title}]({_name(key)}.md) | {len(paper.figures)} | {len(paper.tables)} | {len(paper.errata)} |"
        for key, paper in PAPERS.items()
    ]
    return "\n\n".join(["# The papers, recomputed", LEAD, "\n".join(rows)]) + "\n"


def _table(table: Table) -> str:
    lines = [_row(table.columns), _row("---" for _ in table.columns)]
    lines += [_row(map(shown_cell, cells)) for cells in table.rows]
    notes = [f"*{note}*" for note in table.notes]
    return "\n\n".join([f"### {table.title}", "\n".join(lines), *notes])


def _row(cells) -> str:  # noqa: ANN001  any text
    return f"| {' | '.join(_plain(one) for one in cells)} |"


def _plain(text: str) -> str:
    """Text of formulas, in which nothing is markup."""
    for sign in "\\*_[]<>`|$":
        text = text.replace(sign, f"\\{sign}") if text != "---" else text
    return " ".join(text.split())


def _errata(paper: Paper, *, is_quick: bool) -> str:
    """Name each entry and its kind; what it says is on the page of theory."""
    run = "" if is_quick else " The example of each was run when this page was made."
    lines = [f"What each entry says: [theory](../theory/{paper.page}.md).{run}", ""]
    for number, erratum in enumerate(paper.errata, start=1):
        refused = "" if is_quick else erratum.refusal()
        if refused:
            raise SystemExit(f"{paper.title}, {erratum.where}: {refused}")
        lines.append(f"{number}. {erratum.kind.capitalize()}: {_plain(erratum.where)}")
    return "\n".join(lines)
