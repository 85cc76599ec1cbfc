"""A collection as a document: what a server hands to devices, which believe of it only what follows from the study.

A device works out for itself who may receive what, how long everything is, and the fingerprint of the study. So a
server can add no receiver and no question. It could exchange a public key: whoever runs it could then see what that
analyst may see, of reports sealed from then on. Who has the keys from elsewhere compares them.
"""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import Any

from sfumato.errors import InvalidInput, UnreadableFile
from sfumato.files.json_documents import check_keys, check_schema
from sfumato.refine.sealed_shares import Kem, check_public
from sfumato.study.collections import Collection, Receiver, check_collectable
from sfumato.study.share_receivers import levels_of
from sfumato.study.study_files import as_document, study_from

SCHEMA = "sfumato/collection/1"
_KEYS = ("schema", "study", "fingerprint", "mode", "wave", "declarations", "receivers", "row_bytes", "share_bytes")
_RECEIVER_KEYS = ("name", "kem", "public_key", "levels")
_NAMED = "the study that the server sent"


def collection_document(collection: Collection) -> dict[str, Any]:
    """Return a collection as nested tables of texts and whole numbers."""
    return {
        "schema": SCHEMA,
        "study": as_document(collection.study),
        "fingerprint": collection.fingerprint,
        "mode": collection.mode.value,
        "wave": collection.wave,
        "declarations": dict(collection.declarations),
        "receivers": [
            {
                "name": one.name,
                "kem": one.kem.value,
                "public_key": base64.b64encode(one.public_key).decode(),
                "levels": dict(one.levels),
            }
            for one in collection.receivers
        ],
        "row_bytes": collection.row_bytes,
        "share_bytes": dict(collection.share_bytes),
    }


def collection_from(document: Any, folder: Path | None = None) -> Collection:
    """Read a document; refuses one that is damaged, newer, or says what does not follow from its study."""
    if not isinstance(document, dict):
        raise _damaged()
    check_schema(document, _NAMED, kind="collection", version=1)
    try:
        found = _read(document, folder)
        is_same = collection_document(found) == document
    except (InvalidInput, KeyError, TypeError, ValueError, AttributeError, RecursionError, binascii.Error):
        raise _damaged() from None
    if not is_same or {one.name: dict(one.levels) for one in found.receivers} != levels_of(found.study):
        raise _damaged()
    return found


def _read(document: dict[str, Any], folder: Path | None) -> Collection:
    check_keys(document, _NAMED, known=_KEYS, needed=_KEYS)
    declared = {key: value for key, value in document["study"].items() if key != "schema"}
    study = study_from(declared, folder, at_once=False)
    check_collectable(study)
    receivers = []
    for one in document["receivers"]:
        check_keys(one, _NAMED, known=_RECEIVER_KEYS, needed=_RECEIVER_KEYS)
        kem, levels = Kem(one["kem"]), {str(name): _whole(level) for name, level in one["levels"].items()}
        raw = check_public(kem, base64.b64decode(one["public_key"], validate=True))
        receivers.append(Receiver(name=str(one["name"]), kem=kem, public_key=raw, levels=levels))
    if [question.id for question in study.questions] != list(document["declarations"]):
        raise ValueError("other questions are declared than there are")
    for name, declaration in document["declarations"].items():
        if study.way(name, declaration).declaration != declaration:
            raise ValueError("the declaration does not fit its question")
    blank = Collection(study=study, declarations=dict(document["declarations"]), receivers=tuple(receivers))
    return blank.at_wave(_whole(document["wave"]))


def _whole(value: object) -> int:
    if type(value) is not int:
        raise TypeError("not a whole number")
    return value


def _damaged() -> UnreadableFile:
    return UnreadableFile(
        "what the server says of its study is damaged, or does not follow from the study itself",
        parameter="study",
        way_out="Do not answer; tell whoever invited you.",
    )
