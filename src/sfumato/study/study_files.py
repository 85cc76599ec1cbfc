"""Studies on disk: TOML with the schema `sfumato/study/2`; the short form for one yes/no question is read as well.

A refusal names the file, the line where there is one, the key, and what to write instead.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from sfumato.errors import InvalidInput, InvalidParameter, UnreadableFile
from sfumato.files import read_bytes, write_atomically
from sfumato.files.csv_tables import decode_text
from sfumato.files.json_documents import check_schema
from sfumato.study.places import about, at, check_table, place_in_study
from sfumato.study.questions import Count, FreeText, OneOfMany, Question, Recoverable, YesNo
from sfumato.study.studies import Analyst, DisclosedColumns, Study
from sfumato.study.survey_files import LIMIT_KEYS, PLAN_KEYS, read_limits, read_survey_document
from sfumato.study.survey_files import SCHEMA as SHORT_SCHEMA
from sfumato.study.surveys import Plan
from sfumato.study.toml_lines import line_of
from sfumato.study.toml_tables import (
    as_number,
    as_text,
    as_whole,
    decimal_text,
    parse_toml,
    toml_number,
    toml_text,
)

SCHEMA = "sfumato/study/2"
# A hundred thousand answers of forty letters.
STUDY_LIMIT_BYTES = 2**23

STUDY_KEYS = ("schema", "name", "population", "questions", "analysts", "public", "registrar", "disclosure", "budget")
ANALYST_KEYS = ("name", "epsilon")
_COMMON = ("id", "text", "kind", "epsilon")
_KINDS: dict[str, tuple[type[Question], tuple[str, ...]]] = {
    YesNo.kind: (YesNo, (*_COMMON, "answers", "outputs", "faces", *LIMIT_KEYS, *PLAN_KEYS)),
    OneOfMany.kind: (OneOfMany, (*_COMMON, "answers", "random_bits")),
    Count.kind: (Count, (*_COMMON, "lowest", "highest", "points")),
    FreeText.kind: (FreeText, (*_COMMON, "longest", "keep")),
    Recoverable.kind: (Recoverable, ("id", "text", "kind", "answers", "tell", "recover_probability", "probabilities")),
}


def question_kinds() -> dict[str, tuple[type[Question], tuple[str, ...]]]:
    """Return for each kind of question its class and the keys that it may have in a file."""
    return dict(_KINDS)


def read_study(path: str | Path, *, limit_bytes: int = STUDY_LIMIT_BYTES) -> Study:
    """Read a study of either form; whatever is wrong is refused with a sentence that names line and key."""
    text = decode_text(read_bytes(path, limit_bytes=limit_bytes), path)
    document = parse_toml(text, path)
    if document.get("schema") == SHORT_SCHEMA:
        return Study.of_survey(read_survey_document(document, path))
    line = line_of(text, "", 0, "schema")
    check_schema(document, f"{path}, line {line}," if line else path, kind="study", version=2)
    try:
        return study_from(document)
    except InvalidInput as error:
        place = getattr(error, "place", None)
        line = line_of(text, place.table, place.index, place.key) if place else None
        where = f"file {path}, line {line}: " if line else f"file {path}: "
        error.place = None
        raise type(error)(f"{where}{error}") from None


def is_short_form(path: str | Path, *, limit_bytes: int = STUDY_LIMIT_BYTES) -> bool:
    """Whether a file declares one yes/no question in the short form."""
    document = parse_toml(decode_text(read_bytes(path, limit_bytes=limit_bytes), path), path)
    return document.get("schema") == SHORT_SCHEMA


def write_study(study: Study, path: str | Path) -> None:
    """Write a study so that reading it gives the same study."""
    write_atomically(path, as_toml(study))


def fingerprint(study: Study) -> str:
    """Return 64 digits that differ whenever anything declared in the study does."""
    return sha256(json.dumps(as_document(study), sort_keys=True).encode()).hexdigest()


def as_document(study: Study) -> dict[str, Any]:
    """Return the study as nested tables of texts, whole numbers and lists; decimals are exact text."""
    document: dict[str, Any] = {"schema": SCHEMA, "name": study.name}
    if study.population is not None:
        document["population"] = study.population
    if study.public_epsilon is not None:
        document["public"] = {"epsilon": decimal_text(study.public_epsilon)}
    if study.recover:
        document["registrar"] = {"recover": True}
    if study.disclosure is not None:
        document["disclosure"] = {"protect": list(study.disclosure.protect)}
        if study.disclosure.about is not None:
            document["disclosure"]["about"] = study.disclosure.about
    if study.ledger is not None:
        document["budget"] = {"ledger": study.ledger}
    if study.analysts:
        document["analysts"] = [{"name": a.name, "epsilon": decimal_text(a.epsilon)} for a in study.analysts]
    document["questions"] = [_question_document(question) for question in study.questions]
    return document


def as_toml(study: Study) -> str:
    """Return the study as a file."""
    document = as_document(study)
    lines = [f"{key} = {_written(key, value)}" for key, value in document.items() if not isinstance(value, dict | list)]
    for name, value in document.items():
        tables = value if isinstance(value, list) else [value] if isinstance(value, dict) else []
        for table in tables:
            lines += ["", f"[[{name}]]" if isinstance(value, list) else f"[{name}]"]
            lines += [f"{key} = {_written(key, entry)}" for key, entry in table.items()]
    return "\n".join(lines) + "\n"


def study_from(document: Mapping[str, object]) -> Study:
    """Build a study from nested tables; an error knows the table and key it is about."""
    with about("", 0, document):
        check_table(document, "the study", STUDY_KEYS, ("name", "questions"))
        name = as_text(document["name"], "name")
        population = as_whole(document["population"], "population") if "population" in document else None
    public = _section(document, "public", ("epsilon",))
    registrar = _section(document, "registrar", ("recover",))
    recover = registrar.get("recover", False)
    with about("registrar", 0, registrar):
        if not isinstance(recover, bool):
            raise InvalidParameter("recover must be true or false. Write it without quotes.")
    with about("public", 0, public):
        public_epsilon = as_number(public["epsilon"], "epsilon") if "epsilon" in public else None
    disclosure = _read_disclosure(document)
    budget = _section(document, "budget", ("ledger",))
    with about("budget", 0, budget):
        ledger = as_text(budget["ledger"], "ledger") if "ledger" in budget else None
    questions = tuple(_each(document["questions"], "questions", _read_question))
    analysts = tuple(_each(document.get("analysts", []), "analysts", _read_analyst))
    try:
        return Study(
            name=name,
            population=population,
            questions=questions,
            analysts=analysts,
            public_epsilon=public_epsilon,
            recover=recover,
            disclosure=disclosure,
            ledger=ledger,
        )
    except InvalidParameter as error:
        raise at(error, *place_in_study(str(error), questions, analysts)) from None


def _read_disclosure(document: Mapping[str, object]) -> DisclosedColumns | None:
    if "disclosure" not in document:
        return None
    table = _section(document, "disclosure", ("protect", "about"))
    with about("disclosure", 0, table):
        if "protect" not in table:
            raise InvalidParameter("[disclosure] lacks the key protect. List the columns to protect.")
        return DisclosedColumns(
            protect=_texts(table["protect"], "protect"),
            about=as_text(table["about"], "about") if "about" in table else None,
        )


def _read_question(table: dict[str, object]) -> Question:
    if "kind" not in table:
        raise InvalidParameter(f"a question needs a kind. Write kind = one of {', '.join(map(repr, _KINDS))}.")
    kind = as_text(table["kind"], "kind")
    if kind not in _KINDS:
        raise InvalidParameter(f"kind is none of {', '.join(map(repr, _KINDS))}. Write one of these.")
    made, known = _KINDS[kind]
    check_table(table, f"a question of kind {kind!r}", known, ("id", "text"))
    values: dict[str, Any] = {}
    for key in ("id", "text"):
        values[key] = as_text(table[key], key)
    if "answers" in table:
        values["answers"] = _texts(table["answers"], "answers")
    if "tell" in table:
        values["tell"] = _texts(table["tell"], "tell")
    if "probabilities" in table:
        values["probabilities"] = _numbers(table["probabilities"], "probabilities")
    for key in ("epsilon", "random_bits", "recover_probability"):
        if key in table:
            values[key] = as_number(table[key], key)
    for key in ("outputs", "faces", "lowest", "highest", "points", "longest", "keep"):
        if key in table:
            values[key] = as_whole(table[key], key)
    if made is YesNo:
        limits = {key: as_number(table[key], key) for key in LIMIT_KEYS if key in table}
        if limits:
            if ("guess_error" in limits) == ("delta" in limits):
                raise InvalidParameter(
                    f"{next(iter(limits))} belongs to a card, which needs either guess_error or "
                    f"delta = 1 - 2·guess_error. Give one of the two, or promise by epsilon alone."
                )
            values["limits"] = read_limits(limits)
        values["plan"] = Plan(**{key: as_number(table[key], key) for key in PLAN_KEYS if key in table})
    missing = [key for key in _NEEDED.get(made, ()) if key not in values]
    if missing:
        raise InvalidParameter(f"a question of kind {kind!r} needs {missing[0]}. Add it.")
    return made(**values)


def _read_analyst(table: dict[str, object]) -> Analyst:
    check_table(table, "an analyst", ANALYST_KEYS, ANALYST_KEYS)
    return Analyst(name=as_text(table["name"], "name"), epsilon=as_number(table["epsilon"], "epsilon"))


def _each(value: object, name: str, read: Any) -> Iterable[Any]:
    for index, table in enumerate(value if isinstance(value, list) else [value]):
        if not isinstance(value, list) or not isinstance(table, dict):
            raise at(
                UnreadableFile(f"{name} must be a list of tables. Write [[{name}]] above each."), name, index, None
            )
        with about(name, index, table):
            yield read(table)


def _section(document: Mapping[str, object], name: str, known: tuple[str, ...]) -> dict[str, object]:
    value = document.get(name, {})
    with about(name, 0, document):
        if not isinstance(value, dict):
            raise UnreadableFile(f"{name} must be a table. Write [{name}] on a line of its own, its keys below.")
        check_table(value, f"[{name}]", known, ())
    return value


def _texts(value: object, name: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise InvalidParameter(f'{name} must be a list of texts, like {name} = ["no", "yes"].')
    return tuple(as_text(answer, name) for answer in value)


def _numbers(value: object, name: str) -> tuple[Fraction, ...]:
    if not isinstance(value, list):
        raise InvalidParameter(f"{name} must be a list of numbers, like {name} = [0.5, 0.5].")
    return tuple(as_number(number, name) for number in value)


def _question_document(question: Question) -> dict[str, Any]:
    document: dict[str, Any] = {"id": question.id, "text": question.text, "kind": question.kind}
    if isinstance(question, YesNo | OneOfMany | Recoverable):
        document["answers"] = list(question.answers)
    if isinstance(question, Recoverable):
        document["tell"] = list(question.tell)
        document["recover_probability"] = decimal_text(question.recover_probability)
        if question.probabilities is not None:
            document["probabilities"] = [decimal_text(p) for p in question.probabilities]
    if question.epsilon is not None:
        document["epsilon"] = decimal_text(question.epsilon)
    if isinstance(question, OneOfMany) and question.random_bits is not None:
        document["random_bits"] = decimal_text(question.random_bits)
    if isinstance(question, Count):
        document |= {"lowest": question.lowest, "highest": question.highest, "points": question.points}
    if isinstance(question, FreeText):
        document |= {"longest": question.longest, "keep": question.keep}
    if isinstance(question, YesNo):
        document |= _card_document(question)
    return document


def _card_document(question: YesNo) -> dict[str, Any]:
    document: dict[str, Any] = {}
    if question.limits is not None:
        document["outputs"] = question.outputs
        if question.faces is not None:
            document["faces"] = question.faces
        found = {key: getattr(question.limits, key) for key in LIMIT_KEYS if key != "delta"}
        document |= {key: decimal_text(value) for key, value in found.items() if value is not None}
    goals = {key: getattr(question.plan, key) for key in PLAN_KEYS}
    return document | {key: decimal_text(value) for key, value in goals.items() if value is not None}


_DECIMALS = frozenset({"epsilon", "random_bits", "recover_probability", *LIMIT_KEYS, *PLAN_KEYS})
_NEEDED: dict[type[Question], tuple[str, ...]] = {
    OneOfMany: ("answers",),
    Count: ("highest",),
    Recoverable: ("answers", "tell", "recover_probability"),
}


def _written(key: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return toml_number(str(value)) if key in _DECIMALS else toml_text(value)
