"""[D, Figs. 4 and 5]: how much of n coins the schemes tell. Data first, drawing after.

The print draws eq. (67) for the uniformised chain, which is only a bound; it is drawn here beside what is really told.
Windows of three and four that share one sample are added, since the print's own generalisation is not private.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from sfumato.measures.enclosures import entropy_interval
from sfumato.papers.drawing import BLACK, BLUE, GREEN, GREY, VERMILION, floats, house_style
from sfumato.papers.perfect_sample_privacy import examples, printed
from sfumato.papers.ranges import check_inside

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COUNT = 4
# The optimum is a program at each share; the schemes are formulas.
FEW_SHARES = tuple(Fraction(k, 20) for k in range(1, 11))
SHARES = tuple(Fraction(k, 40) for k in range(1, 21))


def optimal_efficiencies(shares: Sequence[Fraction] = FEW_SHARES) -> list[float]:
    """I(X^4;Y)/H(X^4) of the best mapping."""
    return [examples.four_coins(q).lower_bits / (COUNT * _entropy(q)) for q in shares]


def pair_efficiencies(shares: Sequence[Fraction] = SHARES, count: int | None = COUNT) -> list[float]:
    """Of windows of two; in the limit without `count`."""
    schemes = [examples.pairs(q) for q in shares]
    return [(s.asymptotic_efficiency if count is None else s.efficiency(count)).midpoint for s in schemes]


def chain_efficiencies(shares: Sequence[Fraction] = SHARES, count: int | None = COUNT) -> list[float]:
    """Of the uniformised chain, as it is; in the limit without `count`."""
    chains = [examples.uniformised(q) for q in shares]
    return [(c.asymptotic_efficiency if count is None else c.efficiency(count)).midpoint for c in chains]


def printed_chain_efficiencies(shares: Sequence[Fraction] = SHARES, count: int | None = COUNT) -> list[float]:
    """The same by eq. (67)."""
    if count is None:
        return [printed.printed_uniformised_bits(q, 2) / _entropy(q) for q in shares]
    return [printed.printed_uniformised_bits(q, count) / (count * _entropy(q)) for q in shares]


def triple_efficiencies(shares: Sequence[Fraction] = FEW_SHARES) -> list[float]:
    """Of windows of three that share one sample, in the limit."""
    return [examples.pairs(q, 3).asymptotic_efficiency.midpoint for q in shares]


def figure_4(*, shares: tuple[Fraction, ...] = SHARES, marked: tuple[Fraction, ...] = FEW_SHARES) -> Figure:
    """Four coins: the optimum, pairs of neighbours, and the uniformised chain with what eq. (67) says of it."""
    check_inside("shares", shares, 0, 1)
    check_inside("marked", marked, 0, 1)
    with house_style():
        figure, axes = _axes("n = 4 independent samples")
        axes.plot(floats(marked), optimal_efficiencies(marked), color=BLACK, marker="o", markersize=4, label="optimum")
        _schemes(axes, COUNT, shares)
        axes.legend(loc="upper left")
        return figure


def figure_5(*, shares: tuple[Fraction, ...] = SHARES, marked: tuple[Fraction, ...] = FEW_SHARES) -> Figure:
    """Many coins: the optimum tells all; pairs, windows of three, and the uniformised chain tell a part."""
    check_inside("shares", shares, 0, 1)
    check_inside("marked", marked, 0, 1)
    with house_style():
        figure, axes = _axes("in the limit of many samples")
        axes.axhline(1, color=BLACK, label="optimum (Theorem 4)")
        _schemes(axes, None, shares)
        triples = triple_efficiencies(marked)
        axes.plot(floats(marked), triples, color=GREEN, linestyle="-.", label="windows of 3, sharing 1")
        axes.legend(loc="upper left", bbox_to_anchor=(0, 0.95))
        return figure


def _schemes(axes: Axes, count: int | None, shares: Sequence[Fraction]) -> None:
    places, chains = floats(shares), chain_efficiencies(shares, count)
    axes.plot(places, pair_efficiencies(shares, count), color=BLUE, label="pairs of neighbours")
    axes.plot(places, chains, color=VERMILION, linestyle="--", label="uniformised chain")
    by_print = printed_chain_efficiencies(shares, count)
    axes.plot(places, by_print, color=GREY, linestyle=":", label="uniformised chain, by eq. (67)")


def _axes(title: str) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure  # noqa: PLC0415  heavy, and only drawing needs it

    figure = Figure(figsize=(6.2, 3.9))
    axes = figure.subplots()
    axes.set(xlabel="share q of ones", ylabel="part of $H(X^n)$ that is told", xlim=(0, 0.5), ylim=(0, 1.05))
    axes.set_title(title)
    return figure, axes


def _entropy(q: Fraction) -> float:
    return entropy_interval(((q, 1), (1 - q, 1))).midpoint


FIGURES: dict[str, Callable[..., Figure]] = {"figure-4": figure_4, "figure-5": figure_5}
