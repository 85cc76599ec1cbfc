"""The key on disk: a header that anyone can read, a sealed box that vouches for it, and the draws in segments.

======================  ==============================================================================================
header                  what the file is for; everything else has lengths that follow from it
box                     a seed, seeds of blocks, or a content key, sealed under the protection together with the header
segments                of true draws only: each sealed under the content key
======================  ==============================================================================================

Format: docs/reference/files.md
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, KeyRefused, UnreadableFile
from sfumato.files.byte_sources import ByteSource, HeldBytes
from sfumato.refine.hidden import Hidden
from sfumato.refine.key_boxes import ContentKey, Material, kind_of, pack_content_key, pack_seeds, unpack_box
from sfumato.refine.key_headers import FRAME, KeyHeader, parse_header, spell_header
from sfumato.refine.key_protection import Protection, Unlock
from sfumato.refine.key_seals import Lock, new_lock, open_body, same_protection, seal_body
from sfumato.refine.key_segments import SegmentLayout, SegmentSealer, segments_of, stored_draws
from sfumato.refine.keys import BlockSeeds, Draws, Key, Seed
from sfumato.refine.ladder import Ladder

MAGIC = FRAME.magic


class KeySealer:
    """Seals a key of true draws while they come: segments one by one, and at the end what goes before them."""

    __slots__ = ("_box", "_header", "_protection", "_segments", "front_bytes", "segment_bytes")

    front_bytes: int
    """How long header and box will be, whatever the record says."""
    segment_bytes: int
    """How long all segments will be, but for one chance in 2^80 each."""

    def __init__(self, blank: Key, protection: Protection) -> None:
        _ladder_of(blank)
        if not isinstance(blank.material, Draws):
            raise InvalidParameter("the key holds a seed, and no draws", way_out="Write it with write_key.")
        content, layout = ContentKey.fresh(), _layout(blank.ladder, blank.level, blank.stop - blank.start)
        self._box, self._protection = pack_content_key(content), protection
        self._header = _header_of(blank, new_lock(protection))
        self._segments = SegmentSealer(layout, content)
        self.front_bytes = len(_opening(self._header)) + self._header.box_bytes
        self.segment_bytes = layout.length

    def add(self, shifts: npt.NDArray[np.integer[Any]]) -> Iterator[bytes]:
        """Take the draws of the rows that follow, and yield the segments that became full."""
        return self._segments.add(shifts)

    def front(self, produced: str | None) -> bytes:
        """Return what goes before the segments, once every row has come."""
        if not self._segments.is_complete:
            raise InvalidParameter(
                f"came for {self._segments.arrived} of the {self._header.rows} rows of the key",
                parameter="draws",
                way_out="Give each row one draw.",
            )
        return _front(replace(self._header, produced=produced), self._box, self._protection)


@dataclass(frozen=True, slots=True, eq=False)
class SealedKey:
    """A key file of which the header was read. Nobody vouches for that until the box has been opened."""

    header: KeyHeader
    opening: bytes
    """Everything up to the box."""
    source: ByteSource

    @classmethod
    def within(cls, source: ByteSource) -> SealedKey:
        """Read a header, and nothing behind it; the file must at least be long enough for its box."""
        raw, opening = FRAME.read_opening(source)
        header = parse_header(raw)
        end = len(opening) + header.box_bytes
        if source.size < end or (header.material is not Material.DRAWS and source.size > end):
            raise FRAME.cut()
        return cls(header, opening, source)

    @property
    def front_bytes(self) -> int:
        """Where the segments begin."""
        return len(self.opening) + self.header.box_bytes

    def opened(self, unlock: Unlock) -> OpenedKey:
        """Open the box, or raise KeyRefused; the draws stay in the file."""
        header = self.header
        sealed = self.source.read(len(self.opening), header.box_bytes)
        body = open_body(sealed, self.opening, unlock, header.lock)
        try:
            ladder = ladder_of(header.ladder)
        except (ValueError, TypeError, ArithmeticError):
            raise KeyRefused(
                "the key file names a ladder that there cannot be", way_out="Ask for the file again."
            ) from None
        if header.level >= len(ladder.steps):
            raise KeyRefused(
                "the key file names a level that its ladder does not have", way_out="Ask for the file again."
            )
        steps = len(ladder.steps) - header.level
        found = unpack_box(body, header.material, start=header.start, stop=header.stop, steps=steps)
        material: Draws | Seed | BlockSeeds
        if isinstance(found, ContentKey):
            layout = _layout(header.ladder, header.level, header.rows)
            material = stored_draws(self.source, self.front_bytes, layout, found)
        else:
            material = found
        return OpenedKey(_key_of(header, material), header.lock, unlock, body)


class OpenedKey(Hidden):
    """A key whose box was opened: what its header says is vouched for."""

    __slots__ = ("_body", "_lock", "_unlock", "key")

    key: Key
    _lock: Lock
    _unlock: Unlock
    _body: bytes

    def __init__(self, key: Key, lock: Lock, unlock: Unlock, body: bytes) -> None:
        for name, value in (("key", key), ("_lock", lock), ("_unlock", unlock), ("_body", body)):
            object.__setattr__(self, name, value)

    def front_having_produced(self, digest: str) -> bytes:
        """Return header and box anew, with a record of what was made; the segments behind them stay as they are."""
        protection = same_protection(self._unlock, self._lock)
        return _front(_header_of(self.key.having_produced(digest), new_lock(protection)), self._body, protection)


def seal_key(key: Key, protection: Protection) -> bytes:
    """Return the bytes of a key file.

    `sf.io.write_key` puts them on disk.

    Raises:
        InvalidParameter: the key is none that a ladder drew, or `protection` is no way to seal.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1])
    >>> _, public = sf.refine.new_key_pair()
    >>> sealed = sf.refine.seal_key(ladder.publish([0, 5]).keys[1], public)
    >>> sealed[:11], sf.refine.read_header(sealed).protection
    (b'SFUMATO KEY', 'public_key')
    """
    if isinstance(key.material, Draws):
        sealer = KeySealer(key, protection)
        check_rows(key)
        segments = b"".join(sealed for shifts in segments_of(key.material) for sealed in sealer.add(shifts))
        return sealer.front(key.produced) + segments
    body = pack_seeds(key, len(_ladder_of(key).steps))
    return _front(_header_of(key, new_lock(protection)), body, protection)


def check_rows(key: Key) -> None:
    """Refuse a key that has not as many draws as rows."""
    if isinstance(key.material, Draws) and key.material.rows != key.stop - key.start:
        raise InvalidParameter(
            "the key must hold one draw for each of its rows", way_out="Make it with Ladder.draw_keys."
        )


def read_header(data: bytes) -> KeyHeader:
    """Return what a key file tells everybody, without opening it; a forger could have written it.

    Raises:
        UnreadableFile: it is no key file, was cut off, or its header is damaged.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1], recover=True)
    >>> made = ladder.publish([0, 5, 3, 3])
    >>> header = sf.refine.read_header(sf.refine.seal_key(made.keys[0], sf.refine.Unprotected()))
    >>> header.level, header.total, header.epsilon
    (0, 4, inf)
    """
    return SealedKey.within(HeldBytes(data)).header


def open_key(data: bytes, unlock: Unlock) -> Key:
    """Open a key file, or raise: KeyRefused when it is not the right secret or a bit differs.

    Returns:
        The key, its draws in memory.

    Raises:
        KeyRefused: the secret is another one, or the file was changed after it was sealed.
        UnreadableFile: it is no key file, or its header is damaged.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1])
    >>> private, public = sf.refine.new_key_pair()
    >>> sealed = sf.refine.seal_key(ladder.publish([0, 5]).keys[1], public)
    >>> sf.refine.open_key(sealed, private)
    <Key of level 1, all 2 rows, information_theoretic; what it holds is not shown>
    """
    key = SealedKey.within(HeldBytes(data)).opened(unlock).key
    return replace(key, material=Draws(key.material.shifts)) if isinstance(key.material, Draws) else key


def _header_of(key: Key, lock: Lock) -> KeyHeader:
    return KeyHeader(
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
        answers=key.answers,
    )


def _key_of(header: KeyHeader, material: Draws | Seed | BlockSeeds) -> Key:
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
        answers=header.answers,
    )


def _front(header: KeyHeader, body: bytes, protection: Protection) -> bytes:
    opening = _opening(header)
    return opening + seal_body(body, opening, protection, header.lock)


def _opening(header: KeyHeader) -> bytes:
    try:
        spelled = spell_header(header)
        is_same = parse_header(spelled) == header
    except (UnreadableFile, UnicodeEncodeError):
        is_same = False
    if not is_same:
        raise InvalidParameter(
            "the key cannot be written: its names, rows, drawing or digest are not of the kind that a key file holds",
            way_out="Make keys with Ladder.draw_keys.",
        )
    return FRAME.opening(spelled)


def _ladder_of(key: Key) -> Ladder:
    ladder = ladder_of(key.ladder)
    if key.level >= len(ladder.steps):
        raise InvalidParameter(
            f"is none of this ladder's {len(ladder.steps)} levels with keys",
            parameter="level",
            value=key.level,
            way_out="Use a key that Ladder.draw_keys made.",
        )
    return ladder


@functools.lru_cache(maxsize=8)
def ladder_of(declaration: str) -> Ladder:
    """Build a ladder once for all its keys; finding a large difference set takes a while."""
    return Ladder.declared(declaration)


@functools.lru_cache(maxsize=32)
def _layout(declaration: str, level: int, rows: int) -> SegmentLayout:
    """Work out lengths once for all files of a level."""
    return SegmentLayout(rows, ladder_of(declaration).key_law(level))
