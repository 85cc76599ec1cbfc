"""Jobs over whole blocks of rows: what a task made of its blocks comes back, and nothing else does.

Rows are read once. Every task works on the blocks that lie whole in its partition and hands on the rows that are left,
because their block lies across two of them; one shuffle brings these together, a block to a task, and takes along what
was made before. A task may run several times; what it makes of a row depends on the row's name and its cells, so it
makes the same, and only the result that Spark tells of counts.
"""

from __future__ import annotations

import itertools
import pickle
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from sfumato.engines.spark.frames import spark_sentences
from sfumato.engines.spark.numbering import NUMBER, NumberedFrame
from sfumato.engines.spark.whole_blocks import BLOCK_ROWS, BlockGatherer, BlockSizes, Numbers
from sfumato.errors import InvalidParameter, SfumatoError

__all__ = ["BlockSizes", "BlockTask", "BlockWork", "run_blocks"]

# So many blocks stay together in a shuffle, and so in a file.
_GROUP_BLOCKS = 128
_RESULT = "sfumato_result"
_POLL_SECONDS = 0.5

Progress = Callable[[int, int | None], None]


class BlockWork(Protocol):
    """What one task does."""

    def take(self, numbers: Numbers, table: Any) -> None:
        """Take whole blocks of rows, which follow one another."""
        ...

    def finish(self) -> bytes:
        """Return what was made."""
        ...

    def close(self) -> None:
        """Let go of what was not finished."""
        ...


class BlockTask(Protocol):
    """What is sent to every task; it can be pickled."""

    @property
    def version(self) -> str:
        """Of whoever sends it."""
        ...

    def begin(self) -> BlockWork:
        """Begin one task."""
        ...


def run_blocks(
    numbered: NumberedFrame, sizes: BlockSizes, task: BlockTask, *, progress: Progress | None = None
) -> list[bytes]:
    """Let tasks take every block once; return what each of them made."""
    frame = numbered.frame

    def last(batches: Iterator[Any]) -> Iterator[Any]:
        return _where_rows_met(batches, sizes, task)

    with spark_sentences(frame), _watched(frame.sparkSession, sizes.rows - len(sizes.missing), progress):
        left = _after_first_tasks(frame, sizes, task) if numbered.is_in_order else frame
        rows = _together(left).mapInArrow(last, f"{_RESULT} binary").collect()
    outcomes: list[_Outcome] = [pickle.loads(row[0]) for row in rows]  # noqa: S301  of our own tasks
    # Where rows were refused, others miss their neighbours: that is not the error to tell.
    for outcome in sorted(outcomes, key=lambda outcome: (outcome.is_last, outcome.first)):
        if outcome.error is not None:
            raise outcome.error
    _check_once([stretch for outcome in outcomes for stretch in outcome.done], sizes)
    return [outcome.made for outcome in outcomes if outcome.made is not None]


def _check_once(done: list[tuple[int, int]], sizes: BlockSizes) -> None:
    """Refuse a table of which a block came whole to two tasks, or to none though it has rows."""
    expected = sizes.blocks.start
    for start, stop in [*sorted(done), (sizes.blocks.stop, sizes.blocks.stop)]:
        if start < expected or any(sizes.count(block) for block in range(expected, start)):
            raise sizes.refusal
        expected = stop


@dataclass(slots=True)
class _Outcome:
    """What became of a task: what it made, of which stretches of blocks, or what was wrong with its rows."""

    is_last: bool
    first: int = 0
    done: list[tuple[int, int]] = field(default_factory=list)
    made: bytes | None = None
    error: SfumatoError | None = None


def _where_rows_lie(batches: Iterator[Any], sizes: BlockSizes, task: BlockTask) -> Iterator[Any]:
    """Run one of the first tasks: yield the rows that are left, and at last what became of it, as one row more.

    What is wrong with the rows is an outcome like any other, or Spark would try again and log it.
    """
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    batches = (batch for batch in batches if batch.num_rows)
    head = next(batches, None)
    if head is None:
        return
    names = [*head.schema.names, _RESULT]
    outcome = _Outcome(is_last=False, first=head.column(names.index(NUMBER))[0].as_py() or 0)
    try:
        for rows in _worked(itertools.chain([head], batches), sizes, task, outcome):
            yield pa.RecordBatch.from_arrays([*rows.columns, pa.nulls(rows.num_rows, pa.binary())], names=names)
    except SfumatoError as error:
        outcome.error = error
        for _ in batches:  # Spark waits until all of its rows were taken
            pass
    told = {NUMBER: pa.array([outcome.first]), _RESULT: pa.array([pickle.dumps(outcome)], pa.binary())}
    empty = {item.name: pa.nulls(1, item.type) for item in head.schema}
    yield pa.RecordBatch.from_arrays(list((empty | told).values()), names=names)


