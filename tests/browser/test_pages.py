"""Every page in a real Chromium: accessible by axe-core's rules, silent on the network, whole on phone and paper."""

import dataclasses
import io
import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from matplotlib.image import imread

import sfumato as sf
from analysed import published
from browser.devtools import missing_sentence
from estimate_samples import ESTIMATES, material_with
from page_samples import ANSWERS, sample_files, sample_plan
from reproduce import PAPERS
from reproduce.helper import page_html, redraw
from sfumato.certificates import certify
from sfumato.certificates.pages import checked_page
from sfumato.display.charts import CHART_STYLE
from sfumato.inference.regression.result import fit_sheets
from sfumato.output.analyses import analysis_page
from sfumato.output.estimate_plots import coefficients_svg
from sfumato.output.report import study_report_html
from sfumato.output.report_estimates import estimates_section
from sfumato.output.statement_pages import script_html, statement_html
from sfumato.prob import Channel
from sfumato.publications.analyses import crosstab_sheet
from sfumato.study import Card, Goal, Study
from sfumato.study.planning import plan_study

CHANNEL = Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
NAMES = ["report", "pictures", "simulation", "certificate", "statement", "script", "fit", "gallery"]
# The last takes longest to make.
EACH = pytest.mark.parametrize("name", [*NAMES[:-1], pytest.param(NAMES[-1], marks=pytest.mark.slow)])
PAPER_WIDTH = 718  # A4 at 96 pixels an inch, less Chromium's margins
SMALL = '<button style="width:9px;height:9px;padding:0;border:0" aria-label="a dot"></button>'
OUTSIDE = """[...document.querySelectorAll('h1,h2,h3,h4,p,li,th,td,dt,dd,img,svg text')].filter(
  e => e.getClientRects().length && e.getBoundingClientRect().right > document.documentElement.clientWidth + 1
).map(e => e.textContent.slice(0, 40))"""


def make(name):
    if name == "report":
        return study_report_html(sample_plan(), sample_files(), group="region")
    if name == "pictures":
        body = "".join(
            _numbered(estimates_section(_of_one_question(material_with(found))), i)
            for i, found in enumerate(ESTIMATES.values())
        )
        return checked_page("Pictures", f"<main><h1>Pictures</h1><h2>Estimates</h2>{body}</main>", CHART_STYLE)
    if name == "simulation":
        return study_report_html(sample_plan(), sample_files(is_secure=False)[:2], truth=ANSWERS)
    if name == "statement":
        return statement_html(sample_plan())
    if name == "script":
        return script_html(sample_plan())
    if name == "certificate":
        return certify(CHANNEL).to_html()
    if name == "fit":
        found = sf.fit(published(), "often ~ age + C(region)")
        sheets = [*fit_sheets([found]), crosstab_sheet(sf.crosstab(published(), "affair", "often"))]
        return analysis_page("Analysed", sheets, picture=coefficients_svg([found]), warning="A simulation")
    # A drawing and a picture of pixels stand for the others, some of which take seconds.
    kept = {("B", "figure-5b"), ("C", "figure-4")}
    return page_html(
        redraw(
            dataclasses.replace(
                paper,
                figures={name: draw for name, draw in paper.figures.items() if (key, name) in kept},
                entries=tuple(entry for entry in paper.entries if entry.place != "figure-4a"),
            )
        )
        for key, paper in PAPERS.items()
    )


def _of_one_question(material):
    return dataclasses.replace(material, plan=dataclasses.replace(material.plan, questions=material.plan.questions[:1]))


def _numbered(section, i):
    """A question with names of its own."""
    names = re.sub(
        r'(id|aria-labelledby)="([^"]+)"',
        lambda m: f'{m[1]}="{" ".join(f"{one}-{i}" for one in m[2].split())}"',
        section,
    )
    return re.sub(r'aria-label="([^"]+)"', rf'aria-label="\1, {i}"', names)


