"""The explorer in a real Chromium: its numbers are the library's, and it is there for everybody who moves a slider."""

import itertools
import json
import math
import re
from fractions import Fraction

import pytest

from browser.building import bundle
from explorer_settings import REACH, expected, random_settings
from sfumato.refine.rungs import best_rung
from sfumato.render.explorer_pages import explorer_html
from sfumato.study.planning import plan_study
from sfumato.study.study_files import read_study

# Doubles may differ in the last digits, by how exp, log and powers round; fractions may not.
CLOSE = 1e-9
SETTING_NAMES = ["answers", "people", "analysts", "public", "share", "goal"]
SET = """(values => { for (const [name, value] of values) {
  const field = document.querySelector(`#${name}-field`);
  field.value = value;
  for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, {bubbles: true}));
} })"""
ROWS = """[...document.querySelectorAll('#numbers tbody tr')].map(row => [row.querySelector('th').firstChild.data,
  [...row.querySelectorAll('td')].map(cell => cell.textContent.replaceAll('\u00a0', ' '))])"""
SETTINGS = {
    "start": {},
    "two": {"answers": "2", "analysts": "0", "share": "30", "goal": "3"},
    "dozen": {"answers": "12", "analysts": "4", "public": "0.25"},
    "many": {"answers": "60", "people": "1000000", "share": "1", "goal": "0.5"},
}


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("explorer") / "explorer.html"
    path.write_text(explorer_html())
    return path.as_uri()


@pytest.fixture(scope="module")
def few():
    """Some settings, and what the library says of them."""
    return [(setting, expected(setting)) for setting in random_settings(12, seed=3)]


def set_fields(page, values):
    page.run(f"{SET}({json.dumps([[name, text] for name, text in values.items()])})")
    page.wait_for_frames()


def read_all(browser, address, settings):
    with browser.page(address) as page:
        return page.run(f"({json.dumps(settings)}).map(sfumatoExplorer.readings)")


def is_same(ours, shown):
    if isinstance(ours, Fraction):
        return Fraction(shown) == ours
    if isinstance(ours, float):
        return math.isclose(shown, ours, rel_tol=CLOSE, abs_tol=0)
    return ours == shown


def differences(ours, shown):
    """Every number that the page reads otherwise than the library."""
    found = [name for name in ("modulus", "members") if shown["set"][name] != ours[name]]
    if not is_same(ours["priorGuessError"], shown["priorGuessError"]):
        found.append("priorGuessError")
    levels = [(ours["openly"], shown["openly"]), *zip(ours["levels"], shown["levels"], strict=True)]
    return found + [name for mine, theirs in levels for name in mine if not is_same(mine[name], theirs[name])]


