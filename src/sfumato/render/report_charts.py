"""Shares as inline SVG: a mark with its interval for each answer, or a bar where answers do not exclude each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from sfumato.render.chart_parts import (
    AXIS,
    FROM,
    axis_parts,
    mark,
    mark_style,
    picture,
    reach_line,
    share_place,
    share_ticks,
    share_top,
    truth_line,
)
from sfumato.values import Interval

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
