"""papers as a command: what it lists, prints, draws and refuses."""

import json
import re

import pytest

SLUG = "randomized-responses"
NAMES = ["both-limits", "figure-2", "figure-3", "figure-4"]


def test_without_a_name_it_lists(sfumato):
    done = sfumato("papers")
    assert done.returncode == 0
    assert f"{SLUG}  [C] Accuracy-Privacy Trade-off" in done.stdout
    listed = json.loads(sfumato("papers", "--json").stdout)
    assert SLUG in {paper["slug"] for paper in listed["papers"]}


def test_print_beside_recomputed(sfumato):
    done = sfumato("papers", SLUG)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "[δ+(1-δ)(1-η), (1-δ)η]" in done.stdout
    warner = next(line for line in done.stdout.splitlines() if "Warner " in line)
    assert [cell.strip() for cell in warner.split("│")[1:-1]] == [
        "Warner", "[δ, 1-δ]", "1/4", "1.1905", "[5/8, 3/8]", "3/8", "0.2604", "breaks the",
    ]  # fmt: skip
    assert done.stdout.count("confirmed") == 6
    heads = re.findall(r"^(Error|Unit or notation) \d\. ", done.stdout, re.MULTILINE)
    assert heads == ["Error", "Error", "Unit or notation", "Error", "Unit or notation", "Error"]
    assert "“Under this constraint, we minimize the Fisher information J_θ.”" in done.stdout
    assert "NOT" not in done.stdout


@pytest.mark.slow
def test_figures_are_drawn_alike_in_every_process(sfumato, tmp_path):
    from sfumato.papers import PAPERS, png_bytes, svg_bytes

    done = sfumato("papers", SLUG, "--out", "new/figures", "--json")
    assert done.returncode == 0
    wrote = [line.removeprefix("wrote ") for line in done.stderr.splitlines() if line.startswith("wrote ")]
    document = json.loads(done.stdout)
    assert document["written"] == wrote
    assert document["figures"] == NAMES
    assert all(erratum["confirmed"] for erratum in document["errata"])
    assert {erratum["kind"] for erratum in document["errata"]} == {"error", "unit or notation"}
    assert all(erratum["quoted"] and erratum["reading"] for erratum in document["errata"])
    assert document["tables"]["table-1"]["rows"][0][2] == "1/4"
    made = {path.name: path.read_bytes() for path in (tmp_path / "new" / "figures").iterdir()}
    expected = {}
    for name, draw in PAPERS[SLUG].figures.items():
        figure = draw()
        expected |= {f"{SLUG}-{name}.svg": svg_bytes(figure), f"{SLUG}-{name}.png": png_bytes(figure)}
    assert made.keys() == expected.keys()
    assert [name for name, data in made.items() if data != expected[name]] == []
    assert all(len(data) > 10_000 for data in made.values())


def test_entries_say_print_ours_and_erratum(sfumato):
    entries = json.loads(sfumato("papers", SLUG, "--json").stdout)["entries"]
    warner = entries[0]
    assert (warner["place"], warner["parameter"], warner["value"]) == ("table-1", "δ", 0.25)
    assert (round(warner["printed"], 4), round(warner["ours"], 4)) == (1.1905, 0.2604)
    assert (warner["agrees"], warner["erratum"]) == (False, "Table I, Warner's row")
    assert all((entry["agrees"] is False) == (entry["erratum"] is not None) for entry in entries)


