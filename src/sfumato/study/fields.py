"""The keys of a question in a study file, and the texts and numbers that a study may hold.

One table for each question kind serves the reader, the writer and the JSON schema, so the three agree.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.documents import NumberText
from sfumato.files.texts import hidden_character, normal, short
from sfumato.numbers.checks import Real, as_exact
from sfumato.numbers.exact import parse_given

# --- Texts of one line and exact numbers of few digits


# Finer numbers are pointless in a survey, and would make its draws too fine for a machine word.
MOST_DENOMINATOR = 10**9
MOST_EPSILON = 20
LONGEST = {"name": 100, "text": 2000, "answers": 40, "ledger": 1000, "public_key": 1000}
"""How long each kind of line may be."""
# Characters that move the cursor, turn the direction of writing, or are refused inside XML.
_CONTROLS = frozenset({"Cc", "Cs", "Zl", "Zp"})
_MARKS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufffe\uffff")


def exact_number(name: str, value: Real | str) -> Fraction:
    """Read a number, or text such as 0.375 and 3/8, exactly."""
    number = parse_given(value, name) if isinstance(value, str) else as_exact(name, value)
    if number.denominator > MOST_DENOMINATOR or abs(number) > MOST_DENOMINATOR:
        raise InvalidParameter(
            "has more digits than a survey can use", parameter=name, way_out="Round it to at most nine."
        )
    return number


def checked_epsilon(name: str, value: Real | str) -> Fraction:
    """Read an epsilon that means something: above 0, and not so large that the answer is all but public."""
    epsilon = exact_number(name, value)
    if not Fraction(1, 1000) <= epsilon <= MOST_EPSILON:
        raise InvalidParameter(
            f"must lie in [0.001, {MOST_EPSILON}] nats",
            parameter=name,
            value=short_number(epsilon),
            way_out="Around 1 is usual; smaller is more private.",
        )
    return epsilon


def check_line(name: str, text: str, *, most: int | None = None) -> None:
    """Refuse text that is empty, too long, or would move the cursor."""
    given: object = text
    if not isinstance(given, str):
        raise InvalidParameter(f"must be text, not {type(given).__name__}", parameter=name, way_out="Put it in quotes.")
    if not text or text != text.strip():
        raise InvalidParameter(
            "must not be empty or begin or end with a blank", parameter=name, way_out="Write it in plain text."
        )
    longest = LONGEST[name] if most is None else most
    if len(text) > longest:
        raise InvalidParameter(
            f"has {len(text)} characters and may have {longest}", parameter=name, way_out="Shorten it."
        )
    if any(unicodedata.category(letter) in _CONTROLS or letter in _MARKS for letter in text):
        raise InvalidParameter(
            "holds a line break or a control character",
            parameter=name,
            way_out="Write it on one line, in plain text.",
        )


def checked_label(name: str, text: str, *, most: int | None = None) -> str:
    """Return the label of an answer in Unicode NFC; refuse what `check_line` refuses, and characters that are not seen.

    Two labels that look the same would be two answers.
    """
    given: Any = text
    label: str = normal(given) if isinstance(given, str) else given
    check_line(name, label, most=most)
    hidden = hidden_character(label)
    if hidden is not None:
        raise InvalidParameter(
            f"holds {hidden}, a control or zero-width character", parameter=name, way_out="Write the label without it."
        )
    return label


def short_number(value: Fraction) -> float | int:
    """Return a number as a sentence shows it, with at most six digits."""
    shown = float(f"{float(value):.6g}")
    return int(shown) if shown.is_integer() else shown


def sealed_name(question: str) -> str:
    """Return the name of the column of a question's sealed answers."""
    return f"{question}_sealed"


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
