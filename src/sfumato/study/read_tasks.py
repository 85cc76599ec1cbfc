"""Reading a part on an engine: tasks check the digests of their blocks, open rows, count them, or write them.

What is sent is the note, the key that the job needs and no other, and what amendments have put in the place of cells;
of keys only seeds are sent, which know every row by its number.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from sfumato import __version__
from sfumato.engines.spark import NUMBER, spark_kind
from sfumato.files.tables import number_column, numbers_of, words_of
from sfumato.refine import Key
from sfumato.refine.key_documents import open_key
from sfumato.refine.key_protection import Unprotected
from sfumato.refine.report_trees import Numbers, ReportTree
from sfumato.study.codebooks import written_column
from sfumato.study.counting import Found, check_groups, count_rows
from sfumato.study.notes import ReportsNote
from sfumato.study.opening import Amended, Values, opened_cells, put_amended
from sfumato.study.part_notes import PartNote, Salts
from sfumato.study.publishing import arrow_table
from sfumato.study.report_rows import ROW, Chunk, check_known
from sfumato.study.reports import with_part
from sfumato.study.task_files import TaskFiles, WrittenFile, digests_of


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RowReader:
    """What is known of the rows of a part, for whoever reads some of them. It holds seeds, and is never shown.

    `note` is of the reports as they will be seen, with this part alone; `amended` has cells that were amended, by
    question, and `superseded` the rows whose report another part replaces. `answers` are types that answers come in.
    """

    note: ReportsNote
    keys: Mapping[str, bytes] = field(default_factory=dict)
    amended: Mapping[str, Amended] = field(default_factory=dict)
    superseded: Mapping[str, Numbers] = field(default_factory=dict)
    kept: tuple[str, ...] = ()
    recovers: bool = False
    several: bool = False
    answers: Mapping[str, str] = field(default_factory=dict)

    @property
    def part(self) -> PartNote:
        """The part."""
        return self.note.parts[0]

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions that are read: all, or those that answers are recovered of."""
        return tuple(self.keys) if self.recovers else tuple(self.note.columns)

    @cached_property
    def _opened_keys(self) -> dict[str, Key]:
        return {name: open_key(data, Unprotected()) for name, data in self.keys.items()}

    def answer_kinds(self, name: str) -> dict[str, str]:
        """Return what Spark calls the types of the columns that answers come back in."""
        nothing = np.empty(0, dtype=np.int64)
        found = self.note.way(name).answer_columns(nothing, kind=self.answers.get(name, ""))
        return {column: spark_kind(str(_plain(held).type)) for column, held in found.items()}

    def chunk(self, numbers: Numbers, table: Any) -> Chunk:
        """Return rows as a chunk of the part."""
        return Chunk(part=self.part, numbers=numbers, table=table, first=int(numbers[0]) if numbers.size else 0)

    def public(self, chunk: Chunk) -> dict[str, Values]:
        """Return the reports as they were published."""
        return {name: chunk.reports(self.note.way(name)) for name in self.questions}

    def seen(self, chunk: Chunk, public: Mapping[str, Values]) -> dict[str, Values]:
        """Return the reports as the keys show them, amended cells in their places; rows come with rising numbers."""
        found = {}
        for name, cells in public.items():
            key, numbers, amended = self._opened_keys.get(name), chunk.numbers, self.amended.get(name)
            values = cells if key is None else opened_cells(self.note.way(name), cells, key, numbers, numbers)
            if amended is not None:
                values = values.copy()
                put_amended(values, numbers, amended)
            found[name] = values
        return found

    def written(self, chunk: Chunk, seen: Mapping[str, Values]) -> Any:
        """Return rows as they stand in a file."""
        columns: dict[str, Any] = {ROW: number_column(chunk.numbers)}
        for name, values in seen.items():
            way = self.note.way(name)
            if self.recovers:
                columns |= way.answer_columns(values, kind=self.answers.get(name, ""))
            else:
                columns[name] = written_column(way, values)
        table = arrow_table(columns | {name: chunk.table.column(name) for name in self.kept})
        return with_part(Chunk(part=self.part, numbers=chunk.numbers, table=table, first=0), several=self.several)

    def count(self, found: dict[str, Found], chunk: Chunk, seen: Mapping[str, Values], group: str | None) -> None:
        """Count reports, by the groups of a kept column if one is named."""
        words = None if group is None else words_of(chunk.table, group, first=chunk.first)
        for name, values in seen.items():
            if name not in self.note.questions:
                continue  # a sealed column says nothing
            gone = self.superseded.get(name)
            kept = None if gone is None else np.isin(chunk.numbers, gone, invert=True)
            way, level = self.note.way(name), self.note.column(name).level
            mine = found.setdefault(name, {})
            count_rows(mine, way, level, values, chunk.part, chunk.numbers, kept, words)
            check_groups(mine, group)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ReadTask:
    """Reads whole blocks. They are checked against the note, and counted if `counts`, or written into a `folder`."""

    reader: RowReader
    public: PartNote
    counts: bool = False
    group: str | None = None
    folder: str | None = None
    salts: Salts | None = None
    version: str = __version__

    def begin(self) -> ReadWork:
        """Begin one task."""
        return ReadWork(self)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ReadBlocks:
    """What a task found: digests of its blocks, counts, files."""

    blocks: tuple[int, ...]
    digests: Mapping[str, tuple[bytes, ...]]
    counts: dict[str, Found]
    files: list[WrittenFile]


