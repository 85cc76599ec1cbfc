"""Estimates as one JSON document, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from sfumato.study.notes import ReportsNote
from sfumato.study.ways import QuestionEstimate
from sfumato.values import Interval


def estimates_document(estimates: Sequence[QuestionEstimate], note: ReportsNote) -> dict[str, Any]:
    """Return estimates as one document."""
    return {
        "schema": "sfumato/estimates/1",
        "study": note.study.name,
        "epoch": note.epoch,
        "source": note.source,
        "insecure": note.insecure,
        "again": note.again,
        "releases": len(note.earlier) + 1,
        "total_epsilon_of_releases": {one.holder: one.as_json for one in note.sums},
        "estimates": [_estimate(found) for found in estimates],
    }


def _estimate(found: QuestionEstimate) -> dict[str, Any]:
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
        "notes": list(found.notes),
    }
    if found.together is not None:
        document["together"] = found.together
    if found.band is not None:
        document["band"] = {"ignoring": found.ignoring, **_ends(found.band)}
    if found.mean is not None:
        document["mean"] = {
            "mean": found.mean.mean,
            "raw": found.mean.raw,
            "standard_error": found.mean.standard_error,
            **_ends(found.mean.interval),
        }
    return document


def _ends(interval: Interval) -> dict[str, float]:
    return {"lower": interval.lower, "upper": interval.upper}
