"""What questions share: their heading, and how a column of texts becomes numbers. No refusal says what it read."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.tables import Words
from sfumato.study.surveys import check_line, exact_number

SymbolArray = npt.NDArray[np.int64]

MOST_EPSILON = 20
IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,49}")


def check_heading(question: Any) -> None:
    """Check the id, the text and the epsilon that every question has."""
    if not IDENTIFIER.fullmatch(question.id):
        raise InvalidParameter(
            "id must begin with a letter and hold up to 50 letters, digits, _ or -. It names the column with answers."
        )
    check_line("question", question.text)
    if question.epsilon is not None:
        object.__setattr__(question, "epsilon", checked_epsilon("epsilon", question.epsilon))


def checked_epsilon(name: str, value: object) -> Fraction:
    """Read an epsilon that means something: above 0, and not so large that the answer is all but public."""
    epsilon = exact_number(name, value)
    if not Fraction(1, 1000) <= epsilon <= MOST_EPSILON:
        raise InvalidParameter(
            f"{name}={float(epsilon):.6g} must lie in [0.001, {MOST_EPSILON}] nats. Around 1 is usual; smaller is more "
            f"private."
        )
    return epsilon


def positions(name: str, column: Words, answers: tuple[str, ...]) -> SymbolArray:
    """Return the place of each answer in the list of answers."""
    place = {answer: i for i, answer in enumerate(answers)}
    symbols = _taken(column, [place.get(text, -1) for text in column.texts])
    if symbols.size and symbols.min() < 0:
        row = int(np.flatnonzero(symbols < 0)[0])
        shown = ", ".join(map(repr, answers[:8])) + (", …" if len(answers) > 8 else "")
        raise UnreadableFile(
            f"column {name}, row {row + 1} holds none of the answers of the study ({shown}). Correct it, or add the "
            f"answer to the study; {int((symbols < 0).sum())} rows are like this."
        )
    return symbols


def whole_numbers(name: str, column: Words, lowest: int, highest: int) -> SymbolArray:
    """Return the numbers of a column, all in the range."""
    numbers = _taken(
        column, [int(text) if re.fullmatch(r"[+-]?\d{1,15}", text) else highest + 1 for text in column.texts]
    )
    outside = np.flatnonzero((numbers < lowest) | (numbers > highest))
    if outside.size:
        raise UnreadableFile(
            f"column {name}, row {int(outside[0]) + 1} holds no whole number from {lowest} to {highest}. Correct it, "
            f"or widen the range in the study; {outside.size} rows are like this."
        )
    return numbers


def _taken(column: Words, values: list[int]) -> SymbolArray:
    taken: SymbolArray = np.array(values, dtype=np.int64)[column.codes] if len(column) else np.empty(0, dtype=np.int64)
    return taken
