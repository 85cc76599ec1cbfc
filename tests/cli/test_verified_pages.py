"""sfumato verify PAGE: from a new study to a page that is checked, and refused when a number in it is changed."""

import json
import subprocess
import sys

import sfumato as sf
from certificates.test_every_kind import KINDS
from checker_samples import FILE


def checked(path):
    return subprocess.run([sys.executable, FILE, path], capture_output=True, text=True, check=False).returncode


def test_the_report_of_a_new_study_verifies_and_a_changed_one_does_not(sfumato, tmp_path):
    """A new study hides who does not answer."""
    assert sfumato("new", "study.toml").returncode == 0
    assert 'missing = "hidden"' in (tmp_path / "study.toml").read_text()
    (tmp_path / "answers.csv").write_text("answer,wave\n" + "yes,1\nno,1\nno,2\n,2\n" * 50)
    published = sfumato("publish", "answers.csv", "--study", "study.toml", "--out", "reports.parquet")
    assert published.returncode == 0, published.stderr
    assert sfumato("report", "reports.parquet", "--out", "report.html").returncode == 0
    done = sfumato("verify", "report.html")
    assert done.returncode == 0, done.stderr
    assert "This shows that the page says what its data say, not that the data are true." in done.stdout
    found = json.loads(sfumato("verify", "report.html", "--json").stdout)
    assert (found["verified"], found["certificates"]) == (True, 1)
    assert checked(tmp_path / "report.html") == 0

    page = (tmp_path / "report.html").read_text()
    (tmp_path / "changed.html").write_text(page.replace("Read from 200 reports", "Read from 900 reports"))
    refused = sfumato("verify", "changed.html", "--json")
    assert refused.returncode == 1
    assert "it shows “Read from 900 reports" in json.loads(refused.stdout)["because"]
    assert checked(tmp_path / "changed.html") == 1


def test_a_page_whose_claims_are_only_stated_is_not_called_verified(sfumato, tmp_path):
    (tmp_path / "page.html").write_text(KINDS["disclosure-public"]().to_html())
    done = sfumato("verify", "page.html")
    assert done.returncode == 3
    assert "stated, not checked: the law is private" in done.stderr
    assert json.loads(sfumato("verify", "page.html", "--json").stdout)["verified"] is False
    assert checked(tmp_path / "page.html") == 3


def test_another_html_file_is_no_page_of_ours(sfumato, tmp_path):
    (tmp_path / "page.html").write_text("<!doctype html>\n<html><head></head><body></body></html>\n")
    assert sfumato("verify", "page.html").returncode == 2
    (tmp_path / "page.html").write_text(sf.certify(sf.Channel([[1, 0], [0, 1]])).to_html())
    assert sfumato("verify", "page.html", "--opening", "page.html").returncode == 2
