"""sfumato new: five questions, defaults for all of them, and a file that reads back and can be planned."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest

from sfumato.cli import main
from sfumato.study import Analyst, Card, Count, OneOfMany, Study, YesNo, read_study
from sfumato.study.file import first_file
from sfumato.study.planning import plan_study

COMMAND = Path(sys.executable).parent / "sfumato"
TEXT = "Did you work unpaid overtime in the last four weeks?"


@pytest.fixture
def here(monkeypatch, capsys, tmp_path):
    """Run the command in this process; answers are typed when there are any."""

    def run(*arguments, typed=None):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", ["sfumato", "new", *arguments])
        lines = iter(typed or [])
        monkeypatch.setattr("sys.stdin.isatty", lambda: typed is not None, raising=False)
        monkeypatch.setattr("typer.prompt", lambda prompt, default, err: next(lines) or default)
        with pytest.raises(SystemExit) as stop:
            main()
        assert next(lines, None) is None, "not all that was typed was asked for"
        said = capsys.readouterr()
        return stop.value.code, said.out, said.err

    return run


def test_enter_all_the_way_is_a_valid_study(here, tmp_path):
    code, out, err = here(typed=[""] * 6)
    assert (code, out) == (0, "")
    study = read_study(tmp_path / "study.toml")
    assert study == Study(
        name="My study",
        questions=(YesNo(id="answer", text=TEXT, missing="hidden"),),
        public_epsilon=Fraction(1),
        recover=False,
    )
    assert plan_study(study).totals[0].epsilon == 1
    assert "wrote study.toml" in err
    assert "ε 0.5" in err
    assert "38%" in err


@pytest.mark.parametrize("arguments", [["--yes"], []])
def test_without_a_person_the_defaults_are_taken(here, tmp_path, arguments):
    code, _, err = here("s.toml", *arguments)
    assert code == 0
    assert read_study(tmp_path / "s.toml").name == "My study"
    assert ("note: nobody is there to ask" in err) == (not arguments)


def test_a_pipe_does_not_hang(tmp_path):
    done = subprocess.run(
        [COMMAND, "new"], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=60
    )
    assert "defaults: name, question, answers, epsilon, analyst, registrar." in done.stderr
    assert read_study(tmp_path / "study.toml").public_epsilon == 1


def test_every_answer_has_an_option(here, tmp_path):
    code, _, err = here(
        "s.toml", "--name", "Health", "--question", "Smoke?", "--answers", "never, now, before", "--epsilon", "strong",
        "--analyst", "ministry=2", "--analyst", "university=1.5", "--registrar",
    )  # fmt: skip
    assert (code, "note" in err) == (0, False)
    assert read_study(tmp_path / "s.toml") == Study(
        name="Health",
        questions=(OneOfMany(id="answer", text="Smoke?", answers=("never", "now", "before"), missing="hidden"),),
        analysts=(Analyst(name="ministry", epsilon=Fraction(2)), Analyst(name="university", epsilon=Fraction(3, 2))),
        public_epsilon=Fraction(1, 2),
        recover=True,
    )


def test_counts_and_cards(here, tmp_path):
    assert here("count.toml", "--answers", "-5..5", "--yes")[0] == 0
    count = Count(id="answer", text=TEXT, lowest=-5, highest=5, missing="hidden")
    assert read_study(tmp_path / "count.toml").questions == (count,)
    assert here("card.toml", "--guess-error", "3/8", "--yes")[0] == 0
    card = read_study(tmp_path / "card.toml")
    assert card.questions == (Card(id="answer", text=TEXT, guess_error=Fraction(3, 8), missing="public"),)
    plan_study(card)
    assert here("typed.toml", typed=["", "", "", "card"])[0] == 0
    assert read_study(tmp_path / "typed.toml") == card


def test_a_bad_answer_is_asked_again_with_the_reason(here, tmp_path):
    typed = [" ", "a" * 101, "Fine", "", "yes", "yes,yes", "no, yes", "lots", "99", "card 2", "1"]
    typed += ["ministry", "ministry=0.5", "registrar=2", "a=2,a=3", "ministry=2", "perhaps", "y"]
    code, _, err = here(typed=typed)
    assert code == 0
    for reason in (
        "name must not be empty",
        "name has 101 characters",
        "answers needs between 2 and 100,000 answers, and has 1",
        "answers must be two different texts",
        "epsilon is not a number",
        "epsilon=99 must lie in",
        "guess_error=2 must lie in [0, 1]",
        "analyst must be NAME=EPSILON",
        "above the public's, which is 1",
        "not 'registrar' or 'public'",
        "there twice",
        "registrar must be yes or no",
    ):
        assert reason in err
    study = read_study(tmp_path / "study.toml")
    assert (study.name, study.recover, study.analysts[0].name) == ("Fine", True, "ministry")


def test_a_file_that_is_there_stays(here, tmp_path):
    (tmp_path / "study.toml").write_text("precious")
    code, _, err = here("--yes")
    assert code == 2
    assert "exists already" in err
    assert (tmp_path / "study.toml").read_text() == "precious"
    (tmp_path / "link.toml").symlink_to("nowhere.toml")
    assert here("link.toml", "--yes")[0] == 2
    code, _, err = here("missing/s.toml", "--yes")
    assert code == 2
    assert "Create the folder" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--epsilon", "1", "--guess-error", "0.375"],
        ["--epsilon", "0"],
        ["--epsilon", "much"],
        ["--guess-error", "0.375", "--registrar"],
        ["--guess-error", "0.375", "--analyst", "a=2"],
        ["--guess-error", "0.7", "--answers", "a,b,c"],
        ["--guess-error", "0.6"],
        ["--answers", "5..5"],
        ["--answers", "a,,b"],
        ["--answers", "0..x"],
        ["--kind", "recoverable"],
        ["--kind", "count"],
        ["--kind", "novel"],
        ["--answers", "either, no"],
        ["--name", "a\nb"],
        ["--question", ""],
        ["--analyst", "a=1"],
        ["--analyst", "a"],
        ["--analyst", "a b=2"],
    ],
    ids=" ".join,
)
def test_bad_options_are_refused_and_nothing_is_written(here, tmp_path, arguments):
    code, out, err = here("--yes", *arguments)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert err.rstrip().endswith(".")
    assert not list(tmp_path.iterdir())


STUDIES = [
    ["--yes"],
    ["--yes", "--epsilon", "1/3", "--answers", "a, b, c", "--analyst", "x=7/3"],
    ["--yes", "--guess-error", "0.4"],
    ["--yes", "--answers", "0..6", "--registrar"],
    ["--yes", "--epsilon", "4.5", "--name", 'A "quoted" \\ name # no comment'],
]


@pytest.mark.parametrize("arguments", STUDIES, ids=" ".join)
def test_the_questions_in_the_comments_are_valid(here, tmp_path, arguments):
    """Whoever takes away the first # of the examples, all of them, has a study that can be planned."""
    assert here(*arguments)[0] == 0
    text = (tmp_path / "study.toml").read_text(encoding="utf-8")
    block = re.compile(
        r"^# (\[\[|(?:id|text|kind|answers|name|epsilon|lowest|highest|points|population) = )", re.MULTILINE
    )
    (tmp_path / "more.toml").write_text(block.sub(r"\1", text), encoding="utf-8")
    study, more = read_study(tmp_path / "study.toml"), read_study(tmp_path / "more.toml")
    assert more.population == 1000
    assert [question.id for question in more.questions] == ["answer", "transport", "children"]
    assert more.questions[0] == study.questions[0]
    assert first_file(study) == text


def test_on_a_real_terminal(tmp_path):
    """Typed at a terminal, one bad answer among them; then Enter."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [COMMAND, "new"], cwd=tmp_path, stdin=follower, stdout=follower, stderr=follower, close_fds=True
    )
    os.close(follower)
    said, sent, wanted = "", 0, [b"Poll\n", b"\n", b"one\n", b"\n", b"mild\n", b"\n", b"yes\n"]
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([leader], [], [], 0.1)[0]:
            continue
        try:
            data = os.read(leader, 4096)
        except OSError:  # the other side has closed
            break
        if not data:
            break
        said += data.decode()
        if sent < len(wanted) and re.search(r"\[[^\[\]]*\]: $", said):
            os.write(leader, wanted[sent])
            sent, said = sent + 1, said + "|"
    assert process.wait(timeout=30) == 0
    os.close(leader)
    assert "answers needs between 2 and" in said
    study = read_study(tmp_path / "study.toml")
    assert (study.name, study.public_epsilon, study.recover) == ("Poll", 2, True)
