"""Noise on numbers [E, Sec. 5], drawn: capacity, the noise for a budget, its standard deviation, and a private mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sfumato.papers.dalenius_goal import examples, noise, printed
from sfumato.papers.drawing import BLACK, BLUE, GREEN, GREY, VERMILION, house_style, new_figure
from sfumato.papers.ranges import check_inside, check_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# T²/N, evenly on a logarithmic scale; every curve is drawn along these, so that no equation has to be solved.
RATIOS = tuple(2.0 ** (k / 4) for k in range(-20, 23))
NAMED = (1.0, 3.0, 7.0, 15.0)
RECORDS, DELTA = 100, 1e-5
# Up to the ε of the last T²/N.
EPSILONS = tuple(0.05 * 2 ** (k / 4) for k in range(20))
TAUS = tuple(0.05 + 0.05 * k for k in range(30))
# Less than the width of a line.
_DRAWN = 1e-4
MEANS = (0.5, 1.0)


def capacities(ratios: Sequence[float] = RATIOS, points: int | None = None) -> list[float]:
    """In bits, at each T²/N."""
    return [examples.gaussian_bits(ratio, points, gap_bits=_DRAWN) for ratio in ratios]


def gaussian(*, ratios: tuple[float, ...] = RATIOS, marked: tuple[float, ...] = NAMED) -> Figure:
    """The Gaussian channel with |f| ≤ T: eq. (115) is an upper bound, and less noise meets the budget."""
    check_inside("ratios", ratios, 0, 1000)
    check_inside("marked", marked, 0, 1000)
    with house_style():
        figure = new_figure(10.2, 4.0)
        left, right = figure.subplots(1, 2)
        said = [printed.printed_gaussian_bits(ratio) for ratio in ratios]
        true, two = capacities(ratios), capacities(ratios, points=2)
        for axes, along in ((left, None), (right, [1 / ratio for ratio in ratios])):
            for bits, colour, style, words in (
                (said, GREY, ":", "½ log2(1 + T²/N), eq. (115)"),
                (true, BLUE, "-", "capacity"),
                (two, VERMILION, "--", "capacity, record of two values"),
            ):
                if along is None:
                    axes.semilogx(ratios, bits, color=colour, linestyle=style, label=words)
                else:
                    axes.semilogy(bits, along, color=colour, linestyle=style, label=words)
        left.plot(marked, capacities(marked), "o", color=BLACK, markersize=4)
        left.set(xlabel="T²/N", ylabel="bits", ylim=(0, 2.6), xlim=(ratios[0], ratios[-1]))
        left.set_title("what the channel tells at most")
        left.legend(loc="upper left")
        right.set(xlabel="budget, bits", ylabel="N/T²", xlim=(0, 2), ylim=(0.02, 30))
        right.set_title("the noise that a budget needs")
        right.legend(loc="upper right")
        return figure


def utility(*, records: int = RECORDS, delta: float = DELTA) -> Figure:
    """Standard deviations in one unit, for the mean of 100 records and for any f between -T and T; T = 1."""
    check_whole("records", [records], 1, 10**9)
    check_inside("delta", [delta], 0, 1)
    with house_style():
        figure = new_figure(10.2, 4.2)
        panels = figure.subplots(1, 2, sharey=True)
        settings = (
            (panels[0], noise.sensitivity_of_mean(1.0, records), f"mean of {records} records: Δf = 2T/{records}"),
            (panels[1], 2.0, "any f: Δf up to 2T"),
        )
        for axes, sensitivity, title in settings:
            _deviations(axes, sensitivity, delta)
            axes.set(xlabel="ε, nats", xlim=(EPSILONS[0], EPSILONS[-1]), ylim=(0.01, 300))
            axes.set_title(title)
        panels[0].set_ylabel("standard deviation, T = 1")
        panels[0].legend(loc="upper right", fontsize=9)
        return figure


def private_mean(*, epsilons: tuple[float, ...] = MEANS, taus: tuple[float, ...] = TAUS) -> Figure:
    """How probably a private mean of many records misses by τ: the limit, and eq. (122), which is Chebyshev's bound."""
    check_inside("epsilons", epsilons, 0, 20)
    check_inside("taus", taus, 0, 100)
    with house_style():
        figure = new_figure(6.4, 4.0)
        axes = figure.subplots()
        for place, epsilon in enumerate(epsilons):
            colour = (VERMILION, BLUE, GREEN)[place % 3]
            limit = [noise.limit_miss(epsilon, tau) for tau in taus]
            axes.semilogy(taus, limit, color=colour, label=f"limit, ε = {_nats(epsilon)}")
            said = [printed.printed_miss(epsilon, tau) for tau in taus]
            axes.semilogy(taus, said, color=colour, linestyle=":", label=f"eq. (122), ε = {_nats(epsilon)}")
        axes.axhline(1, color=GREY, linewidth=1)
        axes.set(xlabel="τ, with T = 1", ylabel="Pr[|W - μ| ≥ τ]", xlim=(0, max(taus)), ylim=(1e-4, 30))
        axes.legend(loc="lower left")
        return figure


def _deviations(axes: Axes, sensitivity: float, delta: float) -> None:
    within = [epsilon for epsilon in EPSILONS if epsilon <= 1]
    axes.loglog(
        EPSILONS,
        [noise.laplace_deviation(epsilon, sensitivity) for epsilon in EPSILONS],
        color=VERMILION,
        label="Laplace mechanism, √2·Δf/ε",
    )
    axes.loglog(
        within,
        [noise.gaussian_mechanism_deviation(epsilon, delta, sensitivity) for epsilon in within],
        color=GREEN,
        linestyle="-.",
        label=f"Gaussian mechanism, eq. (119), δ' = {'10⁻⁵' if delta == DELTA else format(delta, 'g')}",
    )
    axes.loglog(
        EPSILONS,
        [printed.printed_gaussian_deviation(epsilon) for epsilon in EPSILONS],
        color=GREY,
        linestyle=":",
        label="Gaussian channel, eq. (120)",
    )
    axes.loglog(
        [bits * examples.LN2 for bits in capacities()],
        [1 / math.sqrt(ratio) for ratio in RATIOS],
        color=BLUE,
        label="Gaussian channel, by its capacity",
    )


def _nats(epsilon: float) -> str:
    return "1 nat" if epsilon == 1 else f"{epsilon:g} nats"
