"""Pictures of surveys: they are XML, say what they should, cannot be broken by a label, and come out the same twice."""

import copy
import io
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from sfumato.display.plots import accuracy_svg, cost_svg, plan_svg
from sfumato.display.text import interval_words
from sfumato.errors import InvalidParameter
from sfumato.inference import QuestionEstimate
from sfumato.inference.results import Reading
from sfumato.numbers import Interval
from sfumato.output import shares_svg, spinner_svg
from sfumato.output.estimates import estimates_markdown, estimates_tables, share_bar
from sfumato.sampling import Tally
from sfumato.study import Analyst, Audience, Card, Count, FreeText, Goal, OneOfMany, YesNo
from sfumato.study.compared_designs import cost_levels
from sfumato.study.question_plans import CostCurve
from sfumato.surveys import SpinnerCard, playable, spinner_card, survey

CARD = Card(id="late", text="Overtime?", guess_error=Fraction(3, 8), goal=Goal(expected_share=Fraction(1, 10)))
CHANNEL = survey(guess_error=Fraction(3, 8)).channel
GROUPS = {None: (145, 46, 9), "north": (75, 21, 4), "south": (70, 25, 5)}
FOUND = [
    CARD.handler(Audience()).estimate(
        Tally(mechanism="late", counts=counts), Reading(level=1, group=group, ignoring=0.1 if group else None)
    )
    for group, counts in GROUPS.items()
]
LIMITED = replace(CARD, max_epsilon=Fraction(1))
LEVELS = cost_levels(LIMITED, [Fraction(i, 40) for i in range(1, 20)])
CURVE = CostCurve(levels=LEVELS, guess_error=Fraction(3, 8), goal="a goal")
SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg):
    return ET.fromstring(svg)  # noqa: S314  our own picture


def words(svg):
    """All text of a picture that loads nothing from elsewhere."""
    root = parsed(svg)
    assert root.tag == f"{SVG}svg"
    links = [value for part in root.iter() for key, value in part.attrib.items() if key.endswith(("href", "src"))]
    assert all(link.startswith("#") for link in links)
    assert not list(root.iter(f"{SVG}script"))
    return "\n".join("".join(part.itertext()) for part in root.iter(f"{SVG}text"))


def made(share, low, high, *, question=CARD, group=None, **changes):
    values = {
        "question": question, "group": group, "level": 1, "epsilon": 1.0, "labels": question.labels,
        "shares": (1 - share, share), "raw": (1 - share, share), "standard_errors": (0.1, 0.1),
        "intervals": (Interval(1 - high, 1 - low), Interval(low, high)), "confidence": 0.95, "total": 100,
        "method": "exact",
    }  # fmt: skip
    return QuestionEstimate(**values | changes)


def test_estimates_are_named_and_numbered():
    text = words(shares_svg(FOUND, title="a title"))
    for piece in ("a title", "Overtime?", "share of “yes”", "all", "north", "south", "95 % intervals", "n = 200"):
        assert piece in text
    for found in FOUND:
        assert f"{100 * found.shares[1]:.1f} %  ({interval_words(found.intervals[1])})" in text
    assert "pale: where it could lie if some ignored the instructions" in text
    assert "pale" not in words(shares_svg(FOUND[:1]))
    flagged = words(shares_svg([made(0.0, 0.0, 0.0, notes=("Odd.",))]))
    assert "* see the notes" in flagged
    assert "0.0 %  (0.0 – 0.0 %) *" in flagged


def test_every_answer_of_many_is_drawn_a_panel_a_group():
    question = OneOfMany(id="place", text="Where?", answers=("hill", "coast", "city"), epsilon=Fraction(1))
    way = question.handler(Audience())
    parts = [
        way.estimate(Tally(mechanism="place", counts=counts), Reading(level=1, group=group))
        for group, counts in ((None, (50, 30, 20)), ("young", (30, 10, 10)))
    ]
    text = words(shares_svg(parts))
    assert text.count("Where?") == 2
    assert "· young" in text
    for found in parts:
        for label, share, interval in zip(found.labels, found.shares, found.intervals, strict=True):
            assert label in text
            assert f"{100 * share:.1f} %  ({interval_words(interval)})" in text


