"""Who is where: a sealed index from a person to a row of a part, for the registrar alone.

It is what finds a person who is to be amended or erased, and what finds one who is in already. Ids never stand in a
report. Whoever opens an index can tell which report is whose, so it is kept like the registrar's keys.
Format: docs/reference/files.md
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from sfumato.errors import KeyRefused
from sfumato.refine.hidden import Hidden
from sfumato.refine.key_protection import Protection, Unlock, Unprotected
from sfumato.refine.key_seals import Lock, new_lock, open_body, same_protection, seal_body
from sfumato.refine.lock_documents import NAMES, LockDocument, lock_document
from sfumato.refine.sealed_frames import Frame
from sfumato.refine.sealed_headers import lock_in, read_document, spell_document

SCHEMA = "sfumato/index/1"
FRAME = Frame(b"SFUMATO INDEX\n", "index of people", "Pass a file that `sfumato publish --id` wrote.")
_PART = re.compile(r"[0-9a-f]{32}")


class _Header(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    column: str
    part: str
    protection: LockDocument
    schema: str
    study: str


class People(Hidden):
    """Rows by person; nothing of it is shown."""

    __slots__ = ("rows",)

    _STAND_IN = "write the index to a file"

    rows: Mapping[str, int]

    def __init__(self, rows: Mapping[str, int]) -> None:
        object.__setattr__(self, "rows", dict(rows))

    def __repr__(self) -> str:
        return f"<{len(self.rows)} people, not shown>"


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleIndex:
    """The people of a part, by what a column of ids said of them; `study` is the study's fingerprint."""

    study: str
    part: str
    column: str
    people: People

    def without(self, rows: set[int]) -> PeopleIndex:
        """Return it without the people of some rows."""
        kept = {person: row for person, row in self.people.rows.items() if row not in rows}
        return PeopleIndex(study=self.study, part=self.part, column=self.column, people=People(kept))


def seal_index(index: PeopleIndex, protection: Protection) -> bytes:
    """Return the bytes of an index."""
    lock = new_lock(protection)
    header = _Header(
        column=index.column, part=index.part, protection=lock_document(lock), schema=SCHEMA, study=index.study
    )
    opening = FRAME.opening(spell_document(header))
    body = msgspec.msgpack.encode(sorted(index.people.rows.items(), key=lambda pair: pair[1]))
    return opening + seal_body(body, opening, protection, lock)


def reseal_index(index: PeopleIndex, before: bytes, unlock: Unlock | None) -> bytes:
    """Return the bytes of an index that takes the place of another one, under the same protection."""
    return seal_index(index, same_protection(Unprotected() if unlock is None else unlock, _take_apart(before)[1]))


def index_protection(data: bytes) -> str:
    """Say what an index needs to open."""
    return NAMES[type(_take_apart(data)[1])]


def open_index(data: bytes, unlock: Unlock) -> PeopleIndex:
    """Open an index, or raise."""
    header, lock, opening, sealed = _take_apart(data)
    body = open_body(sealed, opening, unlock, lock, named=FRAME.named)
    try:
        pairs = msgspec.msgpack.decode(body, type=list[tuple[str, int]])
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pairs = None
    if pairs is None:
        raise KeyRefused("what the index holds is no list of people", way_out="Look for another copy of the file.")
    return PeopleIndex(study=header.study, part=header.part, column=header.column, people=People(dict(pairs)))


def _take_apart(data: bytes) -> tuple[_Header, Lock, bytes, bytes]:
    raw, opening, sealed = FRAME.take_apart(data)
    header = read_document(FRAME, raw, _Header, SCHEMA)
    if not _PART.fullmatch(header.part):
        raise FRAME.damaged()
    return header, lock_in(FRAME, header.protection), opening, sealed
