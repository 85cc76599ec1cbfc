"""Blind RSA signatures.

The variant is RSABSSA-SHA384-PSS-Randomized: a random nonce of 32 bytes is signed with a statement after it, so that a
signer with a key of its own making cannot control what is signed. The blinded number is uniform among the units modulo
n for every nonce, so it is independent of the nonce, even against unlimited computing power.

Devices need the public half alone, in plain integers: an exponent of 17 bits and an inverse. The signer computes its
power with GMP in constant time, by the two primes, under a fresh factor of its own. The result is checked against the
public key before it is sent, because a fault in one of the two halves would disclose the key [BDL97].
"""

from __future__ import annotations

import importlib
import secrets
from dataclasses import dataclass
from hashlib import sha384
from math import gcd
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA384

from sfumato.errors import InvalidParameter, KeyRefused

NONCE_BYTES = 32
SALT_BYTES = 48
LEAST_BITS = 2048
EXPONENT = 65537

_DIGEST_BYTES = 48
_PADDING = padding.PSS(mgf=padding.MGF1(SHA384()), salt_length=SALT_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Blinding:
    """What a device keeps between asking for a signature and having it; `blinded` is all that the signer sees."""

    nonce: bytes
    statement: bytes
    blinded: bytes
    inverse: int


def blind(key: rsa.RSAPublicKey, statement: bytes) -> Blinding:
    """Blind a statement under a secret nonce and a secret factor."""
    return blinding_of(key, statement, secrets.token_bytes(NONCE_BYTES), secrets.token_bytes(SALT_BYTES), _unit(key))


def blinding_of(key: rsa.RSAPublicKey, statement: bytes, nonce: bytes, salt: bytes, factor: int) -> Blinding:
    """Blind with randomness that is given, which must never be used twice; an empty nonce is the fixed variant."""
    check_key(key)
    modulus, exponent = _numbers(key)
    encoded = int.from_bytes(pss_encoding(nonce + statement, salt, modulus.bit_length() - 1), "big")
    if gcd(encoded, modulus) != 1 or gcd(factor, modulus) != 1:
        raise KeyRefused("the modulus of the signer's key has a small factor", way_out="Ask for another key.")
    blinded = encoded * pow(factor, exponent, modulus) % modulus
    return Blinding(nonce=nonce, statement=statement, blinded=_bytes(key, blinded), inverse=pow(factor, -1, modulus))


def unblinded(key: rsa.RSAPublicKey, blinding: Blinding, signed: bytes) -> bytes:
    """Return the signature that the signer has never seen, once it is found right."""
    modulus, _ = _numbers(key)
    if len(signed) != _length(key):
        raise _wrong_signature()
    signature = _bytes(key, int.from_bytes(signed, "big") * blinding.inverse % modulus)
    check_signature(key, blinding.statement, blinding.nonce, signature)
    return signature


def check_signature(key: rsa.RSAPublicKey, statement: bytes, nonce: bytes, signature: bytes) -> None:
    """Raise unless the signature is the key's on this nonce and statement."""
    try:
        key.verify(signature, nonce + statement, _PADDING, SHA384())
    except InvalidSignature:
        raise _wrong_signature() from None


def check_key(key: rsa.RSAPublicKey) -> None:
    """Refuse a key that is short, or has another exponent than all keys of this software."""
    modulus, exponent = _numbers(key)
    if modulus.bit_length() < LEAST_BITS or exponent != EXPONENT or modulus % 2 == 0:
        raise KeyRefused(
            f"the signer's key must have {LEAST_BITS} bits or more and the exponent {EXPONENT}",
            way_out="Ask for another key.",
        )


class Signer:
    """The private half, ready to sign blinded numbers; nothing of it is shown."""

    def __init__(self, key: rsa.RSAPrivateKey) -> None:
        check_key(key.public_key())
        self._gmp = _gmp()
        numbers = key.private_numbers()
        whole = self._gmp.mpz
        self._key = key.public_key()
        self._modulus, self._exponent = whole(numbers.public_numbers.n), numbers.public_numbers.e
        self._p, self._q = whole(numbers.p), whole(numbers.q)
        self._dp, self._dq = whole(numbers.dmp1), whole(numbers.dmq1)
        self._inverse = whole(numbers.iqmp)

    def sign(self, blinded: bytes) -> bytes:
        """Return the blinded number to the private power; the same number gives the same signature."""
        number = int.from_bytes(blinded, "big")
        if len(blinded) != _length(self._key) or not 0 < number < self._modulus:
            raise InvalidParameter(
                f"must be {_length(self._key)} bytes, a number below the modulus of the key",
                parameter="blinded",
                way_out="Blind it with the public key of this collection.",
            )
        gmp, modulus = self._gmp, self._modulus
        factor = gmp.mpz(_unit(self._key))
        hidden = number * gmp.powmod(factor, self._exponent, modulus) % modulus
        signed = self._power(hidden)
        if gmp.powmod(signed, self._exponent, modulus) != hidden:
            raise KeyRefused(
                "the signature that was computed is wrong, and was not sent: it would have told the private key",
                way_out="Check the memory of this machine, then ask again.",
            )
        return _bytes(self._key, int(signed * gmp.invert(factor, modulus) % modulus))

    def _power(self, number: Any) -> Any:
        """The private power, by the two primes."""
        gmp = self._gmp
        by_p = gmp.powmod_sec(number % self._p, self._dp, self._p)
        by_q = gmp.powmod_sec(number % self._q, self._dq, self._q)
        return by_q + self._q * ((by_p - by_q) * self._inverse % self._p)


def pss_encoding(statement: bytes, salt: bytes, bits: int) -> bytes:
    """EMSA-PSS of PKCS #1 [RFC8017] with SHA-384, in `bits` bits."""
    length = -(-bits // 8)
    digest = sha384(bytes(8) + sha384(statement).digest() + salt).digest()
    block = bytes(length - len(salt) - _DIGEST_BYTES - 2) + b"\x01" + salt
    masked = bytearray(a ^ b for a, b in zip(block, _mask(digest, len(block)), strict=True))
    masked[0] &= 0xFF >> (8 * length - bits)
    return bytes(masked) + digest + b"\xbc"


def _mask(seed: bytes, length: int) -> bytes:
    """MGF1 with SHA-384."""
    blocks = -(-length // _DIGEST_BYTES)
    return b"".join(sha384(seed + i.to_bytes(4, "big")).digest() for i in range(blocks))[:length]


def _unit(key: rsa.RSAPublicKey) -> int:
    """Return a random number that can be divided by, modulo n; all are equally probable."""
    modulus, _ = _numbers(key)
    while True:
        found = 1 + secrets.randbelow(modulus - 1)
        if gcd(found, modulus) == 1:
            return found


def _numbers(key: rsa.RSAPublicKey) -> tuple[int, int]:
    numbers = key.public_numbers()
    return numbers.n, numbers.e


def _length(key: rsa.RSAPublicKey) -> int:
    return -(-key.key_size // 8)


def _bytes(key: rsa.RSAPublicKey, number: int) -> bytes:
    return number.to_bytes(_length(key), "big")


def _gmp() -> Any:
    try:
        return importlib.import_module("gmpy2")
    except ImportError:
        raise InvalidParameter(
            "credentials are signed with gmpy2, which is not installed",
            way_out="Install it with: pip install 'sfumato[server]'.",
        ) from None


def _wrong_signature() -> KeyRefused:
    return KeyRefused(
        "the signature is not that of this collection's key", way_out="Ask for a credential of this collection."
    )
