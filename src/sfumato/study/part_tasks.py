"""Drawing a part on an engine: what is sent to a task, what a task does with whole blocks, what comes back.

A task makes reports with the code that one machine uses. It has no bits of its own: draws are made from the seeds and
the secret that it was sent, by the names of the rows, so a task that runs again makes the same reports again.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn, TypeVar

import numpy as np

from sfumato import __version__
from sfumato.engines.spark import RowPlaces
from sfumato.errors import SfumatoError, SourceFailed
from sfumato.files.tables import words_of
from sfumato.files.words import Words
from sfumato.refine.key_documents import open_key, seal_key
from sfumato.refine.key_protection import Unprotected
from sfumato.refine.report_trees import Numbers
from sfumato.study.answer_cells import AnswerCells, read_cells
from sfumato.study.part_notes import Salts
from sfumato.study.part_plans import PartPlan
from sfumato.study.part_sinks import Keys, MemorySink
from sfumato.study.publishing import PartDrawing
from sfumato.study.task_files import TaskFiles, WrittenFile
from sfumato.values import Guarantee

T = TypeVar("T")


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class DrawnBlocks:
    """What a task made: files, and who is in which rows where there is a column of ids."""

    files: list[WrittenFile]
    people: list[tuple[int, Words]]


class DrawWork:
    """One task."""

    def __init__(self, task: DrawTask) -> None:
        self._task, self._drawing = task, task.sent.drawing()
        self._files = TaskFiles(task.folder, self._drawing.tree)
        self._people: list[tuple[int, Words]] = []

    def take(self, numbers: Numbers, table: Any) -> None:
        """Draw whole blocks."""
        answers = located(self._drawing.read, table, numbers, self._task.places)
        reports = self._drawing.drawn(answers, numbers)
        self._files.add(numbers, self._drawing.written(table, numbers, reports), reports)
        if self._task.id_column is not None:
            first = int(numbers[0])
            self._people.append((first, words_of(table, self._task.id_column, first=first)))

    def finish(self) -> bytes:
        """Return the files that were written."""
        return pickle.dumps(DrawnBlocks(files=self._files.finish(), people=self._people))

    def close(self) -> None:
        """Remove a file that was not finished."""
        self._files.close()


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

    def _read(self, table: Any, first: int) -> AnswerCells:
        return read_cells(self._drawing.plan.study, self._way, table, first)

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
