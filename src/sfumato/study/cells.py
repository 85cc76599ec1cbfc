"""How the cells of a question are read: answers, missing answers, skipped questions and hints.

Blanks around a cell are ignored. A cell gives an answer by its text, by an alias that the question declares or, where
the answer is a number, by its value: 3, 3.0 and 3e0 are the same. Nothing else is guessed.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.columns import Words
from sfumato.files.documents import toml_value
from sfumato.files.texts import normal
from sfumato.study.fields import (
    LONGEST,
    Entry,
    Key,
    as_text,
    as_texts,
    check_line,
    check_table,
    checked_label,
    line_schema,
    texts_key,
)
from sfumato.surveys.design import check_answers

if TYPE_CHECKING:
    from sfumato.study.question import Question


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
    """Return the canonical text of a number, the same for equal numbers; None if it is no number."""
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


# --- Fix hints for cells that are no answer
# A hint is chosen by how the cells are written and never repeats one. A test applies every hint.


_EMPTY = frozenset(
    {
        *("na", "n/a", "#n/a", "nan", "null", "none", "nil", ".", "..", "-", "--", "?", "missing", "unknown"),
        *("dk", "don't know", "refused", "no answer", "not asked", "not applicable", "prefer not to say"),
        *("-1", "-7", "-8", "-9", "-77", "-88", "-99", "-999", "77", "88", "99", "777", "888", "999", "9999"),
    }
)
"""What stands for no answer in tables of R, pandas, SQL, SPSS, Stata, of spreadsheets and surveys; in small letters."""
_NO = ("no", "No", "NO", "n", "N", "false", "FALSE", "0")
_YES = ("yes", "Yes", "YES", "y", "Y", "true", "TRUE", "1")
_YES_OR_NO = frozenset(map(str.lower, _NO + _YES))
_MOST_SHOWN = 12
_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:([.,'’ \u00a0\u202f])[0-9]{3})(?:\1[0-9]{3})*(?:[.,][0-9]+)?")
_AMOUNT = r"[0-9]+(?:[.,][0-9]+)?"
_WITH_UNIT = re.compile(rf"[^0-9+-]{{0,4}}[+-]?{_AMOUNT}\s*[^0-9\s]{{1,20}}|[^0-9\s+-]{{1,4}}\s*{_AMOUNT}")


def answer_cure(texts: Collection[str], answers: tuple[str, ...]) -> str:
    """Say what to do about texts that are none of the answers."""
    found = [_empty_cure(texts), _truth_cure(texts, answers), _case_cure(texts, answers)]
    told = " ".join(cure for cure in found if cure)
    return told or (
        "Correct it, add the answer to the study, or say what stands for an answer: aliases = "
        f"{{ {toml_value({answers[0]: ['…']})[2:-2]} }}."
    )


def number_cure(texts: Collection[str], lowest: object, highest: object, *, whole: bool) -> str:
    """Say what to do about texts that are no number of a range."""
    values = [number_text(text) for text in texts]
    found = [_empty_cure(texts)]
    if whole and any(value is not None and "." in value for value in values):
        found.append(
            'Round it to a whole number yourself, or ask with kind = "number", which takes decimals. A point between '
            "thousands is to be left out."
        )
    if any(_COMMA.fullmatch(text) for text in texts):
        found.append("If decimals have a comma, declare it with `decimal`; between thousands leave it out.")
    elif any(value is None and _THOUSANDS.fullmatch(text) for text, value in zip(texts, values, strict=True)):
        found.append("Write numbers without anything between thousands: 1234.")
    elif any(value is None and _WITH_UNIT.fullmatch(text) for text, value in zip(texts, values, strict=True)):
        found.append("Write the number alone, without a unit, a sign of currency or %.")
    if any(value is not None and (not whole or "." not in value) for value in values):
        found.append(f"Correct what is not from {lowest} to {highest}, or widen the range in the study.")
    return " ".join(cure for cure in found if cure) or (
        "Correct it, or say what stands for a number: aliases = " + toml_value({str(highest): ["…"]}) + "."
    )


def _empty_cure(texts: Collection[str]) -> str:
    if not any(text.lower() in _EMPTY for text in texts):
        return ""
    return 'If a text such as NA or -9 stands for no answer, declare it: missing = "hidden", missing_codes = ["NA"].'


def _truth_cure(texts: Collection[str], answers: tuple[str, ...]) -> str:
    if len(answers) != 2 or not any(text.lower() in _YES_OR_NO for text in texts):
        return ""
    first, second = answers
    if first.lower() in map(str.lower, _YES):
        no, yes = second, first
    elif first.lower() in map(str.lower, _NO) or second.lower() in map(str.lower, _YES):
        no, yes = first, second
    else:
        return (
            "If 0 and 1, or true and false, stand for the answers, say which: "
            f"aliases = {toml_value({first: ['0', 'false'], second: ['1', 'true']})}, or the other way round."
        )
    spellings = {
        no: [text for text in _NO if text not in answers],
        yes: [text for text in _YES if text not in answers],
    }
    return f"If such texts stand for the answers, say so in the study: aliases = {toml_value(spellings)}."


def _case_cure(texts: Collection[str], answers: tuple[str, ...]) -> str:
    if _truth_cure(texts, answers):
        return ""
    spellings = {answer: _spellings(answer, answers) for answer in answers}
    variants = {text for found in spellings.values() for text in found}
    lowered = {answer.casefold() for answer in answers}
    if not any(text.casefold() in lowered for text in texts):
        return ""
    if not variants & set(texts) or len(answers) > _MOST_SHOWN:
        return "Some differ from an answer in capital letters only: write them as the study does."
    return (
        "Some differ from an answer in capital letters only: write them as the study does, or declare them: aliases = "
        f"{toml_value({answer: found for answer, found in spellings.items() if found})}."
    )


def _spellings(answer: str, answers: tuple[str, ...]) -> list[str]:
    """Return an answer in lower case, in upper case, capitalised, and with each word capitalised."""
    found = (answer.lower(), answer.upper(), answer[:1].upper() + answer[1:].lower(), answer.title())
    return [text for text in dict.fromkeys(found) if text not in answers]


# --- Columns of texts as numbers, and headings of questions
# Refusals do not repeat what was read.


SymbolArray = npt.NDArray[np.int64]

MOST_ANSWERS = 100_000
SECOND_IS_ESTIMATED = '"no" first; the share of the second is estimated'
NOBODY = np.iinfo(np.int64).min
"""What stands in the place of an answer where nobody answered, and that is hidden."""
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


# --- Empty cells
# With `missing = "hidden"` not answering is one more answer, `NO_ANSWER`, the last of the labels. It is reported like
# any other. With `"public"` the cell stays empty in the reports and is public. A skip rule says whom a question is
# asked: by the answer to another question, which is private, or by a public column.


NO_ANSWER = "no answer"
"""The last label of a question that hides who did not answer it."""
MOST_CODES = 100
_CONDITION_KEYS = ("question", "column", "is")


class Missing(StrEnum):
    """What an empty cell means.

    Hidden: not answering is one more answer, which no reader sees. Public: the cell stays empty and is public.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> hidden = sf.study.Missing.HIDDEN
    >>> asked = sf.OneOfMany(id="way", text="How?", answers=("train", "car"), epsilon=Fraction(1), missing=hidden)
    >>> asked.labels, asked.hides
    (('train', 'car', 'no answer'), True)
    """

    HIDDEN = "hidden"
    PUBLIC = "public"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskIf:
    """Whom a question is asked: those whose answer to an earlier `question`, or whose public `column`, is one of these.

    In a study file: `ask_if = { question = "smokes", is = ["yes"] }`.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> smokers = sf.study.AskIf(question="smokes", answers=("yes",))
    >>> asked = sf.Count(id="a_day", text="How many a day?", highest=60, epsilon=Fraction(2), ask_if=smokers)
    >>> asked.ask_if.source
    'smokes'
    """

    answers: tuple[str, ...]
    question: str | None = None
    column: str | None = None

    def __post_init__(self) -> None:
        if (self.question is None) == (self.column is None):
            raise InvalidParameter(
                "needs either an earlier `question` or a public `column`",
                parameter="ask_if",
                way_out=f"Write it like {_EXAMPLE}.",
            )
        if not self.answers or len(set(self.answers)) != len(self.answers):
            raise InvalidParameter(
                "must list in `is` the answers of those who are asked, each once",
                parameter="ask_if",
                way_out=f"Write it like {_EXAMPLE}.",
            )
        check_line("ask_if", self.source, most=LONGEST["name"])
        answers = tuple(checked_label("ask_if", text, most=LONGEST["name"]) for text in self.answers)
        object.__setattr__(self, "answers", answers)

    @property
    def source(self) -> str:
        """The column of a table that decides."""
        return str(self.question if self.column is None else self.column)

    @property
    def is_public(self) -> bool:
        """Whether it is public who is asked."""
        return self.column is not None

    def entries(self) -> dict[str, Any]:
        """Return it as it stands in a file."""
        where = {"question": self.question} if self.column is None else {"column": self.column}
        return {**where, "is": list(self.answers)}


_EXAMPLE = 'ask_if = { question = "smokes", is = ["yes"] }'


def _as_missing(value: object, name: str) -> Missing:
    text = as_text(value, name)
    if text not in set(Missing):
        raise InvalidParameter(
            "is neither “hidden” nor “public”",
            parameter=name,
            way_out='Write missing = "hidden" to protect who does not answer, or "public" to leave the cells empty.',
        )
    return Missing(text)


def _as_condition(value: object, name: str) -> AskIf:
    if not isinstance(value, Mapping):
        raise InvalidParameter("must be a table", parameter=name, way_out=f"Write it like {_EXAMPLE}.")
    check_table(value, name, _CONDITION_KEYS, ("is",))
    named = {key: as_text(value[key], key) for key in ("question", "column") if key in value}
    return AskIf(answers=as_texts(value["is"], "is"), **named)


_LINE = line_schema(LONGEST["name"])
NO_ANSWER_KEYS = (
    Key(
        name="missing",
        words=(
            "What an empty cell means. “hidden”: not answering is one more answer, as protected as the others. "
            "“public”: the cell stays empty for everybody to see. Left out, empty cells are refused."
        ),
        read=_as_missing,
        schema={"enum": [one.value for one in Missing]},
    ),
    texts_key(
        "missing_codes", 'Texts that mean no answer, as they stand in the table: "NA", "-9".', low=1, high=MOST_CODES
    ),
    Key(
        name="ask_if",
        words=(
            "Asks only those whose answer to an earlier question, or whose public column, is one of these. After a "
            "question who is asked is private, and `missing` is “hidden”; a column is kept, others' cells are empty."
        ),
        read=_as_condition,
        schema={
            "type": "object",
            "properties": {
                "question": {"description": "The id of an earlier question.", **_LINE},
                "column": {"description": "A public column of the table, which is kept.", **_LINE},
                "is": {
                    "description": "The answers of those who are asked.",
                    "type": "array",
                    "items": {"description": "One of them.", **_LINE},
                    "minItems": 1,
                    "uniqueItems": True,
                },
            },
            "required": ["is"],
            "oneOf": [{"required": ["question"]}, {"required": ["column"]}],
            "additionalProperties": False,
        },
    ),
)
"""Keys that every question may have."""


def no_answer_entries(question: Question) -> dict[str, Entry | dict[str, Any]]:
    """Return what a file says of empty cells."""
    found: dict[str, Entry | dict[str, Any]] = {}
    if question.missing is not None:
        found["missing"] = str(question.missing)
    if question.missing_codes:
        found["missing_codes"] = list(question.missing_codes)
    if question.ask_if is not None:
        found["ask_if"] = question.ask_if.entries()
    return found


def check_no_answer(question: Question, earlier: Mapping[str, Question], names: Collection[str]) -> None:
    """Check what a question says of empty cells; `earlier` are the questions before it, `names` the ids of all."""
    if question.missing is not None and question.missing not in set(Missing):
        _as_missing(str(question.missing), "missing")
    if question.missing == Missing.HIDDEN:
        question.check_hidden()
    _check_codes(question)
    if question.ask_if is not None:
        _check_condition(question, question.ask_if, earlier, names)


def _check_codes(question: Question) -> None:
    codes = question.missing_codes
    if not codes:
        return
    if question.missing is None:
        raise InvalidParameter(
            "says which texts mean no answer, and `missing` must say what becomes of them",
            parameter="missing_codes",
            way_out='Add missing = "hidden", or missing = "public".',
        )
    if len(codes) > MOST_CODES or len(set(codes)) != len(codes):
        raise InvalidParameter(
            f"must be at most {MOST_CODES} texts, each once", parameter="missing_codes", way_out="List each once."
        )
    for code in codes:
        check_line("missing_codes", code, most=LONGEST["answers"])
    known = {*question.listed, *(alias for _, texts in question.aliases for alias in texts)}
    both = set(codes) & known
    if both:
        raise InvalidParameter(
            f"has {min(both)!r}, which is one of the answers or stands for one",
            parameter="missing_codes",
            way_out="Drop it from one.",
        )


def _check_condition(question: Question, rule: AskIf, earlier: Mapping[str, Question], names: Collection[str]) -> None:
    if rule.question is None:
        if rule.column in names:
            raise InvalidParameter(
                f"names the column {rule.column!r}, which is a question: its answers are not public",
                parameter="ask_if",
                way_out='Write `question` in place of `column`, and missing = "hidden".',
            )
        return
    asked = earlier.get(rule.question)
    if asked is None:
        raise InvalidParameter(
            f"names {rule.question!r}, and no question before this one has that id",
            parameter="ask_if",
            way_out="Name an earlier question, or write `column` for a public column.",
        )
    unknown = [text for text in rule.answers if text not in asked.listed]
    if unknown:
        raise InvalidParameter(
            f"names an answer that {rule.question!r} does not have"
            if asked.listed
            else f"names {rule.question!r}, whose answers are not a list that could be chosen from",
            parameter="ask_if",
            way_out="Copy it from the `answers` of that question."
            if asked.listed
            else "Name a question with a list of answers.",
        )
    if question.missing != Missing.HIDDEN:
        raise InvalidParameter(
            f"makes who is asked depend on the private answers to {rule.question!r}, and an empty cell would tell them",
            parameter="ask_if",
            way_out='Add missing = "hidden" to this question: whoever is not asked then reports like the others.',
        )


def codes_of(question: Question) -> Callable[[str], bool]:
    """Return a test of whether a text means no answer: a declared code, or where that is hidden its name.

    A code that is a number means it however it is written.
    """
    texts = {*map(normal, question.missing_codes), *((NO_ANSWER,) if question.missing == Missing.HIDDEN else ())}
    numbers = {number_text(code) for code in question.missing_codes} - {None}
    return lambda text: text in texts or (bool(numbers) and number_text(text) in numbers)


def gap_sentences(question: Question) -> tuple[str, ...]:
    """Say what the cells of a question show of who did not answer it; nothing where no cell can be empty."""
    said = []
    rule = question.ask_if
    if rule is not None and rule.is_public:
        said.append(
            f"Only those whose {rule.source} is {_either(rule.answers)} are asked; the cells of all others are empty, "
            f"and {rule.source} is public."
        )
    elif rule is not None:
        said.append(
            f"Only those who answer {_either(rule.answers)} to {rule.source} are asked; who is not asked reports like "
            f"somebody who does not answer, so that nobody sees whom it was asked."
        )
    if question.missing == Missing.PUBLIC:
        said.append("Who did not answer is visible: the cell is empty for everybody, outside any ε.")
    if question.missing == Missing.HIDDEN:
        said.append("No answer is one more answer: whether somebody answered is as protected as what they answered.")
    return tuple(said)


def _either(answers: tuple[str, ...]) -> str:
    named = [f"“{answer}”" for answer in answers]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} or {named[-1]}"
