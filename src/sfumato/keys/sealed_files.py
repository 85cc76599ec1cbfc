"""Sealed files with a canonical header: private keys, and the index from people to rows.

======================  ==============================================================================
the magic               a line of its own that says what the file is
4 bytes                 the length of the header, little-endian
the header              JSON in one spelling, sorted and without blanks
the rest                what is sealed
======================  ==============================================================================

Format: docs/reference/files.md
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from sfumato.errors import InvalidParameter, KeyRefused, Place, UnknownSchema, UnreadableFile
from sfumato.files.disk import ByteSource, HeldBytes, read_bytes, source_of, write_atomically
from sfumato.files.formats import check_free
from sfumato.files.staging import locked
from sfumato.keys.protection import (
    NAMES,
    Lock,
    LockDocument,
    Passphrase,
    PrivateKey,
    Protection,
    PublicKey,
    Unlock,
    Unprotected,
    lock_document,
    new_lock,
    open_body,
    read_lock,
    same_protection,
    seal_body,
    sealed_length,
    without_protection,
)
from sfumato.ladders.keys import Hidden

_LENGTH_BYTES = 4
_LONGEST_HEADER = 1 << 16


@dataclass(frozen=True, slots=True)
class Frame:
    """A kind of sealed file: its magic, and what it is called in a sentence."""

    magic: bytes
    named: str
    """Such as "key file"."""
    made_by: str
    """What to do instead of passing something else."""

    def opening(self, header: bytes) -> bytes:
        """Return everything before the sealed body, which vouches for it."""
        return self.magic + len(header).to_bytes(_LENGTH_BYTES, "little") + header

    def take_apart(self, data: bytes) -> tuple[bytes, bytes, bytes]:
        """Header, everything up to the sealed body, and that body."""
        header, opening = self.read_opening(HeldBytes(data))
        return header, opening, data[len(opening) :]

    def read_opening(self, source: ByteSource) -> tuple[bytes, bytes]:
        """Header, and everything up to the sealed body; nothing beyond is read."""
        start = len(self.magic) + _LENGTH_BYTES
        front = source.read(0, start)
        if not front.startswith(self.magic):
            raise self.cut() if front and self.magic.startswith(front) else self._other()
        length = int.from_bytes(front[len(self.magic) :], "little")
        if len(front) == start and length > _LONGEST_HEADER:
            raise UnreadableFile(
                f"the header of the {self.named} is longer than any header", way_out="Ask for the file again."
            )
        opening = source.read(0, start + length)
        if len(front) < start or len(opening) < start + length:
            raise self.cut()
        return opening[start:], opening

    def cut(self) -> UnreadableFile:
        """Return the refusal of a file of the wrong length."""
        return UnreadableFile(
            f"the {self.named} ends too early or too late: it was cut off, or something was added",
            way_out="Copy it again.",
        )

    def damaged(self) -> UnreadableFile:
        """Return the refusal of a damaged header."""
        return UnreadableFile(f"the header of the {self.named} is damaged", way_out="Ask for the file again.")

    def _other(self) -> UnreadableFile:
        return UnreadableFile(f"this is not a Sfumato {self.named}", way_out=self.made_by)


# --- The header of a sealed file: JSON of one schema, in one spelling; anything else is refused alike


T = TypeVar("T", bound=msgspec.Struct)


class _Schema(msgspec.Struct):
    schema: str


def spell_document(document: msgspec.Struct) -> bytes:
    """Return the one spelling of a header."""
    return msgspec.json.encode(document, order="sorted")


def read_document(frame: Frame, raw: bytes, kind: type[T], schema: str) -> T:
    """Read a header of a schema; another schema of its family is not damage, another spelling is."""
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
    """Return the lock that a header describes."""
    try:
        return read_lock(document)
    except ValueError:
        raise frame.damaged() from None


# --- Private keys: 32 bytes in the same container as a key file, so that guessing the passphrase costs the same
# The header names the owner by the public key, and the protection: a passphrase with the Argon2id of key files, or
# none. PEM files without a passphrase are read and never written.
# Format: docs/reference/files.md


SCHEMA = "sfumato/private-key/1"
FRAME = Frame(b"SFUMATO PRIVATE KEY\n", "private key", "Pass a file that `sfumato keys pair` wrote.")

_PEM = b"-----BEGIN "
_BODY_BYTES = 32


class _Header(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    protection: LockDocument
    public: str
    schema: str


def seal_private_key(private: PrivateKey, protection: Passphrase | Unprotected) -> bytes:
    """Return the bytes of a file with a private key."""
    kept: object = protection
    if not isinstance(kept, Passphrase | Unprotected):
        raise InvalidParameter(
            "must be a Passphrase or Unprotected(): a private key is its owner's alone",
            parameter="protection",
            way_out="Choose one.",
        )
    lock = new_lock(protection)
    header = _Header(protection=lock_document(lock), public=private.public.raw.hex(), schema=SCHEMA)
    opening = FRAME.opening(spell_document(header))
    return opening + seal_body(private.raw, opening, protection, lock)


def is_private_key(data: bytes) -> bool:
    """Whether this is a private key of some kind, and no key file."""
    return data.startswith((FRAME.magic, _PEM))


def private_key_protection(data: bytes) -> str:
    """Say what a private key needs to open: "passphrase" or "none"."""
    if data.startswith(_PEM):
        PrivateKey.from_pem(data)
        return "none"
    return NAMES[type(_take_apart(data)[1])]


def open_private_key(data: bytes, unlock: Passphrase | Unprotected) -> PrivateKey:
    """Open a private key, or raise. A PEM file is not protected, so a passphrase does not open it."""
    if data.startswith(_PEM):
        private = PrivateKey.from_pem(data)
        if isinstance(unlock, Passphrase):
            raise without_protection("although a passphrase was given", named=FRAME.named)
        return private
    header, lock, opening, sealed = _take_apart(data)
    private = PrivateKey(open_body(sealed, opening, unlock, lock, named=FRAME.named))
    if private.public.raw.hex() != header.public:
        raise KeyRefused("the private key is not that of its header", way_out="Look for another copy of the file.")
    return private


def _take_apart(data: bytes) -> tuple[_Header, Lock, bytes, bytes]:
    raw, opening, sealed = FRAME.take_apart(data)
    header = read_document(FRAME, raw, _Header, SCHEMA)
    lock = lock_in(FRAME, header.protection)
    if NAMES[type(lock)] not in {"passphrase", "none"}:
        raise FRAME.damaged()
    if len(sealed) != sealed_length(lock, _BODY_BYTES):
        raise FRAME.cut()
    return header, lock, opening, sealed


# --- Files with private and public keys of receivers


_LIMIT_BYTES = 1 << 17
_HEAD_BYTES = 64


def write_private_key(private: PrivateKey, path: str | Path, protection: Passphrase | Unprotected) -> None:
    """Write a private key for its owner alone; a file that is there already is not replaced."""
    data = seal_private_key(private, protection)
    with locked(path):
        check_free("path", path)
        write_atomically(path, data, private=True)


def write_key_pair(private: PrivateKey, path: str | Path, protection: Passphrase | Unprotected) -> Path:
    """Write a private key, for its owner alone, and the public one beside it as `.pub`; return where that is."""
    public_path = Path(f"{path}.pub")
    data = seal_private_key(private, protection)
    with locked(path):
        check_free("path", path, public_path)
        write_atomically(path, data, private=True)
        write_atomically(public_path, private.public.to_pem())
    return public_path


def read_private_key(path: str | Path, unlock: Passphrase | Unprotected) -> PrivateKey:
    """Read a private key. A passphrase opens only what is locked: an open file could be anyone's."""
    return open_private_key(read_bytes(path, limit_bytes=_LIMIT_BYTES), unlock)


