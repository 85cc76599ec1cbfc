"""What a PEM file asks for before it opens: a file names its own cost, and a hostile one asks for a day.

A private key under a passphrase is PKCS #8 [RFC 5958] encrypted by PBES2 [RFC 8018]: how many rounds of PBKDF2 it takes
stands in the file. That much of its DER is read here, and nothing is worked out until it is known to be within bounds.
"""

from __future__ import annotations

import base64
import re

MOST_ROUNDS = 1 << 23
"""Rounds of PBKDF2, a second of work; the files of before have 2,048, and other software writes up to a million."""

_BLOCK = re.compile(
    rb"-----BEGIN ENCRYPTED PRIVATE KEY-----\s+([A-Za-z0-9+/=\s]+)-----END ENCRYPTED PRIVATE KEY-----\s*"
)
_PBES2, _PBKDF2 = (bytes.fromhex(f"2a864886f70d0105{last}") for last in ("0d", "0c"))
_SEQUENCE, _OBJECT, _OCTETS, _INTEGER = 0x30, 0x06, 0x04, 0x02


def is_within_bounds(data: bytes) -> bool:
    """Whether a PEM file is not encrypted, or by PBKDF2 of no more rounds than `MOST_ROUNDS`, and nothing else."""
    if b"ENCRYPTED" not in data:
        return True
    # One block and nothing before or after it, so that whoever opens the file opens what was looked at.
    block = _BLOCK.fullmatch(data)
    if block is None:
        return False
    try:
        return 0 < _rounds(base64.b64decode(b"".join(block[1].split()), validate=True)) <= MOST_ROUNDS
    except (ValueError, IndexError):
        return False


def _rounds(der: bytes) -> int:
    """Return the rounds that EncryptedPrivateKeyInfo asks for; raise ValueError where it is another scheme."""
    algorithm = _inside(_inside(der, _SEQUENCE)[0], _SEQUENCE)[0]
    scheme, rest = _inside(algorithm, _OBJECT)
    derivation, described = _inside(_inside(_inside(rest, _SEQUENCE)[0], _SEQUENCE)[0], _OBJECT)
    if scheme != _PBES2 or derivation != _PBKDF2:
        raise ValueError
    _, after_salt = _inside(_inside(described, _SEQUENCE)[0], _OCTETS)
    return int.from_bytes(_inside(after_salt, _INTEGER)[0], "big", signed=True)


def _inside(der: bytes, tag: int) -> tuple[bytes, bytes]:
    """Return what the first value holds, which must have this tag, and what comes after it."""
    if der[0] != tag:
        raise ValueError
    length, start = der[1], 2
    if length >= 0x80:
        start += length - 0x80
        length = int.from_bytes(der[2:start], "big")
    if start + length > len(der):
        raise ValueError
    return der[start : start + length], der[start + length :]
