"""Protection of key files by passphrase or private key, and how a body is sealed."""

from __future__ import annotations

import hmac
import re
import secrets
import unicodedata
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import msgspec

from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.ladders.keys import Hidden
from sfumato.numbers.checks import check_between, check_integer

# A file states its own cost; these bounds limit a hostile one to 256 MiB and a few seconds.
MOST_MEMORY_KIB = 1 << 18
MOST_PASSES = 8
MOST_LANES = 16

_KEY_BYTES = 32
_FINGERPRINT_DIGITS = 32


class Passphrase(Hidden):
    """A passphrase, and what trying one costs: `memory_kib` KiB of memory gone over `passes` times in `lanes`.

    The cost is Argon2id's, and is kept in the file, so that whoever opens it needs the words alone.

    >>> import sfumato as sf
    >>> phrase = sf.keys.Passphrase("seven green herons", memory_kib=1024, passes=1, lanes=1)  # cheap, for this page
    >>> phrase
    <Passphrase, not shown>
    >>> made = sf.Ladder.within(size=6, epsilons=[2, 1]).publish([0, 5])
    >>> sealed = sf.keys.seal_key(made.keys[1], phrase)
    >>> sf.keys.open_key(sealed, phrase).level
    1
    """

    __slots__ = ("lanes", "memory_kib", "passes", "text")

    text: str
    memory_kib: int
    passes: int
    lanes: int

    def __init__(self, text: str, *, memory_kib: int = 64 * 1024, passes: int = 3, lanes: int = 4) -> None:
        given: object = text
        if not isinstance(given, str) or not given:
            raise InvalidParameter(
                "must be text and not empty", parameter="passphrase", way_out="Choose several words."
            )
        check_between("lanes", check_integer("lanes", lanes), 1, MOST_LANES)
        check_between("passes", check_integer("passes", passes), 1, MOST_PASSES)
        check_between("memory_kib", check_integer("memory_kib", memory_kib), 8 * lanes, MOST_MEMORY_KIB)
        for name, value in (("text", text), ("memory_kib", memory_kib), ("passes", passes), ("lanes", lanes)):
            object.__setattr__(self, name, value)


@dataclass(frozen=True, slots=True)
class PublicKey:
    """For whom a key file is sealed: an X25519 public key, 32 bytes.

    Its owner gives it away as PEM; `fingerprint` is what a file shows of it.

    >>> import sfumato as sf
    >>> _, public = sf.keys.new_key_pair()
    >>> sf.keys.PublicKey.from_pem(public.to_pem()) == public, len(public.fingerprint)
    (True, 32)
    """

    raw: bytes

    def __post_init__(self) -> None:
        _check_raw(self.raw)

    @property
    def fingerprint(self) -> str:
        """What the header of a file shows of its receiver."""
        return sha256(b"sfumato/receiver/1" + self.raw).hexdigest()[:_FINGERPRINT_DIGITS]

    def to_pem(self) -> bytes:
        """Return the public key as PEM."""
        from cryptography.hazmat.primitives import serialization as pem  # noqa: PLC0415  slow to import

        data: bytes = self.loaded().public_bytes(pem.Encoding.PEM, pem.PublicFormat.SubjectPublicKeyInfo)
        return data

    @classmethod
    def from_pem(cls, data: bytes) -> PublicKey:
        """Read a PEM file with an X25519 public key."""
        from cryptography.hazmat.primitives import serialization as pem  # noqa: PLC0415  slow to import
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey  # noqa: PLC0415  slow to import

        loaded = _quietly(pem.load_pem_public_key, data)
        if not isinstance(loaded, X25519PublicKey):
            raise KeyRefused("this is not a PEM file with an X25519 public key", way_out="Ask the receiver for one.")
        return cls(loaded.public_bytes_raw())

    def loaded(self) -> Any:
        """Return the key as the cipher wants it."""
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey  # noqa: PLC0415  slow to import

        return X25519PublicKey.from_public_bytes(self.raw)


class PrivateKey(Hidden):
    """What opens files sealed for its public key: an X25519 private key, 32 bytes.

    It also protects files of its owner's own. Anyone can seal a file for the public key; one that is sealed under the
    private key was made by somebody who has it.

    `new_key_pair` draws one.

    >>> import sfumato as sf
    >>> private, public = sf.keys.new_key_pair()
    >>> private, private.public == public
    (<PrivateKey, not shown>, True)
    """

    __slots__ = ("raw",)

    raw: bytes

    def __init__(self, raw: bytes) -> None:
        _check_raw(raw)
        object.__setattr__(self, "raw", raw)

    @property
    def public(self) -> PublicKey:
        """What others seal files for."""
        return PublicKey(self.loaded().public_key().public_bytes_raw())

    @classmethod
    def from_pem(cls, data: bytes) -> PrivateKey:
        """Read a PEM file with an X25519 private key; one that is encrypted is refused."""
        from cryptography.hazmat.primitives import serialization as pem  # noqa: PLC0415  slow to import
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey  # noqa: PLC0415  slow to import

        if b"ENCRYPTED" in data:
            raise KeyRefused(
                "the private key is in an encrypted PEM file, which is not read",
                way_out="Run `openssl pkey -in FILE -out NEW`, then `sfumato keys protect NEW`.",
            )
        loaded = _quietly(lambda found: pem.load_pem_private_key(found, None), data)
        if not isinstance(loaded, X25519PrivateKey):
            raise KeyRefused(
                "the private key does not open: it is no file with an X25519 private key",
                way_out="Look for the right file.",
            )
        return cls(loaded.private_bytes_raw())

    def loaded(self) -> Any:
        """Return the key as the cipher wants it."""
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey  # noqa: PLC0415  slow to import

        return X25519PrivateKey.from_private_bytes(self.raw)


