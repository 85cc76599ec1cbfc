"""The key on disk: a header that anyone can read, and a sealed body that vouches for it.

Format: docs/reference/files.md
"""

from __future__ import annotations

import functools

from sfumato.errors import InvalidParameter, KeyRefused, UnreadableFile
from sfumato.refine.key_coding import decode_material, encode_material, kind_of
from sfumato.refine.key_headers import FRAME, KeyHeader, parse_header, spell_header
from sfumato.refine.key_protection import Protection, Unlock
from sfumato.refine.key_seals import new_lock, open_body, seal_body, sealed_length
from sfumato.refine.keys import Key
from sfumato.refine.ladder import Ladder

MAGIC = FRAME.magic


def seal_key(key: Key, protection: Protection) -> bytes:
    """Return the bytes of a key file."""
    ladder = _ladder(key.ladder)
    if key.level >= len(ladder.steps):
        raise InvalidParameter(
            f"is none of this ladder's {len(ladder.steps)} levels with keys",
            parameter="level",
            value=key.level,
            way_out="Use a key that Ladder.draw_keys made.",
        )
    body = encode_material(key, ladder.key_law(key.level), len(ladder.steps))
    lock = new_lock(protection)
    header = KeyHeader(
        ladder=key.ladder,
        binding=key.binding,
        level=key.level,
        start=key.start,
        stop=key.stop,
        total=key.total,
        drawing=key.drawing,
        guarantee=key.guarantee,
        material=kind_of(key),
        produced=key.produced,
        lock=lock,
    )
    try:
        spelled = spell_header(header, sealed_length(lock, len(body)))
        parse_header(spelled)
    except (UnreadableFile, UnicodeEncodeError):
        raise InvalidParameter(
            "the key cannot be written: its names, rows, drawing or digest are not of the kind that a key file holds",
            way_out="Make keys with Ladder.draw_keys.",
        ) from None
    opening = FRAME.opening(spelled)
    return opening + seal_body(body, opening, protection, lock)


def read_header(data: bytes) -> KeyHeader:
    """Return what a key file tells everybody, without opening it; a forger could have written it."""
    return _take_apart(data)[0]


def open_key(data: bytes, unlock: Unlock) -> Key:
    """Open a key file, or raise: KeyRefused when it is not the right secret or a bit differs."""
    header, opening, sealed = _take_apart(data)
    body = open_body(sealed, opening, unlock, header.lock)
    try:
        ladder = _ladder(header.ladder)
    except (ValueError, TypeError, ArithmeticError):
        raise KeyRefused(
            "the key file names a ladder that there cannot be", way_out="Ask for the file again."
        ) from None
    if header.level >= len(ladder.steps):
        raise KeyRefused("the key file names a level that its ladder does not have", way_out="Ask for the file again.")
    material = decode_material(
        body,
        header.material,
        ladder.key_law(header.level),
        len(ladder.steps),
        level=header.level,
        start=header.start,
        stop=header.stop,
    )
    return Key(
        ladder=header.ladder,
        binding=header.binding,
        level=header.level,
        start=header.start,
        stop=header.stop,
        total=header.total,
        drawing=header.drawing,
        guarantee=header.guarantee,
        material=material,
        produced=header.produced,
    )


def _take_apart(data: bytes) -> tuple[KeyHeader, bytes, bytes]:
    """Header, everything up to the sealed body, and that body."""
    raw, opening, sealed = FRAME.take_apart(data)
    header, sealed_bytes = parse_header(raw)
    if len(sealed) != sealed_bytes:
        raise FRAME.cut()
    return header, opening, sealed


@functools.lru_cache(maxsize=8)
def _ladder(declaration: str) -> Ladder:
    """Build a ladder once for all its keys; finding a large difference set takes a while."""
    return Ladder.declared(declaration)
