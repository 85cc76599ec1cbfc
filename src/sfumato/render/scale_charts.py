"""A scale as inline SVG: the answers of each reader laid end to end, with the intervals of where they meet below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate

from sfumato.render.chart_parts import AXIS, FROM, axis_parts, picture, share_place, share_ticks, truth_line
from sfumato.values import Interval

_NAME, _BAR, _CUTS, _GAP = 18, 24, 12, 8
# From blue over grey to orange: told apart by most colour-blind readers; the order says the same.
_LEFT, _MIDDLE, _RIGHT = (0, 114, 178), (205, 203, 198), (213, 94, 0)
_ASIDE = "#8a8f94"
# A narrower part has no room for its number.
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
    block = _NAME + _BAR + _CUTS + _GAP
    bottom = block * len(readers)
    parts = axis_parts(share_ticks(1.0), bottom)
    for row, one in enumerate(readers):
        start = block * row
        parts.append(f'<text x="{FROM}%" dx="2" y="{start + 13}">{escape(one.name)}</text>')
        parts += _parts_of(one.shares, colours, start + _NAME)
        for cut in one.cuts:
            parts += _cut(cut, start + _NAME + _BAR + _CUTS / 2)
        for end in list(accumulate(truths or ()))[:-1]:
            parts.append(truth_line(share_place(end, 1.0), start + _NAME - 3, start + _NAME + _BAR + 3))
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