class ReadWork:
    """One task."""

    def __init__(self, task: ReadTask) -> None:
        self._task, self._reader = task, task.reader
        self._digests: dict[str, dict[int, bytes]] = {}
        self._counts: dict[str, Found] = {}
        self._files = None if task.folder is None else TaskFiles(task.folder, self._new_tree, private=True)

    def _new_tree(self) -> ReportTree | None:
        salts = self._task.salts
        return None if salts is None else ReportTree(self._reader.questions, salts)

    def take(self, numbers: Numbers, table: Any) -> None:
        """Read whole blocks."""
        chunk = self._reader.chunk(numbers, table)
        public = self._reader.public(chunk)
        tree = ReportTree(public, self._task.public.salt_of)
        tree.add(numbers, public)
        tree.finish()
        for name, digests in tree.digests.items():
            self._digests.setdefault(name, {}).update(digests)
        if not self._task.counts and self._files is None:
            return
        seen = self._reader.seen(chunk, public)
        if self._task.counts:
            self._reader.count(self._counts, chunk, seen, self._task.group)
        if self._files is not None:
            self._files.add(numbers, self._reader.written(chunk, seen), seen)

    def finish(self) -> bytes:
        """Return what was found."""
        tree = ReportTree(self._digests, self._task.public.salt_of)
        tree.digests = self._digests
        blocks, digests = digests_of(tree)
        files = [] if self._files is None else self._files.finish()
        return pickle.dumps(ReadBlocks(blocks=blocks, digests=digests, counts=self._counts, files=files))

    def close(self) -> None:
        """Remove a file that was not finished."""
        if self._files is not None:
            self._files.close()


def opened_batches(reader: RowReader, batches: Iterator[Any]) -> Iterator[Any]:
    """Open rows in whatever order and company they come; kept columns stand first."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    for batch in batches:
        chunk = _sorted_chunk(reader, batch)
        table = reader.written(chunk, reader.seen(chunk, reader.public(chunk)))
        others = [name for name in table.column_names if name not in reader.kept]
        columns = {name: table.column(name) for name in reader.kept}
        columns |= {name: _plain(table.column(name)) for name in others}
        yield from pa.table(columns).combine_chunks().to_batches()


def counted_batches(reader: RowReader, group: str | None, batches: Iterator[Any]) -> dict[str, Found]:
    """Count rows that were selected by somebody, in whatever order they come; nothing can check them."""
    found: dict[str, Found] = {}
    for batch in batches:
        chunk = _sorted_chunk(reader, batch)
        if chunk.numbers.size:
            check_known(chunk.numbers, reader.part)
            reader.count(found, chunk, reader.seen(chunk, reader.public(chunk)), group)
    return found


def _sorted_chunk(reader: RowReader, batch: Any) -> Chunk:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    table = pa.Table.from_batches([batch])
    numbers = numbers_of(table, NUMBER)
    if np.any(numbers[1:] < numbers[:-1]):
        order = np.argsort(numbers, kind="stable")
        numbers, table = numbers[order], table.take(order)
    return reader.chunk(numbers, table)


def _plain(column: Any) -> Any:
    """Return a column without dictionaries, which Spark does not take, and of its widest numbers."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    kind = column.type
    if pa.types.is_dictionary(kind):
        return column.cast(kind.value_type)
    if pa.types.is_floating(kind):
        return column.cast(pa.float64())
    return column.cast(pa.int64()) if pa.types.is_integer(kind) else column
