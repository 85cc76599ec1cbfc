"""How a key file is sealed: a body becomes bytes that also vouch for the header before them.

No bit of a file can be changed unnoticed. What the opener has to know without the secret, such as the salt, is the
lock, which stands in the header.

==============  ==================================================================================================
Passphrase      Argon2id [RFC 9106] makes a key of the passphrase, AES-256-GCM-SIV [RFC 8452] seals under it
PublicKey       HPKE [RFC 9180] with X25519, HKDF-SHA256 and AES-256-GCM; the private key opens
PrivateKey      HKDF-SHA256 makes a key of the private key, AES-256-GCM-SIV seals under it
Unprotected     the body in clear and an HMAC-SHA256: it detects change, it hides nothing
==============  ==================================================================================================

Who can open a file under a passphrase or a private key is who can have made it. HPKE in its base mode says nothing of
its sender: whoever has the public key can have made the file. An unprotected file can be anyone's. The file itself says
which of these it is, so a secret opens only what was sealed by a secret of its kind: otherwise a forger would choose.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from typing import Any

from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.refine.key_protection import Passphrase, PrivateKey, Protection, PublicKey, Unlock, Unprotected, spelled

_SALT_BYTES, _NONCE_BYTES, _KEY_BYTES = 16, 12, 32
_PURPOSE, _OWN_PURPOSE = b"sfumato/key/1", b"sfumato/own/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassphraseLock:
    """What the header says about a passphrase: all but the passphrase."""

    salt: bytes
    nonce: bytes
    memory_kib: int
    passes: int
    lanes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKeyLock:
    """What the header says about the receiver. HPKE's encapsulation is the first 32 bytes after the header."""

    receiver: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateKeyLock:
    """What the header says about the owner of a file that nobody else can open or make."""

    owner: str
    salt: bytes
    nonce: bytes


@dataclass(frozen=True, slots=True)
class OpenLock:
    """Nothing to unlock."""


Lock = PassphraseLock | PublicKeyLock | PrivateKeyLock | OpenLock


def new_lock(protection: Protection) -> Lock:
    """Return the public part of a protection for one more file; salt and nonce are new each time."""
    if isinstance(protection, Passphrase):
        return PassphraseLock(
            salt=secrets.token_bytes(_SALT_BYTES),
            nonce=secrets.token_bytes(_NONCE_BYTES),
            memory_kib=protection.memory_kib,
            passes=protection.passes,
            lanes=protection.lanes,
        )
    if isinstance(protection, PublicKey):
        return PublicKeyLock(receiver=protection.fingerprint)
    if isinstance(protection, PrivateKey):
        return PrivateKeyLock(
            owner=protection.public.fingerprint,
            salt=secrets.token_bytes(_SALT_BYTES),
            nonce=secrets.token_bytes(_NONCE_BYTES),
        )
    if isinstance(protection, Unprotected):
        return OpenLock()
    raise InvalidParameter(
        "must be a Passphrase, a PublicKey, a PrivateKey or Unprotected()",
        parameter="protection",
        way_out="Choose one.",
    )


def same_protection(unlock: Unlock, lock: Lock) -> Protection:
    """Return the protection under which a file that was opened is written again: the same secret, the same cost."""
    if isinstance(unlock, Passphrase) and isinstance(lock, PassphraseLock):
        return Passphrase(unlock.text, memory_kib=lock.memory_kib, passes=lock.passes, lanes=lock.lanes)
    return unlock.public if isinstance(unlock, PrivateKey) and isinstance(lock, PublicKeyLock) else unlock


def sealed_length(lock: Lock, body_length: int) -> int:
    """Return how long a body of this length is when sealed."""
    return body_length + _LONGER[type(lock)]


def seal_body(body: bytes, header: bytes, protection: Protection, lock: Lock) -> bytes:
    """Return the sealed body, tied to its header."""
    if isinstance(protection, PublicKey):
        sealed: bytes = _suite().encrypt(body, protection.loaded(), info=header)
    elif isinstance(lock, PassphraseLock | PrivateKeyLock):
        sealed = _cipher(protection, lock).encrypt(lock.nonce, body, header)
    else:
        sealed = body + _mark(body, header)
    return sealed


