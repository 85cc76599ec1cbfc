"""What the charts of a page share: places in percent of the width, so that letters keep their size on a phone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

# The marks of the first and of the last place need room inside the picture.
FROM, TO = 2.0, 98.0
AXIS = 24
# Told apart by shape as well as by colour.
_SHAPES = (
    '<circle r="5"/>',
    '<rect x="-4.5" y="-4.5" width="9" height="9"/>',
    '<path d="M0-6.5 6.5 0 0 6.5-6.5 0z"/>',
    '<path d="M0-6 6 5H-6z"/>',
)
CHART_STYLE = """
svg.chart{display:block;width:100%;font:13px system-ui,sans-serif;overflow:visible}
svg.chart text{fill:var(--ink)}svg.chart .tick{fill:var(--soft);font-size:12px}svg.chart .grid{stroke:var(--line)}
svg.chart .reach{stroke-width:2.5}svg.chart .truth{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:3 2}
svg.chart .cut{stroke:var(--ink);stroke-width:1.5}svg.chart .part{stroke:var(--paper);stroke-width:1}
svg.chart text.inside{font-size:12px}
.s0{stroke:var(--s0);fill:var(--s0)}.s1{stroke:var(--s1);fill:var(--s1)}.s2{stroke:var(--s2);fill:var(--s2)}
.s3{stroke:var(--s3);fill:var(--s3)}.chart .dot,.legend svg{stroke:none}.chart .bar{stroke:none;fill-opacity:.3}
.chart .band{fill-opacity:.22;stroke:none}
.chart .whisker{stroke-width:1.2;vector-effect:non-scaling-stroke;fill:none}
ul.legend{list-style:none;padding:0;margin:.4rem 0;display:flex;flex-wrap:wrap;gap:.2rem 1.4rem;font-size:.9rem}
.legend svg{width:14px;height:14px;vertical-align:-2px;margin-right:.4rem;overflow:visible}
.multiples{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(17rem,100%),1fr));gap:.2rem 1.6rem}
.multiples figure{margin:.4rem 0;min-width:0}.multiples figcaption{color:var(--ink);font-weight:600}
"""


def picture(identifier: str, title: str, description: str, height: float, parts: Sequence[str]) -> str:
    """Put a picture together, with what it is for those who do not see it."""
    return (
        f'<svg class="chart" role="img" height="{height:g}" aria-labelledby="{identifier}-t {identifier}-d">'
        f'<title id="{identifier}-t">{escape(title)}</title><desc id="{identifier}-d">{escape(description)}</desc>'
        f"{''.join(parts)}</svg>"
    )


def chart_legend(names: Sequence[str], *, has_truth: bool = False) -> str:
    """Say which mark is whose."""
    items = [
        f'<li><svg class="{mark_style(i)}" viewBox="-7 -7 14 14" aria-hidden="true">{_SHAPES[i % len(_SHAPES)]}</svg>'
        f"{escape(name)}</li>"
        for i, name in enumerate(names)
    ]
    if has_truth:
        items.append("<li>dashed: the truth</li>")
    return f'<ul class="legend">{"".join(items)}</ul>'


def mark(place: str, middle: float, i: int) -> str:
    """Draw the mark of a reader."""
    return (
        f'<svg class="dot {mark_style(i)}" x="{place}" y="{middle:g}" overflow="visible">'
        f"{_SHAPES[i % len(_SHAPES)]}</svg>"
    )


def reach_line(low: str, high: str, middle: float, i: int) -> str:
    """Draw an interval of a reader."""
    return f'<line class="reach {mark_style(i)}" x1="{low}" x2="{high}" y1="{middle:g}" y2="{middle:g}"/>'


def truth_line(place: str, start: float, end: float) -> str:
    """Draw where the truth is."""
    return f'<line class="truth" x1="{place}" x2="{place}" y1="{start:g}" y2="{end:g}"/>'


def axis_parts(ticks: Sequence[tuple[str, str]], bottom: float, top: float = 0.0) -> list[str]:
    """Draw lines at places, and what they stand for below; the first and the last stay inside."""
    parts = []
    for i, (place, words) in enumerate(ticks):
        anchor = "start" if i == 0 else "end" if i == len(ticks) - 1 else "middle"
        parts.append(f'<line class="grid" x1="{place}" x2="{place}" y1="{top:g}" y2="{bottom:g}"/>')
        parts.append(
            f'<text class="tick" x="{place}" y="{bottom + 16:g}" text-anchor="{anchor}">{escape(words)}</text>'
        )
    return parts


def share_ticks(top: float) -> list[tuple[str, str]]:
    """Return five places from 0 to a share."""
    return [(share_place(top * i / 4, top), f"{100 * top * i / 4:.3g} %") for i in range(5)]


def share_place(share: float, top: float) -> str:
    """Return where a share lies."""
    return f"{FROM + (TO - FROM) * min(max(share / top, 0.0), 1.0):.3f}%"


def share_top(values: Sequence[float]) -> float:
    """The right end of the axis: 100 %, or less where that would leave most of the picture empty."""
    highest = max((value for value in values if math.isfinite(value)), default=1.0)
    return next((end for end in (0.02, 0.04, 0.1, 0.2, 0.4, 0.6, 0.8) if highest <= end), 1.0)


def mark_style(i: int) -> str:
    """Return the class of a reader."""
    return f"s{i % len(_SHAPES)}"
