"""Tasks that take their time, so that a test can kill them, or overtake them, while they are writing."""

import json
import os
import pickle
import time
from pathlib import Path

import pyarrow.parquet as pq

from sfumato.publications.spark_writing import DrawTask, DrawWork

GATE = "SFUMATO_TEST_GATE"
"""Until this file is there, a task that has written its rows does not finish its file; an environment variable."""
LAGGARD = "SFUMATO_TEST_LAGGARD"
"""If this is set, only the first run of the first partition waits, for so many seconds."""
RUNS = 4
"""Spark gives up when a task has failed so often; the last run waits for nobody."""
PATIENCE_SECONDS = 120


class SlowDrawTask(DrawTask):
    """Draws like any other."""

    def begin(self):
        return SlowDrawWork(self)


class SlowDrawWork(DrawWork):
    """One task."""

    def finish(self):
        from pyspark import TaskContext

        here = TaskContext.get()
        is_first = here.partitionId() == 0 and here.attemptNumber() == 0
        is_writing = self._files._writer is not None
        if LAGGARD in os.environ:
            time.sleep(is_first * float(os.environ[LAGGARD]))
        elif is_writing and here.attemptNumber() < RUNS - 1:
            wait_for(Path(os.environ[GATE]))
        return super().finish()


def wait_for(gate):
    """Wait until there is such a file: whoever watches from outside may be as slow as it likes."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not gate.exists() and time.monotonic() < end:
        time.sleep(0.02)


class StrayDrawTask(DrawTask):
    """Draws like any other, after a run that nobody waits for: files of its, with less in them, lie about."""

    def begin(self):
        return StrayDrawWork(self)


class StrayDrawWork(DrawWork):
    """One task."""

    def finish(self):
        made = super().finish()
        folder = Path(self._task.folder)
        for file in pickle.loads(made).files:  # noqa: S301  just made
            table = pq.read_table(folder / file.name)
            pq.write_table(table.slice(0, table.num_rows // 2), folder / f"{file.first:013d}-{'0' * 16}.parquet")
        return made


class CountingDrawTask(DrawTask):
    """Draws like any other, and tells which process did and what it compiled."""

    def begin(self):
        return CountingDrawWork(self)


class CountingDrawWork(DrawWork):
    """One task."""

    def __init__(self, task):
        self._before = compiled()
        super().__init__(task)

    def finish(self):
        record = {"pid": os.getpid(), "at": time.time(), "before": self._before, "after": compiled()}
        (Path(self._task.folder).parents[2] / f"compiled-{os.urandom(8).hex()}.json").write_text(json.dumps(record))
        return super().finish()


def compiled():
    """How many versions of loops this process has compiled, or loaded from a cache."""
    from numba.core.dispatcher import Dispatcher

    from sfumato.ladders import shift_kernel
    from sfumato.mechanisms import kernels
    from sfumato.sampling import kernels as recycling

    loops = [loop for room in (recycling, kernels, shift_kernel) for loop in vars(room).values()]
    return sum(len(loop.signatures) for loop in loops if isinstance(loop, Dispatcher))
