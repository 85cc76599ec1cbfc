"""What lies in the sealed box of a key file: a seed, seeds of blocks, or the key under which draws are sealed.

Format: docs/reference/files.md
"""

from __future__ import annotations

import secrets
from enum import StrEnum

from sfumato.errors import InvalidParameter
from sfumato.refine.hidden import Hidden
from sfumato.refine.key_coding import damaged_material
from sfumato.refine.keys import BLOCK_ROWS, SEED_BYTES, BlockSeeds, Draws, Key, Seed

CONTENT_KEY_BYTES = 32

_SEED, _BLOCK_SEEDS, _CONTENT_KEY = (number.to_bytes(4, "little") for number in (3, 4, 5))
_TAG = 4


class Material(StrEnum):
    """What a key holds."""

    DRAWS = "draws"
    SEED = "seed"
    BLOCK_SEEDS = "block_seeds"


class ContentKey(Hidden):
    """The key under which the draws of one file are sealed; a file that is written anew gets a new one."""

    __slots__ = ("raw",)

    raw: bytes

    def __init__(self, raw: bytes) -> None:
        object.__setattr__(self, "raw", raw)

    @classmethod
    def fresh(cls) -> ContentKey:
        """Return one that was never used."""
        return cls(secrets.token_bytes(CONTENT_KEY_BYTES))


def kind_of(key: Key) -> Material:
    """Say what a key holds."""
    if isinstance(key.material, Draws):
        return Material.DRAWS
    return Material.SEED if isinstance(key.material, Seed) else Material.BLOCK_SEEDS


def box_length(kind: Material, start: int, stop: int, steps: int) -> int:
    """Return the length of what is sealed in the box of a key for these rows and so many steps below its level."""
    if kind is Material.BLOCK_SEEDS:
        return _TAG + _block_count(start, stop) * steps * SEED_BYTES
    return _TAG + (SEED_BYTES if kind is Material.SEED else CONTENT_KEY_BYTES)


def pack_content_key(key: ContentKey) -> bytes:
    """Return what lies in the box of a file of draws."""
    return _CONTENT_KEY + key.raw


def pack_seeds(key: Key, depth: int) -> bytes:
    """Return what lies in the box of a key without draws; `depth` is the number of steps of the ladder."""
    material = key.material
    if isinstance(material, Seed):
        return _SEED + material.secret
    table = material.table if isinstance(material, BlockSeeds) else ()
    secret = [secret for row in table for secret in row]
    shape = [len(row) for row in table]
    blocks = _block_count(key.start, key.stop)
    if shape != [blocks] * (depth - key.level) or any(len(one) != SEED_BYTES for one in secret):
        raise InvalidParameter("the key must hold a seed for each block and step", way_out="Make it with split_key.")
    return _BLOCK_SEEDS + b"".join(secret)


def unpack_box(body: bytes, kind: Material, *, start: int, stop: int, steps: int) -> Seed | BlockSeeds | ContentKey:
    """Read what one of the above packed, or raise KeyRefused; `steps` are those below the level of the key."""
    tag, content = body[:_TAG], body[_TAG:]
    if len(body) != box_length(kind, start, stop, steps) or tag != _TAGS[kind]:
        raise damaged_material()
    if kind is Material.DRAWS:
        return ContentKey(content)
    if kind is Material.SEED:
        return Seed(content)
    found = [content[place : place + SEED_BYTES] for place in range(0, len(content), SEED_BYTES)]
    blocks = _block_count(start, stop)
    return BlockSeeds(tuple(tuple(found[step * blocks : (step + 1) * blocks]) for step in range(steps)))


_TAGS = {Material.SEED: _SEED, Material.BLOCK_SEEDS: _BLOCK_SEEDS, Material.DRAWS: _CONTENT_KEY}


def _block_count(start: int, stop: int) -> int:
    return -(-stop // BLOCK_ROWS) - start // BLOCK_ROWS
