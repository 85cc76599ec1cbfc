"""The seal of a document: one spelling, and the digest of that spelling in it.

The digest is the SHA-256 of the file itself with the 64 digits of the digest written as zeros, so it covers every byte,
white space included. It finds change, and is no signature: anybody can seal a file anew.
"""

from __future__ import annotations

import hashlib
import re

import msgspec

from sfumato.certificates.strangers import SCHEMA_PREFIX, refuse_stranger
from sfumato.errors import DigestMismatch, UnreadableFile

_SEAL = re.compile(rb'"digest": "sha256:([0-9a-f]{64})"')
_ZEROS = b"0" * 64
# What a document says where its digest will be.
NO_DIGEST = "sha256:" + _ZEROS.decode()
_ASK = "Ask for the original file."


def spell(document: msgspec.Struct) -> str:
    """Return the one spelling of a document whose `digest` is NO_DIGEST, with its digest filled in."""
    blank = msgspec.json.format(msgspec.json.encode(document, order="sorted"), indent=2) + b"\n"
    return blank.replace(_ZEROS, hashlib.sha256(blank).hexdigest().encode(), 1).decode()


def check_digest(raw: bytes) -> None:
    """Raise unless the bytes are the ones that were sealed; another file of ours is called what it is."""
    seals = list(_SEAL.finditer(raw))
    if len(seals) != 1:
        refuse_stranger(raw)
        if SCHEMA_PREFIX.encode() in raw or b'"sha256:' in raw:
            raise DigestMismatch("the certificate carries no digest that can be checked", way_out=_ASK)
        raise UnreadableFile(
            "this is not a Sfumato certificate", way_out="Pass the JSON file that sfumato certify wrote."
        )
    start, end = seals[0].span(1)
    whole = memoryview(raw)
    digest = hashlib.sha256(whole[:start])
    digest.update(_ZEROS)
    digest.update(whole[end:])
    found = digest.hexdigest().encode()
    if found != raw[start:end]:
        refuse_stranger(raw)
        raise DigestMismatch(
            "the digest does not match: at least one byte of the certificate was changed after it was sealed",
            way_out=_ASK,
        )
