"""Studies on disk: TOML with the schema `sfumato/study/2`; the short form for one yes/no question is read as well.

A refusal names the file, the line where there is one, the key, and what to write instead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from sfumato.errors import InvalidInput, InvalidParameter, UnreadableFile
from sfumato.io import read_bytes, write_atomically
from sfumato.io.csv_tables import decode_text
from sfumato.io.json_documents import check_keys, check_schema
from sfumato.study.questions import Count, OneOfMany, Question, YesNo
from sfumato.study.studies import Analyst, Study
from sfumato.study.survey_files import LIMIT_KEYS, PLAN_KEYS, read_limits, read_survey_document
from sfumato.study.survey_files import SCHEMA as SHORT_SCHEMA
from sfumato.study.surveys import Plan
from sfumato.study.toml_tables import (
    as_number,
    as_table,
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

_KEYS = ("schema", "name", "population", "questions", "analysts", "public", "registrar")
_COMMON = ("id", "text", "kind", "epsilon")
_KINDS: dict[str, tuple[type[Question], tuple[str, ...]]] = {
    YesNo.kind: (YesNo, (*_COMMON, "answers", "outputs", "faces", *LIMIT_KEYS, *PLAN_KEYS)),
    OneOfMany.kind: (OneOfMany, (*_COMMON, "answers", "random_bits")),
    Count.kind: (Count, (*_COMMON, "lowest", "highest", "points")),
}


def read_study(path: str | Path, *, limit_bytes: int = STUDY_LIMIT_BYTES) -> Study:
    """Read a study of either form; whatever is wrong is refused with a sentence that names line and key."""
    text = decode_text(read_bytes(path, limit_bytes=limit_bytes), path)
    document = parse_toml(text, path)
    if document.get("schema") == SHORT_SCHEMA:
        return Study.of_survey(read_survey_document(document, path))
    check_schema(document, path, kind="study", version=2)
    try:
        return study_from(document)
    except InvalidInput as error:
        place = getattr(error, "place", None)
        line = _line_of(text, *place) if place else None
        where = f"file {path}, line {line}: " if line else f"file {path}: "
        raise type(error)(f"{where}{error}") from None


def is_short_form(path: str | Path, *, limit_bytes: int = STUDY_LIMIT_BYTES) -> bool:
    """Whether a file declares one yes/no question in the short form."""
    document = parse_toml(decode_text(read_bytes(path, limit_bytes=limit_bytes), path), path)
    return document.get("schema") != SCHEMA


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
    check_keys(dict(document), "of the study", known=_KEYS, needed=("name", "questions"))
    public = _section(document.get("public", {}), "public", ("epsilon",))
    registrar = _section(document.get("registrar", {}), "registrar", ("recover",))
    recover = registrar.get("recover", False)
    if not isinstance(recover, bool):
        raise _at(InvalidParameter("recover must be true or false, without quotes."), "registrar", 0, "recover")
    return Study(
        name=as_text(document["name"], "name"),
        population=as_whole(document["population"], "population") if "population" in document else None,
        questions=tuple(_each(document["questions"], "questions", _read_question)),
        analysts=tuple(_each(document.get("analysts", []), "analysts", _read_analyst)),
        public_epsilon=as_number(public["epsilon"], "epsilon") if "epsilon" in public else None,
        recover=recover,
    )


def _read_question(table: dict[str, object]) -> Question:
    if "kind" not in table:
        raise InvalidParameter(f"a question needs kind = one of {', '.join(map(repr, _KINDS))}.")
    kind = as_text(table["kind"], "kind")
    if kind not in _KINDS:
        raise InvalidParameter(f"kind is none of {', '.join(map(repr, _KINDS))}. Write one of these.")
    made, known = _KINDS[kind]
    check_keys(table, "of the study, a question,", known=known, needed=("id", "text"))
    values: dict[str, Any] = {}
    for key in ("id", "text"):
        values[key] = as_text(table[key], key)
    if "answers" in table:
        values["answers"] = _answers(table["answers"])
    for key in ("epsilon", "random_bits"):
        if key in table:
            values[key] = as_number(table[key], key)
    for key in ("outputs", "faces", "lowest", "highest", "points"):
        if key in table:
            values[key] = as_whole(table[key], key)
    if made is YesNo:
        limits = {key: as_number(table[key], key) for key in LIMIT_KEYS if key in table}
        if limits:
            values["limits"] = read_limits(limits)
        values["plan"] = Plan(**{key: as_number(table[key], key) for key in PLAN_KEYS if key in table})
    missing = [key for key in ("answers",) if made is OneOfMany and key not in values]
    missing += [key for key in ("highest",) if made is Count and key not in values]
    if missing:
        raise InvalidParameter(f"a question of kind {kind!r} needs {missing[0]}. Add it.")
    return made(**values)


def _read_analyst(table: dict[str, object]) -> Analyst:
    check_keys(table, "of the study, an analyst,", known=("name", "epsilon"), needed=("name", "epsilon"))
    return Analyst(name=as_text(table["name"], "name"), epsilon=as_number(table["epsilon"], "epsilon"))


def _each(value: object, name: str, read: Any) -> Iterable[Any]:
    if not isinstance(value, list):
        raise UnreadableFile(f"{name} must be a list of tables. Write [[{name}]] above each.")
    for index, table in enumerate(value):
        if not isinstance(table, dict):
            raise UnreadableFile(f"{name} must be a list of tables. Write [[{name}]] above each.")
        try:
            yield read(table)
        except InvalidInput as error:
            key = next((k for k in table if re.match(rf"{re.escape(k)}\b", str(error))), None)
            raise _at(error, name, index, key) from None


def _section(value: object, name: str, known: tuple[str, ...]) -> dict[str, object]:
    return as_table(value, "of the study", name, known)


def _answers(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise InvalidParameter('answers must be a list of texts, like answers = ["no", "yes"].')
    return tuple(as_text(answer, "answers") for answer in value)


def _question_document(question: Question) -> dict[str, Any]:
    document: dict[str, Any] = {"id": question.id, "text": question.text, "kind": question.kind}
    if not isinstance(question, Count):
        document["answers"] = list(question.answers)
    if question.epsilon is not None:
        document["epsilon"] = decimal_text(question.epsilon)
    if isinstance(question, OneOfMany) and question.random_bits is not None:
        document["random_bits"] = decimal_text(question.random_bits)
    if isinstance(question, Count):
        document |= {"lowest": question.lowest, "highest": question.highest, "points": question.points}
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


_DECIMALS = frozenset({"epsilon", "random_bits", *LIMIT_KEYS, *PLAN_KEYS})


def _written(key: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return toml_number(str(value)) if key in _DECIMALS else toml_text(value)


def _at(error: InvalidInput, table: str, index: int, key: str | None) -> InvalidInput:
    error.place = (table, index, key)  # type: ignore[attr-defined]
    return error


def _line_of(text: str, table: str, index: int, key: str | None) -> int | None:
    """Return the line of a key in the given table, or of the table's head."""
    head = re.compile(rf"\s*\[\[?\s*{re.escape(table)}\s*\]?\]")
    found, seen = None, -1
    for number, line in enumerate(text.splitlines(), start=1):
        if head.match(line):
            seen += 1
            found = number if seen == index else found
        elif re.match(r"\s*\[", line) and seen == index and found is not None and not re.match(r"\s*\[[^\]]*,", line):
            break
        elif seen == index and key is not None and re.match(rf'\s*"?{re.escape(key)}"?\s*=', line):
            return number
    return found
