"""Publishing a column of many rows: CPU against pyarrow reading the same and writing the same columns, and memory.

Every run is a process of its own; its CPU time is that of all its threads, its memory the most that it ever held. The
baseline reads the answers and writes columns of the same types, lengths and encodings as the reports. Without keys,
draws come from the bulk source (`--guarantee computational`); from the system they cost about 10 ns a row more. With no
argument 1e6 rows are published; `--rows 100000000` is the whole promise: ten minutes, and 2 GB of disk.
"""

from __future__ import annotations

import argparse
import functools
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ANSWERS = 900
LIMITS = {"without keys": 1.6, "seeds": 2.0, "true draws": 8.0}
MOST_MEMORY_MB = 1000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--child", nargs="*")
    given = parser.parse_args()
    if given.child:
        _child(*given.child)
        return
    folder = given.folder or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    try:
        _run(folder, given.rows, set(given.only or LIMITS))
    finally:
        if given.folder is None:
            shutil.rmtree(folder)


def _run(folder: Path, rows: int, wanted: set[str]) -> None:
    data = folder / f"answers-{rows}.parquet"
    if not data.exists():
        _step("make", data, str(rows))
    base = _step("baseline", data, folder / "baseline.parquet")
    print(
        f"{rows:,} rows, {ANSWERS} answers; baseline {base['cpu']:.2f} CPU s, {1e9 * base['cpu'] / rows:.1f} ns a row"
    )
    slow = []
    for name, limit in LIMITS.items():
        if name not in wanted:
            continue
        place = folder / name.replace(" ", "-")
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        found = _step("publish", data, place, name)
        ratio = found["cpu"] / base["cpu"]
        _show(f"publish, {name}", found, rows, f"{ratio:5.2f} x baseline (at most {limit})")
        slow += [f"publish, {name}: {ratio:.2f}"] if ratio > limit else []
        verbs = ["estimate"] if name == "without keys" else ["estimate", "open", "recover"]
        for verb in verbs:
            made = _step(verb, place, "-")
            _show(f"  {verb}", made, rows, f"{made['cpu'] / base['cpu']:5.2f} x baseline")
            found["memory"] = max(found["memory"], made["memory"])
        if found["memory"] > MOST_MEMORY_MB:
            slow.append(f"{name}: {found['memory']:.0f} MB")
    size = (folder / "without-keys" / "reports.parquet").stat().st_size if "without keys" in wanted else 0
    if size:
        print(f"reports without keys: {8 * size / rows:.2f} bits a row; row numbers {_row_share(folder):.2%} of it")
    slow += _five_questions(folder, min(rows, 10_000_000))
    slow += _wide_tables(folder, min(rows, 2_000_000))
    if slow:
        sys.exit(f"too slow or too large: {'; '.join(slow)}")


def _five_questions(folder: Path, rows: int) -> list[str]:
    """Five questions at four levels: 1e7 rows may take 7 CPU s with seeds, and 24 with true draws."""
    data = folder / f"five-{rows}.parquet"
    if not data.exists():
        _step("make", data, str(rows), "5")
    slow = []
    for name, limit in (("seeds", 7.0), ("true draws", 24.0)):
        place = folder / "five"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        found = _step("publish", data, place, name, "5")
        seconds = found["cpu"] * 1e7 / rows
        _show(f"five questions, {name}", found, rows, f"{seconds:5.2f} CPU s for 1e7 rows (at most {limit})")
        slow += [f"five questions, {name}: {seconds:.1f} s"] if seconds > limit else []
    return slow


def _wide_tables(folder: Path, rows: int) -> list[str]:
    """One question out of a table of 101 columns, against one out of 2."""
    took = []
    for columns in (2, 101):
        data = folder / f"wide-{columns}-{rows}.parquet"
        if not data.exists():
            _step("make_wide", data, str(rows), str(columns))
        found = []
        for _ in range(3):
            place = folder / "wide"
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            found.append(_step("publish", data, place, "seeds"))
        took.append(min(found, key=lambda one: one["cpu"]))
    ratio = took[1]["cpu"] / took[0]["cpu"]
    _show("one column of 101", took[1], rows, f"{ratio:5.2f} x one of 2 (at most 1.2)")
    return [f"one column of 101: {ratio:.2f}"] if ratio > 1.2 else []


def _show(what: str, found: dict[str, float], rows: int, said: str) -> None:
    cpu, memory = found["cpu"], found["memory"]
    print(f"{what:24} {cpu:8.2f} CPU s {1e9 * cpu / rows:7.1f} ns a row {memory:6.0f} MB  {said}", flush=True)


def _row_share(folder: Path) -> float:
    import pyarrow.parquet as pq

    footer = pq.read_metadata(folder / "without-keys" / "reports.parquet")
    sizes: dict[str, int] = {}
    for group in range(footer.num_row_groups):
        for place in range(footer.num_columns):
            column = footer.row_group(group).column(place)
            sizes[column.path_in_schema] = sizes.get(column.path_in_schema, 0) + column.total_compressed_size
    return sizes["row"] / sum(sizes.values())


