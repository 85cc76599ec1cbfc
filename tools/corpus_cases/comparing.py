"""Comparing two records value by value, and the list of differences that are meant."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

RELATIVE = 1e-12
"""By how large a part of itself a number with a decimal point may differ."""
Record = dict[str, dict[str, Any]]
"""The values of each case of each family."""


@dataclass(frozen=True)
class Difference:
    """A place at which two records differ."""

    path: str
    said: str

    def __str__(self) -> str:
        return f"{self.path}: {self.said}"


def write_family(folder: Path, family: str, cases: dict[str, Any]) -> None:
    """Write the cases of a family, one value a line."""
    text = json.dumps(cases, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    (folder / f"{family}.json").write_text(text + "\n", encoding="utf-8")


def read_folder(folder: Path, only: list[str] | None = None) -> Record:
    """Return what is written in a folder."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.json"))
        if only is None or path.stem in only
    }


def read_expected(path: Path) -> list[str]:
    """Return the patterns of the differences that are meant; each needs a reason."""
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("change", []) if path.exists() else []
    for entry in entries:
        if set(entry) != {"path", "reason"} or not entry["reason"].strip():
            raise ValueError(f"{path.name}: each [[change]] has a path and a reason, and nothing else: {entry}")
    return [entry["path"] for entry in entries]


def differences(kept: Record, found: Record) -> list[Difference]:
    """Return where two records differ; of a case that is in one alone, only that."""
    return list(_differing("", kept, found))


def unexpected(all_of_them: list[Difference], expected: list[str]) -> tuple[list[Difference], list[str]]:
    """Return the differences that no pattern covers, and the patterns that cover nothing."""
    used: set[str] = set()
    left = []
    for one in all_of_them:
        covering = [path for path in expected if fnmatchcase(one.path, path) or fnmatchcase(one.path, f"{path}/*")]
        used.update(covering)
        if not covering:
            left.append(one)
    return left, [path for path in expected if path not in used]


def _differing(path: str, kept: Any, found: Any) -> Iterator[Difference]:
    if isinstance(kept, dict) and isinstance(found, dict):
        for name in sorted({*kept, *found}):
            below = f"{path}/{name}" if path else name
            if name not in found:
                yield Difference(below, "is missing")
            elif name not in kept:
                yield Difference(below, "is new")
            else:
                yield from _differing(below, kept[name], found[name])
    elif isinstance(kept, list) and isinstance(found, list) and len(kept) == len(found):
        for place, (one, other) in enumerate(zip(kept, found, strict=True)):
            yield from _differing(f"{path}/{place}", one, other)
    elif not _is_same(kept, found):
        yield Difference(path, f"{_short(kept)} became {_short(found)}")


def _is_same(kept: Any, found: Any) -> bool:
    if type(kept) is not type(found):
        return False
    if isinstance(kept, float):
        return math.isclose(kept, found, rel_tol=RELATIVE, abs_tol=0)
    return bool(kept == found)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= 160 else f"{text[:160]}…"
