"""Words that belong to rows: what a row draws is the same alone, in any company, in any order and on any machine.

Row n has a stream of its own under a key: the two words of AES-256(key; n, 0), then those of AES-256(key; n, 1), and so
on; a sampler that draws again for some rows takes the next words of those rows and of no others. Every block of input
is used once for each key, so the words are as uniform and independent as AES is a random permutation: two words of a
row differ from two of another always, which over 2^32 blocks under one key is told from chance with probability below
2^-64 (the birthday bound), and keys are made for blocks of 4096 rows.
"""

from __future__ import annotations

from typing import Any, NoReturn, Protocol

import numpy as np
import numpy.typing as npt

from sfumato.bits.source import MOST_WIDTH, BitSource, WordArray
from sfumato.errors import SourceFailed

RowArray = npt.NDArray[np.integer[Any]]

_WORDS = 2
_KEY_BYTES = 32


class RowSource(Protocol):
    """Hands out the next word of each row that asks."""

    def words(self, rows: RowArray, width: int = MOST_WIDTH) -> WordArray:
        """A word for each of the rows, given by their places, none twice."""
        ...


class AnyRows:
    """A source that knows nothing of rows: whoever asks gets the next words."""

    def __init__(self, bits: BitSource) -> None:
        self._bits = bits

    def words(self, rows: RowArray, width: int = MOST_WIDTH) -> WordArray:
        """The next words of the source."""
        return self._bits.words(rows.size, width)


class RowStarts:
    """The first two words of rows under one key after the other, in memory that is used again for `most` rows."""

    def __init__(self, most: int) -> None:
        self._plain = np.zeros((max(most, 1), _WORDS), dtype="<u8")
        # The cipher wants room for one more block than it fills.
        self._hidden = np.empty((max(most, 1) + 1, _WORDS), dtype="<u8")
        self._bytes = self._plain.data.cast("B"), self._hidden.data.cast("B")
        self.numbers: RowArray = np.empty(0, dtype=np.int64)

    def take(self, numbers: RowArray, attempt: int = 0) -> None:
        """Go on to other rows; a later `attempt` is for words after the first two."""
        plain = self._plain[: numbers.size]
        plain[:, 0], plain[:, 1] = numbers, attempt
        self.numbers = numbers

    def under(self, key: bytes) -> npt.NDArray[np.uint64]:
        """Two words for each of the rows, until the next call."""
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # noqa: PLC0415  slow to import

        if len(key) != _KEY_BYTES:
            raise SourceFailed(
                f"has {len(key)} bytes and cannot be expanded",
                parameter="key",
                way_out=f"Pass a key of {_KEY_BYTES} bytes.",
            )
        # One block at a time, each a number and an attempt that no other block has: this mode chains nothing.
        cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()  # noqa: S305
        size, (plain, hidden) = self.numbers.size * _WORDS * 8, self._bytes
        if cipher.update_into(plain[:size], hidden) != size:
            raise SourceFailed("the cipher behind the words of rows stopped short", way_out="Try again.")
        return self._hidden[: self.numbers.size].astype(np.uint64, copy=False)


class RowWords:
    """The streams of rows with these numbers, under one key."""

    def __init__(self, key: bytes, numbers: RowArray) -> None:
        self._key, self._numbers = key, numbers.astype("<u8")
        self._taken = np.zeros(numbers.size, dtype=np.int64)
        self._first = self._blocks(self._numbers, 0)

    def words(self, rows: RowArray, width: int = MOST_WIDTH) -> WordArray:
        """The next word of each of the rows."""
        turns = self._taken[rows]
        self._taken[rows] = turns + 1
        found = self._first[rows, turns % _WORDS]
        for attempt in np.unique(turns[turns >= _WORDS] // _WORDS).tolist():
            later = np.flatnonzero(turns // _WORDS == attempt)
            blocks = self._blocks(self._numbers[rows[later]], attempt)
            found[later] = blocks[np.arange(later.size), turns[later] % _WORDS]
        return found >> np.uint64(MOST_WIDTH - width) if width < MOST_WIDTH else found

    def _blocks(self, numbers: RowArray, attempt: int) -> npt.NDArray[np.uint64]:
        starts = RowStarts(numbers.size)
        starts.take(numbers, attempt)
        return starts.under(self._key)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a source of secret bits cannot be copied or pickled; make a new one where it is needed")