def open_body(sealed: bytes, header: bytes, unlock: Unlock, lock: Lock, *, named: str = "key file") -> bytes:
    """Return the body, or raise KeyRefused without telling what was wrong; `named` is what is opened."""
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415  slow to import

    check_kind(unlock, lock, named=named)
    body: bytes | None = None
    try:
        if isinstance(lock, PublicKeyLock) and isinstance(unlock, PrivateKey):
            body = _suite().decrypt(sealed, unlock.loaded(), info=header)
        elif isinstance(lock, PassphraseLock | PrivateKeyLock):
            body = _cipher(unlock, lock).decrypt(lock.nonce, sealed, header)
        else:
            found, mark = sealed[:-32], sealed[-32:]
            body = found if hmac.compare_digest(_mark(found, header), mark) else None
    except (InvalidTag, ValueError):
        pass  # refused below, outside of the handler, so that nothing of the failure hangs on the error
    if body is None:
        raise KeyRefused(
            f"the {named} does not open: the passphrase or private key is another one, or the file was changed after "
            "it was sealed",
            way_out="Try the secret again, or ask for the file again.",
        )
    return body


def check_kind(unlock: Unlock, lock: Lock, *, named: str = "key file") -> None:
    """Refuse a secret of another kind than the lock's, above all one where there is no lock: who gives a secret would
    be handed what anyone can have written, by whoever exchanged the file.
    """
    if isinstance(lock, PassphraseLock) and not isinstance(unlock, Passphrase):
        raise KeyRefused(f"the {named} is protected by a passphrase", way_out="Give the passphrase.")
    if isinstance(lock, PublicKeyLock | PrivateKeyLock) and not isinstance(unlock, PrivateKey):
        raise KeyRefused(f"the {named} is sealed for the holder of a private key", way_out="Give the `private_key`.")
    if isinstance(lock, OpenLock) and not isinstance(unlock, Unprotected):
        given = "a passphrase" if isinstance(unlock, Passphrase) else "a private key"
        raise without_protection(f"although {given} was given", named=named)


def without_protection(why: str, *, named: str = "key file") -> KeyRefused:
    """Return the refusal of a file that anyone could have written."""
    return KeyRefused(
        f"the {named} is not protected, {why}: anyone could have written it",
        way_out="Look for the file that is sealed, or say by `unlock` that unprotected ones are meant as well.",
    )


def _cipher(secret: Protection | Unlock, lock: PassphraseLock | PrivateKeyLock) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV  # noqa: PLC0415  slow to import

    if isinstance(lock, PassphraseLock) and isinstance(secret, Passphrase):
        from cryptography.hazmat.primitives.kdf.argon2 import Argon2id  # noqa: PLC0415  slow to import

        argon = Argon2id(
            salt=lock.salt, length=_KEY_BYTES, iterations=lock.passes, lanes=lock.lanes, memory_cost=lock.memory_kib
        )
        return AESGCMSIV(argon.derive(spelled(secret)))
    if isinstance(lock, PrivateKeyLock) and isinstance(secret, PrivateKey):
        return AESGCMSIV(_expanded(secret.raw, lock.salt, _OWN_PURPOSE))
    raise TypeError("the secret is of another kind than the lock")


def _suite() -> Any:
    from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite  # noqa: PLC0415  slow to import

    return Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)


def _mark(body: bytes, header: bytes) -> bytes:
    return hmac.digest(_expanded(body, None, _PURPOSE), header, "sha256")


def _expanded(secret: bytes, salt: bytes | None, purpose: bytes) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415  slow to import
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415  slow to import

    key: bytes = HKDF(algorithm=SHA256(), length=_KEY_BYTES, salt=salt, info=purpose).derive(secret)
    return key


# An AEAD's tag; HPKE's encapsulation and tag; an HMAC.
_LONGER = {PassphraseLock: 16, PublicKeyLock: 48, PrivateKeyLock: 16, OpenLock: 32}