CUES = """[...document.querySelectorAll('.wide')].map(e => {
  const cue = e.querySelector('.cue'), style = getComputedStyle(cue), box = cue.getBoundingClientRect();
  return [e.scrollWidth > e.clientWidth + 1, style.opacity === '1' && box.height > 10 &&
          box.right <= document.documentElement.clientWidth + 1 && cue.textContent.includes('scroll'),
          e.getAttribute('role') === 'region' && e.tabIndex === 0 && e.getAttribute('aria-label').length > 0];
})"""


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
    @pytest.mark.parametrize(
        ("name", "dark"),
        [
            pytest.param(
                name,
                dark,
                id=f"{name}-{'dark' if dark else 'light'}",
                marks=[pytest.mark.slow] if name == "gallery" or (dark and name not in {"report", "fit"}) else [],
            )
            for name in NAMES
            for dark in (False, True)
        ],
    )
    def test_no_violations_of_wcag_2_a_and_aa(self, browser, addresses, name, dark):
        with browser.page(addresses(name), dark=dark) as page:
            assert page.violations() == []

    @pytest.mark.parametrize("name", ["report", pytest.param("pictures", marks=pytest.mark.slow)])
    def test_none_on_a_phone_where_tables_scroll(self, browser, addresses, name):
        with browser.page(addresses(name), width=375, height=812) as page:
            assert page.violations() == []

    @pytest.mark.parametrize(
        ("fault", "rule"),
        [
            ('<p style="color:#bbb;background:#fff">pale</p>', "color-contrast"),
            ('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">', "image-alt"),
            ('<svg role="img" width="9" height="9"></svg>', "svg-img-alt"),
            (SMALL * 3, "target-size"),  # of WCAG 2.2 alone
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
    @EACH
    def test_nothing_is_asked_for_elsewhere(self, browser, addresses, name):
        with browser.page(addresses(name)) as page:
            assert page.run("document.readyState") == "complete"
            asked = page.requested()
            assert asked
            # A blob is the page's own checker, as a worker.
            assert [address for address in asked if not address.startswith(("file://", "data:", "blob:null/"))] == []
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
    @pytest.mark.parametrize("name", ["report", "pictures", "certificate"])
    def test_a_table_that_is_cut_says_so_and_no_other_does(self, browser, addresses, name):
        """A cue stands at every table that is wider than its place, and at no other, on a phone and on a desk."""
        with browser.page(addresses(name), width=375, height=812) as page:
            found = page.run(CUES)
            assert any(is_cut for is_cut, _, _ in found)
            for is_cut, says_so, is_reached in found:
                assert is_cut == says_so
                assert is_reached
        with browser.page(addresses(name), width=1280, height=900) as page:
            assert all(is_cut == says_so for is_cut, says_so, _ in page.run(CUES))

    def test_the_cue_goes_at_the_end_of_the_table(self, browser, addresses):
        with browser.page(addresses("report"), width=375, height=812) as page:
            page.run("document.querySelectorAll('.wide').forEach(e => { e.scrollLeft = e.scrollWidth })")
            page.wait_for_frames()
            assert not any(says_so for _, says_so, _ in page.run(CUES))

    def test_names_of_rows_stay_where_they_are(self, browser, addresses):
        with browser.page(addresses("report"), width=375, height=812) as page:
            place = "document.querySelector('.wide tbody th[scope=row]').getBoundingClientRect().left"
            before = page.run(place)
            page.run("document.querySelector('.wide').scrollLeft = 80")
            assert abs(page.run(place) - before) < 15

    @EACH
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
        with browser.page(addresses("pictures"), width=375, height=812) as page:
            heights = page.run(
                "[...document.querySelectorAll('svg.chart text')].map(t => t.getBoundingClientRect().height)"
            )
        assert min(heights) > 11


class TestPaper:
    @EACH
    def test_it_prints_on_several_pages(self, browser, addresses, name):
        with browser.page(addresses(name)) as page:
            printed = page.printed()
        assert printed.startswith(b"%PDF-")
        assert len(re.findall(rb"/Type /Page\b", printed)) > 1

    @EACH
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


class TestStatement:
    """One question fits on one sheet; the script begins the card and the consent on sheets of their own."""

    @pytest.mark.parametrize(("make", "pages"), [(statement_html, 1), (script_html, 3)])
    def test_a_study_of_one_question_is_as_long_as_it_should_be(self, browser, tmp_path, make, pages):
        asked = Card(
            id="overtime",
            text="Did you work unpaid overtime in the last four weeks?",
            guess_error=Fraction(3, 8),
            max_epsilon=Fraction(3, 2),
            faces=100,
            goal=Goal(expected_share=Fraction(1, 10), half_width=Fraction(1, 10)),
        )
        path = tmp_path / "page.html"
        path.write_text(make(plan_study(Study(name="Overtime", questions=(asked,)))))
        with browser.page(path.as_uri(), width=PAPER_WIDTH, height=1000, paper=True) as page:
            assert len(re.findall(rb"/Type /Page\b", page.printed())) == pages
            assert "of 100 whose report is “yes” at most 33 do" in page.run("document.body.innerText")
            assert page.run("[...document.images].every(i => i.complete && i.naturalWidth > 0 && i.alt.length > 50)")
            assert page.violations() == []


class TestCertificate:
    def test_the_browser_sees_the_claims(self, browser, addresses):
        with browser.page(addresses("certificate")) as page:
            seen = page.run("document.body.innerText")
            assert "A guesser who knows the prior is wrong at least 25 % of the time" in seen
            assert page.run("document.querySelectorAll('.cell').length") == 4
            assert page.run("document.querySelectorAll('th[scope=row]').length") == 15

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
