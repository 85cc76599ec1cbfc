"""Every page in a real Chromium: accessible by axe-core's rules, silent on the network, whole on phone and paper."""

import dataclasses
import io
import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from matplotlib.image import imread

from browser.devtools import missing_sentence
from page_samples import ANSWERS, sample_files, sample_plan
from sfumato.certificates import certify
from sfumato.papers import PAPERS
from sfumato.papers.gallery import gallery_html
from sfumato.prob import Channel
from sfumato.render.report_pages import study_report_html

CHANNEL = Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
NAMES = ["report", "simulation", "certificate", "gallery"]
PAPER_WIDTH = 718  # A4 at 96 pixels an inch, less Chromium's margins
OUTSIDE = """[...document.querySelectorAll('h1,h2,h3,h4,p,li,th,td,dt,dd,img,svg text')].filter(
  e => e.getClientRects().length && e.getBoundingClientRect().right > document.documentElement.clientWidth + 1
).map(e => e.textContent.slice(0, 40))"""


def make(name):
    if name == "report":
        return study_report_html(sample_plan(), sample_files(), group="region")
    if name == "simulation":
        return study_report_html(sample_plan(), sample_files(is_secure=False)[:2], truth=ANSWERS)
    if name == "certificate":
        return certify(CHANNEL).to_html()
    # A drawing and a picture of pixels stand for the others, some of which take seconds.
    kept = {"figure-4", "figure-5b"}
    return gallery_html(
        {
            slug: dataclasses.replace(
                paper,
                figures={key: draw for key, draw in paper.figures.items() if key in kept},
                entries=tuple(entry for entry in paper.entries if entry.place != "figure-4a"),
            )
            for slug, paper in PAPERS.items()
        }
    )


@pytest.fixture(scope="session")
def addresses(tmp_path_factory):
    """Pages are made when they are first asked for, and then kept."""
    folder, made = tmp_path_factory.mktemp("pages"), {}

    def address(name):
        if name not in made:
            made[name] = folder / f"{name}.html"
            made[name].write_text(make(name))
        return made[name].as_uri()

    return address


def planted(tmp_path, inside, *, policy=""):
    page = tmp_path / "planted.html"
    page.write_text(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Planted</title>{policy}</head>'
        f"<body><main><h1>Planted</h1>{inside}</main></body></html>"
    )
    return page.as_uri()


class TestAccessibility:
    @pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
    @pytest.mark.parametrize("name", [*NAMES[:-1], pytest.param(NAMES[-1], marks=pytest.mark.slow)])
    def test_no_violations_of_wcag_2_a_and_aa(self, browser, addresses, name, dark):
        with browser.page(addresses(name), dark=dark) as page:
            assert page.violations() == []

    def test_none_on_a_phone_where_tables_scroll(self, browser, addresses):
        with browser.page(addresses("report"), width=375, height=812) as page:
            assert page.violations() == []

    @pytest.mark.parametrize(
        ("fault", "rule"),
        [
            ('<p style="color:#bbb;background:#fff">pale</p>', "color-contrast"),
            ('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">', "image-alt"),
            ('<svg role="img" width="9" height="9"></svg>', "svg-img-alt"),
        ],
    )
    def test_planted_faults_are_found(self, browser, tmp_path, fault, rule):
        with browser.page(planted(tmp_path, fault)) as page:
            assert [found for found, _ in page.violations()] == [rule]

    def test_a_fault_planted_in_the_report_is_found(self, browser, addresses, tmp_path):
        """The same page with its pictures' names taken away."""
        path = tmp_path / "bad.html"
        with browser.page(addresses("report")) as page:
            whole = page.run("document.documentElement.outerHTML")
        path.write_text("<!doctype html>" + re.sub(r"<title id=.*?</desc>", "", whole))
        with browser.page(path.as_uri()) as page:
            assert [rule for rule, _ in page.violations()] == ["svg-img-alt"]

    def test_dark_is_dark(self, browser, addresses):
        shades = []
        for dark in (False, True):
            with browser.page(addresses("report"), dark=dark) as page:
                shades.append(page.run("getComputedStyle(document.body).backgroundColor"))
        assert shades == ["rgb(251, 250, 247)", "rgb(21, 25, 29)"]


