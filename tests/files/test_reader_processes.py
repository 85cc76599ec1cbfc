"""What reads for us may die, hang, flood or talk nonsense: we say so in a sentence, and nothing of it is left."""

import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

from deadly_files import DEADLY
from sfumato.errors import Place, UnreadableFile
from sfumato.files.disk import SteadyFile
from sfumato.files.reader_processes import ReaderProcess, seconds_for
from sfumato.files.row_streams import RowStream, open_rows, row_source
from sfumato.files.statistics_rows import StatisticsRows

PLACE = Place(file="a.sav")


def started(**told):
    child = ReaderProcess("files.naughty_reader", PLACE, seconds=told.pop("seconds", 60))
    child.ask(told)
    return child


def is_gone(pid):
    """Whether a process has ended, and was waited for."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("how", ["abort", "half", "boast", "flood", "spin", "leave"])
def test_a_reader_that_breaks_down_is_a_sentence(how):
    child = started(do=how)
    with pytest.raises(UnreadableFile, match=r"file a\.sav: the file is damaged: the library .* broke down") as refused:
        child.answer()
    assert refused.value.way_out
    assert not child.close.alive


def test_a_reader_that_hangs_is_not_waited_for():
    child = started(do="hang", seconds=3)
    pid = int(child.answer()[1])
    began = time.monotonic()
    with pytest.raises(UnreadableFile, match="took longer than 3 s"):
        child.answer()
    assert time.monotonic() - began < 30
    assert is_gone(pid)


def test_the_larger_a_file_the_longer_it_may_take():
    assert seconds_for(0) == 120
    assert seconds_for(2**30) == 120 + 2**10


def test_a_reader_that_nobody_holds_ends():
    child = started(do="answer")
    pid = int(child.answer()[1])
    del child
    gc.collect()
    assert is_gone(pid)


def test_an_interrupt_ends_the_reader_too():
    program = """
import sys
from files.test_reader_processes import started
child = started(do="hang")
print(int(child.answer()[1]), flush=True)
child.answer()
"""
    paths = os.pathsep.join(path for path in sys.path if path)
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths},
    ) as parent:
        pid = int(parent.stdout.readline())
        parent.send_signal(signal.SIGINT)
        _, said = parent.communicate(timeout=30)
    assert b"KeyboardInterrupt" in said
    assert is_gone(pid)


def test_a_file_that_ends_its_reader_is_refused(tmp_path):
    path = tmp_path / "t.sav"
    path.write_bytes(DEADLY)
    with pytest.raises(UnreadableFile, match=r"t\.sav: the file is damaged: the library .* Save it again"):
        list(open_rows(path, columns=["voted"]).chunks())
    assert sorted(tmp_path.iterdir()) == [path]


@pytest.fixture
def sound(tmp_path):
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(pd.DataFrame({"a": [float(i) for i in range(1000)], "b": ["x" * 200] * 1000}), path)
    return path


def test_one_reader_serves_a_file_however_often_it_is_read(sound, monkeypatch):
    began = []
    start = ReaderProcess.__init__
    monkeypatch.setattr(ReaderProcess, "__init__", lambda self, *a, **b: (began.append(1), start(self, *a, **b))[1])
    stream = open_rows(sound, columns=["a"])
    for size in (10, 999, 5000):
        assert [cell for table in stream.chunks(size) for cell in table["a"].to_pylist()] == [*map(str, range(1000))]
    assert len(began) == 1
    # Two readings at a time are two processes; one that is given up halfway ends.
    one, two = stream.chunks(10), stream.chunks(10)
    assert next(one).equals(next(two))
    assert len(began) == 2
    one.close()
    assert sum(table.num_rows for table in two) == 990
    assert sum(table.num_rows for table in stream.chunks()) == 1000
    assert len(began) == 2


def test_a_file_from_a_pipe_is_read_twice(sound, tmp_path):
    held = SteadyFile(path=Path("piped.sav"), held=sound.read_bytes())
    stream = RowStream(StatisticsRows(held), ["a"])
    assert [sum(table.num_rows for table in stream.chunks()) for _ in range(2)] == [1000, 1000]


def test_a_file_that_changes_is_refused(sound):
    stream = RowStream(row_source(sound), ["a"])
    sound.write_bytes(sound.read_bytes() + b"x")
    with pytest.raises(UnreadableFile, match="changed while it was read"):
        list(stream.chunks())


def test_memory_is_bounded(sound):
    """Within next to nothing even a sound file is refused, however the library sees it."""
    with pytest.raises(UnreadableFile):
        list(StatisticsRows(SteadyFile.at(sound), memory=2**20).batches(["a", "b"], 10))
