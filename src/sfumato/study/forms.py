"""The form of a study: what a page needs to ask its questions and to draw reports on the respondent's device.

Nothing in it is more than the study and its public keys say; but a browser cannot plan a question, so what the plan
found is spelled out: symbols, steps, and whole numbers to draw by. The device works out for itself what such a draw
tells, and refuses one that tells more than is stated beside it.   Format: docs/reference/files.md
"""

from __future__ import annotations

import base64
from fractions import Fraction
from typing import Any

from sfumato.study.collections import Collection, check_collectable
from sfumato.study.ways import Way
from sfumato.study.wording import sealed_name

SCHEMA = "sfumato/form/1"


def form_document(collection: Collection) -> dict[str, Any]:
    """Return the form of a collection, as nested tables of texts and whole numbers."""
    check_collectable(collection.study)
    sealed = [_sealed(collection, name) for name in collection.ways if sealed_name(name) in collection.columns]
    return ({"sealed": sealed} if sealed else {}) | {
        "schema": SCHEMA,
        "study": collection.study.name,
        "fingerprint": collection.fingerprint,
        "mode": collection.mode.value,
        "wave": collection.wave,
        "row": [[name, width] for name, width in collection.widths.items()],
        "receivers": [
            {
                "name": one.name,
                "kem": one.kem.value,
                "public_key": base64.b64encode(one.public_key).decode(),
                "levels": dict(one.levels),
                "moduli": list(collection.moduli(one)),
                "bytes": collection.share_bytes[one.name],
            }
            for one in collection.receivers
        ],
        "questions": [_question(collection, way) for way in collection.ways.values()],
    }


def _question(collection: Collection, way: Way) -> dict[str, Any]:
    asked, part = way.question, way.form()
    found: dict[str, Any] = {"id": asked.id, "text": asked.text, "asks": dict(part.asks)}
    if asked.ask_if is not None:
        found["ask_if"] = {"question": asked.ask_if.source, "answers": list(asked.ask_if.answers)}
    found["gaps"] = "refused" if asked.missing is None else str(asked.missing)
    found["reports"] = way.report_count
    if way.report_labels is not None:
        found["report_labels"] = list(way.report_labels)
    levels = {one.name: one.levels[asked.id] for one in collection.receivers if asked.id in one.levels}
    return found | {
        "odds": _spelled(part.odds[-1]),
        "sees": [{"name": name, "odds": _seen(part.odds, level)} for name, level in levels.items()],
        "draw": dict(part.draw),
    }


def _sealed(collection: Collection, question: str) -> dict[str, Any]:
    """Return a sealed column: the answer's number, moved by a uniform draw that its receivers are given."""
    name = sealed_name(question)
    way = collection.columns[name]
    part = way.form()
    return {
        "id": name,
        "of": question,
        "reports": way.report_count,
        "odds": _spelled(part.odds[-1]),
        "sees": [{"name": one.name, "odds": None} for one in collection.receivers if name in one.levels],
        "draw": dict(part.draw),
    }


def _seen(odds: tuple[Fraction | None, ...], level: int) -> str | None:
    """What a receiver's view of a report tells; whoever holds the shifts of level 0 sees the answer."""
    return None if level == 0 else _spelled(odds[level - 1])


def _spelled(odds: Fraction | None) -> str | None:
    return None if odds is None else f"{odds.numerator}/{odds.denominator}"
