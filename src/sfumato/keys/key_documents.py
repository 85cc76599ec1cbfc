"""Key files: the header, the sealed box and the segments of draws.

======================  ==============================================================================================
header                  what the file is for; everything else has lengths that follow from it
box                     a seed, seeds of blocks, or a content key, sealed under the protection together with the header
segments                of true draws only: each sealed under the content key
======================  ==============================================================================================

Format: docs/reference/files.md
"""

from __future__ import annotations

import contextlib
import functools
import json
import math
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidInput, InvalidParameter, KeyRefused, UnreadableFile
from sfumato.files.columns import CHUNK_ROWS
from sfumato.files.disk import ByteSource, HeldBytes
from sfumato.keys.draw_coding import (
    ContentKey,
    Material,
    box_length,
    decode_draws,
    encode_draws,
    kind_of,
    pack_content_key,
    pack_seeds,
    packed_length,
    padded_length,
    unpack_box,
)
from sfumato.keys.protection import (
    NAMES,
    Lock,
    LockDocument,
    Protection,
    Unlock,
    lock_document,
    new_lock,
    open_body,
    read_lock,
    same_protection,
    seal_body,
    sealed_length,
)
from sfumato.keys.sealed_files import Frame, read_document, spell_document
from sfumato.ladders.keys import BLOCK_ROWS, Binding, BlockSeeds, Draws, Hidden, Key, Seed, StoredDraws
from sfumato.ladders.ladder import Ladder
from sfumato.ladders.steps import Step
from sfumato.numbers.intervals import ln_bounds
from sfumato.sampling.sources import Guarantee

# --- The public header of a key file, in one spelling of JSON
# Format: docs/reference/files.md


SCHEMA = "sfumato/key/2"
FRAME = Frame(b"SFUMATO KEY\n", "key file", "Pass a file that write_key wrote.")

