"""What an empty cell means: not answering is one more answer that nobody sees, or it is public. Nothing is assumed.

With `missing = "hidden"` the answers of a question have one more, `NO_ANSWER`, which is the last of its labels: whoever
does not answer reports like everybody else. With `"public"` the cell stays empty in the reports, for everybody to see.
A skip rule says whom a question is asked: by the answer to another question, which is private, or by a public column.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from sfumato.errors import InvalidParameter
from sfumato.files.texts import normal
from sfumato.study.ways.cells import number_text
from sfumato.study.ways.keys import Entry, Key, as_text, as_texts, check_table, line_schema, texts_key
from sfumato.study.wording import LONGEST, check_line, checked_label

if TYPE_CHECKING:
    from sfumato.study.ways.question import Question

NO_ANSWER = "no answer"
"""The last label of a question that hides who did not answer it."""
MOST_CODES = 100
_CONDITION_KEYS = ("question", "column", "is")


class Missing(StrEnum):
    """What becomes of an empty cell.

    Hidden: not answering is one more answer, which nobody sees. Public: the cell stays empty for everybody to see.

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
    >>> smokers = sf.AskIf(question="smokes", answers=("yes",))
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
        """Whether everybody sees who is asked."""
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
    """Return what tells whether a text means no answer: it is declared, or where one is hidden its name.

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
