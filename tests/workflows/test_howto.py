"""The how-to of surveys is run from its first line to its last, and prints what it says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sfumato.study import read_study

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "survey.md").read_text(encoding="utf-8")
COMMAND = Path(sys.executable).parent / "sfumato"
TRANSCRIPTS = re.findall(r"```console\n\$ sfumato ([^\n]+)\n(.*?)```", PAGE, re.DOTALL)


def block(kind):
    (found,) = re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    return found


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "study.toml").write_text(block("toml"), encoding="utf-8")
    (tmp_path / "reports.csv").write_text(block("csv"), encoding="utf-8")
    return tmp_path


def test_the_study_is_the_one_of_the_table_in_the_paper(folder):
    (card,) = read_study(folder / "study.toml").questions
    assert float(card.design().fisher_information(card.goal.share)) == pytest.approx(2.7778, abs=1e-4)


def test_there_is_a_plan_and_an_estimate():
    assert [arguments.split()[0] for arguments, _ in TRANSCRIPTS] == ["plan", "estimate", "estimate"]


@pytest.mark.parametrize(("arguments", "said"), TRANSCRIPTS, ids=[arguments for arguments, _ in TRANSCRIPTS])
def test_transcripts_are_what_the_command_prints(folder, arguments, said):
    """Nothing here is random, so every character is compared but the blanks at the end of a line."""
    done = subprocess.run(
        [COMMAND, *arguments.split()],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
        timeout=120,
    )
    assert [line.rstrip() for line in done.stdout.rstrip().splitlines()] == said.rstrip().splitlines()
    for name in re.findall(r"\S+\.svg", arguments):
        assert (folder / name).read_text(encoding="utf-8").rstrip().endswith("</svg>")


def test_the_certificate_of_the_plan_is_verified(folder):
    plan = next(arguments for arguments, _ in TRANSCRIPTS if arguments.startswith("plan"))
    for arguments in (plan.split(), ["verify", "certificate.json"]):
        subprocess.run([COMMAND, *arguments], cwd=folder, stdout=subprocess.DEVNULL, check=True, timeout=120)


def test_commands_in_the_text_run(folder):
    """Those that stand in a sentence, in backquotes, with all their arguments."""
    named = [line.split() for line in re.findall(r"`sfumato (plan [^`]+)`", PAGE.replace("\n", " "))]
    assert named
    for arguments in named:
        done = subprocess.run(
            [COMMAND, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stderr