class TestNetwork:
    @pytest.mark.parametrize("name", NAMES)
    def test_nothing_is_asked_for_elsewhere(self, browser, addresses, name):
        with browser.page(addresses(name)) as page:
            assert page.run("document.readyState") == "complete"
            asked = page.requested()
            assert asked
            assert [address for address in asked if not address.startswith(("file://", "data:"))] == []
            assert page.complaints() == []

    def test_a_planted_request_is_seen_and_our_policy_stops_it(self, browser, addresses, tmp_path):
        pixel = '<img alt="a dot" src="http://127.0.0.1:9/dot.png">'
        with browser.page(planted(tmp_path, pixel)) as page:
            assert "http://127.0.0.1:9/dot.png" in page.requested()
        with browser.page(addresses("certificate")) as page:
            policy = page.run("document.querySelector('meta[http-equiv]').outerHTML")
        with browser.page(planted(tmp_path, pixel + "<script>document.title = 'ran'</script>", policy=policy)) as page:
            assert [line for line in page.complaints() if "Content Security Policy" in line]
            assert page.run("document.title") == "Planted"


class TestPhone:
    @pytest.mark.parametrize("name", NAMES)
    def test_the_page_itself_never_scrolls_sideways(self, browser, addresses, name):
        with browser.page(addresses(name), width=375, height=812) as page:
            assert page.run("innerWidth") == 375
            assert page.overflow() <= 0

    def test_too_wide_a_page_would_be_noticed(self, browser, tmp_path):
        with browser.page(planted(tmp_path, '<p style="width:900px">wide</p>'), width=375, height=812) as page:
            assert page.overflow() > 0 or page.run("innerWidth") > 375

    def test_tables_scroll_in_boxes_that_the_keyboard_reaches(self, browser, addresses):
        with browser.page(addresses("report"), width=375, height=812) as page:
            boxes = page.run(
                "[...document.querySelectorAll('.wide')].map(b => [b.tabIndex, b.getAttribute('aria-label'), "
                "b.scrollWidth > b.clientWidth])"
            )
        assert any(is_scrolling for _, _, is_scrolling in boxes)
        assert all(place == 0 and label for place, label, _ in boxes)

    def test_letters_in_pictures_keep_their_size(self, browser, addresses):
        with browser.page(addresses("report"), width=375, height=812) as page:
            heights = page.run(
                "[...document.querySelectorAll('svg.dots text')].map(t => t.getBoundingClientRect().height)"
            )
        assert min(heights) > 11


class TestPaper:
    @pytest.mark.parametrize("name", NAMES)
    def test_it_prints_on_several_pages(self, browser, addresses, name):
        with browser.page(addresses(name)) as page:
            printed = page.printed()
        assert printed.startswith(b"%PDF-")
        assert len(re.findall(rb"/Type /Page\b", printed)) > 1

    @pytest.mark.parametrize("name", NAMES)
    def test_no_text_reaches_over_the_edge(self, browser, addresses, name):
        with browser.page(addresses(name), width=PAPER_WIDTH, height=1000, paper=True) as page:
            assert page.overflow() <= 0
            assert page.run(OUTSIDE) == []

    def test_text_over_the_edge_would_be_noticed(self, browser, tmp_path):
        url = planted(tmp_path, '<p style="width:900px">wide</p>')
        with browser.page(url, width=PAPER_WIDTH, height=1000, paper=True) as page:
            assert page.run(OUTSIDE) == ["wide"]

    def test_paper_is_light_even_for_those_who_like_it_dark(self, browser, addresses):
        with browser.page(addresses("report"), dark=True, paper=True) as page:
            assert page.run("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"


class TestCertificate:
    def test_the_browser_sees_the_claims(self, browser, addresses):
        with browser.page(addresses("certificate")) as page:
            seen = page.run("document.body.innerText")
            assert "A guesser who knows the prior is wrong at least 25 % of the time" in seen
            assert page.run("document.querySelectorAll('.cell').length") == 4
            assert page.run("document.querySelectorAll('th[scope=row]').length") == 14

    def test_the_picture_has_ink_where_the_channel_is_dark(self, browser, addresses):
        """The screenshot holds the heat map's darkest and lightest cells, in plausible amounts."""
        with browser.page(addresses("certificate"), width=1000, height=1400) as page:
            pixels = np.rint(imread(io.BytesIO(page.picture()))[..., :3] * 255).astype(int)
        colours = Counter(map(tuple, pixels.reshape(-1, 3).tolist()))
        assert colours[17, 74, 92] > 2 * 40 * 40  # two cells of probability 3/4
        assert colours[168, 185, 187] > 2 * 40 * 40  # two of probability 1/4, a third of the way


def test_a_missing_browser_is_said():
    """An error with a sentence, not a skip; see conftest.py."""
    assert missing_sentence(chromium=None, has_axe=True).startswith("the browser tests need Chromium (")
    assert "npm ci" in missing_sentence(chromium="/usr/bin/chromium", has_axe=False)
    assert missing_sentence(chromium="/usr/bin/chromium", has_axe=True) == ""
