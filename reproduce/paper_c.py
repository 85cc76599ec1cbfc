"""Yoshida, Yung, Hayashi: the best yes/no survey for a given guess error. Theory: docs/theory/survey.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce.helper import (
    BLACK,
    BLUE,
    GREY,
    SURFACE,
    VERMILION,
    Cell,
    Entry,
    Erratum,
    Paper,
    Table,
    floats,
    house_style,
    must_show,
    new_figure,
)
from sfumato import measures, surveys
from sfumato.numbers.checks import Number
from sfumato.prob import Channel
from sfumato.surveys import Limits

# --- The pairs and formulas of [C] as they stand in print, right or wrong; nothing else may compute with them.


def printed_warner(delta: Fraction) -> Channel:
    """[C, Table I], first row."""
    return Channel([[delta, 1 - delta], [1 - delta, delta]])


def printed_unrelated_question(delta: Fraction, eta: Fraction) -> Channel:
    """[C, Table I], second row."""
    innocent_no, innocent_yes = (1 - delta) * (1 - eta), (1 - delta) * eta
    return Channel([[delta + innocent_no, innocent_yes], [innocent_no, delta + innocent_yes]])


def printed_two_outputs(limits: Limits, theta: Fraction) -> Channel:
    """[C, Thm 1], the pair of case (i) where θ ≤ θ_0 and of case (ii) where θ > θ_0."""
    a, w = limits.guess_error, limits.weight
    if theta <= (w - a) / limits.delta:
        return Channel([[a / (1 - w), 1 - a / (1 - w)], [1, 0]])
    return Channel([[1, 0], [a / w, 1 - a / w]])


def printed_three_outputs(limits: Limits) -> Channel:
    """[C, Thm 1], case (iii), and the third row of Table I."""
    a, w = limits.guess_error, limits.weight
    return Channel([[a / (1 - w), 1 - a / (1 - w), 0], [a / w, 0, 1 - a / w]])


def printed_largest_information(limits: Limits, theta: Fraction, outputs: int) -> Fraction:
    """[C, eq. (2)], the largest J_θ with two reports or with more; right, unlike the pairs beside it."""
    a, w = limits.guess_error, limits.weight
    if outputs > 2:
        return (1 - a / (w * (1 - theta) + (1 - w) * theta)) / (theta * (1 - theta))
    first = (w - a) / (theta * (w * (1 - theta) + a * theta))
    second = (1 - w - a) / ((1 - theta) * (a * (1 - theta) + (1 - w) * theta))
    return max(first, second)


def printed_renyi_nats(first: Sequence[Number], second: Sequence[Number], s: float) -> float:
    """[C, Sec. V], D_{1+s} for s ≠ 0, of two laws without zeros."""
    terms = (float(p) ** -s * float(q) ** (1 + s) for p, q in zip(first, second, strict=True))
    return math.log(math.fsum(terms)) / s


def printed_normal_quantiles(alpha: float) -> tuple[float, float]:
    """[C, Sec. II], the two levels at which Φ⁻¹ is taken "for a confidence level of α"."""
    return alpha / 2, 1 - alpha / 2


# --- [C, Table I]: Warner's coin, the unrelated question and the optimum, as printed and recomputed.
#
# The print compares the schemes under ½‖p_0 - p_1‖_1 ≤ δ, which is a guess error of at least (1-δ)/2 at weight ½. A row
# for two outputs, which the print draws in its Figure 3, is added.

DELTA, THETA, ETA = Fraction(1, 4), Fraction(1, 10), Fraction(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemeRow:
    """A scheme at weight ½: the pair in print, and the best pair of the scheme that keeps the limit, at a share θ."""

    scheme: str
    formula: str
    printed: Channel
    recomputed: Channel
    limits: surveys.Limits
    theta: Fraction = THETA

    @property
    def verdict(self) -> str:
        """What is to be said of the printed pair."""
        error = measures.weighted_guess_error(self.printed, self.limits.weight)
        if error < self.limits.guess_error:
            return "breaks the limit"
        if self.information(self.printed) < self.information(self.recomputed):
            return "is not the best"
        return "agrees"

    def guess_error(self, channel: Channel) -> Number:
        """The guesser's error at weight ½."""
        return measures.weighted_guess_error(channel, self.limits.weight)

    def information(self, channel: Channel) -> Number:
        """J_θ."""
        return measures.fisher_information(channel, self.theta)


