"""From a seed to draws: a chain of secrets down the levels, and words for each row.

c_0 is the registrar's seed and c_j = HKDF(c_(j-1), "level j"); whoever holds c_j can go down, nobody can go up. Step i,
which takes level i-1 to level i, is drawn from words of the row under HKDF(c_(i-1), "draw", drawing, step, block of
rows). So a row's draw depends on its number and on nothing else: not on how many rows there are, nor on which of them
are asked for. Study, question, column and ladder enter as HKDF's salt, and the epoch as well where draws are made: the
same seed gives other draws in another epoch, and every holder can go on to the next epoch alone.   Ref: [Kra10]
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from hashlib import sha256

import numpy as np

from sfumato.errors import KeyRefused
from sfumato.refine.keys import BLOCK_ROWS, SEED_BYTES, BlockSeeds, Draws, Key, Seed
from sfumato.refine.shifts import ShiftArray, TwoLevelShift

_DRAW, _LEVEL = b"draw", b"level"


def shifts_of(key: Key, steps: Sequence[TwoLevelShift]) -> ShiftArray:
    """Return by how much the key undoes each of its rows; `steps` are those of the whole ladder."""
    if isinstance(key.material, Draws):
        return key.material.shifts
    wanted = steps[key.level :]
    total = np.zeros(key.stop - key.start, dtype=np.int64)
    for step, secrets in zip(wanted, block_secrets(key, len(steps)), strict=True):
        for block, secret in zip(_blocks(key), secrets, strict=True):
            first, last = block * BLOCK_ROWS, min((block + 1) * BLOCK_ROWS, key.stop)
            drawn = step.draw_numbered(secret, np.arange(first, last))
            total[first - key.start : last - key.start] += drawn
    return total % steps[0].modulus


def block_secrets(key: Key, depth: int) -> tuple[tuple[bytes, ...], ...]:
    """Return the secrets of the key's blocks, a row for each step from its level down to the public report."""
    if isinstance(key.material, BlockSeeds):
        return key.material.table
    if isinstance(key.material, Draws):
        raise KeyRefused("a key of true draws has no seeds", way_out="Use its draws.")
    return tuple(
        tuple(_derive(secret, key, _DRAW, level + 1, block) for block in _blocks(key))
        for level, secret in zip(range(key.level, depth), _chain(key.material.secret, key, depth), strict=True)
    )


def lower_seed(key: Key, level: int) -> Seed:
    """Return the seed of a lower level (a larger number): the way down the chain that nobody can climb."""
    if not isinstance(key.material, Seed) or level < key.level:
        raise KeyRefused(
            f"a key of level {key.level} cannot make one of level {level}", way_out="Ask for a higher key."
        )
    *_, last = _chain(key.material.secret, key, level + 1)
    return Seed(last)


def _chain(secret: bytes, key: Key, depth: int) -> Iterator[bytes]:
    """Secrets of the levels from the key's own to depth-1."""
    for level in range(key.level, depth):
        yield secret
        secret = _derive(secret, key, _LEVEL, level + 1, 0)


def _blocks(key: Key) -> range:
    if key.start % BLOCK_ROWS or (key.stop % BLOCK_ROWS and key.stop != key.total):
        raise KeyRefused(
            f"a seed opens whole blocks of {BLOCK_ROWS} rows; this key's rows do not end at one",
            way_out="Split the key between blocks.",
        )
    return range(key.start // BLOCK_ROWS, -(-key.stop // BLOCK_ROWS))


def _derive(secret: bytes, key: Key, purpose: bytes, number: int, block: int) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415  slow to import
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415  slow to import

    salt = sha256(key.binding.digest(with_epoch=purpose == _DRAW) + key.ladder.encode()).digest()
    part = bytes.fromhex(key.drawing) if purpose == _DRAW else b""
    info = b"sfumato/ladder/2 " + purpose + part + struct.pack("<IQ", number, block)
    return HKDF(algorithm=SHA256(), length=SEED_BYTES, salt=salt, info=info).derive(secret)
