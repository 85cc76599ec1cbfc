"""Strict JSON and TOML: decimals keep their digits, and a key occurs once."""

from __future__ import annotations

import functools
import json
import re
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Never

from sfumato.errors import Place, UnknownSchema, UnreadableFile
from sfumato.files.texts import decode_text, short
from sfumato.numbers.exact import parse_count, parse_number


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
    """Refuse every schema but `sfumato/<kind>/<version>`; the error for a newer version says so."""
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


# --- TOML read strictly and written so that it reads back: decimals keep their digits, an error names its place


# The parser takes time quadratic in the parts of a key; our files have at most two.
_LONG_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){16}""", re.ASCII)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
# tomllib gives the place only in its message.
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


# --- The line of a table or key in a TOML file, for errors; the parser does not keep lines


# A string is skipped as a whole, so that its text is not read as a bracket or a comment.
_PIECE = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|\#[^\n]*|[\[{]|[\]}]|\n|[^\S\n]+'
    r"|[^\"'#\[\]{}\s]+|.",
    re.DOTALL,
)
_HEAD = re.compile(r"\s*(\[\[?)\s*([^\]#]*?)\s*\]")
_KEY = re.compile(r"""\s*("[^"\n]*"|'[^'\n]*'|[^\s=.#"']+)\s*(?:\.\s*("[^"\n]*"|'[^'\n]*'|[^\s=.#"']+)\s*)?=""")


@dataclass(frozen=True, slots=True)
class _Statement:
    """A head or a key with its value; `key` is None at a head, `table` is empty before the first."""

    line: int
    table: str
    index: int
    key: str | None


def line_of(text: str, table: str, index: int, key: str | None) -> int | None:
    """Return the line of a key in a table, else that of the table; the table "" is the file itself.

    Of a table that is written within one value, as `questions = [{…}]`, the line of that value.
    """
    found = None
    if not table and key is None:
        return None
    for here in _statements(text):
        if (here.table, here.index) == (table, index) and (key is None or here.key in (key, None)):
            if here.key == key:
                return here.line
            found = here.line
        elif not here.table and table and here.key == table and found is None:
            found = here.line
    return found


def _statements(text: str) -> Iterator[_Statement]:
    table, index, seen = "", 0, dict[str, int]()
    for line, statement in _lines(text):
        head = _HEAD.match(statement)
        if head:
            table = head[2].strip("\"' ")
            seen[table] = index = seen.get(table, -1) + 1
            yield _Statement(line, table, index, None)
            continue
        named = _KEY.match(statement)
        if named:
            first, second = (None if part is None else part.strip("\"'") for part in named.groups())
            if second is not None and not table:  # public.epsilon = 0.5
                yield _Statement(line, str(first), 0, second)
            else:
                yield _Statement(line, table, index, first)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Cut a file into its statements, which may run over several lines within brackets and long strings."""
    number, start, depth, parts = 1, 1, 0, list[str]()
    for piece in _PIECE.findall(text.replace("\r\n", "\n")):
        if piece == "\n" and depth <= 0:
            yield start, "".join(parts)
            parts, depth, start = [], 0, number + 1
        elif not piece.startswith("#"):
            depth += (piece in "[{") - (piece in "]}")
            parts.append(piece)
        number += piece.count("\n")
    yield start, "".join(parts)
