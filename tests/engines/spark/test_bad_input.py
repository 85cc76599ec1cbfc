"""What cannot be published is refused in a sentence with file and row; nothing is in place, and a rerun finishes."""

import shutil
import sys
import textwrap
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engines.spark.spark_studies import plain_answers, plain_study, published, written
from sfumato.errors import InvalidParameter, SfumatoError, UnreadableFile
from sfumato.publications.reports import read_report_files
from sfumato.workflows import releasing as requests

ROWS = 15_000
SIZES = (5000, 7000, 0)
ODD = "somewhere else"
"""An answer that is none, and must not be repeated."""


@pytest.fixture
def files(tmp_path):
    return written(tmp_path / "in", plain_answers(ROWS), SIZES)


@pytest.fixture
def job_group(spark):
    """A name for the jobs of a test, and how their tasks ended."""
    context = spark.sparkContext

    def failed():
        tracker = context.statusTracker()
        stages = [stage for job in tracker.getJobIdsForGroup("bad") for stage in tracker.getJobInfo(job).stageIds]
        assert stages
        return sum(info.numFailedTasks for stage in stages if (info := tracker.getStageInfo(stage)) is not None)

    context.setJobGroup("bad", "a test of bad input")
    yield failed
    for name in ("spark.jobGroup.id", "spark.job.description"):
        context.setLocalProperty(name, None)


def changed(path, name, row, value):
    """Write another answer into a row of a file."""
    table = pq.read_table(path)
    cells = table[name].to_pylist()
    cells[row] = value
    pq.write_table(table.set_column(table.schema.get_field_index(name), name, pa.array(cells)), path)


def refused(spark, files, folder, kind=UnreadableFile, **more):
    """Publishing is refused; return the sentence, after a look that nothing is in place and nothing left."""
    with pytest.raises(kind) as refusal:
        published(plain_study(), spark.read.parquet(str(files)), folder, **more)
    check_nothing_in_place(folder)
    said = str(refusal.value)
    assert "Py4J" not in said
    assert "Traceback" not in said
    assert ODD not in said + repr(refusal.value) + repr(refusal.value.__dict__)
    return said


def check_nothing_in_place(folder):
    assert {path.name for path in folder.iterdir()} <= {"study.toml", "reports"}
    assert not list((folder / "reports").iterdir()) if (folder / "reports").exists() else True


def check_finishes(spark, files, folder):
    """The same command, run again on files that were mended."""
    published(plain_study(), spark.read.parquet(str(files)), folder)
    assert len(read_report_files(folder / "reports")) == ROWS


class TestAnswers:
    @pytest.mark.parametrize("bad", [ODD, None], ids=["not-in-the-alphabet", "null"])
    def test_file_and_row_are_named_and_no_task_is_tried_again(self, spark, files, tmp_path, job_group, bad):
        kept = (files / "f001.parquet").read_bytes()
        changed(files / "f001.parquet", "place", 4321, bad)
        said = refused(spark, files, tmp_path / "out")
        assert f"file {files / 'f001.parquet'}" in said
        assert "row 4322" in said
        assert "column place" in said
        assert job_group() == 0
        (files / "f001.parquet").write_bytes(kept)
        check_finishes(spark, files, tmp_path / "out")

    def test_a_row_of_a_block_that_lies_across_tasks_is_named_too(self, spark, files, tmp_path):
        changed(files / "f002.parquet", "moved", 0, ODD)
        said = refused(spark, files, tmp_path / "out")
        assert f"file {files / 'f002.parquet'}" in said
        assert "row 1 " in said

    def test_a_row_of_a_table_that_is_numbered_by_ids_is_counted_in_their_order(self, spark, files, tmp_path):
        table = plain_answers(ROWS)
        changed(files / "f001.parquet", "place", 0, ODD)
        said = refused(spark, files, tmp_path / "out", id_column="person")
        person = table["person"][5000].as_py()
        assert f"row {int(person[1:]) + 1:,}".replace(",", "") in said.replace(",", "")
        assert person not in said


class TestFiles:
    def test_a_corrupt_footer(self, spark, files, tmp_path):
        frame_path = files / "f001.parquet"
        kept = frame_path.read_bytes()
        frame_path.write_bytes(kept[:-100] + b"\xff" * 92 + kept[-8:])
        said = refused_at_reading(spark, files, tmp_path / "out")
        assert "f001.parquet" in said or "could not" in said or "failed" in said
        frame_path.write_bytes(kept)
        check_finishes(spark, files, tmp_path / "out")

    def test_a_corrupt_page(self, spark, files, tmp_path):
        path = files / "f001.parquet"
        kept = path.read_bytes()
        chunk = pq.read_metadata(path).row_group(1).column(0)
        start = chunk.dictionary_page_offset or chunk.data_page_offset
        end = start + chunk.total_compressed_size
        path.write_bytes(kept[:start] + b"\xff" * (end - start) + kept[end:])
        said = refused(spark, files, tmp_path / "out")
        assert f"file {path}" in said
        path.write_bytes(kept)
        check_finishes(spark, files, tmp_path / "out")

    @pytest.mark.parametrize("rows", [7001, 3])
    def test_a_file_that_changed_after_its_rows_were_counted(self, spark, files, tmp_path, monkeypatch, rows):
        number_rows, path = requests.number_rows, files / "f001.parquet"
        kept = path.read_bytes()

        def meanwhile(*arguments, **options):
            found = number_rows(*arguments, **options)
            pq.write_table(plain_answers(rows), path)
            return found

        with monkeypatch.context() as patched:
            patched.setattr(requests, "number_rows", meanwhile)
            refused(spark, files, tmp_path / "out")
        path.write_bytes(kept)
        check_finishes(spark, files, tmp_path / "out")

    def test_a_file_that_went_away(self, spark, files, tmp_path, monkeypatch):
        number_rows = requests.number_rows

        def meanwhile(*arguments, **options):
            found = number_rows(*arguments, **options)
            (files / "f001.parquet").unlink()
            return found

        monkeypatch.setattr(requests, "number_rows", meanwhile)
        said = refused(spark, files, tmp_path / "out")
        assert f"file {files / 'f001.parquet'}" in said


