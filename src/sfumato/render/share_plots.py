"""Shares with their intervals as one SVG file: a panel a question, and of two answers a line a group."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from sfumato.errors import InvalidParameter
from sfumato.render.estimate_tables import group_name, is_pair, shown_order
from sfumato.render.plots import LINE_STYLES, SOFT_INK, figure_svg, figure_title, short_name, wrapped
from sfumato.render.words import epsilon_text, interval_words
from sfumato.values import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sfumato.study import QuestionEstimate

_MOST_PANELS = 60
_MOST_GROUPS = 400
Line = tuple[str, float, Interval, Interval | None, str]
"""A label, a share, its interval, the band behind it, and the words beside it."""


def shares_svg(estimates: Sequence[QuestionEstimate], *, title: str = "") -> str:
    """Draw a panel for each question: a dot with its interval for each answer, or for each group of two answers."""
    panels = [(_heading(part), _lines(part), part[0].question.id) for part in _parts(estimates)]
    if not 0 < len(panels) <= _MOST_PANELS or max(len(lines) for _, lines, _ in panels) > _MOST_GROUPS:
        raise InvalidParameter(
            f"would need {len(panels)} panels, and a picture holds {_MOST_PANELS}, with {_MOST_GROUPS} groups in each",
            parameter="plot",
            way_out="Choose some with `question`, or leave out `group`.",
        )
    # Groups of one question are drawn on one scale.
    reach: dict[str, float] = {}
    for _, lines, name in panels:
        highest = max((max(line[2].upper, line[3].upper if line[3] else 0.0) for line in lines), default=1.0)
        reach[name] = max(reach.get(name, 0.1), min(1.0, 1.02 * highest))
    height = 1.2 + sum(0.9 + 0.17 * heading.count("\n") + 0.3 * len(lines) for heading, lines, _ in panels)

    def draw(figure: Figure) -> None:
        ratios = [0.6 + 0.3 * len(lines) for _, lines, _ in panels]
        found = figure.subplots(len(panels), 1, squeeze=False, height_ratios=ratios)[:, 0]
        for axes, (heading, lines, name) in zip(found, panels, strict=True):
            _panel(axes, heading, lines, right=reach[name])
        figure_title(figure, title)

    return figure_svg(draw, (9.6, height))


def _parts(estimates: Sequence[QuestionEstimate]) -> list[list[QuestionEstimate]]:
    parts: list[list[QuestionEstimate]] = []
    for _, same in groupby(estimates, key=lambda found: (found.question.id, found.level)):
        several = list(same)
        parts += [several] if all(is_pair(found) for found in several) else [[found] for found in several]
    return parts


def _heading(part: list[QuestionEstimate]) -> str:
    first = part[0]
    shown = f" · share of “{short_name(first.labels[1])}”" if is_pair(first) else ""
    group = "" if first.group is None or is_pair(first) else f" · {group_name(first)}"
    read = f"(n = {first.total:,}, ε = {epsilon_text(first.epsilon)}, {100 * first.confidence:.6g} % intervals)"
    # Of a very long question the beginning is shown, and all that is read off.
    text, told = wrapped(first.question.text), f"{shown}{group}  {read}"
    lines = wrapped(" ".join(text) + told) if len(text) <= 3 else [*text[:3], f"…{told}"]
    if any(found.band for found in part):
        lines.append("pale: where it could lie if some ignored the instructions")
    if any(found.notes for found in part):
        lines.append("* see the notes: reports that no share explains well")
    return "\n".join(lines)


def _lines(part: list[QuestionEstimate]) -> list[Line]:
    first = part[0]
    if is_pair(first):
        return [
            (short_name(group_name(found)), found.shares[1], found.intervals[1], found.band, _words(found, 1))
            for found in part
        ]
    return [
        (short_name(first.labels[place]), first.shares[place], first.intervals[place], None, _words(first, place))
        for place in shown_order(first.shares)
    ]


def _words(found: QuestionEstimate, place: int) -> str:
    flag = " *" if found.notes else ""
    return f"{100 * found.shares[place]:.1f} %  ({interval_words(found.intervals[place])}){flag}"


def _panel(axes: Axes, heading: str, lines: list[Line], *, right: float) -> None:
    colour = LINE_STYLES[0][0]
    for place, (_, share, interval, band, words) in enumerate(lines):
        if band is not None:
            axes.hlines(place, band.lower, band.upper, colors="#d8e6ee", linewidth=13, zorder=1)
        axes.hlines(place, interval.lower, interval.upper, colors=colour, linewidth=2.4, zorder=2)
        axes.plot([share], [place], "o", color=colour, markersize=6, zorder=3, clip_on=False)
        axes.annotate(words, (1.01, place), xycoords=("axes fraction", "data"), va="center", fontsize=9, color=SOFT_INK)
    axes.set_title(heading, loc="left", fontsize=10)
    axes.set_yticks(range(len(lines)), [line[0] for line in lines])
    axes.set_ylim(max(len(lines), 1) - 0.5, -0.5)
    axes.set_xlim(0, right)
    axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.6g} %")
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    axes.tick_params(left=False)
