"""Pictures of surveys: they are XML, say what they should, cannot be broken by a label, and come out the same twice."""

import re
import xml.etree.ElementTree as ET
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from sfumato.design import SpinnerCard, playable, spinner_card, survey
from sfumato.errors import InvalidParameter
from sfumato.infer import Method, ShareEstimate, estimate_groups, estimate_share
from sfumato.render import cost_svg, estimate_svg, estimates_markdown, estimates_text, spinner_svg
from sfumato.study import Plan, StudyLimits, Survey, cost_levels
from sfumato.values import Interval

CHANNEL = survey(guess_error=Fraction(3, 8)).channel
FOUND = estimate_groups(CHANNEL, {"north": [75, 21, 4], "south": [70, 25, 5]})
BANDS = {"north": Interval(0.0, 0.4), "south": Interval(0.05, 0.5)}
STUDY = Survey(
    name="n",
    question="q",
    limits=StudyLimits(guess_error=Fraction(3, 8), max_epsilon=Fraction(1)),
    plan=Plan(expected_share=Fraction(1, 10)),
)
LEVELS = cost_levels(STUDY, [Fraction(i, 40) for i in range(1, 20)])
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


def made(share, low, high, **changes):
    return ShareEstimate(
        share=share, interval=Interval(low, high), method=Method.EXACT, confidence=0.95, standard_error=0.1,
        fisher_information=1.0, observed_information=1.0, total=100, **changes,
    )  # fmt: skip


def test_estimates_are_named_and_numbered():
    text = words(estimate_svg(FOUND, question="Overtime?", answer="yes", bands=BANDS))
    for piece in ("Overtime?", "north", "south", "share of “yes” with exact 95 % intervals", "n = 100", "pale: "):
        assert piece in text
    assert f"{100 * FOUND['north'].share:.1f} %" in text
    flagged = words(estimate_svg({"all": made(0, 0, 0, notes=("Odd.",))}, together=0.9))
    assert "* see the notes" in flagged
    assert "hold together at 90 %" in flagged


def test_costs_show_every_design_and_the_chosen_level():
    svg = cost_svg(LEVELS, guess_error=0.375, goal="a goal", title="a title")
    text = words(svg)
    for name, _ in LEVELS[0].respondents:
        assert name in text
    for piece in ("a goal", "a title", "10,000", "40 %", "respondents needed, about"):
        assert piece in text


def test_pictures_are_the_same_twice():
    assert estimate_svg(FOUND, bands=BANDS) == estimate_svg(FOUND, bands=BANDS)
    assert cost_svg(LEVELS) == cost_svg(LEVELS)
    assert "<dc:date>" not in cost_svg(LEVELS)


def test_a_users_own_settings_do_not_matter():
    import matplotlib as mpl

    plain = cost_svg(LEVELS)
    with mpl.rc_context({"axes.facecolor": "black", "svg.fonttype": "path", "font.size": 30}):
        assert cost_svg(LEVELS) == plain


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
    text = words(estimate_svg({label: FOUND["north"]}, question=label, answer=label))
    card = SpinnerCard(
        device=label, faces=4, answers=(label, "no"), ranges=(((1, 4, label),), ((1, 3, label), (4, 4, 0)))
    )
    drawn = words(spinner_svg(card, title=label))
    for shown in (text, drawn):
        assert "\x1b" not in shown
        assert label[:6].replace("\x1b", "\ufffd").replace("\n", "\ufffd") in shown


def test_too_few_or_too_many_are_refused():
    with pytest.raises(InvalidParameter, match="estimates has 0 groups"):
        estimate_svg({})
    with pytest.raises(InvalidParameter, match="estimates has 401 groups"):
        estimate_svg({str(i): FOUND["north"] for i in range(401)})
    with pytest.raises(InvalidParameter, match="levels has 1 entries"):
        cost_svg(LEVELS[:1])


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


@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(
    numbers=st.lists(shares, min_size=3, max_size=3).map(sorted),
    name=st.text(min_size=1, max_size=40),
    width=st.integers(80, 100),
)
def test_a_line_in_the_terminal_fits_and_shows_its_interval(numbers, name, width):
    low, share, high = numbers
    text = estimates_text(
        {"all": made(share, low, high), name: made(share, low, high)}, question="q", answer="a", width=width
    )
    lines = text.splitlines()[3:]
    for line in lines:
        assert cell_len(line) <= width
    bar = lines[1].rsplit("  ", 1)[1]
    point = bar.index("●")
    assert abs(point - share * len(bar)) <= 1
    assert set(bar) <= set("·├─●┤")
    edges = [i for i, cell in enumerate(bar) if cell != "·"]
    assert edges == list(range(edges[0], edges[-1] + 1))
    assert abs(edges[0] - low * len(bar)) <= 1
    assert abs(edges[-1] - high * len(bar)) <= 1


def test_intervals_are_rounded_outwards():
    text = estimates_text({"all": made(0.2, 0.12399, 0.34511)}, question="q", answer="a")
    assert "12.3 – 34.6 %" in text


def test_markdown_keeps_its_columns():
    page = estimates_markdown({"a|b": estimate_share(CHANNEL, [3, 1, 1])}, question="q", answer="y|s")
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {6}
