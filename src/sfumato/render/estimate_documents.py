"""Estimates, and what weights are of, as one JSON document, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from sfumato.render.contrast_tables import contrast_document
from sfumato.study.contrasts import Contrast
from sfumato.study.notes import ReportsNote
from sfumato.study.ways import Quantity, QuestionEstimate, Unit
from sfumato.values import Interval


def weights_document(note: ReportsNote, questions: Sequence[str] | None = None) -> dict[str, Any]:
    """Return what a table of weights is of, as one document."""
    names = note.questions if questions is None else dict.fromkeys(questions)
    return {**_heading("sfumato/weights/1", note), "questions": [_weighed(note, name) for name in names]}


def _weighed(note: ReportsNote, name: str) -> dict[str, Any]:
    way, level = note.way(name), note.column(name).level
    epsilon = way.epsilons[level - 1]
    return {
        "question": name,
        "level": level,
        "epsilon": epsilon if isfinite(epsilon) else "inf",
        "reports": way.report_count,
        "answers": list(way.question.labels),
    }


def estimates_document(
    estimates: Sequence[QuestionEstimate], note: ReportsNote, contrasts: Sequence[Contrast] | None = None
) -> dict[str, Any]:
    """Return estimates as one document, with the contrasts if there are any."""
    asked = {} if contrasts is None else {"contrasts": [contrast_document(one) for one in contrasts]}
    return {
        **_heading("sfumato/estimates/1", note),
        "again": note.again,
        "releases": len(note.earlier) + 1,
        "total_epsilon_of_releases": {one.holder: one.as_json for one in note.sums},
        "estimates": [estimate_document(found) for found in estimates],
        **asked,
    }


def _heading(schema: str, note: ReportsNote) -> dict[str, Any]:
    return {
        "schema": schema,
        "study": note.study.name,
        "epoch": note.epoch,
        "source": note.source,
        "insecure": note.insecure,
        "assumed_disjoint": note.assumed_disjoint,
    }


def estimate_document(found: QuestionEstimate) -> dict[str, Any]:
    """Return the estimate of one question."""
    document: dict[str, Any] = {
        "question": found.question.id,
        "group": found.group,
        "level": found.level,
        "epsilon": found.epsilon if isfinite(found.epsilon) else "inf",
        "total": found.total,
        "confidence": found.confidence,
        "method": found.method,
        "answers": [
            {
                "answer": label,
                "share": found.shares[i],
                "raw": found.raw[i],
                "standard_error": found.standard_errors[i],
                **_ends(found.intervals[i]),
            }
            for i, label in enumerate(found.labels)
        ],
        "quantities": [_quantity(one) for one in found.quantities],
        "picture": found.picture.value,
        "shares_of": found.shares_of or "answers",
        "notes": list(found.notes),
    }
    if found.together is not None:
        document["together"] = found.together
    if found.band is not None:
        document["band"] = {"ignoring": found.ignoring, **_ends(found.band)}
    return document


def _quantity(one: Quantity) -> dict[str, Any]:
    """Return one number; of an answer its place among the answers, and the text."""
    answer = {} if one.unit is not Unit.ANSWER else {"answers": list(one.scale)}
    return {
        "quantity": one.name,
        "unit": one.unit.value,
        "value": one.value,
        "raw": one.raw,
        "standard_error": one.standard_error,
        **_ends(one.interval),
        **answer,
        "words": one.words,
    }


def _ends(interval: Interval) -> dict[str, float]:
    return {"lower": interval.lower, "upper": interval.upper}
