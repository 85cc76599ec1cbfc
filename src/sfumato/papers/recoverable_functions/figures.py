"""[A, Figs. 1 to 3], and a figure that the print lacks: every scheme and bound for n responses. Data first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from sfumato import design
from sfumato.papers.drawing import BLACK, BLUE, GREEN, GREY, VERMILION, floats, house_style, new_figure
from sfumato.papers.recoverable_functions.printed import PRIOR

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The two questions of Figure 1: the paper's example, and data of which f(x) tells only a part.
FIVE, PARTS = tuple(Fraction(p, 100) for p in (35, 25, 20, 12, 8)), (0, 0, 1, 1, 2)
_COUNTED = {3: "three", 5: "five"}
QUESTIONS = (
    ("P = (0.5, 0.3, 0.2), f(x) = x", PRIOR, (0, 1, 2)),
    ("five values of the data, three of f", FIVE, PARTS),
)
RHOS = tuple(Fraction(step, 100) for step in range(101))
# The settings of Figures 2 and 3.
PAIR_SIZES, PAIR_RHO = (4, 5), Fraction(3, 4)
BLOCK_SIZE, BLOCK_RHO = 8, Fraction(1, 3)
# The figure of n responses: the two regimes, and up to where programs are solved.
PANELS = (Fraction(3, 5), Fraction(2, 5))
COUNTS = tuple(range(1, 16))
MOST_PROGRAMS = 4


def privacies(prior: Sequence[Fraction], f: Sequence[int], rhos: Sequence[Fraction] = RHOS) -> list[Fraction]:
    """π(ρ), each from the response itself."""
    return [design.recoverable(prior, f, rho).privacy for rho in rhos]


def falling(size: int, rho: Fraction) -> design.Query:
    """A question whose values are sorted: m_i falls evenly."""
    weights = [Fraction(2 * (size - i), size * (size + 1)) for i in range(size)]
    return design.Query.of(weights, range(size), rho)


def repeated(query: design.Query, *, best: bool, counts: Sequence[int] = COUNTS) -> list[float]:
    """π of n times V_o, or of n times V_1 or V_2."""
    noise = design.best_noise(query) if best else design.published_noise(query)
    return [design.privacy_of_noise(query, noise, n).midpoint for n in counts]


@lru_cache(maxsize=8)
def alternated(rho: Fraction, most: int = MOST_PROGRAMS, prior: tuple[Fraction, ...] = PRIOR) -> tuple[float, ...]:
    """π of the responses that alternating programs find from two starts, for n = 1, 2, …"""
    query = design.Query.of(prior, range(len(prior)), rho)
    starts = [2] * min(most, MOST_PROGRAMS - 1) + [1] * (most - MOST_PROGRAMS + 1)
    return tuple(design.alternating(query, n, starts=tries)[1].lower for n, tries in enumerate(starts, start=1))


def ceilings(query: design.Query, counts: Sequence[int] = COUNTS) -> list[float]:
    """What n responses cannot pass: [A, Thm 4] for n or for fewer, since more responses never hide more."""
    return [float(min(design.converse(query, fewer) for fewer in range(1, n + 1))) for n in counts]


def figure_1(
    *, prior: tuple[Fraction, ...] = PRIOR, data: tuple[Fraction, ...] = FIVE, parts: tuple[int, ...] = PARTS
) -> Figure:
    """Most privacy against how often the answer must be right."""
    told = len(set(parts))
    questions = (
        (f"P = {_law_words(prior)}, f(x) = x", prior, tuple(range(len(prior)))),
        (f"{_COUNTED.get(len(data), len(data))} values of the data, {_COUNTED.get(told, told)} of f", data, parts),
    )
    with house_style():
        figure = new_figure(8.2, 3.3)
        for axes, (title, law, f) in zip(figure.subplots(1, 2, sharey=True), questions, strict=True):
            query = design.Query.of(law, f, 1)
            critical, least = float(query.critical_rho), float(1 - query.total)
            axes.plot(floats(RHOS), floats(privacies(law, f)), color=BLUE)
            axes.axvline(critical, color=GREY, linewidth=1, linestyle=":")
            axes.annotate(f"$ρ_c$ = {critical:.3g}", (critical, 0.02), (4, 0), textcoords="offset points", fontsize=9)
            axes.axhline(least, color=GREY, linewidth=1, linestyle=":")
            axes.set(xlabel="ρ, how often the answer must be right", xlim=(0, 1), ylim=(0, 0.8))
            axes.set_title(title)
        figure.axes[0].set_ylabel("privacy π(ρ)")
        return figure


def figure_2(*, sizes: tuple[int, ...] = PAIR_SIZES, rho: Fraction = PAIR_RHO) -> Figure:
    """V_1: neighbours flip into each other, and with odd k the last value leaks to the first."""
    with house_style():
        figure = new_figure(4.1 * len(sizes), 3.9)
        for axes, size in zip(figure.subplots(1, len(sizes), squeeze=False)[0], sizes, strict=True):
            _matrix(axes, design.pair_noise(falling(size, rho)))
            axes.set_title(f"$V_1$, k = {size}, ρ = {rho}")
        return figure


def figure_3(*, size: int = BLOCK_SIZE, block_rho: Fraction = BLOCK_RHO) -> Figure:
    """V_2: a value is hidden among those of its block."""
    with house_style():
        figure = new_figure(4.6, 4.4)
        axes = figure.subplots()
        _matrix(axes, design.block_noise(falling(size, block_rho)))
        axes.set_title(f"$V_2$, k = {size}, ρ = {block_rho}")
        return figure


def figure_responses(
    *, prior: tuple[Fraction, ...] = PRIOR, rhos: tuple[Fraction, ...] = PANELS, most: int = COUNTS[-1]
) -> Figure:
    """Privacy of n responses: repeated schemes, bounds, and responses that differ from one another."""
    with house_style():
        figure = new_figure(4.1 * len(rhos), 4.2)
        panels = figure.subplots(1, len(rhos), squeeze=False)[0]
        counts = range(1, most + 1)
        for axes, rho in zip(panels, rhos, strict=True):
            query = design.Query.of(prior, range(len(prior)), rho)
            high = rho > Fraction(1, 2)
            axes.plot(counts, ceilings(query, counts), color=BLACK, linewidth=1.2, label="no scheme passes (Thm 4)")
            if high:
                pairs = [design.decay_bounds(query, n) for n in counts]
                axes.plot(counts, [top for _, top in pairs], color=GREY, linestyle="-.", label="Prop 8, above")
                below = [float(design.pair_bound(query, n)) for n in counts]
                axes.plot(counts, below, color=VERMILION, linestyle=":", label="$V_1$ at least (Thm 5)")
                axes.plot(counts, [low for low, _ in pairs], color=GREY, linestyle=":", label="Prop 8, below")
            axes.plot(
                counts,
                repeated(query, best=True, counts=counts),
                "s--",
                color=BLUE,
                markersize=3.5,
                label="$V_o$ repeated",
            )
            name = "$V_1$ repeated" if high else "$V_2$ repeated"
            axes.plot(
                counts, repeated(query, best=False, counts=counts), "o-", color=VERMILION, markersize=3.5, label=name
            )
            found = alternated(rho, MOST_PROGRAMS, prior)
            axes.plot(range(1, len(found) + 1), found, "D", color=GREEN, markersize=6, label="alternating programs")
            axes.set(xlabel="number of responses n", xlim=(0.5, most + 0.5), ylim=(0, 0.8))
            axes.set_title(f"P = {_law_words(prior)}, ρ = {rho}")
            axes.legend(
                loc="upper right",
                fontsize=7,
                ncols=2,
                columnspacing=1,
                handlelength=2.2,
                frameon=True,
                framealpha=1,
                edgecolor="white",
            )
        panels[0].set_ylabel("privacy $π_n$")
        return figure


def _law_words(prior: Sequence[Fraction]) -> str:
    return f"({', '.join(f'{float(p):g}' for p in prior)})"


def _matrix(axes: Axes, rows: Sequence[Sequence[Fraction]]) -> None:
    """A stochastic matrix as shades with its numbers."""
    size = len(rows)
    axes.grid(visible=False)
    axes.imshow([floats(row) for row in rows], cmap="Blues", vmin=0, vmax=1.4)
    for j, row in enumerate(rows):
        for i, p in enumerate(row):
            axes.text(i, j, str(p), ha="center", va="center", fontsize=9, color=BLACK if p else GREY)
    axes.set(xlabel="response i", ylabel="value j", xticks=range(size), yticks=range(size))


FIGURES: dict[str, Callable[..., Figure]] = {
    "figure-1": figure_1,
    "figure-2": figure_2,
    "figure-3": figure_3,
    "responses": figure_responses,
}
