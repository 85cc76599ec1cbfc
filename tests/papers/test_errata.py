"""Every erratum of every paper: its kind, its example run, and the theory page says it in a box."""

import re
from pathlib import Path
from typing import get_args

import pytest

from sfumato.papers import PAPERS, ErratumKind

THEORY = Path(__file__).parents[2] / "docs" / "theory"
PAGES = {slug: THEORY / f"{slug.replace('-', '_')}_errata.md" for slug in PAPERS}
PAGES["randomized-responses"] = THEORY / "survey.md"
ERRATA = [(slug, erratum) for slug, paper in PAPERS.items() for erratum in paper.errata]


def boxes(slug):
    """The boxes of a page as plain lines of words."""
    found = re.findall(r"(?:^> .*\n)+", PAGES[slug].read_text(encoding="utf-8"), re.MULTILINE)
    return [" ".join(line.removeprefix("> ") for line in box.splitlines()) for box in found]


@pytest.mark.parametrize(("slug", "erratum"), ERRATA, ids=lambda one: one if isinstance(one, str) else one.where)
class TestEach:
    def test_the_counter_example_shows_what_it_says(self, slug, erratum):
        erratum.check()

    def test_the_theory_page_has_its_box(self, slug, erratum):
        named = [box for box in boxes(slug) if box.startswith(f"**{erratum.kind.capitalize()}.** *{erratum.where}.*")]
        assert len(named) == 1
        for number in re.findall(r"\d\.\d{4}", erratum.counter_example):
            assert number in named[0]

    def test_only_what_is_false_as_printed_is_an_error_and_the_reading_is_named(self, slug, erratum):
        assert erratum.kind in get_args(ErratumKind)
        if erratum.kind == "error":
            assert erratum.quoted
            assert erratum.reading
            assert "true as printed" not in erratum.reading
        if erratum.kind != "question settled":
            assert erratum.reading
        assert erratum.quoted or "true as printed" in erratum.reading
        headings = [name for name, _ in erratum.sayings]
        assert ("counter-example" in headings) == (erratum.kind == "error")


@pytest.mark.parametrize("slug", list(PAPERS))
def test_every_box_is_run(slug):
    kinds = tuple(f"**{kind.capitalize()}.**" for kind in get_args(ErratumKind))
    assert sum(box.startswith(kinds) for box in boxes(slug)) == len(PAPERS[slug].errata)


def test_nothing_is_called_an_erratum_any_more():
    """An erratum says of what kind it is, on every page."""
    assert [page.name for page in THEORY.glob("*.md") if "**Erratum" in page.read_text(encoding="utf-8")] == []


def test_what_was_withdrawn_stays_withdrawn():
    """Sentences that are right as printed, which an earlier list called wrong."""
    kinds = {(slug, erratum.where): erratum.kind for slug, erratum in ERRATA}
    assert kinds["dalenius-goal", "Definition 7 and after eq. (14), alphabet or support"] == "unit or notation"
    assert kinds["dalenius-goal", "Abstract and Section 1, “equivalent”"] == "missing hypothesis"
    units = [where for slug, where in kinds if slug == "dalenius-goal" and "unit" in where]
    assert units == ["The unit of ε: Theorem 1, eqs. (71)-(82), (117) and (120)"]
    for where in ("Section 4.1, records with three or more values", "Theorem 6, eq. (162)", "Proposition 7"):
        assert kinds["dalenius-goal", where] == "question settled"
    assert not any("constant leaks" in erratum.correct for _, erratum in ERRATA)
    assert kinds["recoverable-functions", "Proposition 8 (i), the condition on n"] == "question settled"
    assert kinds["recoverable-functions", "Section VI, the guarantee for a family of priors"] == "question settled"
    assert not any("doubles" in where for _, where in kinds)  # arithmetic of machines, not print
    assert kinds["successive-refinement", "Theorem 1, the ℓ1 bound"] == "gap in a proof"


@pytest.mark.parametrize("slug", [slug for slug in PAPERS if slug != "randomized-responses"])
def test_these_pages_say_what_the_records_say_word_for_word(slug):
    words = " ".join(boxes(slug))
    for erratum in PAPERS[slug].errata:
        for _, said in erratum.sayings:
            assert said.rstrip(".") in words
