"""Whatever is done to a study file, the command says one sentence and repeats no answer."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.mutations import mutated
from sample_files import FULL, GOOD
from sfumato.cli import main
from sfumato.errors import InvalidInput
from sfumato.study import read_study
from sfumato.study.file import as_toml

COMMAND = Path(sys.executable).parent / "sfumato"


def damaged(count, seed):
    """Yield valid studies with a few bytes, numbers or lines changed."""
    dice = random.Random(seed)  # noqa: S311  a seeded soak, no secret
    for _ in range(count):
        yield mutated(dice, [GOOD.encode(), as_toml(FULL).encode()])


@pytest.fixture
def plan(monkeypatch, capsys, tmp_path):
    """Run `sfumato plan` in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["sfumato", "plan", "study.toml", "--json"])

    def run():
        with pytest.raises(SystemExit) as stop:
            main()
        said = capsys.readouterr()
        return stop.value.code, said.out, said.err

    return run


def check_refusal(code, out, err):
    assert (code, out) == (2, ""), err
    assert len(err.splitlines()) == 1, err
    assert "Traceback" not in err
    assert "bug" not in err.split(":")[0]
    assert err.isprintable() or err.rstrip("\n").isprintable()
    assert len(err) < 700, err


def test_two_hundred_damaged_files_get_one_sentence_each(plan, tmp_path):
    refused = valid = 0
    for data in damaged(200, seed=20260):
        (tmp_path / "study.toml").write_bytes(data)
        try:
            read_study(tmp_path / "study.toml")
        except InvalidInput:
            refused += 1
            check_refusal(*plan())
        else:
            valid += 1
    assert refused >= 150
    assert valid >= 5, "the damage should be small enough for some to survive"


def test_damaged_files_through_a_process_of_their_own(tmp_path):
    seen = 0
    for data in damaged(40, seed=7):
        (tmp_path / "study.toml").write_bytes(data)
        try:
            read_study(tmp_path / "study.toml")
        except InvalidInput:
            done = subprocess.run(
                [COMMAND, "plan", "study.toml"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
            )
            check_refusal(done.returncode, done.stdout, done.stderr)
            seen += 1
        if seen == 4:
            return
    pytest.fail("too few were refused")


def test_answers_handed_in_as_a_study_are_never_repeated(plan, tmp_path):
    secret = "zebra42"  # noqa: S105  stands for an answer
    for text in (
        f"affair,occupation\nyes,{secret}\n",
        f"{secret}\n",
        f'answer = "{secret}"\n',
        f'schema = "{secret}"\nname = "x"\n',
        f'schema = "sfumato/study/2"\nname = "{secret}\\u0007"\n[[questions]]\n',
        GOOD.replace('"student"', f'"{secret}", "{secret}"'),
        GOOD.replace("epsilon = 0.5", f'epsilon = "{secret}"'),
        GOOD.replace('kind = "yes-no"', f'kind = "{secret}"'),
        GOOD.replace('id = "affair"', f'id = "{secret} {secret}"'),
    ):
        (tmp_path / "study.toml").write_text(text)
        code, out, err = plan()
        check_refusal(code, out, err)
        assert secret not in err
