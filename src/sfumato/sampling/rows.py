"""Random words by row number, the same in any order and in any batch.

Rows share blocks of the cipher in pairs: under a key, row n has the lane n % 2 of AES-256(key; n // 2, 0), then that of
AES-256(key; n // 2, 1), and so on. A lane is half a block: 8 bytes, read as a number with the least byte first, and cut
into two words of 32 bits, the high half first; so word t of a row is half t % 2 of attempt t // 2. A narrower word is
the first bits of one of them; one wider than 32 bits is the first bits of the next two, the earlier of them high. A
sampler that draws again for some rows takes the next words of those rows and of no others.

Every input block is used once for each key, so the words are as uniform and independent as AES is a random permutation:
two blocks under one key always differ, which over 2^32 of them is distinguished from chance with probability below
2^-64 (the birthday bound), and keys are made for blocks of 4096 rows.
"""

from __future__ import annotations

from typing import Any, NoReturn, Protocol

import numpy as np
import numpy.typing as npt

from sfumato.errors import SourceFailed
from sfumato.sampling.sources import MOST_WIDTH, BitSource, WordArray

RowArray = npt.NDArray[np.integer[Any]]

ROW_WIDTH = 32
"""Bits in a word of a row; a wider one is made of two."""
_WORDS = 2  # in a lane
_LANES = 2  # in a block of the cipher
_BLOCK_BYTES = 16
_KEY_BYTES = 32
_LOW = np.uint64((1 << ROW_WIDTH) - 1)


class RowSource(Protocol):
    """A source of words by row: returns the next word of each row in a list of rows.

    >>> import numpy as np
    >>> import sfumato as sf
    >>> def word_of_the_first(source: sf.sampling.RowSource) -> int:
    ...     return int(source.words(np.array([0]), 8)[0])
    ...
    >>> key = bytes(32)  # for show: a key is drawn from the system
    >>> [word_of_the_first(sf.sampling.RowWords(key, np.array(numbers))) for numbers in ([900], [900, 3, 4])]
    [25, 25]
    """

    def words(self, rows: RowArray, width: int = MOST_WIDTH) -> WordArray:
        """A word for each of the rows, given by their places, none twice."""
        ...


class AnyRows:
    """A source of words that ignores row numbers: each request gets the next words.

    It lets what draws row by row (:meth:`Coin.sample_rows`) run on any source, where draws need not be found again.

    >>> import numpy as np
    >>> import sfumato as sf
    >>> source = sf.sampling.AnyRows(sf.sampling.ScriptedBits([9, 8, 7]))
    >>> source.words(np.array([5, 2]), 8).tolist()
    [9, 8]
    """

    def __init__(self, bits: BitSource) -> None:
        self._bits = bits

    def words(self, rows: RowArray, width: int = MOST_WIDTH) -> WordArray:
        """The next words of the source."""
        return self._bits.words(rows.size, width)