def scheme_rows(delta: Fraction = DELTA, theta: Fraction = THETA, eta: Fraction = ETA) -> tuple[SchemeRow, ...]:
    """The schemes of Table I and the two-output optimum, worst first."""
    limits = surveys.Limits.of(delta=delta)
    rows = (
        (
            "Warner",
            "[δ, 1-δ]\n[1-δ, δ]",
            printed_warner(delta),
            surveys.warner(delta=delta),
        ),
        (
            f"unrelated question, η = {eta}",
            "[δ+(1-δ)(1-η), (1-δ)η]\n[(1-δ)(1-η), δ+(1-δ)η]",
            printed_unrelated_question(delta, eta),
            surveys.unrelated_question(delta=delta, eta=eta),
        ),
        (
            *_two_outputs(limits, theta),
            printed_two_outputs(limits, theta),
            surveys.survey(delta=delta, outputs=2, theta=theta),
        ),
        (
            "three outputs",
            "[1-δ, δ, 0]\n[1-δ, 0, δ]",
            printed_three_outputs(limits),
            surveys.survey(delta=delta),
        ),
    )
    return tuple(
        SchemeRow(scheme=scheme, formula=formula, printed=pair, recomputed=best.channel, limits=limits, theta=theta)
        for scheme, formula, pair, best in rows
    )


def table_1(*, delta: Fraction = DELTA, theta: Fraction = THETA, eta: Fraction = ETA) -> Table:
    """Print beside recomputed."""
    rows = scheme_rows(delta, theta, eta)
    asked = rows[0].limits.guess_error
    return Table(
        title=f"Table I at δ = {delta}, weight 1/2: guess error ({asked} or more is asked) and Fisher information J at "
        f"θ = {theta}",
        columns=(
            "scheme",
            "printed p0, p1",
            "guess error, printed",
            "J, printed",
            "correct p0, p1",
            "guess error, correct",
            "J, correct",
            "the print",
        ),
        rows=tuple(_cells(row) for row in rows),
        notes=_notes(rows),
    )


def _cells(row: SchemeRow) -> tuple[Cell, ...]:
    return (
        row.scheme,
        f"{row.formula}\nthat is\n{_pair(row.printed)}",
        row.guess_error(row.printed),
        float(row.information(row.printed)),
        _pair(row.recomputed),
        row.guess_error(row.recomputed),
        float(row.information(row.recomputed)),
        row.verdict,
    )


def _notes(rows: tuple[SchemeRow, ...]) -> tuple[str, ...]:
    warner, best = rows[0], rows[-1]
    ratio = float(best.information(best.recomputed)) / float(warner.information(warner.recomputed))
    exposed = measures.exposure(best.recomputed)
    distance = measures.total_variation(*warner.printed.rows)
    row = (
        f"Warner's printed pair has ½‖p0 - p1‖ = |1 - 2δ| = {distance}; the limit is δ = {warner.limits.delta}. It "
        f"breaks the limit for every δ < 1/3 and wastes part of it for every δ > 1/3."
    )
    price = (
        f"At the same guess error, three outputs need {ratio:.1f} times fewer respondents than Warner's coin; the "
        f"price is ε = ∞, and a chance of {exposed} that a report proves its answer."
    )
    return row, price


def _two_outputs(limits: surveys.Limits, theta: Fraction) -> tuple[str, str]:
    """Which case of Theorem 1 a share belongs to, and its printed pair."""
    if theta <= (limits.weight - limits.guess_error) / limits.delta:
        return "two outputs (Theorem 1, θ ≤ θ0)", "[2a, 1-2a]\n[1, 0]"
    return "two outputs (Theorem 1, θ > θ0)", "[1, 0]\n[2a, 1-2a]"


def _pair(channel: Channel) -> str:
    return "\n".join(f"[{', '.join(str(p) for p in row)}]" for row in channel.rows)


TABLES = {"table-1": table_1}


# --- [C, Figs. 2 to 4], and a figure that the print lacks: what a limit on ε costs. Data first, drawing after.

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
    best = surveys.survey(delta=delta, weight=weight)
    return [best.fisher_information(theta) for theta in shares]


