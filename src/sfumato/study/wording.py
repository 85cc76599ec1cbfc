"""Words and numbers that a study may hold: one line of plain text, and exact numbers of few digits."""

from __future__ import annotations

import unicodedata
from fractions import Fraction
from typing import Any

from sfumato.errors import InvalidParameter
from sfumato.files.numbers import parse_given
from sfumato.files.texts import hidden_character, normal
from sfumato.values.checks import as_exact
from sfumato.values.types import Real

# Finer numbers mean nothing in a survey, and would make its draws too fine for a machine word.
MOST_DENOMINATOR = 10**9
MOST_EPSILON = 20
LONGEST = {"name": 100, "text": 2000, "answers": 40, "ledger": 1000, "public_key": 1000}
"""How long each kind of line may be."""
# What would move the cursor, turn the direction of writing, or be refused inside XML.
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
