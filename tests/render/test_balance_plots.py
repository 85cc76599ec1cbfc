"""The picture of the balance function: it is XML, says what it should, and its band holds what is proved."""

import itertools
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from sfumato.errors import InvalidParameter
from sfumato.measures.balances.functions import balance_curve
from sfumato.measures.balances.plateau import plateau_bits
from sfumato.prob import Channel
from sfumato.render.balance_plots import balance_svg

AND = [0, 0, 0, 1]
CHANNEL = Channel(np.array([[0.1, 0.9] if value else [0.9, 0.1] for value in AND]))
CURVE = balance_curve(CHANNEL, (2, 2), [0.0, 1.0, 1.5, 1.75, 2.0], gap_bits=0.01)
END = plateau_bits(AND, (2, 2))
SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg):
    return ET.fromstring(svg)  # noqa: S314  our own picture


def said(svg):
    return "\n".join("".join(part.itertext()) for part in parsed(svg).iter(f"{SVG}text"))


def bands(svg):
    """The corners of every filled band, in the picture's own units."""
    paths = [
        path
        for group in parsed(svg).iter(f"{SVG}g")
        if group.get("id", "").startswith("FillBetween")
        for path in group.iter(f"{SVG}path")
    ]
    return [np.array(re.findall(r"(-?[\d.]+) (-?[\d.]+)", path.get("d")), dtype=float) for path in paths]


def test_the_picture_says_what_it_shows():
    text = said(balance_svg({"both": CURVE}, plateaus={"both": END}, title="two bits"))
    assert "two bits" in text
    assert "both: nothing gained up to 1.5 bits" in text
    assert "how little every adversary knows: entropy of the data" in text
    assert "bits less about one record" in text
    assert "all that the report can say about one record: 0.531 bits" in text
    assert "nothing gained" not in said(balance_svg({"both": CURVE}))


def test_the_band_is_a_staircase_between_the_bounds_on_either_side():
    """Five points make four steps; each as high as g can be at its right end and as low as at its left."""
    steps = bands(balance_svg({"both": CURVE}))
    assert len(steps) == 4
    heights = [corners[:, 1].max() - corners[:, 1].min() for corners in steps]
    proved = [right.bits.upper - left.bits.lower for left, right in itertools.pairwise(CURVE)]
    scale = heights[-1] / proved[-1]
    # 1e-3 of the picture's units: its coordinates are written with six decimals.
    assert heights == pytest.approx([scale * height for height in proved], abs=1e-3)
    assert proved[-1] > 0.05


def test_the_order_of_the_points_does_not_matter_and_the_bytes_are_the_same_twice():
    first = balance_svg({"both": CURVE}, plateaus={"both": END})
    assert balance_svg({"both": CURVE[::-1]}, plateaus={"both": END}) == first
    assert balance_svg({"both": CURVE}) != first


def test_curves_of_different_reports_are_not_said_to_share_a_capacity():
    weaker = Channel(np.array([[0.3, 0.7] if value else [0.7, 0.3] for value in AND]))
    text = said(balance_svg({"clear": CURVE, "noisy": balance_curve(weaker, (2, 2), [0.0, 2.0])}))
    assert "the most that one of these reports can say about one record: 0.531 bits" in text


def test_names_cannot_break_the_picture():
    svg = balance_svg({"<script>$x$&\x00": CURVE}, title="</svg>")
    assert not list(parsed(svg).iter(f"{SVG}script"))
    assert "<script>$x$&" in said(svg)


@pytest.mark.parametrize(
    ("curves", "plateaus", "rule"),
    [
        ({}, {}, "curves has 0"),
        ({str(i): CURVE for i in range(6)}, {}, "curves has 6"),
        ({"a": CURVE[:1]}, {}, "1 points"),
        ({"a": CURVE}, {"b": 1.0}, "plateaus names 'b'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(curves, plateaus, rule):
    with pytest.raises(InvalidParameter, match=rule):
        balance_svg(curves, plateaus=plateaus)
