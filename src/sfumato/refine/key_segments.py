"""Draws in a file, segment by segment: each coded, padded and sealed by itself, and read only when it is asked for.

A segment holds CHUNK_ROWS draws, the last one what is left. It is sealed by AES-256-GCM under the file's own content
key, which is fresh whenever draws are sealed, so its number serves as nonce; its number and how many there are stand in
the associated data. So a segment that was changed, moved, repeated, left out or taken from another file does not open.
Lengths follow from the number of rows and the law, but for the one case out of 2^80 in which draws are packed.

Format: docs/reference/files.md
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, KeyRefused, UnreadableFile
from sfumato.files.byte_sources import ByteSource
from sfumato.files.chunks import CHUNK_ROWS
from sfumato.refine.key_boxes import ContentKey
from sfumato.refine.key_coding import decode_draws, encode_draws, packed_length, padded_length
from sfumato.refine.key_headers import FRAME
from sfumato.refine.keys import Draws, StoredDraws
from sfumato.refine.step_protocol import Step

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
