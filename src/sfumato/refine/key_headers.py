"""The header of a key file: what it tells everybody, in one spelling of JSON.   Format: docs/reference/files.md"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import msgspec

from sfumato.errors import InvalidInput, UnknownSchema, UnreadableFile
from sfumato.refine.key_coding import Material
from sfumato.refine.key_protection import (
    MOST_LANES,
    MOST_MEMORY_KIB,
    MOST_PASSES,
)
from sfumato.refine.key_seals import Lock, OpenLock, PassphraseLock, PublicKeyLock
from sfumato.refine.keys import BLOCK_ROWS, Binding
from sfumato.values import Guarantee

SCHEMA = "sfumato/key/1"

_MOST_TOTAL = 1 << 40
_MOST_DECLARED = 20_000
_SCHEMAS = re.compile(r"sfumato/key/[0-9]+")
_HEX_32 = re.compile(r"[0-9a-f]{32}")
_HEX_64 = re.compile(r"[0-9a-f]{64}")
# "1e999999999" would be a fraction too, of a billion digits.
_ODDS = re.compile(r"[0-9]+(/[0-9]+)?")

_KDF = "argon2id"
_SUITE = "X25519, HKDF-SHA256, AES-256-GCM"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyHeader:
    """What a key file tells everybody. Nobody vouches for it until the file has been opened."""

    ladder: str
    binding: Binding
    level: int
    start: int
    stop: int
    total: int
    drawing: str
    guarantee: Guarantee
    material: Material
    produced: str | None
    lock: Lock

    @property
    def protection(self) -> str:
        """What it takes to open the file."""
        return _NAMES[type(self.lock)]


_NAMES = {PassphraseLock: "passphrase", PublicKeyLock: "public_key", OpenLock: "none"}


class _Passphrase(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="passphrase"):
    kdf: str
    lanes: int
    memory_kib: int
    nonce: str
    passes: int
    salt: str


class _PublicKey(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="public_key"):
    receiver: str
    suite: str


class _Open(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="none"):
    pass


class _Header(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    column: str
    drawing: str
    epoch: int
    guarantee: str
    ladder: str
    level: int
    material: str
    produced: str | None
    protection: _Passphrase | _PublicKey | _Open
    question: str
    schema: str
    sealed_bytes: int
    start: int
    stop: int
    study: str
    total: int


class _Schema(msgspec.Struct):
    schema: str


def spell_header(header: KeyHeader, sealed_bytes: int) -> bytes:
    """Return the one spelling of a header, followed by so many sealed bytes."""
    lock = header.lock
    protection: _Passphrase | _PublicKey | _Open = _Open()
    if isinstance(lock, PassphraseLock):
        protection = _Passphrase(
            kdf=_KDF,
            lanes=lock.lanes,
            memory_kib=lock.memory_kib,
            nonce=lock.nonce.hex(),
            passes=lock.passes,
            salt=lock.salt.hex(),
        )
    elif isinstance(lock, PublicKeyLock):
        protection = _PublicKey(receiver=lock.receiver, suite=_SUITE)
    document = _Header(
        column=header.binding.column,
        drawing=header.drawing,
        epoch=header.binding.epoch,
        guarantee=header.guarantee.value,
        ladder=header.ladder,
        level=header.level,
        material=header.material.value,
        produced=header.produced,
        protection=protection,
        question=header.binding.question,
        schema=SCHEMA,
        sealed_bytes=sealed_bytes,
        start=header.start,
        stop=header.stop,
        study=header.binding.study,
        total=header.total,
    )
    return msgspec.json.encode(document, order="sorted")


def parse_header(raw: bytes) -> tuple[KeyHeader, int]:
    """Read a header and the number of sealed bytes; any other spelling of it is refused."""
    _check_schema(raw)
    try:
        document = msgspec.json.decode(raw, type=_Header)
        header = KeyHeader(
            ladder=document.ladder,
            binding=Binding(
                study=document.study, question=document.question, column=document.column, epoch=document.epoch
            ),
            level=document.level,
            start=document.start,
            stop=document.stop,
            total=document.total,
            drawing=document.drawing,
            guarantee=Guarantee(document.guarantee),
            material=Material(document.material),
            produced=document.produced,
            lock=_read_lock(document.protection),
        )
        if _is_sound(header) and spell_header(header, document.sealed_bytes) == raw:
            return header, document.sealed_bytes
    except (msgspec.MsgspecError, InvalidInput, ValueError, RecursionError):
        pass
    raise _damaged()


def _check_schema(raw: bytes) -> None:
    try:
        schema = msgspec.json.decode(raw, type=_Schema).schema
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise _damaged() from None
    if schema == SCHEMA:
        return
    if _SCHEMAS.fullmatch(schema):
        raise UnknownSchema(
            f"the key file has the schema {schema[:40]}, and this version reads {SCHEMA}",
            way_out="Upgrade sfumato to read it.",
        )
    raise _damaged()


def _damaged() -> UnreadableFile:
    return UnreadableFile("the header of the key file is damaged", way_out="Ask for the file again.")


def _read_lock(document: _Passphrase | _PublicKey | _Open) -> Lock:
    if isinstance(document, _Passphrase):
        salt, nonce = bytes.fromhex(document.salt), bytes.fromhex(document.nonce)
        bounded = (
            1 <= document.lanes <= MOST_LANES
            and 1 <= document.passes <= MOST_PASSES
            and 8 * document.lanes <= document.memory_kib <= MOST_MEMORY_KIB
        )
        if document.kdf != _KDF or len(salt) != 16 or len(nonce) != 12 or not bounded:
            raise ValueError
        return PassphraseLock(
            salt=salt, nonce=nonce, memory_kib=document.memory_kib, passes=document.passes, lanes=document.lanes
        )
    if isinstance(document, _PublicKey):
        if document.suite != _SUITE or not _HEX_32.fullmatch(document.receiver):
            raise ValueError
        return PublicKeyLock(receiver=document.receiver)
    return OpenLock()


def _is_sound(header: KeyHeader) -> bool:
    """Whether all that can be judged without the body is as it must be."""
    whole_blocks = header.start % BLOCK_ROWS == 0 and (header.stop % BLOCK_ROWS == 0 or header.stop == header.total)
    return (
        0 <= header.start < header.stop <= header.total <= _MOST_TOTAL
        and header.level >= 0
        and (header.material is Material.DRAWS or whole_blocks)
        and (header.material is not Material.SEED or header.stop - header.start == header.total)
        and _HEX_32.fullmatch(header.drawing) is not None
        and (header.produced is None or _HEX_64.fullmatch(header.produced) is not None)
        and _is_plain(header.ladder)
    )


def _is_plain(declaration: str) -> bool:
    """Whether the numbers of a ladder are small enough to build it, whoever wrote them: a modulus is about q^t."""
    document = json.loads(declaration) if len(declaration) <= _MOST_DECLARED else None
    if not isinstance(document, dict):
        return False
    odds = document.get("odds")
    bounds = (("size", 1 << 32), ("q", 1 << 32), ("t", 64))
    return (
        isinstance(odds, list)
        and all(isinstance(text, str) and _ODDS.fullmatch(text) for text in odds)
        and all(isinstance(found := document.get(name, 0), int) and found <= most for name, most in bounds)
    )
