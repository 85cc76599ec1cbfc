"""The files that a task writes: rows that follow one another go into one, with the digests of their blocks.

A task may run several times, on several machines: each run writes under names of its own, and whoever sent the task
takes the files that came back as its result, and no others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from sfumato.errors import InvalidParameter
from sfumato.files.table_writers import TableWriter
from sfumato.refine.report_trees import Numbers, ReportTree

# A task of many rows writes several files of about this many.
_FILE_ROWS = 1 << 21


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WrittenFile:
    """A file of rows from the number `first` on, and the digests of its blocks by question."""

    name: str
    first: int
    blocks: tuple[int, ...]
    digests: Mapping[str, tuple[bytes, ...]]


class TaskFiles:
    """Writes the files of one task into a folder that all machines see."""

    def __init__(self, folder: str, tree: Callable[[], ReportTree | None], *, private: bool = False) -> None:
        self._folder, self._new_tree, self._private = Path(folder), tree, private
        self._written: list[WrittenFile] = []
        self._writer: TableWriter | None = None
        self._tree: ReportTree | None = None
        self._first = self._next = -1

    def add(self, numbers: Numbers, table: Any, cells: Mapping[str, Any]) -> None:
        """Write rows; `cells` are the reports that digests are made of."""
        first = int(numbers[0])
        if self._writer is not None and (first != self._next or self._writer.rows >= _FILE_ROWS):
            self._end()
        if self._writer is None:
            self._first = first
            # By its name nobody could tell a file of an older run from this one.
            self._name = f"{first:013d}-{os.urandom(8).hex()}.parquet"
            self._writer = TableWriter(self._folder / self._name, private=self._private)
            self._tree = self._new_tree()
        if self._tree is not None:
            self._tree.add(numbers, cells)
        self._writer.write(table)
        self._next = int(numbers[-1]) + 1

    def finish(self) -> list[WrittenFile]:
        """Return the files, which are all on disk."""
        self._end()
        return self._written

    def close(self) -> None:
        """Remove a file that was not finished."""
        if self._writer is not None:
            self._writer.discard()

    def _end(self) -> None:
        if self._writer is None:
            return
        self._writer.finish()
        blocks, digests = ((), {}) if self._tree is None else digests_of(self._tree)
        self._written.append(WrittenFile(name=self._name, first=self._first, blocks=blocks, digests=digests))
        self._writer = self._tree = None


def digests_of(tree: ReportTree) -> tuple[tuple[int, ...], dict[str, tuple[bytes, ...]]]:
    """Return the blocks of a tree whose rows have all been met, and their digests by question."""
    tree.finish()
    blocks = tuple(sorted(next(iter(tree.digests.values()), {})))
    return blocks, {name: tuple(held[block] for block in blocks) for name, held in tree.digests.items()}


def take_file(folder: Path, file: WrittenFile, target: Path) -> None:
    """Put a file that a task wrote where it belongs."""
    try:
        (folder / file.name).replace(target)
    except FileNotFoundError:
        raise InvalidParameter(
            "lies on this machine alone: executors wrote files that are not to be seen here",
            parameter="out",
            way_out="Choose a folder that all machines of the cluster see under the same name.",
        ) from None


class Digested(Protocol):
    """Blocks with their digests by question."""

    @property
    def blocks(self) -> tuple[int, ...]:
        """The blocks."""

    @property
    def digests(self) -> Mapping[str, tuple[bytes, ...]]:
        """Their digests, in the same order."""


def add_digests(tree: ReportTree, several: Iterable[Digested]) -> None:
    """Put the digests of blocks from several tasks together."""
    for one in several:
        for name, digests in one.digests.items():
            tree.digests[name].update(zip(one.blocks, digests, strict=True))
