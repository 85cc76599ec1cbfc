"""What tasks make: questions without keys and in rounds, files that count, loops compiled once, work that is shared."""

import json
import sys
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from engines.spark.slow_tasks import CountingDrawTask, StrayDrawTask
from engines.spark.spark_studies import (
    ODD_SIZES,
    SEED,
    check_same,
    plain_answers,
    plain_study,
    published,
    written,
)
from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.keys import Unprotected
from sfumato.ladders.drawing import new_secret
from sfumato.publications import spark_writing as spark_parts
from sfumato.publications.note import new_part_id
from sfumato.publications.part import MemorySink, PartPlan, draw_part, open_answers
from sfumato.publications.reports import read_report_files
from sfumato.sampling import Guarantee, InsecureSeeded
from sfumato.study import Card, FreeText, Recoverable, Study, YesNo, write_study
from sfumato.workflows import releasing as requests
from sfumato.workflows.publishing import publish
from sfumato.workflows.reading import estimate_reports

ROWS = 30_000
BLOOD = ("O+", "A+", "O-", "A-", "B+")
QUESTIONS = {
    "card": (Card(id="debt", text="In debt?", guess_error=Fraction(3, 8)), ("no", "yes")),
    "recoverable": (
        Recoverable(
            id="blood", text="Which group?", answers=BLOOD, tell=("O", "A", "O", "A", "B"), rho=Fraction(9, 10)
        ),
        BLOOD,
    ),
    "text": (FreeText(id="word", text="Say a word", longest=2, keep=3, epsilon=Fraction(3)), ("ab", "c", "ab", "é")),
}


def table_of(names):
    rng = np.random.default_rng(3)
    columns = {
        QUESTIONS[name][0].id: np.array(QUESTIONS[name][1])[rng.integers(0, len(QUESTIONS[name][1]), ROWS)]
        for name in names
    }
    return pa.table({**columns, "moved": np.array(["no", "yes"])[rng.integers(0, 2, ROWS)]})


def drawn_alone(study, table):
    """The part as one machine draws it from the same seed, everything by the names of rows."""
    source = InsecureSeeded(SEED)
    part = new_part_id(source)
    plan = PartPlan(
        study=study, part=part, source=source, secret=new_secret(part, source), guarantee=Guarantee.COMPUTATIONAL
    )
    sink = MemorySink()
    note, _ = draw_part(plan, open_answers(study, table), sink)
    return sink.reports(note)


def study_of(*names):
    questions = tuple(QUESTIONS[name][0] for name in names)
    return plain_study(questions=(*questions, YesNo(id="moved", text="Did you move?")))


@pytest.mark.parametrize(
    "names", [pytest.param(("card", "recoverable"), marks=pytest.mark.slow), ("card", "text", "recoverable")]
)
def test_questions_without_keys_are_drawn_as_one_machine_draws_them(spark, tmp_path, names):
    study, table = study_of(*names), table_of(names)
    frame = spark.read.parquet(str(written(tmp_path / "in", table, ODD_SIZES)))
    # Rows that lie anywhere, and blocks that are brought together.
    published(study, frame.repartition(3) if len(names) == 2 else frame, tmp_path / "spark")
    found, expected = read_report_files(tmp_path / "spark" / "reports"), drawn_alone(study, table)
    (part,), (wanted,) = found.note.parts, expected.note.parts
    assert (part.id, part.salts, dict(part.roots)) == (wanted.id, wanted.salts, dict(wanted.roots))
    assert found.table.to_pydict() == expected.table.to_pydict()


def test_a_hunt_on_spark_finds_the_frequent_texts(spark, tmp_path):
    """What is published is a hunt that its readers can follow: the rounds saw what readers see."""
    study = Study(name="Words", questions=(QUESTIONS["text"][0],))
    frame = spark.read.parquet(str(written(tmp_path / "in", table_of(("text",)), ODD_SIZES)))
    published(study, frame, tmp_path / "spark")
    (found,) = estimate_reports(tmp_path / "spark" / "reports")
    assert set(found.labels) == {"ab", "c", "é"}


