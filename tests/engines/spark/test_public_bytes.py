"""What executors write goes through the same writer: no values of rows that were filtered, erased or not asked for."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from living_publications import living_study
from public_bytes import blobs, holds
from sfumato.keys import Unprotected
from sfumato.workflows import audit_publication
from sfumato.workflows.combining import combine
from sfumato.workflows.erasing import erase
from sfumato.workflows.publishing import publish
from sfumato.workflows.reading import open_reports, write_reports

CANARY, ERASED, UNKEPT = "Canary-on-Sea", "Erasedbury", "private name"
ROWS = 9000


def answers(prefix):
    """Towns as a dictionary that has one more; somebody lives where nobody else does."""
    towns = [CANARY, ERASED, *(f"town-{37 * number % 41:02d}" for number in range(40))]
    codes = [0, 1, *(2 + row % 40 for row in range(ROWS))]
    return pa.table(
        {
            "person": [f"{UNKEPT} {prefix}{row:05d}" for row in range(len(codes))],
            "moved": ["yes" if row % 3 == 0 else "no" for row in range(len(codes))],
            "place": ["north" if row % 2 else "south" for row in range(len(codes))],
            "town": pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(towns)),
        }
    )


@pytest.fixture(scope="module")
def folder(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bytes")
    for name in ("north", "south"):
        pq.write_table(answers(name), folder / f"{name}.parquet")
        frame = spark.read.parquet(str(folder / f"{name}.parquet"))
        publish(
            living_study(), frame.where(frame["town"] != CANARY), out=folder / name, keys=folder / f"keys {name}",
            protection=Unprotected(), keep=["town"], id_column="person", guarantee="computational",
            registry=folder / "releases.json", people=name,
        )  # fmt: skip
    return folder


def check(place, *, erased=False):
    left = blobs(place)
    assert holds(left, "town-37")
    assert not holds(left, CANARY)
    assert not holds(left, UNKEPT)
    assert holds(left, ERASED) is not erased
    assert audit_publication(place).findings == ()


def test_what_was_filtered_is_not_in_the_files(folder):
    check(folder / "north")


def test_what_spark_opens(spark, folder, tmp_path):
    keys = folder / "keys north"
    opened = open_reports(folder / "north", keys, unlock=Unprotected(), engine=lambda: spark)
    write_reports(opened, tmp_path / "opened")
    check(tmp_path / "opened")


def test_who_is_erased_from_a_part_of_several_files(folder, tmp_path):
    keys = [folder / "keys north", folder / "keys south"]
    erase(folder / "north", rows=[(None, 0)], keys=keys[0], unlock=Unprotected())
    check(folder / "north", erased=True)
    combine([folder / "north", folder / "south"], tmp_path / "all", keys=keys, unlock=Unprotected())
    check(tmp_path / "all")  # the other office has not erased its own


def test_a_file_that_no_task_wrote_is_named(folder):
    (table,) = (path for path in (folder / "south").glob("*.parquet") if path.is_dir())
    (table / "_SUCCESS").touch()
    assert audit_publication(folder / "south").findings == (
        f"{table.name}/_SUCCESS: a file that the publication does not name",
    )
    (table / "_SUCCESS").unlink()