class TestNumbers:
    @pytest.mark.parametrize("count", [40, pytest.param(200, marks=pytest.mark.slow)])
    def test_settings_read_as_in_python(self, browser, address, count):
        settings = random_settings(count, seed=20)
        found = read_all(browser, address, settings)
        wrong = [
            (setting, differences(expected(setting), shown)) for setting, shown in zip(settings, found, strict=True)
        ]
        assert [one for one in wrong if one[1]] == []
        assert {2, 3, 5} < {one["answers"] for one in settings}
        assert {one["set"]["family"] for one in found} == {"flips", "Singer", "Paley"}

    @pytest.mark.parametrize(
        ("file", "old", "new", "names"),
        [
            ("readings.js", "Math.sqrt(hit * (1 - hit)) / gap", "Math.sqrt(hit) / gap", {"deviation", "respondents"}),
            (
                "readings.js",
                "raised: raisedShare(share, high, low)",
                "raised: raisedShare(share, high, low.times(low))",
                {"raised"},
            ),
            ("readings.js", "ratio(found.shared).times(top", "ratio(found.shared).times(rest", {"guessError"}),
            ("exponentials.js", "return ratio(low, 1n", "return ratio(low + 1n, 1n", {"odds", "high", "variance"}),
            ("sets.js", "value <= most", "value <= 1.3 * most", {"modulus", "members"}),
        ],
    )
    def test_one_wrong_formula_is_noticed(self, browser, few, tmp_path, file, old, new, names):
        page = tmp_path / "wrong.html"
        page.write_text(explorer_html(bundle("src/pages/explorer.js", [[f"explorer/{file}", old, new]]).strip()))
        settings = [setting for setting, _ in few]
        found = read_all(browser, page.as_uri(), settings)
        seen = {name for (_, ours), shown in zip(few, found, strict=True) for name in differences(ours, shown)}
        assert names <= seen

    def test_the_curve_is_that_of_the_best_set_for_each_epsilon(self, browser, address):
        settings = random_settings(6, seed=5)
        with browser.page(address) as page:
            curves = page.run(f"({json.dumps(settings)}).map(sfumatoExplorer.curve)")
        for setting, curve in zip(settings, curves, strict=True):
            assert len(curve) == 21
            for one in curve:
                size = setting["answers"]
                rung = best_rung(size=size, epsilon=float(one["epsilon"]), of_one_bit=size == 2)
                deviation = rung.share_deviation(float(setting["share"]))
                needed = math.ceil((REACH * deviation / float(setting["goal"])) ** 2)
                assert one["deviation"] == pytest.approx(deviation, rel=CLOSE, abs=0)
                assert one["respondents"] == needed

    @pytest.mark.parametrize("name", SETTINGS)
    def test_what_is_shown_is_what_was_read_rounded_against_us(self, browser, address, name):
        with browser.page(address) as page:
            set_fields(page, SETTINGS[name])
            setting = page.run("sfumatoExplorer.shown()")
            rows = page.run(ROWS)
            big = page.run("[...document.querySelectorAll('.tiles strong')].map(e => e.textContent)")
        ours, shown = expected(setting), dict(rows)
        assert shown["people for the goal"] == [f"{level['respondents']:,}" for level in ours["levels"]]
        for level, odds, raised, guess, reach in zip(
            ours["levels"],
            shown["odds"],
            shown["share after a report, at most"],
            shown["best guess wrong"],
            shown["95 % interval, points"],
            strict=True,
        ):
            assert 0 <= Fraction(re.sub(r"[ ×,]", "", odds)) / level["odds"] - 1 < Fraction(1, 100)
            assert 0 <= Fraction(raised.removesuffix(" %")) - 100 * level["raised"] <= Fraction(1, 10)
            assert 0 <= 100 * level["guessError"] - Fraction(guess.removesuffix(" %")) <= Fraction(1, 10)
            assert float(reach.removeprefix("± ")) == pytest.approx(100 * level["halfWidth"], rel=0.05)
        assert big[3] == f"{ours['levels'][-1]['respondents']:,} people"

    @pytest.mark.parametrize("values", [SETTINGS["two"], {"answers": "5", "share": "20"}], ids=["two", "five"])
    def test_the_study_file_is_planned_with_the_same_numbers(self, browser, address, tmp_path, values):
        with browser.page(address) as page:
            set_fields(page, values)
            (tmp_path / "study.toml").write_text(page.run("document.querySelector('#file').textContent"))
            found = page.run("sfumatoExplorer.readings(sfumatoExplorer.shown())")
        planned = plan_study(read_study(tmp_path / "study.toml")).questions[0].document["levels"]
        for level, shown in zip(planned, found["levels"], strict=True):
            assert level["respondents"] == shown["respondents"]
            assert level["epsilon"] == pytest.approx(shown["epsilon"], rel=CLOSE)
            assert level["half_width"] == pytest.approx(shown["halfWidth"], rel=CLOSE)


class TestSliders:
    def test_levels_fall_whoever_is_moved(self, browser, address):
        with browser.page(address) as page:
            for values in (
                {"analysts": "4"}, {"public": "7.9"}, {"analyst-1": "0.05"}, {"analyst-4": "8"}, {"public": "0.01"},
                {"analyst-2": "3.333"}, {"analysts": "0"}, {"analysts": "3"},
            ):  # fmt: skip
                set_fields(page, values)
                shown = page.run("sfumatoExplorer.shown()")
                levels = [float(level) for level in (*shown["analysts"], shown["publicEpsilon"])]
                assert all(upper - lower > 0.0499 for upper, lower in itertools.pairwise(levels))
                assert 0.05 <= levels[-1] <= levels[0] <= 8
            assert len(levels) == 4

    def test_what_is_no_number_changes_nothing_and_says_so(self, browser, address):
        with browser.page(address) as page:
            field = "document.querySelector('#answers-field')"
            for text in ("", "1", "101"):
                page.run(f"{field}.value = '{text}'; {field}.dispatchEvent(new Event('input'))")
                assert page.run(f"{field}.getAttribute('aria-invalid')") == "true"
                assert page.run("sfumatoExplorer.shown().answers") == 5
            page.run(f"{field}.value = ''; {field}.dispatchEvent(new Event('change'))")
            assert page.run(f"[{field}.value, {field}.getAttribute('aria-invalid')]") == ["5", None]

    def test_the_keyboard_is_enough(self, browser, address):
        """Tab goes through every control in the page's order, arrows move sliders and readers, digits are typed."""
        with browser.page(address) as page:
            visited = []
            for _ in range(30):
                press(page, "Tab")
                here = page.run(
                    "document.activeElement.id || document.activeElement.name || document.activeElement.type"
                )
                visited.append(here)
                if here == "answers-field":
                    press(page, "Backspace")
                    press(page, "8", text="8")
                elif here == "public-slider":
                    press(page, "ArrowRight")
                elif here == "seen":
                    press(page, "ArrowUp")
                    break
            page.wait_for_frames()
            shown = page.run("sfumatoExplorer.shown()")
            checked = page.run("document.querySelector('.seen input:checked').parentElement.textContent.trim()")
        names = ["answers", "people", "public", "analysts", "analyst-1", "analyst-2", "share", "goal"]
        assert visited == [*(f"{name}-{part}" for name in names for part in ("field", "slider")), "again", "seen"]
        assert shown["answers"] == 8
        assert shown["publicEpsilon"] == "0.55"
        assert checked == "Analyst 2"

    def test_on_a_phone_the_line_at_the_bottom_hides_nothing_that_has_the_focus(self, browser, address):
        with browser.page(address, width=375, height=500) as page:
            for _ in range(17):
                press(page, "Tab")
                page.wait_for_frames()
                places = page.run(
                    "[document.activeElement, document.querySelector('#glance')].map(e => e.getBoundingClientRect())"
                    ".map(box => [box.top, box.bottom])"
                )
                (top, bottom), (edge, _) = places
                assert top >= 0
                assert bottom <= edge or top > edge + 50


