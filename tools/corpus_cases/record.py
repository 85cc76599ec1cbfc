"""The table of cases, and how values are written: plain JSON, with nothing in it that differs between two runs."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import sfumato as sf
from sfumato.errors import SfumatoError

CASES: dict[str, Callable[[], object]] = {}
"""The function of each case by its path, FAMILY/NAME."""
LONGEST_TEXT = 2000
LONGEST_LIST = 40
_WHOLE = 2**53


def case(path: str) -> Callable[[Callable[[], object]], Callable[[], object]]:
    """Add a function to the table of cases."""

    def add(made: Callable[[], object]) -> Callable[[], object]:
        if path in CASES:
            raise ValueError(f"two cases are called {path}")
        CASES[path] = made
        return made

    return add


def digest(data: bytes | str) -> str:
    """Return the SHA-256 of bytes or of a text."""
    return "sha256:" + hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def tried(make: Callable[[], object]) -> object:
    """Return what a function makes, or the class of the error with which it refuses."""
    try:
        return make()
    except SfumatoError as refused:
        return {"refused": type(refused).__name__}


def plain(value: Any) -> Any:
    """Return a value as JSON: fractions as texts, data classes as lists of what they hold, long things as digests."""
    if isinstance(value, Enum):
        return plain(value.value)
    if value is None or isinstance(value, bool | str):
        return digest(value) if isinstance(value, str) and len(value) > LONGEST_TEXT else value
    if isinstance(value, int | np.integer):
        return int(value) if abs(int(value)) < _WHOLE else str(int(value))
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, Fraction | Path):
        return _fraction(value) if isinstance(value, Fraction) else value.name
    return _composed(value)


def _fraction(value: Fraction) -> str:
    text = str(value)
    return text if len(text) <= LONGEST_TEXT else digest(text)


def _composed(value: Any) -> Any:
    if isinstance(value, bytes | bytearray):
        return digest(bytes(value))
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.ndarray):
        return listed(value.tolist())
    if isinstance(value, pa.Table):
        return table(value)
    if isinstance(value, sf.Certificate):
        return certificate(value)
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(one) for key, one in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(plain, value), key=str)
    if is_dataclass(value) and not isinstance(value, type):
        return [plain(getattr(value, field.name)) for field in fields(value) if not field.name.startswith("_")]
    if isinstance(value, list | tuple | range) or hasattr(value, "__iter__"):
        return listed(list(value))
    return _shown(value)


def _shown(value: object) -> str:
    shown = repr(value)
    if " at 0x" in shown:
        raise TypeError(f"{type(value).__name__} cannot be recorded")
    return shown


def listed(values: list[Any]) -> Any:
    """Return a list, or of a long one its length, its first entries and sums or a digest."""
    made = [plain(one) for one in values]
    if len(made) <= LONGEST_LIST:
        return made
    short: dict[str, Any] = {"length": len(made), "first": made[:5]}
    if all(isinstance(one, float) for one in made):
        # A digest would not allow for the last digit, in which libraries differ.
        short["sum"] = math.fsum(made)
        short["weighted sum"] = math.fsum(place * one for place, one in enumerate(made, 1))
    else:
        short["digest"] = digest(json.dumps(made, sort_keys=True))
    return short


def table(made: pa.Table) -> dict[str, Any]:
    """Return the columns of a table: their names, types and values, and a digest of the rows."""
    rows = made.to_pylist()
    return {
        "rows": made.num_rows,
        "columns": ", ".join(made.schema.names),
        "types": ", ".join(str(field.type) for field in made.schema),
        "values": {name: digest(json.dumps(_cells(made[name].to_pylist()))) for name in made.schema.names},
        "digest of rows": digest(json.dumps([_cells(list(row.values())) for row in rows])),
        "first rows": [json.dumps(_cells(list(row.values())), ensure_ascii=False) for row in rows[:3]],
    }


def _cells(values: list[Any]) -> list[Any]:
    return [one if one is None or isinstance(one, int | float | str | bool) else str(one) for one in values]


def claims(made: sf.Certificate) -> dict[str, Any]:
    """Return the values of a certificate, and a digest of its words."""
    document = json.loads(made.to_json())
    words = [[claim["sentence"], claim["because"], claim["unit"], claim["relation"]] for claim in document["claims"]]
    return {
        "schema": document["schema"],
        "values": {claim["measure"]: plain(claim["value"]) for claim in document["claims"]},
        "digest of words": digest(json.dumps([words, document["notes"]])),
    }


def certificate(made: sf.Certificate) -> dict[str, Any]:
    """Return a certificate as it stands in its file, without the seal and what is drawn afresh."""
    document = json.loads(made.to_json())
    document.pop("digest", None)
    document.pop("seal", None)
    document["sources"] = sorted(document["sources"])
    for drawn in ("salt", "commitment"):
        document["subject"].pop(drawn, None)
    document["claims"] = {claim.pop("measure"): claim for claim in document["claims"]}
    return plain(document)  # type: ignore[no-any-return]
