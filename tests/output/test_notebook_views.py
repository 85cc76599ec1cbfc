"""Notebooks show what a value is, as HTML in which every text is text."""

import re
from fractions import Fraction
from html import escape

import pyarrow as pa
import pytest

import sfumato as sf
from drawn_parts import drawn_part
from estimate_samples import ESTIMATES
from page_samples import STUDY, sample_plan
from sfumato import noise, recoverable, surveys
from sfumato.publications.estimating import estimate_collected

HOSTILE = '<script>alert(1)</script> & "x" \u202e'
HALF = Fraction(1, 2)


def hostile_study():
    question = sf.study.OneOfMany(id="q", text=HOSTILE.strip("\u202e "), answers=("<b>", "&amp;", "ok"), epsilon=HALF)
    return sf.Study(name="<i>Study</i>", questions=(question,))


def shown():
    """A value of every type that notebooks show, and what must stand in it."""
    study = hostile_study()
    reports = drawn_part(study, pa.table({"q": ["<b>", "ok"] * 50})).reports
    survey = surveys.survey(guess_error=Fraction(3, 8))
    channel = sf.Channel(
        [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]], ("<b>", "no"), ("yes", "&")
    )
    ladder = sf.Ladder.within(size=5, epsilons=[2.0, 1.0], recover=True)
    return {
        "study": (study, escape(HOSTILE.strip("\u202e "))),
        "study with readers": (STUDY, "<td>ministry</td><td>2</td>"),
        "plan": (sf.plan(study), "&lt;i&gt;Study&lt;/i&gt;"),
        "plan of a card": (sample_plan(), "If your true answer is “no”"),
        "reports": (reports, "100 reports"),
        "estimates": (estimate_collected(reports), "<td>&lt;b&gt;</td>"),
        "estimate": (ESTIMATES["scale"], "<td>mean score</td><td>3.35</td><td>3.20 – 3.50</td>"),
        "certificate": (sf.certify(channel), "ε (local differential privacy)"),
        "audit": (sf.audit(sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3)), 1000), "Audit"),
        "channel": (channel, "A channel: 2 inputs, 2 outputs, exact"),
        "circulant": (sf.prob.Circulant.two_level(size=7, support=[1, 2, 4], odds=Fraction(3)), "<svg"),
        "law": (sf.Distribution([HALF, HALF], ["<b>", "c"]), "<td>&lt;b&gt;</td><td>1/2</td>"),
        "ladder": (ladder, "<td>2, the public one</td>"),
        "survey": (survey, "guess_error 3/8"),
        "card": (surveys.spinner_card(survey.channel), "report"),
        "flip": (noise.flip(budget_bits=0.3), "flip"),
        "gaussian": (noise.gaussian(bound=1, budget_bits=0.5), "budget bits"),
        "recoverable": (recoverable.recoverable([HALF, HALF], [0, 1], Fraction(3, 4)), "privacy"),
    }


@pytest.fixture(scope="module")
def things():
    return shown()


def test_every_value_is_shown_and_every_text_is_text(things):
    for name, (thing, there) in things.items():
        page = thing._repr_html_()
        assert there in page, name
        for tag in ("<script", "<b>", "<i>", "&amp;amp;lt"):
            assert tag not in page, name
        assert "\u202e" not in page, name
        assert "<style" not in page, name
        for tag in ("table", "tr", "td", "p", "ul", "ol", "li", "strong"):
            assert len(re.findall(rf"<{tag}[ >]", page)) == page.count(f"</{tag}>"), (name, tag)


def test_every_design_can_be_shown():
    packages = (noise, recoverable, surveys)
    designs = [getattr(one, name) for one in packages for name in one.__all__ if name.endswith("Design")]
    assert len(designs) >= 6
    for one in designs:
        assert hasattr(one, "_repr_html_"), one


def test_long_lists_are_cut_and_say_so():
    law = sf.Distribution([Fraction(1, 100)] * 100)
    assert "and 70 more" in law._repr_html_()
