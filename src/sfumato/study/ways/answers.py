"""How a column of texts becomes numbers, and what the heading of a question must be. No refusal says what it read."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.words import Words
from sfumato.study.ways.cell_cures import answer_cure, number_cure
from sfumato.study.wording import check_line, checked_label

SymbolArray = npt.NDArray[np.int64]

MOST_ANSWERS = 100_000
SECOND_IS_ESTIMATED = '"no" first; the share of the second is estimated'
NOBODY = np.iinfo(np.int64).min
"""What stands in the place of an answer where nobody answered, and that is hidden."""
_FEW = 4096
# In a file of reports, `row` and `part` are the columns that name a row, however they are written.
IDENTIFIER = re.compile(r"(?!([Rr][Oo][Ww]|[Pp][Aa][Rr][Tt])$)[A-Za-z][A-Za-z0-9_-]{0,49}")
_WHOLE = re.compile(r"[+-]?\d{1,15}")


def check_heading(name: str, text: str) -> None:
    """Check the id and the text that every question has."""
    if not IDENTIFIER.fullmatch(name):
        raise InvalidParameter(
            "must begin with a letter and hold up to 50 letters, digits, _ or -, and not be `row` or `part`, which are "
            "columns of all reports",
            parameter="id",
            way_out="It names the column with the answers.",
        )
    check_line("text", text)


def checked_list(answers: tuple[str, ...], most: int = MOST_ANSWERS) -> tuple[str, ...]:
    """Check a list of answers, and return them in Unicode NFC."""
    if not 2 <= len(answers) <= most:
        raise InvalidParameter(
            f"needs between 2 and {most:,} answers, and has {len(answers):,}",
            parameter="answers",
            way_out="List each answer once.",
        )
    labels = tuple(checked_label("answers", answer) for answer in answers)
    if len(set(labels)) != len(labels):
        raise InvalidParameter("has the same answer twice", parameter="answers", way_out="List each once.")
    return labels


def checked_pair(answers: tuple[str, str]) -> tuple[str, str]:
    """Check two answers, "no" first."""
    labels = tuple(checked_label("answers", answer) for answer in answers)
    from sfumato.design.surveys import check_answers  # noqa: PLC0415  only two answers need designs

    return check_answers(labels)


def check_masses(masses: tuple[Fraction, ...], count: int) -> None:
    """Check the probabilities of a list of answers."""
    if len(masses) != count or sum(masses) != 1 or min(masses) <= 0:
        raise InvalidParameter(
            "must be one positive number for each answer, and sum to 1",
            parameter="probabilities",
            way_out="Write fractions in quotes where decimals do not.",
        )


def positions(name: str, column: Words, answers: tuple[str, ...]) -> SymbolArray:
    """Return the place of each answer in the list of answers."""
    look_up = _places if len(column.texts) <= _FEW else _places.__wrapped__
    symbols = _taken(column, look_up(column.texts, answers))
    if symbols.size and symbols.min() < 0:
        outside = np.flatnonzero(symbols < 0)
        shown = ", ".join(map(repr, answers[:8])) + (", …" if len(answers) > 8 else "")
        raise UnreadableFile(
            f"column {name}, row {column.row(outside[0])} holds none of the answers of the study ({shown}); "
            f"{column.among(outside.size)} are like this",
            way_out=answer_cure(_texts_at(column, outside), answers),
        )
    return symbols


@functools.lru_cache(maxsize=4)
def _places(texts: tuple[str, ...], answers: tuple[str, ...]) -> tuple[int, ...]:
    """Return the place of each text in a list, -1 where it has none; chunk after chunk has the same texts."""
    place = {answer: i for i, answer in enumerate(answers)}
    return tuple(place.get(text, -1) for text in texts)


def whole_numbers(name: str, column: Words, lowest: int, highest: int) -> SymbolArray:
    """Return the numbers of a column, all in the range."""
    numbers = _taken(column, [int(text) if _WHOLE.fullmatch(text) else highest + 1 for text in column.texts])
    outside = np.flatnonzero((numbers < lowest) | (numbers > highest))
    if outside.size:
        raise UnreadableFile(
            f"column {name}, row {column.row(outside[0])} holds no whole number from {lowest} to {highest}; "
            f"{column.among(outside.size)} are like this",
            way_out=number_cure(_texts_at(column, outside), lowest, highest, whole=True),
        )
    return numbers


def _texts_at(column: Words, places: SymbolArray) -> list[str]:
    return [column.texts[code] for code in np.unique(column.codes[places])]


def is_whole(text: str) -> bool:
    """Whether a text is a whole number of no more digits than a count has."""
    return bool(_WHOLE.fullmatch(text))


def _taken(column: Words, values: Sequence[int]) -> SymbolArray:
    taken: SymbolArray = np.array(values, dtype=np.int64).take(column.codes) if len(column) else np.empty(0, np.int64)
    return taken
