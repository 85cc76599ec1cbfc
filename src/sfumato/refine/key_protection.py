"""How a key file is kept from others: by a passphrase, for the holder of a private key, or not at all.

Each protection turns a body into sealed bytes that also vouch for the header before them, so that no bit of a file can
be changed unnoticed. What the opener has to know without the secret, such as the salt, stands in the header.

==============  ==================================================================================================
Passphrase      Argon2id [RFC 9106] makes a key of the passphrase, AES-256-GCM-SIV [RFC 8452] seals under it
PublicKey       HPKE [RFC 9180] with X25519, HKDF-SHA256 and AES-256-GCM; the private key opens
Unprotected     the body in clear and an HMAC-SHA256: it detects change, it hides nothing
==============  ==================================================================================================
"""

from __future__ import annotations

import hmac
import secrets
import unicodedata
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NoReturn

from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.values.checks import check_between, check_integer

# A file names its own cost; these bounds keep a hostile one from asking for a machine's whole memory, or for a day.
MOST_MEMORY_KIB = 1 << 20
MOST_PASSES = 16
MOST_LANES = 16

_SALT_BYTES, _NONCE_BYTES, _KEY_BYTES = 16, 12, 32
_FINGERPRINT_DIGITS = 32
_PURPOSE = b"sfumato/key/1"

REFUSAL = (
    "the key file does not open: the passphrase or private key is another one, or the file was changed after it was "
    "sealed. Try the secret again, or ask for the file again."
)


