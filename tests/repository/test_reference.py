"""The reference pages are what the software says about itself today."""

import doctest
import inspect
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import sfumato as sf
from cli.verb_tree import verbs
from sfumato.cli import main

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tools" / "write-reference"
AGAIN = "Run: .venv/bin/python tools/write-reference"
REFERENCE = ROOT / "docs" / "reference"
THEORY = {page.stem for page in (ROOT / "docs" / "theory").glob("*.md")}
ROOMS = sorted(name for name in sf.__all__ if inspect.ismodule(getattr(sf, name)))
FRONT = sorted(name for name in sf.__all__ if name not in ROOMS)
sys.path.insert(0, str(ROOT / "tools"))

import reference_library as library  # noqa: E402  made of the same software


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


@pytest.mark.parametrize("name", ["cli.md", "api.md", *(f"api/{page}.md" for page in (*ROOMS, "nouns", "verbs"))])
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


def sections(name):
    """The sections of a page of the reference, by their heading."""
    text = (REFERENCE / name).read_text(encoding="utf-8")
    return dict(re.findall(r"^## (\w+)\n\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE))


def test_there_is_a_page_for_each_room_and_no_other():
    assert {page.stem for page in (REFERENCE / "api").glob("*.md")} == {*ROOMS, "nouns", "verbs"}
    assert len(ROOMS) >= 14


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_has_a_section_in_words(room):
    found = sections(f"api/{room}.md")
    names = library.public_names(getattr(sf, room))
    assert list(found) == names, AGAIN
    for name in names:
        prose = re.sub(
            r"```.*?```|^\|.*$|\*\*(?:Has|Returns|Raises)\*\*.*|^- .*$", "", found[name], flags=re.DOTALL | re.MULTILINE
        )
        assert re.search(r"\w", prose), f"sf.{room}.{name} has no docstring"


# They write, and what goes wrong with that is the system's word.
RAISES_NOTHING = {"write_reports", "write_study"}


def test_every_name_of_the_facade_has_parameters_an_example_and_what_it_returns():
    """What `sf.<tab>` offers is told in full: no parameter without words."""
    found = sections("api/nouns.md") | sections("api/verbs.md")
    assert sorted(found) == FRONT, AGAIN
    for name in FRONT:
        assert "**Example**" in found[name], f"sf.{name} has no example"
        thing = inspect.unwrap(getattr(sf, name))
        said = library.docstring(thing)
        silent = [one.name for one in library.parameters_of(thing) if not library.meaning(thing, one, said)]
        assert not silent, f"sf.{name}: {silent} have no words, in its docstring or in docs/reference/vocabulary.toml"
        if inspect.isfunction(thing):
            assert said.returns, f"sf.{name} does not say in words what it returns"
            assert said.raises or name in RAISES_NOTHING, f"sf.{name} does not say what it raises"
            for error in said.raises:
                assert issubclass(getattr(sf.errors, error), sf.errors.SfumatoError)


def test_the_vocabulary_holds_nothing_that_nobody_uses():
    everything = [
        getattr(getattr(sf, room), name) for room in ROOMS for name in library.public_names(getattr(sf, room))
    ]
    everything += [getattr(sf, name) for name in FRONT]
    objects = [inspect.unwrap(one) for one in everything if inspect.isclass(one) or inspect.isfunction(one)]
    used = {one.name for thing in objects for one in library.parameters_of(thing)}
    facade = {one.name for name in FRONT for one in library.parameters_of(inspect.unwrap(getattr(sf, name)))}
    words = library.vocabulary()
    assert set(words["facade"]) - set(words["universal"]) <= facade
    assert set(words["universal"]) <= used & set(words["facade"])
    by_name = {thing.__name__: {one.name for one in library.parameters_of(thing)} for thing in objects}
    for name, own in words["only"].items():
        assert set(own) <= by_name[name], name


def told_of(room):
    """Each public name of a room that is called, unwrapped, with its docstring in parts."""
    for name in library.public_names(getattr(sf, room)):
        thing = inspect.unwrap(getattr(getattr(sf, room), name))
        if inspect.isclass(thing) or inspect.isfunction(thing):
            yield name, thing, library.docstring(thing)


@pytest.mark.parametrize("room", ROOMS)
def test_no_public_name_is_without_words_and_an_example(room):
    silent, bare = [], []
    for name, thing, said in told_of(room):
        silent += [f"{name}({p.name})" for p in library.parameters_of(thing) if not library.meaning(thing, p, said)]
        bare += [] if said.example or is_an_error(thing) else [name]
    assert not silent, f"{len(silent)} parameters in sf.{room} have no words: {silent}"
    assert not bare, f"{len(bare)} names in sf.{room} have no example: {bare}"


def is_an_error(thing):
    """An error is raised for people; the sentence it is raised with is its example."""
    return inspect.isclass(thing) and issubclass(thing, BaseException)


@pytest.mark.parametrize("room", ROOMS)
def test_the_words_of_a_room_are_all_used(room):
    own, used, by_name = library.room_words(room), set(), {}
    for _, thing, said in told_of(room):
        names = {one.name for one in library.parameters_of(thing)}
        by_name[thing.__name__] = names
        used |= names - set(said.parameters)
    assert set(own["words"]) <= used, sorted(set(own["words"]) - used)
    for name, told in own["only"].items():
        assert set(told) <= by_name[name], name


@pytest.mark.parametrize("room", ROOMS)
def test_examples_in_the_rooms_run_as_printed(room, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for name in library.public_names(getattr(sf, room)):
        thing = inspect.unwrap(getattr(getattr(sf, room), name))
        said = (inspect.getdoc(thing) or "") if inspect.isclass(thing) or inspect.isfunction(thing) else ""
        if name not in FRONT and ">>>" in said:
            known = vars(import_module(thing.__module__)).copy()
            example = doctest.DocTestParser().get_doctest(said, known, f"sf.{room}.{name}", None, 0)
            assert runner.run(example).failed == 0


@pytest.mark.parametrize("room", ["measures", "mechanisms"])
def test_every_measure_and_mechanism_leads_to_its_theory(room):
    found = sections(f"api/{room}.md")
    for name in import_module(f"sfumato.{room}").__all__:
        page = re.search(r"\(\.\./\.\./theory/(\w+)\.md\)", found[name])
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
