"""Publishing on Spark: wall against an identity `mapInArrow` over the same columns, memory of the driver, the shuffle.

All in one session on two cores, warm, in turns, so that what else the machine does falls on all of them alike; the
ratio is that of the best runs. The identity reads the two columns, sends them to Python and back, and writes them to
Parquet; the other one sends them through a shuffle by blocks of rows before. Memory is the most that the driver's
Python ever held, and the heap of the JVM after a collection, with a tenth of the rows and with all of them; in local
mode that heap is the executors' as well. With no argument 1e7 rows are published, which takes some minutes. It needs
`sfumato[spark]`.
"""

from __future__ import annotations

import argparse
import os
import pickle
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

ANSWERS = 900
FILES = 7
CORES = 2
LIMIT = 1.15
# A driver that held the rows would hold a hundred bytes of each.
MOST_GROWTH_BYTES_A_ROW = 4
CHUNK_ROWS = 1 << 18


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--batch", type=int, default=65_536, help="rows a batch on its way to Python")
    parser.add_argument("--make", nargs=2)
    parser.add_argument("--cold", action="store_true")
    given = parser.parse_args()
    if given.make:
        _make(Path(given.make[0]), int(given.make[1]))
        return
    if given.cold:
        _cold()
        return
    folder = Path(tempfile.mkdtemp())
    try:
        slow = _run(folder, given.rows, given.times, given.batch)
    finally:
        shutil.rmtree(folder)
    if slow:
        sys.exit(f"too slow or too large: {'; '.join(slow)}")


def _run(folder: Path, rows: int, times: int, batch: int) -> list[str]:
    few = rows // 10
    for count in (few, rows):
        _child("--make", folder / f"answers-{count}", count)
    bench = _Bench(folder, batch)
    for _ in range(3):
        bench.publish(few)
        bench.tally(few)
    before = bench.memory()
    bench.shuffled = 0
    bench.publish(few)
    small = bench.shuffled
    taken = bench.in_turns(rows, times)
    after = bench.memory()
    best = {name: min(found) for name, found in taken.items()}
    print(f"\n{rows:,} rows, {ANSWERS} answers and yes/no, three levels, {CORES} cores, {batch:,} rows a batch")
    for name, found in taken.items():
        spread = f"{min(found):7.2f} s best {statistics.median(found):7.2f} s median"
        print(f"{name:20} {spread} {1e9 * CORES * best[name] / rows:7.0f} ns a row a core")
    ratio = best["publish"] / best["identity"]
    pairs = [one / other for one, other in zip(taken["publish"], taken["identity"], strict=True)]
    print(f"publish / identity          {ratio:5.2f} (at most {LIMIT}); median by turns {statistics.median(pairs):.2f}")
    print(f"publish / identity shuffled {best['publish'] / best['identity shuffled']:5.2f}")
    print(f"shuffled: {small:,} bytes for {few:,} rows, {bench.shuffled:,} for {rows:,}")
    slow = [f"publish: {ratio:.2f}"] if ratio > LIMIT else []
    for name, had in before.items():
        grown = (after[name] - had) / (rows - few)
        print(f"{name}: {had / 1e6:.0f} MB after {few:,} rows, {after[name] / 1e6:.0f} MB after {rows:,}")
        slow += [f"{name}: {grown:.1f} bytes a row"] if grown > MOST_GROWTH_BYTES_A_ROW else []
    _show_worker(folder / f"answers-{rows}")
    return slow


