"""Trees of salted digests of the columns of a part.

A block is the rows whose numbers have the same quotient by 4096. Its digest is salted: otherwise a reader with every
report of a block but one could try all values of that one. The root of a column is the digest of its blocks' digests.
The whole column is never needed at once.
Format: docs/reference/files.md
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from sfumato.ladders.keys import BLOCK_ROWS

SALT_BYTES = 16
NOTHING = -1
"""What stands where a row has no report in a column."""

_BLOCK, _ROOT = b"sfumato/block/1\0", b"sfumato/part/1\0"

Numbers = npt.NDArray[np.int64]
SaltOf = Callable[[int], bytes]


class ReportTree:
    """Digests of several columns of one part, from rows that come in ascending order of their numbers."""

    def __init__(self, questions: Iterable[str], salt_of: SaltOf) -> None:
        self.digests: dict[str, dict[int, bytes]] = {question: {} for question in questions}
        self._salt_of = salt_of
        self._held: list[tuple[Numbers, dict[str, npt.NDArray[np.uint32]]]] = []

    def add(self, numbers: Numbers, columns: Mapping[str, npt.NDArray[np.integer]]) -> None:
        """Take further rows; a block that may go on in the next call is held back."""
        if not numbers.size:
            return
        narrow = {name: np.ascontiguousarray(columns[name]).astype("<u4") for name in self.digests}
        if self._held:
            self._held.append((numbers, narrow))
            if numbers[-1] // BLOCK_ROWS == self._held[0][0][0] // BLOCK_ROWS:
                return
            numbers, narrow = self._together()
        edges = _block_edges(numbers)
        for start, stop in itertools.pairwise(edges[:-1]):
            self._close(numbers[start:stop], {name: values[start:stop] for name, values in narrow.items()})
        last = edges[-2]
        rest = {name: values[last:] for name, values in narrow.items()}
        if (numbers[-1] + 1) % BLOCK_ROWS == 0:
            self._close(numbers[last:], rest)
        else:
            self._held = [(numbers[last:], rest)]

    def finish(self, blocks: Iterable[int] = ()) -> None:
        """Close the last block; `blocks` are those that there must be, even if none of their rows is left."""
        if self._held:
            self._close(*self._together())
        for block in blocks:
            if any(block not in digests for digests in self.digests.values()):
                self._digest(block, np.empty(0, dtype=np.int64), dict.fromkeys(self.digests, np.empty(0, "<u4")))

    def root(self, question: str, instead: Mapping[int, str] | None = None) -> str:
        """Return the root of a column; `instead` has digests, in hex, that stood for some of its blocks before."""
        return root_of(question, self.digests[question], instead)

    def _together(self) -> tuple[Numbers, dict[str, npt.NDArray[np.uint32]]]:
        parts, self._held = self._held, []
        numbers = np.concatenate([held for held, _ in parts])
        return numbers, {name: np.concatenate([columns[name] for _, columns in parts]) for name in self.digests}

    def _close(self, numbers: Numbers, columns: Mapping[str, npt.NDArray[np.uint32]]) -> None:
        self._digest(int(numbers[0]) // BLOCK_ROWS, numbers, columns)

    def _digest(self, block: int, numbers: Numbers, columns: Mapping[str, npt.NDArray[np.uint32]]) -> None:
        first, count = block * BLOCK_ROWS, numbers.size
        dense = bool(count) and int(numbers[0]) == first and int(numbers[-1]) == first + count - 1
        start = sha256(_BLOCK + self._salt_of(block) + struct.pack("<QIB", block, count, dense))
        if not dense:
            start.update((numbers - first).astype("<u2").tobytes())
        for name, digests in self.digests.items():
            digest = start.copy()
            digest.update(columns[name].data)
            digests[block] = digest.digest()


def _block_edges(numbers: Numbers) -> list[int]:
    """Return where blocks begin among rows, and where the rows end; rows that follow one another are not looked at."""
    first, last = int(numbers[0]), int(numbers[-1])
    if last - first == numbers.size - 1:
        return [0, *range(BLOCK_ROWS - first % BLOCK_ROWS, numbers.size, BLOCK_ROWS), numbers.size]
    blocks = numbers // BLOCK_ROWS
    return [0, *(np.flatnonzero(blocks[1:] != blocks[:-1]) + 1).tolist(), numbers.size]


def root_of(question: str, digests: Mapping[int, bytes], instead: Mapping[int, str] | None = None) -> str:
    """Return the root over the blocks of a question, in ascending order."""
    name = question.encode()
    found = sha256(_ROOT + struct.pack("<I", len(name)) + name + struct.pack("<Q", len(digests)))
    for block in sorted(digests):
        digest = digests[block] if instead is None or block not in instead else bytes.fromhex(instead[block])
        found.update(struct.pack("<Q", block) + digest)
    return found.hexdigest()


def blocks_of(numbers: Sequence[int] | Numbers) -> tuple[int, ...]:
    """Return which blocks rows with these numbers lie in, ascending."""
    return tuple(np.unique(np.asarray(numbers, dtype=np.int64) // BLOCK_ROWS).tolist())


def positions_of(numbers: Numbers) -> int | Numbers:
    """A row's position is its number in its part; consecutive rows are given by the first."""
    if numbers.size and int(numbers[-1]) - int(numbers[0]) == numbers.size - 1:
        return int(numbers[0])
    return numbers if numbers.size else 0
