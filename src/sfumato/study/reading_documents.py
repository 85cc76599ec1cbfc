"""What a reader's own machine needs to open and count reports: how rows and bodies are laid out, and how each is read.

It follows from the study and the public keys alone. Beside it a server sends the rows themselves; with their private
key a reader then works out what `sfumato keys unseal`, `open` and `estimate` would say.
"""

from __future__ import annotations

import base64
from typing import Any

from sfumato.study.collections import Collection, Receiver

SCHEMA = "sfumato/reading/1"


def reading_document(collection: Collection, receiver: Receiver) -> dict[str, Any]:
    """Return how the rows of a collection and the bodies of one receiver are read.

    A question is read at the receiver's level, or as everybody sees it; `reckoning` is None where that takes Python.
    """
    questions = []
    for name, way in collection.ways.items():
        level = receiver.levels.get(name, len(way.epsilons))
        questions.append(
            {
                "id": name,
                "text": way.question.text,
                "reports": way.report_count,
                "bytes": collection.widths[name],
                "has_gaps": way.question.has_gaps,
                "is_opened": name in receiver.levels,
                "level": level,
                "reckoning": way.reckoning(level),
            }
        )
    return {
        "schema": SCHEMA,
        "study": collection.study.name,
        "fingerprint": collection.fingerprint,
        "mode": collection.mode.value,
        "wave": collection.wave,
        "receiver": receiver.name,
        "kem": receiver.kem.value,
        "public_keys": {one.name: base64.b64encode(one.public_key).decode() for one in collection.receivers},
        "opens": list(receiver.levels),
        "moduli": list(collection.moduli(receiver)),
        "row_bytes": collection.row_bytes,
        "share_bytes": collection.share_bytes[receiver.name],
        "questions": questions,
    }


def public_reckonings(collection: Collection) -> dict[str, Any]:
    """Return how each question is reckoned as everybody sees it; None where that takes Python."""
    return {name: way.reckoning(len(way.epsilons)) for name, way in collection.ways.items()}
