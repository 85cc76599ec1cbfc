"""Shares of the answers to several questions with their intervals, as one SVG file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.errors import InvalidParameter
from sfumato.render.plots import LINE_STYLES, SOFT_INK, figure_svg, figure_title
from sfumato.render.studies import epsilon_text, shown_order
from sfumato.render.surveys import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sfumato.study.estimating import Estimates, QuestionEstimate

_MOST_PANELS = 60


def shares_svg(estimates: Estimates, *, title: str = "") -> str:
    """Draw a panel for each question and group: a dot with its interval for each answer."""
    if not 0 < len(estimates) <= _MOST_PANELS:
        raise InvalidParameter(
            f"{len(estimates)} questions and groups are too many for one picture, which holds {_MOST_PANELS}. Choose "
            f"some with --question, or leave out --group."
        )
    rows = [len(shown_order(found.shares)) for found in estimates]
    height = 1.0 + sum(0.9 + 0.3 * count for count in rows)

    # Groups of one question are drawn on one scale.
    reach: dict[str, float] = {}
    for found in estimates:
        highest = max((found.intervals[answer].upper for answer in shown_order(found.shares)), default=1.0)
        reach[found.question.id] = max(reach.get(found.question.id, 0.1), 1.02 * highest)

    def draw(figure: Figure) -> None:
        panels = figure.subplots(len(estimates), 1, squeeze=False, height_ratios=[0.6 + 0.3 * n for n in rows])[:, 0]
        for axes, found in zip(panels, estimates, strict=True):
            _panel(axes, found, right=reach[found.question.id])
        figure_title(figure, title)

    return figure_svg(draw, (9.6, height))


def _panel(axes: object, found: QuestionEstimate, *, right: float) -> None:
    from matplotlib.axes import Axes  # noqa: PLC0415  takes a second to import

    if not isinstance(axes, Axes):
        return
    order = shown_order(found.shares)
    colour = LINE_STYLES[0][0]
    for place, answer in enumerate(order):
        interval = found.intervals[answer]
        axes.hlines(place, interval.lower, interval.upper, colors=colour, linewidth=2.4)
        axes.plot([found.shares[answer]], [place], "o", color=colour, markersize=6, clip_on=False)
        words = f"{100 * found.shares[answer]:.1f} %"
        axes.annotate(words, (1.01, place), xycoords=("axes fraction", "data"), va="center", fontsize=9, color=SOFT_INK)
    group = "" if found.group is None else f" · {printable(found.group)}"
    axes.set_title(
        f"{printable(found.question.text)}{group}  (n = {found.total:,}, ε = {epsilon_text(found.epsilon)})",
        loc="left",
        fontsize=10,
    )
    axes.set_yticks(range(len(order)), [printable(found.labels[answer])[:40] for answer in order])
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.set_xlim(0, right)
    axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.6g} %")
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    axes.tick_params(left=False)