def test_costs_show_every_design_and_the_chosen_level():
    text = words(cost_svg(CURVE, title="a title"))
    for name, _ in LEVELS[0].respondents:
        assert name in text
    for piece in ("a goal", "a title", "10,000", "40 %", "respondents needed, about"):
        assert piece in text


def test_accuracy_shows_every_question_and_every_reader():
    audience = Audience(
        public_epsilon=Fraction(1, 2), analysts=(Analyst(name="ministry", epsilon=Fraction(2)),), population=600
    )
    plans = [
        question.handler(audience).plan()
        for question in (YesNo(id="moved", text="Did you?"), Count(id="rooms", text="How many?", highest=6, points=4))
    ]
    text = words(plan_svg(plans, population=600, title="Homes"))
    assert text == words(accuracy_svg(plans, population=600, title="Homes"))
    for piece in ("Homes", "moved", "rooms", "ministry", "public", "600 respondents", "ε, nats"):
        assert piece in text


def test_a_plan_without_levels_shows_its_costs_and_one_without_either_is_refused():
    card = LIMITED.handler(Audience()).plan()
    assert "respondents needed, about" in words(plan_svg([card], population=None, title="T"))
    text = FreeText(id="t", text="T?", longest=1, epsilon=Fraction(1)).handler(Audience()).plan()
    with pytest.raises(InvalidParameter, match="plot has nothing to draw"):
        plan_svg([text], population=None, title="T")


def test_pictures_are_the_same_twice():
    assert shares_svg(FOUND) == shares_svg(FOUND)
    assert cost_svg(CURVE) == cost_svg(CURVE)
    assert "<dc:date>" not in cost_svg(CURVE)


def test_a_users_own_settings_do_not_matter():
    import matplotlib as mpl

    plain = cost_svg(CURVE)
    with mpl.rc_context({"axes.facecolor": "black", "svg.fonttype": "path", "font.size": 30}):
        assert cost_svg(CURVE) == plain


def test_a_long_question_leaves_room_for_what_is_read_off():
    long = replace(CARD, text="why " * 499 + "?")
    text = words(shares_svg([made(0.2, 0.1, 0.3, question=long)]))
    assert "share of “yes”" in text
    assert "(n = 100, ε = 1, 95 % intervals)" in text
    assert 50 < text.count("why") < 100


NASTY = [
    "<script>alert(1)</script>",
    '"><b>&',
    "$\\frac{$",
    "\x1b[31mred\x00",
    "日本語 の 答え",
    "a\nb",
    "x" * 300,
    "%s {0}",
]


@pytest.mark.parametrize("label", NASTY)
def test_labels_cannot_break_a_picture(label):
    """Escaped, not read as mathematics, control characters replaced; no warning about fonts either."""
    shown = made(0.2, 0.1, 0.3, group=label, labels=("no", label))
    shown = replace(shown, question=replace_text(shown.question, label))
    text = words(shares_svg([shown], title=label))
    card = SpinnerCard(
        device=label, faces=4, answers=(label, "no"), ranges=(((1, 4, label),), ((1, 3, label), (4, 4, 0)))
    )
    drawn = words(spinner_svg(card, title=label))
    for said in (text, drawn):
        assert "\x1b" not in said
        assert label[:6].replace("\x1b", "\ufffd").replace("\n", "\ufffd") in said


def replace_text(question, text):
    """A question with a text that a study would refuse; a reader of damaged files must not be hurt by it."""
    made_up = copy.copy(question)
    object.__setattr__(made_up, "text", text)
    return made_up


def test_too_few_or_too_many_are_refused():
    with pytest.raises(InvalidParameter, match="would need 0 panels"):
        shares_svg([])
    with pytest.raises(InvalidParameter, match="400 groups in each"):
        shares_svg([made(0.2, 0.1, 0.3, group=str(i)) for i in range(401)])
    with pytest.raises(InvalidParameter, match="curve has 1 levels"):
        cost_svg(replace(CURVE, levels=LEVELS[:1]))


def sectors(svg):
    return parsed(svg).findall(".//*[@class='sector']")


