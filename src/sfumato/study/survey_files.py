"""Studies on disk: TOML with the schema `sfumato/study/1`, read through a closed table of keys, decimals exact."""

from __future__ import annotations

import json
import re
import tomllib
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.io import read_bytes, write_atomically
from sfumato.io.csv_tables import decode_text
from sfumato.io.json_documents import NumberText, check_keys, check_schema
from sfumato.study.studies import Plan, Study, StudyLimits, exact_number

SCHEMA = "sfumato/study/1"
STUDY_LIMIT_BYTES = 2**16

_STUDY_KEYS = ("schema", "name", "question", "answers", "outputs", "faces", "limits", "plan")
_LIMIT_KEYS = ("guess_error", "delta", "weight", "max_epsilon")
_PLAN_KEYS = ("expected_share", "half_width", "theta_1", "theta_2", "error", "confidence")


def read_study(path: str | Path, *, limit_bytes: int = STUDY_LIMIT_BYTES) -> Study:
    """Read a study file; whatever is wrong with it is refused with a sentence that names the key."""
    document = _parse(decode_text(read_bytes(path, limit_bytes=limit_bytes), path), path)
    check_schema(document, path, kind="study")
    check_keys(document, path, known=_STUDY_KEYS, needed=("name", "question", "limits"))
    limits = _table(document["limits"], path, "limits", _LIMIT_KEYS)
    plan = _table(document.get("plan", {}), path, "plan", _PLAN_KEYS)
    try:
        return Study(
            name=_text(document["name"], "name"),
            question=_text(document["question"], "question"),
            answers=_answers(document.get("answers", ["no", "yes"])),
            outputs=_whole(document.get("outputs", 3), "outputs"),
            faces=_whole(document["faces"], "faces") if "faces" in document else None,
            limits=_limits({key: _number(value, key) for key, value in limits.items()}),
            plan=Plan(**{key: _number(value, key) for key, value in plan.items()}),
        )
    except InvalidParameter as error:
        raise InvalidParameter(f"file {path}: {error}") from None


def write_study(study: Study, path: str | Path) -> None:
    """Write a study so that reading it gives the same study."""
    write_atomically(path, _as_toml(study))


def as_document(study: Study) -> dict[str, Any]:
    """Return the study as nested tables; numbers are exact text."""
    limits, plan = study.limits, study.plan
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "name": study.name,
        "question": study.question,
        "answers": list(study.answers),
        "outputs": study.outputs,
        "faces": study.faces,
        "limits": {key: getattr(limits, key) for key in _LIMIT_KEYS if key != "delta"},
        "plan": {key: getattr(plan, key) for key in _PLAN_KEYS},
    }
    for table in ("limits", "plan"):
        document[table] = {key: _decimal(value) for key, value in document[table].items() if value is not None}
    return {key: value for key, value in document.items() if value is not None}


def _as_toml(study: Study) -> str:
    document = as_document(study)
    lines = [f"{key} = {_toml(value)}" for key, value in document.items() if not isinstance(value, dict)]
    for name in ("limits", "plan"):
        lines += ["", f"[{name}]", *(f"{key} = {_toml_number(text)}" for key, text in document[name].items())]
    return "\n".join(lines) + "\n"


def _parse(text: str, path: str | Path) -> dict[str, object]:
    try:
        document: dict[str, object] = tomllib.loads(text, parse_float=NumberText)
    except RecursionError:
        raise UnreadableFile(f"file {path} nests lists within lists too deeply. Flatten it.") from None
    except ValueError as error:  # also a whole number of thousands of digits
        # Only the place is repeated: a file of reports may have been handed in by mistake.
        place = re.search(r"at line \d+, column \d+", str(error))
        raise UnreadableFile(
            f"file {path} is not a study in TOML{': something is wrong ' + place.group() if place else ''}. Correct it "
            f"there, or name the study file, which comes before the reports."
        ) from None
    return document


def _table(value: object, path: str | Path, name: str, known: tuple[str, ...]) -> dict[str, object]:
    if not isinstance(value, dict):
        raise UnreadableFile(
            f"file {path}, {name} must be a table. Write [{name}] on a line of its own, its keys below."
        )
    check_keys(value, f"{path}, table [{name}],", known=known, needed=())
    return value


def _limits(numbers: dict[str, Fraction]) -> StudyLimits:
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


def _number(value: object, name: str) -> Fraction:
    if isinstance(value, NumberText):
        return exact_number(name, value.replace("_", ""))
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise InvalidParameter(f'{name} must be a number such as 0.375, or a fraction in quotes such as "3/8".')
    return exact_number(name, value)


def _whole(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidParameter(f"{name} must be a whole number. Write it without quotes or point.")
    if abs(value) > 10**12:
        raise InvalidParameter(f"{name} is too large. Write a smaller whole number.")
    return value


def _text(value: object, name: str) -> str:
    if isinstance(value, NumberText) or not isinstance(value, str):
        raise InvalidParameter(f"{name} must be text. Put it in quotes.")
    return value


def _answers(value: object) -> tuple[str, str]:
    if not isinstance(value, list) or len(value) != 2:
        raise InvalidParameter('answers must be a list of two texts, "no" first: answers = ["no", "yes"].')
    return _text(value[0], "answers"), _text(value[1], "answers")


def _decimal(value: Fraction) -> str:
    """Write 0.375 where that is exact, else 1/3."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return str(value)
    exact = Context(prec=60).divide(Decimal(value.numerator), Decimal(value.denominator))
    return format(exact, "f")


def _toml(value: object) -> str:
    # A TOML basic string and a JSON string agree on all that a study may hold.
    return json.dumps(value, ensure_ascii=False)


def _toml_number(text: str) -> str:
    return _toml(text) if "/" in text else text
