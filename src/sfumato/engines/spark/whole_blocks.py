"""In a task: rows arrive in batches, in any order, and leave as whole blocks, so that a block's digest can be made.

A table of files arrives nearly in order: most blocks become whole where they lie, and only those that lie across two
tasks are left over. Rows that were shuffled together arrive mixed; then nothing is handed on before all are there.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import UnreadableFile

Numbers = npt.NDArray[np.int64]
BLOCK_ROWS = 4096
# So many blocks are handed on at a time: as many rows as are in a chunk of a file.
RUN_BLOCKS = 64
# Rows of blocks that are not whole yet; more than this are left to be shuffled.
_MOST_HELD = 1 << 20
# A batch with more stretches of rising numbers than this is sorted.
_MOST_RUNS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockSizes:
    """Which rows each block has: all numbers from `start` on, `rows` of them, but for those that are `missing`."""

    rows: int
    start: int = 0
    missing: tuple[int, ...] = field(default=(), repr=False)

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
    """Gathers the rows of one task."""

    def __init__(self, sizes: BlockSizes, number: str, *, is_shuffled: bool) -> None:
        self._sizes, self._number, self._is_shuffled = sizes, number, is_shuffled
        self._held: dict[int, _Held] = {}
        self._waiting = 0
        self._left: set[int] = set()

    def runs(self, batches: Iterable[Any]) -> Iterator[list[tuple[int, Numbers, Any]]]:
        """Yield runs of whole blocks that follow one another, each block with its rows in their order."""
        run: list[tuple[int, Numbers, Any]] = []
        for batch in batches:
            for block in self._take(batch):
                if self._is_shuffled:
                    continue
                if run and (block != run[-1][0] + 1 or len(run) == RUN_BLOCKS):
                    yield run
                    run = []
                run.append((block, *self._whole(block)))
            if not self._is_shuffled and self._waiting > _MOST_HELD:
                self._give_up()
        for block in sorted(self._held) if self._is_shuffled else ():
            if self._held[block].count != self._sizes.count(block):
                continue
            if run and (block != run[-1][0] + 1 or len(run) == RUN_BLOCKS):
                yield run
                run = []
            run.append((block, *self._whole(block)))
        if run:
            yield run
        self._left |= set(self._held)

    @property
    def left(self) -> list[int]:
        """The blocks that did not become whole here, once all batches were met."""
        return sorted(self._left)

    def _take(self, batch: Any) -> list[int]:
        """Take rows; return the blocks that have become whole."""
        column = batch.column(batch.schema.get_field_index(self._number))
        if column.null_count:
            raise not_all_rows()
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
            if block in self._left:
                continue
            if block not in self._sizes.blocks:
                raise not_all_rows()
            held = self._held.setdefault(block, _Held())
            held.pieces.append((numbers[start:stop], batch.slice(start, stop - start)))
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
            raise not_all_rows()
        return numbers, table

    def _give_up(self) -> None:
        self._left |= set(self._held)
        self._held.clear()
        self._waiting = 0


def not_all_rows() -> UnreadableFile:
    """Return the refusal of a table whose rows are not numbered from first to last."""
    return UnreadableFile(
        "the rows of the table are not numbered from first to last, each number once: rows are missing or come twice",
        way_out="Write the table to Parquet and read it from there, without filters or joins, or name a column of ids "
        "by `id_column`.",
    )
