"""Coefficients of fitted models with their intervals, as one SVG file: a line each, and 0 as what says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sfumato.errors import InvalidParameter
from sfumato.infer.regression import Coefficient, Fit
from sfumato.render.plots import LINE_STYLES, SOFT_INK, figure_svg, figure_title, short_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
