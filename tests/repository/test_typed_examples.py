"""A user's script is checked by mypy --strict and by pyright: the examples are clean, and mistakes are found."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.py"))
MISTAKES = Path(__file__).with_name("mistyped_calls.py")
BESIDE = Path(sys.executable).parent


def mypy(folder):
    """Lines that mypy --strict complains about, by file; only what stands in the folder is judged."""
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        "--follow-imports=silent",
        "--no-color-output",
    ]
    command += ["--no-error-summary", "--cache-dir", str(folder / "cache"), "scripts"]
    done = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    return by_line(done.stdout)


def by_line(text):
    found = defaultdict(dict)
    for file, line, message in re.findall(r"^(?:.*/)?(\w+\.py):(\d+): error: (.*)$", text, re.MULTILINE):
        found[file][int(line)] = message
    return found


def pyright(folder):
    """Lines that pyright complains about in its strict mode, by file."""
    settings = {"include": ["scripts"], "typeCheckingMode": "strict"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings | {"extraPaths": [str(SOURCE)]}), encoding="utf-8")
    command = [BESIDE / "basedpyright", "--outputjson", "--pythonpath", sys.executable]
    done = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == len(list((folder / "scripts").iterdir()))
    found = defaultdict(dict)
    for complaint in report["generalDiagnostics"]:
        if complaint["severity"] == "error":
            found[Path(complaint["file"]).name][complaint["range"]["start"]["line"] + 1] = complaint["message"]
    return found


def environment():
    return os.environ | {"PYTHONPATH": "", "MYPYPATH": str(SOURCE)}


def marked(path, mark):
    lines = path.read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith(f"# {mark}")}


@pytest.mark.slow  # `make types` judges the examples each time
@pytest.mark.parametrize("checker", [mypy, pyright])
def test_examples_are_clean_and_mistakes_are_found(tmp_path, checker):
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    for path in (*EXAMPLES, MISTAKES):
        shutil.copy(path, scripts)
    found = checker(tmp_path)
    for path in EXAMPLES:
        assert found[path.name] == {}, f"{checker.__name__} on docs/examples/{path.name}"
    mistakes = found[MISTAKES.name]
    wanted = marked(MISTAKES, "error")
    assert len(wanted) > 40
    assert wanted - set(mistakes) == set(), f"{checker.__name__} does not see these mistakes"
    assert {line: mistakes[line] for line in set(mistakes) - wanted} == {}


def test_complaints_are_read_from_what_mypy_prints():
    said = "scripts/a.py:3: error: No  [misc]\n/x/b.py:14: error: Never\nscripts/a.py:3: note: see\nSuccess\n"
    assert by_line(said) == {"a.py": {3: "No  [misc]"}, "b.py": {14: "Never"}}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs(tmp_path, path):
    done = subprocess.run(
        [sys.executable, path],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 3
    assert done.stderr == ""


def test_there_are_examples_and_each_says_what_it_is():
    assert len(EXAMPLES) >= 6
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for path in EXAMPLES:
        first = path.read_text(encoding="utf-8").splitlines()[0]
        assert re.match(r'"""[A-Z].{40,}', first), f"{path.name} does not say what it is"
        assert f"(examples/{path.name})" in index, f"docs/README.md does not list {path.name}"


def test_the_package_says_that_it_has_types():
    assert (SOURCE / "sfumato" / "py.typed").is_file()
