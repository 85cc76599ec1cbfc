"""[E, Fig. 1] and what its equations look like when they are drawn: budgets and leaks. Data first, drawing after.

Figure 2 of the paper is a diagram of models and holds no numbers; it is not redrawn. Noise on numbers is drawn in
`noise_figures`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from sfumato.design.exponential_noise import exponential
from sfumato.design.flipped_answers import flip as flip_for
from sfumato.measures.balances.plateau import plateau_bits
from sfumato.measures.correlations import neighbour_odds, worst_correlation
from sfumato.papers.dalenius_goal import examples, printed
from sfumato.papers.dalenius_goal.noise_figures import gaussian, private_mean, utility
from sfumato.papers.drawing import BLACK, BLUE, GREEN, GREY, SURFACE, VERMILION, floats, house_style, new_figure
from sfumato.papers.ranges import check_inside, check_whole
from sfumato.values.checks import check_between

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BUDGETS = tuple(Fraction(k, 50) for k in range(1, 50))
FEW_BUDGETS = tuple(Fraction(k, 10) for k in range(1, 10))
OUTPUTS = (2, 4, 8)
POINTS = (0.0, 1.0, *(2 + k / 20 for k in range(20)), 2.98, 3.0)
# From 1/2 down to 1/8192, four to an octave.
SURPRISES = tuple(Fraction(2.0 ** (-k / 4)).limit_denominator(10**6) for k in range(52, 3, -1))
_COLOURS = {"parity": (BLUE, "-"), "and": (VERMILION, "-"), "nand": (BLACK, ":"), "majority": (GREEN, "--")}


def flips(budgets: Sequence[Fraction] = BUDGETS) -> list[float]:
    """The software's flip for each budget."""
    return [float(flip_for(budget_bits=budget).flip) for budget in budgets]


def sharpest_rates(outputs: int, budgets: Sequence[Fraction] = FEW_BUDGETS) -> list[float]:
    """λ of the exponential channel on a line whose certified capacity, not its bound (84), meets the budget."""
    table = examples.on_a_line(outputs)
    return [exponential(table, budget_bits=budget).rate for budget in budgets]


def equal_bits(odds: Fraction, surprises: Sequence[Fraction] = SURPRISES) -> list[float]:
    """I_∞ of one of two bits that are known to be equal and to be 1 with probability s."""
    leak = worst_correlation(examples.geometric_count(odds), (2, 2))
    return [leak.max_information_bits(surprise) for surprise in surprises]


def independent_bits(odds: Fraction, surprises: Sequence[Fraction] = SURPRISES) -> list[float]:
    """The same where the other bit is independent, and known, so that neighbours' odds are all there is."""
    between = Fraction(neighbour_odds(examples.geometric_count(odds), (2, 2)))
    return [examples.max_information(between, surprise) for surprise in surprises]


def figure_1(*, p: Fraction = examples.TENTH) -> Figure:
    """Example 1 through BSC(1/10): its matrix, and the 8 and 9 channels that a record can select, with capacities."""
    check_inside("p", [p], 0, 1)
    with house_style():
        figure = new_figure(10.2, 4.2)
        grid = figure.add_gridspec(2, 2, width_ratios=(1.0, 2.5))
        for y in (0, 1):
            _plane(figure.add_subplot(grid[y, 0]), y)
        for record in (1, 2):
            _selected(figure.add_subplot(grid[record - 1, 1]), record, p)
        return figure


def budgets(
    *,
    epsilons: tuple[Fraction, ...] = BUDGETS,
    marked: tuple[Fraction, ...] = FEW_BUDGETS,
    sizes: tuple[int, ...] = OUTPUTS,
) -> Figure:
    """Left: the flip for a budget. Right: the rate of the exponential channel, by (83) and by its own capacity."""
    check_inside("epsilons", epsilons, 0, 1)
    check_inside("marked", marked, 0, 1)
    check_whole("sizes", sizes, 2, 64)
    with house_style():
        figure = new_figure(10.2, 4.0)
        left, right = figure.subplots(1, 2)
        left.plot(floats(epsilons), flips(epsilons), color=BLUE, label="the software's flip")
        few = [printed.printed_flip(float(budget)) for budget in marked]
        left.plot(floats(marked), few, "o", color=BLACK, markersize=4, label="H(p) = log 2 - ε, eq. (57)")
        left.set(xlabel="budget ε, bits", ylabel="flip p*", xlim=(0, 1), ylim=(0, 0.5))
        left.set_title("binary symmetric channel")
        left.legend()
        for place, k in enumerate(sizes):
            colour = (BLUE, GREEN, VERMILION)[place % 3]
            right.plot(
                floats(epsilons),
                [examples.rate_for(k, float(budget)) for budget in epsilons],
                color=colour,
                label=f"{k} answers, eq. (83)",
            )
            right.plot(floats(marked), sharpest_rates(k, marked), "x", color=colour, markersize=6)
        right.plot([], [], "x", color=GREY, label="by the capacity itself, answers on a line")
        right.axhline(1, color=GREY, linestyle=":", linewidth=1.2, label="λ ≤ 1 in the print")
        right.set(xlabel="budget ε, bits", ylabel="rate λ", xlim=(0, 1), ylim=(0, 5))
        right.set_title("exponential channel")
        right.legend()
        return figure


