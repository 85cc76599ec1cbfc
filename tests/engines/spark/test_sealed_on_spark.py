"""Sealed answers on Spark: drawn by the names of rows, and given back in their types by either engine."""

import pyarrow as pa

from engines.spark.spark_studies import check_equal_to_arrow, written
from living_publications import Living
from sfumato.keys import Unprotected
from sfumato.workflows.reading import recover_answers
from study.test_sealed_answers import NAMES, check_same, people, study

ROWS = 9000


def test_both_engines_make_the_same_part(spark, tmp_path):
    files = written(tmp_path / "answers", people(ROWS), (4096, 1, 2000, 5))
    check_equal_to_arrow(study(), spark.read.parquet(str(files)), files, tmp_path)


def test_what_spark_published_comes_back_on_both_engines(spark, tmp_path):
    living = Living(tmp_path / "office", study=study(), guarantee="computational", keep=())
    table = people(ROWS)
    files = written(tmp_path / "answers", table, (4096, 1, 4903))
    living.publish(spark.read.parquet(str(files)))
    check_same(living.recovered(), table)
    living.amend({"row": [3, 4097], "rooms": [5, 6], "income": ["0.07", "no answer"]})
    cells = {name: table[name].to_pylist() for name in NAMES}
    for row, rooms, income in ((3, 5, 0.07), (4097, 6, None)):
        cells["rooms"][row], cells["income"][row] = rooms, income
    truth = pa.table({name: pa.array(cells[name], table[name].type) for name in NAMES})
    check_same(living.recovered(), truth)
    found = recover_answers(living.reports, living.keys, unlock=Unprotected(), engine="spark").toArrow().sort_by("row")
    for name in NAMES:
        assert found[name].to_pylist() == truth[name].to_pylist(), name
    assert [str(found[name].type) for name in NAMES] == ["int64", "double", "string", "int64"]