def refused_at_reading(spark, files, folder):
    """Of files that Spark cannot even open it says so before there is a table; else publishing is refused."""
    from pyspark.errors import PySparkException

    try:
        frame = spark.read.parquet(str(files))
    except PySparkException:
        from sfumato.engines.spark import frame_of_files

        with pytest.raises(SfumatoError) as refusal:
            frame_of_files(files, spark)
        return str(refusal.value)
    with pytest.raises(SfumatoError) as refusal:
        published(plain_study(), frame, folder)
    check_nothing_in_place(folder)
    return str(refusal.value)


class TestTables:
    """Rows without numbers that would survive are not published."""

    def test_a_filter(self, spark, files, tmp_path):
        with pytest.raises(InvalidParameter, match="not all the rows of its files"):
            published(plain_study(), spark.read.parquet(str(files)).where("moved = 'yes'"), tmp_path / "out")
        check_nothing_in_place(tmp_path / "out")

    def test_a_join_has_no_places(self, spark, files, tmp_path):
        frame = spark.read.parquet(str(files))
        with pytest.raises(InvalidParameter, match="no rows that can be numbered"):
            published(plain_study(), frame.groupBy(*frame.columns).count(), tmp_path / "out")
        check_nothing_in_place(tmp_path / "out")

    def test_blocks_that_come_whole_twice_for_others_that_are_missing(self, spark, tmp_path):
        """As many rows as the files have, and each block whole where it lies."""
        from pyspark.sql import functions as f

        files = written(tmp_path / "in", plain_answers(8192))
        half = spark.read.parquet(str(files)).where("_metadata.row_index < 4096")
        twice = half.withColumn("copy", f.explode(f.array(f.lit(0), f.lit(1)))).repartition(8, "copy")
        with pytest.raises(UnreadableFile, match="each number once"):
            published(plain_study(), twice, tmp_path / "out")
        check_nothing_in_place(tmp_path / "out")

    @pytest.mark.parametrize(
        ("ids", "words"), [("p0000003", "in two rows, 1 times"), (None, "is empty in 1 of 15,000 rows")]
    )
    def test_ids_that_name_nobody_or_somebody_twice(self, spark, files, tmp_path, ids, words):
        table = plain_answers(ROWS)
        place = (table["person"].to_pylist().index("p0000003") + 1) % 5000
        changed(files / "f000.parquet", "person", place, ids)
        said = refused(spark, files, tmp_path / "out", id_column="person")
        assert words in said
        assert "p0000" not in said


def executors_with(spark, folder, lines):
    """A Python for executors that runs some lines before all others."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(textwrap.dedent(lines))
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{folder}:$PYTHONPATH" exec "{sys.executable}" "$@"\n')
    script.chmod(0o755)
    return str(script)


class TestExecutors:
    def test_without_sfumato(self, spark, files, tmp_path, monkeypatch):
        python = executors_with(
            spark, tmp_path / "bare",
            """
            import sys
            class Missing:
                def find_spec(self, name, path=None, target=None):
                    if name.partition(".")[0] == "sfumato":
                        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            sys.meta_path.insert(0, Missing())
            """,
        )  # fmt: skip
        with monkeypatch.context() as patched:
            patched.setattr(spark.sparkContext, "pythonExec", python)
            said = refused(spark, files, tmp_path / "out", kind=InvalidParameter)
        assert "executors that do not have sfumato" in said
        assert "Install sfumato[spark] on every machine" in said
        check_finishes(spark, files, tmp_path / "out")

    def test_with_another_version(self, spark, files, tmp_path, monkeypatch, job_group):
        python = executors_with(spark, tmp_path / "other", "import sfumato\nsfumato.__version__ = '0.0.7'\n")
        with monkeypatch.context() as patched:
            patched.setattr(spark.sparkContext, "pythonExec", python)
            said = refused(spark, files, tmp_path / "out", kind=InvalidParameter)
        assert "executors that have sfumato 0.0.7" in said
        assert "Install the same version everywhere" in said
        assert job_group() == 0
        check_finishes(spark, files, tmp_path / "out")


def test_what_was_there_before_stays(spark, files, tmp_path):
    """A folder of a publication, and its keys, are as they were after a refusal."""
    check_finishes(spark, files, tmp_path / "out")
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    other = shutil.copytree(files, tmp_path / "other")
    changed(other / "f001.parquet", "place", 4321, ODD)
    with pytest.raises(UnreadableFile, match="row 4322"):
        published(plain_study(), spark.read.parquet(str(other)), tmp_path / "out", append=True, insecure_seed=8)
    assert {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()} == before
    assert not [path for path in Path(tmp_path / "out").rglob("*") if path.name.startswith(".")]
