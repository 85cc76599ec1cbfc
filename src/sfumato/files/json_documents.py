"""JSON read strictly: numbers keep their decimal text, a key stands once, a schema comes from a closed table."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Collection
from fractions import Fraction
from pathlib import Path
from typing import Never

from sfumato.errors import UnknownSchema, UnreadableFile
from sfumato.files.csv_tables import decode_text
from sfumato.files.numbers import parse_count, parse_number
from sfumato.files.texts import short


class NumberText(str):
    """A JSON number as it is written; what it means is decided where it is used."""

    __slots__ = ()


class _Broken(Exception):
    """Carries a sentence out of the parser, which knows no file name."""


def read_json(data: bytes, path: str | Path, *, discreet: bool = False) -> object:
    """Parse a document; every number in it is a `NumberText`. When discreet, no key is ever repeated.

    Endless nesting ends in a RecursionError, here or where the document is used; readers catch it in one place.
    """
    text = decode_text(data, path)
    number = functools.lru_cache(maxsize=2**16)(NumberText)
    try:
        return json.loads(
            text,
            parse_float=number,
            parse_int=number,
            parse_constant=_refuse_constant,
            object_pairs_hook=_refuse_duplicates,
        )
    except _Broken as broken:
        sentence = "holds NaN or infinity, or the same key twice. Correct it" if discreet else str(broken)
        raise UnreadableFile(f"file {path} {sentence}.") from None
    except json.JSONDecodeError as error:
        raise UnreadableFile(
            f"file {path} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}. Correct it there."
        ) from None


def too_deep(path: str | Path) -> str:
    """Say that a document nests without end."""
    return f"file {path} nests lists within lists too deeply. A channel is a list of rows; flatten it."


def check_schema(document: dict[str, object], path: str | Path, *, kind: str, version: int = 1) -> None:
    """Refuse every schema but `sfumato/<kind>/<version>`, telling a newer one from a stranger."""
    schema = document.get("schema")
    expected = f"sfumato/{kind}/{version}"
    if schema == expected:
        return
    newer = re.fullmatch(rf"sfumato/{kind}/([0-9]+)", schema) if isinstance(schema, str) else None
    if newer:
        raise UnknownSchema(
            f"file {path} has the schema {short(schema)}, and this version reads {expected}. Upgrade sfumato, or write "
            f"the file again with this version."
        )
    raise UnknownSchema(
        f"file {path} needs the entry schema: {expected}, and has another or none. Add it, or hand the file to the "
        f"command it was made for; if it was written by a newer sfumato, upgrade."
    )


def check_keys(
    document: dict[str, object], path: str | Path, *, known: Collection[str], needed: Collection[str]
) -> None:
    """Refuse unknown keys and missing ones by name."""
    for key in document:
        if key not in known:
            raise UnreadableFile(
                f"file {path} has the key {short(key)}, which is not known here. Use only: {', '.join(known)}."
            )
    for key in needed:
        if key not in document:
            raise UnreadableFile(f"file {path} lacks the key {key}. Add it.")


def as_list(value: object, where: str) -> list[object]:
    """Return a list, or refuse by name."""
    if not isinstance(value, list):
        raise UnreadableFile(f"{where} must be a list, like [0.5, 0.5].")
    return value


def as_fraction(value: object, where: str) -> Fraction:
    """Read a JSON number, or text such as "1/3"."""
    if not isinstance(value, str):
        raise UnreadableFile(f'{where} must be a number, or a fraction as text like "1/3".')
    return parse_number(value, where)


def as_count(value: object, where: str, *, most: int) -> int:
    """Read a whole JSON number from 0 to `most`."""
    if not isinstance(value, NumberText):
        raise UnreadableFile(f"{where} must be a whole number from 0 to {most}. Write it without quotes.")
    return parse_count(value, where, most=most)


def _refuse_constant(name: str) -> Never:
    raise _Broken(f"holds {name}, which is no number. Check how it was computed; a probability lies in [0, 1]")


def _refuse_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    document = dict(pairs)
    if len(document) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Broken(f"has the key {short(key)} twice. Keep one of the two")
            seen.add(key)
    return document