def test_a_gallery_of_one_paper(sfumato, tmp_path):
    done = sfumato("papers", SLUG, "--gallery", "gallery.html", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == {"schema": "sfumato/gallery/1", "papers": [SLUG], "page": "gallery.html"}
    page = (tmp_path / "gallery.html").read_text()
    assert page.count("<img ") == len(NAMES)
    assert page.count("<dt>verdict</dt><dd>confirmed") == 6


@pytest.mark.slow
def test_the_gallery_takes_all_papers_without_a_name(monkeypatch, capsys, tmp_path):
    import dataclasses

    from sfumato import papers
    from sfumato.cli.papers import papers_command

    short = {slug: dataclasses.replace(paper, figures={}, entries=()) for slug, paper in papers.PAPERS.items()}
    monkeypatch.setattr(papers, "PAPERS", short)
    papers_command(gallery=tmp_path / "gallery.html")
    assert capsys.readouterr().out == f"wrote {tmp_path / 'gallery.html'}\n"
    page = (tmp_path / "gallery.html").read_text()
    assert all(paper.title in page for paper in short.values())


def test_an_existing_folder_keeps_what_else_it_holds(monkeypatch, capsys, tmp_path):
    import dataclasses

    from sfumato import papers
    from sfumato.cli.papers import papers_command

    paper = papers.PAPERS[SLUG]
    short = dataclasses.replace(paper, figures={"figure-3": paper.figures["figure-3"]})
    monkeypatch.setattr(papers, "PAPERS", {SLUG: short})
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / f"{SLUG}-figure-3.svg").write_text("old")
    papers_command(SLUG, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "notes.txt",
        f"{SLUG}-figure-3.png",
        f"{SLUG}-figure-3.svg",
    ]
    assert (tmp_path / f"{SLUG}-figure-3.svg").read_text() != "old"
    assert "Error 1." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("papers", "randomised-responses"), "Known papers: "),
        (("papers", "--out", "figures"), "Name one of "),
        (("papers", SLUG, "--out", "taken"), "Name a folder."),
        (("papers", "--gallery", "page.html", "--out", "figures"), "Give one."),
        (("papers", SLUG, "--set", "nope=1"), "delta (table-1, figure-2"),
        (("papers", SLUG, "--set", "delta=2"), "must lie strictly between 0 and 1"),
        (("papers", "--set", "delta=1/3"), "Name one of "),
        (("papers", SLUG, "--out", "taken/figures"), "Name a folder."),
    ],
)
def test_refusals_teach(sfumato, tmp_path, arguments, word):
    (tmp_path / "taken").write_text("precious")
    done = sfumato(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert word in done.stderr
    assert (tmp_path / "taken").read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_a_counter_example_that_fails_is_said_and_ends_in_1(monkeypatch, capsys):
    import dataclasses

    import typer

    from sfumato import papers
    from sfumato.cli.papers import papers_command
    from sfumato.errors import ClaimRefused

    def refuse():
        raise ClaimRefused("the counter-example does not show [what] it says.")

    paper = papers.PAPERS[SLUG]
    bad = dataclasses.replace(paper, errata=(dataclasses.replace(paper.errata[0], check=refuse),))
    monkeypatch.setattr(papers, "PAPERS", {SLUG: bad})
    with pytest.raises(typer.Exit) as ended:
        papers_command(SLUG)
    assert ended.value.exit_code == 1
    assert "NOT CONFIRMED: the counter-example does not show [what] it says." in capsys.readouterr().out


def test_a_narrow_screen_still_shows_everything(monkeypatch, capsys):
    from rich.console import Console

    from sfumato.cli import papers

    monkeypatch.setattr(papers, "console", lambda: Console(width=80))
    papers.papers_command(SLUG)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert any("0.2604" in line for line in lines)


def test_help_has_an_example(sfumato):
    done = sfumato("papers", "--help")
    assert done.returncode == 0
    assert "sfumato papers" in done.stdout.split("Example")[1]


def test_claims_are_shown_one_by_one_also_at_other_values(capsys):
    from sfumato.cli.papers import papers_command

    papers_command(SLUG, settings=["delta=1/3"])
    shown = capsys.readouterr().out
    assert "Table I at δ = 1/3" in shown
    claims = shown[shown.index("Claim by claim: print beside ours") :]
    assert "NOT EXPLAINED" not in claims
    assert "agrees" in claims
    assert "100/209" in claims  # Warner's J, which the print has right at δ = 1/3 only
