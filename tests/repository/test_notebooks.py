"""The notebooks run from top to bottom, and say what they said."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def said(cell):
    """What a cell printed, and whether it drew; pixels depend on fonts."""
    return [
        "".join(one.get("text", "")) if one["output_type"] == "stream" else sorted(one.get("data", {}))
        for one in cell.get("outputs", [])
    ]


def test_there_is_one_for_each_of_the_five():
    names = {re.sub(r"^\d_", "", path.stem) for path in BOOKS}
    assert names == {"survey_researcher", "statistics_office", "auditor", "data_owner", "information_theorist"}


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_it_was_run_in_order_draws_and_is_small(path):
    code = [cell for cell in cells(path) if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [one for cell in code for one in cell["outputs"]]
    assert all(one["output_type"] != "error" for one in outputs)
    assert any("image/png" in one.get("data", {}) for one in outputs)
    assert path.stat().st_size < 150_000
    for cell in cells(path):
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", "".join(cell["source"])):
            assert (path.parent / target).exists(), target


@pytest.mark.slow
@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_it_says_the_same_again(path, tmp_path):
    pytest.importorskip("nbclient", reason="notebooks need the extra `docs`: tools/setup '' .venv dev,docs")
    command = [sys.executable, ROOT / "tools" / "run-notebooks", path.stem, "--to", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    again = cells(tmp_path / path.name)
    assert [said(cell) for cell in again] == [said(cell) for cell in cells(path)]
