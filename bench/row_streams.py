"""Reading a table in chunks: what one column costs out of 101 and out of 2, and what all rows cost against pyarrow.

CPU seconds are compared within one run. One column out of 101 may cost half as much again as out of 2.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.files.row_streams import open_rows
from sfumato.files.tables import words_of

ROWS = 5_000_000
PART = 500_000
MOST_RATIO = 1.5


def write(path: Path, columns: int) -> Path:
    generator = np.random.default_rng(0)
    words = pa.array([f"answer {i}" for i in range(900)])
    codes = [pa.array(generator.integers(0, 900, PART), pa.int32()) for _ in range(3)]
    table = pa.table({f"c{c}": pa.DictionaryArray.from_arrays(codes[c % 3], words) for c in range(columns)})
    with pq.ParquetWriter(path, table.schema) as writer:
        for _ in range(ROWS // PART):
            writer.write_table(table)
    return path


def seconds(work: Callable[[], int]) -> float:
    found = []
    for _ in range(3):
        start = time.process_time()
        if work() != ROWS:
            raise SystemExit("rows are missing")
        found.append(time.process_time() - start)
    return min(found)


def streamed(path: Path, columns: list[str], *, words: bool = False) -> int:
    rows = 0
    for chunk in open_rows(path, columns=columns).chunks():
        if words:
            words_of(chunk, columns[0], rows)
        rows += chunk.num_rows
    return rows


def read_by_pyarrow(path: Path, columns: list[str]) -> int:
    opened = pq.ParquetFile(path, read_dictionary=columns)
    return sum(batch.num_rows for batch in opened.iter_batches(columns=columns, use_threads=False))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        few, many, twenty = (write(Path(folder) / f"{n}.parquet", n) for n in (2, 101, 20))
        one = {path.stem: seconds(lambda path=path: streamed(path, ["c0"], words=True)) for path in (few, many)}
        ratio = one["101"] / one["2"]
        print(f"{ROWS:,} rows, one column as answers: {one['2']:.2f} CPU s out of 2, {one['101']:.2f} out of 101")
        print(f"  ratio {ratio:.2f} (at most {MOST_RATIO})")
        names = [f"c{c}" for c in range(20)]
        ours, theirs = seconds(lambda: streamed(twenty, names)), seconds(lambda: read_by_pyarrow(twenty, names))
        print(f"{ROWS:,} rows × 20 columns: {ours:.2f} CPU s, pyarrow alone {theirs:.2f}: {ours / theirs:.2f} ×")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"  peak of the process {peak:.0f} MB")
        if ratio > MOST_RATIO:
            raise SystemExit(f"one column out of 101 costs {ratio:.2f} times what it costs out of 2")


if __name__ == "__main__":
    main()
