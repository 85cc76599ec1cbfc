"""A card from its first file to its page, as commands: their numbers are the library's, and bad input gets a sentence.

Reports of a card are drawn by hand and typed in, so they have no note: `estimate` and `report` are given the study.
"""

import json
import xml.etree.ElementTree as ET
from fractions import Fraction

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.certificates import Certificate, verify
from sfumato.cli import main
from sfumato.inference import (
    estimate_groups,
    estimate_share,
    respondents_for_half_width,
    respondents_for_test,
    sensitivity_band,
)
from sfumato.study import Card, read_study
from sfumato.surveys import spinner_card, survey, warner

STUDY = """schema = "sfumato/study/2"
name = "Overtime"
question = "Overtime <unpaid> & late?"
guess_error = 0.375
expected_share = 0.1
half_width = 0.15
"""
TWO = """schema = "sfumato/study/2"
name = "Work"
[[questions]]
id = "overtime"
text = "Do you work unpaid overtime?"
kind = "yes-no"
guess_error = 0.375
[[questions]]
id = "theft"
text = "Did you ever steal at work?"
kind = "yes-no"
guess_error = 0.4
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
    (tmp_path / "counted.csv").write_text("seen,region,people\n" + "".join(f"{r},{g},{n}\n" for r, g, n in ROWS))
    return tmp_path


def text_of(path):
    """All words of a picture, which has to be XML to begin with."""
    return "".join(ET.parse(path).getroot().itertext())  # noqa: S314  our own picture


def second(row):
    """What an estimate says of the second answer."""
    return next(answer for answer in row["answers"] if answer["answer"] == "yes")


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


def test_from_the_first_file_to_the_page(sfumato, tmp_path):
    """One study file goes all the way: asked with a card, typed in, estimated, told on a page."""
    text = "Did you pay all your taxes?"
    made = sfumato("new", "tax.toml", "--guess-error", "0.35", "--question", text, "--name", "Taxes", "--yes")
    assert (made.returncode, made.stdout) == (0, "")
    declared = read_study(tmp_path / "tax.toml")
    assert declared.questions == (Card(id="answer", text=text, guess_error=Fraction(7, 20), missing="public"),)
    planned = sfumato("plan", "tax.toml", "--card", "card.svg", "-o", "card.json", "--plot", "cost.svg", "--json")
    assert planned.returncode == 0, planned.stderr
    assert planned.stderr == "wrote card.json\nwrote card.svg\nwrote cost.svg\n"
    plan = json.loads(planned.stdout)
    (question,) = plan["questions"]
    assert (plan["schema"], question["id"]) == ("sfumato/study-plan/1", "answer")
    assert question["instructions"] == question["card"]["lines"]
    assert question["instructions"][0] in text_of(tmp_path / "card.svg")
    assert sfumato("verify", "card.json").returncode == 0
    channel = survey(guess_error=Fraction(7, 20)).channel
    assert question["design"]["rows"] == [[str(p) for p in row] for row in channel.rows]
    # A hundred people draw by hand; what they report is typed in, with how many said so.
    counts = {"either": 70, "no": 22, "yes": 8}
    assert question["design"]["reports"] == list(counts)
    (tmp_path / "typed.csv").write_text("answer,n\n" + "".join(f"{r},{n}\n" for r, n in counts.items()))
    typed = ("tax.toml", "typed.csv", "--count", "n")
    done = sfumato("estimate", *typed, "--json", "--plot", "share.svg", "-o", "share.csv")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["estimates"]
    expected = estimate_share(channel, list(counts.values()))
    assert (row["total"], second(row)["share"], second(row)["upper"]) == (
        100, expected.share, expected.interval.upper,
    )  # fmt: skip
    written = pa.csv.read_csv(tmp_path / "share.csv").to_pylist()
    assert [(line["answer"], line["value"]) for line in written] == [
        ("no", 1 - expected.share),
        ("yes", expected.share),
    ]
    assert text in text_of(tmp_path / "share.svg")
    page = sfumato("report", *typed, "--out", "page.html")
    assert (page.returncode, page.stdout) == (0, "wrote page.html\n"), page.stderr
    told = (tmp_path / "page.html").read_text()
    for words in (text, f"{100 * expected.share:.1f} %", question["instructions"][1], "100 "):
        assert words in told
    # In Python it is the same.
    (same,) = sf.estimate_reports(tmp_path / "typed.csv", tmp_path / "tax.toml", count="n")
    assert same.shares[1] == expected.share


def test_a_study_without_options_can_be_planned_at_once(sfumato, tmp_path):
    assert sfumato("new", "tax.toml", "--guess-error", "0.35", "--yes").returncode == 0
    done = sfumato("plan", "tax.toml", "--card", "card.svg")
    assert done.returncode == 0, done.stderr
    assert "die" in text_of(tmp_path / "card.svg")


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
        "37.5 %",
        "∞",
        "100 %",
        "25 %",
    ]
    assert "a respondent's answer is published" in done.stdout
    assert "ε is infinite" in done.stdout
    assert "Nobody gets a key" in done.stdout
    certificate = Certificate.from_json((study / "certificate.json").read_text())
    verify(certificate)
    assert certificate.subject.channel == CHANNEL
    for name in ("cost.svg", "card.svg"):
        assert "Overtime <unpaid> & late?" in text_of(study / name)


def test_plan_without_a_file_as_json(sfumato):
    limits = ("--guess-error", "0.375", "--max-epsilon", "1")
    goal = ("--expected-share", "0.1", "--theta-2", "0.3", "--error", "0.05")
    done = sfumato("plan", *limits, *goal, "--json")
    assert done.returncode == 0
    assert done.stderr == ""
    plan = json.loads(done.stdout)
    (question,) = plan["questions"]
    best = survey(guess_error=Fraction(3, 8), max_epsilon=1.0).channel
    assert plan["schema"] == "sfumato/study-plan/1"
    assert question["design"]["rows"] == [[str(p) for p in row] for row in best.rows]
    assert question["card"] is None
    declared = plan["study"]["questions"][0]
    assert {key: declared[key] for key in ("guess_error", "max_epsilon", "theta_1", "theta_2", "error")} == {
        "guess_error": "0.375", "max_epsilon": "1", "theta_1": "0.1", "theta_2": "0.3", "error": "0.05",
    }  # fmt: skip
    assert "weight" not in declared, "it is the default"
    found = {design["name"]: design for design in question["designs"]}
    assert found["three outputs"]["respondents"] == respondents_for_test(best, 0.1, 0.3, error=0.05).n
    assert question["respondents"] == found["three outputs"]["respondents"]
    coin = warner(guess_error=Fraction(3, 8), max_epsilon=1.0).channel
    assert found["Warner"]["respondents"] == respondents_for_test(coin, 0.1, 0.3, error=0.05).n
    assert found["three outputs, any ε"]["epsilon"] == "inf"
    assert [level["guess_error"] for level in question["levels_of_privacy"]][:3] == ["1/20", "1/10", "1/5"]
    assert len(question["protection"]) == 3
    assert question["readers"] == [{"level": 1, "epsilon": pytest.approx(1), "readers": ["public"]}]


def test_goals_on_the_command_line_take_the_place_of_the_files(sfumato, study):
    planned = sfumato("plan", "study.toml", "--theta-2", "0.3", "--json")
    goal = json.loads(planned.stdout)["study"]["questions"][0]
    assert {key: goal[key] for key in ("theta_1", "theta_2", "error")} == {
        "theta_1": "0.1", "theta_2": "0.3", "error": "0.05",
    }  # fmt: skip
    assert "half_width" not in goal


def test_of_two_cards_one_is_named(sfumato, tmp_path):
    (tmp_path / "two.toml").write_text(TWO)
    refused = sfumato("plan", "two.toml", "--card", "card.svg")
    assert refused.returncode == 2
    assert "--question must say which one: 2 questions have a card. Name one of overtime, theft." in refused.stderr
    assert not (tmp_path / "card.svg").exists()
    assert sfumato("plan", "two.toml", "--card", "card.svg", "--question", "theft").returncode == 0
    assert "Did you ever steal at work?" in text_of(tmp_path / "card.svg")
    one_file = sfumato("plan", "two.toml", "-o", "one.json")
    assert one_file.returncode == 2
    assert "Name a folder" in one_file.stderr
    assert sfumato("plan", "two.toml", "-o", "sealed").returncode == 0
    assert sorted(path.name for path in (tmp_path / "sealed").iterdir()) == [
        "overtime.certificate.json", "theft.certificate.json",
    ]  # fmt: skip
    # Their columns are named by the questions.
    (tmp_path / "typed.csv").write_text("theft,overtime\nyes,either\neither,no\neither,either\n")
    rows = json.loads(sfumato("estimate", "two.toml", "typed.csv", "--json").stdout)["estimates"]
    assert [(row["question"], row["total"]) for row in rows] == [("overtime", 3), ("theft", 3)]
    (alone,) = json.loads(
        sfumato("estimate", "two.toml", "typed.csv", "--question", "theft", "--json").stdout
    )["estimates"]  # fmt: skip
    assert alone == rows[1]
    unclear = sfumato("estimate", "two.toml", "typed.csv", "--column", "theft")
    assert unclear.returncode == 2
    assert "--column 'theft' names one column, and 2 questions were asked with a card" in unclear.stderr


def test_plan_with_faces_draws_a_card_and_without_says_how_to_get_one(sfumato, tmp_path):
    limits = ("--delta", "1/4", "--max-epsilon", "1.5", "--half-width", "0.2")
    assert sfumato("plan", *limits, "--faces", "20", "--card", "card.svg", "--markdown").returncode == 0
    assert "Roll a twenty-sided die" in text_of(tmp_path / "card.svg")
    refused = sfumato("plan", *limits, "--card", "fine.svg")
    assert refused.returncode == 2
    assert "--faces 1000" in refused.stderr
    assert not (tmp_path / "fine.svg").exists()


SAME_REPORTS = {
    "csv": ("reports.csv",),
    "parquet": ("reports.parquet",),
    "counted": ("counted.csv", "--column", "seen", "--count", "people"),
}


@pytest.mark.parametrize("kind", SAME_REPORTS)
def test_estimate_as_json_is_the_librarys(sfumato, study, kind):
    """Typed one a line, or counted beforehand, in either format: it is the same estimate."""
    reports = SAME_REPORTS[kind]
    done = sfumato("estimate", "study.toml", *reports, "--group", "region", "--ignoring", "0.05", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["schema"], document["insecure"]) == ("sfumato/estimates/1", False)
    assert [row["group"] for row in document["estimates"]] == [None, "north", "south"]
    for row, counts in zip(document["estimates"], (ALL, NORTH, SOUTH), strict=True):
        expected = estimate_share(CHANNEL, counts)
        band = sensitivity_band(CHANNEL, counts, ignoring=0.05)
        found = second(row)
        assert row["total"] == sum(counts)
        assert (found["share"], found["lower"], found["upper"]) == (
            expected.share, expected.interval.lower, expected.interval.upper,
        )  # fmt: skip
        assert found["standard_error"] == expected.standard_error
        assert row["band"] == {"ignoring": 0.05, "lower": band.lower, "upper": band.upper}
        assert row["confidence"] == 0.95
        assert row["question"] == "answer"


def test_estimate_in_the_terminal(sfumato, study):
    done = sfumato("estimate", "study.toml", "reports.csv", "--group", "region", "--ignoring", "0.1", "--plot", "e.svg")
    assert done.returncode == 0
    assert done.stderr == "wrote e.svg\n"
    lines = done.stdout.splitlines()
    assert lines[0].rstrip() == "Overtime <unpaid> & late?  (94 reports, ε = ∞)"
    assert "share of “yes”" in done.stdout
    assert "95 % interval" in done.stdout
    for name, counts in (("all", ALL), ("north", NORTH), ("south", SOUTH)):
        line = next(line for line in lines if line.startswith(f"│ {name} "))
        assert f"{100 * estimate_share(CHANNEL, counts).share:.1f} %" in line
        assert "●" in line
        assert len(line) <= 100
        band = sensitivity_band(CHANNEL, counts, ignoring=0.1)
        assert (
            f"{name}: {100 * band.lower:.1f} – {100 * band.upper:.1f} % if 10 % of the respondents ignored"
            in done.stdout
        )
    assert "north" in text_of(study / "e.svg")
    assert sfumato("estimate", "study.toml", "reports.csv", "--quiet").stdout == ""


def test_estimates_as_a_table(sfumato, study):
    done = sfumato("estimate", "study.toml", "reports.csv", "--group", "region", "-o", "e.parquet", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    rows = pq.read_table(study / "e.parquet").to_pylist()
    assert [(row["group"], row["answer"]) for row in rows] == [
        (group, answer) for group in (None, "north", "south") for answer in ("no", "yes")
    ]
    assert rows[3]["value"] == estimate_share(CHANNEL, NORTH).share


@pytest.mark.parametrize(
    ("option", "method"), [("likelihood-ratio", "likelihood ratio"), ("wald", "Wald"), ("exact", "exact")]
)
def test_methods_and_confidence(sfumato, study, option, method):
    run = ("estimate", "study.toml", "reports.csv", "--method", option, "--confidence", "0.8")
    (row,) = json.loads(sfumato(*run, "--json").stdout)["estimates"]
    expected = estimate_share(CHANNEL, ALL, confidence=0.8, method=method)
    assert (second(row)["lower"], second(row)["upper"]) == (expected.interval.lower, expected.interval.upper)
    assert row["confidence"] == 0.8
    assert method in row["method"]


def test_simultaneous_intervals_are_wider_and_say_so(sfumato, study):
    run = ("estimate", "study.toml", "reports.csv", "--group", "region", "--simultaneous")
    rows = json.loads(sfumato(*run, "--json").stdout)["estimates"]
    expected = estimate_groups(CHANNEL, {"a": ALL, "n": NORTH, "s": SOUTH}, simultaneous=True)
    assert [second(row)["upper"] for row in rows] == [found.interval.upper for found in expected.values()]
    assert {row["together"] for row in rows} == {0.95}
    assert "intervals that hold together at 95 %" in sfumato(*run).stdout
    marked = sfumato(*run, "--markdown").stdout
    assert "| north | 54 |" in marked
    assert "intervals that hold together at 95 %" in marked


def test_a_column_of_counts_is_used_only_when_it_is_named(sfumato, study):
    (study / "odd.csv").write_text("report,count\neither,10\nno,400\nyes,40\n")
    unnamed = sfumato("estimate", "study.toml", "odd.csv", "--json")
    assert "--count count takes it" in unnamed.stderr
    assert json.loads(unnamed.stdout)["estimates"][0]["total"] == 3
    named = sfumato("estimate", "study.toml", "odd.csv", "--count", "count", "--json")
    assert named.stderr == ""
    assert json.loads(named.stdout)["estimates"][0]["total"] == 450


def test_counts_that_no_share_explains_are_flagged(sfumato, study):
    """At the boundary when they lean too far, by a note when the design itself does not fit."""
    (study / "odd.csv").write_text("report,count\neither,10\nno,400\nyes,40\n")
    done = sfumato("estimate", "study.toml", "odd.csv", "--count", "count", "--json")
    assert done.returncode == 0
    (row,) = json.loads(done.stdout)["estimates"]
    assert "No share explains these reports well" in row["notes"][0]
    (study / "two.toml").write_text(STUDY + "max_epsilon = 0.3\n")
    (study / "far.csv").write_text("report,count\nno,500\nyes,0\n")
    done = sfumato("estimate", "two.toml", "far.csv", "--count", "count", "--json")
    (row,) = json.loads(done.stdout)["estimates"]
    assert second(row)["share"] == 0
    assert row["notes"]


def test_a_page_of_typed_reports(sfumato, study):
    done = sfumato("report", "study.toml", *SAME_REPORTS["counted"], "--group", "region", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["rows"], document["files"], document["page"]) == (94, ["counted.csv"], "report.html")
    page = (study / "report.html").read_text()
    assert "Overtime &lt;unpaid&gt; &amp; late?" in page
    for counts in (ALL, NORTH, SOUTH):
        assert f"{100 * estimate_share(CHANNEL, counts).share:.1f} %" in page
    assert "By region" in page
    assert "Toss a coin twice" in page


def test_a_card_is_drawn_by_the_software_as_well(sfumato, study):
    """Published reports of a card carry their note; the study may be named with them, if it is theirs."""
    (study / "answers.csv").write_text("answer\n" + "no\nyes\n" * 200)
    assert sfumato("publish", "answers.csv", "--study", "study.toml", "--out", "drawn.csv", "-q").returncode == 0
    alone = sfumato("estimate", "drawn.csv", "--json")
    assert alone.returncode == 0, alone.stderr
    assert sfumato("estimate", "study.toml", "drawn.csv", "--json").stdout == alone.stdout
    (study / "other.toml").write_text(STUDY.replace("0.375", "0.35"))
    other = sfumato("estimate", "other.toml", "drawn.csv")
    assert other.returncode == 2
    assert "is not the study of the reports" in other.stderr
    named = sfumato("estimate", "drawn.csv", "--count", "n")
    assert named.returncode == 2
    assert "--count 'n' is for reports that were typed in" in named.stderr


ANSWER = "hasdisease"
TYPED = ("estimate", "study.toml", "reports.csv")
BAD = [
    (("plan",), "--guess-error or --delta = 1 - 2 × guess error says what to plan for"),
    (("plan", "--guess-error", "0.3", "--delta", "0.4"), "one of the two"),
    (("plan", "--delta", "0"), "--delta 0 must lie strictly between 0 and 1"),
    (("plan", "--delta", "1.5"), "--delta 1.5 must lie strictly between 0 and 1"),
    (("plan", "--guess-error", "0.375", "--weight", "0.2"), "--weight 0.2 must lie in [a, 1-a] = [0.375, 0.625]"),
    (("plan", "--guess-error", "many"), "--guess-error is not a number"),
    (("plan", "--guess-error", "0.3", "--theta-1", "many"), "--theta-1 is not a number"),
    (("plan", "--guess-error", "0.3", "--expected-share", "5"), "--expected-share 5 must lie in [0, 1]"),
    (("plan", "--guess-error", "0.3", "--theta-2", "0.2"), "--theta-2 is one of two shares to tell apart"),
    (
        ("plan", "--guess-error", "0.3", "--expected-share", "0.1", "--theta-2", "0.2", "--half-width", "0.1"),
        "--half-width and --theta-1 with --theta-2 are two different goals",
    ),
    (("plan", "--guess-error", "0.3", "--error", "0.1"), "--error belongs to a test"),
    (("plan", "--guess-error", "0.3", "--outputs", "2"), "--outputs 2 needs --expected-share"),
    (("plan", "--guess-error", "0.3", "--outputs", "5"), "--outputs 5 must lie in [2, 3]"),
    (("plan", "--guess-error", "0.3", "--faces", "1"), "--faces 1 must lie in"),
    (("plan", "--guess-error", "0.3", "--max-epsilon", "-1"), "--max-epsilon -1 must be a positive number"),
    (("plan", "--guess-error", "0.3", "--json", "--markdown"), "Choose one"),
    (("plan", "study.toml", "--guess-error", "0.3"), "--guess-error is promised by the study file"),
    (("plan", "study.toml", "--faces", "6"), "--faces is promised by the study file"),
    (("plan", "study.toml", "--question", "nobody"), "--question 'nobody' is not in the study"),
    (("plan", "missing.toml"), "does not exist"),
    (("plan", "reports.csv"), "not TOML"),
    (("plan", "old.toml"), "sfumato/study/1"),
    (("plan", "study.toml", "-o", "missing/c.json"), "--out 'missing/c.json' lies in a folder that does not exist"),
    (("plan", "study.toml", "-o", "c.json", "--card", "missing/c.svg"), "--card 'missing/c.svg' lies in a folder"),
    (("plan", "study.toml", "--card", "c.svg", "--plot", "missing/p.svg"), "--plot 'missing/p.svg' lies in a folder"),
    (("plan", "study.toml", "-o", "reports.csv/sealed"), "--out 'reports.csv/sealed' cannot be written to"),
    (("estimate", "study.toml", "missing.csv"), "does not exist"),
    (("estimate", "reports.csv", "study.toml"), "comes before the reports"),
    (("estimate", "study.toml", "old.toml"), "one study"),
    (("estimate", "reports.csv"), "need the study: name it as well"),
    (("estimate", "study.toml", "secret.csv"), "line 3: the line holds a report that the design never gives"),
    (
        ("estimate", "study.toml", "negative.csv", "--count", "count"),
        "line 2: the line has a column count that must be a whole number",
    ),
    (
        ("estimate", "study.toml", "half.csv", "--count", "count"),
        "line 2: the line has a column count that must be a whole number",
    ),
    ((*TYPED, "--column", "x"), "--column 'x' is not a column of this file"),
    ((*TYPED, "--count", "x"), "--count 'x' is not a column of this file"),
    ((*TYPED, "--group", "x"), "--group 'x' is not a column of this file"),
    ((*TYPED, "--question", "x"), "--question 'x' is not in the study"),
    ((*TYPED, "--method", "magic"), "exact, likelihood-ratio, wald"),
    ((*TYPED, "--confidence", "2"), "--confidence 2 must lie in"),
    ((*TYPED, "--confidence", "x"), "--confidence is not a number"),
    ((*TYPED, "--ignoring", "1.5"), "--ignoring 1.5 must lie in"),
    ((*TYPED, "--json", "--markdown"), "Choose one"),
    ((*TYPED, "reports.parquet"), "takes one file of reports that were typed in, not 2"),
    ((*TYPED, "--plot", "e.svg", "-o", "missing/e.csv"), "--out 'missing/e.csv' lies in a folder"),
    ((*TYPED, "-o", "e.csv", "--plot", "missing/e.svg"), "--plot 'missing/e.svg' lies in a folder"),
    ((*TYPED, "-o", "e.json"), "--out 'e.json' is JSON"),
    (("estimate", "study.toml"), "Name the reports after it"),
    (("report", "study.toml"), "Name the reports after it"),
    (("report", "study.toml", "secret.csv"), "line 3: the line holds a report that the design never gives"),
    (("report", "study.toml", "reports.csv", "--out", "no/page.html"), "--out 'no/page.html' lies in a folder"),
]


@pytest.mark.parametrize(("arguments", "sentence"), BAD, ids=range(len(BAD)))
def test_bad_input(here, study, arguments, sentence):
    (study / "secret.csv").write_text(f"report\nyes\n{ANSWER}\n")
    (study / "negative.csv").write_text("report,count\nyes,-3\n")
    (study / "half.csv").write_text("report,count\nyes,1.5\n")
    (study / "old.toml").write_text('schema = "sfumato/study/1"\nname = "Old"\nquestion = "Old?"\n')
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
