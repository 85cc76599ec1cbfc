"""The table of bugs fits today's tree, and the tool that plants them tells the truth about them."""

import importlib.util
import json
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOADER = SourceFileLoader("mutants_tool", str(ROOT / "tools" / "mutants"))


@pytest.fixture(scope="module")
def tool():
    import sys

    spec = importlib.util.spec_from_loader("mutants_tool", LOADER)
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutants_tool"] = module  # dataclasses look for their module there
    LOADER.exec_module(module)
    sys.dont_write_bytecode = before
    return module


def test_every_bug_of_the_table_can_be_planted_today(tool):
    """Each text occurs exactly once in its file, and every test that is named is there."""
    mutants = tool.read_table(ROOT)
    tool.check(ROOT, mutants)
    assert len(mutants) >= 100
    packages = {Path(mutant.file).parts[2] for mutant in mutants if mutant.file.startswith("src/sfumato/")}
    assert packages >= {
        "sampling", "mechanisms", "ladders", "keys", "publications", "ledger", "study", "certificates", "measures",
        "disclosure", "inference",
    }  # fmt: skip
    assert all(mutant.breaks for mutant in mutants)
    assert all(len(mutant.harmless) > 40 for mutant in mutants if mutant.harmless), "a proof takes a sentence"


SUM = "def add(a, b):\n    return a + b\n\n\ndef twice(a):\n    return a + a\n"
TESTS = (
    "from toy import add, twice\n\n\n"
    "def test_add():\n    assert add(2, 2) == 4\n    assert add(2, 3) == 5\n\n\n"
    "def test_twice():\n    assert twice(2) == 4\n"
)


def entry(**changed):
    """One bug of a toy tree, as it stands in the table."""
    fields = {
        "name": "minus",
        "file": "src/toy.py",
        "old": "return a + b",
        "new": "return a - b",
        "breaks": "sums",
        "tests": ["tests/test_toy.py::test_add"],
        **changed,
    }
    also = fields.pop("also", [])
    lines = ["[[mutant]]", *(f"{name} = {json.dumps(value)}" for name, value in fields.items())]
    for edit in also:
        lines += ["[[mutant.also]]", *(f"{name} = {json.dumps(value)}" for name, value in edit.items())]
    return "\n".join(lines) + "\n"


@pytest.fixture
def toy(tmp_path):
    """A tree of one module and its tests; call it with bugs to put them into the table."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "toy.py").write_text(SUM)
    (tmp_path / "tests" / "mutants").mkdir(parents=True)
    (tmp_path / "tests" / "test_toy.py").write_text(TESTS)

    def tree(*entries):
        (tmp_path / "tests" / "mutants" / "toy.toml").write_text("\n".join(entries))
        return tmp_path

    return tree


UNSEEN = entry(name="unseen", tests=["tests/test_toy.py::test_twice"])
PROVEN = entry(name="proven", new="return b + a", harmless="a + b = b + a for all numbers, by commutativity.")


def test_what_is_caught_is_told_with_its_test_and_a_survivor_fails_the_run(tool, toy, capsys):
    """Two places may change together; a survivor fails the run unless it is proven to change nothing."""
    both = entry(name="both", also=[{"old": "return a + a", "new": "return 3 * a"}], tests=["tests/test_toy.py"])
    root = toy(both, UNSEEN, PROVEN)
    assert tool.main(["--jobs", "2"], root) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[1].startswith("caught")
    assert said[1].endswith("s  both: tests/test_toy.py::test_add")
    assert said[2].startswith("SURVIVED")
    assert said[3].startswith("harmless")
    assert said[4].startswith("3 planted, 1 caught, 1 proven harmless, 1 survived: unseen; ")
    assert (root / "src" / "toy.py").read_text() == SUM, "the tree itself is never touched"


@pytest.mark.slow
def test_outcomes_for_machines(tool, toy, capsys):
    assert (
        tool.main(["--json", "--jobs", "1", "--only", "minus", "--only", "proven"], toy(entry(), PROVEN, UNSEEN)) == 0
    )
    caught, harmless = json.loads(capsys.readouterr().out)
    assert (caught["name"], caught["caught_by"]) == ("minus", "tests/test_toy.py::test_add")
    assert (harmless["name"], harmless["caught_by"]) == ("proven", "")
    assert caught["seconds"] > 0


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"old": "return a * b"}, "its old text occurs 0 times in src/toy.py"),
        ({"old": "return a"}, "its old text occurs 2 times in src/toy.py"),
        ({"new": "return a + b"}, "occurs 1 times"),
        ({"file": "src/nowhere.py"}, "its old text occurs 0 times"),
        ({"tests": ["tests/test_toy.py::test_gone"]}, "there is no tests/test_toy.py::test_gone"),
        ({"tests": ["tests/test_gone.py"]}, "there is no tests/test_gone.py"),
        ({"tests": []}, "no tests are named"),
        ({"also": [{"old": "nothing", "new": "x"}]}, "occurs 0 times"),
        ({"what": 1}, "minus is not complete"),
    ],
)
def test_a_stale_table_is_refused(tool, toy, capsys, changed, sentence):
    assert tool.main(["--check"], toy(entry(**changed))) == 2
    assert sentence in capsys.readouterr().err


def test_names_are_unique_and_known(tool, toy, capsys):
    assert tool.main(["--check"], toy(entry(), entry())) == 2
    assert "two mutants are called minus" in capsys.readouterr().err
    assert tool.main(["--list", "--only", "plus"], toy(entry())) == 2
    assert "no mutant called plus" in capsys.readouterr().err
    assert tool.main(["--list"], toy(entry())) == 0
    assert capsys.readouterr().out == "minus: sums (src/toy.py)\n"
    assert tool.main(["--list", "--json"], toy(entry())) == 0
    assert json.loads(capsys.readouterr().out)[0]["old"] == "return a + b"


@pytest.mark.slow
def test_tests_that_fail_without_a_bug_catch_nothing(tool, toy, capsys):
    root = toy(entry())
    (root / "tests" / "test_toy.py").write_text(TESTS.replace("== 5", "== 6"))
    assert tool.main(["--jobs", "1"], root) == 2
    assert "do not pass without a bug" in capsys.readouterr().err


@pytest.mark.slow
def test_code_that_does_not_run_is_no_bug(tool, toy, capsys):
    root = toy(entry(new="return a +"))
    assert tool.main(["--jobs", "1"], root) == 2
    assert "minus does not run at all" in capsys.readouterr().err


@pytest.mark.slow
def test_who_never_ends_was_noticed(tool, toy, capsys, monkeypatch):
    monkeypatch.setattr(tool, "PATIENCE_SECONDS", 3)
    root = toy(entry(new="\n    while True:\n        pass"))
    assert tool.main(["--jobs", "1"], root) == 0
    assert "caught" in (said := capsys.readouterr().out)
    assert "no end within 3 seconds" in said
