"""TOML read strictly and written so that it reads back: decimals keep their digits, a mistake is named by its place."""

from __future__ import annotations

import json
import re
import tomllib
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from sfumato.errors import Place, UnreadableFile
from sfumato.files.json_documents import NumberText

# The parser takes time quadratic in the parts of a key; no file of ours needs more than two.
_LONG_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){16}""", re.ASCII)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
# tomllib names the place in its message and nowhere else.
_PLACE = re.compile(r"\(at (line (\d+), column \d+|end of document)\)")


def parse_toml(text: str, path: str | Path) -> dict[str, object]:
    """Parse a file whose decimals stay text; only the place of a mistake is repeated, never what stands there."""
    long = _LONG_KEY.search(text)
    if long is not None:
        raise UnreadableFile(
            "has a key of more than 16 parts",
            place=Place(file=str(path), line=text.count("\n", 0, long.start()) + 1),
            way_out="Write each table under a head of its own.",
        )
    try:
        document: dict[str, object] = tomllib.loads(text, parse_float=NumberText)
    except RecursionError:
        raise UnreadableFile(
            "nests lists within lists too deeply", place=Place(file=str(path)), way_out="Flatten it."
        ) from None
    except ValueError as error:  # also a whole number of thousands of digits
        found = _PLACE.search(str(error))
        line = None if found is None else int(found[2]) if found[2] else text.rstrip().count("\n") + 1
        where = "" if found is None else f": something is wrong at {found[1]}"
        raise UnreadableFile(
            f"this is not TOML{where}",
            place=Place(file=str(path), line=line),
            way_out="Correct it there, or name the study file, which comes before the reports.",
        ) from None
    return document


def decimal_text(value: Fraction) -> str:
    """Write 0.375 where that is exact, else 1/3."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return str(value)
    exact = Context(prec=60).divide(Decimal(value.numerator), Decimal(value.denominator))
    return format(exact, "f")


def toml_text(value: str | list[str]) -> str:
    """Write text, or a list of texts."""
    # A TOML basic string and a JSON string agree on all that a study may hold.
    return json.dumps(value, ensure_ascii=False)


def _toml_key(text: str) -> str:
    return text if _BARE.fullmatch(text) else toml_text(text)


def toml_number(text: str) -> str:
    """Write a number that reads back as the same."""
    return toml_text(text) if "/" in text else text


def toml_value(value: bool | int | Fraction | str | list[str] | list[Fraction] | dict[str, Any]) -> str:
    """Write any value that a file may hold."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_toml_key(key)} = {toml_value(entry)}' for key, entry in value.items())} }}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Fraction):
        return toml_number(decimal_text(value))
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list) and any(isinstance(part, Fraction) for part in value):
        return f"[{', '.join(toml_number(decimal_text(Fraction(part))) for part in value)}]"
    return toml_text(value)  # type: ignore[arg-type]


def plain_value(value: Any) -> Any:
    """Return a value with exact decimals as text, in nested tables and lists too."""
    if isinstance(value, Fraction):
        return decimal_text(value)
    if isinstance(value, dict):
        return {key: plain_value(entry) for key, entry in value.items()}
    return [plain_value(entry) for entry in value] if isinstance(value, list) else value


def is_tables(value: Any) -> bool:
    """Whether a value is written as a table or as a list of tables."""
    return isinstance(value, dict) or (isinstance(value, list) and bool(value) and isinstance(value[0], dict))
