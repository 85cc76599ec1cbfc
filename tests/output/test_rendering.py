"""What people see says what the certificate says, and needs nothing from elsewhere."""

import re
from dataclasses import replace
from fractions import Fraction
from html import escape
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from label_strategies import label_texts
from sfumato.certificates import Relation, audit_counts, certify
from sfumato.certificates.pages import value_of
from sfumato.numbers import Interval
from sfumato.output import audit_text, certificate_html, certificate_markdown, heatmap_svg
from sfumato.prob import Channel, Circulant

CHANNEL = Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]], ["no", "yes"], ["no", "yes"])


class Balance(HTMLParser):
    """Refuses a page whose tags do not close in order."""

    EMPTY = frozenset({"meta"})

    def __init__(self):
        super().__init__()
        self.stack, self.tags = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag


def parse(page):
    parser = Balance()
    parser.feed(page)
    assert parser.stack == []
    return parser.tags


def test_the_page_shows_every_claim_and_loads_nothing():
    certificate = certify(CHANNEL)
    page = certificate_html(certificate)
    tags = parse(page)
    assert [(tag, attributes) for tag, attributes in tags if tag in {"script", "link", "img", "iframe"}] == [
        ("script", {"type": "application/json", "id": "data"})
    ]
    assert not [attributes for _, attributes in tags if {"src", "onclick"} & set(attributes)]
    assert not [attributes for _, attributes in tags if "href" in attributes]
    assert "http" not in re.sub(r'xmlns="[^"]*"|http-equiv', "", page)
    for claim in certificate.claims:
        assert escape(claim.sentence, quote=False) in page
    assert page.count('class="cell"') == 4
    assert certificate.to_json().split('"digest": "')[1][:71] in page


def test_infinite_epsilon_and_exposure_are_marked():
    survey = Channel([[Fraction(3, 4), Fraction(1, 4), 0], [Fraction(3, 4), 0, Fraction(1, 4)]])
    page = certificate_html(certify(survey))
    warnings = re.findall(r'<li class="warn"[^>]*>(.*?)</li>', page)
    assert any("ε is infinite" in sentence for sentence in warnings)
    assert any("answer is published" in sentence for sentence in warnings)
    assert "∞ nats" in page


@given(labels=st.lists(label_texts(min_size=1, max_size=20), min_size=2, max_size=2, unique=True))
def test_labels_cannot_break_out_of_the_page(labels):
    page = certificate_html(certify(Channel(CHANNEL.rows, labels, ["<script>alert(1)</script>", '"><b>'])))
    tags = [tag for tag, _ in parse(page)]
    assert tags.count("script") == 1
    assert "b" not in tags


def test_an_interval_is_shown_by_the_end_that_its_promise_rests_on():
    claim = certify(CHANNEL)["epsilon"]
    wide = replace(claim, value=Interval(0.125, 0.1875))
    assert value_of(wide) == "0.2 nats"
    assert value_of(replace(wide, measure="randomness_bits", unit="bits")) == "0.1 bits"
    assert value_of(replace(wide, relation=Relation.AT_MOST)) == "≤ 0.1875 nats"
    assert value_of(replace(wide, relation=Relation.AT_LEAST)) == "≥ 0.125 nats"
    assert value_of(replace(wide, relation=Relation.AT_MOST, value=Interval(0.0, float("inf")))) == "≤ ∞ nats"
    assert value_of(replace(wide, value=Interval(2.0, 2.0))) == "2 nats"
    tiny = replace(wide, relation=Relation.AT_MOST, value=Interval(0.0, 2.0**-52))
    assert float(value_of(tiny).split()[1]) >= 2.0**-52
    assert value_of(tiny) == "≤ 2.221e-16 nats"


def test_markdown_escapes_bars_and_has_a_row_for_each_claim():
    certificate = certify(CHANNEL)
    lines = certificate_markdown(certificate).splitlines()
    rows = [line for line in lines if line.startswith("| ")]
    assert len(rows) == len(certificate.claims) + 1
    columns = [len(re.findall(r"(?<!\\)\|", row)) for row in rows]
    assert set(columns) == {6}


@pytest.mark.parametrize(("rows", "columns", "cells"), [(1, 1, 1), (10, 7, 70), (300, 200, 96 * 96)])
def test_heat_maps_stay_drawable(rows, columns, cells):
    channel = Channel(np.full((rows, columns), 1 / columns))
    svg = heatmap_svg(channel)
    assert svg.count('class="cell"') == cells
    assert svg.count("<svg") == svg.count("</svg>") == 1


def test_a_sharp_entry_survives_shrinking():
    rows = np.full((300, 300), 0.5 / 299)
    np.fill_diagonal(rows, 0.5)
    svg = heatmap_svg(Channel(rows))
    assert svg.count("<title>0.5</title>") >= 96


def test_structured_channels_show_their_shift_law():
    svg = heatmap_svg(Circulant.two_level(size=5000, support=[0, 1], odds=Fraction(9)))
    assert "Law of the shift U in Y = X + U mod 5000" in svg
    assert svg.count('class="cell"') == 96
    page = certificate_html(certify(Circulant.two_level(size=5000, support=[0, 1], odds=Fraction(9))))
    assert "structured exact channel" in page


def test_audits_in_words():
    text = audit_text(audit_counts([[900, 100], [100, 900]], claimed_epsilon=1.0, answers=("no", "yes")))
    assert "contradicts the claim of 1" in text
    assert "under answer" in text
    assert "1 - 1e-06" in text
