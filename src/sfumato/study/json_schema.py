"""A JSON Schema of study files, for editors that complete and check TOML while it is typed.

It is made from the tables that the reader itself uses, and is published as `docs/reference/study.schema.json`. It
says what a key may look like; rules that join several keys are the reader's, which has the last word.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from sfumato.design.cards import MOST_FACES
from sfumato.study.answer_columns import IDENTIFIER, MOST_EPSILON
from sfumato.study.questions import MOST_ANSWERS, Count, Question, YesNo
from sfumato.study.single_level_questions import MOST_TEXT_BYTES
from sfumato.study.studies import MOST_ANALYSTS, MOST_QUESTIONS
from sfumato.study.study_files import ANALYST_KEYS, SCHEMA, STUDY_KEYS, question_kinds
from sfumato.study.surveys import _LONGEST

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_FRACTION = r"^\s*([+-]?[0-9]+\s*/\s*0*[1-9][0-9]*|[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)\s*$"
_WHOLE = {"type": "integer", "minimum": -(10**12), "maximum": 10**12}


def _number(words: str, low: float | None = None, high: float | None = None, *, open_ends: bool = False) -> Any:
    """A number, or a fraction in quotes, whose range only the reader checks."""
    made: dict[str, Any] = {"description": words, "type": ["number", "string"], "pattern": _FRACTION}
    if low is not None:
        made["exclusiveMinimum" if open_ends else "minimum"] = low
    if high is not None:
        made["exclusiveMaximum" if open_ends else "maximum"] = high
    return made


def _line(words: str, most: int) -> Any:
    return {"description": words, "type": "string", "minLength": 1, "maxLength": most}


_EPSILON = 0.001, MOST_EPSILON
KEYS: dict[str, Any] = {
    "id": {
        "description": "Names the question, and the column that holds its answers.",
        "type": "string",
        "pattern": f"^{IDENTIFIER.pattern}$",
    },
    "text": _line("The question, as respondents read it.", _LONGEST["question"]),
    "epsilon": _number(
        "Ceiling of this question, in nats: nobody but the registrar sees it sharper. Without [public] epsilon it is "
        "what everybody sees.",
        *_EPSILON,
    ),
    "answers": {
        "description": 'The answers, each once; of two, "no" first. "Prefer not to answer" may be one of them.',
        "type": "array",
        "items": _line("One answer.", _LONGEST["answers"]),
        "uniqueItems": True,
        "minItems": 2,
        "maxItems": MOST_ANSWERS,
    },
    "outputs": {"description": "Of a card: three different reports, or two.", "enum": [2, 3]},
    "faces": {
        "description": "Of a card: make it playable with so many faces, such as 6, 20 or 1000.",
        "type": "integer",
        "minimum": 2,
        "maximum": MOST_FACES,
    },
    "guess_error": _number("Ask with a card: the best guess of an answer stays wrong at least this often.", 0, 0.5),
    "delta": _number("The same as guess_error, as 1 - 2·guess_error.", 0, 1, open_ends=True),
    "weight": _number("Of a card: weight of missing the second answer.", 0, 1),
    "max_epsilon": _number("Of a card: no report says more than this ε, in nats.", 0, 1000),
    "expected_share": _number("Share of the second answer that you expect.", 0, 1),
    "half_width": _number("Goal: half of the interval's width.", 0.0001, 0.5),
    "theta_1": _number("Goal: one of two shares to tell apart.", 0, 1, open_ends=True),
    "theta_2": _number("Goal: the other of two shares to tell apart.", 0, 1, open_ends=True),
    "error": _number("How often that test may be wrong.", 0, 0.5),
    "confidence": _number("Confidence of the intervals.", 0.5, 1),
    "random_bits": _number("A report may take no more random bits than this, on average.", 0),
    "lowest": {"description": "The smallest answer.", **_WHOLE},
    "highest": {"description": "The largest answer.", **_WHOLE},
    "points": {
        "description": "Answers are rounded at random to so many values: 2 for means, one for each number to see all.",
        "type": "integer",
        "minimum": 2,
        "maximum": MOST_ANSWERS,
    },
    "tell": {
        "description": "What may be told of each answer, in the order of the answers; several may share a value.",
        "type": "array",
        "items": _line("What is told.", _LONGEST["answers"]),
        "minItems": 2,
        "maxItems": 2000,
    },
    "recover_probability": _number("What is told is right at least this often.", 0, 1),
    "probabilities": {
        "description": "How likely each answer is beforehand; left out, all are equally likely.",
        "type": "array",
        "items": _number("A positive number, or a fraction in quotes.", 0, 1, open_ends=True),
        "minItems": 2,
        "maxItems": 2000,
    },
    "longest": {
        "description": "No text is longer than so many bytes.",
        "type": "integer",
        "minimum": 1,
        "maximum": MOST_TEXT_BYTES,
    },
    "keep": {
        "description": "So many of the most frequent texts are looked for.",
        "type": "integer",
        "minimum": 1,
        "maximum": 1000,
    },
}
"""What each key of a question may look like."""

SECTIONS: dict[str, Any] = {
    "schema": {"description": "How the file is to be read.", "const": SCHEMA},
    "name": _line("Name of the study.", _LONGEST["name"]),
    "population": {
        "description": "How many will be asked; the plan then says how exact it gets.",
        "type": "integer",
        "minimum": 1,
        "maximum": 10**12,
    },
    "public": {
        "description": "What everybody sees without a key.",
        "type": "object",
        "properties": {"epsilon": _number("In nats: 0.5 is strong privacy, 1 usual, 2 mild.", *_EPSILON)},
        "additionalProperties": False,
    },
    "registrar": {
        "description": "Who may get the answers back.",
        "type": "object",
        "properties": {
            "recover": {"description": "With true, a registrar's key recovers the answers.", "type": "boolean"}
        },
        "additionalProperties": False,
    },
    "disclosure": {
        "description": "Columns of which only the whole is told.",
        "type": "object",
        "properties": {
            "protect": {
                "description": "The columns that the release tells nothing about, each on its own.",
                "type": "array",
                "items": _line("A column.", _LONGEST["name"]),
                "uniqueItems": True,
                "minItems": 2,
            },
            "about": _line("Tell most about this column.", _LONGEST["name"]),
        },
        "required": ["protect"],
        "additionalProperties": False,
    },
    "budget": {
        "description": "Where releases are paid for.",
        "type": "object",
        "properties": {
            "ledger": _line(
                "The ledger that every release of this study is debited to, from the study's folder. Make it with "
                "`sfumato budget init`.",
                _LONGEST["ledger"],
            )
        },
        "additionalProperties": False,
    },
    "analysts": {
        "description": "Who gets a key, and how much it shows.",
        "type": "array",
        "maxItems": MOST_ANALYSTS,
        "items": {
            "type": "object",
            "properties": {
                "name": _line("Names the analyst's key files: letters, digits, - and _.", _LONGEST["name"]),
                "epsilon": _number("What this analyst sees of each question, in nats.", *_EPSILON),
            },
            "required": list(ANALYST_KEYS),
            "additionalProperties": False,
        },
    },
}
"""What each key of a study may look like, but for its questions."""


def study_schema() -> dict[str, Any]:
    """Return the schema of study files as a document."""
    questions = {
        "description": "What is asked, one table a question.",
        "type": "array",
        "minItems": 1,
        "maxItems": MOST_QUESTIONS,
        "items": {"oneOf": [_question(kind, *entry) for kind, entry in question_kinds().items()]},
    }
    return {
        "$schema": DRAFT,
        "title": f"Sfumato study file ({SCHEMA})",
        "type": "object",
        "properties": {key: questions if key == "questions" else SECTIONS[key] for key in STUDY_KEYS},
        "required": ["schema", "name", "questions"],
        "additionalProperties": False,
    }


def study_schema_text() -> str:
    """Return the schema as the published file has it."""
    return json.dumps(study_schema(), ensure_ascii=False, indent=2) + "\n"


def _question(kind: str, made: type[Question], known: tuple[str, ...]) -> dict[str, Any]:
    """A question's keys; those without a default in its class must be there."""
    needed = [
        field.name
        for field in dataclasses.fields(made)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    properties = {key: {"const": kind} if key == "kind" else KEYS[key] for key in known}
    document: dict[str, Any] = {
        "title": kind,
        "type": "object",
        "properties": properties,
        "required": ["kind", *needed],
        "additionalProperties": False,
    }
    if made is YesNo:
        properties["answers"] = {**KEYS["answers"], "maxItems": 2}
        document["allOf"] = [{"not": {"required": list(pair)}} for pair in _RIVALS]
        document["dependentSchemas"] = {
            key: {"anyOf": [{"required": ["guess_error"]}, {"required": ["delta"]}]}
            for key in ("weight", "max_epsilon", "faces")
        }
    elif made is Count:
        document["description"] = Count.__doc__.split("\n")[0] if Count.__doc__ else kind
    return document


# Two ways to say one thing, of which a yes/no question has one.
_RIVALS = (("epsilon", "guess_error"), ("epsilon", "delta"), ("guess_error", "delta"), ("half_width", "theta_1"))
