"""Making a part in Spark tasks.

A task makes reports with the code that one machine uses. It has no random bits of its own: draws are made from the
seeds and the secret that it was sent, by the names of the rows, so a repeated task makes the same reports.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn, TypeVar

import numpy as np

from sfumato import __version__
from sfumato.engines.spark import NUMBER, BlockSizes, NumberedFrame, RowPlaces, column_kinds, run_blocks
from sfumato.errors import InvalidParameter, SfumatoError, SourceFailed
from sfumato.files.columns import Words
from sfumato.files.tables import words_of
from sfumato.keys.digests import Numbers
from sfumato.keys.key_documents import open_key, seal_key
from sfumato.keys.protection import Unprotected
from sfumato.ladders.keys import Draws
from sfumato.publications.note import ReportsNote, Salts
from sfumato.publications.part import (
    Keys,
    MemorySink,
    PartDrawing,
    PartPlan,
    PeopleNote,
    TaskFiles,
    WrittenFile,
    add_digests,
)
from sfumato.publications.place import StagedPart
from sfumato.publications.reports import Progress
from sfumato.sampling.sources import Guarantee
from sfumato.study.answers import AnswerCells, read_cells

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
    """A plan that is sent to a task: keys as in their files, and no source of bits. It is never shown."""

    plan: PartPlan
    keys: Mapping[str, bytes]
    salts: Salts
    only: str | None

    @classmethod
    def of(cls, drawing: PartDrawing) -> SentPlan:
        """Return what a task needs to draw as the plan says: of each question the top of its ladder."""
        keys = {
            handler.question.id: seal_key(top, Unprotected())
            for handler, drawer in drawing.drawers.items()
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
        self._handler = self._drawing.plan.study.handler(task.question)
        self._tally: Any = None

    def take(self, numbers: Numbers, table: Any) -> None:
        """Draw whole blocks, and count."""
        name = self._task.question
        answers = located(self._read, table, numbers, self._task.places)
        reports = self._drawing.drawn({name: answers}, numbers)[name].astype(np.int64)
        tally = self._handler.tally(reports, len(self._handler.epsilons), positions=int(numbers[0]))
        self._tally = tally if self._tally is None else self._tally + tally

    def _read(self, table: Any, first: int) -> AnswerCells:
        return read_cells(self._drawing.plan.study, self._handler, table, first)

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


# --- Drawing a part on Spark
# The release is the same as on one machine; the rows stay on the executors.


def draw_on_spark(
    plan: PartPlan,
    numbered: NumberedFrame,
    staged: StagedPart,
    progress: Progress | None = None,
    people: PeopleNote | None = None,
) -> tuple[ReportsNote, Keys]:
    """Let executors draw a part into files, and take those that came back as results; the note is made here."""
    sizes = BlockSizes(rows=numbered.rows)
    plan = replace(plan, rounds=_rounds(plan, numbered, sizes), answers=column_kinds(numbered.frame))
    drawing = PartDrawing(plan, MemorySink())
    task = DrawTask(
        sent=SentPlan.of(drawing),
        folder=str(staged.attempts()),
        places=numbered.places,
        id_column=None if people is None else people.column,
    )
    made: list[DrawnBlocks] = [
        pickle.loads(one)  # noqa: S301  of our own tasks
        for one in run_blocks(numbered, sizes, task, progress=progress)
    ]
    files = [file for one in made for file in one.files]
    for file in files:
        staged.take(file)
    tree = drawing.tree()
    add_digests(tree, files)
    if people is not None:
        for first, words in sorted((held for one in made for held in one.people), key=lambda held: held[0]):
            people.add(words, range(first, first + len(words)))
    return drawing.finished(tree, numbered.rows)


def check_on_spark(guarantee: Guarantee, keys: Keys | None, *, is_shuffled: bool, is_folder: bool) -> None:
    """Refuse what executors cannot do, before anything is read."""
    if not is_folder:
        raise InvalidParameter(
            "must be a folder: a part that a cluster writes is many files",
            parameter="out",
            way_out="Give a name without an ending.",
        )
    if is_shuffled:
        raise InvalidParameter(
            "puts rows in an order of chance on one machine",
            parameter="shuffle",
            way_out="Name a column of chance as `id_column`, written to the table before.",
        )
    true_keys = [key for held in (keys or {}).values() for key in held.values() if isinstance(key.material, Draws)]
    if guarantee is not Guarantee.COMPUTATIONAL or true_keys:
        raise InvalidParameter(
            "must be computational: a task that runs again must draw the same again, which only a seed allows",
            parameter="guarantee",
            way_out="Say `guarantee` computational, and choose a folder for new keys; or publish on one machine.",
        )


def _rounds(plan: PartPlan, numbered: NumberedFrame, sizes: BlockSizes) -> dict[str, tuple[Any, ...]]:
    """Go through the rounds of questions that have some: a job for each, which counts the reports of that round."""
    found: dict[str, tuple[Any, ...]] = {}
    for handler in plan.study.handlers:
        if handler.by_row:
            continue
        name = handler.question.id
        asked = handler.next_rounds(numbered.rows, None, None)
        alone = replace(numbered, frame=numbered.frame.select(NUMBER, f"`{name}`"))
        while asked is not None:
            found[name] = asked
            # Rounds before this one have been counted.
            only = {name: (*[()] * (len(asked) - 1), asked[-1])}
            drawing = PartDrawing(replace(plan, rounds=only), MemorySink(), only=name)
            task = RoundTask(sent=SentPlan.of(drawing), question=name, places=numbered.places)
            tallies = [pickle.loads(one) for one in run_blocks(alone, sizes, task)]  # noqa: S301  of our own tasks
            asked = handler.next_rounds(numbered.rows, asked, sum(tallies[1:], tallies[0]))
    return found