class TestEverybody:
    @pytest.mark.parametrize(
        ("name", "width", "dark"),
        [("start", 375, False), ("two", 1280, False), ("dozen", 375, True), ("many", 1280, True)],
    )
    def test_no_violations_of_wcag_2_a_and_aa(self, browser, address, name, width, dark):
        with browser.page(address, width=width, height=812, dark=dark) as page:
            set_fields(page, SETTINGS[name])
            assert page.violations() == []

    @pytest.mark.parametrize("width", [320, 375, 1280])
    def test_the_page_never_scrolls_sideways(self, browser, address, width):
        with browser.page(address, width=width, height=812) as page:
            for values in SETTINGS.values():
                set_fields(page, values)
                assert page.overflow() <= 0
                assert page.run("innerWidth") == width

    def test_a_planted_fault_is_found(self, browser, address):
        with browser.page(address) as page:
            page.run("document.querySelector('#share-slider').removeAttribute('aria-label')")
            assert [rule for rule, _ in page.violations()] == ["label"]

    def test_a_screen_reader_hears_names_values_and_pictures_in_order(self, browser, address):
        with browser.page(address) as page:
            tree = page.ask("Accessibility.getFullAXTree")["nodes"]
        heard = [
            (node["role"]["value"], node["name"]["value"].replace("\u00a0", " "))
            for node in tree
            if not node["ignored"] and node.get("name", {}).get("value")
        ]
        roles = [one for one in heard if one[0] in {"heading", "slider", "image", "radio", "table"}]
        assert roles[0] == ("heading", "Privacy, people, accuracy")
        assert [name for role, name in roles if role == "slider"][:3] == [
            "Possible answers (slider)", "People who answer (slider)", "The public, ε (slider)",
        ]  # fmt: skip
        pictures = [name for role, name in roles if role == "image"]
        assert len(pictures) == 5
        assert pictures[1] == (
            "If 10 % hold an answer, how likely it is after a report. Analyst 1, ε 2: 1.4 % to 45.1 %; "
            "Analyst 2, ε 1: 3.9 % to 23.2 %; The public, ε 0.5: 6.3 % to 15.5 %"
        )

    def test_changes_are_told_when_the_sliders_rest(self, browser, address):
        with browser.page(address) as page:
            set_fields(page, {"answers": "2"})
            told = "document.querySelector('#told').textContent"
            page.run(f"new Promise(done => {{ const look = () => {told} ? done() : setTimeout(look, 50); look(); }})")
            assert page.run(told).startswith("1.65 × is the most by which a report can raise the odds")


class TestOffline:
    def test_it_asks_for_nothing_and_complains_of_nothing(self, browser, address):
        with browser.page(address) as page:
            set_fields(page, SETTINGS["dozen"])
            assert page.requested() == [address]
            assert page.complaints() == []

    def test_a_script_of_which_a_letter_was_changed_does_not_run(self, browser, tmp_path):
        page_file = tmp_path / "changed.html"
        page_file.write_text(explorer_html().replace("Math.sqrt", "Math.cbrt"))
        with browser.page(page_file.as_uri()) as page:
            assert page.run("typeof sfumatoExplorer") == "undefined"
            assert [line for line in page.complaints() if "Content Security Policy" in line]


def press(page, key, text=""):
    for kind in ("keyDown", "keyUp"):
        page.ask(
            "Input.dispatchKeyEvent",
            type=kind,
            key=key,
            code=key if not text else f"Digit{text}",
            text=text if kind == "keyDown" else "",
            windowsVirtualKeyCode={"Tab": 9, "Backspace": 8, "ArrowUp": 38, "ArrowRight": 39}.get(key, ord(key[0])),
        )
