"""Publishing into a pipe: whoever reads it gets the reports, and nobody waits for what has gone through it."""

import contextlib
import os
import subprocess

import pyarrow as pa
import pyarrow.csv
import pytest

from sfumato.keys import Unprotected
from sfumato.publications.place import Destination
from sfumato.publications.reports import Reports
from sfumato.study import write_study
from sfumato.workflows.publishing import publish
from small_studies import answers, small_study

PATIENCE_SECONDS = 60


class Stopped(Exception):
    """As if the machine had stopped."""


@pytest.fixture(params=["reports.csv", "reports.parquet"])
def pipe(request, tmp_path):
    write_study(small_study(), tmp_path / "study.toml")
    pa.csv.write_csv(answers(), tmp_path / "answers.csv")
    path = tmp_path / request.param
    os.mkfifo(path)
    yield path
    os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK))  # lets go whoever waits for it still


@pytest.fixture
def published(sfumato, pipe):
    """Publish into the pipe; a command that waited for ever would be given up by the fixture."""
    words = ("publish", "answers.csv", "--study", "study.toml", "--keys", "keys", "--unprotected")
    return lambda *more: sfumato(*words, "--out", pipe.name, *more)


@contextlib.contextmanager
def drained(pipe):
    """Let another process read the pipe to its end; what came out of it is in a file of the same ending."""
    kept = pipe.with_name(f"kept{pipe.suffix}")
    with kept.open("wb") as out, subprocess.Popen(["cat", str(pipe)], stdout=out) as reader:
        try:
            yield kept
            reader.wait(timeout=PATIENCE_SECONDS)
        finally:
            reader.kill()


def check_answers(sfumato, pipe, kept):
    """What came through the pipe is the whole publication: with the note beside the pipe, the keys give it back."""
    note = f"{pipe.name}.about.json"
    assert len(Reports.read(kept, note=pipe.with_name(note))) == 600
    done = sfumato("recover", kept.name, "--note", note, "-k", "keys/registrar.place.key", "-o", "back.csv")
    assert done.returncode == 0, done.stderr
    back = pa.csv.read_csv(pipe.with_name("back.csv"))
    assert back["place"].to_pylist() == answers()["place"].to_pylist()


def test_what_goes_into_a_pipe_comes_out_of_it(sfumato, pipe, published):
    with drained(pipe) as kept:
        done = published()
        assert done.returncode == 0, done.stderr
    assert "600 reports" in done.stdout
    check_answers(sfumato, pipe, kept)
    assert not list(pipe.parent.glob(".*.staged"))
    assert pipe.is_fifo()


def test_a_simulation_goes_into_a_pipe(sfumato, pipe, published):
    with drained(pipe) as kept:
        done = published("--insecure-seed", "7")
        assert done.returncode == 0, done.stderr
    check_answers(sfumato, pipe, kept)


def test_keys_that_made_reports_are_not_used_again_for_a_pipe(sfumato, pipe, published):
    """Whether they are the same reports could only be told from those that were made, and a pipe has none."""
    with drained(pipe):
        assert published().returncode == 0
    refused = published()
    assert refused.returncode == 1
    assert "these keys have made reports already" in refused.stderr


def interrupted(monkeypatch, folder, out):
    def stop(*_):
        raise Stopped

    with monkeypatch.context() as broken:
        broken.setattr(Destination, "put", stop)
        with pytest.raises(Stopped):
            publish(folder / "study.toml", answers(), out=folder / out, keys=folder / "keys", protection=Unprotected())


def test_what_was_interrupted_is_finished_into_the_pipe(sfumato, pipe, published, monkeypatch):
    interrupted(monkeypatch, pipe.parent, pipe.name)
    with drained(pipe) as kept:
        done = published()
        assert done.returncode == 0, done.stderr
    assert "finished the publication that was interrupted" in done.stderr
    check_answers(sfumato, pipe, kept)


def test_a_pipe_does_not_hold_what_was_interrupted_elsewhere(sfumato, pipe, published, monkeypatch):
    interrupted(monkeypatch, pipe.parent, f"other{pipe.suffix}")
    refused = published()
    assert refused.returncode == 1
    assert "hold neither it nor what was staged of it" in refused.stderr
