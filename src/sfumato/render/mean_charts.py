"""Means as inline SVG: a mark with its interval for each group and reader, on an axis of numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from sfumato.render.chart_parts import AXIS, FROM, TO, axis_parts, mark, picture, reach_line, truth_line
from sfumato.study.ways import Quantity

_LABEL, _LINE, _GAP = 19, 15, 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What one reader sees: a mean for each label of the chart, where there is one."""

    name: str
    means: Sequence[Quantity | None]


def means_chart(
    identifier: str,
    title: str,
    description: str,
    labels: Sequence[str],
    readers: Sequence[Means],
    true_mean: float | None = None,
) -> str:
    """Draw a mark and an interval for each label and reader."""
    ends = [end for one in readers for mean in one.means if mean for end in (mean.interval.lower, mean.interval.upper)]
    low, high, step = _axis([end for end in (*ends, *([] if true_mean is None else [true_mean])) if math.isfinite(end)])

    def place(value: float) -> str:
        return f"{FROM + (TO - FROM) * min(max((value - low) / (high - low), 0.0), 1.0):.3f}%"

    block = _LABEL + _LINE * len(readers) + _GAP
    bottom = block * len(labels)
    ticks = [low + step * i for i in range(round((high - low) / step) + 1)]
    parts = axis_parts([(place(tick), f"{tick:.10g}") for tick in ticks], bottom)
    for row, label in enumerate(labels):
        parts.append(f'<text x="{FROM}%" dx="6" y="{block * row + 14}">{escape(label)}</text>')
        for i, one in enumerate(readers):
            mean, middle = one.means[row], block * row + _LABEL + _LINE * i + _LINE / 2
            if mean is not None:
                parts.append(reach_line(place(mean.interval.lower), place(mean.interval.upper), middle, i))
                parts += [mark(place(mean.value), middle, i)] if mean.value is not None else []
        if true_mean is not None:
            parts.append(truth_line(place(true_mean), block * row + _LABEL - 2, block * (row + 1) - _GAP + 2))
    return picture(identifier, title, description, bottom + AXIS, parts)


def _axis(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the ends of an axis that holds some values, and the distance of its ticks: 1, 2 or 5 of some unit."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    width = max(high - low, 1e-9 * max(abs(low), abs(high), 1.0))
    unit = 10.0 ** math.floor(math.log10(width / 3))
    step = next(unit * factor for factor in (1, 2, 5, 10) if width / (unit * factor) <= 5)
    return step * math.floor(low / step), step * (math.floor(high / step) + 1), step
