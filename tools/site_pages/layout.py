"""Lay the pages of the project out as the site has them, with links put right and a table of contents.

The pages are written to be read where they lie, so a link leads from file to file of the project. On the site the README
is the first page, the pages at the root are under `about`, and `docs/` is the rest. A link to a file that is no page is
a download; a link that leads nowhere is an error.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path, PurePosixPath

ABOUT = ("CHANGELOG", "CONTRIBUTING", "LIMITATIONS", "SECURITY")
# What the folders of docs/ are called in the contents, in the order of reading.
PARTS = (
    ("Tutorial", ("tutorial",)),
    ("How to", ("howto/*",)),
    ("Notebooks", ("notebooks/*",)),
    ("Explanation", ("theory/*",)),
    ("Reference", ("reference/cli", "reference/api", "reference/api/*", "reference/files", "glossary")),
    ("The papers", ("gallery/*", "errata")),
    ("About", ("comparison", "benchmarks", "policy", "suite", "about/*", "contents")),
)
LINK = re.compile(r"(\]\(|(?:href|src)=\")([^)\"\s]+)(?=[)\"])")
EXPLORER = re.compile(r"\[([^\]]*)\]\((?:[\w./]*/)?explorer\.html\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def lay_out(root: Path, pages: Path) -> None:
    """Copy every page and what pages show to a folder."""
    places = site_places(root)
    for source, place in places.items():
        to = pages / place
        to.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            to.write_text(put_right(source, root, places), encoding="utf-8")
        else:
            shutil.copyfile(source, to)


def site_places(root: Path) -> dict[Path, str]:
    """Return where each file of the project is on the site."""
    docs = root / "docs"
    skipped = {docs / "theme", docs / "notebooks"}
    left_out = {docs / "explorer.html", docs / "reference" / "vocabulary.toml"}
    places = {
        path: path.relative_to(docs).as_posix()
        for path in sorted(docs.rglob("*"))
        if path.is_file() and path not in left_out and not skipped & set(path.parents) and "__pycache__" not in path.parts
    }
    places[docs / "README.md"] = "contents.md"
    places[root / "README.md"] = "index.md"
    places[root / "LICENSE"] = "LICENSE"
    for name in ABOUT:
        places[root / f"{name}.md"] = f"about/{name.lower()}.md"
    return places


def put_right(page: Path, root: Path, places: dict[Path, str]) -> str:
    """Return a page's text with its links as they are on the site; what is code stays as it is."""
    text = page.read_text(encoding="utf-8")
    here = PurePosixPath(places[page]).parent

    def moved(match: re.Match[str]) -> str:
        target, hash_sign, anchor = match.group(2).partition("#")
        if not target or re.match(r"[a-z]+:", target) or found_explorer(target):
            return match.group(0)
        found = Path(os.path.normpath(page.parent / target))
        if found not in places:
            raise SystemExit(f"{page.relative_to(root)} links to {target}, which is not on the site")
        return match.group(1) + os.path.relpath(places[found], here) + hash_sign + anchor

    def prose(part: str) -> str:
        # The explorer is a finished page, of which Sphinx knows nothing.
        part = EXPLORER.sub(rf'<a href="{os.path.relpath("explorer.html", here)}">\1</a>', part)
        return LINK.sub(moved, part)

    kept = []
    end = 0
    for fence in FENCE.finditer(text):
        kept += [prose(text[end : fence.start()]), fence.group(0)]
        end = fence.end()
    kept.append(prose(text[end:]))
    return "".join(kept)


def found_explorer(target: str) -> bool:
    """Whether a link leads to the explorer already."""
    return target.endswith("explorer.html")


def contents(pages: Path) -> str:
    """Return the tables of contents that the first page carries, unseen: the side bar is made of them."""
    made = []
    for caption, patterns in PARTS:
        names: list[str] = []
        for pattern in patterns:
            found = sorted(pages.glob(f"{pattern}.md"), key=_order)
            names += [name for path in found if (name := path.relative_to(pages).with_suffix("").as_posix()) not in names]
        made.append("\n".join([f"```{{toctree}}\n:caption: {caption}\n:hidden:\n:titlesonly:\n", *names, "```"]))
    return "\n\n".join(made) + "\n"


def _order(path: Path) -> tuple[bool, str]:
    """By title, with first pages first."""
    title = re.search(r"^# (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return path.stem != "index", (title.group(1) if title else path.stem).lower()