def test_every_run_of_a_release_has_a_secret_of_its_own(spark, tmp_path, monkeypatch):
    """A question without keys is drawn afresh by whoever publishes anew, from bits of the system."""
    study, made = study_of("card"), []
    frame = spark.read.parquet(str(written(tmp_path / "in", table_of(("card",)), ODD_SIZES)))
    original = requests.new_secret
    monkeypatch.setattr(requests, "new_secret", lambda *given: made.append(original(*given)) or made[-1])
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        write_study(study, folder / "study.toml")
        publish(
            folder / "study.toml", frame, out=folder / "reports", keys=folder / "keys", protection=Unprotected(),
            guarantee="computational",
        )  # fmt: skip
    assert len(set(made)) == len(made) == 2
    assert all(len(secret) == 32 for secret in made)
    tables = [read_report_files(tmp_path / name / "reports").table["debt"].to_pylist() for name in ("one", "two")]
    assert tables[0] != tables[1]


def test_files_of_runs_that_nobody_waits_for_do_not_get_into_a_part(spark, tmp_path, monkeypatch):
    files = written(tmp_path / "in", plain_answers(ROWS), ODD_SIZES)
    published(plain_study(), files, tmp_path / "arrow")
    with monkeypatch.context() as patched:
        patched.setattr(spark_parts, "DrawTask", StrayDrawTask)
        published(plain_study(), spark.read.parquet(str(files)), tmp_path / "spark")
    check_same(tmp_path / "spark", tmp_path / "arrow")
    (part,) = (path for path in (tmp_path / "spark" / "reports").iterdir() if path.is_dir())
    assert {path.suffix for path in part.iterdir()} == {".parquet"}
    assert all(len(path.stem) == 13 for path in part.iterdir())
    assert not list((tmp_path / "spark" / "reports").glob(".*"))


@pytest.mark.slow
def test_loops_are_compiled_once_in_a_worker(spark, tmp_path, monkeypatch):
    """The first task of a process compiles, or finds in a cache, what it needs; those after it nothing."""
    python = tmp_path / "python"  # a name of its own, so that its workers are new
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    files = written(tmp_path / "in", plain_answers(ROWS), [ROWS // 6] * 6)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(python))
    monkeypatch.setattr(spark_parts, "DrawTask", CountingDrawTask)
    spark.conf.set("spark.sql.files.maxPartitionBytes", "60000")
    spark.conf.set("spark.sql.files.openCostInBytes", "0")
    try:
        published(plain_study(), spark.read.parquet(str(files)), tmp_path / "spark")
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")
        spark.conf.unset("spark.sql.files.openCostInBytes")
    by_process = defaultdict(list)
    for record in sorted(
        (json.loads(path.read_text()) for path in tmp_path.rglob("compiled-*.json")), key=lambda one: one["at"]
    ):
        by_process[record["pid"]].append(record)
    assert max(len(records) for records in by_process.values()) > 1
    for first, *others in by_process.values():
        assert first["before"] == 0
        assert first["after"] > 0
        for record in others:
            assert record["before"] == record["after"] == first["after"]


class TestRefusals:
    """What executors cannot do is refused before anything is read."""

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"guarantee": "information-theoretic"}, "must be computational"),
            ({"shuffle": True}, "order of chance on one machine"),
        ],
    )
    def test_options(self, spark, tmp_path, changes, words):
        frame = spark.read.parquet(str(written(tmp_path / "in", plain_answers(10))))
        with pytest.raises(InvalidParameter, match=words):
            published(plain_study(), frame, tmp_path / "out", **changes)
        assert {path.name for path in (tmp_path / "out").iterdir()} <= {"study.toml"}

    def test_a_single_file(self, spark, tmp_path):
        frame = spark.read.parquet(str(written(tmp_path / "in", plain_answers(10))))
        with pytest.raises(InvalidParameter, match="must be a folder"):
            publish(
                plain_study(), frame, out=tmp_path / "reports.parquet", keys=tmp_path / "keys",
                protection=Unprotected(), guarantee="computational", insecure_seed=SEED,
            )  # fmt: skip

    def test_an_empty_table(self, spark, tmp_path):
        frame = spark.read.parquet(str(written(tmp_path / "in", plain_answers(10).slice(0, 0))))
        with pytest.raises(UnreadableFile, match="has no rows"):
            published(plain_study(), frame, tmp_path / "out")
