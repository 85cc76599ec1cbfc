"""Sealing as an attacker would, who can read the source too: the digest of a forgery fits."""

import hashlib
import re

import msgspec


def reseal(document):
    """Spell and seal a document as the software does."""
    document = {**document, "digest": "sha256:" + "0" * 64}
    return _filled(msgspec.json.format(msgspec.json.encode(document, order="sorted"), indent=2) + b"\n")


def reseal_bytes(raw):
    """Seal bytes that no decoder of ours would take in, or that have another spelling."""
    return _filled(re.sub(rb"sha256:[0-9a-f]{64}", b"sha256:" + b"0" * 64, raw, count=1))


def _filled(blank):
    return blank.replace(b"0" * 64, hashlib.sha256(blank).hexdigest().encode(), 1)
