"""The queries of the page on SQL are run, and agree with `sfumato estimate --group` to 1e-9."""

import csv
import re

import duckdb
import pytest

import sfumato as sf
from sfumato.errors import InvalidParameter
from sfumato.workflows import weighing as weights
from small_studies import answers, small_study
from transcripts import ROOT, commands_of, first_difference, prepare, run

PAGE = (ROOT / "docs" / "howto" / "sql.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, shell):
    """The commands of the page have been run here, and printed what it shows."""
    found = tmp_path_factory.mktemp("sql")
    prepare("fair", found)
    for command, shown in commands_of(PAGE):
        difference = first_difference(shown, run(command, found, shell))
        assert difference is None, f"$ {command}\n{difference}"
    return found


@pytest.fixture(scope="module")
def estimates(folder):
    with (folder / "estimates.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["group"]]
    return {(row["group"], row["answer"]): row for row in rows}


@pytest.mark.parametrize("place", range(2))
def test_a_query_of_the_page_is_the_estimate(folder, estimates, monkeypatch, place):
    monkeypatch.chdir(folder)
    with duckdb.connect() as base:
        rows = base.execute(QUERIES[place]).fetchall()
    assert {(region, answer) for region, answer, *_ in rows} == set(estimates)
    assert len(rows) == 12
    for region, answer, share, *error in rows:
        expected = estimates[region, answer]
        assert share == pytest.approx(float(expected["raw"]), abs=1e-9)
        if error:
            assert error[0] == pytest.approx(float(expected["standard_error"]), abs=1e-9)


def test_there_are_two_queries():
    assert len(QUERIES) == 2


def test_counting_reports_alone_is_wrong(folder, monkeypatch):
    """The control: without weights, the share of yes is pulled towards one half by the noise."""
    monkeypatch.chdir(folder)
    with duckdb.connect() as base:
        counted = dict(
            base.execute("SELECT region, avg((affair = 'yes')::int) FROM 'reports.parquet' GROUP BY 1").fetchall()
        )
        weighed = base.execute(QUERIES[0].replace("occupation", "affair")).fetchall()
    for region, answer, share in weighed:
        if answer == "yes":
            assert abs(share - counted[region]) > 0.05


def test_types_that_are_guessed_show_as_a_line_without_an_answer(folder, tmp_path, monkeypatch):
    """DuckDB reads yes and no of a CSV as true and false; a plain join would silently find nobody."""
    monkeypatch.chdir(folder)
    query = QUERIES[0].replace("occupation", "affair")
    with duckdb.connect() as base:
        base.execute("COPY (SELECT * FROM 'reports.parquet') TO 'reports.csv'")
        guessed = base.execute(query.replace("'reports.parquet'", "'reports.csv'")).fetchall()
        read = query.replace("'reports.parquet'", "read_csv('reports.csv', all_varchar = true)")
        right = base.execute(read).fetchall()
        straight = base.execute(query).fetchall()
    assert [answer for _, answer, _ in guessed] == [None, None]
    assert right == straight
    assert {answer for _, answer, _ in right} == {"no", "yes"}


def test_the_limit_of_the_page_is_the_limit():
    assert "2²⁴ weights" in PAGE
    assert weights.MOST_WEIGHTS == 2**24
    with pytest.raises(InvalidParameter, match=r"16,810,000 weights.*at most 16,777,216"):
        weights._check_size({"q": 4100 * 4100})
    weights._check_size({"q": 4000 * 4100})


def test_the_mean_of_the_page(tmp_path):
    """The expression stands in a sentence; here it is run."""
    mean = "sum(w.weight * CAST(w.answer AS DOUBLE)) / (count(*) / count(DISTINCT w.answer))"
    assert mean in " ".join(PAGE.split())
    made = sf.publish(small_study(), answers(), keep=["region"], insecure_seed=3)
    with duckdb.connect() as base:
        base.register("reports", made.reports.to_arrow())
        base.register("weights", sf.workflows.report_weights(made.reports, questions=["rooms"]))
        joined = "FROM reports r LEFT JOIN weights w ON w.report = CAST(r.rooms AS VARCHAR) GROUP BY r.region"
        found = dict(base.execute(f"SELECT r.region, {mean} {joined}").fetchall())
    for estimate in sf.estimate_reports(made.reports, questions=["rooms"], group="region")[1:]:
        assert found[estimate.group] == pytest.approx(estimate.mean.raw, abs=1e-9)
