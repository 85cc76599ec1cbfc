"""budget as a person runs it: init, spend, show, and the sentences in between."""

import json
import sqlite3
from fractions import Fraction

import pytest
from rich.console import Console

from sfumato.cli import main
from sfumato.ledger import Ledger, information, local, perfect_samples, recoverable
from sfumato.output.accounts import ledger_table

INIT = ("budget", "init", "people.ledger")
SPEND = ("budget", "spend", "people.ledger", "--title")


@pytest.fixture
def inside(tmp_path, monkeypatch, capsys):
    """The command in this process, which is quicker: exit code and standard error."""

    def run(*arguments):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", ["sfumato", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        return stop.value.code, capsys.readouterr().err

    return run


@pytest.fixture
def two(tmp_path):
    return Ledger.create(tmp_path / "people.ledger", budget_bits=2, epsilon=3).path


@pytest.fixture
def ledger(sfumato, tmp_path):
    done = sfumato(*INIT, "--budget-bits", "2", "--epsilon", "3")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "wrote people.ledger\n")
    return tmp_path / "people.ledger"


def test_a_budget_from_its_beginning_to_its_end(sfumato, ledger):
    income = (*SPEND, "Mean income", "--budget-bits", "0.5", "--epsilon", "0.7", "--id", "income")
    first = sfumato(*income)
    assert first.returncode == 0
    assert first.stdout == "Mean income: debited 0.5 bits, 0.7 nats of ε\nleft: 1.5 bits, 2.3 nats of ε\n"
    assert "--id income --released" in first.stderr
    again = sfumato(*income, "--released", "--json")
    said = json.loads(again.stdout)
    assert said["is_new"] is False
    assert said["entry"]["settled"] is not None
    assert said["spent"] == {"bits": "1/2", "epsilon": "7/10", "leakage_bits": "inf"}
    assert said["left"] == {"bits": "3/2", "epsilon": "23/10", "leakage_bits": "inf"}
    assert "debited before, and not again: 0.5 bits" in sfumato(*income).stdout
    assert sfumato(*income).stderr == "", "it was released, so there is nothing to do"
    refused = sfumato(*SPEND, "Everything", "--budget-bits", "1.6", "--epsilon", "1")
    assert refused.returncode == 1
    assert refused.stderr.startswith("BudgetSpent: 'Everything' cannot be paid for: it asks for 1.6 bits, and 1.5 of 2")
    assert refused.stdout == ""
    assert [entry.release.title for entry in Ledger(ledger).entries()] == ["Mean income"]


def test_the_amounts_say_which_kind(inside, two):
    for arguments in (
        ("--budget-bits", "1/8", "--epsilon", "0.1"),
        ("--epsilon", "1/2", "--worst-case-bits", "0.25"),
        ("--epsilon", "1/2", "--worst-case-bits", "0.25", "--leakage-bits", "0.1"),
    ):
        assert inside(*SPEND, "x", *arguments, "--json")[0] == 0, arguments
    free = two.with_name("free.ledger")
    Ledger.create(free, budget_bits=1)
    spend = ("budget", "spend", "free.ledger", "--title", "x", "--worst-case-bits", "1/4")
    assert inside(*spend, "--leakage-bits", "0.5", "--rho", "0.9")[0] == 0
    assert inside(*spend, "--rows", "a,b", "--rows", "c")[0] == 0
    code, said = inside(*spend, "--rows", "b")
    assert code == 1
    assert "leak together" in said
    assert [entry.release for entry in (*Ledger(two).entries(), *Ledger(free).entries())] == [
        information("x", Fraction(1, 8), epsilon=Fraction(1, 10)),
        local("x", Fraction(1, 2), worst_case_bits=Fraction(1, 4)),
        local("x", Fraction(1, 2), worst_case_bits=Fraction(1, 4), leakage_bits=Fraction(1, 10)),
        recoverable("x", Fraction(1, 2), worst_case_bits=Fraction(1, 4), rho=Fraction(9, 10)),
        perfect_samples("x", rows_id=["a", "b", "c"], worst_case_bits=Fraction(1, 4)),
    ]