_MOST_TOTAL = 1 << 40
# Seeds of blocks are held in memory; this many are those of 8 thousand million rows and one step.
_MOST_BOX_BYTES = 1 << 26
# The header has the same length before and after its key was used, so it can be written before the draws are done.
_NOTHING_MADE = "0" * 64
_MOST_DECLARED = 20_000
_MOST_TYPE = 40
_HEX_32 = re.compile(r"[0-9a-f]{32}")
_HEX_64 = re.compile(r"[0-9a-f]{64}")
# Without this pattern "1e999999999" would be read as a fraction of a billion digits.
_ODDS = re.compile(r"[0-9]+(/[0-9]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyHeader:
    """The public header of a key file. It is not authenticated until the file has been opened.

    `read_header` returns it.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1], recover=True)
    >>> made = ladder.publish([0, 5, 3, 3])
    >>> header = sf.keys.read_header(sf.keys.seal_key(made.keys[1], sf.keys.Unprotected()))
    >>> header.level, header.rows, round(header.epsilon, 4), header.protection
    (1, 4, 2.0, 'none')
    """

    ladder: str
    binding: Binding
    level: int
    start: int
    stop: int
    total: int
    drawing: str
    guarantee: Guarantee
    material: Material
    produced: str | None
    lock: Lock
    answers: str = ""

    @property
    def rows(self) -> int:
        """How many rows the key opens."""
        return self.stop - self.start

    @property
    def epsilon(self) -> float:
        """What the key shows of an answer, in nats; infinite for the answers themselves."""
        if self.level == 0:
            return math.inf
        return ln_bounds(Fraction(json.loads(self.ladder)["odds"][self.level - 1]))[1]

    @property
    def box_bytes(self) -> int:
        """How long the sealed box behind the header is."""
        steps = len(json.loads(self.ladder)["odds"]) - self.level
        return sealed_length(self.lock, box_length(self.material, self.start, self.stop, steps))

    @property
    def protection(self) -> str:
        """What it takes to open the file."""
        return NAMES[type(self.lock)]


class _Header(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True, kw_only=True):
    column: str
    drawing: str
    epoch: int
    guarantee: str
    ladder: str
    level: int
    material: str
    produced: str
    protection: LockDocument
    question: str
    schema: str
    start: int
    stop: int
    study: str
    total: int
    answers: str = ""


def spell_header(header: KeyHeader) -> bytes:
    """Return the one spelling of a header."""
    document = _Header(
        column=header.binding.column,
        drawing=header.drawing,
        epoch=header.binding.epoch,
        guarantee=header.guarantee.value,
        ladder=header.ladder,
        level=header.level,
        material=header.material.value,
        produced=_NOTHING_MADE if header.produced is None else header.produced,
        protection=lock_document(header.lock),
        question=header.binding.question,
        schema=SCHEMA,
        start=header.start,
        stop=header.stop,
        study=header.binding.study,
        total=header.total,
        answers=header.answers,
    )
    return spell_document(document)


def parse_header(raw: bytes) -> KeyHeader:
    """Read a header; any other spelling of it is refused."""
    document = read_document(FRAME, raw, _Header, SCHEMA)
    try:
        header = KeyHeader(
            ladder=document.ladder,
            binding=Binding(
                study=document.study, question=document.question, column=document.column, epoch=document.epoch
            ),
            level=document.level,
            start=document.start,
            stop=document.stop,
            total=document.total,
            drawing=document.drawing,
            guarantee=Guarantee(document.guarantee),
            material=Material(document.material),
            produced=None if document.produced == _NOTHING_MADE else document.produced,
            lock=read_lock(document.protection),
            answers=document.answers,
        )
        if _is_sound(header) and spell_header(header) == raw:
            return header
    except (InvalidInput, ValueError, RecursionError):
        pass
    raise FRAME.damaged()


def _is_sound(header: KeyHeader) -> bool:
    """Whether all that can be judged without the body is as it must be."""
    whole_blocks = header.start % BLOCK_ROWS == 0 and (header.stop % BLOCK_ROWS == 0 or header.stop == header.total)
    return (
        0 <= header.start < header.stop <= header.total <= _MOST_TOTAL
        and header.level >= 0
        and (header.material is Material.DRAWS or whole_blocks)
        and (header.material is not Material.SEED or header.stop - header.start == header.total)
        and _HEX_32.fullmatch(header.drawing) is not None
        and (header.produced is None or _HEX_64.fullmatch(header.produced) is not None)
        and len(header.answers) <= _MOST_TYPE
        and _is_plain(header.ladder)
        and 0 < header.box_bytes <= _MOST_BOX_BYTES
    )


def _is_plain(declaration: str) -> bool:
    """Whether the numbers of a ladder are small enough to build it, for untrusted input: a modulus is about q^t."""
    document = json.loads(declaration) if len(declaration) <= _MOST_DECLARED else None
    if not isinstance(document, dict):
        return False
    odds = document.get("odds")
    bounds = (("size", 1 << 32), ("q", 1 << 32), ("t", 64))
    return (
        isinstance(odds, list)
        and all(isinstance(text, str) and _ODDS.fullmatch(text) for text in odds)
        and all(isinstance(found := document.get(name, 0), int) and found <= most for name, most in bounds)
    )


# --- Segments of draws in a file: each coded, padded and sealed separately, and read on request
# A segment holds CHUNK_ROWS draws, the last one the rest. It is sealed by AES-256-GCM under the file's content key,
# which is fresh whenever draws are sealed, so the segment's number is the nonce. Its number and the count of segments
# are in the associated data. So a segment that was changed, moved, repeated, left out or taken from another file does
# not open. Lengths follow from the number of rows and the distribution, except when draws are packed, with probability
# 2^-80.
# Format: docs/reference/files.md


_PURPOSE = b"sfumato/segment/1"
_LENGTH = struct.Struct("<I")
_NONCE_BYTES, _TAG_BYTES = 12, 16


class SegmentLayout:
    """Where the segments of so many draws of a law lie, one after the other from place 0 on."""

    __slots__ = ("_lengths", "count", "law", "rows")

    rows: int
    law: Step
    count: int

    def __init__(self, rows: int, law: Step) -> None:
        self.rows, self.law, self.count = rows, law, -(-rows // CHUNK_ROWS)
        # Of a full segment and of the last one: as usual, and packed.
        self._lengths = tuple(
            tuple(_LENGTH.size + length(held, law) + _TAG_BYTES for length in (padded_length, packed_length))
            for held in (min(rows, CHUNK_ROWS), self.rows_in(self.count - 1))
        )

    def rows_in(self, index: int) -> int:
        """Return how many rows a segment holds."""
        return min(CHUNK_ROWS, self.rows - index * CHUNK_ROWS)

    def lengths(self, index: int) -> tuple[int, ...]:
        """Return how long a segment can be in the file: usually the first."""
        return self._lengths[index == self.count - 1]

    @property
    def length(self) -> int:
        """How long all of them are together, as usual."""
        return self.start(self.count - 1) + self.lengths(self.count - 1)[0]

    def start(self, index: int) -> int:
        """Return where a segment begins, if those before it are as usual."""
        return index * self._lengths[0][0]


class SegmentSealer:
    """Turns draws that come in order, however many at once, into sealed segments."""

    __slots__ = ("_arrived", "_begun", "_cipher", "_ended", "_layout", "_waiting")

    def __init__(self, layout: SegmentLayout, key: ContentKey) -> None:
        self._layout, self._cipher = layout, _cipher(key)
        self._waiting: list[npt.NDArray[Any]] = []
        self._arrived = self._begun = self._ended = 0

    @property
    def is_complete(self) -> bool:
        """Whether every row has come and every segment was sealed."""
        return self._ended == self._layout.count

    @property
    def arrived(self) -> int:
        """How many rows have come."""
        return self._arrived

    def add(self, shifts: npt.NDArray[np.integer[Any]]) -> Iterator[bytes]:
        """Take the draws of the rows that follow, and yield the segments that are full, or the last."""
        if shifts.ndim != 1 or shifts.dtype.kind not in "iu":
            raise InvalidParameter("must be whole numbers, one a row", parameter="draws", way_out="Draw them by a law.")
        if self._arrived + shifts.size > self._layout.rows:
            raise InvalidParameter(
                f"are more than the {self._layout.rows} rows of the key",
                parameter="draws",
                way_out="Give each row one draw.",
            )
        place = 0
        while place < shifts.size:
            wanted = self._layout.rows_in(self._begun) - sum(held.size for held in self._waiting)
            piece = shifts[place : place + wanted]
            place += piece.size
            self._arrived += piece.size
            if piece.size < wanted:
                self._waiting.append(piece.copy())  # the caller may use its array again
            else:
                yield self._seal(np.concatenate([*self._waiting, piece]) if self._waiting else piece)
                self._waiting = []

    def _seal(self, shifts: npt.NDArray[np.integer[Any]]) -> bytes:
        index, layout = self._begun, self._layout
        self._begun += 1  # first of all: no nonce is ever used again, whatever becomes of this segment
        body = encode_draws(shifts, layout.law)
        sealed: bytes = self._cipher.encrypt(_nonce(index), body, _associated(index, layout.count))
        self._ended += 1
        return _LENGTH.pack(len(sealed)) + sealed


class StoredSegments:
    """Reads sealed segments one at a time; their number and lengths must be those of the layout."""

    __slots__ = ("_cipher", "_layout", "_source", "_starts")

    def __init__(self, source: ByteSource, start: int, layout: SegmentLayout, key: ContentKey) -> None:
        self._source, self._layout, self._cipher = source, layout, _cipher(key)
        self._starts = self._places(start)

    def read(self, index: int) -> npt.NDArray[Any]:
        """Return the draws of a segment, or raise KeyRefused: nothing is decoded that was not sealed."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415  slow to import

        start, stop = self._starts(index), self._starts(index + 1)
        found = self._source.read(start, stop - start)
        body: bytes | None = None
        if len(found) == stop - start and found[: _LENGTH.size] == _LENGTH.pack(len(found) - _LENGTH.size):
            # Refused below, outside of a handler, so that nothing of the failure hangs on the error.
            with contextlib.suppress(InvalidTag):
                body = self._cipher.decrypt(
                    _nonce(index), found[_LENGTH.size :], _associated(index, self._layout.count)
                )
        if body is None:
            first = index * CHUNK_ROWS
            raise self._placed(
                KeyRefused(
                    f"the key file was changed after it was sealed, or replaced while it was read: its draws {first}.."
                    f"{first + self._layout.rows_in(index) - 1} do not open",
                    way_out="Open it again, or ask for the file again.",
                )
            )
        return decode_draws(body, self._layout.law, self._layout.rows_in(index))

    def _places(self, start: int) -> Any:
        """Return where each segment begins; the size of the file must be that of its segments, to the byte."""
        layout = self._layout
        if start + layout.length == self._source.size:
            return lambda index: start + (layout.length if index == layout.count else layout.start(index))
        # Another size is right only where draws were packed, so the lengths have to be walked along.
        starts = [start]
        for index in range(layout.count):
            found = self._source.read(starts[-1], _LENGTH.size)
            length = _LENGTH.size + _LENGTH.unpack(found)[0] if len(found) == _LENGTH.size else 0
            if length not in layout.lengths(index):
                break
            starts.append(starts[-1] + length)
        if len(starts) <= layout.count or starts[-1] != self._source.size:
            raise self._placed(FRAME.cut())
        return starts.__getitem__

    def _placed(self, error: KeyRefused | UnreadableFile) -> KeyRefused | UnreadableFile:
        return error if self._source.place is None else error.at(self._source.place)


def stored_draws(source: ByteSource, start: int, layout: SegmentLayout, key: ContentKey) -> StoredDraws:
    """Return the draws that begin at a place of a file, without reading them yet."""
    return StoredDraws(layout.rows, CHUNK_ROWS, StoredSegments(source, start, layout, key).read)


def segments_of(draws: Draws) -> Iterator[npt.NDArray[Any]]:
    """Yield draws in the pieces that are sealed together."""
    for start in range(0, draws.rows, CHUNK_ROWS):
        yield draws.between(start, min(start + CHUNK_ROWS, draws.rows))


def _cipher(key: ContentKey) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415  slow to import

    return AESGCM(key.raw)


def _nonce(index: int) -> bytes:
    return index.to_bytes(_NONCE_BYTES, "little")


def _associated(index: int, count: int) -> bytes:
    return _PURPOSE + struct.pack("<QQ", index, count)


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
    """A key file of which the header was read. It is not authenticated until the box has been opened."""

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

    `sfumato.keys.key_files.write_key` puts them on disk.

    Raises:
        InvalidParameter: the key is none that a ladder drew, or `protection` is no way to seal.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1])
    >>> _, public = sf.keys.new_key_pair()
    >>> sealed = sf.keys.seal_key(ladder.publish([0, 5]).keys[1], public)
    >>> sealed[:11], sf.keys.read_header(sealed).protection
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
    """Return the public header of a key file without opening it; a forger could have written it.

    Raises:
        UnreadableFile: it is no key file, was cut off, or its header is damaged.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1], recover=True)
    >>> made = ladder.publish([0, 5, 3, 3])
    >>> header = sf.keys.read_header(sf.keys.seal_key(made.keys[0], sf.keys.Unprotected()))
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
    >>> private, public = sf.keys.new_key_pair()
    >>> sealed = sf.keys.seal_key(ladder.publish([0, 5]).keys[1], public)
    >>> sf.keys.open_key(sealed, private)
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
