"""sfumato fit: what it prints and writes in each form, and what it says when it cannot."""

import json
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from analysed import KEPT, people, published, study


@pytest.fixture
def folder(tmp_path):
    published().write(tmp_path / "reports.parquet")
    return tmp_path


def test_a_model_in_the_terminal_is_that_of_the_library(sfumato, folder):
    done = sfumato("fit", "reports.parquet", "--model", "affair ~ age + C(region)")
    assert done.returncode == 0, done.stderr
    assert "affair ~ age + C(region)  (logistic model · “yes” against “no”)" in done.stdout
    found = sf.fit(published(), "affair ~ age + C(region)")
    for one in found.coefficients:
        assert one.name in done.stdout
    assert f"{found['age'].estimate:.5f}" in done.stdout
    assert "3,000 reports; standard errors: observed" in done.stdout
    assert "likelihood ratio χ²" in done.stdout
    assert "WARNING: INSECURE" in done.stderr


def test_json_holds_every_number(sfumato, folder):
    done = sfumato("fit", "reports.parquet", "--model", "affair ~ age", "--group", "region", "--json")
    document = json.loads(done.stdout)
    assert document["schema"] == "sfumato/fit/1"
    assert [fit["group"] for fit in document["fits"]] == [None, "coast", "hill", "plain"]
    found = sf.fit(published(), "affair ~ age")
    first = document["fits"][0]
    assert first["coefficients"][1]["estimate"] == found["age"].estimate
    assert np.array(first["covariance"]) == pytest.approx(found.covariance)


def test_markdown_and_latex_say_the_same(sfumato, folder):
    plain = sfumato("fit", "reports.parquet", "--model", "affair ~ age", "--markdown").stdout
    assert "| coefficient | estimate |" in plain
    latex = sfumato("fit", "reports.parquet", "--model", "affair ~ age", "--latex").stdout
    assert latex.count("\\begin{tabular}") == latex.count("\\end{tabular}") == 1
    assert r"affair \textasciitilde{} age" in latex
    number = f"{sf.fit(published(), 'affair ~ age')['age'].estimate:.5f}"
    assert number in plain
    assert number in latex


def test_a_page_and_a_picture_are_written(sfumato, folder):
    done = sfumato("fit", "reports.parquet", "--model", "affair ~ age", "--out", "fit.html", "--plot", "fit.svg", "-q")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    page = (folder / "fit.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "script-src" not in page
    assert (folder / "fit.svg").read_text(encoding="utf-8").rstrip().endswith("</svg>")
    assert "age" in (folder / "fit.svg").read_text(encoding="utf-8")


def test_joint_tables_and_weighted_shares(sfumato, folder):
    crossed = sfumato("fit", "reports.parquet", "--cross", "affair,often")
    assert crossed.returncode == 0, crossed.stderr
    assert "Affair? × How often?" in crossed.stdout
    assert "degrees of freedom, p < 0.0001" in crossed.stdout
    cells = json.loads(sfumato("fit", "reports.parquet", "--cross", "affair,often", "--json").stdout)
    assert len(cells["cells"]) == 6
    (folder / "margins.toml").write_text("[region]\nhill = 5000\ncoast = 3000\nplain = 2000\n")
    shares = sfumato("fit", "reports.parquet", "--shares", "affair", "--weights", "weight", "--margins", "margins.toml")
    assert shares.returncode == 0, shares.stderr
    assert "design effect" in shares.stdout


def test_typed_in_reports_come_after_their_study(sfumato, tmp_path):
    card = sf.Card(id="debt", text="In debt?", guess_error=Fraction(3, 8))
    asked = sf.Study(name="Paper", questions=(card,))
    sf.write_study(asked, tmp_path / "paper.toml")
    labels = asked.handler("debt").report_labels
    lines = ["debt,age", *(f"{labels[n % len(labels)]},{20 + n % 37}" for n in range(300))]
    (tmp_path / "typed.csv").write_text("\n".join(lines) + "\n")
    done = sfumato("fit", "paper.toml", "typed.csv", "--model", "debt ~ age")
    assert done.returncode == 0, done.stderr
    assert "300 reports" in done.stdout


def test_opened_reports_are_surer(sfumato, tmp_path):
    asked = study(public_epsilon=Fraction(1), analysts=(sf.Analyst(name="ministry", epsilon=Fraction(4)),))
    made = sf.publish(asked, people(), keep=KEPT, insecure_seed=5)
    made.reports.write(tmp_path / "public.parquet")
    sf.open_reports(made.reports, made.keys["affair"][1]).write(tmp_path / "opened.parquet")
    errors = []
    for name in ("public", "opened"):
        done = sfumato("fit", f"{name}.parquet", "--model", "affair ~ age", "--json")
        errors.append(json.loads(done.stdout)["fits"][0]["coefficients"][1]["standard_error"])
    assert errors[1] < 0.6 * errors[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--model or --cross or --shares must be given"),
        (["--model", "affair ~ age", "--cross", "affair,often"], "one of the three"),
        (["--model", "affair ~ age", "--json", "--latex"], "both want the screen"),
        (["--cross", "affair,often", "--plot", "p.svg"], "no model is fitted"),
        (["--cross", "affair,often", "--group", "region"], "is for models"),
        (["--cross", "affair,often", "--weights", "weight"], "takes no weights"),
        (["--model", "affair ~ nobody"], "'nobody', which is no column; known are: affair, age"),
        (["--model", "affair ~ age", "--weights", "nobody"], "is no public column"),
        (["--model", "affair ~ age", "--margins", "nowhere.toml"], "nowhere.toml"),
        (["--shares", "nobody"], "nothing that was randomised"),
        (["--model", "affair ~ age + I(2*age)"], "collinear"),
        (["--model", "affair ~ age", "--out", "nowhere/fit.html"], "a folder that does not exist"),
        (["--model", "affair ~ age", "--kind", "ordered"], None),
    ],
)
def test_what_it_cannot_do_is_a_sentence(sfumato, folder, arguments, words):
    before = sorted(folder.iterdir())
    done = sfumato("fit", "reports.parquet", *arguments)
    if words is None:
        assert done.returncode == 0, done.stderr
        return
    assert done.returncode in {1, 2}
    assert words in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert sorted(folder.iterdir()) == before, "nothing half-written"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("region = 3", "a table for each column"),
        ("[region", "is no TOML"),
        ('[region]\nhill = "x"', "a number for each"),
    ],
)
def test_margins_that_are_none(sfumato, folder, text, words):
    (folder / "m.toml").write_text(text)
    done = sfumato("fit", "reports.parquet", "--shares", "affair", "--margins", "m.toml")
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())
