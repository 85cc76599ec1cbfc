"""The command with --engine spark, from answers to answers. The page on clusters starts it cold, in test_howto.py."""

import json
import os
import subprocess
import sys
import warnings

import pyarrow.parquet as pq
import pytest

from engines.spark.spark_studies import plain_answers, plain_study, written
from engines.spark.spark_trees import ENVIRONMENT, SOURCES
from sfumato.cli import main
from sfumato.study import write_study

ROWS = 12_000


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("typed")
    written(folder / "answers", plain_answers(ROWS), (5000, 7000))
    write_study(plain_study(), folder / "study.toml")
    return folder


@pytest.fixture
def typed(spark, place, monkeypatch, capfd):
    """Type a command; it finds the session that there is, as it would find one that somebody started for it."""
    monkeypatch.chdir(place)
    monkeypatch.setenv("COLUMNS", "120")

    def run(*words):
        monkeypatch.setattr("sys.argv", ["sfumato", *map(str, words)])
        capfd.readouterr()
        with warnings.catch_warnings(), pytest.raises(SystemExit) as stop:
            main()
        said = capfd.readouterr()
        return subprocess.CompletedProcess(words, stop.value.code, said.out, said.err)

    return run


SPARK = ("--engine", "spark", "--master", "local[2]")


def test_from_answers_to_answers(typed, place):
    made = typed(
        "publish", "answers", "--study", "study.toml", "--out", "reports", "--keys", "keys", "--unprotected",
        "--guarantee", "computational", "--keep", "region", *SPARK,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert f"{ROWS:,} reports on 2 questions in reports" in made.stdout
    assert made.stderr.splitlines() == ["note: key files without a passphrase open for anyone who has them."]
    counted = typed("estimate", "reports", "--group", "region", "--json", *SPARK)
    assert counted.returncode == 0, counted.stderr
    assert json.loads(counted.stdout) == json.loads(typed("estimate", "reports", "--group", "region", "--json").stdout)
    opened = typed("open", "reports", "--key", "keys/press.place.key", "--allow-unprotected", "--out", "opened", *SPARK)
    assert opened.returncode == 0, opened.stderr
    alone = typed("open", "reports", "--key", "keys/press.place.key", "--allow-unprotected")
    assert opened.stdout == alone.stdout
    recovered = typed("recover", "reports", "--key", "keys", "--allow-unprotected", "--out", "back", *SPARK)
    assert recovered.returncode == 0, recovered.stderr
    assert f"recovered {ROWS:,} answers to 2 questions in back" in recovered.stderr
    assert pq.read_table(place / "back").sort_by("row")["place"].to_pylist() == plain_answers(ROWS)["place"].to_pylist()
    # Nothing else was left behind.
    names = {"answers", "study.toml", "releases.json", "reports", "keys", "opened", "back"}
    assert {path.name for path in place.iterdir()} == {*names, "opened.about.json", "opened.codebook.md"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("estimate", "reports", "--master", "local[2]"), "--master 'local[2]' is Spark's"),
        (("publish", "answers", "--study", "study.toml", "--out", "new.parquet", "--keys", "k", "--unprotected",
          "--guarantee", "computational", *SPARK), "must be a folder"),
        (("publish", "answers", "--study", "study.toml", "--out", "new", "--keys", "k", "--unprotected", *SPARK),
         "--guarantee must be computational"),
        (("publish", "nowhere", "--study", "study.toml", "--out", "new", "--keys", "k", "--unprotected",
          "--guarantee", "computational", *SPARK), "no such file for Spark"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_a_sentence(typed, place, words, sentence):
    before = sorted(path.name for path in place.rglob("*"))
    ended = typed(*words)
    assert ended.returncode == 2
    assert sentence in ended.stderr
    assert "Traceback" not in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    assert sorted(path.name for path in place.rglob("*")) == before


def test_without_java_it_says_so(spark_here, tmp_path):
    """In a process of its own, which has no session."""
    (tmp_path / "java").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "java").chmod(0o700)
    path = f"{tmp_path}:{os.environ['PATH']}"
    environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": str(SOURCES), "PATH": path, "JAVA_HOME": ""}
    (tmp_path / "pairs.csv").write_text("input,output\na,x\nb,y\n")
    words = ["audit", "pairs.csv", "--epsilon", "1", *SPARK]
    command = [sys.executable, "-c", "from sfumato.cli import main; main()", *words]
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "--engine 'spark' could not be started. Spark needs Java 17" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