def _step(*arguments: object) -> dict[str, float]:
    """Run one step in a process of its own, and return what it took beyond starting Python and its libraries."""
    command = [sys.executable, __file__, "--child", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  our own
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def _child(verb: str, *places: str) -> None:
    import pyarrow.parquet  # noqa: F401  what every one of them needs is not counted

    import sfumato.workflows  # noqa: F401

    _warm()
    start = time.process_time()
    globals()[f"_{verb}"](*places)
    took = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(json.dumps({"cpu": took, "memory": memory}))


def _warm() -> None:
    """Compile what is compiled, and import what is imported late: pyarrow asks pandas for its first array."""
    import pyarrow as pa

    pa.array(np.arange(2))
    _reports_count()
    from sfumato.ladders import Ladder
    from sfumato.sampling import Guarantee

    ladder = Ladder.within(size=ANSWERS, epsilons=[2.0, 0.5], recover=True)
    for guarantee in (Guarantee.COMPUTATIONAL, Guarantee.INFORMATION_THEORETIC):
        ladder.publish([0, 1], guarantee=guarantee)


def _make(data: str, rows: str, questions: str = "1") -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    labels = pa.array([f"municipality {number:03}" for number in range(ANSWERS)])
    names = _names(int(questions))
    schema = pa.schema(dict.fromkeys(names, pa.dictionary(pa.int16(), pa.string())))
    generator = np.random.default_rng(0)
    with pq.ParquetWriter(data, schema) as writer:
        left = int(rows)
        while left:
            count = min(left, 1 << 20)
            codes = np.minimum(generator.geometric(0.01, count) - 1, ANSWERS - 1).astype(np.int16)
            column = pa.DictionaryArray.from_arrays(codes, labels)
            writer.write_table(pa.table(dict.fromkeys(names, column), schema=schema))
            left -= count


def _make_wide(data: str, rows: str, columns: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    _make(data, rows)
    table = pq.read_table(data)
    generator = np.random.default_rng(1)
    for number in range(int(columns) - 1):
        table = table.append_column(f"other {number}", pa.array(generator.integers(0, 1000, int(rows))))
    pq.write_table(table, data)


def _names(questions: int) -> list[str]:
    return ["home", *(f"home_{number}" for number in range(1, questions))]


def _baseline(data: str, out: str) -> None:
    """Read the answers; write row numbers, and numbers as many and as different as reports are."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    opened = pq.ParquetFile(data, read_dictionary=["home"])
    noise = np.random.default_rng(0).integers(0, _reports_count(), 1 << 18).astype(np.uint16)
    schema = pa.schema({"row": pa.int64(), "home": pa.uint16()})
    done = 0
    with pq.ParquetWriter(
        out, schema, use_dictionary=["home"], column_encoding={"row": "DELTA_BINARY_PACKED"}, write_page_checksum=True
    ) as writer:
        for batch in opened.iter_batches(batch_size=1 << 18, use_threads=False):
            numbers = np.arange(done, done + batch.num_rows)
            columns = {"row": pa.array(numbers), "home": pa.array(noise[: batch.num_rows])}
            writer.write_table(pa.table(columns, schema=schema), row_group_size=1 << 18)
            done += batch.num_rows


@functools.cache
def _reports_count() -> int:
    return _study("without keys").handlers[0].report_count


def _study(name: str, questions: int = 1):  # noqa: ANN202
    from fractions import Fraction

    from sfumato.study import Analyst, OneOfMany, Study

    labels = tuple(f"municipality {number:03}" for number in range(ANSWERS))
    analysts = tuple(
        Analyst(name=f"analyst-{place}", epsilon=Fraction(level)) for place, level in enumerate((4, 2, 1), start=1)
    )
    return Study(
        name="homes",
        questions=tuple(OneOfMany(id=one, text="Where do you live?", answers=labels) for one in _names(questions)),
        public_epsilon=Fraction(1, 2),
        analysts=() if name == "without keys" else analysts,
        recover=name != "without keys",
    )


def _publish(data: str, place: str, name: str, questions: str = "1") -> None:
    from sfumato.keys import Unprotected
    from sfumato.workflows.publishing import publish

    folder = Path(place)
    publish(
        _study(name, int(questions)),
        data,
        out=folder / "reports.parquet",
        keys=None if name == "without keys" else folder / "keys",
        protection=Unprotected(),
        guarantee="information-theoretic" if name == "true draws" else "computational",
        registry=folder / "releases.json",
    )


def _estimate(place: str, _: str) -> None:
    from sfumato.workflows.reading import estimate_reports

    estimate_reports(Path(place) / "reports.parquet")


def _open(place: str, _: str) -> None:
    from sfumato.keys import Unprotected
    from sfumato.workflows.reading import open_reports

    folder = Path(place)
    opened = open_reports(folder / "reports.parquet", folder / "keys" / "analyst-1.home.key", unlock=Unprotected())
    opened.write(folder / "opened.parquet")
    (folder / "opened.parquet").unlink()


def _recover(place: str, _: str) -> None:
    from sfumato.keys import Unprotected
    from sfumato.workflows.reading import recover_answers

    folder = Path(place)
    recover_answers(
        folder / "reports.parquet",
        folder / "keys" / "registrar.home.key",
        unlock=Unprotected(),
        out=folder / "answers.parquet",
    )
    (folder / "answers.parquet").unlink()


if __name__ == "__main__":
    main()
