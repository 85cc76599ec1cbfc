"""Options that are assigned by the names of rows are the same on every engine: drawn, opened, counted, in groups."""

import pyarrow as pa
import pytest

from engines.spark.spark_studies import check_equal_to_arrow, written
from living_publications import Living
from sfumato.keys import Unprotected
from sfumato.study import Several
from sfumato.workflows.reading import estimate_reports, open_reports
from study.test_several import study, table

ROWS = 9000


def test_both_engines_make_the_same_part(spark, tmp_path):
    files = written(tmp_path / "answers", table(ROWS), (4096, 1, 2000, 5))
    frame = spark.read.parquet(str(files))
    check_equal_to_arrow(study(), frame, files, tmp_path)


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    living = Living(
        tmp_path_factory.mktemp("life") / "office", study=study(), guarantee="computational", keep=("region",)
    )
    living.publish(table(ROWS))
    living.amend({"row": list(range(0, ROWS, 10)), "way": ["walk"] * (ROWS // 10)})
    living.erase(5, 4096)
    living.publish(table(11, 2, "q"), append=True)
    return living


def test_spark_counts_what_one_machine_counts(spark, life):
    for group in (None, "region"):
        assert estimate_reports(life.reports, engine="spark", group=group) == estimate_reports(
            life.reports, group=group
        )


def test_spark_opens_what_one_machine_opens(spark, life):
    keys = sorted(life.keys.glob("ministry.*.key"))
    found = open_reports(life.reports, keys, unlock=Unprotected(), engine="spark")
    expected = open_reports(life.reports, keys, unlock=Unprotected())
    assert estimate_reports(found, group="region") == estimate_reports(expected, group="region")


def test_a_column_an_option_is_the_same_from_both_engines(spark, tmp_path):
    question = Several(id="way", text="How?", options=("bus", "car", "walk"), columns=("q 1", "q2", "q3"), ask=2)
    asked = study(question)
    held = pa.table(
        {name: [row // step % 2 for row in range(9000)] for name, step in (("q 1", 1), ("q2", 2), ("q3", 4))}
    )
    files = written(tmp_path / "in", held, (4096, 1, 3000))
    check_equal_to_arrow(asked, spark.read.parquet(str(files)), files, tmp_path)
