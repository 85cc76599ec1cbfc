"""What a header says about its lock, as it stands in the file; a hostile one cannot ask for a machine."""

from __future__ import annotations

import re

import msgspec

from sfumato.refine.key_protection import MOST_LANES, MOST_MEMORY_KIB, MOST_PASSES
from sfumato.refine.key_seals import Lock, OpenLock, PassphraseLock, PrivateKeyLock, PublicKeyLock

_FINGERPRINT = re.compile(r"[0-9a-f]{32}")
_SALT_BYTES, _NONCE_BYTES = 16, 12
_KDF = "argon2id"
_SUITE = "X25519, HKDF-SHA256, AES-256-GCM"


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


class _PrivateKey(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="private_key"):
    nonce: str
    owner: str
    salt: str


class _Open(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="none"):
    pass


LockDocument = _Passphrase | _PublicKey | _PrivateKey | _Open

NAMES = {PassphraseLock: "passphrase", PublicKeyLock: "public_key", PrivateKeyLock: "private_key", OpenLock: "none"}
"""What it takes to open a file."""


def lock_document(lock: Lock) -> LockDocument:
    """Return what stands in the header."""
    if isinstance(lock, PassphraseLock):
        return _Passphrase(
            kdf=_KDF,
            lanes=lock.lanes,
            memory_kib=lock.memory_kib,
            nonce=lock.nonce.hex(),
            passes=lock.passes,
            salt=lock.salt.hex(),
        )
    if isinstance(lock, PublicKeyLock):
        return _PublicKey(receiver=lock.receiver, suite=_SUITE)
    if isinstance(lock, PrivateKeyLock):
        return _PrivateKey(nonce=lock.nonce.hex(), owner=lock.owner, salt=lock.salt.hex())
    return _Open()


def read_lock(document: LockDocument) -> Lock:
    """Return the lock of a header, or raise ValueError."""
    if isinstance(document, _Passphrase):
        bounded = (
            1 <= document.lanes <= MOST_LANES
            and 1 <= document.passes <= MOST_PASSES
            and 8 * document.lanes <= document.memory_kib <= MOST_MEMORY_KIB
        )
        if document.kdf != _KDF or not bounded:
            raise ValueError
        return PassphraseLock(
            salt=_bytes(document.salt, _SALT_BYTES),
            nonce=_bytes(document.nonce, _NONCE_BYTES),
            memory_kib=document.memory_kib,
            passes=document.passes,
            lanes=document.lanes,
        )
    if isinstance(document, _PublicKey):
        if document.suite != _SUITE:
            raise ValueError
        return PublicKeyLock(receiver=_fingerprint(document.receiver))
    if isinstance(document, _PrivateKey):
        return PrivateKeyLock(
            owner=_fingerprint(document.owner),
            salt=_bytes(document.salt, _SALT_BYTES),
            nonce=_bytes(document.nonce, _NONCE_BYTES),
        )
    return OpenLock()


def _bytes(text: str, count: int) -> bytes:
    found = bytes.fromhex(text)
    if len(found) != count:
        raise ValueError
    return found


def _fingerprint(text: str) -> str:
    if not _FINGERPRINT.fullmatch(text):
        raise ValueError
    return text
