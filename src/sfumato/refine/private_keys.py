"""A private key at rest: 32 bytes in the same kind of container as a key file, so that guessing costs the same.

The header says whose it is, by the public key, and how it is protected: under a passphrase by the Argon2id of key
files, or not at all. PEM files without a passphrase are read and never written.   Format: docs/reference/files.md
"""

from __future__ import annotations

import msgspec

from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.refine.key_protection import Passphrase, PrivateKey, Unprotected
from sfumato.refine.key_seals import Lock, new_lock, open_body, seal_body, sealed_length, without_protection
from sfumato.refine.lock_documents import NAMES, LockDocument, lock_document
from sfumato.refine.sealed_frames import Frame
from sfumato.refine.sealed_headers import lock_in, read_document, spell_document

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
