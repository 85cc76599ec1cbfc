"""The gallery: a page a paper with its figures drawn anew, its tables, and its errata with their examples run."""

from __future__ import annotations

from pathlib import Path

from sfumato.papers import PAPERS, Paper, Table, refusal_of, svg_bytes
from sfumato.papers.gallery import shown_cell

LEAD = (
    "Every figure and table of the five papers that Sfumato is built on, made anew by the calls that users have; "
    "`sfumato papers SLUG --out FOLDER` makes them on your machine, `sfumato papers --gallery FILE` one page of all."
)


def write_gallery(folder: Path, *, is_quick: bool) -> None:
    """Write the pages into a folder; quickly without figures, and without running what is said of print."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.md").write_text(_index(), encoding="utf-8")
    for slug, paper in PAPERS.items():
        parts = [
            f"# {paper.title}",
            f"[{paper.key}] in the [references](../references.bib). All of them: [errata](../errata.md).",
            "## Figures",
        ]
        for name, draw in paper.figures.items():
            parts.append(f"### {name.replace('-', ' ').capitalize()}")
            if is_quick:
                parts.append("*Not drawn: this is a quick build.*")
            else:
                (folder / f"{slug}-{name}.svg").write_bytes(svg_bytes(draw()))
                parts.append(f"![{name.replace('-', ' ')} of “{paper.title}”, drawn anew]({slug}-{name}.svg)")
        parts.append("## Tables")
        parts += [] if is_quick else [_table(make()) for make in paper.tables.values()]
        parts.append("## What differs from print")
        parts += [_erratum(number, paper, is_quick=is_quick) for number in range(len(paper.errata))]
        (folder / f"{slug}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _index() -> str:
    rows = ["| paper | figures | tables | entries on print |", "|---|---|---|---|"]
    rows += [
        f"| [{paper.title}]({slug}.md) | {len(paper.figures)} | {len(paper.tables)} | {len(paper.errata)} |"
        for slug, paper in PAPERS.items()
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


def _erratum(number: int, paper: Paper, *, is_quick: bool) -> str:
    erratum = paper.errata[number]
    lines = [f"### {erratum.kind.capitalize()} {number + 1}. {_plain(erratum.where)}", ""]
    lines += [f"- *{name}*: {_plain(words)}" for name, words in erratum.sayings]
    if not is_quick:
        refused = refusal_of(erratum)
        if refused:
            raise SystemExit(f"{paper.title}, {erratum.where}: {refused}")
        lines.append("- *verdict*: confirmed when this page was made")
    return "\n".join(lines)