class _Bench:
    """One session, and what is run in it."""

    def __init__(self, folder: Path, batch: int) -> None:
        from pyspark.sql import SparkSession

        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        self._folder, self._study = folder, _study()
        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "ERROR",
            "spark.driver.memory": "2g",
            "spark.sql.execution.arrow.maxRecordsPerBatch": str(batch),
        }
        builder = SparkSession.builder.master(f"local[{CORES}]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        self.session: Any = builder.getOrCreate()
        self.shuffled = 0

    def in_turns(self, rows: int, times: int) -> dict[str, list[float]]:
        """Return the seconds of each, one after the other, again and again; the first time is not counted."""
        runs: dict[str, Callable[[int], None]] = {
            "identity": self.identity,
            "identity shuffled": self.identity_shuffled,
            "publish": self.publish,
            "tally": self.tally,
        }
        taken: dict[str, list[float]] = {name: [] for name in runs}
        for _ in range(times + 1):
            for name, run in runs.items():
                start = time.perf_counter()
                run(rows)
                taken[name].append(time.perf_counter() - start)
        return {name: found[1:] for name, found in taken.items()}

    def answers(self, rows: int) -> Any:
        return self.session.read.parquet(str(self._folder / f"answers-{rows}"))

    def identity(self, rows: int) -> None:
        frame = self.answers(rows)
        frame.mapInArrow(_same, frame.schema).write.mode("overwrite").parquet(str(self._folder / "same"))

    def identity_shuffled(self, rows: int) -> None:
        """The same, of rows that come to the task of their block, with their numbers."""
        from sfumato.engines.spark import NUMBER, number_rows

        numbered = number_rows(self.answers(rows), ["home", "car"]).frame
        groups = max(1, rows // (128 * 4096))
        frame = numbered.repartition(groups, (numbered[NUMBER] / (128 * 4096)).cast("bigint"))
        frame.mapInArrow(_same, frame.schema).write.mode("overwrite").parquet(str(self._folder / "same"))

    def publish(self, rows: int) -> None:
        from sfumato.keys import Unprotected
        from sfumato.workflows.publishing import publish

        for name in ("reports", "keys"):
            shutil.rmtree(self._folder / name, ignore_errors=True)
        written = self._written()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a seed, so that nothing is put on record
            publish(
                self._study,
                self.answers(rows),
                out=self._folder / "reports",
                keys=self._folder / "keys",
                protection=Unprotected(),
                guarantee="computational",
                insecure_seed=1,
            )
        self.shuffled = self._written() - written

    def tally(self, _: int) -> None:
        """Check and count what was published last."""
        from sfumato.workflows.reading import estimate_reports

        estimate_reports(self._folder / "reports", engine="spark")

    def memory(self) -> dict[str, int]:
        """Return what the driver holds, in bytes."""
        jvm = self.session.sparkContext._jvm  # noqa: SLF001  the only way to the heap
        for _ in range(3):
            jvm.System.gc()
            time.sleep(0.2)
        runtime = jvm.java.lang.Runtime.getRuntime()
        return {
            "Python of the driver": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            "heap of the JVM": runtime.totalMemory() - runtime.freeMemory(),
        }

    def _written(self) -> int:
        """Return how many bytes all stages so far have written for others to read."""
        context = self.session.sparkContext
        jvm = context._jvm  # noqa: SLF001  metrics are kept there
        none = context._gateway.new_array(jvm.double, 0)  # noqa: SLF001
        store = context._jsc.sc().statusStore()  # noqa: SLF001
        stages = store.stageList(None, False, False, none, jvm.java.util.ArrayList())
        return sum(stages.apply(place).shuffleWriteBytes() for place in range(stages.size()))


def _same(batches: Iterator[Any]) -> Iterator[Any]:
    yield from batches


def _make(folder: Path, rows: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    generator = np.random.default_rng(0)
    labels = np.array([f"municipality {number:03}" for number in range(ANSWERS)])
    folder.mkdir()
    edges = [rows * place // FILES for place in range(FILES + 1)]
    for place in range(FILES):
        count = edges[place + 1] - edges[place]
        homes = np.minimum(generator.geometric(0.01, count) - 1, ANSWERS - 1)
        cars = np.where(generator.random(count) < 0.3, "yes", "no")
        table = pa.table({"home": pa.array(labels[homes]), "car": pa.array(cars)})
        pq.write_table(table, folder / f"{place}.parquet")


def _study() -> Any:
    from sfumato.study import Analyst, OneOfMany, Study, YesNo

    labels = tuple(f"municipality {number:03}" for number in range(ANSWERS))
    return Study(
        name="homes",
        questions=(
            OneOfMany(id="home", text="Where do you live?", answers=labels),
            YesNo(id="car", text="Do you have a car?"),
        ),
        public_epsilon=Fraction(1, 2),
        analysts=(Analyst(name="mid", epsilon=Fraction(1)), Analyst(name="top", epsilon=Fraction(2))),
        recover=True,
    )


def _sent() -> Any:
    """Return what is sent to tasks."""
    from sfumato.publications.part import MemorySink, PartDrawing, PartPlan
    from sfumato.publications.spark_writing import SentPlan
    from sfumato.sampling import Guarantee, SystemBits

    computational, secret = Guarantee.COMPUTATIONAL, bytes(32)
    plan = PartPlan(study=_study(), part="0" * 32, source=SystemBits(), guarantee=computational, secret=secret)
    return SentPlan.of(PartDrawing(plan, MemorySink()))


def _show_worker(data: Path) -> None:
    """What a worker does with rows, step by step, without Spark; and what it takes to start one."""
    import pyarrow.parquet as pq

    from sfumato.files.public_tables import TableWriter

    sent = _sent()
    drawing = sent.drawing()
    rows = pq.read_table(data / "0.parquet").slice(0, 4 * CHUNK_ROWS).combine_chunks()
    chunks = [rows.slice(first, CHUNK_ROWS) for first in range(0, rows.num_rows, CHUNK_ROWS)]
    best: dict[str, float] = {}
    for _ in range(3):
        taken = dict.fromkeys(("read words", "draw", "digest", "write Parquet"), 0.0)
        tree, first = drawing.tree(), 0
        writer = TableWriter(data / "worker.parquet")
        for table in chunks:
            numbers = np.arange(first, first + table.num_rows)
            start = time.perf_counter()
            answers = drawing.read(table, first)
            read = time.perf_counter()
            reports = drawing.drawn(answers, numbers)
            drawn = time.perf_counter()
            tree.add(numbers, reports)
            digested = time.perf_counter()
            writer.write(drawing.written(table, numbers, reports))
            written = time.perf_counter()
            steps = (read - start, drawn - read, digested - drawn, written - digested)
            taken = {name: held + step for (name, held), step in zip(taken.items(), steps, strict=True)}
            first += table.num_rows
        start = time.perf_counter()
        writer.finish()
        taken["write Parquet"] += time.perf_counter() - start
        best = {name: min(best.get(name, held), held) for name, held in taken.items()}
    size = (data / "worker.parquet").stat().st_size
    (data / "worker.parquet").unlink()
    print("in a worker, two questions, one core:")
    for name, seconds in best.items():
        print(f"  {name:16} {1e9 * seconds / rows.num_rows:6.1f} ns a row")
    print(f"  all              {1e9 * sum(best.values()) / rows.num_rows:6.1f} ns a row")
    print(f"  reports          {size / rows.num_rows:6.2f} bytes a row")
    for _ in range(2):  # what is compiled to bytes is there the second time
        told = _child("--cold", given=pickle.dumps(sent), PYTHONDONTWRITEBYTECODE="", PYTHONPYCACHEPREFIX=str(data))
    print(told, end="")


def _child(*arguments: object, given: bytes = b"", **settings: str) -> str:
    """Run something in a process of its own, so that its memory is not the driver's."""
    command = [sys.executable, "-W", "ignore", __file__, *map(str, arguments)]
    environment = {**os.environ, **settings}
    done = subprocess.run(command, input=given, stdout=subprocess.PIPE, env=environment, check=True)  # noqa: S603  our own
    return done.stdout.decode()


def _cold() -> None:
    """What a fresh process pays before its first row: libraries, then ladders and kernels from their cache."""
    start = time.perf_counter()
    import pyarrow as pa

    import sfumato.publications.spark_writing  # noqa: F401
    from sfumato.files.tables import text_column

    imported = time.perf_counter()
    drawing = pickle.load(sys.stdin.buffer).drawing()  # noqa: S301  our own
    ready = time.perf_counter()
    zero = np.zeros(1, dtype=np.int64)
    table = pa.table({"home": text_column(zero, ["municipality 000"]), "car": text_column(zero, ["yes"])})
    drawing.drawn(drawing.read(table, 0), zero)
    drawn = time.perf_counter()
    steps = {"libraries": imported - start, "ladders": ready - imported, "kernels": drawn - ready}
    print("a worker's start:", ", ".join(f"{name} {seconds:.2f} s" for name, seconds in steps.items()))


if __name__ == "__main__":
    main()
