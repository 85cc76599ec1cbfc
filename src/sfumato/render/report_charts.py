"""Dots with intervals as inline SVG. Places are in percent of the width, so letters keep their size on a phone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from sfumato.values import Interval

_LABEL, _LINE, _GAP, _AXIS = 19, 15, 9, 24
# The dots of the first and of the last place need room inside the picture.
_FROM, _TO = 2.0, 98.0
# Told apart by shape as well as by colour.
_SHAPES = (
    '<circle r="5"/>',
    '<rect x="-4.5" y="-4.5" width="9" height="9"/>',
    '<path d="M0-6.5 6.5 0 0 6.5-6.5 0z"/>',
    '<path d="M0-6 6 5H-6z"/>',
)
CHART_STYLE = """
svg.dots{display:block;width:100%;font:13px system-ui,sans-serif;overflow:visible}
svg.dots text{fill:var(--ink)}svg.dots .tick{fill:var(--soft);font-size:12px}svg.dots .grid{stroke:var(--line)}
svg.dots .reach{stroke-width:2.5}svg.dots .truth{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:3 2}
.s0{stroke:var(--s0);fill:var(--s0)}.s1{stroke:var(--s1);fill:var(--s1)}.s2{stroke:var(--s2);fill:var(--s2)}
.s3{stroke:var(--s3);fill:var(--s3)}.dots .dot,.legend svg{stroke:none}
ul.legend{list-style:none;padding:0;margin:.4rem 0;display:flex;flex-wrap:wrap;gap:.2rem 1.4rem;font-size:.9rem}
.legend svg{width:14px;height:14px;vertical-align:-2px;margin-right:.4rem;overflow:visible}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """What one reader sees: a share and an interval for each label of the chart."""

    name: str
    shares: Sequence[float]
    intervals: Sequence[Interval]


def dot_chart(
    identifier: str,
    title: str,
    description: str,
    labels: Sequence[str],
    series: Sequence[Series],
    truths: Sequence[float] | None = None,
) -> str:
    """Draw a dot and an interval for each label and reader; the page must show the same numbers in a table."""
    top = _top([*(interval.upper for one in series for interval in one.intervals), *(truths or ())])
    block = _LABEL + _LINE * len(series) + _GAP
    bottom = block * len(labels)
    head = (
        f'<svg class="dots" role="img" height="{bottom + _AXIS}" aria-labelledby="{identifier}-t {identifier}-d">'
        f'<title id="{identifier}-t">{escape(title)}</title><desc id="{identifier}-d">{escape(description)}</desc>'
    )
    parts = [head, *_grid(top, bottom)]
    for row, label in enumerate(labels):
        parts.append(f'<text x="{_FROM}%" dx="6" y="{block * row + 14}">{escape(label)}</text>')
        for i, one in enumerate(series):
            middle = block * row + _LABEL + _LINE * i + _LINE / 2
            parts.append(_dot(one.shares[row], one.intervals[row], top, middle, i))
        if truths is not None:
            place = _place(truths[row], top)
            parts.append(
                f'<line class="truth" x1="{place}" x2="{place}" y1="{block * row + _LABEL - 2}" '
                f'y2="{block * (row + 1) - _GAP + 2}"/>'
            )
    return "".join(parts) + "</svg>"


def chart_legend(names: Sequence[str], *, has_truth: bool = False) -> str:
    """Say which mark is whose."""
    items = [
        f'<li><svg class="{_style(i)}" viewBox="-7 -7 14 14" aria-hidden="true">{_shape(i)}</svg>{escape(name)}</li>'
        for i, name in enumerate(names)
    ]
    if has_truth:
        items.append("<li>dashed: the true share</li>")
    return f'<ul class="legend">{"".join(items)}</ul>'


def _dot(share: float, interval: Interval, top: float, middle: float, i: int) -> str:
    return (
        f'<line class="reach {_style(i)}" x1="{_place(interval.lower, top)}" x2="{_place(interval.upper, top)}" '
        f'y1="{middle}" y2="{middle}"/><svg class="dot {_style(i)}" x="{_place(share, top)}" y="{middle}" '
        f'overflow="visible">{_shape(i)}</svg>'
    )


def _grid(top: float, bottom: int) -> list[str]:
    parts = []
    for i in range(5):
        share = top * i / 4
        place = _place(share, top)
        anchor = "start" if i == 0 else "end" if i == 4 else "middle"
        parts.append(f'<line class="grid" x1="{place}" x2="{place}" y1="0" y2="{bottom}"/>')
        parts.append(
            f'<text class="tick" x="{place}" y="{bottom + 16}" text-anchor="{anchor}">{100 * share:.3g} %</text>'
        )
    return parts


def _top(values: Sequence[float]) -> float:
    """The right end of the axis: 100 %, or less where that would leave most of the picture empty."""
    highest = max((value for value in values if math.isfinite(value)), default=1.0)
    return next((end for end in (0.02, 0.04, 0.1, 0.2, 0.4, 0.6, 0.8) if highest <= end), 1.0)


def _place(share: float, top: float) -> str:
    inside = min(max(share / top, 0.0), 1.0)
    return f"{_FROM + (_TO - _FROM) * inside:.3f}%"


def _style(i: int) -> str:
    return f"s{i % len(_SHAPES)}"


def _shape(i: int) -> str:
    return _SHAPES[i % len(_SHAPES)]