class RowStarts:
    """The first lanes of rows under one key after the other, in memory that is used again for `most` rows.

    A lane is the first 8 bytes of a row: two words of 32 bits. It is what `RowWords` is made of, for whoever goes
    through many keys.

    >>> import sfumato as sf
    >>> starts, key = sf.sampling.RowStarts(most=4096), bytes(32)
    >>> starts.take(range(10, 13))
    >>> lanes = starts.under(key).tolist()
    >>> starts.take(range(11, 12))
    >>> starts.under(key).tolist() == lanes[1:2]  # a row has its lane in any company
    True
    """

    def __init__(self, most: int) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # noqa: PLC0415  slow to import

        self._plain = np.zeros((max(most, 1), _LANES), dtype="<u8")
        # The cipher needs space for one more block than it fills.
        self._hidden = np.empty((max(most, 1) + 1) * _LANES, dtype="<u8")
        self._bytes = self._plain.data.cast("B"), self._hidden.data.cast("B")
        # One block at a time, each a pair of rows and an attempt that no other block has: this mode chains nothing.
        self._cipher, self._aes, self._mode = Cipher, algorithms.AES, modes.ECB()  # noqa: S305
        self.take(range(0))

    def take(self, numbers: RowArray | range, attempt: int = 0) -> None:
        """Go on to other rows, any, or those that follow one another; a later `attempt` has the words after two."""
        self._numbers, size = numbers, len(numbers)
        self._lanes: slice | npt.NDArray[np.intp]
        if isinstance(numbers, range):
            low, high = numbers.start, numbers.stop - 1
        else:
            low, high = (int(numbers.min()), int(numbers.max())) if size else (0, -1)
        first, stop = low // _LANES, high // _LANES + 1
        pairs: RowArray
        if isinstance(numbers, range):  # what is hidden is read where it lies
            pairs, self._lanes = np.arange(first, stop), slice(low % _LANES, low % _LANES + size)
        elif stop - first <= size:  # hiding all that lies between is no more work than a block for each row
            pairs, self._lanes = np.arange(first, stop), (numbers - _LANES * first).astype(np.intp)
        else:
            pairs = numbers // _LANES
            self._lanes = _LANES * np.arange(size) + (numbers % _LANES).astype(np.intp)
        plain = self._plain[: pairs.size]
        plain[:, 0], plain[:, 1] = pairs, attempt
        self._pairs = pairs.size
        self._input = self._bytes[0][: pairs.size * _BLOCK_BYTES]

    def go_on(self, attempt: int) -> None:
        """Go on to the words of the same rows at another attempt."""
        self._plain[: self._pairs, 1] = attempt

    def numbers_at(self, places: RowArray) -> RowArray:
        """Return the numbers of some of the rows."""
        numbers = self._numbers
        return places + numbers.start if isinstance(numbers, range) else numbers[places]

    def fill_under(self, key: bytes, *lanes: npt.NDArray[np.uint64]) -> None:
        """Write the first lane of each of the rows, and the lanes after it, one array for each."""
        cipher = self._encryptor(key)
        for attempt, filled in enumerate(lanes):
            if attempt:
                self.go_on(attempt)
            filled[:] = self._hidden_by(cipher)
        if len(lanes) > 1:
            self.go_on(0)

    def under(self, key: bytes) -> npt.NDArray[np.uint64]:
        """The lane of each of the rows, until the next call."""
        return self._hidden_by(self._encryptor(key))

    def _encryptor(self, key: bytes) -> Any:
        if len(key) != _KEY_BYTES:
            raise SourceFailed(
                f"has {len(key)} bytes and cannot be expanded",
                parameter="key",
                way_out=f"Pass a key of {_KEY_BYTES} bytes.",
            )
        return self._cipher(self._aes(key), self._mode).encryptor()

    def _hidden_by(self, cipher: Any) -> npt.NDArray[np.uint64]:
        if cipher.update_into(self._input, self._bytes[1]) != len(self._input):
            raise SourceFailed("the cipher behind the words of rows stopped short", way_out="Try again.")
        return self._hidden[self._lanes].astype(np.uint64, copy=False)


class RowWords:
    """The streams of rows with these numbers, under one key.

    Rows are asked for by their places in `numbers`, and each has its own next word.

    >>> import numpy as np
    >>> import sfumato as sf
    >>> together = sf.sampling.RowWords(bytes(32), np.array([4, 5, 900]))
    >>> together.words(np.array([0, 2]), 8).tolist(), together.words(np.array([2]), 8).tolist()
    ([61, 25], [15])
    >>> alone = sf.sampling.RowWords(bytes(32), np.array([900]))
    >>> [alone.words(np.array([0]), 8).tolist() for _ in range(2)]
    [[25], [15]]
    """

    def __init__(self, key: bytes, numbers: RowArray) -> None:
        self._key, self._numbers = key, numbers.astype(np.uint64)
        self._taken = np.zeros(numbers.size, dtype=np.int64)
        self._first = self._starts(self._numbers, 0)

    def words(self, rows: RowArray, width: int = MOST_WIDTH) -> WordArray:
        """The next word of each of the rows."""
        found = self._next(rows)
        if width > ROW_WIDTH:
            return ((found << np.uint64(ROW_WIDTH)) | self._next(rows)) >> np.uint64(MOST_WIDTH - width)
        return found >> np.uint64(ROW_WIDTH - width)

    def _next(self, rows: RowArray) -> npt.NDArray[np.uint64]:
        """The next 32 bits of each of the rows."""
        turns = self._taken[rows]
        self._taken[rows] = turns + 1
        starts = self._first[rows]
        for attempt in np.unique(turns[turns >= _WORDS] // _WORDS).tolist():
            later = np.flatnonzero(turns // _WORDS == attempt)
            starts[later] = self._starts(self._numbers[rows[later]], attempt)
        halves: npt.NDArray[np.uint64] = np.where(turns % _WORDS, starts & _LOW, starts >> np.uint64(ROW_WIDTH))
        return halves

    def _starts(self, numbers: RowArray, attempt: int) -> npt.NDArray[np.uint64]:
        starts = RowStarts(numbers.size)
        starts.take(numbers, attempt)
        return starts.under(self._key)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a source of secret bits cannot be copied or pickled; make a new one where it is needed")
