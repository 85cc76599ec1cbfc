"""[C, Figs. 2 to 4], and a figure that the print lacks: what a limit on ε costs. Data first, drawing after."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sfumato import design
from sfumato.papers.drawing import BLACK, BLUE, GREY, SURFACE, VERMILION, floats, house_style, new_figure
from sfumato.values.checks import Number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# δ, and the weights of the panels of Figures 2 and 4.
DELTA, WEIGHTS = Fraction(1, 4), (Fraction(1, 2), Fraction(2, 5))
SHARES = tuple(Fraction(k, 200) for k in range(1, 200))
GRID = tuple(Fraction(k, 50) for k in range(1, 50))
# The setting of the figure with both limits, and the two values that are marked in it.
GUESS_ERROR, THETA = Fraction(3, 8), Fraction(1, 10)
EPSILONS = tuple(k / 20 for k in range(2, 161))
MARKED = (1.0, 4.0)
# Where the curves of Figures 2 and 3, which have no bound at the ends, are cut; contours of Figure 4, by ink.
_TOP = 6
_ON_DARK, _ON_LIGHT = (0.01, 0.05, 0.1, 0.2), (0.3, 0.4, 0.6)


def three_outputs(delta: Fraction, weight: Fraction, shares: Sequence[Fraction] = SHARES) -> list[Number]:
    """J_θ of the best survey, which is the same survey for every θ."""
    best = design.survey(delta=delta, weight=weight)
    return [best.fisher_information(theta) for theta in shares]


def two_outputs(delta: Fraction, weight: Fraction, shares: Sequence[Fraction] = SHARES) -> list[Number]:
    """J_θ of the best survey with two reports, chosen anew for each θ."""
    return [
        design.survey(delta=delta, weight=weight, outputs=2, theta=theta).fisher_information(theta) for theta in shares
    ]


def warner(delta: Fraction, shares: Sequence[Fraction] = SHARES) -> list[Number]:
    """J_θ of Warner's coin at the same guess error, weight ½."""
    coin = design.warner(delta=delta)
    return [coin.fisher_information(theta) for theta in shares]


def divergence_surface(delta: Fraction, weight: Fraction, grid: Sequence[Fraction] = GRID) -> list[list[float]]:
    """The largest D(p_θ1‖p_θ2) in nats; a row for each θ2, a column for each θ1."""
    limits = design.Limits.of(delta=delta, weight=weight)
    return [[design.largest_renyi_nats(limits, theta_1, theta_2, 1) for theta_1 in grid] for theta_2 in grid]


def under_both_limits(
    make: Callable[..., design.SurveyDesign] = design.survey,
    epsilons: Sequence[float] = EPSILONS,
    guess_error: Fraction = GUESS_ERROR,
    theta: Fraction = THETA,
) -> list[Number]:
    """J of a survey whose guess error is at least as given and whose ε is at most."""
    return [make(guess_error=guess_error, max_epsilon=epsilon).fisher_information(theta) for epsilon in epsilons]


def figure_2(*, delta: Fraction = DELTA, weights: tuple[Fraction, ...] = WEIGHTS) -> Figure:
    """Most Fisher information against the share: three reports against two."""
    with house_style():
        figure = new_figure(4.1 * len(weights), 3.5)
        panels = figure.subplots(1, len(weights), sharey=True, squeeze=False)[0]
        for axes, weight in zip(panels, weights, strict=True):
            _curve(axes, three_outputs(delta, weight), BLUE, "-", "3 or more reports")
            _curve(axes, two_outputs(delta, weight), VERMILION, "--", "2 reports")
            axes.set_title(_setting(delta, weight))
            _share_axis(axes)
        panels[0].set_ylabel("largest Fisher information $J_θ$")
        panels[0].legend(loc="upper center")
        return figure


def figure_3(*, delta: Fraction = DELTA, weight: Fraction = WEIGHTS[0]) -> Figure:
    """Two reports at their best against Warner's coin."""
    with house_style():
        figure = new_figure(4.6, 3.5)
        axes = figure.subplots()
        _curve(axes, two_outputs(delta, weight), VERMILION, "--", "2 reports, best")
        _curve(axes, warner(delta), BLACK, "-", "Warner; unrelated question, η = 1/2")
        axes.set_title(_setting(delta, weight))
        axes.set_ylabel("Fisher information $J_θ$")
        axes.legend(loc="upper center")
        _share_axis(axes)
        return figure