def test_show(sfumato, ledger):
    empty = sfumato("budget", "show", "people.ledger")
    assert "Nothing was debited yet." in empty.stdout
    Ledger(ledger).settle(Ledger(ledger).spend(information("Mean income", 0.5, epsilon=1), release_id="income"))
    Ledger(ledger).spend(local("Survey", 2, worst_case_bits=1), release_id="killed")
    shown = sfumato("budget", "show", "people.ledger").stdout
    assert "1.5 of 2 spent, 0.5 left" in shown
    assert "3 of 3 spent, 0 left" in shown
    assert "█" * 30 in shown, "the bar of ε is full"
    assert "Not noted as released: killed. This stays spent" in shown
    for sentence in ("Bits add.", "ε adds", "costs nothing", "no discount", "who has paid most"):
        assert sentence in shown
    assert "declared" not in shown, "nobody is named"
    said = json.loads(sfumato("budget", "show", "people.ledger", "--json").stdout)
    assert said["schema"] == "sfumato/budget/3"
    assert said["unsettled"] == 1
    assert [(entry["id"], entry["settled"] is None) for entry in said["entries"]] == [
        ("income", False),
        ("killed", True),
    ]
    assert said["entries"][1]["charges"]["epsilon"] == "2"


def test_periods_and_people(sfumato, tmp_path):
    made = sfumato(*INIT, "--epsilon", "3", "--per", "year", "--epsilon-per-period", "1")
    assert made.returncode == 0, made.stderr
    year = Ledger(tmp_path / "people.ledger").read().standing_in_period().period
    spend = (*SPEND, "Survey", "--epsilon")
    assert f"left: 2.75 nats of ε\nleft in {year.name}: 0.75 nats of ε\n" in sfumato(*spend, "0.25").stdout
    south = sfumato(*spend, "1/2", "--people", "South").stdout
    assert south.startswith("Survey: debited 0.5 nats of ε, 0.721348 bits of leakage to the people called 'South'\n")
    assert sfumato(*spend, "3/4", "--people", "North", "--released").returncode == 0
    refused = sfumato(*spend, "1/2", "--people", "south")
    assert refused.returncode == 1
    assert (
        "cannot be paid for by the people called 'south': it asks for 0.5 nats of ε, and 0.25 of 1 are"
        in refused.stderr
    )
    assert f"left in {year.name}; the next period starts on {year.end}." in refused.stderr
    shown = " ".join(sfumato("budget", "show", "people.ledger").stdout.split())
    assert "1 of 3 spent, 2 left" in shown
    assert f"in {year.name}; the next year starts on {year.end}" in shown
    assert "1 of 1 spent, 0 left" in shown
    assert "Spent by the people of each name, with what everybody pays. South: 0.75 nats of ε" in shown
    assert "declared to be different by the office, and nobody has checked it" in shown
    said = json.loads(sfumato("budget", "show", "people.ledger", "--json").stdout)
    assert said["period"]["left"]["epsilon"] == "0"
    assert said["period"]["next_starts"] == year.end
    assert said["spent_by_people"]["North"]["epsilon"] == said["spent"]["epsilon"] == "1"
    assert [entry["people"] for entry in said["entries"]] == [None, "South", "North"]


def test_void_says_why_not(sfumato, two):
    Ledger(two).spend(information("Mean income", 1, epsilon=1))
    done = sfumato("budget", "void", "people.ledger", "1", "--out", "reports.csv")
    assert done.returncode == 2
    assert "nobody can prove that a release made by other means was not seen" in done.stderr
    assert Ledger(two).left.bits == 1
    done = sfumato("budget", "void", "people.ledger", "5", "--out", "reports.csv")
    assert "NUMBER 5 is not the number of a debit" in done.stderr


def test_init_as_json(sfumato):
    said = json.loads(sfumato(*INIT, "--leakage-bits", "1/3", "--json").stdout)
    assert said["limits"] == {"bits": "inf", "epsilon": "inf", "leakage_bits": "1/3"}
    assert said["spent"] == {"bits": "0", "epsilon": "0", "leakage_bits": "0"}


BAD_INIT = [
    ((), "needs a limit"),
    (("--budget-bits", "0"), "--budget-bits 0 must be a positive finite number"),
    (("--budget-bits", "-1"), "--budget-bits -1 must be"),
    (("--budget-bits", "inf"), "--budget-bits must be a finite number"),
    (("--epsilon", "nan"), "--epsilon must be a finite number"),
    (("--leakage-bits", "a lot"), "--leakage-bits must be a finite number"),
]