def correlated(*, odds: Fraction = Fraction(2)) -> Figure:
    """A count of two bits with geometric noise of odds 2: what one report can say about one of them."""
    check_inside("odds", [odds], 1, 10**6)
    with house_style():
        figure = new_figure(6.2, 3.9)
        axes = figure.subplots()
        axes.semilogx(floats(SURPRISES), equal_bits(odds), color=VERMILION, label="the bits are known to be equal")
        axes.semilogx(
            floats(SURPRISES), independent_bits(odds), color=BLUE, linestyle="--", label="the bits are independent"
        )
        once = math.log2(odds)
        for bits, words in (
            (once, f"ε = ln {odds} nats = {once:.3g} bit: differential privacy"),
            (2 * once, f"with correlations: {2 * once:.3g} bits"),
        ):
            axes.axhline(bits, color=GREY, linestyle=":", linewidth=1.2)
            axes.annotate(words, (2e-4, bits), xytext=(0, 5), textcoords="offset points", color=GREY, fontsize=9)
        axes.set(xlabel="chance that the adversary gives to a 1", ylabel="max-information, bits", ylim=(0, 2.3 * once))
        axes.legend(loc="lower left")
        return figure


def balance(*, points: tuple[float, ...] = POINTS) -> Figure:
    """What ignorance is worth: g(b) of four questions about three bits through BSC(1/10), and where it leaves 0."""
    check_between("points", min(points), 0, 3)
    check_between("points", max(points), 0, 3)
    with house_style():
        figure = new_figure(7.4, 4.4)
        axes = figure.subplots()
        for size, (name, (colour, style)) in zip((13, 10, 7, 7), _COLOURS.items(), strict=True):
            found = examples.balances(name, points)
            end = plateau_bits(examples.truth_of(name, 3), (2, 2, 2))
            axes.plot(
                points,
                [one.bits.midpoint for one in found],
                color=colour,
                linestyle=style,
                label=f"{name}: 0 up to b = {end:.4g}",
            )
            axes.plot([end], [0.0], "o", color=colour, markersize=size, clip_on=False, zorder=3)
        highest = examples.balances("parity", points)[0].unconstrained.upper
        axes.axhline(highest, color=GREY, linestyle=":", linewidth=1.2)
        axes.annotate("$C_1$", (0, highest), xytext=(4, 4), textcoords="offset points", color=GREY)
        axes.set(
            xlabel="b: the adversary lacks at least so many of 3 bits", ylabel="g(b), bits", xlim=(0, 3), ylim=(0, 0.6)
        )
        axes.legend(loc="upper left", bbox_to_anchor=(0.02, 0.85))
        return figure


def _plane(axes: Axes, y: int) -> None:
    from matplotlib.patches import Rectangle  # noqa: PLC0415  heavy, and only drawing needs it

    for place, value in enumerate(examples.TRUTH_1):
        a, b = divmod(place, examples.SHAPE_1[1])
        likely = value == y
        axes.add_patch(Rectangle((a - 0.5, b - 0.5), 1, 1, facecolor=BLUE if likely else "#dfe7ee", edgecolor="white"))
        axes.text(a, b, "1-p" if likely else "p", ha="center", va="center", color="white" if likely else BLACK)
    axes.set(xticks=range(3), yticks=range(2), ylabel="$x_2$", xlim=(-0.5, 2.5), ylim=(-0.5, 1.5))
    if y:
        axes.set_xlabel("$x_1$")
    axes.grid(visible=False)
    axes.set_title(f"P(y = {y} | x₁, x₂)")


def _selected(axes: Axes, record: int, p: Fraction) -> None:
    found = sorted(examples.selections(p, record), key=lambda one: (one[1], one[0]))
    rows = [[answers[value] for answers, _ in found] for value in range(len(found[0][0]))]
    axes.imshow(rows, cmap=SURFACE, vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(found)), [f"{bits:.3f}" for _, bits in found])
    axes.set_yticks(range(len(rows)), [f"$x_{record}$ = {value}" for value in range(len(rows))])
    for value, row in enumerate(rows):
        for place, answer in enumerate(row):
            axes.text(place, value, str(answer), ha="center", va="center", color=BLACK if answer else "white")
    for place in range(1, len(found)):
        axes.axvline(place - 0.5, color="white", linewidth=3)
    axes.grid(visible=False)
    axes.set_title(f"record {record}: {len(found)} channels, f for each of its values; capacity in bits at p = {p}")


FIGURES: dict[str, Callable[..., Figure]] = {
    "figure-1": figure_1,
    "budgets": budgets,
    "correlated": correlated,
    "balance": balance,
    "gaussian": gaussian,
    "utility": utility,
    "private-mean": private_mean,
}