def figure_4(*, delta: Fraction = DELTA, weights: tuple[Fraction, ...] = WEIGHTS) -> Figure:
    """The largest Kullback-Leibler divergence between two shares: as surfaces, and as maps to read numbers from."""
    with house_style():
        import matplotlib as mpl  # noqa: PLC0415
        import numpy as np  # noqa: PLC0415

        figure = new_figure(4.1 * len(weights), 7.2)
        ticks = [float(theta) for theta in GRID]
        x, y = np.meshgrid(ticks, ticks)
        surfaces = [np.array(divergence_surface(delta, weight)) for weight in weights]
        top = max(float(surface.max()) for surface in surfaces)
        # Most of the square is near 0, so shades follow the square root.
        shades = mpl.colors.PowerNorm(0.5, 0, top)
        maps = []
        for column, (surface, weight) in enumerate(zip(surfaces, weights, strict=True)):
            above: Any = figure.add_subplot(2, len(weights), 1 + column, projection="3d")
            above.plot_surface(x, y, surface, cmap=SURFACE, norm=shades, rcount=25, ccount=25, linewidth=0)
            _surface_axes(above, _setting(delta, weight), top)
            below = figure.add_subplot(2, len(weights), 1 + len(weights) + column)
            maps.append(below)
            below.grid(visible=False)
            mesh = below.pcolormesh(x, y, surface, cmap=SURFACE, norm=shades, shading="gouraud", rasterized=True)
            for levels, ink in ((_ON_DARK, "white"), (_ON_LIGHT, BLACK)):
                lines = below.contour(x, y, surface, levels, colors=ink, linewidths=0.8)
                below.clabel(lines, fmt="%g", fontsize=8)
            below.set(xlabel="$θ_1$", ylabel="$θ_2$", aspect="equal", xlim=(0, 1), ylim=(0, 1))
        bar = figure.colorbar(mesh, ax=maps, ticks=[0, *_ON_DARK, *_ON_LIGHT, 0.8], format="%g", shrink=0.95)
        bar.set_label("largest $D(p_{θ_1} ‖ p_{θ_2})$, nats")
        # Before 3.11 matplotlib knows how large a surface's labels are only once they were drawn.
        figure.set_layout_engine("none")
        figure.draw_without_rendering()
        figure.set_layout_engine("constrained")
        return figure


def figure_both_limits(
    *, guess_error: Fraction = GUESS_ERROR, theta: Fraction = THETA, epsilons: tuple[float, ...] = MARKED
) -> Figure:
    """What a limit on ε costs: from binary randomised response to the three-output pair."""
    with house_style():
        figure = new_figure(6.2, 3.7)
        axes = figure.subplots()
        unlimited = float(design.survey(guess_error=guess_error).fisher_information(theta))
        parting = math.log((1 - guess_error) / guess_error)
        axes.axhline(unlimited, color=GREY, linewidth=1, linestyle=":")
        axes.text(8, unlimited + 0.05, f"no limit on ε: {unlimited:.4f}", ha="right", va="bottom", fontsize=9)
        best = under_both_limits(design.survey, EPSILONS, guess_error, theta)
        coin = under_both_limits(design.warner, EPSILONS, guess_error, theta)
        axes.plot(EPSILONS, floats(best), color=BLUE, label="best within both limits")
        axes.plot(EPSILONS, floats(coin), color=BLACK, linestyle="--", label="Warner within both limits")
        marked = under_both_limits(design.survey, epsilons, guess_error, theta)
        for epsilon, value in zip(epsilons, floats(marked), strict=True):
            axes.plot([epsilon], [value], "o", color=BLUE, markersize=5)
            axes.annotate(f"{value:.4f}", (epsilon, value), (8, -10), textcoords="offset points", fontsize=9)
        top = 1.12 * unlimited
        axes.axvline(parting, color=GREY, linewidth=1, linestyle=":")
        words = f"ln((1-a)/a) = {parting:.3f}: from here\non three reports are better"
        axes.text(parting + 0.08, 0.84 * unlimited, words, va="top", fontsize=9)
        axes.set(xlabel="largest ε allowed, nats", xlim=(0, 8), ylim=(0, top))
        axes.set_ylabel(f"Fisher information $J$ at θ = {float(theta):g}")
        axes.set_title(f"guess error ≥ {guess_error}, weight 1/2")
        axes.legend(loc="center right")
        return figure


def _curve(axes: Axes, values: Sequence[Number], colour: str, line: str, label: str) -> None:
    axes.plot(floats(SHARES), floats(values), color=colour, linestyle=line, label=label)


def _share_axis(axes: Axes) -> None:
    axes.set(xlabel="share θ of the second answer", xlim=(0, 1), ylim=(0, _TOP))
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])


def _surface_axes(axes: Any, title: str, top: float) -> None:
    axes.set_title(title)
    axes.set(xlabel="$θ_1$", ylabel="$θ_2$", zlabel="nats", xlim=(0, 1), ylim=(0, 1), zlim=(0, top))
    axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.set_zticks([0, 0.4, 0.8], ["0", "0.4", "0.8"])
    axes.view_init(elev=26, azim=-58)
    axes.set_box_aspect((4, 4, 3), zoom=0.95)


def _setting(delta: Fraction, weight: Fraction) -> str:
    return f"δ = {delta}, w = {weight}"


FIGURES: dict[str, Callable[..., Figure]] = {
    "figure-2": figure_2,
    "figure-3": figure_3,
    "figure-4": figure_4,
    "both-limits": figure_both_limits,
}
