"""The record of what is computed: a comparison finds what changed, and only what is listed is let through."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "corpus"
sys.path.insert(0, str(ROOT / "tools"))

from corpus_cases.comparing import (  # noqa: E402
    differences,
    read_expected,
    read_folder,
    unexpected,
    write_family,
)

KEPT = {"noise": {"flip": {"bits": 0.5, "flip": "11/100", "reports": [1, 0]}, "mean": [2.5, "a"]}}


def changed(**cases):
    return {"noise": {**KEPT["noise"], **cases}}


@pytest.fixture
def expected(tmp_path):
    def write(path, reason="It was deleted."):
        file = tmp_path / "expected_changes.toml"
        file.write_text(f'[[change]]\npath = "{path}"\nreason = "{reason}"\n')
        return read_expected(file)

    return write


@pytest.mark.parametrize(
    ("found", "path"),
    [
        (changed(mean=[2.5 * (1 + 1e-10), "a"]), "noise/mean/0"),
        (changed(mean=[2.5, "b"]), "noise/mean/1"),
        (changed(mean=[2.5]), "noise/mean"),
        (changed(mean=["2.5", "a"]), "noise/mean/0"),
        (changed(flip={"bits": 0.5, "flip": "11/100", "reports": [1, 1]}), "noise/flip/reports/1"),
        (changed(flip={"bits": 0.5, "flip": "11/100"}), "noise/flip/reports"),
        (changed(box=[1]), "noise/box"),
        ({"noise": {"flip": KEPT["noise"]["flip"]}}, "noise/mean"),
        ({}, "noise"),
    ],
)
def test_a_planted_change_is_found_and_can_be_expected(found, path, expected):
    (one,) = differences(KEPT, found)
    assert one.path == path
    assert unexpected([one], []) == ([one], [])
    assert unexpected([one], expected(path)) == ([], [])
    assert unexpected([one], expected(path[:5] + "*")) == ([], [])
    assert unexpected([one], expected("noise/other")) == ([one], ["noise/other"])


def test_the_last_digits_of_a_sum_may_differ_and_nothing_else():
    assert differences(KEPT, changed(mean=[2.5 * (1 + 1e-14), "a"])) == []
    assert len(differences({"a": {"b": 10**15}}, {"a": {"b": 10**15 + 1}})) == 1


def test_an_expected_change_needs_a_reason(expected):
    with pytest.raises(ValueError, match="a path and a reason"):
        expected("noise/*", reason=" ")


def test_what_is_written_is_read_again(tmp_path):
    write_family(tmp_path, "noise", KEPT["noise"])
    assert differences(KEPT, read_folder(tmp_path)) == []
    assert '\n  "flip": "11/100",\n' in (tmp_path / "noise.json").read_text()


def test_the_corpus_is_small_and_its_expected_changes_are_in_order():
    files = list(FOLDER.iterdir())
    assert len(files) > 10
    assert sum(path.stat().st_size for path in files) < 5_000_000
    read_expected(FOLDER / "expected_changes.toml")


def test_one_family_is_checked_from_the_command_line():
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "corpus", "check", "accounts"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 unexpected differences" in done.stdout
