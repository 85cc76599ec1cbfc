"""disclose as a person runs it: the whole is told, the parts are not, and not twice."""

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pyarrow.csv
import pytest
from statsmodels.datasets import fair

from sfumato.certificates import Certificate, verify

THESE = "--distribution-from-these-records"


@pytest.fixture(scope="module")
def table():
    data = fair.load_pandas().data
    rows = zip(data["affairs"] > 0, data["religious"] > 2, data["educ"] > 14, strict=True)
    return [("yes" if a else "no", "devout" if r else "other", "college" if e else "school") for a, r, e in rows]


@pytest.fixture
def folder(tmp_path, table):
    lines = ["affair,religion,school", *(",".join(row) for row in table)]
    (tmp_path / "fair.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_columns_of_a_real_table(sfumato, folder, table):
    done = sfumato(
        "disclose", "fair.csv", "--protect", "affair,religion,school", THESE, "--out", "release.csv", "--json"
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    told = said["owner_only"]
    assert 0.5 < told["disclosed_bits"] <= told["upper_bits"]
    # n = 6366 and 8 cells are enough to show it out of sample. Halves are drawn: the score moves by about .006.
    assert 0.9 < told["proven_bits"] < told["scored_bits"]
    assert told["scored_bits"] == pytest.approx(told["disclosed_bits"], abs=0.04)
    certificate = Certificate.read(folder / "release.csv.PRIVATE.json")
    verify(certificate)
    assert certificate["sample_leak_bits"].value == 0
    bound = certificate["leak_if_law_differs_bits"]
    assert 0.002 < bound.value.upper < 0.02
    assert bound.sentence.startswith("Nobody in these records is covered")
    assert f"at most {bound.value.upper:g} bits about any protected value, whatever the true law" in bound.sentence
    assert "for a person outside the 6366 records the law was made from" in bound.sentence
    # By another way: the mapping times the smoothed counts is independent of each column, in fractions.
    values = [sorted({row[i] for row in table}) for i in range(3)]
    counts = Counter(tuple(values[i].index(row[i]) for i in range(3)) for row in table)
    added = certificate.subject.estimation.terms.smoothing
    row_of = dict(zip(certificate.subject.channel.inputs, certificate.subject.channel.rows, strict=True))
    assert len(row_of) == 8
    for i in range(3):
        for symbol in range(certificate.subject.channel.shape[1]):
            shares = []
            for value in range(2):
                mine = {cell: counts[cell] + added for cell in row_of if cell[i] == value}
                total = sum((n * row_of[cell][symbol] for cell, n in mine.items()), Fraction(0))
                shares.append(total / sum(mine.values()))
            assert shares[0] == shares[1]
    released = pyarrow.csv.read_csv(folder / "release.csv")
    assert released.column_names == ["symbol"]
    assert len(released) == len(table)


def test_what_is_private_is_kept_and_what_is_public_is_only_stated(sfumato, folder):
    done = sfumato(
        "disclose", "fair.csv", "--protect", "affair,religion,school", THESE, "--out", "release.csv", "--json"
    )
    said = json.loads(done.stdout)
    assert said["certificate"] == "release.csv.certificate.json"
    assert said["private"] == "release.csv.PRIVATE.json"
    for name in (said["private"], "fair.csv.releases.json"):
        assert (folder / name).stat().st_mode & 0o077 == 0
    stated = sfumato("verify", "release.csv.certificate.json")
    assert stated.returncode == 3
    assert "stated, not checked: the law is private" in stated.stderr
    assert "--opening" in stated.stderr
    assert "Verified" not in stated.stdout
    again = sfumato("verify", "release.csv.certificate.json", "--json")
    assert again.returncode == 3
    assert json.loads(again.stdout) == {
        "verified": False,
        "stated": 2,
        "because": "stated, not checked: the law is private",
    }
    opened = sfumato("verify", "release.csv.certificate.json", "--opening", "release.csv.PRIVATE.json")
    assert opened.returncode == 0, opened.stderr
    assert "recomputed from the private file, which is the one it commits to" in opened.stdout
    alone = sfumato("verify", "release.csv.PRIVATE.json", "--json")
    assert json.loads(alone.stdout) == {"verified": True, "claims": 3}
    needless = sfumato("verify", "release.csv.PRIVATE.json", "--opening", "release.csv.PRIVATE.json")
    assert needless.returncode == 2
    assert "--opening is for a certificate whose law is private" in needless.stderr


def test_where_the_law_comes_from_has_to_be_said(sfumato, folder):
    done = sfumato("disclose", "fair.csv", "--protect", "affair,religion", "--out", "x.csv")
    assert done.returncode == 2
    for option in (
        "--distribution-from,",
        "--distribution,",
        "--private-histogram,",
        "--distribution-from-these-records",
    ):
        assert option in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["fair.csv"]


def test_the_law_of_other_people(sfumato, folder, table):
    """One half of the table is last year's: those of this year are outside, and B is about them."""
    header = "affair,religion,school"
    for name, rows in (("last_year.csv", table[::2]), ("this_year.csv", table[1::2])):
        (folder / name).write_text("\n".join([header, *(",".join(row) for row in rows)]) + "\n")
    disclose = ("disclose", "this_year.csv", "--protect", header, "--distribution-from", "last_year.csv", "--out")
    done = sfumato(*disclose, "one.csv", "--beta", "1e-3")
    assert done.returncode == 0, done.stderr
    assert "Nobody" not in done.stdout
    assert "at confidence 1 - 0.001, for a person outside the 3183 records" in done.stdout
    assert "For you alone" in done.stdout
    assert sfumato("verify", "one.csv.certificate.json").returncode == 3
    assert sfumato("verify", "one.csv.certificate.json", "--opening", "one.csv.PRIVATE.json").returncode == 0
    assert not (folder / "one.csv.reading.csv").exists()
    public = sfumato(*disclose, "two.csv", "--registry", "two", "--distribution-is-public", "-q")
    assert public.returncode == 0, public.stderr
    assert sfumato("verify", "two.csv.certificate.json").returncode == 0
    assert not (folder / "two.csv.PRIVATE.json").exists()
    reading = pyarrow.csv.read_csv(folder / "two.csv.reading.csv")
    assert reading.column_names == ["symbol", "affair", "religion", "school", "probability"]
    for symbol in set(reading["symbol"].to_pylist()):
        mine = [
            p
            for s, p in zip(reading["symbol"].to_pylist(), reading["probability"].to_pylist(), strict=True)
            if s == symbol
        ]
        assert sum(mine) == pytest.approx(1)


def test_a_value_that_last_year_did_not_have(sfumato, folder):
    (folder / "last.csv").write_text("a,b\n" + "no,x\nyes,x\nno,y\nyes,y\nno,y\n" * 20)
    (folder / "now.csv").write_text("a,b\n" + "no,x\nyes,z\nno,y\nyes,y\nno,y\n" * 20)
    disclose = ("disclose", "now.csv", "--protect", "a,b", "--distribution-from", "last.csv", "--out", "o.csv")
    done = sfumato(*disclose)
    assert done.returncode == 2
    assert "--distribution-from leaves out 1 of the values of column b" in done.stderr
    assert "--values" in done.stderr
    declared = sfumato(*disclose, "--values", "b=x,y,z", "--values", "a=no,yes,unknown", "--even-if-nothing", "-q")
    assert declared.returncode == 0, declared.stderr
    private = Certificate.read(folder / "o.csv.PRIVATE.json")
    assert private.subject.law.shape == (3, 3)
    assert private.subject.law.size == 9, "values that never came up have rows, for a refusal would be a signal"


def test_a_declared_law_of_columns_and_of_what_is_told_about(sfumato, folder):
    lines = ["religion,affair,school,probability"]
    for religion, affair, school, weight in [
        ("devout", "yes", "school", 3),
        ("devout", "no", "school", 9),
        ("devout", "yes", "college", 2),
        ("devout", "no", "college", 6),
        ("other", "yes", "school", 7),
        ("other", "no", "school", 6),
        ("other", "yes", "college", 3),
        ("other", "no", "college", 4),
    ]:
        lines.append(f"{religion},{affair},{school},{weight}/40")
    (folder / "law.csv").write_text("\n".join(lines) + "\n")
    disclose = ("disclose", "fair.csv", "--protect", "affair,religion", "--about", "school", "--distribution")
    refused = sfumato(*disclose, "law.csv", "--out", "x.csv", "-q")
    assert refused.returncode == 1
    assert "nothing was shown to be told" in refused.stderr
    assert "--even-if-nothing. Nothing was booked or written" in refused.stderr
    assert not list(folder.glob("x.csv*"))
    assert not (folder / "fair.csv.releases.json").exists()
    done = sfumato(*disclose, "law.csv", "--out", "x.csv", "--even-if-nothing", "-q")
    assert done.returncode == 0, done.stderr
    assert sfumato("verify", "x.csv.certificate.json").returncode == 0
    assert pyarrow.csv.read_csv(folder / "x.csv.reading.csv").column_names == ["symbol", "school", "probability"]
    (folder / "less.csv").write_text("affair,religion,probability\nyes,devout,1\n")
    less = sfumato(*disclose, "less.csv", "--out", "y.csv", "--registry", "y")
    assert less.returncode == 2
    assert "must have the columns affair, religion, school, probability" in less.stderr


def test_a_private_histogram_is_public_and_its_cost_is_stated(sfumato, folder):
    assert sfumato("budget", "init", "budget", "--budget-bits", "10").returncode == 0
    done = sfumato(
        "disclose", "fair.csv", "--protect", "affair,religion", "--private-histogram", "1", "--out", "h.csv",
        "--values", "affair=no,yes", "--values", "religion=devout,other", "--ledger", "budget",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "by itself it tells at most 0.178 bits about any one of them, if records are independent" in done.stdout
    assert sfumato("verify", "h.csv.certificate.json").returncode == 0
    assert (folder / "h.csv.reading.csv").exists()
    assert not (folder / "h.csv.PRIVATE.json").exists()
    (entry,) = json.loads(sfumato("budget", "show", "budget", "--json").stdout)["entries"]
    assert any("differential privacy with ε = 1" in note for note in entry["notes"])


def test_forged_certificates_are_refused_by_the_command(sfumato):
    for path in sorted((Path(__file__).parents[1] / "vectors" / "forged").glob("disclosure_*.json")):
        done = sfumato("verify", str(path))
        assert done.returncode in (1, 2), path.name
        assert "Verified" not in done.stdout
        assert done.stderr.count("\n") == 1


def test_the_private_file_of_another_run_is_not_the_one_committed_to(sfumato, folder):
    for name in ("one", "two"):
        made = sfumato(
            "disclose", "fair.csv", "--protect", "affair,school", THESE, "-o", f"{name}.csv", "--registry", name, "-q"
        )
        assert made.returncode == 0, made.stderr
    for private, sentence in [
        ("two.csv.PRIVATE.json", "not the one that the public certificate commits to"),
        ("one.csv.certificate.json", "must be the private certificate"),
    ]:
        done = sfumato("verify", "one.csv.certificate.json", "--opening", private)
        assert done.returncode in (1, 2)
        assert sentence in done.stderr


def test_a_release_that_tells_nothing_is_refused_before_it_is_booked(sfumato, folder):
    """Two copies of one column: whatever is told about both tells about each."""
    rows = ["a,b", *["no,no", "yes,yes", "yes,yes"] * 20]
    (folder / "copies.csv").write_text("\n".join(rows) + "\n")
    assert sfumato("budget", "init", "budget", "--budget-bits", "10").returncode == 0
    before = sorted(path.name for path in folder.iterdir())
    done = sfumato("disclose", "copies.csv", "--protect", "a,b", THESE, "--out", "x.csv", "--ledger", "budget")
    assert done.returncode == 1
    assert "would tell nothing" in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == before
    assert json.loads(sfumato("budget", "show", "budget", "--json").stdout)["entries"] == []


def test_a_second_release_of_any_of_the_columns_is_refused(sfumato, folder):
    assert (
        sfumato("disclose", "fair.csv", "--protect", "affair,religion", THESE, "--out", "one.csv", "-q").returncode == 0
    )
    again = sfumato("disclose", "fair.csv", "--protect", "religion,school", THESE, "--out", "two.csv")
    assert again.returncode == 1
    assert "leak together" in again.stderr
    assert not (folder / "two.csv").exists()
    other = sfumato(
        "disclose", "fair.csv", "--protect", "school", "--samples", "rows", THESE, "--out", "three.csv", "-q"
    )
    assert other.returncode == 0, other.stderr


def test_rows_as_one_data_set(sfumato, folder):
    done = sfumato("disclose", "fair.csv", "--protect", "affair", "--samples", "rows", THESE, "--out", "rows.csv")
    assert done.returncode == 0, done.stderr
    assert "windows of 3 rows that share one row" in done.stdout
    assert "at most 1 bits about any protected value" in done.stdout, "6365 times D(p‖p̂) is more than a bit"
    assert sfumato("verify", "rows.csv.certificate.json").returncode == 3
    assert sfumato("verify", "rows.csv.PRIVATE.json").returncode == 0
    opened = sfumato("verify", "rows.csv.certificate.json", "--opening", "rows.csv.PRIVATE.json")
    assert opened.returncode == 0, opened.stderr
    (folder / "law.csv").write_text("outcome,probability\nyes,1/3\nno,2/3\n")
    (folder / "fair.csv.releases.json").unlink()
    known = sfumato(
        "disclose", "fair.csv", "--protect", "affair", "--samples", "rows", "--distribution", "law.csv", "-o", "k.csv"
    )
    assert known.returncode == 0, known.stderr
    assert "whatever the true law" not in known.stdout
    assert sfumato("verify", "k.csv.certificate.json").returncode == 0
    assert not (folder / "k.csv.PRIVATE.json").exists(), "a declared law is nobody's secret"


BAD = [
    (("--protect", "affair"), "at least two"),
    (("--protect", "affair,income"), "no column 'income'"),
    (("--protect", "affair,religion", "--samples", "rows"), "one column"),
    (("--protect", "affair,religion", "--distribution", "x.csv"), "x.csv"),
    (("--protect", "affair,religion", "--distribution-from", "fair.csv", "--private-histogram", "1"), "is said twice"),
    (
        ("--protect", "affair,religion", "--distribution-is-public", THESE),
        "--distribution-is-public is about a table of other people",
    ),
    (("--protect", "affair,religion", "--private-histogram", "1"), "--values must say which values column affair"),
    (("--protect", "affair,religion", "--private-histogram", "0"), "--private-histogram 0 must lie between"),
    (("--protect", "affair,religion", THESE, "--beta", "0"), "--beta 0 must lie between"),
    (("--protect", "affair,religion", THESE, "--values", "affair"), "--values must name a column once"),
    (("--protect", "affair,religion", THESE, "--values", "affair=no,maybe"), "--values leaves out 1 of the values"),
]


@pytest.mark.parametrize(("arguments", "sentence"), BAD, ids=range(len(BAD)))
def test_bad_input(sfumato, folder, arguments, sentence):
    given = () if any(word.startswith(("--distribution", "--private")) for word in arguments) else (THESE,)
    done = sfumato("disclose", "fair.csv", "--out", "x.csv", *arguments, *given)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert not (folder / "x.csv").exists()
    assert not (folder / "fair.csv.releases.json").exists()


def test_a_damaged_book_stops_everything(sfumato, folder):
    (folder / "fair.csv.releases.json").write_text("{}")
    done = sfumato("disclose", "fair.csv", "--protect", "affair,religion", THESE, "--out", "x.csv")
    assert done.returncode == 2
    assert "guards the data" in done.stderr


STUDY = """schema = "sfumato/study/2"
name = "Marriage"

[public]
epsilon = 1.0

[disclosure]
protect = ["affair", "religion"]

[[questions]]
id = "school"
text = "Did you go to college?"
kind = "yes-no"
answers = ["school", "college"]
"""


def test_a_study_declares_its_disclosure_and_the_page_tells_about_it(sfumato, folder):
    (folder / "study.toml").write_text(STUDY)
    assert sfumato("disclose", "fair.csv", "--study", "study.toml", THESE, "--out", "whole.csv", "-q").returncode == 0
    assert sfumato("publish", "fair.csv", "--study", "study.toml", "--out", "reports.csv", "-q").returncode == 0
    done = sfumato("report", "reports.csv", "--release", "whole.csv", "--out", "page.html")
    assert done.returncode == 0, done.stderr
    page = (folder / "page.html").read_text()
    assert "What the data say as a whole" in page
    assert "Protected: affair, religion." in page
    assert "tells nothing at all about any single sample" in page
    assert "Stated, not checked" in page
    assert '"mapping"' not in page
    (folder / "whole.csv.certificate.json").write_bytes((folder / "whole.csv.PRIVATE.json").read_bytes())
    careless = sfumato("report", "reports.csv", "--release", "whole.csv", "--out", "careless.html")
    assert careless.returncode == 2
    assert "gives the records away" in careless.stderr
    assert not (folder / "careless.html").exists()
    without = sfumato("report", "reports.csv", "--out", "plain.html")
    assert without.returncode == 0
    assert "What the data say as a whole" not in (folder / "plain.html").read_text()


def test_a_question_cannot_be_disclosed_as_well(sfumato, folder):
    (folder / "study.toml").write_text(STUDY.replace('"religion"]', '"school"]'))
    done = sfumato("disclose", "fair.csv", "--study", "study.toml", "--out", "whole.csv")
    assert done.returncode == 2
    assert "line 8" in done.stderr
    assert "leak together" in done.stderr
    (folder / "study.toml").write_text(STUDY.replace('[disclosure]\nprotect = ["affair", "religion"]\n', ""))
    none = sfumato("disclose", "fair.csv", "--study", "study.toml", "--out", "whole.csv")
    assert "no [disclosure]" in none.stderr
    asked = sfumato("disclose", "fair.csv", "--study", "study.toml", "--protect", "affair,school", "--out", "w.csv")
    assert asked.returncode == 2
    assert "'school', which is a question as well" in asked.stderr
    (folder / "study.toml").write_text(STUDY)
    both = sfumato("disclose", "fair.csv", "--study", "study.toml", "--protect", "affair,religion", "--out", "w.csv")
    assert both.returncode == 2
    assert "one of the two" in both.stderr
    neither = sfumato("disclose", "fair.csv", "--out", "w.csv")
    assert neither.returncode == 2


def test_of_two_releases_at_once_one_is_refused(folder):
    """Both have looked at the registry and found nothing; the second to write is refused all the same."""
    from sfumato.errors import KeyReused
    from sfumato.files.tables import read_table
    from sfumato.workflows.disclosing import check_not_released, record_release

    data, _ = read_table(folder / "fair.csv")
    registry = folder / "registry.json"
    first = check_not_released(registry, ["affair", "religion"], data)
    second = check_not_released(registry, ["religion", "school"], data)
    record_release(registry, first, "one.csv")
    with pytest.raises(KeyReused, match="leak together"):
        record_release(registry, second, "two.csv")
    assert [entry["release"] for entry in json.loads(registry.read_text())["releases"]] == ["one.csv"]
