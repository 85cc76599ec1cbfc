"""Charts as inline SVG: dots with intervals, bars, stacked scales and histograms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate

from sfumato.numbers.intervals import Interval

# Space inside the picture for the marks of the first and of the last place.
FROM, TO = 2.0, 98.0
AXIS = 24
# Marks differ by shape as well as by colour.
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


# --- Shares: a mark with its interval for each answer, or a bar where answers do not exclude each other


_LABEL, _LINE, _GAP = 19, 15, 9


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
    *,
    bars: bool = False,
    top: float | None = None,
) -> str:
    """Draw a mark and an interval for each label and reader; the page must show the same numbers in a table.

    With `bars` each begins at 0 as a bar: for shares that need not sum to one.
    """
    reach = chart_top(series, truths) if top is None else top
    block = _LABEL + _LINE * len(series) + _GAP
    bottom = block * len(labels)
    parts = axis_parts(share_ticks(reach), bottom)
    for row, label in enumerate(labels):
        parts.append(f'<text x="{FROM}%" dx="6" y="{block * row + 14}">{escape(label)}</text>')
        for i, one in enumerate(series):
            middle = block * row + _LABEL + _LINE * i + _LINE / 2
            share, interval = one.shares[row], one.intervals[row]
            if bars:
                parts.append(_bar(share, reach, middle, i))
            parts.append(reach_line(share_place(interval.lower, reach), share_place(interval.upper, reach), middle, i))
            parts.append(mark(share_place(share, reach), middle, i))
        if truths is not None:
            start, end = block * row + _LABEL - 2, block * (row + 1) - _GAP + 2
            parts.append(truth_line(share_place(truths[row], reach), start, end))
    return picture(identifier, title, description, bottom + AXIS, parts)


def chart_top(series: Sequence[Series], truths: Sequence[float] | None = None) -> float:
    """Return the right end of an axis for all of these."""
    return share_top([*(interval.upper for one in series for interval in one.intervals), *(truths or ())])


def _bar(share: float, top: float, middle: float, i: int) -> str:
    start, end = share_place(0.0, top), share_place(share, top)
    width = f"{float(end[:-1]) - float(start[:-1]):.3f}%"
    return f'<rect class="bar {mark_style(i)}" x="{start}" y="{middle - 5:g}" width="{width}" height="10"/>'


# --- Numbers: a histogram for each reader over one axis, with its mean and interval below


_NAME, _HEIGHT, _MEAN, _GAP_NUMBER_CHARTS = 18, 66, 18, 10
# More whiskers would be thinner than the lines that show their intervals.
_MOST_WHISKERS = 60
_WIDE = 10_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What one reader sees: a share for each number, and the mean if it can be estimated."""

    name: str
    shares: Sequence[float]
    intervals: Sequence[Interval]
    mean: float | None = None
    reach: Interval | None = None


def number_chart(
    identifier: str,
    title: str,
    description: str,
    values: Sequence[float],
    readers: Sequence[Numbers],
    true_mean: float | None = None,
    *,
    top: float | None = None,
) -> str:
    """Draw a histogram for each reader, with the mean as a mark on a line that is its interval."""
    axis = _Axis(values)
    highest = numbers_top(readers) if top is None else top
    block = _NAME + _HEIGHT + _MEAN + _GAP_NUMBER_CHARTS
    bottom = block * len(readers)
    parts = axis_parts([(axis.place(value), f"{value:g}") for value in axis.ticks()], bottom)
    for row, one in enumerate(readers):
        start = block * row
        parts.append(f'<text x="{FROM}%" dx="2" y="{start + 13}">{escape(one.name)}</text>')
        parts.append(
            f'<text class="tick" x="{TO}%" y="{start + 13}" text-anchor="end">up to {100 * highest:.3g} %</text>'
        )
        parts.append(_histogram(axis, one, highest, start + _NAME, row))
        middle = start + _NAME + _HEIGHT + _MEAN / 2
        if one.mean is not None and one.reach is not None:
            parts.append(reach_line(axis.place(one.reach.lower), axis.place(one.reach.upper), middle, row))
            parts.append(mark(axis.place(one.mean), middle, row))
        if true_mean is not None:
            parts.append(truth_line(axis.place(true_mean), start + _NAME, middle + 6))
    return picture(identifier, title, description, bottom + AXIS, parts)


def numbers_top(readers: Sequence[Numbers]) -> float:
    """Return the share at which the histograms end."""
    drawn = [interval.upper for one in readers for interval in one.intervals]
    bars = [share for one in readers for share in one.shares]
    # A few wide intervals must not flatten everything else.
    return min(max(max(bars, default=1.0) * 1.5, 0.001), max(drawn, default=1.0), 1.0)


@dataclass(frozen=True, slots=True)
class _Axis:
    values: Sequence[float]

    @property
    def step(self) -> float:
        """The smallest distance between numbers: as wide as a bar may be."""
        return min(b - a for a, b in zip(self.values, self.values[1:], strict=False))

    def part(self, value: float) -> float:
        """Return where a number lies, from 0 to 1, with half a bar at each end."""
        low, high = self.values[0] - self.step / 2, self.values[-1] + self.step / 2
        return min(max((value - low) / (high - low), 0.0), 1.0)

    def place(self, value: float) -> str:
        """Return the same in percent of the width."""
        return f"{FROM + (TO - FROM) * self.part(value):.3f}%"

    def ticks(self) -> list[float]:
        """Return about five of the numbers, the first and the last among them."""
        last = len(self.values) - 1
        count = min(last, 4)
        return [self.values[round(last * i / count)] for i in range(count + 1)]


