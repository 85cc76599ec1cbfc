"""Every erratum of every paper: its counter-example is run, and the theory page says it in a box."""

import re
from pathlib import Path

import pytest

from sfumato.papers import PAPERS

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
        named = [box for box in boxes(slug) if box.startswith(f"**Erratum.** *{erratum.where}.*")]
        assert len(named) == 1
        for number in re.findall(r"\d\.\d{4}", erratum.counter_example):
            assert number in named[0]


@pytest.mark.parametrize("slug", list(PAPERS))
def test_every_box_is_run(slug):
    assert sum(box.startswith("**Erratum.**") for box in boxes(slug)) == len(PAPERS[slug].errata)


@pytest.mark.parametrize("slug", ["dalenius-goal", "successive-refinement"])
def test_these_pages_say_what_the_records_say_word_for_word(slug):
    words = " ".join(boxes(slug))
    for erratum in PAPERS[slug].errata:
        for said in (erratum.printed, erratum.correct, erratum.counter_example):
            assert said.rstrip(".") in words