def test_a_card_has_a_sector_for_each_range_and_says_what_reveals():
    exposing = spinner_svg(spinner_card(CHANNEL), title="Overtime?")
    assert len(sectors(exposing)) == 4
    text = words(exposing)
    for piece in (
        "Overtime?",
        "Toss a coin twice",
        "My true answer is",
        "“no”",
        "1 to 3: report “either”",
        "4: report “yes”",
    ):
        assert piece in re.sub(" +", " ", text)
    assert "the report “no” or “yes” reveals the true answer" in text
    hiding = playable(survey(guess_error=Fraction(3, 8), max_epsilon=1.5), faces=1000)
    svg = spinner_svg(spinner_card(hiding.channel))
    assert len(sectors(svg)) == 6
    assert "no report proves" in words(svg)


def test_sector_angles_are_the_probabilities():
    """Each path's arc spans the share of its range: read the end points back."""
    import math

    card = spinner_card(playable(survey(guess_error=Fraction(3, 8), max_epsilon=1.5), faces=100).channel)
    paths = [part.attrib["d"] for part in sectors(spinner_svg(card))]
    spans = [(last - first + 1) / card.faces for ranges in card.ranges for first, last, _ in ranges]
    for path, span in zip(paths, spans, strict=True):
        cx, cy, x1, y1, _, _, _, large, _, x2, y2 = map(float, re.findall(r"-?[\d.]+", path))
        turn = (math.atan2(x2 - cx, cy - y2) - math.atan2(x1 - cx, cy - y1)) / (2 * math.pi) % 1
        assert turn == pytest.approx(span, abs=1e-4)
        assert large == (span > 0.5)


shares = st.floats(0, 1)


@given(numbers=st.lists(shares, min_size=3, max_size=3).map(sorted), width=st.integers(10, 60))
def test_a_bar_shows_its_interval(numbers, width):
    low, share, high = numbers
    bar = share_bar(share, Interval(low, high), width)
    assert len(bar) == width
    assert set(bar) <= set("·─●")
    # The ends of the scale are the middles of the first and the last cell.
    assert abs(bar.index("●") - share * (width - 1)) <= 1
    edges = [i for i, cell in enumerate(bar) if cell != "·"]
    assert edges == list(range(edges[0], edges[-1] + 1))
    assert abs(edges[0] - low * (width - 1)) <= 1
    assert abs(edges[-1] - high * (width - 1)) <= 1


def printed(estimates, width=100):
    console = Console(width=width, file=io.StringIO(), force_terminal=False)
    for table in estimates_tables(estimates):
        console.print(table)
    return console.file.getvalue()


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(
    numbers=st.lists(shares, min_size=3, max_size=3).map(sorted),
    name=st.text(min_size=1, max_size=40),
    width=st.integers(100, 120),
)
def test_a_table_in_the_terminal_fits_and_shows_all(numbers, name, width):
    low, share, high = numbers
    text = printed([made(share, low, high), made(share, low, high, group=name)], width)
    for line in text.splitlines():
        assert cell_len(line) <= width
    assert text.count(interval_words(Interval(low, high))) == 2
    drawn = [room for room in range(12, 35) if text.count(share_bar(share, Interval(low, high), room)) == 2]
    assert (
        drawn or "100 %" not in text.splitlines()[2]
    )  # a bar takes what the words leave, and goes before they are cut


def test_intervals_are_rounded_outwards():
    assert "12.3 – 34.6 %" in printed([made(0.2, 0.12399, 0.34511)])


def test_what_was_asked_about_and_what_is_odd_is_said_below():
    text = " ".join(
        printed([made(0.2, 0.1, 0.3, band=Interval(0.05, 0.4), ignoring=0.02, notes=("Odd.",))], 200).split()
    )
    assert "5.0 – 40.0 % if 2 % of the respondents ignored the instructions" in text
    assert "Odd." in text


def test_markdown_keeps_its_columns():
    page = estimates_markdown([made(0.2, 0.1, 0.3, group="a|b", labels=("n", "y|s")), made(0.2, 0.1, 0.3, group="c")])
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert len(rows) == 4
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}