def two_outputs(delta: Fraction, weight: Fraction, shares: Sequence[Fraction] = SHARES) -> list[Number]:
    """J_θ of the best survey with two reports, chosen anew for each θ."""
    return [
        surveys.survey(delta=delta, weight=weight, outputs=2, theta=theta).fisher_information(theta) for theta in shares
    ]


def warner(delta: Fraction, shares: Sequence[Fraction] = SHARES) -> list[Number]:
    """J_θ of Warner's coin at the same guess error, weight ½."""
    coin = surveys.warner(delta=delta)
    return [coin.fisher_information(theta) for theta in shares]


def divergence_surface(delta: Fraction, weight: Fraction, grid: Sequence[Fraction] = GRID) -> list[list[float]]:
    """The largest D(p_θ1‖p_θ2) in nats; a row for each θ2, a column for each θ1."""
    limits = surveys.Limits.of(delta=delta, weight=weight)
    return [[surveys.largest_renyi_nats(limits, theta_1, theta_2, 1) for theta_1 in grid] for theta_2 in grid]


def under_both_limits(
    make: Callable[..., surveys.SurveyDesign] = surveys.survey,
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
        import matplotlib as mpl
        import numpy as np

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
        unlimited = float(surveys.survey(guess_error=guess_error).fisher_information(theta))
        parting = math.log((1 - guess_error) / guess_error)
        axes.axhline(unlimited, color=GREY, linewidth=1, linestyle=":")
        axes.text(8, unlimited + 0.05, f"no limit on ε: {unlimited:.4f}", ha="right", va="bottom", fontsize=9)
        best = under_both_limits(surveys.survey, EPSILONS, guess_error, theta)
        coin = under_both_limits(surveys.warner, EPSILONS, guess_error, theta)
        axes.plot(EPSILONS, floats(best), color=BLUE, label="best within both limits")
        axes.plot(EPSILONS, floats(coin), color=BLACK, linestyle="--", label="Warner within both limits")
        marked = under_both_limits(surveys.survey, epsilons, guess_error, theta)
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


FIGURES = {
    "figure-2": figure_2,
    "figure-3": figure_3,
    "figure-4": figure_4,
    "both-limits": figure_both_limits,
}


# --- Where we depart from [C], each entry with its kind and an example that runs.

Law = Sequence[Number]

_LIMITS = surveys.Limits.of(delta=Fraction(1, 4), weight=Fraction(2, 5))
_HALF = Fraction(1, 2)


def check_two_outputs(printed: Callable[[surveys.Limits, Fraction], Channel] = printed_two_outputs) -> None:
    """The printed pairs keep the limit and have less information than the printed maximum, on both sides of θ_0."""
    for theta, value in ((Fraction(1, 20), Fraction(1200, 1957)), (_HALF, Fraction(4, 31))):
        pair = printed(_LIMITS, theta)
        most = surveys.largest_fisher_information(_LIMITS, theta, outputs=2)
        best = surveys.survey(delta=_LIMITS.delta, weight=_LIMITS.weight, outputs=2, theta=theta)
        must_show("the printed pair keeps the limit", holds=surveys.meets(pair, _LIMITS))
        must_show("it falls short of the maximum", holds=measures.fisher_information(pair, theta) == value < most)
        must_show("another pair reaches the maximum", holds=best.fisher_information(theta) == most)
        must_show("that pair keeps the limit", holds=surveys.meets(best.channel, _LIMITS))
        other = printed(_LIMITS, _HALF if theta < _HALF else Fraction(1, 20))
        must_show("that pair is the other one", holds=measures.fisher_information(other, theta) == most)


def check_warner_row(printed: Callable[[Fraction], Channel] = printed_warner) -> None:
    """½‖p_0 - p_1‖_1 of the printed pair is |1-2δ|: over the limit below δ = ⅓, wasteful above it, silent at ½."""
    for delta in (Fraction(k, 24) for k in range(1, 24)):
        pair, best = printed(delta), surveys.warner(delta=delta).channel
        distance = measures.total_variation(*pair.rows)
        must_show("the printed distance is |1-2δ|", holds=distance == abs(1 - 2 * delta))
        must_show("it is δ at δ = 1/3 only", holds=(distance == delta) == (delta == Fraction(1, 3)))
        must_show("with (1+δ)/2 it is δ", holds=measures.total_variation(*best.rows) == delta)
        same = surveys.unrelated_question(delta=delta, eta=_HALF).channel
        must_show("with (1+δ)/2 Figure 3's caption holds", holds=same.rows == best.rows)
    quarter, half = printed(Fraction(1, 4)), printed(_HALF)
    must_show(
        "the guesser errs too seldom at δ = 1/4",
        holds=measures.weighted_guess_error(quarter, _HALF) == Fraction(1, 4) < Fraction(3, 8),
    )
    must_show("nothing is learnt at δ = 1/2", holds=measures.fisher_information(half, Fraction(1, 10)) == 0)


def check_renyi_arguments(printed: Callable[[Law, Law, float], float] = printed_renyi_nats) -> None:
    """The printed D_{1+s}(p‖q) is D_{1+s}(q‖p), and tends to D(q‖p) as s → 0."""
    p, q = _laws(Fraction(1, 10), Fraction(9, 10))
    forth, back = measures.kullback_leibler_nats(p, q), measures.kullback_leibler_nats(q, p)
    must_show("the two orders differ", holds=abs(forth - back) > 0.1)
    for s in (2.0**-20, -(2.0**-20)):
        must_show("the limit is D(q‖p)", holds=abs(printed(p, q, s) - back) < 1e-6)
    for s in (-0.5, 0.25, 1.0, 3.0):
        swapped = measures.renyi_nats(q, p, 1 + s)
        must_show("it is D_{1+s}(q‖p)", holds=math.isclose(printed(p, q, s), swapped, rel_tol=1e-9))


def check_corollary_sum(printed: Callable[[Iterable[float]], float] = math.fsum) -> None:
    """Summing D_f, which has no y in it, over the three reports adds (ln 3)/s to the largest D_{1+s}."""
    p, q = _laws(Fraction(1, 10), Fraction(9, 10))
    for s in (0.5, 1.0, 2.0):
        divergence = _power_divergence(p, q, 1 + s)
        print_says = math.log(printed([divergence] * len(p))) / s
        largest = surveys.largest_renyi_nats(_LIMITS, Fraction(1, 10), Fraction(9, 10), 1 + s)
        must_show("without the sum it is right", holds=math.isclose(math.log(divergence) / s, largest, rel_tol=1e-9))
        must_show("the excess is (ln 3)/s", holds=math.isclose(print_says - largest, math.log(3) / s, rel_tol=1e-9))


def check_confidence_level(
    printed: Callable[[float], tuple[float, float]] = printed_normal_quantiles,
) -> None:
    """The printed interval covers with probability 1-α, so at α = 0.95 once in twenty."""
    normal = NormalDist()
    low, high = (normal.inv_cdf(level) for level in printed(0.95))
    covered = normal.cdf(high) - normal.cdf(low)
    must_show("the interval covers with probability 0.05", holds=math.isclose(covered, 0.05, rel_tol=1e-9))


def check_objective(printed: Callable[[Iterable[Number]], Number] = min) -> None:
    """The least Fisher information under the limit is 0, reached by a survey that says nothing."""
    silent, best = Channel([[1, 0], [1, 0]]), surveys.best_design(_LIMITS).channel
    must_show("a silent survey keeps the limit", holds=surveys.meets(silent, _LIMITS))
    values = [measures.fisher_information(channel, Fraction(1, 10)) for channel in (silent, best)]
    must_show("minimising teaches nothing", holds=printed(values) == 0 < max(values))


def _power_divergence(p: Law, q: Law, order: float) -> float:
    return measures.f_divergence(p, q, lambda ratio: ratio**order, slope_at_infinity=math.inf)


def _laws(theta_1: Fraction, theta_2: Fraction) -> tuple[Law, Law]:
    channel = surveys.best_design(_LIMITS).channel
    return surveys.share_law(channel, theta_1), surveys.share_law(channel, theta_2)


ERRATA = (
    Erratum("Theorem 1, two outputs", "error", check_two_outputs),
    Erratum("Table I, Warner's row", "error", check_warner_row),
    Erratum("Section V, the arguments of D_{1+s}", "unit or notation", check_renyi_arguments),
    Erratum("Section V, proof of Corollary 1", "error", check_corollary_sum),
    Erratum("Section II, the confidence level", "unit or notation", check_confidence_level),
    Erratum("Section II, after eq. (1)", "error", check_objective),
)


# --- What [C] says in its table, figures and text, number by number, beside what the software finds.

QUARTER, TENTH, TWO_FIFTHS, HALF = Fraction(1, 4), Fraction(1, 10), Fraction(2, 5), Fraction(1, 2)
_WARNER, _TWO = "Table I, Warner's row", "Theorem 1, two outputs"


def _limits(delta: Fraction, weight: Fraction = HALF) -> surveys.Limits:
    return surveys.Limits.of(delta=delta, weight=weight)


def _entries_laws(delta: Fraction) -> tuple[tuple[Number, ...], tuple[Number, ...]]:
    channel = surveys.best_design(_limits(delta, TWO_FIFTHS)).channel
    return tuple(surveys.share_law(channel, TENTH)), tuple(surveys.share_law(channel, 1 - TENTH))


def _summed(s: float) -> float:
    """[C, proof of Cor. 1] with its sum over the three reports."""
    p, q = _entries_laws(QUARTER)
    divergence = measures.f_divergence(p, q, lambda ratio: ratio ** (1 + s), slope_at_infinity=math.inf)
    return math.log(3 * divergence) / s


def _covered(alpha: float) -> float:
    normal = NormalDist()
    low, high = (normal.inv_cdf(level) for level in printed_normal_quantiles(alpha))
    return normal.cdf(high) - normal.cdf(low)


def _divergence(delta: Fraction) -> float:
    """D between two shares under the pair of [C, Thm 1], case (iii)."""
    channel = printed_three_outputs(_limits(delta, TWO_FIFTHS))
    return measures.kullback_leibler_nats(surveys.share_law(channel, TENTH), surveys.share_law(channel, 1 - TENTH))


def _information(channel: surveys.SurveyDesign) -> Number:
    return channel.fisher_information(TENTH)


ENTRIES = (
    Entry(
        ("table-1", "Warner: J at θ = 1/10", "δ", QUARTER),
        ours=lambda delta: _information(surveys.warner(delta=delta)),
        says="p0 = [δ, 1-δ], p1 = [1-δ, δ]",
        printed=lambda delta: measures.fisher_information(printed_warner(delta), TENTH),
        erratum=_WARNER,
    ),
    Entry(
        ("table-1", "Warner: guess error", "δ", QUARTER),
        ours=lambda delta: measures.weighted_guess_error(surveys.warner(delta=delta).channel, HALF),
        says="p0 = [δ, 1-δ], p1 = [1-δ, δ]",
        printed=lambda delta: measures.weighted_guess_error(printed_warner(delta), HALF),
        erratum=_WARNER,
    ),
    Entry(
        ("table-1", "unrelated question, η = 1/2: J at θ = 1/10", "δ", QUARTER),
        ours=lambda delta: _information(surveys.unrelated_question(delta=delta, eta=HALF)),
        says="p0 = [δ+(1-δ)(1-η), (1-δ)η], p1 = [(1-δ)(1-η), δ+(1-δ)η]",
        printed=lambda delta: measures.fisher_information(printed_unrelated_question(delta, HALF), TENTH),
    ),
    Entry(
        ("table-1", "two outputs: J at θ = 1/10", "δ", QUARTER),
        ours=lambda delta: _information(surveys.survey(delta=delta, outputs=2, theta=TENTH)),
        says="Theorem 1: p0 = [2a, 1-2a], p1 = [1, 0] where θ ≤ θ0",
        printed=lambda delta: measures.fisher_information(printed_two_outputs(_limits(delta), TENTH), TENTH),
        erratum=_TWO,
    ),
    Entry(
        ("table-1", "three outputs: J at θ = 1/10", "δ", QUARTER),
        ours=lambda delta: _information(surveys.survey(delta=delta)),
        says="p0 = [1-δ, δ, 0], p1 = [1-δ, 0, δ]",
        printed=lambda delta: measures.fisher_information(printed_three_outputs(_limits(delta)), TENTH),
    ),
    Entry(
        ("figure-2", "3 or more reports, w = 2/5: J at θ = 1/2", "δ", QUARTER),
        ours=lambda delta: surveys.survey(delta=delta, weight=TWO_FIFTHS).fisher_information(HALF),
        says="eq. (2)",
        printed=lambda delta: printed_largest_information(_limits(delta, TWO_FIFTHS), HALF, 3),
    ),
    Entry(
        ("figure-2", "2 reports, w = 2/5: J at θ = 1/2", "δ", QUARTER),
        ours=lambda delta: surveys.survey(delta=delta, weight=TWO_FIFTHS, outputs=2, theta=HALF).fisher_information(
            HALF
        ),
        says="eq. (2)",
        printed=lambda delta: printed_largest_information(_limits(delta, TWO_FIFTHS), HALF, 2),
    ),
    Entry(
        ("figure-3", "2 reports, w = 1/2: J at θ = 1/10", "δ", QUARTER),
        ours=lambda delta: _information(surveys.survey(delta=delta, outputs=2, theta=TENTH)),
        says="eq. (2)",
        printed=lambda delta: printed_largest_information(_limits(delta), TENTH, 2),
    ),
    Entry(
        ("figure-3", "Warner's curve: J at θ = 1/10", "δ", QUARTER),
        ours=lambda delta: _information(surveys.warner(delta=delta)),
        says="the same as the unrelated question's with η = 1/2",
        printed=lambda delta: measures.fisher_information(printed_unrelated_question(delta, HALF), TENTH),
    ),
    Entry(
        ("figure-4", "largest D between θ1 = 1/10 and θ2 = 9/10, w = 2/5, nats", "δ", QUARTER),
        ours=lambda delta: surveys.largest_renyi_nats(_limits(delta, TWO_FIFTHS), TENTH, 1 - TENTH, 1),
        says="D of the pair of Theorem 1, case (iii)",
        printed=_divergence,
    ),
    Entry(
        ("both-limits", "guess error ≥ 3/8 and ε limited: largest J at θ = 1/10", "ε", 1.0),
        ours=lambda epsilon: _information(surveys.survey(guess_error=Fraction(3, 8), max_epsilon=epsilon)),
        says="not in print",
    ),
    Entry(
        ("Section V", "D_{1+s}(p‖q) between θ1 = 1/10 and θ2 = 9/10, δ = 1/4, w = 2/5, nats", "s", 0.5),
        ours=lambda s: measures.renyi_nats(*_entries_laws(QUARTER), 1 + s),
        says="(1/s) ln Σ p^(-s) q^(1+s)",
        printed=lambda s: printed_renyi_nats(*_entries_laws(QUARTER), s),
        erratum="Section V, the arguments of D_{1+s}",
    ),
    Entry(
        ("Section V", "largest D_{1+s} between θ1 = 1/10 and θ2 = 9/10, δ = 1/4, w = 2/5, nats", "s", 1.0),
        ours=lambda s: surveys.largest_renyi_nats(_limits(QUARTER, TWO_FIFTHS), TENTH, 1 - TENTH, 1 + s),
        says="(1/s) ln max Σ_y D_f",
        printed=_summed,
        erratum="Section V, proof of Corollary 1",
    ),
    Entry(
        ("Section II", "how probably the interval from Φ⁻¹(α/2) to Φ⁻¹(1-α/2) covers", "α", 0.95),
        ours=_covered,
        says="α",
        printed=lambda alpha: alpha,
        erratum="Section II, the confidence level",
    ),
    Entry(
        ("Section II", "the Fisher information sought at θ = 1/10, w = 2/5", "δ", QUARTER),
        ours=lambda delta: surveys.largest_fisher_information(_limits(delta, TWO_FIFTHS), TENTH, outputs=3),
        says="the least, which is 0",
        printed=lambda _: Fraction(0),
        erratum="Section II, after eq. (1)",
    ),
)


PAPER = Paper(
    key="C",
    title="Accuracy-Privacy Trade-off in Analyzing Randomized Responses",
    page="survey",
    figures=FIGURES,
    tables=TABLES,
    errata=ERRATA,
    entries=ENTRIES,
)
