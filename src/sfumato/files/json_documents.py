"""JSON read strictly: numbers keep their decimal text, a key stands once, a schema comes from a closed table."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Collection
from fractions import Fraction
from pathlib import Path
from typing import Never

from sfumato.errors import Place, UnknownSchema, UnreadableFile
from sfumato.files.csv_tables import decode_text
from sfumato.files.numbers import parse_count, parse_number
from sfumato.files.texts import short


class NumberText(str):
    """A JSON number as it is written; what it means is decided where it is used."""

    __slots__ = ()


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
    except UnreadableFile as error:
        vague = UnreadableFile("the file holds NaN or infinity, or the same key twice", way_out="Correct it.")
        raise (vague if discreet else error).at(Place(file=str(path))) from None
    except json.JSONDecodeError as error:
        raise UnreadableFile(
            f"the file is not JSON: {error.msg} at column {error.colno}",
            way_out="Correct it there.",
            place=Place(file=str(path), line=error.lineno),
        ) from None


def too_deep(path: str | Path) -> UnreadableFile:
    """Return the refusal of a document that nests without end."""
    return UnreadableFile(
        "the file nests lists within lists too deeply",
        way_out="A channel is a list of rows; flatten it.",
        place=Place(file=str(path)),
    )


def check_schema(document: dict[str, object], path: str | Path, *, kind: str, version: int = 1) -> None:
    """Refuse every schema but `sfumato/<kind>/<version>`, telling a newer one from a stranger."""
    schema = document.get("schema")
    expected = f"sfumato/{kind}/{version}"
    if schema == expected:
        return
    other = re.fullmatch(rf"sfumato/{kind}/([0-9]{{1,9}})", schema) if isinstance(schema, str) else None
    if other:
        is_newer = int(other[1]) > version
        raise UnknownSchema(
            f"the file has the schema {short(schema)}, which is {'newer' if is_newer else 'older'} than {expected}, "
            f"which this version reads",
            way_out="Upgrade sfumato to read it." if is_newer else "Write the file again with this version.",
            place=Place(file=str(path)),
        )
    raise UnknownSchema(
        f"the file needs the entry schema: {expected}, and has another or none",
        way_out="Add it, or hand the file to the command it was made for; if it was written by a newer sfumato, "
        "upgrade.",
        place=Place(file=str(path)),
    )


def check_keys(
    document: dict[str, object], path: str | Path, *, known: Collection[str], needed: Collection[str]
) -> None:
    """Refuse unknown keys and missing ones by name."""
    for key in document:
        if key not in known:
            raise UnreadableFile(
                f"the file has the key {short(key)}, which is not known here",
                way_out=f"Use only: {', '.join(known)}.",
                place=Place(file=str(path)),
            )
    for key in needed:
        if key not in document:
            raise UnreadableFile(f"the file lacks the key {key}", way_out="Add it.", place=Place(file=str(path)))


def as_list(value: object, what: str, place: Place | None = None) -> list[object]:
    """Return a list, or refuse by name."""
    if not isinstance(value, list):
        raise UnreadableFile(f"{what} must be a list", way_out="Write it like [0.5, 0.5].", place=place)
    return value


def as_fraction(value: object, what: str, place: Place | None = None) -> Fraction:
    """Read a JSON number, or text such as "1/3"."""
    if not isinstance(value, str):
        raise UnreadableFile(f"{what} must be a number", way_out='Write it like 0.5, or as text "1/3".', place=place)
    return parse_number(value, what, place)


def as_count(value: object, what: str, place: Place | None = None, *, most: int) -> int:
    """Read a whole JSON number from 0 to `most`."""
    if not isinstance(value, NumberText):
        raise UnreadableFile(
            f"{what} must be a whole number from 0 to {most}", way_out="Write it without quotes.", place=place
        )
    return parse_count(value, what, place, most=most)


def _refuse_constant(name: str) -> Never:
    raise UnreadableFile(
        f"the file holds {name}, which is no number",
        way_out="Check how it was computed; a probability lies in [0, 1].",
    )


def _refuse_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    document = dict(pairs)
    if len(document) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise UnreadableFile(f"the file has the key {short(key)} twice", way_out="Keep one of the two.")
            seen.add(key)
    return document