@pytest.mark.parametrize(("arguments", "sentence"), BAD_INIT, ids=range(len(BAD_INIT)))
def test_bad_limits(inside, tmp_path, arguments, sentence):
    code, said = inside(*INIT, *arguments)
    assert code == 2
    assert said.startswith("InvalidParameter: ")
    assert sentence in said
    assert not list(tmp_path.iterdir())


BAD_SPEND = [
    ((), "nothing says what it costs"),
    (("--worst-case-bits", "1"), "nothing says what it costs"),
    (("--budget-bits", "-1"), "--budget-bits -1 must be at least 0"),
    (("--budget-bits", "inf"), "--budget-bits must be a finite number"),
    (("--budget-bits", "1", "--worst-case-bits", "1"), "--budget-bits is the worst case already"),
    (("--budget-bits", "1", "--rho", "1"), "--budget-bits is the worst case already"),
    (("--epsilon", "1", "--rho", "1"), "--rho goes with --leakage-bits"),
    (("--leakage-bits", "1", "--rho", "2"), "--rho 2 must lie in [0, 1]"),
    (("--rows", "a"), "--rows goes with --worst-case-bits"),
    (("--rows", "a", "--worst-case-bits", "1", "--epsilon", "1"), "--rows goes with --worst-case-bits"),
    (("--rows", ",", "--worst-case-bits", "1"), "names no rows"),
    (("--budget-bits", "1", "--epsilon", "1", "--id", ""), "--id must be one line"),
]


@pytest.mark.parametrize(("arguments", "sentence"), BAD_SPEND, ids=range(len(BAD_SPEND)))
def test_bad_amounts(inside, two, arguments, sentence):
    code, said = inside(*SPEND, "x", *arguments)
    assert code == 2
    assert sentence in said
    assert not Ledger(two).entries()


def test_files_that_are_no_ledger(inside, two, tmp_path):
    code, said = inside(*INIT, "--budget-bits", "1")
    assert code == 2
    assert "never overwritten" in said
    assert Ledger(two).limits.bits == 2
    (tmp_path / "answers.csv").write_text("name,answer\nJane,yes\n" * 500)
    with sqlite3.connect(tmp_path / "newer") as connection:
        connection.execute(f"PRAGMA application_id = {int.from_bytes(b'Sfum', 'big')}")
        connection.execute("PRAGMA user_version = 7")
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    for name, sentence in (("missing", "does not exist"), ("answers.csv", "is not a ledger"), ("newer", "version 7")):
        for arguments in (("show", name), ("spend", name, "--title", "x", "--budget-bits", "1")):
            code, said = inside("budget", *arguments)
            assert code == 2
            assert sentence in said
            assert "bug" not in said
            assert "Jane" not in said
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize("width", [80, 100, 120])
def test_nothing_is_cut_off(two, width):
    """All three currencies, long titles and huge amounts, on a terminal of any usual width."""
    wide = Ledger.create(two.with_name("wide"), budget_bits=10**6, epsilon=30, leakage_bits=50)
    wide.spend(
        information("Mean income of the northern provinces " * 4, 123456 + 1 / 3, epsilon=1 / 3, leakage_bits=0.1)
    )
    wide.spend(information("x" * 150, Fraction(1, 10**12), epsilon=0, leakage_bits=0), release_id="y" * 150)
    screen = Console(width=width)
    with screen.capture() as captured:
        screen.print(ledger_table(wide.path, wide.read()))
    shown = captured.get()
    assert max(map(len, shown.splitlines())) <= width
    for text in ("123456.3334", "0.3334", "0.0001", "not noted", "released", "leakage", "information"):
        assert text in shown
    assert "…" not in shown


def test_a_bar_tells_almost_from_all(two):
    """One that is not full has something left, and one that is not empty has something spent."""
    for spent, full in ((0, 0), (Fraction(1, 10**9), 1), (2 - Fraction(1, 10**9), 29), (2, 30)):
        one = Ledger.create(two.with_name(f"bar {full}"), budget_bits=2)
        one.spend(information("x", spent))
        screen = Console(width=100)
        with screen.capture() as captured:
            screen.print(ledger_table(one.path, one.read()))
        assert captured.get().count("█") == full
