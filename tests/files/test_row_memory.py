"""However many rows and columns there are, a few chunks are in memory, and only columns that are asked for."""

import json
import subprocess
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.files.columns import CHUNK_ROWS
from sfumato.files.public_tables import write_table
from sfumato.files.row_streams import open_rows

MB = 2**20
# What reading took at the most, after the libraries are there: of the whole process, and of Arrow alone.
MEASURED = """
import json, resource, sys
import numpy as np, pyarrow as pa
import pyarrow.compute, pyarrow.csv, pyarrow.parquet
from sfumato.files.columns import CHUNK_ROWS
from sfumato.files.row_streams import open_rows
from sfumato.files.tables import words_of
path, columns = sys.argv[1], sys.argv[2].split(",")
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
before, rows = peak(), 0
for chunk in open_rows(path, columns=columns).chunks():
    for name in columns[:2]:
        assert len(words_of(chunk, name, rows)) == chunk.num_rows
    rows += chunk.num_rows
print(json.dumps({"rows": rows, "process": peak() - before, "arrow": pa.default_memory_pool().max_memory()}))
"""


def wide(rows, columns):
    words = pa.array([f"answer {i}" for i in range(900)])
    arrays = [pa.DictionaryArray.from_arrays(pa.array([(i * (c + 7)) % 900 for i in range(rows)], pa.int32()), words)
              for c in range(3)]  # fmt: skip
    return pa.table({f"c{c}": arrays[c % 3] for c in range(columns)})


def write_long(path, rows, columns, *, part=250_000, row_group=None):
    """Write a part of a table over and over."""
    table = wide(part, columns)
    if path.is_dir():
        for i in range(rows // part):
            pq.write_table(table, path / f"{i:04d}.parquet")
        return path
    with pq.ParquetWriter(path, table.schema) as writer:
        if row_group is None:
            for _ in range(rows // part):
                writer.write_table(table)
        else:  # all in one group, which must not be held either
            writer.write_table(pa.concat_tables([table] * (rows // part)), row_group_size=row_group)
    return path


def measured(path, columns):
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(path), ",".join(columns)],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "rows"), [("file", 5_000_000), ("folder", 1_500_000)])
def test_millions_of_rows_of_twenty_columns_are_read_in_little_memory(tmp_path, kind, rows):
    """Five million are 400 MB as numbers of their dictionaries, over a gigabyte as text; a chunk of them is 21 MB."""
    (tmp_path / "folder").mkdir()
    path = write_long(tmp_path / ("t.parquet" if kind == "file" else "folder"), rows, 20)
    found = measured(path, [f"c{c}" for c in range(20)])
    assert found["rows"] == rows
    assert found["arrow"] < 150 * MB
    assert found["process"] < 300 * MB


def test_one_large_group_of_rows_is_not_held(tmp_path):
    path = write_long(tmp_path / "t.parquet", 4_000_000, 2, row_group=4_000_000)
    assert pq.ParquetFile(path).num_row_groups == 1
    found = measured(path, ["c0", "c1"])
    assert found["rows"] == 4_000_000
    assert found["arrow"] < 60 * MB


@pytest.mark.slow
def test_a_long_text_file_is_read_in_little_memory(tmp_path):
    write_table(wide(250_000, 20), tmp_path / "part.csv")
    head, rest = (tmp_path / "part.csv").read_bytes().split(b"\n", 1)
    with (tmp_path / "t.csv").open("wb") as file:
        file.write(head + b"\n")
        for _ in range(4):
            file.write(rest)
    found = measured(tmp_path / "t.csv", ["c3", "c17"])
    assert found["rows"] == 1_000_000
    assert found["arrow"] < 120 * MB
    assert found["process"] < 200 * MB


class Counted:
    """A file that counts what is read of it."""

    def __init__(self, stream):
        self._stream = stream
        self.read_bytes = 0

    def read(self, *size):
        data = self._stream.read(*size)
        self.read_bytes += len(data)
        return data

    def __getattr__(self, name):
        return getattr(self._stream, name)


def bytes_read(monkeypatch, path, columns):
    from sfumato.files import parquet as parquet_rows

    opened = []
    usual = parquet_rows.open_parquet

    def counting(source, where):
        opened.append(Counted(source))
        return usual(opened[-1], where)

    with monkeypatch.context() as patch:
        patch.setattr(parquet_rows, "open_parquet", counting)
        rows = sum(chunk.num_rows for chunk in open_rows(path, columns=columns).chunks())
    return rows, sum(one.read_bytes for one in opened)


@pytest.mark.slow
def test_a_column_out_of_many_costs_what_it_costs_out_of_two(tmp_path, monkeypatch):
    """In bytes that leave the disk and in memory; the footer alone is longer. Seconds are measured in bench/."""
    cost = {}
    for columns in (2, 101):
        path = write_long(tmp_path / f"{columns}.parquet", 1_000_000, columns)
        rows, cost[columns] = bytes_read(monkeypatch, path, ["c0"])
        assert rows == 1_000_000
    whole = (tmp_path / "101.parquet").stat().st_size
    assert cost[101] < 1.5 * cost[2]
    assert cost[101] < whole / 20, "the control: all of the file is much more"
    memory = {columns: measured(tmp_path / f"{columns}.parquet", ["c0"])["arrow"] for columns in (2, 101)}
    assert memory[101] < 1.5 * memory[2]


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "dictionary"])
def test_tables_that_somebody_holds_are_not_held_twice(kind):
    """A million rows of 21 columns; a chunk of two columns is what is added."""
    table = pa.table({f"c{c}": pa.array(np.arange(1_000_000)) for c in range(21)})
    held = {
        "arrow": lambda: table,
        "pandas": table.to_pandas,
        "polars": lambda: pl.from_arrow(table),
        "dictionary": lambda: {name: table.column(name).to_numpy() for name in table.column_names},
    }[kind]()  # fmt: skip
    before = most = pa.total_allocated_bytes()
    for chunk in open_rows(held, columns=["c20", "c3"]).chunks():
        assert chunk.num_columns == 2
        most = max(most, pa.total_allocated_bytes())
    assert most - before < 3 * 2 * 8 * CHUNK_ROWS