def read_public_key(path: str | Path) -> PublicKey:
    """Read a PEM file with a public key."""
    return PublicKey.from_pem(read_bytes(path, limit_bytes=_LIMIT_BYTES))


def is_private_key_file(path: str | Path) -> bool:
    """Whether a file holds a private key, and no key to reports."""
    return is_private_key(source_of(path).read(0, _HEAD_BYTES))


def protection_of_private_key(path: str | Path) -> str:
    """Say what a private key needs to open: "passphrase" or "none"."""
    return private_key_protection(read_bytes(path, limit_bytes=_LIMIT_BYTES))


def protect_private_key(path: str | Path, unlock: Unlock | None, protection: Protection) -> None:
    """Write a private key anew under another protection, in its place; a PEM file becomes one of ours."""
    if isinstance(unlock, PrivateKey) or isinstance(protection, PrivateKey | PublicKey):
        raise InvalidParameter(
            "is for key files: a private key is locked by a passphrase, or by nothing",
            parameter="private_key",
            way_out="Give the passphrase.",
        )
    with locked(path):
        if unlock is None and isinstance(protection, Passphrase) and protection_of_private_key(path) == "none":
            raise without_protection("and nothing was said about that", named="private key").at(Place(file=str(path)))
        private = read_private_key(path, Unprotected() if unlock is None else unlock)
        write_atomically(path, seal_private_key(private, protection), private=True)


