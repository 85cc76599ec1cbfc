"""Draw the papers' figures anew, and compare every number with the print: python -m reproduce [A|B|C|D|E …]."""

from __future__ import annotations

import argparse
from pathlib import Path

from reproduce import PAPERS
from reproduce.helper import page_html, redraw, svg_bytes


def main() -> int:
    """Write the figures and the page. The exit code is 1 when a number or an example is not as it should be."""
    reader = argparse.ArgumentParser(prog="python -m reproduce", description=__doc__)
    reader.add_argument("papers", nargs="*", metavar="PAPER", help=f"any of {', '.join(PAPERS)}; all if none is named")
    reader.add_argument("--out", type=Path, default=Path("build/papers"), help="the folder (default: build/papers)")
    taken = reader.parse_args()
    unknown = [key for key in taken.papers if key not in PAPERS]
    if unknown:
        reader.error(f"{unknown[0]!r} is no paper. Choose from {', '.join(PAPERS)}.")
    taken.out.mkdir(parents=True, exist_ok=True)
    redrawn = []
    for key in dict.fromkeys(taken.papers or PAPERS):
        found = redraw(PAPERS[key])
        redrawn.append(found)
        for name, figure in found.figures.items():
            (taken.out / f"{key}-{name}.svg").write_bytes(svg_bytes(figure))
        print(
            f"[{key}] {found.paper.title}: {len(found.comparisons)} numbers, {len(found.refusals)} errata, "
            f"{len(found.figures)} figures, {len(found.tables)} tables"
        )
    page = taken.out / "index.html"
    page.write_text(page_html(redrawn), encoding="utf-8")
    failures = [failure for found in redrawn for failure in found.failures]
    print(*failures, f"wrote {page}", sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
