"""The keys that a question may have in a study file: how each is read, written and described to an editor.

One table a way of asking serves the reader, the writer and the JSON schema, so the three cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.json_documents import NumberText
from sfumato.files.texts import short
from sfumato.study.wording import LONGEST, MOST_EPSILON, exact_number

Entry = bool | int | str | Fraction | list[str] | list[Fraction] | dict[str, list[str]]
"""What stands in a file; decimals are exact."""

FRACTION_PATTERN = r"^\s*([+-]?[0-9]+\s*/\s*0*[1-9][0-9]*|[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)\s*$"
MOST_WHOLE = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key of a table: its name, what it means in words, and how its value is read."""

    name: str
    words: str
    read: Callable[[object, str], Any]
    schema: Mapping[str, Any] = field(default_factory=dict)
    is_needed: bool = False
    is_path: bool = False
    """Whether it names a file, from the folder of the study."""

    def described(self) -> dict[str, Any]:
        """Return what a JSON schema says of it."""
        return {"description": self.words, **self.schema}


def number_key(
    name: str,
    words: str,
    low: float | None = None,
    high: float | None = None,
    *,
    open_ends: bool = False,
    is_needed: bool = False,
) -> Key:
    """A number, or a fraction in quotes, whose range only the reader checks."""
    schema: dict[str, Any] = {"type": ["number", "string"], "pattern": FRACTION_PATTERN}
    if low is not None:
        schema["exclusiveMinimum" if open_ends else "minimum"] = low
    if high is not None:
        schema["exclusiveMaximum" if open_ends else "maximum"] = high
    return Key(name=name, words=words, read=as_number, schema=schema, is_needed=is_needed)


def whole_key(name: str, words: str, low: int, high: int, *, is_needed: bool = False) -> Key:
    """A whole number."""
    schema = {"type": "integer", "minimum": low, "maximum": high}
    return Key(name=name, words=words, read=as_whole, schema=schema, is_needed=is_needed)


def choice_key(name: str, words: str, choices: tuple[int, ...]) -> Key:
    """One of a few whole numbers."""
    return Key(name=name, words=words, read=as_whole, schema={"enum": list(choices)})


def line_key(name: str, words: str, *, most: int, is_needed: bool = False) -> Key:
    """A line of text."""
    return Key(name=name, words=words, read=as_text, schema=line_schema(most), is_needed=is_needed)


def path_key(name: str, words: str, *, is_needed: bool = False) -> Key:
    """The name of a file."""
    schema = line_schema(LONGEST["ledger"])
    return Key(name=name, words=words, read=as_text, schema=schema, is_needed=is_needed, is_path=True)


def texts_key(
    name: str,
    words: str,
    *,
    low: int,
    high: int,
    unique: bool = True,
    is_needed: bool = False,
    longest: int = LONGEST["answers"],
) -> Key:
    """A list of lines."""
    items = {"description": "One of them.", **line_schema(longest)}
    schema: dict[str, Any] = {"type": "array", "items": items, "minItems": low, "maxItems": high}
    if unique:
        schema["uniqueItems"] = True
    return Key(name=name, words=words, read=as_texts, schema=schema, is_needed=is_needed)


def line_schema(most: int) -> dict[str, Any]:
    """What a JSON schema says of a line of text."""
    return {"type": "string", "minLength": 1, "maxLength": most}


def as_number(value: object, name: str) -> Fraction:
    """Read a number exactly."""
    if isinstance(value, NumberText):
        return exact_number(name, value.replace("_", ""))
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise InvalidParameter(
            "must be a number such as 0.375", parameter=name, way_out='A fraction stands in quotes: "3/8".'
        )
    return exact_number(name, value)


def as_whole(value: object, name: str) -> int:
    """Read a whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidParameter("must be a whole number", parameter=name, way_out="Write it without quotes or point.")
    if abs(value) > MOST_WHOLE:
        raise InvalidParameter("is too large", parameter=name, way_out="Write a smaller whole number.")
    return value


def as_text(value: object, name: str) -> str:
    """Read text."""
    if isinstance(value, NumberText) or not isinstance(value, str):
        raise InvalidParameter("must be text", parameter=name, way_out="Put it in quotes.")
    return value


def as_texts(value: object, name: str) -> tuple[str, ...]:
    """Read a list of texts."""
    if not isinstance(value, list):
        raise InvalidParameter(
            "must be a list of texts", parameter=name, way_out=f'Write it like {name} = ["no", "yes"].'
        )
    return tuple(as_text(answer, name) for answer in value)


def as_numbers(value: object, name: str) -> tuple[Fraction, ...]:
    """Read a list of numbers."""
    if not isinstance(value, list):
        raise InvalidParameter(
            "must be a list of numbers", parameter=name, way_out=f"Write it like {name} = [0.5, 0.5]."
        )
    return tuple(as_number(number, name) for number in value)


def as_flag(value: object, name: str) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise InvalidParameter("must be true or false", parameter=name, way_out="Write it without quotes.")
    return value


def check_table(table: Mapping[str, object], what: str, known: tuple[str, ...], needed: tuple[str, ...]) -> None:
    """Refuse unknown keys and missing ones by name."""
    for key in table:
        if key not in known:
            raise UnreadableFile(
                f"is not a key of {what}" if len(key) <= 40 and key.isprintable() else f"{short(key)} is not a key",
                parameter=key if len(key) <= 40 and key.isprintable() else None,
                way_out=f"Use only: {', '.join(known)}.",
            )
    for key in needed:
        if key not in table:
            raise UnreadableFile(f"{what} lacks the key {key}", way_out="Add it.")


EPSILON = number_key(
    "epsilon",
    "Ceiling of this question, in nats: nobody but the registrar sees it sharper. Without [public] epsilon it is what "
    "everybody sees.",
    0.001,
    MOST_EPSILON,
)