# --- The index of people: a sealed index from a person to a row of a part, for the registrar alone
# It finds people to amend or erase, and those who are already included. Ids are never in a report. A reader of the
# index can link every report to a person, so it is kept like the registrar's keys.
# Format: docs/reference/files.md


INDEX_SCHEMA = "sfumato/index/1"
INDEX_FRAME = Frame(b"SFUMATO INDEX\n", "index of people", "Pass a file that `sfumato publish --id` wrote.")
_PART = re.compile(r"[0-9a-f]{32}")


class _IndexHeader(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
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
    header = _IndexHeader(
        column=index.column,
        part=index.part,
        protection=lock_document(lock),
        schema=INDEX_SCHEMA,
        study=index.study,
    )
    opening = INDEX_FRAME.opening(spell_document(header))
    body = msgspec.msgpack.encode(sorted(index.people.rows.items(), key=lambda pair: pair[1]))
    return opening + seal_body(body, opening, protection, lock)


def reseal_index(index: PeopleIndex, before: bytes, unlock: Unlock | None) -> bytes:
    """Return the bytes of an index that takes the place of another one, under the same protection."""
    return seal_index(index, same_protection(Unprotected() if unlock is None else unlock, _take_index_apart(before)[1]))


def index_protection(data: bytes) -> str:
    """Say what an index needs to open."""
    return NAMES[type(_take_index_apart(data)[1])]


def open_index(data: bytes, unlock: Unlock) -> PeopleIndex:
    """Open an index, or raise."""
    header, lock, opening, sealed = _take_index_apart(data)
    body = open_body(sealed, opening, unlock, lock, named=INDEX_FRAME.named)
    try:
        pairs = msgspec.msgpack.decode(body, type=list[tuple[str, int]])
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pairs = None
    if pairs is None:
        raise KeyRefused("what the index holds is no list of people", way_out="Look for another copy of the file.")
    return PeopleIndex(study=header.study, part=header.part, column=header.column, people=People(dict(pairs)))


def _take_index_apart(data: bytes) -> tuple[_IndexHeader, Lock, bytes, bytes]:
    raw, opening, sealed = INDEX_FRAME.take_apart(data)
    header = read_document(INDEX_FRAME, raw, _IndexHeader, INDEX_SCHEMA)
    if not _PART.fullmatch(header.part):
        raise INDEX_FRAME.damaged()
    return header, lock_in(INDEX_FRAME, header.protection), opening, sealed
