"""Studies on disk: TOML with the schema `sfumato/study/1`, read through a closed table of keys, decimals exact."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from sfumato.errors import InvalidParameter
from sfumato.files import read_bytes, write_atomically
from sfumato.files.csv_tables import decode_text
from sfumato.files.json_documents import check_keys, check_schema
from sfumato.study.surveys import Plan, StudyLimits, Survey
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

SCHEMA = "sfumato/study/1"
STUDY_LIMIT_BYTES = 2**16

_STUDY_KEYS = ("schema", "name", "question", "answers", "outputs", "faces", "limits", "plan")
LIMIT_KEYS = ("guess_error", "delta", "weight", "max_epsilon")
PLAN_KEYS = ("expected_share", "half_width", "theta_1", "theta_2", "error", "confidence")


def read_survey(path: str | Path, *, limit_bytes: int = STUDY_LIMIT_BYTES) -> Survey:
    """Read a study file; whatever is wrong with it is refused with a sentence that names the key."""
    document = parse_toml(decode_text(read_bytes(path, limit_bytes=limit_bytes), path), path)
    return read_survey_document(document, path)


def read_survey_document(document: dict[str, object], path: str | Path) -> Survey:
    """Read a parsed study file of the short form."""
    check_schema(document, path, kind="study")
    check_keys(document, path, known=_STUDY_KEYS, needed=("name", "question", "limits"))
    limits = as_table(document["limits"], path, "limits", LIMIT_KEYS)
    plan = as_table(document.get("plan", {}), path, "plan", PLAN_KEYS)
    try:
        return Survey(
            name=as_text(document["name"], "name"),
            question=as_text(document["question"], "question"),
            answers=_answers(document.get("answers", ["no", "yes"])),
            outputs=as_whole(document.get("outputs", 3), "outputs"),
            faces=as_whole(document["faces"], "faces") if "faces" in document else None,
            limits=read_limits({key: as_number(value, key) for key, value in limits.items()}),
            plan=Plan(**{key: as_number(value, key) for key, value in plan.items()}),
        )
    except InvalidParameter as error:
        raise InvalidParameter(f"file {path}: {error}") from None


def write_survey(study: Survey, path: str | Path) -> None:
    """Write a study so that reading it gives the same study."""
    write_atomically(path, _as_toml(study))


def as_document(study: Survey) -> dict[str, Any]:
    """Return the study as nested tables; numbers are exact text."""
    limits, plan = study.limits, study.plan
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "name": study.name,
        "question": study.question,
        "answers": list(study.answers),
        "outputs": study.outputs,
        "faces": study.faces,
        "limits": {key: getattr(limits, key) for key in LIMIT_KEYS if key != "delta"},
        "plan": {key: getattr(plan, key) for key in PLAN_KEYS},
    }
    for table in ("limits", "plan"):
        document[table] = {key: decimal_text(value) for key, value in document[table].items() if value is not None}
    return {key: value for key, value in document.items() if value is not None}


def _as_toml(study: Survey) -> str:
    document = as_document(study)
    lines = [f"{key} = {toml_text(value)}" for key, value in document.items() if not isinstance(value, dict)]
    for name in ("limits", "plan"):
        lines += ["", f"[{name}]", *(f"{key} = {toml_number(text)}" for key, text in document[name].items())]
    return "\n".join(lines) + "\n"


def read_limits(numbers: dict[str, Fraction]) -> StudyLimits:
    """Return limits given by guess error or by delta."""
    delta = numbers.pop("delta", None)
    if (delta is None) == ("guess_error" not in numbers):
        raise InvalidParameter("[limits] needs either guess_error or delta = 1 - 2·guess_error. Give one of the two.")
    if delta is not None:
        numbers["guess_error"] = error_from_delta(delta)
    return StudyLimits(**numbers)


def error_from_delta(delta: Fraction) -> Fraction:
    """Return the guess error a = (1-δ)/2."""
    if not 0 < delta < 1:
        raise InvalidParameter(f"delta={float(delta):.6g} must lie strictly between 0 and 1. Choose for instance 0.25.")
    return (1 - delta) / 2


def _answers(value: object) -> tuple[str, str]:
    if not isinstance(value, list) or len(value) != 2:
        raise InvalidParameter('answers must be a list of two texts, "no" first: answers = ["no", "yes"].')
    return as_text(value[0], "answers"), as_text(value[1], "answers")
