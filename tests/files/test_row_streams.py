"""Rows in chunks: the same rows from every source, only the columns asked for, refusals that name row and column."""

import os
import threading
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.columns import CHUNK_ROWS
from sfumato.files.public_tables import write_table
from sfumato.files.row_files import _files_under
from sfumato.files.row_streams import open_rows
from sfumato.files.tables import read_table, words_of

SECRET = "zebra"  # noqa: S105  stands for an answer
ROWS = 1000
COLUMNS = {
    "id": [str(i) for i in range(ROWS)],
    "affair": [("no", "yes", "it, depends", 'say "no"', "two\nlines")[i % 5] for i in range(ROWS)],
    "rooms": [i % 7 for i in range(ROWS)],
    "other": [f"{i}.5" for i in range(ROWS)],
}
TABLE = pa.table(COLUMNS)
ASKED = ("rooms", "affair")


def as_csv(folder):
    write_table(TABLE, folder / "t.csv")
    return folder / "t.csv"


def as_parquet(folder):
    pq.write_table(TABLE, folder / "t.parquet", row_group_size=130)
    return str(folder / "t.parquet")


def as_folder(folder):
    for start in range(0, ROWS, 300):
        pq.write_table(TABLE.slice(start, 300), folder / f"part-{start:05d}.parquet")
    (folder / "_SUCCESS").write_text("")
    (folder / ".part-00000.parquet.crc").write_text("x")
    (folder / "README.md").write_text("# parts")
    return folder


def as_folder_of_csv(folder):
    for start in range(0, ROWS, 300):
        write_table(TABLE.slice(start, 300), folder / f"part-{start:05d}.csv")
    return folder


def as_pattern(folder):
    return str(as_folder(folder) / "part-*.parquet")


def lazily_from_a_file(folder):
    return pl.scan_parquet(as_parquet(folder))


def as_reader(folder):
    return pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches(max_chunksize=70))


def as_pipe(folder):
    os.mkfifo(folder / "pipe.csv")
    data = as_csv(folder).read_bytes()
    threading.Thread(target=lambda: (folder / "pipe.csv").write_bytes(data), daemon=True).start()
    return folder / "pipe.csv"


SOURCES = {
    "csv": as_csv,
    "parquet": as_parquet,
    "folder": as_folder,
    "folder of csv": as_folder_of_csv,
    "pattern": as_pattern,
    "pipe": as_pipe,
    "arrow": lambda _: TABLE,
    "arrow in pieces": lambda _: pa.Table.from_batches(TABLE.to_batches(max_chunksize=33)),
    "batch": lambda _: TABLE.combine_chunks().to_batches()[0],
    "reader": as_reader,
    "dictionary": lambda _: COLUMNS,
    "dictionary of arrays": lambda _: {name: np.array(column) for name, column in COLUMNS.items()},
    "dictionary of series": lambda _: {n: pd.Series(c, index=range(ROWS, 0, -1)) for n, c in COLUMNS.items()},
    "pandas": lambda _: pd.DataFrame(COLUMNS),
    "pandas, another index": lambda _: pd.DataFrame(COLUMNS, index=range(ROWS, 0, -1)),
    "pandas, objects": lambda _: pd.DataFrame(COLUMNS).astype(object),
    "pandas, categories": lambda _: pd.DataFrame(COLUMNS).astype({"affair": "category"}),
    "polars": lambda _: pl.DataFrame(COLUMNS),
    "polars, categories": lambda _: pl.DataFrame(COLUMNS).with_columns(pl.col("affair").cast(pl.Categorical)),
    "polars, lazy": lambda _: pl.LazyFrame(COLUMNS),
    "polars, from a file": lazily_from_a_file,
    "duckdb": lambda _: duckdb.from_arrow(TABLE),
    "any stream": lambda _: Streamed(TABLE),
}  # fmt: skip


UNCOUNTED = {
    *("csv", "folder of csv", "pipe"),
    *("reader", "polars, lazy", "polars, from a file", "duckdb", "any stream"),
}


