"""Estimates and coefficients with their intervals as SVG files."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from sfumato.display.plots import LINE_STYLES, SOFT_INK, figure_svg, figure_title, short_name, wrapped
from sfumato.display.text import epsilon_text, interval_words
from sfumato.errors import InvalidParameter
from sfumato.inference.quantities import Picture, is_pair, quantity_lines, shown_places
from sfumato.inference.regression.result import Coefficient, Fit
from sfumato.numbers.intervals import Interval
from sfumato.output.estimates import answer_numbers, cumulative, group_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sfumato.inference.results import QuestionEstimate


_MOST_PANELS = 60
_MOST_GROUPS = 400
_MOST_NUMBERS = 12
Line = tuple[str, float, Interval, Interval | None, str]
"""A label, a share, its interval, the band behind it, and the words beside it."""


def shares_svg(estimates: Sequence[QuestionEstimate], *, title: str = "") -> str:
    """Draw a panel for each question: marks, steps of a scale, bars, or a histogram with the mean.

    Of two answers there is a line for each group; of more, a panel.

    Returns:
        The picture, as text of an SVG file.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> made = sf.publish(study, {"tired": ["no", "yes"] * 50}, insecure_seed=7)
    >>> picture = sf.output.shares_svg(sf.estimate_reports(made.reports), title="Rest")
    >>> "share of “yes”" in picture
    True
    """
    panels = [_Panel(part) for part in _parts(estimates)]
    if not 0 < len(panels) <= _MOST_PANELS or max(len(panel.lines) for panel in panels) > _MOST_GROUPS:
        raise InvalidParameter(
            f"would need {len(panels)} panels, and a picture holds {_MOST_PANELS}, with {_MOST_GROUPS} groups in each",
            parameter="plot",
            way_out="Choose some with `question`, or leave out `group`.",
        )
    # Groups of one question are drawn on one scale.
    reach: dict[str, float] = {}
    for panel in panels:
        reach[panel.name] = max(reach.get(panel.name, 0.1), panel.highest)
    height = 1.2 + sum(0.9 + 0.17 * panel.heading.count("\n") + panel.height for panel in panels)

    def draw(figure: Figure) -> None:
        ratios = [0.6 + panel.height for panel in panels]
        found = figure.subplots(len(panels), 1, squeeze=False, height_ratios=ratios)[:, 0]
        for axes, panel in zip(found, panels, strict=True):
            axes.set_title(panel.heading, loc="left", fontsize=10)
            panel.draw(axes, reach[panel.name])
        figure_title(figure, title)

    return figure_svg(draw, (9.6, height))


def _parts(estimates: Sequence[QuestionEstimate]) -> list[list[QuestionEstimate]]:
    parts: list[list[QuestionEstimate]] = []
    for _, same in groupby(estimates, key=lambda found: (found.question.id, found.level)):
        several = list(same)
        parts += [several] if all(is_pair(found) for found in several) else [[found] for found in several]
    return parts


class _Panel:
    """One panel: what stands above it, and how it is drawn."""

    def __init__(self, part: list[QuestionEstimate]) -> None:
        self.found = part[0]
        self.name = self.found.question.id
        self.heading = _heading(part)
        self.lines = _lines(part)
        numbers = answer_numbers(self.found) if self.found.picture is Picture.NUMBERS else None
        self.numbers = numbers
        self.height = 2.2 if numbers is not None else 0.3 * max(len(self.lines), 1)

    @property
    def highest(self) -> float:
        """How far the panel reaches."""
        if self.found.picture is Picture.ORDERED:
            return 1.0
        ends = [max(line[2].upper, line[3].upper if line[3] else 0.0) for line in self.lines]
        return min(1.0, 1.02 * max(ends, default=1.0))

    def draw(self, axes: Axes, right: float) -> None:
        """Draw what suits the answers."""
        if not self.lines:
            _draw_mean(axes, self.found)
            return
        if self.numbers is not None:
            _draw_numbers(axes, self.found, self.numbers)
            return
        _draw_lines(axes, self.lines, right=right, picture=self.found.picture, starts=cumulative(self.found))


def _heading(part: list[QuestionEstimate]) -> str:
    first = part[0]
    shown = f" · share of “{short_name(first.labels[1])}”" if is_pair(first) else ""
    group = "" if first.group is None or is_pair(first) else f" · {group_name(first)}"
    read = f"(n = {first.total:,}, ε = {epsilon_text(first.epsilon)}, {100 * first.confidence:.6g} % intervals)"
    # Of a very long question the beginning is shown, and all that is read off.
    text, told = wrapped(first.question.text), f"{shown}{group}  {read}"
    lines = wrapped(" ".join(text) + told) if len(text) <= 3 else [*text[:3], f"…{told}"]
    if not is_pair(first):
        lines += [f"{line.name}: {line.value}  ({line.reach})" for line in quantity_lines(first)[:_MOST_NUMBERS]]
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
        for place in shown_places(first)
    ]


def _words(found: QuestionEstimate, place: int) -> str:
    flag = " *" if found.notes else ""
    return f"{100 * found.shares[place]:.1f} %  ({interval_words(found.intervals[place])}){flag}"


def _draw_lines(axes: Axes, lines: list[Line], *, right: float, picture: Picture, starts: list[float]) -> None:
    """Draw a line for each answer: with a mark, from 0 as a bar, or as a step that begins where the last one ended."""
    colour = LINE_STYLES[0][0]
    for place, (_, share, interval, band, words) in enumerate(lines):
        axes.annotate(words, (1.01, place), xycoords=("axes fraction", "data"), va="center", fontsize=9, color=SOFT_INK)
        if picture is Picture.ORDERED and len(lines) == len(starts) - 1:
            axes.barh(place, share, left=starts[place], height=0.7, color=colour, alpha=0.55, zorder=2)
            continue
        if picture is Picture.OPTIONS:
            axes.barh(place, share, height=0.6, color=colour, alpha=0.3, zorder=1)
        if band is not None:
            axes.hlines(place, band.lower, band.upper, colors="#d8e6ee", linewidth=13, zorder=1)
        axes.hlines(place, interval.lower, interval.upper, colors=colour, linewidth=2.4, zorder=2)
        axes.plot([share], [place], "o", color=colour, markersize=6, zorder=3, clip_on=False)
    axes.set_yticks(range(len(lines)), [line[0] for line in lines])
    axes.set_ylim(max(len(lines), 1) - 0.5, -0.5)
    axes.set_xlim(0, right)
    axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.6g} %")
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    axes.tick_params(left=False)


def _draw_numbers(axes: Axes, found: QuestionEstimate, numbers: list[float]) -> None:
    """Draw a histogram with intervals; the mean is a line, and its interval a band."""
    colour, other = LINE_STYLES[0][0], LINE_STYLES[2][0]
    many = len(numbers)
    width = 0.84 * min(b - a for a, b in pairwise(numbers))
    axes.bar(numbers, found.shares[:many], width=width, color=colour, alpha=0.35, zorder=1)
    ends = found.intervals[:many]
    axes.vlines(numbers, [end.lower for end in ends], [end.upper for end in ends], colors=colour, linewidth=1, zorder=2)
    if found.mean is not None and found.mean.value is not None:
        axes.axvspan(found.mean.interval.lower, found.mean.interval.upper, color=other, alpha=0.18, zorder=0)
        axes.axvline(found.mean.value, color=other, linewidth=2, zorder=3)
    axes.set_ylim(0, None)
    axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.6g} %")
    axes.grid(axis="y")
    axes.set_axisbelow(True)


def _draw_mean(axes: Axes, found: QuestionEstimate) -> None:
    """Draw the mean and its interval, where there are no shares."""
    colour = LINE_STYLES[0][0]
    axes.set_yticks([])
    if found.mean is None:
        return
    axes.hlines(0, found.mean.interval.lower, found.mean.interval.upper, colors=colour, linewidth=2.4)
    if found.mean.value is not None:
        axes.plot([found.mean.value], [0], "o", color=colour, markersize=6, clip_on=False)
    axes.margins(x=0.3)
    axes.grid(axis="x")


# --- Coefficients of fitted models with their intervals, as one SVG file
# One line each, with a mark at 0.


_MOST_LINES = 200


def coefficients_svg(fits: Sequence[Fit], *, title: str = "") -> str:
    """Draw a panel for each fit, one for each answer where there are several; constants and thresholds are left out."""
    panels = [panel for fit in fits for panel in _panels(fit)]
    lines = sum(len(several) for _, several in panels)
    if not lines or lines > _MOST_LINES:
        raise InvalidParameter(
            f"would have {lines} coefficients, and a picture holds 1 to {_MOST_LINES}",
            parameter="plot",
            way_out="Fit a model with predictors, or fewer groups.",
        )

    def draw(figure: Figure) -> None:
        ratios = [0.7 + 0.32 * len(several) for _, several in panels]
        axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=ratios)[:, 0]
        for one, (heading, several) in zip(axes, panels, strict=True):
            _draw(one, heading, several)
        axes[-1].set_xlabel(f"coefficient, with {100 * fits[0].confidence:.6g} % interval")
        figure_title(figure, title or fits[0].formula)

    return figure_svg(draw, (9.6, 1.3 + sum(0.8 + 0.34 * len(several) for _, several in panels)))


def _panels(fit: Fit) -> list[tuple[str, list[Coefficient]]]:
    shown = [one for one in fit.coefficients if one.name in fit.columns and one.name != "Intercept"]
    shown = [one for one in shown if not (fit.predictor and one.answer)]
    group = "" if fit.group is None else f"{fit.group} · "
    found = []
    for answer in dict.fromkeys(one.answer for one in shown):
        words = f"“{short_name(answer)}” against “{short_name(fit.answers[0])}”" if answer else f"{fit.model} model"
        found.append((f"{group}{words}  (n = {fit.reports:,})", [one for one in shown if one.answer == answer]))
    return found


def _draw(axes: Axes, heading: str, several: list[Coefficient]) -> None:
    colour, _ = LINE_STYLES[0]
    axes.set_title(heading, loc="left", fontsize=10)
    for place, one in enumerate(several):
        axes.plot([one.interval.lower, one.interval.upper], [place, place], color=colour, linewidth=2, alpha=0.7)
        axes.plot([one.estimate], [place], "o", color=colour, markersize=6)
    axes.axvline(0, color=SOFT_INK, linewidth=1, linestyle=":")
    axes.set_yticks(range(len(several)), [short_name(one.name) for one in several])
    axes.set_ylim(len(several) - 0.5, -0.5)
    axes.grid(visible=True, axis="x")
    axes.set_axisbelow(True)
