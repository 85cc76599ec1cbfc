"""Draws that nobody keeps, made of a secret by the names of rows: the same again wherever a block is drawn anew.

An engine that runs a task twice must not answer anybody twice. What the block of a question draws is the stream of
AES-256 in counter mode under HMAC-SHA256(HMAC-SHA256(secret; part, question); block); the secret lives as long as the
publication is made and is in no file.
"""

from __future__ import annotations

import hmac
import itertools
import struct
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource, KeyedBits, SystemBits
from sfumato.refine.keys import BLOCK_ROWS
from sfumato.values import Guarantee

_SECRET_BYTES = 32
IntArray = npt.NDArray[np.int64]


def new_secret(part: str, source: BitSource) -> bytes:
    """Return a secret for a part; a simulation repeats its own, and draws nothing for it."""
    if source.guarantee is Guarantee.NONE:
        return sha256(f"sfumato simulated secret {part}".encode()).digest()
    return SystemBits().bytes(_SECRET_BYTES)


def question_secret(secret: bytes, part: str, question: str) -> bytes:
    """Return the secret of a question in a part."""
    return hmac.digest(secret, b"sfumato/question/1 " + bytes.fromhex(part) + question.encode(), "sha256")


def bits_of_block(secret: bytes, block: int, round_: int = 0) -> KeyedBits:
    """Return the bits of a block of rows under the secret of a question, in one of its rounds."""
    return KeyedBits(hmac.digest(secret, b"sfumato/block bits/1 " + struct.pack("<QI", block, round_), "sha256"))


def blocks_within(numbers: IntArray) -> list[tuple[int, int, int]]:
    """Return the blocks that ascending numbers lie in: each with the places where its rows begin and end."""
    blocks = numbers // BLOCK_ROWS
    edges = [0, *(np.flatnonzero(np.diff(blocks)) + 1).tolist(), numbers.size]
    return [(int(blocks[start]), start, stop) for start, stop in itertools.pairwise(edges) if start < stop]
