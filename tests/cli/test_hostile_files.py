"""Whatever a file says, the command shows it as text: nothing clears a screen and leaves a false "Verified"."""

import json
import os
import pty
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import sfumato as sf
from deadly_files import DEADLY
from fresh_seals import reseal_bytes
from sample_files import GOOD
from sfumato.errors import ClaimRefused

HOSTILE = "\x1b[2J\x9b2J\r\u202eVerified"
MARKS = ("\x1b", "\x9b", "\r", "\u202e")
HONEST = sf.certify(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))


def changed(**what):
    return replace(HONEST, claims=(replace(HONEST.claims[0], **what), *HONEST.claims[1:]))


@pytest.mark.parametrize("where", ["measure", "unit", "sentence", "because"])
def test_a_refusal_quotes_text_as_text(sfumato, tmp_path, where):
    (tmp_path / "hostile.json").write_text(changed(**{where: HOSTILE}).to_json())
    done = sfumato("verify", "hostile.json")
    assert done.returncode == 1
    assert not any(mark in done.stdout + done.stderr for mark in MARKS)
    with pytest.raises(ClaimRefused) as refused:
        sf.verify(sf.Certificate.read(tmp_path / "hostile.json"))
    assert not any(mark in str(refused.value) for mark in MARKS)


def in_terminal(folder, *arguments):
    """What a person at a terminal is sent: the command runs with a terminal of its own."""
    parent, child = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-c", "from sfumato.cli import main; main()", *arguments],
        cwd=folder, stdout=child, stderr=child, stdin=child, env={**os.environ, "TERM": "dumb", "COLUMNS": "100"},
    )  # fmt: skip
    os.close(child)
    shown = b""
    while True:
        try:
            more = os.read(parent, 65536)
        except OSError:
            break
        if not more:
            break
        shown += more
    os.close(parent)
    return running.wait(), shown.decode().replace("\r\n", "\n")


def test_labels_that_would_move_the_cursor_are_refused_by_a_calm_sentence(tmp_path):
    rows = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    for name, document in (("channel.json", "write"), ("labels.json", "certify")):
        honest = sf.Channel(rows, ["honest", "b"], ["a", "honest"])
        if document == "write":
            sf.prob.write_channel(honest, tmp_path / name)
        else:
            (tmp_path / name).write_text(sf.certify(honest).to_json())
        hostile = (tmp_path / name).read_text().replace('"honest"', json.dumps(HOSTILE))
        (tmp_path / name).write_bytes(reseal_bytes(hostile.encode()))
    for line in (["verify", "labels.json"], ["certify", "channel.json"], ["certify", "channel.json", "--json"]):
        code, shown = in_terminal(tmp_path, *line)
        assert code in {1, 2}
        assert not any(mark in shown for mark in MARKS)


def test_one_module_writes_to_the_terminal():
    cli = Path(sf.__file__).parent / "cli"
    writing = {
        path.name for path in cli.glob("*.py") if re.search(r"typer\.s?echo|(?<![\w.])print\(", path.read_text())
    }
    assert writing == {"output.py"}


def test_a_file_that_ends_the_process_that_reads_it(sfumato, tmp_path):
    """The library in C that reads files of SPSS breaks down; the command says so, and leaves nothing."""
    (tmp_path / "voted.sav").write_bytes(DEADLY)
    (tmp_path / "study.toml").write_text(GOOD, encoding="utf-8")
    told = ("--study", "study.toml", "--out", "reports.csv", "--keys", "keys", "--unprotected")
    done = sfumato("publish", "voted.sav", *told)
    assert done.returncode == 2
    assert "voted.sav: the file is damaged" in done.stderr
    assert "Traceback" not in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"voted.sav", "study.toml"}
