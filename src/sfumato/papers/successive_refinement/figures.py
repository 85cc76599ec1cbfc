"""[B, Figs. 5a, 5b, 6 and 7]: random bits, storage, and the best yes/no reports. Data first, drawing after."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sfumato import infer
from sfumato.mechanisms.randomness_budget import inverse_binary_entropy
from sfumato.papers.drawing import BLACK, BLUE, GREEN, VERMILION, house_style, new_figure
from sfumato.papers.ranges import check_inside, check_whole
from sfumato.papers.successive_refinement.error_figures import (
    EPSILON,
    cycled,
    figure_4a,
    figure_4b,
    mechanism_of_theorem_2,
)
from sfumato.refine.randomness import separate_bits, xor_ladder_bits
from sfumato.refine.recovery_keys import ShiftKey
from sfumato.values.checks import check_positive

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Figure 5: random bits of several levels. Near ε₁ one report gets cheap quickly, hence the finer steps there.
TOP = 1.0
SECONDS = (*(k / 100 for k in range(1, 90)), *(0.9 + k / 500 for k in range(49)), 0.999, 0.9999)
MANY_TOP, MOST_LEVELS = 2.0, 10
# Figure 6: storage.
STORAGE_SIZES, STORAGE_EPSILONS = (10, 100, 1000), tuple(k / 10 for k in range(1, 81))
# Figure 7: the two budgets at ε = 1.
REGION_BUDGETS = (0.5, 0.85)

_INKS, _LINES = (BLUE, VERMILION, GREEN), ("-", "--", "-.")


def printed_levels(count: int, top: float = MANY_TOP) -> tuple[float, ...]:
    """ε_j = 2 - 0.1j for j ≥ 2, as printed: the first step down is 0.2, the others are 0.1."""
    return (top, *(top - j / 10 for j in range(2, count + 1)))


def even_levels(count: int, top: float = MANY_TOP) -> tuple[float, ...]:
    """ε_j = 2 - 0.1(j-1): every step down is 0.1."""
    return tuple(top - (j - 1) / 10 for j in range(1, count + 1))


def figure_5a(*, epsilon: float = TOP) -> Figure:
    """Random bits of two levels: one report for both, and a report for each."""
    check_positive("epsilon", epsilon)
    with house_style():
        figure = new_figure(6.2, 3.9)
        axes = figure.subplots()
        seconds = [epsilon * part for part in SECONDS]
        pairs = [(epsilon, second) for second in seconds]
        apart, ladder = [separate_bits(pair) for pair in pairs], [xor_ladder_bits(pair) for pair in pairs]
        axes.plot(seconds, apart, color=VERMILION, linestyle="--", label="a report for each level")
        axes.plot(seconds, ladder, color=BLUE, label="one report, Theorem 3")
        axes.axhline(separate_bits([epsilon]), color=BLACK, linewidth=1)
        axes.text(0.02 * epsilon, separate_bits([epsilon]) + 0.03, "level 1 alone", va="bottom", fontsize=9)
        axes.set(xlabel="ε₂, nats", ylabel="random bits a user", xlim=(0, epsilon), ylim=(0, 2.05))
        axes.set_title(f"Two levels, ε₁ = {epsilon:g}")
        axes.legend(loc="lower left")
        return figure


def figure_5b(*, epsilon: float = MANY_TOP, most: int = MOST_LEVELS) -> Figure:
    """Random bits of d levels, for both readings of which epsilons the print means."""
    check_whole("most", [most], 1, 100)
    check_inside("epsilon", [epsilon], most / 10, 40)
    with house_style():
        figure = new_figure(6.2, 3.9)
        axes = figure.subplots()
        counts = range(1, most + 1)
        schemes = ((separate_bits, VERMILION, "a report for each level"), (xor_ladder_bits, BLUE, "one report"))
        readings = (
            (printed_levels, "-", "o", "full", f"ε$_j$ = {epsilon:g} - 0.1j as printed"),
            (even_levels, "--", "s", "none", f"ε$_j$ = {epsilon:g} - 0.1(j-1)"),
        )
        for bits, colour, scheme in schemes:
            for levels, line, mark, fill, reading in readings:
                axes.plot(
                    counts,
                    [bits(levels(count, epsilon)) for count in counts],
                    color=colour,
                    linestyle=line,
                    marker=mark,
                    fillstyle=fill,
                    markersize=5,
                    label=f"{scheme}, {reading}",
                )
        axes.set(
            xlabel="levels d", ylabel="random bits a user", xlim=(0.7, most + 0.3), ylim=(0, None), xticks=list(counts)
        )
        axes.set_title(f"d levels from ε₁ = {epsilon:g} down")
        axes.legend(loc="upper left")
        return figure


def _storage_bits(size: int, epsilon: float) -> float:
    return ShiftKey.within(size=size, epsilon=epsilon).entropy_bits().midpoint


def figure_6(*, sizes: tuple[int, ...] = STORAGE_SIZES, epsilons: tuple[float, ...] = STORAGE_EPSILONS) -> Figure:
    """Bits to store a key of private recoverability, against ε."""
    check_whole("sizes", sizes, 2, 1 << 20)
    with house_style():
        figure = new_figure(6.2, 3.9)
        axes = figure.subplots()
        for size, colour, line in zip(sizes, cycled(_INKS, len(sizes)), cycled(_LINES, len(sizes)), strict=True):
            axes.axhline(math.log2(size), color=BLACK, linewidth=1)
            axes.text(0.825 * max(epsilons), math.log2(size) + 0.1, f"log2 {size}", ha="right", va="bottom", fontsize=9)
            bits = [_storage_bits(size, epsilon) for epsilon in epsilons]
            axes.plot(epsilons, bits, color=colour, linestyle=line, label=f"key, k = {size}")
        axes.set(
            xlabel="ε, nats", ylabel="bits to store", xlim=(0, max(epsilons)), ylim=(0, 1.54 + math.log2(max(sizes)))
        )
        axes.set_title("Storing the cheapest key instead of the answer")
        axes.legend(loc="lower left")
        return figure


def region(random_bits: float, epsilon: float, steps: int = 400) -> npt.NDArray[np.bool_]:
    """Which pairs (P(1|x), P(1|x')) of a yes/no report keep ε and R; a row for each P(1|x')."""
    first, second = np.meshgrid(*[(np.arange(steps) + 0.5) / steps] * 2)
    odds, scarce = math.exp(epsilon), inverse_binary_entropy(random_bits)
    private = np.ones_like(first, dtype=np.bool_)
    for p, q in ((first, second), (1 - first, 1 - second)):
        private &= (p <= odds * q) & (q <= odds * p)
    frugal = (np.minimum(first, 1 - first) <= scarce) & (np.minimum(second, 1 - second) <= scarce)
    return np.asarray(private & frugal)


def corners(random_bits: float, epsilon: float) -> list[tuple[float, float]]:
    """The best points of [B, eq. (25)], from the mechanism: all four below R_c, where both reports can be scarce."""
    inside, outside = (
        float(law[1]) for law in (mechanism_of_theorem_2(epsilon, random_bits, 2).law(x) for x in (0, 1))
    )
    return sorted({(inside, outside), (outside, inside), (1 - inside, 1 - outside), (1 - outside, 1 - inside)})


def figure_7(*, epsilon: float = EPSILON, budgets: tuple[float, ...] = REGION_BUDGETS) -> Figure:
    """The yes/no reports that keep ε and a budget, and the best of them."""
    with house_style():
        import matplotlib as mpl  # noqa: PLC0415

        figure = new_figure(3.7 * len(budgets), 3.9)
        panels = figure.subplots(1, len(budgets), squeeze=False)[0]
        for axes, budget in zip(panels, budgets, strict=True):
            axes.imshow(
                region(budget, epsilon),
                origin="lower",
                extent=(0, 1, 0, 1),
                cmap=mpl.colors.ListedColormap(["white", BLUE]),
                vmin=0,
                vmax=1,
                alpha=0.45,
                interpolation="nearest",
            )
            axes.plot(*zip(*corners(budget, epsilon), strict=True), "o", color=BLACK, markersize=9, fillstyle="none")
            critical = infer.critical_random_bits(epsilon)
            axes.set_title(f"R = {budget} {'<' if budget < critical else '≥'} {critical:.3f} = R_c")
            axes.set(xlabel="P(report 1 | x)", ylabel="P(report 1 | x')", xlim=(0, 1), ylim=(0, 1), aspect="equal")
        return figure


FIGURES: dict[str, Callable[..., Figure]] = {
    "figure-4a": figure_4a,
    "figure-4b": figure_4b,
    "figure-5a": figure_5a,
    "figure-5b": figure_5b,
    "figure-6": figure_6,
    "figure-7": figure_7,
}
