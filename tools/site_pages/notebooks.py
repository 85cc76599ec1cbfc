"""Notebooks as pages: what was written, what was run, what came out, pictures included."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

LEAD = (
    "Five short notebooks, one for each of the people that Sfumato is for. They are run from top to bottom by the slow "
    "suite, and what they show is what came out."
)


def write_notebooks(folder: Path, to: Path) -> None:
    """Write each notebook of a folder as a page."""
    to.mkdir(parents=True, exist_ok=True)
    lines = []
    for path in sorted(folder.glob("*.ipynb")):
        book = json.loads(path.read_text(encoding="utf-8"))
        (to / f"{path.stem}.md").write_text(_page(book, path.stem, to), encoding="utf-8")
        (to / path.name).write_bytes(path.read_bytes())
        lines.append(f"- [{_title(book)}]({path.stem}.md)")
    (to / "index.md").write_text("\n\n".join(["# Notebooks", LEAD, "\n".join(lines)]) + "\n", encoding="utf-8")


def _title(book: dict[str, Any]) -> str:
    first = "".join(book["cells"][0]["source"])
    return first.splitlines()[0].removeprefix("# ")


def _page(book: dict[str, Any], name: str, to: Path) -> str:
    parts = []
    for number, cell in enumerate(book["cells"]):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(re.sub(r"\]\(\.\./", "](../", source))
            continue
        parts.append(f"```python\n{source}\n```")
        for place, output in enumerate(cell.get("outputs", [])):
            parts += _shown(output, f"{name}-{number}-{place}", to)
    parts.insert(1, f"*[The notebook itself]({name}.ipynb).*")
    return "\n\n".join(parts) + "\n"


def _shown(output: dict[str, Any], name: str, to: Path) -> list[str]:
    if output["output_type"] == "stream":
        return [f"```text\n{''.join(output['text']).rstrip()}\n```"]
    data = output.get("data", {})
    if "image/png" in data:
        (to / f"{name}.png").write_bytes(base64.b64decode("".join(data["image/png"])))
        about = output.get("metadata", {}).get("alt") or "What the code above draws"
        return [f"![{about}]({name}.png)"]
    return [f"```text\n{''.join(data['text/plain']).rstrip()}\n```"] if "text/plain" in data else []
