"""In a task: rows arrive in batches, in any order, and leave as whole blocks, so that a block's digest can be made.

A table of files arrives nearly in order: most blocks become whole where they lie, and only those that lie across two
tasks are left over.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import SfumatoError, UnreadableFile

Numbers = npt.NDArray[np.int64]
WholeBlock = tuple[int, Numbers, Any]
"""A block, the numbers of its rows, and the rows."""
BLOCK_ROWS = 4096
# So many blocks are handed on at a time: as many rows as are in a chunk of a file.
RUN_BLOCKS = 64
# Rows of blocks that are not whole yet; more than this are left for another task.
_MOST_HELD = 1 << 20
# A batch with more stretches of rising numbers than this is sorted.
_MOST_RUNS = 16


def not_all_rows() -> UnreadableFile:
    """Return the refusal of a table whose rows are not numbered from first to last."""
    return UnreadableFile(
        "the rows of the table are not numbered from first to last, each number once: rows are missing or come twice",
        way_out="Write the table to Parquet and read it from there, without filters or joins, or name a column of ids "
        "by `id_column`.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockSizes:
    """Which rows each block has: all numbers from `start` on, `rows` of them, but for those that are `missing`.

    `refusal` is what is said of a table that has others.
    """

    rows: int
    start: int = 0
    missing: tuple[int, ...] = field(default=(), repr=False)
    refusal: SfumatoError = field(default_factory=not_all_rows, repr=False)

    @property
    def blocks(self) -> range:
        """The blocks that there are."""
        return range(self.start // BLOCK_ROWS, -(-(self.start + self.rows) // BLOCK_ROWS))

    def numbers(self, block: int) -> Numbers:
        """Return the numbers of the rows in a block."""
        first = max(self.start, block * BLOCK_ROWS)
        found = np.arange(first, min(self.start + self.rows, (block + 1) * BLOCK_ROWS), dtype=np.int64)
        if not self.missing:
            return found
        gone = np.array(self.missing, dtype=np.int64)
        low, high = np.searchsorted(gone, [block * BLOCK_ROWS, (block + 1) * BLOCK_ROWS]).tolist()
        return np.setdiff1d(found, gone[low:high], assume_unique=True)

    def count(self, block: int) -> int:
        """Return how many rows a block has."""
        if not self.missing:
            first = max(self.start, block * BLOCK_ROWS)
            return min(self.start + self.rows, (block + 1) * BLOCK_ROWS) - first
        return int(self.numbers(block).size)


@dataclass(slots=True)
class _Held:
    """The rows of a block so far."""

    pieces: list[tuple[Numbers, Any]] = field(default_factory=list)
    count: int = 0


class BlockGatherer:
    """Gathers the rows of one task. What does not become whole there is left, and can be taken out row by row."""

    def __init__(self, sizes: BlockSizes, number: str) -> None:
        self._sizes, self._number = sizes, number
        self._held: dict[int, _Held] = {}
        self._waiting = 0
        self._run: list[WholeBlock] = []
        self._given_up: set[int] = set()
        self._left: list[Any] = []

    def take(self, batch: Any) -> Iterator[list[WholeBlock]]:
        """Take rows; yield runs of whole blocks that follow one another, each block with its rows in their order."""
        for block in self._gather(batch):
            yield from self._lengthened(block)
        if self._waiting > _MOST_HELD:
            self._give_up()

    def finish(self) -> Iterator[list[WholeBlock]]:
        """Yield the last runs; whatever is not whole by now is left."""
        if self._run:
            yield self._run
        self._run = []
        self._give_up()

    def left(self) -> list[Any]:
        """Return the rows that are left so far, each once, in one batch: many small ones are slow to hand on."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        found, self._left = self._left, []
        return [pa.concat_batches(found)] if found else []

    def _lengthened(self, block: int) -> Iterator[list[WholeBlock]]:
        if self._run and (block != self._run[-1][0] + 1 or len(self._run) == RUN_BLOCKS):
            yield self._run
            self._run = []
        self._run.append((block, *self._whole(block)))

    def _gather(self, batch: Any) -> list[int]:
        """Put rows to their blocks; return the blocks that have become whole."""
        column = batch.column(batch.schema.get_field_index(self._number))
        if column.null_count:
            raise self._sizes.refusal
        numbers = column.to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
        if not numbers.size:
            return []
        blocks = numbers // BLOCK_ROWS
        # Where a batch has the end of one file and the beginning of another, both stay as they are.
        if np.count_nonzero(blocks[1:] < blocks[:-1]) > _MOST_RUNS:
            order = np.argsort(blocks, kind="stable")
            numbers, blocks, batch = numbers[order], blocks[order], batch.take(order)
        edges = [0, *(np.flatnonzero(np.diff(blocks)) + 1).tolist(), numbers.size]
        done = []
        for start, stop in itertools.pairwise(edges):
            block = int(blocks[start])
            if block not in self._sizes.blocks:
                raise self._sizes.refusal
            rows = batch.slice(start, stop - start)
            if block in self._given_up:
                self._left.append(rows)
                continue
            held = self._held.setdefault(block, _Held())
            held.pieces.append((numbers[start:stop], rows))
            held.count += stop - start
            self._waiting += stop - start
            if held.count == self._sizes.count(block):
                done.append(block)
        return done

    def _whole(self, block: int) -> tuple[Numbers, Any]:
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        held = self._held.pop(block)
        self._waiting -= held.count
        table = pa.Table.from_batches([piece for _, piece in held.pieces])
        numbers = np.concatenate([numbers for numbers, _ in held.pieces])
        if np.any(numbers[1:] < numbers[:-1]):
            order = np.argsort(numbers, kind="stable")
            numbers, table = numbers[order], table.take(order)
        if not np.array_equal(numbers, self._sizes.numbers(block)):
            raise self._sizes.refusal
        return numbers, table

    def _give_up(self) -> None:
        self._given_up |= set(self._held)
        self._left += [rows for held in self._held.values() for _, rows in held.pieces]
        self._held.clear()
        self._waiting = 0
