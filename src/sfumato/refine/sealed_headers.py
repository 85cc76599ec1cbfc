"""The header of a sealed file: JSON of one schema, in one spelling. Whatever else stands there is refused alike."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from sfumato.errors import UnknownSchema
from sfumato.refine.key_seals import Lock
from sfumato.refine.lock_documents import LockDocument, read_lock
from sfumato.refine.sealed_frames import Frame

T = TypeVar("T", bound=msgspec.Struct)


class _Schema(msgspec.Struct):
    schema: str


def spell_document(document: msgspec.Struct) -> bytes:
    """Return the one spelling of a header."""
    return msgspec.json.encode(document, order="sorted")


def read_document(frame: Frame, raw: bytes, kind: type[T], schema: str) -> T:
    """Read a header of a schema; another of its family is told from damage; another spelling is damage."""
    try:
        found = msgspec.json.decode(raw, type=_Schema).schema
        if found == schema:
            document = msgspec.json.decode(raw, type=kind)
            if spell_document(document) == raw:
                return document
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise frame.damaged() from None
    family, _, number = found.rpartition("/")
    if found != schema and family == schema.rpartition("/")[0] and number.isdecimal():
        raise UnknownSchema(
            f"the {frame.named} has the schema {found[:40]}, and this version reads {schema}",
            way_out="Upgrade sfumato to read it.",
        )
    raise frame.damaged()


def lock_in(frame: Frame, document: LockDocument) -> Lock:
    """Return the lock that a header tells of."""
    try:
        return read_lock(document)
    except ValueError:
        raise frame.damaged() from None
