"""A JSON Schema of study files, for editors that complete and check TOML while it is typed.

It is made from the tables of keys that the reader itself uses, and is published as `docs/reference/study.schema.json`.
It says what a key may look like; rules that join several keys are the reader's, which has the last word.
"""

from __future__ import annotations

import json
from typing import Any

from sfumato.refine.sealed_shares import Kem
from sfumato.study.collect_terms import KEY_FILE, Mode, Paper
from sfumato.study.studies import MOST_ANALYSTS, MOST_QUESTIONS
from sfumato.study.study_files import ANALYST_KEYS, SCHEMA, SHORT, STUDY_KEYS
from sfumato.study.ways import kinds
from sfumato.study.ways.answers import IDENTIFIER
from sfumato.study.ways.keys import Key, line_schema, number_key
from sfumato.study.ways.no_answer import NO_ANSWER_KEYS
from sfumato.study.ways.question import Question
from sfumato.study.wording import LONGEST, MOST_EPSILON

_KEY_WORDS = (
    "The file of the public key that devices seal draws for, from the study's folder. Make it with `sfumato keys pair`."
)
DRAFT = "https://json-schema.org/draft/2020-12/schema"
_HEADING: dict[str, Any] = {
    "id": {
        "description": (
            "Names the question, and the column that holds its answers; not `row` or `part`, which name rows."
        ),
        "type": "string",
        "pattern": f"^{IDENTIFIER.pattern}$",
    },
    "text": {"description": "The question, as respondents read it.", **line_schema(LONGEST["text"])},
}


def _line(words: str, most: int) -> Any:
    return {"description": words, **line_schema(most)}


def _epsilon(words: str) -> Any:
    return number_key("epsilon", words, 0.001, MOST_EPSILON).described()


def _table(words: str, properties: dict[str, Any], needed: tuple[str, ...] = ()) -> Any:
    made = {"description": words, "type": "object", "properties": properties, "additionalProperties": False}
    return {**made, "required": list(needed)} if needed else made


SECTIONS: dict[str, Any] = {
    "schema": {"description": "How the file is to be read.", "const": SCHEMA},
    "name": _line("Name of the study.", LONGEST["name"]),
    "population": {
        "description": "How many will be asked; the plan then says how exact it gets.",
        "type": "integer",
        "minimum": 1,
        "maximum": 10**12,
    },
    "public": _table(
        "What everybody sees without a key.",
        {"epsilon": _epsilon("In nats: 0.5 is strong privacy, 1 usual, 2 mild.")},
    ),
    "registrar": _table(
        "Who may get the answers back.",
        {
            "recover": {"description": "With true, a registrar's key recovers the answers.", "type": "boolean"},
            KEY_FILE: _line(_KEY_WORDS, LONGEST[KEY_FILE]),
        },
    ),
    "disclosure": _table(
        "Columns of which only the whole is told.",
        {
            "protect": {
                "description": "The columns that the release tells nothing about, each on its own.",
                "type": "array",
                "items": _line("A column.", LONGEST["name"]),
                "uniqueItems": True,
                "minItems": 2,
            },
            "about": _line("Tell most about this column.", LONGEST["name"]),
        },
        ("protect",),
    ),
    "budget": _table(
        "Where releases are paid for.",
        {
            "ledger": _line(
                "The ledger that every release of this study is debited to, from the study's folder. Make it with "
                "`sfumato budget init`.",
                LONGEST["ledger"],
            )
        },
    ),
    "collect": _table(
        "How reports are collected over the web, by `sfumato serve`.",
        {
            "mode": {
                "description": "Whether a report can be linked to its person; anonymous where nothing is said.",
                "enum": list(Mode),
            },
            "recover": {
                "description": "With true, devices also send the registrar what gives the answers back.",
                "type": "boolean",
            },
            "kem": {
                "description": "How what analysts open is sealed; x25519 where nothing is said.",
                "enum": list(Kem),
            },
            "paper": {
                "description": "Who types in what was drawn by hand: an office, with one-time codes for sheets without "
                "names; or respondents with their token, which the server then sees with the report. Nobody where "
                "nothing is said.",
                "enum": list(Paper),
            },
            "asked_by": _line("Who asks, for the first page that respondents see.", LONGEST["text"]),
            "about": _line("What it is for, for that page.", LONGEST["text"]),
            "contact": _line("Whom to ask, and where sheets of paper are returned to.", LONGEST["text"]),
        },
    ),
    "analysts": {
        "description": "Who gets a key, and how much it shows.",
        "type": "array",
        "maxItems": MOST_ANALYSTS,
        "items": {
            "type": "object",
            "properties": {
                "name": _line("Names the analyst's key files: letters, digits, - and _.", LONGEST["name"]),
                "epsilon": _epsilon("What this analyst sees of each question, in nats."),
                KEY_FILE: _line(_KEY_WORDS, LONGEST[KEY_FILE]),
            },
            "required": list(ANALYST_KEYS),
            "additionalProperties": False,
        },
    },
}
"""What each key of a study may look like, but for its questions."""


def study_schema() -> dict[str, Any]:
    """Return the schema of study files as a document: with a list of questions, or with one written short."""
    listed = {
        "description": "What is asked, one table a question.",
        "type": "array",
        "minItems": 1,
        "maxItems": MOST_QUESTIONS,
        "items": {"oneOf": [_question(one) for beside in kinds().values() for one in beside]},
    }
    properties = {key: listed if key == "questions" else SECTIONS[key] for key in STUDY_KEYS}
    short = {"description": "The only question, written short.", **line_schema(LONGEST["text"])}
    keys = {key.name: key for beside in kinds().values() for one in beside for key in (*one.KEYS, *NO_ANSWER_KEYS)}
    beside = {name: key.described() for name, key in sorted(keys.items())}
    return {
        "$schema": DRAFT,
        "title": f"Sfumato study file ({SCHEMA})",
        "type": "object",
        "properties": {**beside, "id": _HEADING["id"], "kind": {"enum": list(kinds())}, **properties, SHORT: short},
        "required": ["schema", "name"],
        "oneOf": [
            {"required": ["questions"], "not": {"anyOf": [{"required": [key]} for key in (SHORT, *beside)]}},
            {"required": [SHORT], "not": {"required": ["questions"]}},
        ],
        "additionalProperties": False,
    }


def study_schema_text() -> str:
    """Return the schema as the published file has it."""
    return json.dumps(study_schema(), ensure_ascii=False, indent=2) + "\n"


def _question(one: type[Question]) -> dict[str, Any]:
    """The keys of a class; where several share a kind, what they need and what they lack tells them apart."""
    keys: tuple[Key, ...] = (*one.KEYS, *NO_ANSWER_KEYS)
    document: dict[str, Any] = {
        "title": f"{one.KIND} ({one.HEADLINE})",
        "type": "object",
        "properties": {**_HEADING, "kind": {"const": one.KIND}, **{key.name: key.described() for key in keys}},
        "required": ["id", "text", "kind", *(key.name for key in keys if key.is_needed)],
        "additionalProperties": False,
    }
    if one.ONE_OF:
        document["oneOf"] = [{"required": [name]} for name in one.ONE_OF]
    return document