@dataclass(frozen=True, slots=True)
class Unprotected:
    """No secret at all: anyone with the file has the key. It detects damage, hides nothing, and anyone can forge.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1])
    >>> sealed = sf.keys.seal_key(ladder.publish([0, 5]).keys[1], sf.keys.Unprotected())
    >>> sf.keys.read_header(sealed).protection, sf.keys.open_key(sealed, sf.keys.Unprotected()).level
    ('none', 1)
    """


Protection = Passphrase | PublicKey | PrivateKey | Unprotected
Unlock = Passphrase | PrivateKey | Unprotected


def new_key_pair() -> tuple[PrivateKey, PublicKey]:
    """Return a new private key and the public key that others seal files for.

    Publish the public key as PEM; the private one opens what others seal for it.

    >>> import sfumato as sf
    >>> private, public = sf.keys.new_key_pair()
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1])
    >>> sealed = sf.keys.seal_key(ladder.publish([0, 5]).keys[1], public)
    >>> sf.keys.open_key(sealed, private).level
    1
    """
    private = PrivateKey(secrets.token_bytes(_KEY_BYTES))
    return private, private.public


def spelled(passphrase: Passphrase) -> bytes:
    """One spelling for what looks the same, whichever keyboard it was typed on."""
    return unicodedata.normalize("NFC", passphrase.text).encode("utf-8", "surrogatepass")


def _check_raw(raw: bytes) -> None:
    given: Any = raw
    if not isinstance(given, bytes) or len(given) != _KEY_BYTES:
        raise InvalidParameter(f"a key of X25519 must have {_KEY_BYTES} bytes", way_out="Read it from its PEM file.")


def _quietly(load: Any, data: bytes) -> object:
    """Return what a loader returns, or None where it refuses; its words may quote the file."""
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  slow to import

    try:
        return load(data)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None


# --- Sealing: a body becomes bytes that also authenticate the header before them
# No bit of a file can be changed unnoticed. The lock in the header holds what the opener needs without the secret, such
# as the salt.
#
# ==============  ==================================================================================================
# Passphrase      Argon2id [RFC 9106] makes a key of the passphrase, AES-256-GCM-SIV [RFC 8452] seals under it
# PublicKey       HPKE [RFC 9180] with X25519, HKDF-SHA256 and AES-256-GCM; the private key opens
# PrivateKey      HKDF-SHA256 makes a key of the private key, AES-256-GCM-SIV seals under it
# Unprotected     the body in clear and an HMAC-SHA256: it detects change, it hides nothing
# ==============  ==================================================================================================
#
# A file under a passphrase or a private key can be made only by those who can open it. HPKE in its base mode does not
# authenticate the sender: anyone with the public key can have made the file. An unprotected file can be anyone's. A
# secret opens only what was sealed by a secret of its kind; otherwise a forger could choose the kind in the header.


_SALT_BYTES, _NONCE_BYTES = 16, 12
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
    """What the header says about the owner of a file that no one else can open or make."""

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
    """Return the body, or raise KeyRefused without saying what was wrong; `named` is what is opened."""
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
            salt=lock.salt,
            length=_KEY_BYTES,
            iterations=lock.passes,
            lanes=lock.lanes,
            memory_cost=lock.memory_kib,
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


# Bytes that sealing adds: the tag of an AEAD; encapsulation and tag of HPKE; an HMAC.
_LONGER = {PassphraseLock: 16, PublicKeyLock: 48, PrivateKeyLock: 16, OpenLock: 32}


# --- The lock in a header, with limits on the cost that a hostile file can ask for


_FINGERPRINT = re.compile(r"[0-9a-f]{32}")
_SALT_BYTES_LOCK_DOCUMENTS, _NONCE_BYTES_LOCK_DOCUMENTS = 16, 12
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
            salt=_bytes(document.salt, _SALT_BYTES_LOCK_DOCUMENTS),
            nonce=_bytes(document.nonce, _NONCE_BYTES_LOCK_DOCUMENTS),
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
            salt=_bytes(document.salt, _SALT_BYTES_LOCK_DOCUMENTS),
            nonce=_bytes(document.nonce, _NONCE_BYTES_LOCK_DOCUMENTS),
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
