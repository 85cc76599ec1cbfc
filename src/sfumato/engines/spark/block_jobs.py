"""Jobs over whole blocks of rows: what a task made of its blocks comes back, and nothing else does.

First every task works on the blocks that lie whole in its partition. What is left, because it lies across two of them,
is brought together by one shuffle in which a block goes to one task. A task may run several times; what it makes of a
row depends on the row's name and its cells, so it makes the same, and only the result that Spark tells of counts.
"""

from __future__ import annotations

import itertools
import math
import pickle
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from sfumato.engines.spark.frames import spark_sentences
from sfumato.engines.spark.numbering import NUMBER, NumberedFrame
from sfumato.engines.spark.whole_blocks import BLOCK_ROWS, BlockGatherer, BlockSizes, Numbers, not_all_rows
from sfumato.errors import InvalidParameter, SfumatoError

__all__ = ["BlockSizes", "BlockTask", "BlockWork", "run_blocks"]

# What one task of the shuffle holds in memory.
_GROUP_BLOCKS = 128
_BLOCK, _GROUP, _KEY, _RESULT = "sfumato_block", "sfumato_group", "sfumato_key", "result"
_POLL_SECONDS = 0.5

Progress = Callable[[int, int | None], None]
Run = tuple[int, int, int]
"""The first of some blocks that follow one another, how many there are, and how many rows they have."""


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
    session = numbered.frame.sparkSession
    with spark_sentences(numbered.frame), _watched(session, sizes.rows - len(sizes.missing), progress):
        made: list[bytes] = []
        done: list[Run] = []
        left: list[int] | range = sizes.blocks
        if numbered.is_in_order:
            made, done, left = _run(numbered.frame, sizes, task, is_shuffled=False)
        if left:
            more, others, missing = _run(_together(numbered.frame, sizes, left), sizes, task, is_shuffled=True)
            if missing:
                raise not_all_rows()
            made, done = made + more, done + others
        _check_once(done, sizes)
    return made


def _check_once(done: list[Run], sizes: BlockSizes) -> None:
    """Refuse a table of which a block came whole to two tasks, or to none."""
    runs = sorted(done)
    if any(first + blocks > after for (first, blocks, _), (after, _, _) in itertools.pairwise(runs)):
        raise not_all_rows()
    if sum(rows for _, _, rows in runs) != sizes.rows - len(sizes.missing):
        raise not_all_rows()


def _run(
    frame: Any, sizes: BlockSizes, task: BlockTask, *, is_shuffled: bool
) -> tuple[list[bytes], list[Run], list[int]]:
    def run(batches: Iterator[Any]) -> Iterator[Any]:
        return _in_task(batches, sizes, task, is_shuffled=is_shuffled)

    results = [pickle.loads(row[0]) for row in frame.mapInArrow(run, f"{_RESULT} binary").collect()]  # noqa: S301  our own tasks
    for *_, error in results:
        if error is not None:
            raise error
    made = [made for made, *_ in results if made is not None]
    done = [run for _, runs, *_ in results for run in runs]
    return made, done, sorted({block for _, _, left, _ in results for block in left})


def _in_task(batches: Iterator[Any], sizes: BlockSizes, task: BlockTask, *, is_shuffled: bool) -> Iterator[Any]:
    """Run one task: what is wrong with the rows is a result like any other, or Spark would try again and log it."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    outcome: tuple[bytes | None, list[Run], list[int], SfumatoError | None]
    try:
        outcome = (*_worked(batches, sizes, task, is_shuffled=is_shuffled), None)
    except SfumatoError as error:
        outcome = (None, [], [], error)
        for _ in batches:  # Spark waits until all of its rows were taken
            pass
    yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(outcome)], pa.binary())], names=[_RESULT])


def _worked(
    batches: Iterable[Any], sizes: BlockSizes, task: BlockTask, *, is_shuffled: bool
) -> tuple[bytes | None, list[Run], list[int]]:
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
    gatherer = BlockGatherer(sizes, NUMBER, is_shuffled=is_shuffled)
    work, done = None, []
    try:
        for run in gatherer.runs(batches):
            work = task.begin() if work is None else work
            numbers = np.concatenate([held for _, held, _ in run])
            work.take(numbers, pa.concat_tables([table for _, _, table in run]))
            done.append((run[0][0], len(run), int(numbers.size)))
        return None if work is None else work.finish(), done, gatherer.left
    finally:
        if work is not None:
            work.close()


def _together(frame: Any, sizes: BlockSizes, left: list[int] | range) -> Any:
    """Return the rows of some blocks, all rows of a block in one partition, neighbours together."""
    from pyspark.sql import functions as f  # noqa: PLC0415  an extra

    session = frame.sparkSession
    groups = math.ceil(len(left) / _GROUP_BLOCKS)
    keys = _keys_of_partitions(session, groups)
    blocked = frame.withColumn(_BLOCK, f.expr(f"{NUMBER} div {BLOCK_ROWS}"))
    if len(left) == len(sizes.blocks):
        first = sizes.blocks.start
        named = session.createDataFrame(list(enumerate(keys)), f"{_GROUP} bigint, {_KEY} bigint")
        grouped = blocked.withColumn(_GROUP, f.expr(f"({_BLOCK} - {first}) div {_GROUP_BLOCKS}"))
        keyed = grouped.join(f.broadcast(named), _GROUP).drop(_GROUP)
    else:
        pairs = [(block, keys[place // _GROUP_BLOCKS]) for place, block in enumerate(left)]
        keyed = blocked.join(f.broadcast(session.createDataFrame(pairs, f"{_BLOCK} bigint, {_KEY} bigint")), _BLOCK)
    return keyed.repartition(groups, _KEY).drop(_KEY, _BLOCK)


def _keys_of_partitions(session: Any, count: int) -> list[int]:
    """Return a number for each partition that Spark's own hash sends there; any would do, these share the work."""
    from pyspark.sql import functions as f  # noqa: PLC0415  an extra

    enough = int(count * (math.log(count) + 12)) + 1
    place = f.expr(f"pmod(hash(id), {count})").alias(_GROUP)
    hashed = session.range(enough).groupBy(place).agg(f.min("id").alias(_KEY))
    found = {row[_GROUP]: row[_KEY] for row in hashed.collect()}
    return [found.get(place, enough + place) for place in range(count)]


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
