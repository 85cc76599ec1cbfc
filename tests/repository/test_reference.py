"""The reference pages are what the software says about itself today."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from cli.verb_tree import verbs
from sfumato.cli import main

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tools" / "write-reference"
AGAIN = "Run: .venv/bin/python tools/write-reference"
REFERENCE = ROOT / "docs" / "reference"
THEORY = {page.stem for page in (ROOT / "docs" / "theory").glob("*.md")}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The pages as they would be written now, in a narrow terminal."""
    folder = tmp_path_factory.mktemp("reference")
    subprocess.run(
        [sys.executable, str(SCRIPT), str(folder)],
        env={"COLUMNS": "40", "HOME": str(folder), "PYTHONPATH": str(ROOT / "src")},
        check=True,
        timeout=120,
    )
    return folder


@pytest.mark.parametrize("name", ["cli.md", "api.md"])
def test_the_page_is_up_to_date(made, name):
    wanted, found = (folder.joinpath(name).read_text(encoding="utf-8") for folder in (made, REFERENCE))
    lines = zip(wanted.splitlines(), found.splitlines(), strict=False)
    different = next((f"\n  now:  {new}\n  page: {old}" for new, old in lines if new != old), "")
    assert wanted == found, f"docs/reference/{name} is old. {AGAIN}{different}"


@pytest.mark.parametrize("verb", [f"sfumato {verb}" for verb, _ in verbs()])
def test_the_section_of_a_verb_is_what_help_prints(made, monkeypatch, capsys, verb):
    text = (made / "cli.md").read_text(encoding="utf-8")
    block = re.search(rf"^## {verb}\n\n(\S.*?)\n\n```text\n(.*?)```$", text, re.DOTALL | re.MULTILINE)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("sys.argv", [*verb.split(), "--help"])
    with pytest.raises(SystemExit):
        main()
    assert block.group(2) == capsys.readouterr().out
    assert " ".join(block.group(1).split()) in " ".join(block.group(2).split())


def test_the_installed_command_prints_the_same(made):
    """What the page says of one verb is what a shell would show."""
    command = [Path(sys.executable).parent / "sfumato", "keys", "split", "--help"]
    environment = os.environ | {"COLUMNS": "100", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert f"```text\n{done.stdout}```" in (made / "cli.md").read_text(encoding="utf-8")


def test_every_public_name_has_an_entry_in_words():
    text = (REFERENCE / "api.md").read_text(encoding="utf-8")
    facade = import_module("sfumato")
    for section, names in _sections(text, facade):
        entries = dict(re.findall(r"^- \*\*`(\w+)`\*\*(.*)$", section, re.MULTILINE))
        assert list(entries) == sorted(entries)
        for name in names:
            assert name in entries, f"{name} is not in docs/reference/api.md. {AGAIN}"
            assert re.sub(r"`[^`]*`|<br>", "", entries[name]).strip(), f"{name} has no docstring"


def _sections(text, facade):
    parts = dict(re.findall(r"^## sf\.(\w+)\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE))
    rooms = [name for name in facade.__all__ if name in parts]
    assert len(rooms) == len(parts) >= 14
    return [(parts[room], getattr(getattr(facade, room), "__all__", ())) for room in rooms]


@pytest.mark.parametrize("room", ["measures", "mechanisms"])
def test_every_measure_and_mechanism_leads_to_its_theory(room):
    text = (REFERENCE / "api.md").read_text(encoding="utf-8")
    section = re.search(rf"^## sf\.{room}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE).group(1)
    for name in import_module(f"sfumato.{room}").__all__:
        entry = re.search(rf"^- \*\*`{name}`\*\*.*$", section, re.MULTILINE).group(0)
        page = re.search(r"\(\.\./theory/(\w+)\.md\)", entry)
        assert page, f"{name} has no page of theory"
        assert page.group(1) in THEORY


def test_every_theory_page_is_in_the_index():
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"\(theory/(\w+)\.md\)", index))
    assert listed == THEORY


@pytest.mark.parametrize("folder", ["howto", "reference"])
def test_every_other_page_is_in_the_index(folder):
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs" / folder).glob("*.md"):
        assert f"({folder}/{page.name})" in index, f"docs/README.md does not list {folder}/{page.name}"
