"""Lay the pages of the project out as the site has them, with links put right and a table of contents.

The pages are written to be read where they lie, so a link leads from file to file of the project. On the site the
README is the first page, the pages at the root are under `about`, and `docs/` is the rest. A link to a file that is no
page is a download; a link that leads nowhere is an error.
"""

from __future__ import annotations

import os
import re
import shutil
from functools import partial
from pathlib import Path, PurePosixPath

ABOUT = ("CHANGELOG", "CONTRIBUTING", "LIMITATIONS", "SECURITY")
# The side bar: what stands under which caption, and which pages have others under them.
PARTS = (
    ("Learn", ("overview", "demo", "tutorial", "howto/index", "notebooks/index")),
    ("Understand", ("trust", "architecture", "theory/index", "gallery/index", "errata", "glossary")),
    ("Look up", ("reference/cli", "reference/api", "reference/files", "benchmarks")),
    ("About", ("comparison", "policy", "suite", "about/*", "contents")),
)
UNDER = {page: f"{folder}/*" for page, folder in (
    ("howto/index", "howto"), ("notebooks/index", "notebooks"), ("theory/index", "theory"),
    ("gallery/index", "gallery"), ("reference/api", "reference/api"),
)}  # fmt: skip
# Pages made of a section of docs/README.md.
OVERVIEWS = {"How to": "howto", "Theory": "theory"}
LINK = re.compile(r"(\]\(|(?:href|src)=\")([^)\"\s]+)(?=[)\"])")
RELATIVE = re.compile(r"\]\((?!https?:)([^)]+)\)")
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
    write_overviews(pages)


def site_places(root: Path) -> dict[Path, str]:
    """Return where each file of the project is on the site."""
    docs = root / "docs"
    skipped = {docs / "theme", docs / "notebooks"}
    places = {
        path: path.relative_to(docs).as_posix()
        for path in sorted(docs.rglob("*"))
        if path.is_file() and not skipped & set(path.parents) and "__pycache__" not in path.parts
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
        if not target or re.match(r"[a-z]+:", target):
            return match.group(0)
        found = Path(os.path.normpath(page.parent / target))
        if found.suffix == ".ipynb" and found.exists():  # a page is made of it
            return match.group(1) + os.path.relpath(f"notebooks/{found.stem}.md", here)
        if found not in places:
            raise SystemExit(f"{page.relative_to(root)} links to {target}, which is not on the site")
        return match.group(1) + os.path.relpath(places[found], here) + hash_sign + anchor

    kept = []
    end = 0
    for fence in FENCE.finditer(text):
        kept += [LINK.sub(moved, text[end : fence.start()]), fence.group(0)]
        end = fence.end()
    kept.append(LINK.sub(moved, text[end:]))
    return "".join(kept)


def write_overviews(pages: Path) -> None:
    """Write the first page of how-tos and of theory: what the contents say about them."""
    text = (pages / "contents.md").read_text(encoding="utf-8")
    for title, folder in OVERVIEWS.items():
        section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        if section:
            inside = RELATIVE.sub(partial(_moved_link, folder), section.group(1))
            (pages / folder / "index.md").write_text(f"# {title}\n{inside}", encoding="utf-8")


def _moved_link(folder: str, link: re.Match[str]) -> str:
    return f"]({os.path.relpath(link.group(1), folder)})"


def write_contents(pages: Path) -> None:
    """Write what the side bar is made of into the first page, and into those that have others under them."""
    for page, pattern in UNDER.items():
        found = sorted(pages.glob(f"{pattern}.md"), key=_order)
        names = [path.stem if page.endswith("index") else f"api/{path.stem}" for path in found if path.stem != "index"]
        _append(pages / f"{page}.md", _toctree(names))
    for caption, patterns in PARTS:
        found = [path for pattern in patterns for path in sorted(pages.glob(f"{pattern}.md"))]
        names = [path.relative_to(pages).with_suffix("").as_posix() for path in found]
        _append(pages / "index.md", _toctree(names, caption))


def _append(page: Path, text: str) -> None:
    if page.exists():
        with page.open("a", encoding="utf-8") as end:
            end.write(f"\n{text}")


def _toctree(names: list[str], caption: str = "") -> str:
    heading = f":caption: {caption}\n" if caption else ""
    return "\n".join([f"```{{toctree}}\n{heading}:hidden:\n:titlesonly:\n", *names, "```"]) + "\n"


def _order(path: Path) -> str:
    """Notebooks are numbered; the rest goes by title."""
    if path.stem[0].isdigit():
        return path.stem
    title = re.search(r"^# (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return (title.group(1) if title else path.stem).lower()