class Streamed:
    """What nobody knows, but hands over a stream of Arrow."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def cells(chunks, name):
    found = []
    for chunk in chunks:
        words = words_of(chunk, name)
        found += [words.texts[code] for code in words.codes]
    return found


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("size", [1, 64, 300, ROWS, 5000])
def test_every_source_gives_the_same_rows_in_chunks_of_one_size(tmp_path, kind, size):
    if size == 1 and kind not in {"parquet", "csv", "pandas"}:
        size = 7
    stream = open_rows(SOURCES[kind](tmp_path), columns=ASKED)
    assert set(stream.names) == set(COLUMNS)
    assert stream.rows in {ROWS, None}
    assert (stream.rows is None) == (kind in UNCOUNTED)
    chunks = list(stream.chunks(size))
    assert [chunk.num_rows for chunk in chunks] == [size] * (ROWS // size) + ([ROWS % size] if ROWS % size else [])
    assert all(chunk.column_names == list(ASKED) for chunk in chunks)
    assert len({str(chunk.schema.types) for chunk in chunks}) == 1, "one type from the first chunk to the last"
    assert cells(chunks, "affair") == COLUMNS["affair"]
    assert cells(chunks, "rooms") == [str(n) for n in COLUMNS["rooms"]]


@pytest.mark.parametrize("kind", SOURCES)
def test_a_second_reading_gives_the_same_or_says_that_it_cannot(tmp_path, kind):
    stream = open_rows(SOURCES[kind](tmp_path), columns=["affair"])
    first = cells(stream.chunks(100), "affair")
    if kind == "reader":
        with pytest.raises(InvalidParameter, match="can be read once"):
            next(stream.chunks(100))
    else:
        assert cells(stream.chunks(64), "affair") == first


@pytest.mark.parametrize("kind", SOURCES)
def test_a_missing_column_is_told_by_what_there_is(tmp_path, kind):
    with pytest.raises(UnreadableFile, match=r"no column 'nobody'; it has 'id', 'affair', 'rooms', 'other'"):
        open_rows(SOURCES[kind](tmp_path), columns=["affair", "nobody"])


@pytest.mark.parametrize("columns", [[], ["affair", "affair"]])
def test_columns_are_named_once(columns):
    with pytest.raises(InvalidParameter, match="each once"):
        open_rows(COLUMNS, columns=columns)


@pytest.mark.parametrize("size", [0, -1, 1.5])
def test_a_chunk_has_rows(size):
    with pytest.raises(InvalidParameter, match="size"):
        open_rows(COLUMNS, columns=["id"]).chunks(size)


@given(rows=st.integers(1, 60), size=st.integers(1, 70), group=st.integers(1, 40))
def test_chunks_are_exact_however_rows_lie(rows, size, group):
    table = pa.table({"n": list(range(rows))})
    pieces = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=group))
    chunks = list(open_rows(pieces, columns=["n"]).chunks(size))
    assert [n for chunk in chunks for n in chunk.column("n").to_pylist()] == list(range(rows))
    assert [chunk.num_rows for chunk in chunks[:-1]] == [size] * (len(chunks) - 1)


# Rows are named in the whole, whatever chunk they came in.


@pytest.mark.parametrize("kind", ["csv", "parquet", "pandas"])
def test_a_refusal_in_the_third_chunk_names_the_row_of_the_whole(tmp_path, kind):
    cells = ["no"] * 250
    cells[221] = cells[230] = None
    table = pa.table({"affair": cells, "x": ["1"] * 250})
    if kind == "pandas":
        data = table.to_pandas()
    else:
        data = tmp_path / f"t.{kind}"
        write_table(table, data)
    one, two, three = open_rows(data, columns=["affair"]).chunks(100)
    assert len(words_of(one, "affair")) == len(words_of(two, "affair", 100)) == 100
    with pytest.raises(UnreadableFile) as refused:
        words_of(three, "affair", 200)
    assert "column affair, row 222 is empty (2 of the first 250 rows are)" in str(refused.value)


def test_a_word_of_a_dictionary_that_is_empty_is_an_empty_cell():
    """It was read as the text None, which could be an answer."""
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array(["no", None]))
    with pytest.raises(UnreadableFile, match="row 2 is empty"):
        words_of(pa.table({"q": column}), "q")


# CSV: what is wrong is said by file and row, never by what stands there.


def csv_rows(tmp_path, data, columns=("a",)):
    (tmp_path / "t.csv").write_bytes(data)
    return list(open_rows(tmp_path / "t.csv", columns=columns).chunks(1000))


MANY = b"no,1\n" * 1_000_000
DAMAGED = {
    "a cell too many": (b"a,b\n" + b"no,1\n" * 70 + b"zebra,1,2\nno,1\n", "row 71 has 3 cells, and 2 columns are"),
    "a cell too few, behind blank lines": (b"a,b\n\n\n" + b"no,1\n" * 70 + b"\nzebra\n", "row 71 has 1 cells"),
    "a cell too many, in another encoding": (b"a,b\n" + b"no,1\n" * 70 + b"zebra\xe3,1,2\n", "row 71 has 3 cells"),
    "far behind": (b"a,b\n" + MANY + b"zebra,1,2\n", "row 1000001 has 3 cells"),
    "another encoding": (b"a,b\n" + b"no,1\n" * 70 + b"zebra-\xe9,1\n", "column a, row 71 is not UTF-8"),
    "another encoding, far behind": (b"a,b\n" + MANY + "zebra-é,1\n".encode("latin-1"), "row 1000001 is not UTF-8"),
    "binary": (b"a,b\n" + b"no,1\n" * 500_000 + b"zebra\0,1\n", "not UTF-8 text (it holds binary data"),
    "utf-16 without its mark": ("a,b\nzebra,1\n".encode("utf-16-le"), "not UTF-8 text"),
    "an open quote": (b"a,b\n" + b"no,1\n" * 70 + b'"zebra,1\n' + b"no,1\n" * 70, "row 71 has 1 cells"),
    "cut off within quotes": (b'a,b\nno,1\nyes,"zebra', "Close every quote"),
    "an open quote for long": (b"a,b\n" + b"no,1\n" * 70 + b'"zebra,1\n' + 3 * MANY, "after row "),
    "names twice": (b"a,a\nzebra,1\n", "two columns of the same name"),
    "no names": (b"\nzebra,1\n", "first line is blank"),
    "names that are no text": ("a,zebra-é\nno,1\n".encode("latin-1"), "not UTF-8 text"),
    "a long name": (b"a," + b"zebra" * 100 + b"\nno,1\n", "a name of more than 300 characters"),
    "empty": (b"", "the file is empty"),
    "names alone": (b"a,b\n", "the table has no rows"),
    "names alone, no end of line": (b"a,b", "the table has no rows"),
    "names and blank lines": (b"a,b\n\n\n", "the table has no rows"),
}  # fmt: skip


@pytest.mark.parametrize("case", DAMAGED)
def test_damage_is_told_by_file_and_row_and_never_by_what_is_there(tmp_path, capfd, case):
    data, words = DAMAGED[case]
    with pytest.raises(UnreadableFile) as refused:
        csv_rows(tmp_path, data)
    assert words in str(refused.value)
    assert str(tmp_path / "t.csv") in str(refused.value)
    assert SECRET not in str(refused.value)
    assert capfd.readouterr() == ("", ""), "a library's traceback is no sentence"


@pytest.mark.parametrize("case", [case for case in DAMAGED if "has no rows" not in DAMAGED[case][1]])
def test_a_whole_table_is_refused_in_the_same_words(tmp_path, case):
    data, words = DAMAGED[case]
    (tmp_path / "t.csv").write_bytes(data)
    with pytest.raises(UnreadableFile) as refused:
        read_table(tmp_path / "t.csv")
    assert words in str(refused.value)


def test_rows_that_a_quote_swallows_were_silently_lost(tmp_path):
    """The library reads an open quote to the end of the file and says nothing: 70 people would be missing."""
    with pytest.raises(UnreadableFile, match="Close every quote"):
        csv_rows(tmp_path, b"a,b\n" + b"no,1\n" * 70 + b'no,"1\n' + b"no,1\n" * 70, columns=["a"])


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'a,b\n5" pipe,1\nno,2\n', ['5" pipe', "no"]),  # a quote inside a cell opens nothing
        (b'a,b\n"5"" pipe",1\n', ['5" pipe']),
        (b'\xef\xbb\xbfa;b\r\n"x;\r\ny";1\r\nno;2\r\n', ["x;\r\ny", "no"]),
        (b'"a",\t"b"\nno,1\n', ["no"]),
        (b'a\tb\n"no"\t1\n', ["no"]),
        (b'" a ",b\n no ,1', ["no"]),
        (b'a,"b\nc"\nno,1\nyes,2\n', ["no", "yes"]),  # a name of two lines
        ("a,ü\né,1\n".encode(), ["é"]),
    ],
)
def test_separators_quotes_and_marks(tmp_path, data, expected):
    assert cells(csv_rows(tmp_path, data), "a") == expected
    (tmp_path / "t.csv").write_bytes(data)
    assert cells([read_table(tmp_path / "t.csv")[0]], "a") == expected


# Parquet and files that change.


def test_rows_come_from_the_footer(tmp_path):
    assert open_rows(as_parquet(tmp_path), columns=["id"]).rows == ROWS


@pytest.mark.parametrize("keep", [0, 3, 100, 5000, -200, -9, -1])
def test_a_parquet_file_that_is_cut_off(tmp_path, keep):
    path = as_parquet(tmp_path)
    Path(path).write_bytes(Path(path).read_bytes()[:keep])
    with pytest.raises(UnreadableFile, match="is empty" if keep == 0 else "is not Parquet, or is damaged"):
        list(open_rows(path, columns=["id"]).chunks())


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("how", ["longer", "rewritten", "replaced", "shorter"])
@pytest.mark.parametrize("when", ["before", "while"])
def test_a_file_that_is_changed_while_it_is_read(tmp_path, kind, how, when):
    """Several batches long, so that the change comes in the middle."""
    path = tmp_path / f"t.{kind}"
    write_table(pa.table({"a": ["no", "yes"] * 200_000}), path)
    stream = open_rows(path, columns=["a"])
    chunks = stream.chunks(1000)
    if when == "while":
        next(chunks)
    data = path.read_bytes()
    if how == "longer":
        with path.open("ab") as file:
            file.write(b"no\n")
    elif how == "shorter":
        os.truncate(path, len(data) // 2)
    elif how == "rewritten":
        path.write_bytes(data)
        os.utime(path, ns=(1, 1))
    else:
        (tmp_path / "new").write_bytes(data)
        (tmp_path / "new").replace(path)
    with pytest.raises(UnreadableFile, match="changed while it was read"):
        list(chunks)


def test_a_stream_that_is_left_in_the_middle_closes_its_file(tmp_path):
    stream = open_rows(as_csv(tmp_path), columns=["id"])
    for _ in range(3):
        chunks = stream.chunks(10)
        next(chunks)
        chunks.close()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(50):
        chunks = stream.chunks(10)
        next(chunks)
        chunks.close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_names_and_formats(tmp_path):
    with pytest.raises(UnreadableFile, match="does not exist"):
        open_rows(tmp_path / "nothing.csv", columns=["a"])
    (tmp_path / "t.json").write_text("{}")
    with pytest.raises(InvalidParameter, match="is JSON"):
        open_rows(tmp_path / "t.json", columns=["a"])
    with pytest.raises(InvalidParameter, match="extension"):
        open_rows(tmp_path / "t.docx", columns=["a"])
    with pytest.raises(InvalidParameter, match="must be a table, not int"):
        open_rows(3, columns=["a"])
    with pytest.raises(UnreadableFile, match="at most 10 are read"):
        open_rows(as_csv(tmp_path), columns=["id"], limit_bytes=10)


def test_a_name_with_brackets_is_a_name(tmp_path):
    as_csv(tmp_path).rename(tmp_path / "t[1].csv")
    assert next(open_rows(tmp_path / "t[1].csv", columns=["id"]).chunks()).num_rows == ROWS


# Tables that people hold.


def test_a_column_keeps_its_type_when_the_first_chunk_is_empty():
    kept = [None] * (CHUNK_ROWS + 5) + ["north", "south"]
    for data in ({"k": kept, "q": kept}, pd.DataFrame({"k": pd.Series(kept, dtype=object)})):
        types = {str(chunk.schema.field("k").type) for chunk in open_rows(data, columns=["k"]).chunks()}
        assert types == {"string"}


@pytest.mark.parametrize("data", [
    {"a": ["no", 1]},
    {"a": [1] * (CHUNK_ROWS + 1) + [SECRET]},
    {"a": {1, 2}},
    pd.DataFrame({"a": pd.Series(["no", 1], dtype=object)}),
])  # fmt: skip
def test_mixed_kinds_are_refused_by_column(data):
    with pytest.raises(InvalidParameter, match="mixed kinds in column 'a'") as refused:
        list(open_rows(data, columns=["a"]).chunks())
    assert SECRET not in str(refused.value)


def test_columns_of_different_lengths():
    with pytest.raises(InvalidParameter, match="different lengths"):
        open_rows({"a": [1, 2], "b": [1]}, columns=["a"])
    with pytest.raises(InvalidParameter, match="different lengths"):
        open_rows({"a": (n for n in range(3))}, columns=["a"])


def test_two_columns_of_one_name():
    with pytest.raises(UnreadableFile, match="two columns of the same name"):
        open_rows(pd.DataFrame([[1, 2]], columns=["a", "a"]), columns=["a"])
    with pytest.raises(UnreadableFile, match="two columns of the same name"):
        open_rows(pa.table([[1], [2]], names=["a", "a"]), columns=["a"])


@pytest.mark.parametrize("data", [{"a": []}, pd.DataFrame({"a": []}), pl.DataFrame({"a": []}), pa.table({"a": []}), {}])
def test_no_rows(data):
    with pytest.raises(UnreadableFile, match=r"has no (rows|column)"):
        list(open_rows(data, columns=["a"]).chunks())


def test_what_another_program_says_is_not_repeated():
    """Its message quotes the cell that it could not read."""
    broken = duckdb.sql("select case when range = 5 then 'zebra' else '1' end::integer as a from range(10)")
    lazy = pl.LazyFrame({"a": ["1", SECRET]}).with_columns(pl.col("a").cast(pl.Int64))
    for data in (broken, lazy):
        with pytest.raises(UnreadableFile, match="could not be computed") as refused:
            list(open_rows(data, columns=["a"]).chunks())
        assert SECRET not in str(refused.value)


def test_names_of_a_relation_are_quoted():
    name = 'a "b", c'
    relation = duckdb.from_arrow(pa.table({name: [1, 2], "d": [3, 4]}))
    assert next(open_rows(relation, columns=[name]).chunks()).column(name).to_pylist() == [1, 2]


# Folders.


def hive(folder, regions=("north", "south"), years=(2024, 2025), kind="parquet"):
    at = 0
    for region in regions:
        for year in years:
            here = folder / f"region={region}" / f"year={year}"
            here.mkdir(parents=True)
            write_table(pa.table({"n": list(range(at, at + 10)), "q": ["no"] * 10}), here / f"part.{kind}")
            at += 10


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("name", ["", "region=*", "region=*/**/part.*", "region=*/year=*/*"])
def test_folders_that_say_something(tmp_path, kind, name):
    hive(tmp_path, kind=kind)
    stream = open_rows(tmp_path / name, columns=["year", "n", "region"])
    assert stream.names == ("n", "q", "region", "year")
    (chunk,) = stream.chunks()
    assert cells([chunk], "n") == [str(n) for n in range(40)], "in the order of the paths"
    assert cells([chunk], "region") == ["north"] * 20 + ["south"] * 20
    assert cells([chunk], "year") == (["2024"] * 10 + ["2025"] * 10) * 2
    assert cells(open_rows(tmp_path / name, columns=["region"]).chunks(7), "region") == ["north"] * 20 + ["south"] * 20


def test_folders_are_spelled_as_in_an_address(tmp_path):
    hive(tmp_path, regions=("a%2Fb", "__HIVE_DEFAULT_PARTITION__"))
    first, second = open_rows(tmp_path, columns=["region", "n"]).chunks(20)
    assert set(first.column("region").to_pylist()) | set(second.column("region").to_pylist()) == {"a/b", None}


def test_paths_are_in_order_folder_by_folder(tmp_path):
    for name in ("b/2.csv", "b/10.csv", "a.csv", "a/z.csv", "B.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"n\n{name}\n")
    for name in ("", "**"):
        found = cells(open_rows(tmp_path / name, columns=["n"]).chunks(), "n")
        assert found == ["B.csv", "a/z.csv", "a.csv", "b/10.csv", "b/2.csv"]


def test_a_name_with_a_point_is_no_part_of_another(tmp_path):
    table = pa.table({"a": [1, 2], "a.b": [3, 4], "b": [5, 6]})
    pq.write_table(table, tmp_path / "t.parquet")
    for columns in (["a"], ["b", "a"], ["a.b"]):
        (chunk,) = open_rows(tmp_path / "t.parquet", columns=columns).chunks()
        assert chunk.equals(table.select(columns))


def test_a_folder_that_may_not_be_read(tmp_path):
    with pytest.raises(UnreadableFile, match="cannot be read: No such file"):
        _files_under(tmp_path / "gone", tmp_path)


def test_types_of_several_files(tmp_path):
    one, two, three = (tmp_path / f"{i}.parquet" for i in range(3))
    pq.write_table(pa.table({"n": pa.array([1, 2], pa.int32()), "t": pa.array([None, None])}), one)
    pq.write_table(pa.table({"n": pa.array([3], pa.int64()), "t": pa.array(["x"], pa.large_string())}), two)
    (chunk,) = open_rows(tmp_path, columns=["n", "t"]).chunks()
    assert chunk.column("n").to_pylist() == [1, 2, 3]
    assert chunk.column("t").to_pylist() == [None, None, "x"]
    pq.write_table(pa.table({"n": [SECRET], "t": ["x"]}), three)
    with pytest.raises(UnreadableFile, match=r"column n holds text here, and values of type int64 in") as refused:
        list(open_rows(tmp_path, columns=["n"]).chunks())
    assert str(three) in str(refused.value)
    assert next(open_rows(tmp_path, columns=["t"]).chunks()).num_rows == 4, "a column that nobody asked for may differ"


def test_files_of_other_columns(tmp_path):
    write_table(pa.table({"a": [1], "b": [2]}), tmp_path / "1.parquet")
    write_table(pa.table({"b": [1], "a": [2]}), tmp_path / "2.parquet")
    assert cells(open_rows(tmp_path, columns=["a"]).chunks(), "a") == ["1", "2"], "by name, not by place"
    write_table(pa.table({"a": [1]}), tmp_path / "3.parquet")
    with pytest.raises(UnreadableFile, match=r"3\.parquet: the file lacks the column 'b' of .*1\.parquet"):
        open_rows(tmp_path, columns=["a"])
    write_table(pa.table({"a": [1], "b": [1], "c": [1]}), tmp_path / "3.parquet")
    with pytest.raises(UnreadableFile, match=r"3\.parquet: the file has a column 'c' that is not in"):
        open_rows(tmp_path, columns=["a"])


def test_folders_that_cannot_be_read(tmp_path):
    with pytest.raises(UnreadableFile, match="no CSV or Parquet file"):
        open_rows(tmp_path, columns=["a"])
    with pytest.raises(UnreadableFile, match="no CSV or Parquet file"):
        open_rows(tmp_path / "*.parquet", columns=["a"])
    write_table(pa.table({"a": [1]}), tmp_path / "1.parquet")
    write_table(pa.table({"a": [1]}), tmp_path / "1.csv")
    with pytest.raises(UnreadableFile, match="both CSV and Parquet"):
        open_rows(tmp_path, columns=["a"])
    (tmp_path / "1.csv").unlink()
    (tmp_path / "round").symlink_to(tmp_path)
    with pytest.raises(UnreadableFile, match="is a link"):
        open_rows(tmp_path, columns=["a"])
    (tmp_path / "round").unlink()
    (tmp_path / "a=2").mkdir()
    write_table(pa.table({"a": [1]}), tmp_path / "a=2" / "2.parquet")
    with pytest.raises(UnreadableFile, match=r"2\.parquet: the file has a column 'a'"):
        open_rows(tmp_path, columns=["a"])


def test_an_empty_part_is_no_trouble_and_a_damaged_one_is_named(tmp_path):
    as_folder(tmp_path)
    pq.write_table(TABLE.slice(0, 0), tmp_path / "part-00001.parquet")
    assert sum(chunk.num_rows for chunk in open_rows(tmp_path, columns=["id"]).chunks(64)) == ROWS
    (tmp_path / "part-00300.parquet").write_bytes(b"PAR1 zebra PAR1")
    with pytest.raises(UnreadableFile, match=r"part-00300\.parquet: the file is not Parquet"):
        open_rows(tmp_path, columns=["id"])
