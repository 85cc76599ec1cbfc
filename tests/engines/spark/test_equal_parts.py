"""What Spark publishes is what one machine publishes from the same files, to the last byte of a key."""

import pyarrow as pa
import pytest

from engines.spark.spark_studies import (
    ODD_SIZES,
    check_equal_to_arrow,
    check_same,
    plain_answers,
    plain_study,
    published,
    wide_answers,
    wide_study,
    written,
)
from sfumato.engines.spark import NUMBER, number_rows

ROWS = 30_000


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """Files of odd sizes, and what one machine makes of them."""
    folder = tmp_path_factory.mktemp("odd")
    files = written(folder / "in", plain_answers(ROWS), ODD_SIZES)
    published(plain_study(), files, folder / "arrow", keep=("region",))
    return folder


def check_odd(odd, frame, folder):
    published(plain_study(), frame, folder, keep=("region",))
    check_same(folder, odd / "arrow")


@pytest.mark.parametrize("rows", [100_000, *(pytest.param(n, marks=pytest.mark.slow) for n in (1_000_000, 10_000_000))])
def test_900_answers_and_a_yes_no_are_the_same_from_both_engines(spark, tmp_path, rows):
    files = written(tmp_path / "in", wide_answers(rows), (rows // 3, 4096, rows // 7, rows // 5 + 1, 1))
    check_equal_to_arrow(wide_study(), spark.read.parquet(str(files)), files, tmp_path)


ORDERS = {
    "as-they-are": lambda frame: frame,
    "in-20-partitions": lambda frame: frame.repartition(20),
    "in-one": lambda frame: frame.coalesce(1),
    "by-a-column": lambda frame: frame.repartition(3, "place"),
    "backwards": lambda frame: frame.orderBy(frame.person.desc()),
}


@pytest.mark.parametrize(
    "order",
    [pytest.param(one, marks=pytest.mark.slow) if one in {"in-one", "by-a-column"} else one for one in ORDERS],
)
def test_where_rows_lie_changes_nothing(spark, odd, tmp_path, order):
    check_odd(odd, ORDERS[order](spark.read.parquet(str(odd / "in"))), tmp_path / "spark")


@pytest.mark.slow
def test_in_200_partitions_the_numbers_are_still_those_of_the_files(spark, odd):
    frame = spark.read.parquet(str(odd / "in")).repartition(200)
    found = number_rows(frame, ["person"]).frame
    assert found.rdd.getNumPartitions() == 200
    people = plain_answers(ROWS)["person"].to_pylist()
    assert sorted((row[NUMBER], row["person"]) for row in found.collect()) == list(enumerate(people))


def test_small_partitions_cut_blocks_and_files_anywhere(spark, odd, tmp_path):
    spark.conf.set("spark.sql.files.maxPartitionBytes", "20000")
    try:
        frame = spark.read.parquet(str(odd / "in"))
        assert frame.rdd.getNumPartitions() > len(ODD_SIZES) + 2
        check_odd(odd, frame, tmp_path / "spark")
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")


def test_files_may_be_named_in_any_order_and_are_numbered_by_their_paths(spark, odd, tmp_path):
    names = sorted((str(path) for path in (odd / "in").iterdir()), reverse=True)
    check_odd(odd, spark.read.parquet(*names), tmp_path / "spark")


def test_blanks_percents_and_letters_of_any_kind_in_names(spark, tmp_path):
    names = ["a b.parquet", "a%20b.parquet", "b%q.parquet", "c+&#.parquet", "dé ü.parquet"]
    files = written(tmp_path / "in a%20 ü", plain_answers(ROWS), ODD_SIZES, names=names)
    check_equal_to_arrow(plain_study(), spark.read.parquet(str(files)), files, tmp_path)


def test_folders_that_are_columns_are_kept(spark, tmp_path):
    names = [f"side={side}/f{number}.parquet" for side in ("left", "right", "up") for number in (2, 10)]
    sizes = (5000, 4096, 1, 3, 8000, 0)
    # A file of a folder that comes later may have a name that comes before.
    files = written(tmp_path / "in", plain_answers(ROWS), sizes, names=sorted(names))
    check_equal_to_arrow(
        plain_study(), spark.read.parquet(str(files)), files, tmp_path, keep=("side", "region", "person")
    )


@pytest.mark.slow
def test_many_files_are_numbered_as_few_are(spark, tmp_path):
    sizes = [1900 + 13 * number for number in range(15)]
    files = written(tmp_path / "in", plain_answers(ROWS), sizes)
    check_equal_to_arrow(plain_study(), spark.read.parquet(str(files)), files, tmp_path, keep=("region",))


@pytest.mark.parametrize("kind", ["texts", pytest.param("numbers", marks=pytest.mark.slow)])
def test_a_column_of_ids_numbers_the_rows_in_its_order(spark, tmp_path, monkeypatch, kind):
    from sfumato.engines import spark as numbering

    monkeypatch.setattr(numbering, "_BUCKET_ROWS", 5000)
    table = plain_answers(ROWS)
    if kind == "numbers":
        ids = pa.array([int(person[1:]) - 1000 for person in table["person"].to_pylist()])
        table = table.set_column(table.schema.get_field_index("person"), "person", ids)
    files = written(tmp_path / "in", table, ODD_SIZES)
    in_order = written(tmp_path / "sorted", table.sort_by("person"))
    # Of a table that was shuffled, and has no places in files any more.
    frame = spark.read.parquet(str(files)).groupBy(*table.column_names).count().drop("count")
    published(plain_study(), frame, tmp_path / "spark", id_column="person")
    published(plain_study(), in_order, tmp_path / "arrow", id_column="person")
    check_same(tmp_path / "spark", tmp_path / "arrow")