class _Secret:
    """What is never shown, compared or pickled."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, not shown>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("secrets are not pickled; ask for them where they are used")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Passphrase(_Secret):
    """A passphrase, and what trying one costs: `memory_kib` KiB of memory gone over `passes` times in `lanes`."""

    text: str
    memory_kib: int = field(default=64 * 1024, kw_only=True)
    passes: int = field(default=3, kw_only=True)
    lanes: int = field(default=4, kw_only=True)

    def __post_init__(self) -> None:
        text: object = self.text
        if not isinstance(text, str) or not text:
            raise InvalidParameter("the passphrase must be text and not empty. Choose several words.")
        check_between("lanes", check_integer("lanes", self.lanes), 1, MOST_LANES)
        check_between("passes", check_integer("passes", self.passes), 1, MOST_PASSES)
        check_between("memory_kib", check_integer("memory_kib", self.memory_kib), 8 * self.lanes, MOST_MEMORY_KIB)


@dataclass(frozen=True, slots=True)
class PublicKey:
    """For whom a key file is sealed: an X25519 public key, 32 bytes."""

    raw: bytes

    def __post_init__(self) -> None:
        _check_raw(self.raw)

    @property
    def fingerprint(self) -> str:
        """What the header of a file shows of its receiver."""
        return sha256(b"sfumato/receiver/1" + self.raw).hexdigest()[:_FINGERPRINT_DIGITS]

    def to_pem(self) -> bytes:
        """Return the key as PEM, for everybody to see."""
        from cryptography.hazmat.primitives import serialization as pem  # noqa: PLC0415  slow to import

        data: bytes = self._loaded().public_bytes(pem.Encoding.PEM, pem.PublicFormat.SubjectPublicKeyInfo)
        return data

    @classmethod
    def from_pem(cls, data: bytes) -> PublicKey:
        """Read a PEM file with an X25519 public key."""
        from cryptography.hazmat.primitives import serialization as pem  # noqa: PLC0415  slow to import
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey  # noqa: PLC0415  slow to import

        loaded = _quietly(pem.load_pem_public_key, data)
        if not isinstance(loaded, X25519PublicKey):
            raise KeyRefused("this is not a PEM file with an X25519 public key. Ask the receiver for one.")
        return cls(loaded.public_bytes_raw())

    def _loaded(self) -> Any:
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey  # noqa: PLC0415  slow to import

        return X25519PublicKey.from_public_bytes(self.raw)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrivateKey(_Secret):
    """What opens files sealed for its public key: an X25519 private key, 32 bytes."""

    raw: bytes

    def __post_init__(self) -> None:
        _check_raw(self.raw)

    @property
    def public(self) -> PublicKey:
        """What others seal files for."""
        return PublicKey(self._loaded().public_key().public_bytes_raw())

    def to_pem(self, passphrase: Passphrase | None = None) -> bytes:
        """Return the key as PEM, encrypted under a passphrase if there is one."""
        from cryptography.hazmat.primitives import serialization as pem  # noqa: PLC0415  slow to import

        lock = pem.NoEncryption() if passphrase is None else pem.BestAvailableEncryption(_spelled(passphrase))
        data: bytes = self._loaded().private_bytes(pem.Encoding.PEM, pem.PrivateFormat.PKCS8, lock)
        return data

    @classmethod
    def from_pem(cls, data: bytes, passphrase: Passphrase | None = None) -> PrivateKey:
        """Read a PEM file with an X25519 private key, which may need a passphrase."""
        from cryptography.hazmat.primitives import serialization as pem  # noqa: PLC0415  slow to import
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey  # noqa: PLC0415  slow to import

        password = None if passphrase is None else _spelled(passphrase)
        loaded = _quietly(lambda found: pem.load_pem_private_key(found, password), data)
        if not isinstance(loaded, X25519PrivateKey):
            raise KeyRefused(
                "the private key does not open: it is no PEM file with an X25519 private key, or it needs another "
                "passphrase, or none. Look for the right file, or try the passphrase again."
            )
        return cls(loaded.private_bytes_raw())

    def _loaded(self) -> Any:
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey  # noqa: PLC0415  slow to import

        return X25519PrivateKey.from_private_bytes(self.raw)


@dataclass(frozen=True, slots=True)
class Unprotected:
    """No secret at all: whoever has the file has the key. It detects damage, hides nothing, and anyone can forge."""


Protection = Passphrase | PublicKey | Unprotected
Unlock = Passphrase | PrivateKey | Unprotected


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


@dataclass(frozen=True, slots=True)
class OpenLock:
    """Nothing to unlock."""


Lock = PassphraseLock | PublicKeyLock | OpenLock


def new_key_pair() -> tuple[PrivateKey, PublicKey]:
    """Return a new private key and the public key that others seal files for."""
    private = PrivateKey(secrets.token_bytes(_KEY_BYTES))
    return private, private.public


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
    if isinstance(protection, Unprotected):
        return OpenLock()
    raise InvalidParameter("protection must be a Passphrase, a PublicKey or Unprotected(). Choose one.")


def same_protection(unlock: Unlock, lock: Lock) -> Protection:
    """Return the protection under which a file that was opened is written again: the same secret, the same cost."""
    if isinstance(unlock, Passphrase) and isinstance(lock, PassphraseLock):
        return Passphrase(unlock.text, memory_kib=lock.memory_kib, passes=lock.passes, lanes=lock.lanes)
    return unlock.public if isinstance(unlock, PrivateKey) else unlock


def sealed_length(lock: Lock, body_length: int) -> int:
    """Return how long a body of this length is when sealed."""
    return body_length + (16 if isinstance(lock, PassphraseLock) else 48 if isinstance(lock, PublicKeyLock) else 32)


def seal_body(body: bytes, header: bytes, protection: Protection, lock: Lock) -> bytes:
    """Return the sealed body, tied to its header."""
    if isinstance(protection, Passphrase) and isinstance(lock, PassphraseLock):
        sealed: bytes = _cipher(protection, lock).encrypt(lock.nonce, body, header)
    elif isinstance(protection, PublicKey):
        sealed = _suite().encrypt(body, protection._loaded(), info=header)  # noqa: SLF001  of this module
    else:
        sealed = body + _mark(body, header)
    return sealed


def open_body(sealed: bytes, header: bytes, unlock: Unlock, lock: Lock) -> bytes:
    """Return the body, or raise KeyRefused without telling what was wrong."""
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415  slow to import

    body: bytes | None = None
    try:
        if isinstance(lock, PassphraseLock):
            if not isinstance(unlock, Passphrase):
                raise KeyRefused("the key file is protected by a passphrase. Give the passphrase.")
            body = _cipher(unlock, lock).decrypt(lock.nonce, sealed, header)
        elif isinstance(lock, PublicKeyLock):
            if not isinstance(unlock, PrivateKey):
                raise KeyRefused("the key file is sealed for the holder of a private key. Give the private key.")
            body = _suite().decrypt(sealed, unlock._loaded(), info=header)  # noqa: SLF001  of this module
        else:
            found, mark = sealed[:-32], sealed[-32:]
            body = found if hmac.compare_digest(_mark(found, header), mark) else None
    except (InvalidTag, ValueError):
        pass  # refused below, outside of the handler, so that nothing of the failure hangs on the error
    if body is None:
        raise KeyRefused(REFUSAL)
    return body


def _cipher(passphrase: Passphrase, lock: PassphraseLock) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV  # noqa: PLC0415  slow to import
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id  # noqa: PLC0415  slow to import

    argon = Argon2id(
        salt=lock.salt, length=_KEY_BYTES, iterations=lock.passes, lanes=lock.lanes, memory_cost=lock.memory_kib
    )
    return AESGCMSIV(argon.derive(_spelled(passphrase)))


def _suite() -> Any:
    from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite  # noqa: PLC0415  slow to import

    return Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)


def _mark(body: bytes, header: bytes) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415  slow to import
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415  slow to import

    key = HKDF(algorithm=SHA256(), length=_KEY_BYTES, salt=None, info=_PURPOSE).derive(body)
    return hmac.digest(key, header, "sha256")


def _spelled(passphrase: Passphrase) -> bytes:
    """One spelling for what looks the same, whichever keyboard it was typed on."""
    return unicodedata.normalize("NFC", passphrase.text).encode("utf-8", "surrogatepass")


def _check_raw(raw: object) -> None:
    if not isinstance(raw, bytes) or len(raw) != _KEY_BYTES:
        raise InvalidParameter(f"a key of X25519 must have {_KEY_BYTES} bytes. Read it from its PEM file.")


def _quietly(load: Any, data: bytes) -> object:
    """Return what a loader returns, or None where it refuses; its words may quote the file."""
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  slow to import

    try:
        return load(data)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
