"""Answers that are numbers as inline SVG: a histogram for each reader over one axis, its mean and interval below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from sfumato.render.chart_parts import (
    AXIS,
    FROM,
    TO,
    axis_parts,
    mark,
    mark_style,
    picture,
    reach_line,
    truth_line,
)
from sfumato.values import Interval

_NAME, _HEIGHT, _MEAN, _GAP = 18, 66, 18, 10
# More would be thinner than the lines that show their intervals.
_MOST_WHISKERS = 60
_WIDE = 10_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What one reader sees: a share for each number, and the mean if it can be told."""

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
    block = _NAME + _HEIGHT + _MEAN + _GAP
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
