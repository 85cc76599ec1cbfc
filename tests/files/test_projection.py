"""Of a wide table only the columns that are needed are read; what is missing is told by what there is."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import UnreadableFile
from sfumato.files.public_tables import write_table
from sfumato.files.tables import as_arrow, read_table
from small_studies import answers, small_study

WIDE = pa.table({f"c{i}": [f"{i}.{row}" for row in range(5)] for i in range(101)})


@pytest.mark.parametrize("name", ["wide.parquet", "wide.csv"])
def test_only_what_is_asked_for_is_read(tmp_path, name):
    write_table(WIDE, tmp_path / name)
    found = as_arrow(tmp_path / name, columns={"c7", "c100"})
    assert found.column_names == ["c7", "c100"]
    assert found.column("c100").to_pylist() == WIDE.column("c100").to_pylist()
    assert as_arrow(tmp_path / name).num_columns == 101
    assert as_arrow(tmp_path / name, columns={"c7", "nobody"}).num_columns == 101, "so that a sentence can name them"


def test_columns_of_parquet_that_nobody_asked_for_stay_on_the_disk(tmp_path):
    """A damaged column is no obstacle to those who do not need it, and is found by those who do."""
    path = tmp_path / "wide.parquet"
    pq.write_table(WIDE, path, write_page_checksum=True, compression="none", use_dictionary=False)
    at = path.read_bytes().index(b"50.3")
    damaged = bytearray(path.read_bytes())
    damaged[at] ^= 1
    path.write_bytes(bytes(damaged))
    assert as_arrow(path, columns=["c7"]).column("c7").to_pylist() == WIDE.column("c7").to_pylist()
    with pytest.raises(UnreadableFile, match="damaged"):
        as_arrow(path, columns=["c50"])
    with pytest.raises(UnreadableFile, match="damaged"):
        read_table(path)


@pytest.mark.parametrize("name", ["answers.parquet", "answers.csv"])
def test_a_study_reads_its_questions_and_what_is_kept(tmp_path, name):
    table = answers(40).append_column("county", pa.array(["north"] * 40)).append_column("x", pa.array(["y"] * 40))
    write_table(table, tmp_path / name)
    made = sf.publish(small_study(), tmp_path / name, keep=["county"], insecure_seed=1)
    assert "x" not in made.reports.table.column_names
    assert made.reports.table.column("county").to_pylist() == ["north"] * 40
    write_table(table.drop_columns([small_study().questions[0].id]), tmp_path / name)
    with pytest.raises(UnreadableFile, match="'x'"):
        sf.publish(small_study(), tmp_path / name, insecure_seed=1)
