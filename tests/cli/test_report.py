"""report as a command: from published and opened files to one page."""

import json

import pytest

STUDY = """
schema = "sfumato/study/2"
name = "Marriage survey"
[public]
epsilon = 0.5
[[analysts]]
name = "ministry"
epsilon = 2.0
[[questions]]
id = "affair"
text = "Have you had an affair?"
kind = "yes-no"
"""


@pytest.fixture
def published(sfumato, tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    rows = "".join(f"{'yes' if i % 3 else 'no'},{'north' if i % 2 else 'south'}\n" for i in range(300))
    (tmp_path / "answers.csv").write_text(f"affair,region\n{rows}")
    done = sfumato(
        "publish", "answers.csv", "--study", "study.toml", "--out", "reports.csv", "--keys", "keys", "--unprotected",
        "--keep", "region",
    )  # fmt: skip
    assert done.returncode == 0
    done = sfumato("open", "reports.csv", "--key", "keys/ministry.affair.key", "--out", "opened.parquet", "--quiet")
    assert done.returncode == 0
    return tmp_path


def test_a_page_from_public_and_opened_reports(sfumato, published):
    done = sfumato("report", "reports.csv", "opened.parquet", "--group", "region", "--confidence", "0.9")
    assert (done.returncode, done.stdout, done.stderr) == (0, "wrote report.html\n", "")
    page = (published / "report.html").read_text()
    assert "90 % interval" in page
    for said in ("ministry, ε = 2", "public, ε = 0.5", "By region", "Certificates"):
        assert said in page


def test_json_says_what_was_written(sfumato, published):
    done = sfumato("report", "reports.csv", "--out", "page.html", "--json")
    document = json.loads(done.stdout)
    assert document["schema"] == "sfumato/report-page/1"
    assert (document["page"], document["rows"], document["files"]) == ("page.html", 300, ["reports.csv"])
    assert document["bytes"] == (published / "page.html").stat().st_size
    assert sfumato("report", "reports.csv", "--quiet").stdout == ""


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("report", "missing.csv"), "Check the name and the folder."),
        (("report", "reports.csv", "--group", "affair"), "Name a kept column."),
        (("report", "answers.csv"), "need the study: name it as well."),
        (("report", "reports.csv", "--out", "no/page.html"), "Create the folder first."),
        (("report", "reports.csv", "--truth", "study.toml"), ""),
    ],
)
def test_refusals_teach_and_leave_the_old_page(sfumato, published, arguments, word):
    (published / "report.html").write_text("old")
    done = sfumato(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.rstrip().endswith(word)
    assert (published / "report.html").read_text() == "old"


def test_a_simulation_is_loud(sfumato, published):
    sfumato(
        "publish", "answers.csv", "--study", "study.toml", "--out", "fake.csv", "--keys", "fake", "--unprotected",
        "--insecure-seed", "1",
    )  # fmt: skip
    done = sfumato("report", "fake.csv", "--truth", "answers.csv")
    assert done.returncode == 0
    assert "WARNING: INSECURE" in done.stderr
    page = (published / "report.html").read_text()
    assert "do not release" in page
    assert ">truth</th>" in page


def test_help_has_an_example(sfumato):
    done = sfumato("report", "--help")
    assert done.returncode == 0
    assert "sfumato report" in done.stdout.split("Example")[1]
