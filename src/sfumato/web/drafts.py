"""A study that is made on a page: read by the same code as a file, worked out, and handed back as files.

Nothing of it stays on the server, which goes on with the study that it serves. What is handed back are the study file,
the public keys that were pasted, beside it, the plan, and the command that serves it.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.errors import InvalidInput, InvalidParameter
from sfumato.study.collections import Collection, collection_of
from sfumato.study.planning import StudyPlan, plan_study
from sfumato.study.study_files import as_toml, study_from
from sfumato.study.ways import kinds
from sfumato.study.ways.plans import PlanTable, QuestionPlan
from sfumato.study.ways.risk_words import risk_sentences, risk_table

_MOST_KEY_LETTERS = 20_000
_NUMBERED = {"questions": "question", "analysts": "reader"}


def drafted(document: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    """Read a study of nested tables and the public keys of its analysts; return its files and its plan.

    Refuses what a study file may not say, and what cannot be asked over the web, by the same sentences.
    """
    _check_no_files(document)
    study = study_from({key: value for key, value in document.items() if key != "schema"})
    files = {analyst.name: f"{analyst.name}.pem" for analyst in study.analysts}
    strange = [name for name in keys if name not in files]
    if strange or any(len(text) > _MOST_KEY_LETTERS for text in keys.values()):
        raise InvalidParameter(
            "must be public keys of the study's analysts, by their names", parameter="keys", way_out="Paste PEM files."
        )
    named = replace(
        study,
        analysts=tuple(
            replace(analyst, public_key=files[analyst.name]) if analyst.name in keys else analyst
            for analyst in study.analysts
        ),
    )
    with tempfile.TemporaryDirectory(prefix="sfumato-draft-") as folder:
        for name, text in keys.items():
            (Path(folder) / files[name]).write_text(text, "utf-8")
        try:
            collection = collection_of(named, folder)
        except InvalidInput as error:
            # Where the file stood here is of no use to anybody.
            error.place = None if error.place is None else replace(error.place, file=None)
            raise
    return {
        "schema": "sfumato/draft/1",
        "fingerprint": collection.fingerprint,
        "file": f"{_slug(study.name)}.toml",
        "toml": as_toml(named),
        "keys": {files[name]: text for name, text in keys.items()},
        "command": f"sfumato serve {_slug(study.name)}.toml",
        "plan": _plan(plan_study(named), collection),
    }


def place_words(error: InvalidInput) -> str | None:
    """Say which field an error is about: the table, its number from 1, and the key."""
    place = error.place
    if place is None or not place.table:
        return error.parameter
    number = f" {place.index + 1}" if place.table in _NUMBERED else ""
    key = place.key or error.parameter
    return f"{_NUMBERED.get(place.table, place.table)}{number}{f', {key}' if key else ''}"


def _check_no_files(document: Mapping[str, Any]) -> None:
    """Refuse questions that name a file: it would be looked for on the server."""
    paths = {key.name for classes in kinds().values() for one in classes for key in one.KEYS if key.is_path}
    questions = document.get("questions")
    for table in questions if isinstance(questions, list) else []:
        found = sorted(paths & set(table)) if isinstance(table, Mapping) else []
        if found:
            raise InvalidParameter(
                "names a file, which a page does not have",
                parameter=found[0],
                way_out="List the answers, or write this study as a file: sfumato new.",
            )


def _plan(plan: StudyPlan, collection: Collection) -> dict[str, Any]:
    return {
        "questions": [_question(planned) for planned in plan.questions],
        "total_epsilon": {total.holder: total.as_json for total in plan.totals},
        "receivers": [one.name for one in collection.receivers],
        "report_bytes": collection.row_bytes + sum(collection.share_bytes.values()),
    }


def _question(planned: QuestionPlan) -> dict[str, Any]:
    told = () if planned.risk is None else risk_sentences(planned.risk)
    tables = planned.tables if planned.risk is None else (risk_table(planned.risk), *planned.tables)
    return {
        "id": planned.question.id,
        "text": planned.question.text,
        "because": planned.because,
        "words": list(planned.words),
        "told": [{"sentence": one.sentence, "is_alarm": one.is_alarm} for one in (*planned.protection, *told)],
        "tables": [_table(table) for table in tables],
    }


def _table(table: PlanTable) -> dict[str, Any]:
    return {"title": table.title, "header": list(table.header), "rows": [list(row) for row in table.rows]}


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "study"
