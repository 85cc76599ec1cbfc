"""How the cells of a question are read: one rule for every kind of file and of question.

Blanks around a cell are no part of it. A cell says an answer by its text, by an alias that the question declares, or,
where the answer is a number, by its value however it is written: 3, 3.0 and 3e0 are the same. Nothing else is guessed.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.files.texts import normal
from sfumato.study.ways.keys import Key, as_text, line_schema
from sfumato.study.wording import LONGEST, checked_label

if TYPE_CHECKING:
    from sfumato.files.words import Words

Aliases = tuple[tuple[str, tuple[str, ...]], ...]
"""For some answers: the texts that stand for them in a table."""

LONGEST_ALIAS = 300
MOST_ALIASES = 1000
_FEW = 4096
_SHOWN = 12
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,2})?")
_TRUTHS = frozenset({"true", "false"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """What the cells of a question may say: one of the answers, or with `numbers` any number."""

    answers: tuple[str, ...] = ()
    aliases: Aliases = ()
    numbers: bool = False

    def read(self, column: Words) -> Words:
        """Return the column in the words of the question; what is no answer stays as it is, and is refused later."""
        look_up = _translated if len(column.texts) <= _FEW else _translated.__wrapped__
        texts = look_up(column.texts, self)
        if texts == column.texts:
            return column
        place: dict[str, int] = {}
        codes = np.array([place.setdefault(text, len(place)) for text in texts], dtype=np.int64)
        return replace(column, codes=codes[column.codes] if len(column) else column.codes, texts=tuple(place))

    @property
    def known_texts(self) -> tuple[str, ...]:
        """The answers, and what stands for them."""
        return (*self.answers, *(text for _, texts in self.aliases for text in texts))

    def means_codes(self, name: str, labels: Mapping[str, str]) -> bool:
        """Whether the answers are the codes of a column, and not their labels; refuses where they are neither, or both.

        Both lists stand in the dictionary of a file and are no respondent's.
        """
        if self.numbers or not self.answers:
            return self.numbers
        aliases = dict(self.aliases)
        spelled = {answer: {answer, *aliases.get(answer, ())} for answer in self.answers}
        words, codes = set(labels.values()), set(labels)
        by_label = {answer for answer, texts in spelled.items() if texts & words}
        by_code = {answer for answer, texts in spelled.items() if {number_text(text) or text for text in texts} & codes}
        if by_label and by_code <= by_label:
            return False
        if by_code and not by_label:
            return True
        held = f"has a column {name} with the codes {_listed(labels)} and their labels {_listed(labels.values())}"
        mixed = "some are codes and some are labels" if by_label else "none is one of these"
        raise InvalidParameter(
            f"{held}, and of the answers of the study ({_listed(self.answers)}) {mixed}",
            parameter="data",
            way_out="Write the labels as answers, or the codes, or declare `aliases` for the answers.",
        )


def _listed(texts: Iterable[str]) -> str:
    found = list(texts)
    return ", ".join(map(repr, found[:_SHOWN])) + (", …" if len(found) > _SHOWN else "")


@functools.lru_cache(maxsize=4)
def _translated(texts: tuple[str, ...], cells: Cells) -> tuple[str, ...]:
    """Return texts in the words of a question; chunk after chunk has the same."""
    known, by_value = _meanings(cells)

    def said(text: str) -> str:
        if text in known:
            return known[text]
        lowered = text.lower()
        if lowered in _TRUTHS:  # a column of truth values has no spelling of its own
            return known.get(lowered, text)
        value = number_text(text)
        if value is None:
            return text
        return by_value.get(value) or (value if cells.numbers else text)

    return tuple(map(said, texts))


@functools.lru_cache(maxsize=64)
def _meanings(cells: Cells) -> tuple[dict[str, str], dict[str, str]]:
    """Return what each text means, and each number; a number that two answers are written with means neither."""
    known = {alias: answer for answer, texts in cells.aliases for alias in texts}
    known |= {alias.lower(): answer for alias, answer in known.items() if alias.lower() in _TRUTHS}
    known |= {answer: answer for answer in cells.answers}
    by_value: dict[str, set[str]] = {}
    for text, answer in known.items():
        value = number_text(text)
        if value is not None:
            by_value.setdefault(value, set()).add(answer)
    return known, {value: min(meant) for value, meant in by_value.items() if len(meant) == 1}


def number_text(text: str) -> str | None:
    """Write a number in the one way in which equal numbers are written alike; None for what is no number."""
    if not _NUMBER.fullmatch(text):
        return None
    value = Decimal(text)
    if value == value.to_integral_value():
        return str(int(value))
    return format(value.normalize(), "f")


def checked_aliases(given: Mapping[str, Sequence[str]] | Aliases, is_answer: Callable[[str], bool]) -> Aliases:
    """Check what stands for which answer; each text stands for one, and for none that is an answer by itself."""
    pairs = tuple(
        (normal(str(answer)), tuple(checked_label("aliases", alias, most=LONGEST_ALIAS) for alias in texts))
        for answer, texts in (given.items() if isinstance(given, Mapping) else given)
    )
    seen: set[str] = set()
    if sum(len(texts) for _, texts in pairs) > MOST_ALIASES:
        raise InvalidParameter(
            f"has more than {MOST_ALIASES} texts", parameter="aliases", way_out="Correct the table instead."
        )
    for answer, texts in pairs:
        if not is_answer(answer):
            raise InvalidParameter(
                f"says what stands for {answer!r}, which is no answer of the question",
                parameter="aliases",
                way_out="Write an answer of the question before each list.",
            )
        for alias in texts:
            if alias in seen or (is_answer(alias) and alias != answer):
                raise InvalidParameter(
                    f"has {alias!r} for two answers, or it is an answer itself",
                    parameter="aliases",
                    way_out="Let each text stand for one answer.",
                )
            seen.add(alias)
    return pairs


def as_aliases(value: object, name: str) -> Aliases:
    """Read a table of answers, each with the texts that stand for it."""
    if not isinstance(value, dict) or not all(isinstance(texts, list) for texts in value.values()):
        raise InvalidParameter(
            "must be a table of lists", parameter=name, way_out=f'Write it like {name} = {{ yes = ["Yes", "1"] }}.'
        )
    return tuple((answer, tuple(as_text(text, name) for text in texts)) for answer, texts in value.items())


ALIASES = Key(
    name="aliases",
    words="What stands for an answer in a table: by answer, the texts that mean it.",
    read=as_aliases,
    schema={
        "type": "object",
        "additionalProperties": {
            "description": "The texts that mean this answer.",
            "type": "array",
            "items": {"description": "One of them.", **line_schema(LONGEST_ALIAS)},
        },
        "propertyNames": {"maxLength": LONGEST["answers"]},
    },
)
