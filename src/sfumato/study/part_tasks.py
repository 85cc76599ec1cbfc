"""Drawing a part on an engine: what is sent to a task, what a task does with whole blocks, what comes back.

A task makes reports with the code that one machine uses. It has no bits of its own: draws are made from the seeds and
the secret that it was sent, by the names of the rows, so a task that runs again makes the same files again. Each run
writes files under names of its own; those that count are the ones that came back as a result.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np

from sfumato import __version__
from sfumato.engines.spark import RowPlaces
from sfumato.errors import SfumatoError, SourceFailed
from sfumato.files.table_writers import TableWriter
from sfumato.files.tables import words_of
from sfumato.refine.key_documents import open_key, seal_key
from sfumato.refine.key_protection import Unprotected
from sfumato.refine.report_trees import Numbers, ReportTree
from sfumato.study.part_notes import Salts
from sfumato.study.part_sinks import Keys, MemorySink
from sfumato.study.publishing import PartDrawing, PartPlan
from sfumato.study.report_rows import ROW
from sfumato.values import Guarantee

T = TypeVar("T")
# A task of many rows writes several files of about this many.
_FILE_ROWS = 1 << 21


class _NoBits:
    """What a task may draw from: nothing."""

    guarantee = Guarantee.COMPUTATIONAL
    label = "nothing"

    def words(self, count: int, width: int = 64) -> NoReturn:
        """Refuse."""
        del count, width
        raise SourceFailed("a task has no bits of its own", way_out="This is a fault of Sfumato; tell us about it.")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SentPlan:
    """A plan on its way to a task: keys as their files would spell them, and nothing that draws. It is never shown."""

    plan: PartPlan
    keys: Mapping[str, bytes]
    salts: Salts
    only: str | None

    @classmethod
    def of(cls, drawing: PartDrawing) -> SentPlan:
        """Return what a task needs to draw as the plan says: of each question the top of its ladder."""
        keys = {
            way.question.id: seal_key(top, Unprotected())
            for way, drawer in drawing.drawers.items()
            if (top := drawer.top) is not None
        }
        bare = replace(drawing.plan, source=_NoBits(), keys=None, before=None)
        return cls(plan=bare, keys=keys, salts=drawing.salts, only=drawing.only)

    def drawing(self) -> PartDrawing:
        """Return what draws in a task."""
        keys: Keys = {name: {0: open_key(data, Unprotected())} for name, data in self.keys.items()}
        drawing = PartDrawing(replace(self.plan, keys=keys), MemorySink(), only=self.only)
        drawing.salts = self.salts
        return drawing


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class DrawTask:
    """Draws blocks into files of a folder that all machines see."""

    sent: SentPlan
    folder: str
    places: RowPlaces
    id_column: str | None = None
    version: str = __version__

    def begin(self) -> DrawWork:
        """Begin one task."""
        return DrawWork(self)


@dataclass(slots=True)
class DrawnFile:
    """A file that a task wrote: its rows from `first` on, and the digests of its blocks by question."""

    name: str
    first: int
    rows: int
    blocks: list[int]
    digests: dict[str, list[bytes]]
    people: list[tuple[list[int], tuple[str, ...]]] = field(default_factory=list)


class DrawWork:
    """One task."""

    def __init__(self, task: DrawTask) -> None:
        self._task, self._drawing = task, task.sent.drawing()
        self._files: list[DrawnFile] = []
        self._writer: TableWriter | None = None
        self._tree: ReportTree | None = None
        self._next = -1

    def take(self, numbers: Numbers, table: Any) -> None:
        """Draw whole blocks; what does not follow the rows before goes into a file of its own."""
        if self._writer is not None and (numbers[0] != self._next or self._files[-1].rows >= _FILE_ROWS):
            self._end_file()
        answers = located(self._drawing.read, table, numbers, self._task.places)
        reports = self._drawing.drawn(answers, numbers)
        if self._writer is None or self._tree is None:
            self._begin_file(int(numbers[0]))
        self._tree.add(numbers, reports)  # type: ignore[union-attr]
        self._writer.write(self._drawing.written(table, numbers, reports))  # type: ignore[union-attr]
        file = self._files[-1]
        file.rows += numbers.size
        if self._task.id_column is not None:
            words = words_of(table, self._task.id_column, first=int(numbers[0]))
            file.people.append((words.codes.tolist(), words.texts))
        self._next = int(numbers[-1]) + 1

    def finish(self) -> bytes:
        """Return the files that were written."""
        self._end_file()
        return pickle.dumps(self._files)

    def close(self) -> None:
        """Remove a file that was not finished."""
        if self._writer is not None:
            self._writer.discard()

    def _begin_file(self, first: int) -> None:
        name = f"{first:013d}-{os.urandom(8).hex()}.parquet"
        self._files.append(DrawnFile(name=name, first=first, rows=0, blocks=[], digests={}))
        self._writer = TableWriter(Path(self._task.folder) / name, ascending=ROW)
        self._tree = self._drawing.tree()

    def _end_file(self) -> None:
        if self._writer is None or self._tree is None:
            return
        self._tree.finish()
        file = self._files[-1]
        file.blocks = sorted(next(iter(self._tree.digests.values())))
        file.digests = {name: [held[block] for block in file.blocks] for name, held in self._tree.digests.items()}
        self._writer.finish()
        self._writer = self._tree = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RoundTask:
    """Counts the reports of one round of a question; nothing is written."""

    sent: SentPlan
    question: str
    places: RowPlaces
    version: str = __version__

    def begin(self) -> RoundWork:
        """Begin one task."""
        return RoundWork(self)


class RoundWork:
    """One task."""

    def __init__(self, task: RoundTask) -> None:
        self._task, self._drawing = task, task.sent.drawing()
        self._way = self._drawing.plan.study.way(task.question)
        self._tally: Any = None

    def take(self, numbers: Numbers, table: Any) -> None:
        """Draw whole blocks, and count."""
        name = self._task.question
        answers = located(self._read, table, numbers, self._task.places)
        reports = self._drawing.drawn({name: answers}, numbers)[name].astype(np.int64)
        tally = self._way.tally(reports, len(self._way.epsilons), positions=int(numbers[0]))
        self._tally = tally if self._tally is None else self._tally + tally

    def _read(self, table: Any, first: int) -> Any:
        return self._way.read(words_of(table, self._task.question, first=first))

    def finish(self) -> bytes:
        """Return the counts."""
        return pickle.dumps(self._tally)

    def close(self) -> None:
        """Nothing is held."""


def located(read: Callable[[Any, int], T], table: Any, numbers: Numbers, places: RowPlaces) -> T:
    """Read answers of rows; a refusal names the file of the first row that is refused, and counts rows there."""
    try:
        return read(table, int(numbers[0]))
    except SfumatoError:
        low, high = 0, table.num_rows
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if _is_refused(read, table, low, middle) else (middle, high)
        place, before = places.of(int(numbers[low]))
        try:
            read(table.slice(low, 1), before)
        except SfumatoError as error:
            if place is not None:
                raise error.at(place) from None
            raise
        raise  # no row alone is to blame


def _is_refused(read: Callable[[Any, int], object], table: Any, low: int, high: int) -> bool:
    try:
        read(table.slice(low, high - low), 0)
    except SfumatoError:
        return True
    return False
