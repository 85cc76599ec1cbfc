"""By what a key file is kept from others: a passphrase, a private key, or nothing at all."""

from __future__ import annotations

import secrets
import unicodedata
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.refine.hidden import Hidden
from sfumato.values.checks import check_between, check_integer

# A file names its own cost; these bounds keep a hostile one from asking for more than 256 MiB or a few seconds.
MOST_MEMORY_KIB = 1 << 18
MOST_PASSES = 8
MOST_LANES = 16

_KEY_BYTES = 32
_FINGERPRINT_DIGITS = 32


class Passphrase(Hidden):
    """A passphrase, and what trying one costs: `memory_kib` KiB of memory gone over `passes` times in `lanes`.

    The cost is Argon2id's, and is kept in the file, so that whoever opens it needs the words alone.

    >>> import sfumato as sf
    >>> phrase = sf.refine.Passphrase("seven green herons", memory_kib=1024, passes=1, lanes=1)  # cheap, for this page
    >>> phrase
    <Passphrase, not shown>
    >>> made = sf.Ladder.within(size=6, epsilons=[2, 1]).publish([0, 5])
    >>> sealed = sf.refine.seal_key(made.keys[1], phrase)
    >>> sf.refine.open_key(sealed, phrase).level
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
    >>> _, public = sf.refine.new_key_pair()
    >>> sf.refine.PublicKey.from_pem(public.to_pem()) == public, len(public.fingerprint)
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
        """Return the key as PEM, for everybody to see."""
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
    >>> private, public = sf.refine.new_key_pair()
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
    """No secret at all: whoever has the file has the key. It detects damage, hides nothing, and anyone can forge.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1])
    >>> sealed = sf.refine.seal_key(ladder.publish([0, 5]).keys[1], sf.refine.Unprotected())
    >>> sf.refine.read_header(sealed).protection, sf.refine.open_key(sealed, sf.refine.Unprotected()).level
    ('none', 1)
    """


Protection = Passphrase | PublicKey | PrivateKey | Unprotected
Unlock = Passphrase | PrivateKey | Unprotected


def new_key_pair() -> tuple[PrivateKey, PublicKey]:
    """Return a new private key and the public key that others seal files for.

    Publish the public key as PEM; the private one opens what others seal for it.

    >>> import sfumato as sf
    >>> private, public = sf.refine.new_key_pair()
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1])
    >>> sealed = sf.refine.seal_key(ladder.publish([0, 5]).keys[1], public)
    >>> sf.refine.open_key(sealed, private).level
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
