"""The list of cases that are judged slowly names what there is, and leaves a part of every table to the quick suite."""

import importlib.util
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

from slow_cases import COLLECTED, FILE, slow_cases, table_of

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool():
    loader = SourceFileLoader("slow_cases_tool", str(ROOT / "tools" / "slow-cases"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def test_every_case_is_there_and_its_table_is_judged_each_time(request):
    """Of the files that were collected, and these are all of them in `make test`."""
    collected, quick_tables = request.config.stash[COLLECTED]
    files = {name.partition("::")[0] for name in collected}
    named = {name for name in slow_cases() if name.partition("::")[0] in files or not request.config.option.file_or_dir}
    assert named <= collected
    assert {table_of(name) for name in named} <= quick_tables


def test_what_proves_something_by_itself_is_not_on_the_list(tool):
    assert [name for name in slow_cases() if name.startswith(tool.NEVER)] == []
    assert FILE.read_text(encoding="utf-8").splitlines()[1:] == sorted(slow_cases())


def test_the_cheapest_cases_of_a_dear_table_stay(tool, monkeypatch):
    for name, seconds in (("DEAR_TABLE_SECONDS", 1.2), ("STAY_SECONDS", 0.5), ("CHEAP_SECONDS", 0.2)):
        monkeypatch.setattr(tool, name, seconds)
    assert tool.dear([(0.3, "a"), (0.8, "b")]) == []
    assert tool.dear([(0.25, "c"), (0.8, "a"), (0.15, "b"), (0.1, "d")]) == [(0.8, "a")]
    assert tool.dear([(3.0, "b"), (2.0, "a")]) == [(3.0, "b")]
    assert tool.dear([(0.19, f"{number:02}") for number in range(20)]) == []
