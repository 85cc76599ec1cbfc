"""The bytes of a written table follow from its rows in their order, whatever they were held in."""

import itertools

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.errors import InvalidParameter
from sfumato.files.parquet import ParquetContent
from sfumato.files.public_tables import ROW_GROUP_ROWS, TableWriter, write_table

TOWNS = ["Wick", "Bath", None, "Ely", "Bath", "Wick", "Ely", "Bath"]
NUMBERS = [4, 4, None, 1, 2, 3, 4, 5]


def written(path, *tables):
    with TableWriter(path) as writer:
        for table in tables:
            writer.write(table)
        writer.finish("a note")
    return path.read_bytes()


def columns(towns, numbers=pa.array(NUMBERS)):  # noqa: B008  it is never changed
    return pa.table({"town": towns, "number": numbers})


def views():
    words = ["York", *TOWNS]
    coded = pa.array(words).dictionary_encode().slice(1)
    again = pa.array(["Wick", "York", None, "Bath", "Ely", "Wick"])
    repeated = pa.DictionaryArray.from_arrays(pa.array([0, 3, 2, 4, 3, 5, 4, 3]), again)
    fields = [pa.field("town", pa.string(), metadata={"seen": "York"}), pa.field("number", pa.int64())]
    numbers = pa.array([99, *NUMBERS]).dictionary_encode().slice(1)
    return {
        "a slice": columns(pa.array(words).slice(1)),
        "wide text": columns(pa.array(TOWNS, pa.large_string())),
        "views": columns(pa.array(TOWNS, pa.string_view())),
        "a dictionary of more": columns(coded),
        "a dictionary with empty and equal entries": columns(repeated),
        "a dictionary of numbers": columns(pa.array(TOWNS), numbers),
        "pieces": pa.concat_tables([columns(pa.array(TOWNS)).slice(start, 2) for start in (0, 2, 4, 6)]),
        "metadata": columns(pa.array(TOWNS)).cast(pa.schema(fields, metadata={"pandas": "York"})),
    }


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize("name", views())
def test_the_same_rows_have_the_same_bytes(tmp_path, name, suffix):
    plain = written(tmp_path / f"plain.{suffix}", columns(pa.array(TOWNS)))
    assert written(tmp_path / f"other.{suffix}", views()[name]) == plain


def test_the_same_rows_piece_by_piece_have_the_same_bytes(tmp_path):
    rows = ROW_GROUP_ROWS + 1000
    table = columns(pa.array([f"town {row % 7}" for row in range(rows)]), pa.array(range(rows)))
    whole = written(tmp_path / "whole.parquet", table)
    cuts = [0, 5, 70_000, ROW_GROUP_ROWS - 1, rows]
    pieces = [table.slice(start, stop - start) for start, stop in itertools.pairwise(cuts)]
    assert written(tmp_path / "pieces.parquet", *pieces) == whole
    groups = pq.read_metadata(tmp_path / "whole.parquet")
    assert [groups.row_group(number).num_rows for number in range(groups.num_row_groups)] == [ROW_GROUP_ROWS, 1000]
    assert pq.read_table(tmp_path / "whole.parquet").equals(table)


def test_text_has_a_sorted_dictionary_of_what_occurs_in_its_row_group(tmp_path):
    write_table(views()["a dictionary of more"], tmp_path / "t.parquet")
    (page,) = (page for page in ParquetContent(tmp_path / "t.parquet").pages() if page.is_dictionary)
    assert (page.column, page.texts()) == ("town", [b"Bath", b"Ely", b"Wick"])
    assert pq.read_table(tmp_path / "t.parquet")["town"].to_pylist() == TOWNS


def test_texts_that_are_mostly_different_stand_there_plainly(tmp_path):
    write_table(pa.table({"id": ["c", "a", "b"]}), tmp_path / "t.parquet")
    assert not any(page.is_dictionary for page in ParquetContent(tmp_path / "t.parquet").pages())
    assert pq.read_table(tmp_path / "t.parquet")["id"].to_pylist() == ["c", "a", "b"]


def test_a_table_without_rows_keeps_its_columns(tmp_path):
    write_table(columns(pa.array(TOWNS)).slice(0, 0), tmp_path / "t.parquet")
    assert pq.read_table(tmp_path / "t.parquet").column_names == ["town", "number"]


@pytest.mark.parametrize("cells", [[["York"]], [{"town": "York"}]])
def test_lists_and_records_are_refused(tmp_path, cells):
    with pytest.raises(InvalidParameter, match="lists or records") as refused:
        write_table(pa.table({"towns": cells}), tmp_path / "t.parquet")
    assert "York" not in str(refused.value)
    assert not list(tmp_path.iterdir())