def _histogram(axis: _Axis, one: Numbers, top: float, start: float, row: int) -> str:
    """Draw bars in a picture of its own, whose width is stretched."""
    half = 0.42 * axis.step / (axis.values[-1] - axis.values[0] + axis.step)
    bars, whiskers = [], []
    for value, share, interval in zip(axis.values, one.shares, one.intervals, strict=False):
        middle = axis.part(value)
        height = 100 * min(share / top, 1.0)
        bars.append(f"M{_WIDE * (middle - half):.1f} 100v-{height:.2f}h{2 * _WIDE * half:.1f}v{height:.2f}z")
        low, high = (100 - 100 * min(end / top, 1.0) for end in (interval.lower, interval.upper))
        whiskers.append(f"M{_WIDE * middle:.1f} {low:.2f}V{high:.2f}")
    lines = "".join(whiskers) if len(whiskers) <= _MOST_WHISKERS else ""
    return (
        f'<svg x="{FROM}%" y="{start}" width="{TO - FROM}%" height="{_HEIGHT}" viewBox="0 0 {_WIDE:g} 100" '
        f'preserveAspectRatio="none"><path class="bar {mark_style(row)}" d="{"".join(bars)}"/>'
        f'<path class="whisker {mark_style(row)}" d="{lines}"/><path class="whisker grid" d="M0 100H{_WIDE:g}"/></svg>'
    )


# --- Scales: the answers of each reader side by side, with the intervals of their boundaries below


_NAME_SCALE_CHARTS, _BAR, _CUTS, _GAP_SCALE_CHARTS = 18, 24, 12, 8
# From blue over grey to orange, which most colour-blind readers can distinguish; the order shows the same.
_LEFT, _MIDDLE, _RIGHT = (0, 114, 178), (205, 203, 198), (213, 94, 0)
_ASIDE = "#8a8f94"
# A narrower part is drawn without its number.
_LEAST_NUMBERED = 0.12


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """What one reader sees: the shares in the order of the scale, and the intervals of the cumulative ones."""

    name: str
    shares: Sequence[float]
    cuts: Sequence[Interval] = ()


def scale_chart(
    identifier: str,
    title: str,
    description: str,
    colours: Sequence[str],
    readers: Sequence[Scale],
    truths: Sequence[float] | None = None,
) -> str:
    """Draw a bar for each reader; a line below it is the interval of a cumulative share."""
    block = _NAME_SCALE_CHARTS + _BAR + _CUTS + _GAP_SCALE_CHARTS
    bottom = block * len(readers)
    parts = axis_parts(share_ticks(1.0), bottom)
    for row, one in enumerate(readers):
        start = block * row
        parts.append(f'<text x="{FROM}%" dx="2" y="{start + 13}">{escape(one.name)}</text>')
        parts += _parts_of(one.shares, colours, start + _NAME_SCALE_CHARTS)
        for cut in one.cuts:
            parts += _cut(cut, start + _NAME_SCALE_CHARTS + _BAR + _CUTS / 2)
        for end in list(accumulate(truths or ()))[:-1]:
            parts.append(
                truth_line(share_place(end, 1.0), start + _NAME_SCALE_CHARTS - 3, start + _NAME_SCALE_CHARTS + _BAR + 3)
            )
    return picture(identifier, title, description, bottom + AXIS, parts)


def scale_colours(count: int, *, aside: bool = False) -> list[str]:
    """Return a colour for each answer of a scale; with `aside` the last is none of the scale, and grey."""
    steps = count - 1 if aside else count
    found = [_between(i / max(steps - 1, 1)) for i in range(steps)]
    return [*found, _ASIDE] if aside else found


def scale_legend(labels: Sequence[str], colours: Sequence[str]) -> str:
    """Say which colour is which answer, in the order of the bars."""
    items = "".join(
        f'<li><svg viewBox="0 0 14 14" aria-hidden="true"><rect width="14" height="14" fill="{colour}"/></svg>'
        f"{escape(label)}</li>"
        for label, colour in zip(labels, colours, strict=True)
    )
    return f'<ul class="legend">{items}</ul>'


def _parts_of(shares: Sequence[float], colours: Sequence[str], top: float) -> list[str]:
    parts, before = [], 0.0
    for share, colour in zip(shares, colours, strict=True):
        start, end = _percent(before), _percent(before + share)
        parts.append(
            f'<rect class="part" x="{start:.3f}%" y="{top}" width="{max(end - start, 0.0):.3f}%" height="{_BAR}" '
            f'fill="{colour}"/>'
        )
        if share >= _LEAST_NUMBERED:
            ink = "#000" if _is_light(colour) else "#fff"
            parts.append(
                f'<text class="inside" x="{(start + end) / 2:.3f}%" y="{top + _BAR - 8}" text-anchor="middle" '
                f'style="fill:{ink}">{100 * share:.0f} %</text>'
            )
        before += share
    return parts


def _cut(cut: Interval, middle: float) -> list[str]:
    low, high = share_place(cut.lower, 1.0), share_place(cut.upper, 1.0)
    ends = [f'<line class="cut" x1="{end}" x2="{end}" y1="{middle - 3:g}" y2="{middle + 3:g}"/>' for end in (low, high)]
    return [f'<line class="cut" x1="{low}" x2="{high}" y1="{middle:g}" y2="{middle:g}"/>', *ends]


def _percent(share: float) -> float:
    return float(share_place(share, 1.0)[:-1])


def _between(where: float) -> str:
    first, second, part = (_LEFT, _MIDDLE, 2 * where) if where <= 0.5 else (_MIDDLE, _RIGHT, 2 * where - 1)
    mixed = [round(a + (b - a) * part) for a, b in zip(first, second, strict=True)]
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def _is_light(colour: str) -> bool:
    """Whether black is read better on a colour than white, by WCAG's luminance."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] > 0.179