def _where_rows_met(batches: Iterator[Any], sizes: BlockSizes, task: BlockTask) -> Iterator[Any]:
    """Run one of the last tasks: yield what became of it, and of the first tasks whose outcomes came here."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    outcome, told = _Outcome(is_last=True), list[Any]()
    rows = _without_outcomes(batches, told)
    try:
        if any(left.num_rows for left in _worked(rows, sizes, task, outcome)):
            raise sizes.refusal
    except SfumatoError as error:
        outcome.error = error
        for _ in rows:
            pass
    yield pa.RecordBatch.from_arrays([pa.array([*told, pickle.dumps(outcome)], pa.binary())], names=[_RESULT])


def _without_outcomes(batches: Iterator[Any], told: list[Any]) -> Iterator[Any]:
    """Yield rows; the outcomes of other tasks that came with them are put into a list."""
    for batch in batches:
        place = batch.schema.get_field_index(_RESULT)
        if place < 0:
            yield batch
            continue
        results = batch.column(place)
        told += results.drop_null().to_pylist()
        yield batch.filter(results.is_null()).select([name for name in batch.schema.names if name != _RESULT])


def _worked(batches: Iterator[Any], sizes: BlockSizes, task: BlockTask, outcome: _Outcome) -> Iterator[Any]:
    """Work on whole blocks; yield the rows that are left."""
    import numpy as np  # noqa: PLC0415  beside the library it serves
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    from sfumato import __version__  # noqa: PLC0415  of the executor

    if task.version != __version__:
        raise InvalidParameter(
            f"runs on executors that have sfumato {__version__}, and here is {task.version}",
            parameter="engine",
            value="spark",
            way_out="Install the same version everywhere.",
        )
    gatherer = BlockGatherer(sizes, NUMBER)
    work = None
    try:
        for batch in itertools.chain(batches, [None]):
            for run in gatherer.finish() if batch is None else gatherer.take(batch):
                work = task.begin() if work is None else work
                numbers = np.concatenate([held for _, held, _ in run])
                work.take(numbers, pa.concat_tables([table for _, _, table in run]))
                outcome.done.append((run[0][0], run[-1][0] + 1))
            yield from gatherer.left()
        outcome.made = None if work is None else work.finish()
    finally:
        if work is not None:
            work.close()


def _after_first_tasks(frame: Any, sizes: BlockSizes, task: BlockTask) -> Any:
    """Let the first tasks run; return the rows that they left, and their outcomes."""
    from pyspark.sql.types import StructField, StructType  # noqa: PLC0415  an extra

    def first(batches: Iterator[Any]) -> Iterator[Any]:
        return _where_rows_lie(batches, sizes, task)

    # An outcome has no cells.
    fields = [StructField(item.name, item.dataType, nullable=True) for item in frame.schema.fields]
    return frame.mapInArrow(first, StructType(fields).add(_RESULT, "binary"))


def _together(frame: Any) -> Any:
    """Return rows by their numbers, all of a block in one partition and its neighbours with it."""
    from pyspark.sql import functions as f  # noqa: PLC0415  an extra

    return frame.repartition(f.expr(f"{NUMBER} div {BLOCK_ROWS * _GROUP_BLOCKS}")).sortWithinPartitions(NUMBER)


class _watched:  # noqa: N801  used like a function
    """While jobs run, tell how far they are; a connection from afar does not say."""

    def __init__(self, session: Any, rows: int, progress: Progress | None) -> None:
        context = getattr(session, "sparkContext", None) if progress is not None else None
        self._tracker = None if context is None else context.statusTracker()
        self._rows, self._progress, self._told = rows, progress, 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> None:
        if self._tracker is not None:
            self._thread.start()

    def __exit__(self, kind: object, *_: object) -> None:
        self._stop.set()
        if self._tracker is not None:
            self._thread.join()
        if kind is None and self._progress is not None:
            self._progress(self._rows - self._told, self._rows)

    def _watch(self) -> None:
        while not self._stop.wait(_POLL_SECONDS):
            stages = [self._tracker.getStageInfo(stage) for stage in self._tracker.getActiveStageIds()]  # type: ignore[union-attr]
            shares = [stage.numCompletedTasks / stage.numTasks for stage in stages if stage and stage.numTasks]
            done = int(self._rows * min(shares, default=0))
            if done > self._told and self._progress is not None:
                self._progress(done - self._told, self._rows)
                self._told = done
