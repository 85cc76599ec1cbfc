"""plan and estimate as commands: their numbers are the library's, and bad input gets a sentence and exit code 2."""

import json
import xml.etree.ElementTree as ET
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.certificates import Certificate, verify
from sfumato.cli import main
from sfumato.design import spinner_card, survey, warner
from sfumato.infer import (
    estimate_groups,
    estimate_share,
    respondents_for_half_width,
    respondents_for_test,
    sensitivity_band,
)

STUDY = """schema = "sfumato/study/1"
name = "Overtime"
question = "Overtime <unpaid> & late?"
[limits]
guess_error = 0.375
[plan]
expected_share = 0.1
half_width = 0.15
"""
ROWS = [("either", "north", 40), ("no", "north", 11), ("yes", "north", 3), ("either", "south", 31), ("no", "south", 9)]
CHANNEL = survey(guess_error=Fraction(3, 8)).channel
ALL, NORTH, SOUTH = [71, 20, 3], [40, 11, 3], [31, 9, 0]


@pytest.fixture
def study(tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    table = [(report, region) for report, region, n in ROWS for _ in range(n)]
    (tmp_path / "reports.csv").write_text("report,region\n" + "".join(f"{r},{g}\n" for r, g in table))
    pq.write_table(
        pa.table({"report": [r for r, _ in table], "region": [g for _, g in table]}), tmp_path / "reports.parquet"
    )
    return tmp_path


def text_of(path):
    """All words of a picture, which has to be XML to begin with."""
    return "".join(ET.parse(path).getroot().itertext())  # noqa: S314  our own picture


@pytest.fixture
def here(monkeypatch, capsys):
    """Run the command in this process, where a refusal takes no second to start."""

    def run(folder, *arguments):
        monkeypatch.chdir(folder)
        monkeypatch.setattr("sys.argv", ["sfumato", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        return stop.value.code, *capsys.readouterr()

    return run


def test_plan_from_a_study_file(sfumato, study):
    done = sfumato("plan", "study.toml", "--plot", "cost.svg", "--card", "card.svg", "-o", "certificate.json")
    assert done.returncode == 0
    assert done.stderr.splitlines() == ["wrote certificate.json", "wrote card.svg", "wrote cost.svg"]
    for line in spinner_card(CHANNEL).lines():
        assert line.split(": ", 1)[1][:40] in done.stdout
    n = respondents_for_half_width(CHANNEL, 0.1, 0.15).n
    row = next(line for line in done.stdout.splitlines() if "▸ three outputs" in line)
    assert [cell.strip() for cell in row.split("│")[1:-1]] == [
        "▸ three outputs",
        f"{n}",
        "2.7778",
        "37.5 %",
        "∞",
        "25 %",
    ]
    assert "a respondent's answer is published" in done.stdout
    assert "ε is infinite" in done.stdout
    certificate = Certificate.from_json((study / "certificate.json").read_text())
    verify(certificate)
    assert certificate.subject.channel == CHANNEL
    for name in ("cost.svg", "card.svg"):
        assert "Overtime <unpaid> & late?" in text_of(study / name)


def test_plan_without_a_file_as_json(sfumato):
    limits = ("--guess-error", "0.375", "--max-epsilon", "1")
    done = sfumato("plan", *limits, "--share", "0.1", "--against", "0.3", "--error", "0.05", "--json")
    assert done.returncode == 0
    assert done.stderr == ""
    plan = json.loads(done.stdout)
    best = survey(guess_error=Fraction(3, 8), max_epsilon=1.0).channel
    assert plan["schema"] == "sfumato/plan/1"
    assert plan["design"]["rows"] == [[str(p) for p in row] for row in best.rows]
    assert plan["card"] is None
    assert plan["study"]["limits"] == {"guess_error": "0.375", "weight": "0.5", "max_epsilon": "1"}
    assert plan["study"]["plan"]["theta_2"] == "0.3"
    found = {design["name"]: design for design in plan["designs"]}
    assert found["three outputs"]["respondents"] == respondents_for_test(best, 0.1, 0.3, error=0.05).n
    coin = warner(guess_error=Fraction(3, 8), max_epsilon=1.0).channel
    assert found["Warner"]["respondents"] == respondents_for_test(coin, 0.1, 0.3, error=0.05).n
    assert found["three outputs, any ε"]["epsilon"] == "inf"
    assert [level["guess_error"] for level in plan["levels"]][:3] == ["1/20", "1/10", "1/5"]
    assert len(plan["protection"]) == 3


def test_goals_on_the_command_line_take_the_place_of_the_files(sfumato, study):
    plan = json.loads(sfumato("plan", "study.toml", "--against", "0.3", "--json").stdout)["study"]["plan"]
    assert {key: plan[key] for key in ("theta_1", "theta_2", "error")} == {
        "theta_1": "0.1", "theta_2": "0.3", "error": "0.05",
    }  # fmt: skip
    assert "half_width" not in plan


def test_plan_with_faces_draws_a_card_and_without_says_how_to_get_one(sfumato, tmp_path):
    limits = ("--delta", "1/4", "--max-epsilon", "1.5", "--half-width", "0.2")
    assert sfumato("plan", *limits, "--faces", "20", "--card", "card.svg", "--markdown").returncode == 0
    assert "Roll a twenty-sided die" in text_of(tmp_path / "card.svg")
    refused = sfumato("plan", *limits, "--card", "fine.svg")
    assert refused.returncode == 2
    assert "--faces 1000" in refused.stderr
    assert not (tmp_path / "fine.svg").exists()


@pytest.mark.parametrize("name", ["reports.csv", "reports.parquet"])
def test_estimate_as_json_is_the_librarys(sfumato, study, name):
    done = sfumato("estimate", "study.toml", name, "--group", "region", "--ignoring", "0.05", "--json")
    assert done.returncode == 0
    document = json.loads(done.stdout)
    assert document["schema"] == "sfumato/estimate/1"
    assert [row["group"] for row in document["estimates"]] == [None, "north", "south"]
    for row, counts in zip(document["estimates"], (ALL, NORTH, SOUTH), strict=True):
        expected = estimate_share(CHANNEL, counts)
        band = sensitivity_band(CHANNEL, counts, ignoring=0.05)
        assert row["counts"] == dict(zip(("either", "no", "yes"), counts, strict=True))
        assert row["total"] == sum(counts)
        assert (row["share"], row["lower"], row["upper"]) == (
            expected.share, expected.interval.lower, expected.interval.upper,
        )  # fmt: skip
        assert row["standard_error"] == expected.standard_error
        assert row["band"] == {"lower": band.lower, "upper": band.upper}
        assert row["confidence"] == 0.95


def test_estimate_in_the_terminal(sfumato, study):
    done = sfumato("estimate", "study.toml", "reports.csv", "--group", "region", "--ignoring", "0.1", "--plot", "e.svg")
    assert done.returncode == 0
    assert done.stderr == "wrote e.svg\n"
    lines = done.stdout.splitlines()
    assert lines[:2] == ["Overtime <unpaid> & late?", "Share of “yes” with exact 95 % intervals"]
    for name, counts in (("all", ALL), ("north", NORTH), ("south", SOUTH)):
        line = next(line for line in lines if line.startswith(name))
        assert f"{100 * estimate_share(CHANNEL, counts).share:.1f} %" in line
        assert "●" in line
        assert len(line) <= 100
    assert "If 10 % of the respondents ignored the instructions" in done.stdout
    assert "north" in text_of(study / "e.svg")


@pytest.mark.parametrize(
    ("option", "method"), [("likelihood-ratio", "likelihood ratio"), ("wald", "Wald"), ("exact", "exact")]
)
def test_methods_and_confidence(sfumato, study, option, method):
    run = ("estimate", "study.toml", "reports.csv", "--method", option, "--confidence", "0.8")
    (row,) = json.loads(sfumato(*run, "--json").stdout)["estimates"]
    expected = estimate_share(CHANNEL, ALL, confidence=0.8, method=method)
    assert (row["lower"], row["upper"]) == (expected.interval.lower, expected.interval.upper)


def test_simultaneous_intervals_are_wider_and_say_so(sfumato, study):
    run = ("estimate", "study.toml", "reports.csv", "--group", "region", "--simultaneous")
    rows = json.loads(sfumato(*run, "--json").stdout)["estimates"]
    expected = estimate_groups(CHANNEL, {"a": ALL, "n": NORTH, "s": SOUTH}, simultaneous=True)
    assert [row["upper"] for row in rows] == [found.interval.upper for found in expected.values()]
    assert "intervals that hold together at 95 %" in sfumato(*run).stdout
    assert "| north | 54 |" in sfumato(*run, "--markdown").stdout


def test_counts_that_no_share_explains_are_flagged(sfumato, study):
    """At the boundary when they lean too far, by a note when the design itself does not fit."""
    (study / "odd.csv").write_text("report,count\neither,10\nno,400\nyes,40\n")
    done = sfumato("estimate", "study.toml", "odd.csv", "--json")
    assert done.returncode == 0
    (row,) = json.loads(done.stdout)["estimates"]
    assert "No share explains these reports well" in row["notes"][0]
    (study / "two.toml").write_text(STUDY.replace("[limits]", "[limits]\nmax_epsilon = 0.3"))
    (study / "far.csv").write_text("report,count\nno,500\nyes,0\n")
    done = sfumato("estimate", "two.toml", "far.csv", "--json")
    (row,) = json.loads(done.stdout)["estimates"]
    assert row["share"] == 0
    assert row["notes"]


ANSWER = "hasdisease"
BAD = [
    (("plan",), "--guess-error"),
    (("plan", "--guess-error", "0.3", "--delta", "0.4"), "one of them"),
    (("plan", "--delta", "0"), "delta=0 must lie strictly between 0 and 1"),
    (("plan", "--delta", "1.5"), "delta=1.5 must lie strictly between 0 and 1"),
    (("plan", "--guess-error", "0.375", "--weight", "0.2"), "weight=0.2 must lie in [a, 1-a] = [0.375, 0.625]"),
    (("plan", "--guess-error", "many"), "guess_error is not a number"),
    (("plan", "--guess-error", "0.3", "--share", "5"), "expected_share=5 must lie in [0, 1]"),
    (("plan", "--guess-error", "0.3", "--against", "0.2"), "--against needs --share"),
    (("plan", "--guess-error", "0.3", "--share", "0.1", "--against", "0.2", "--half-width", "0.1"), "Choose one"),
    (("plan", "--guess-error", "0.3", "--error", "0.1"), "error belongs to a test"),
    (("plan", "--guess-error", "0.3", "--outputs", "2"), "outputs=2 needs expected_share"),
    (("plan", "--guess-error", "0.3", "--outputs", "5"), "outputs=5"),
    (("plan", "--guess-error", "0.3", "--faces", "1"), "faces=1"),
    (("plan", "--guess-error", "0.3", "--max-epsilon", "-1"), "max_epsilon=-1"),
    (("plan", "--guess-error", "0.3", "--json", "--markdown"), "Choose one"),
    (("plan", "study.toml", "--guess-error", "0.3"), "promised by the study file"),
    (("plan", "missing.toml"), "does not exist"),
    (("plan", "reports.csv"), "not a study in TOML"),
    (("plan", "study.toml", "-o", "missing/c.json"), "folder that does not exist"),
    (("estimate", "study.toml", "missing.csv"), "does not exist"),
    (("estimate", "reports.csv", "study.toml"), "comes before the reports"),
    (("estimate", "study.toml", "secret.csv"), "line 3 holds a report that the design never gives"),
    (("estimate", "study.toml", "negative.csv"), "line 2, count must be a whole number"),
    (("estimate", "study.toml", "half.csv"), "line 2, count must be a whole number"),
    (("estimate", "study.toml", "reports.csv", "--column", "x"), "no column 'x'"),
    (("estimate", "study.toml", "reports.csv", "--group", "x"), "no column 'x'"),
    (("estimate", "study.toml", "reports.csv", "--method", "magic"), "exact, likelihood-ratio, wald"),
    (("estimate", "study.toml", "reports.csv", "--confidence", "2"), "confidence=2"),
    (("estimate", "study.toml", "reports.csv", "--confidence", "x"), "confidence is not a number"),
    (("estimate", "study.toml", "reports.csv", "--ignoring", "1.5"), "ignoring=1.5"),
    (("estimate", "study.toml", "reports.csv", "--json", "--markdown"), "Choose one"),
    (("estimate", "study.toml"), "reports"),
]


@pytest.mark.parametrize(("arguments", "sentence"), BAD, ids=range(len(BAD)))
def test_bad_input(here, study, arguments, sentence):
    (study / "secret.csv").write_text(f"report\nyes\n{ANSWER}\n")
    (study / "negative.csv").write_text("report,count\nyes,-3\n")
    (study / "half.csv").write_text("report,count\nyes,1.5\n")
    before = sorted(path.name for path in study.iterdir())
    code, said, refusal = here(study, *arguments)
    assert (code, said) == (2, "")
    assert sentence in refusal
    assert "Traceback" not in refusal
    assert ANSWER not in refusal
    assert sorted(path.name for path in study.iterdir()) == before


@pytest.mark.parametrize("verb", ["plan", "estimate"])
def test_help_has_an_example(sfumato, verb):
    done = sfumato(verb, "--help")
    assert done.returncode == 0
    assert f"sfumato {verb}" in done.stdout.split("Example")[1]
