"""Differences between groups, as a command: a table after the estimates, and rows for programs."""

import json
from fractions import Fraction

import sfumato as sf
from sfumato.workflows.reading import write_reports


def test_the_command_prints_them(sfumato, tmp_path):
    study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(2)),))
    answers = {"tired": ["yes"] * 500 + ["no"] * 1000, "region": ["north", "south", "west"] * 500}
    reports = sf.publish(study, answers, keep=["region"], insecure_seed=18).reports
    write_reports(reports, tmp_path / "reports.parquet")
    run = ("estimate", "reports.parquet", "--group", "region")
    assert "minus" not in sfumato(*run).stdout
    assert "contrasts" not in json.loads(sfumato(*run, "--json").stdout)
    shown = sfumato(*run, "--contrasts").stdout
    assert "north minus south" in shown
    assert "points" in shown
    rows = json.loads(sfumato(*run, "--contrasts", "--json").stdout)["contrasts"]
    expected = sf.estimate_reports(reports, group="region").contrasts()
    assert [(row["lower"], row["upper"]) for row in rows] == [(x.interval.lower, x.interval.upper) for x in expected]
    marked = sfumato(*run, "--contrasts", "--markdown", "--simultaneous").stdout
    assert "| north minus west | share of “yes” |" in marked
    assert "differences that hold together at 95 %" in marked
    refused = sfumato("estimate", "reports.parquet", "--contrasts")
    assert refused.returncode == 2
    assert "--group" in refused.stderr
    assert "--between answers" in refused.stderr


def test_the_command_compares_answers_too(sfumato, tmp_path):
    question = sf.OneOfMany(id="fuel", text="Fuel?", answers=("coal", "wind", "sun"), epsilon=Fraction(2))
    answers = {"fuel": ["coal"] * 700 + ["wind"] * 500 + ["sun"] * 300, "region": ["north", "south", "west"] * 500}
    reports = sf.publish(sf.Study(name="Power", questions=(question,)), answers, keep=["region"], insecure_seed=18)
    write_reports(reports.reports, tmp_path / "reports.parquet")
    run = ("estimate", "reports.parquet", "--contrasts", "--between", "answers")
    shown = sfumato(*run).stdout
    assert "differences between answers" in shown
    assert "“coal” minus “wind”" in shown
    rows = json.loads(sfumato(*run, "--json").stdout)["contrasts"]
    expected = sf.estimate_reports(reports.reports).contrasts(between="answers")
    assert [(row["first"], row["second"], row["lower"], row["upper"]) for row in rows] == [
        (one.first, one.second, one.interval.lower, one.interval.upper) for one in expected
    ]
    assert {(row["between"], row["group"]) for row in rows} == {("answers", None)}
    marked = sfumato(*run, "--group", "region", "--markdown", "--out", "out.csv").stdout
    assert "| all | “coal” minus “wind” |" in marked
    assert "| west | “wind” minus “sun” |" in marked
    written = (tmp_path / "out.csv").read_text().splitlines()
    assert written[0].endswith('"minus"')
    assert written[-1].endswith('"sun"')
    refused = sfumato("estimate", "reports.parquet", "--between", "answers")
    assert refused.returncode == 2
    assert "--contrasts" in refused.stderr
