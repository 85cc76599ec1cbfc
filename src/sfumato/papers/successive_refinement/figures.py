"""[B, Figs. 4a, 4b, 5a, 5b, 6 and 7]. Data first, drawing after.

The print does not say how negative shares were treated. Its numbers are those of clipping and dividing by the sum, so
that estimate, the nearest law and the raw shares stand side by side; the print averages 20 runs, we average fewer.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sfumato import infer
from sfumato.bits import Categorical, InsecureSeeded
from sfumato.errors import InsecureBitsWarning
from sfumato.mechanisms import BinaryHadamard
from sfumato.mechanisms.randomness_budget import inverse_binary_entropy, rarer_yes
from sfumato.papers.drawing import BLACK, BLUE, GREEN, VERMILION, house_style, new_figure
from sfumato.refine.randomness import separate_bits, xor_ladder_bits
from sfumato.refine.recovery_keys import ShiftKey

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FloatArray = npt.NDArray[np.float64]

SIZE, RATIO = 1000, 0.8
# Figure 4a: ℓ1 error against the number of users, ε = 1.
EPSILON, BUDGETS = 1.0, (1.0, 0.7)
USERS = (100_000, 150_000, 250_000, 400_000, 600_000, 850_000, 1_000_000)
# Figure 4b: ℓ1 error against ε. The print speaks of R = 0.6 and of R = 0.9.
MANY, SCARCE_BUDGETS = 500_000, (1.0, 0.9, 0.6)
EPSILONS = (0.3, 0.5, 0.7, 0.85, 1.0, 1.25, 1.5, 1.7, 1.85, 2.0)
REPETITIONS = 3
# Figure 5: random bits of several levels. Near ε₁ one report gets cheap quickly, hence the finer steps there.
TOP = 1.0
SECONDS = (*(k / 100 for k in range(1, 90)), *(0.9 + k / 500 for k in range(49)), 0.999, 0.9999)
MANY_TOP, MOST_LEVELS = 2.0, 10
# Figure 6: storage.
STORAGE_SIZES, STORAGE_EPSILONS = (10, 100, 1000), tuple(k / 10 for k in range(1, 81))
# Figure 7: the two budgets at ε = 1.
REGION_BUDGETS = (0.5, 0.85)

_STYLES = {1.0: (BLUE, "-", "o"), 0.9: (GREEN, "-.", "^"), 0.7: (VERMILION, "--", "s"), 0.6: (VERMILION, "--", "s")}
_PANELS = ("negatives clipped, divided by the sum", "nearest law (projected)", "raw shares, expected")


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """Mean ℓ1 errors of one setting."""

    clipped: float
    projected: float
    raw: float
    raw_expected: float


def geometric_shares(size: int = SIZE) -> FloatArray:
    """Geo(0.8), cut off after `size` answers."""
    weights = RATIO ** np.arange(size, dtype=np.float64)
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def mechanism_of_theorem_2(epsilon: float, random_bits: float, size: int = SIZE) -> BinaryHadamard:
    """The mechanism of [B, Thm 2], even where silent-or-answer, which `BinaryHadamard.within` knows, is better."""
    plain = BinaryHadamard.within(size=size, epsilon=epsilon)
    if plain.randomness_bits().upper <= random_bits:
        return plain
    odds, yes = rarer_yes(epsilon, random_bits, plain.width)
    return BinaryHadamard(size=size, odds=odds, yes=yes)


def expected_raw_error(mechanism: BinaryHadamard, n: int) -> float:
    """E‖raw - p‖₁ when each share errs normally, with its exact variance."""
    risk = mechanism.risk(geometric_shares(mechanism.size).tolist(), n)
    return math.sqrt(mechanism.size * 2 * risk / math.pi)


def l1_errors(epsilon: float, random_bits: float, n: int, repetitions: int = REPETITIONS) -> Errors:
    """Simulate: the same seeds, and so the same errors, each time."""
    mechanism = mechanism_of_theorem_2(epsilon, random_bits)
    shares = geometric_shares()
    found = []
    for seed in range(repetitions):
        bits = _simulation(seed)
        answers = Categorical.near(shares.tolist()).sample(bits, n)
        estimate = mechanism.estimate(mechanism.tally(mechanism.privatize(answers, bits)))
        laws = (infer.clip_normalise(estimate.raw), np.array(estimate.projected), np.array(estimate.raw))
        found.append([float(np.abs(law - shares).sum()) for law in laws])
    clipped, projected, raw = (math.fsum(column) / repetitions for column in zip(*found, strict=True))
    return Errors(clipped=clipped, projected=projected, raw=raw, raw_expected=expected_raw_error(mechanism, n))


def figure_4a() -> Figure:
    """ℓ1 error against n at ε = 1, three ways to read the same reports."""
    with house_style():
        figure = new_figure(10.2, 3.7)
        panels = figure.subplots(1, 3)
        for budget in BUDGETS:
            errors = [l1_errors(EPSILON, budget, users, REPETITIONS) for users in USERS]
            _three(panels, [users / 1000 for users in USERS], errors, budget)
        for axes in panels:
            axes.set(xlabel="users n, thousands", xlim=(0, 1040), ylim=(0, None))
        panels[0].plot([150, 850], [1.4, 1.4], "x", color=BLACK, markersize=8, label="said in the print: 1.4")
        panels[0].legend(loc="lower left")
        panels[0].set_ylabel("ℓ1 error of the estimated law")
        figure.suptitle(
            f"k = {SIZE}, Geo({RATIO}), ε = {EPSILON:g}; means of {REPETITIONS} runs (left, middle)", fontsize=10
        )
        return figure


def figure_4b() -> Figure:
    """ℓ1 error against ε at n = 500 000."""
    with house_style():
        figure = new_figure(10.2, 3.7)
        panels = figure.subplots(1, 3)
        for budget in SCARCE_BUDGETS:
            _three(panels, EPSILONS, [l1_errors(epsilon, budget, MANY, REPETITIONS) for epsilon in EPSILONS], budget)
        best = [
            expected_raw_error(BinaryHadamard.within(size=SIZE, epsilon=epsilon, random_bits=0.6), MANY)
            for epsilon in EPSILONS
        ]
        panels[2].plot(EPSILONS, best, color=BLACK, linestyle=":", label="R = 0.6, silence allowed")
        for axes in panels:
            axes.set(xlabel="ε, nats", xlim=(0.2, 2.1), ylim=(0, None))
        panels[2].set(yscale="log", ylim=(1, 40))
        panels[2].set_yticks([1, 2, 5, 10, 20, 40], ["1", "2", "5", "10", "20", "40"])
        panels[0].legend(loc="lower left")
        panels[2].legend(loc="upper right")
        panels[0].set_ylabel("ℓ1 error of the estimated law")
        figure.suptitle(
            f"k = {SIZE}, Geo({RATIO}), n = {MANY}; means of {REPETITIONS} runs (left, middle). The print has R = 1 "
            f"and 0.6, and speaks of 0.9",
            fontsize=10,
        )
        return figure


def printed_levels(count: int) -> tuple[float, ...]:
    """ε_j = 2 - 0.1j for j ≥ 2, as printed: the first step down is 0.2, the others are 0.1."""
    return (MANY_TOP, *(MANY_TOP - j / 10 for j in range(2, count + 1)))


def even_levels(count: int) -> tuple[float, ...]:
    """ε_j = 2 - 0.1(j-1): every step down is 0.1."""
    return tuple(MANY_TOP - (j - 1) / 10 for j in range(1, count + 1))


def figure_5a() -> Figure:
    """Random bits of two levels: one report for both, and a report for each."""
    with house_style():
        figure = new_figure(6.2, 3.9)
        axes = figure.subplots()
        pairs = [(TOP, second) for second in SECONDS]
        apart, ladder = [separate_bits(pair) for pair in pairs], [xor_ladder_bits(pair) for pair in pairs]
        axes.plot(SECONDS, apart, color=VERMILION, linestyle="--", label="a report for each level")
        axes.plot(SECONDS, ladder, color=BLUE, label="one report, Theorem 3")
        axes.axhline(separate_bits([TOP]), color=BLACK, linewidth=1)
        axes.text(0.02, separate_bits([TOP]) + 0.03, "level 1 alone", va="bottom", fontsize=9)
        axes.set(xlabel="ε₂, nats", ylabel="random bits a user", xlim=(0, 1), ylim=(0, 2.05))
        axes.set_title(f"Two levels, ε₁ = {TOP:g}")
        axes.legend(loc="lower left")
        return figure


def figure_5b() -> Figure:
    """Random bits of d levels, for both readings of which epsilons the print means."""
    with house_style():
        figure = new_figure(6.2, 3.9)
        axes = figure.subplots()
        counts = range(1, MOST_LEVELS + 1)
        schemes = ((separate_bits, VERMILION, "a report for each level"), (xor_ladder_bits, BLUE, "one report"))
        readings = (
            (printed_levels, "-", "o", "full", "ε$_j$ = 2 - 0.1j as printed"),
            (even_levels, "--", "s", "none", "ε$_j$ = 2 - 0.1(j-1)"),
        )
        for bits, colour, scheme in schemes:
            for levels, line, mark, fill, reading in readings:
                axes.plot(
                    counts,
                    [bits(levels(count)) for count in counts],
                    color=colour,
                    linestyle=line,
                    marker=mark,
                    fillstyle=fill,
                    markersize=5,
                    label=f"{scheme}, {reading}",
                )
        axes.set(xlabel="levels d", ylabel="random bits a user", xlim=(0.7, 10.3), ylim=(0, None), xticks=list(counts))
        axes.set_title(f"d levels from ε₁ = {MANY_TOP:g} down")
        axes.legend(loc="upper left")
        return figure


def _storage_bits(size: int, epsilon: float) -> float:
    return ShiftKey.within(size=size, epsilon=epsilon).entropy_bits().midpoint


def figure_6() -> Figure:
    """Bits to store a key of private recoverability, against ε."""
    with house_style():
        figure = new_figure(6.2, 3.9)
        axes = figure.subplots()
        for size, colour, line in zip(STORAGE_SIZES, (BLUE, VERMILION, GREEN), ("-", "--", "-."), strict=True):
            axes.axhline(math.log2(size), color=BLACK, linewidth=1)
            axes.text(6.6, math.log2(size) + 0.1, f"log2 {size}", ha="right", va="bottom", fontsize=9)
            bits = [_storage_bits(size, epsilon) for epsilon in STORAGE_EPSILONS]
            axes.plot(STORAGE_EPSILONS, bits, color=colour, linestyle=line, label=f"key, k = {size}")
        axes.set(xlabel="ε, nats", ylabel="bits to store", xlim=(0, 8), ylim=(0, 11.5))
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


def figure_7() -> Figure:
    """The yes/no reports that keep ε = 1 and a budget, and the best of them."""
    with house_style():
        import matplotlib as mpl  # noqa: PLC0415

        figure = new_figure(7.4, 3.9)
        panels = figure.subplots(1, 2)
        for axes, budget in zip(panels, REGION_BUDGETS, strict=True):
            axes.imshow(
                region(budget, EPSILON),
                origin="lower",
                extent=(0, 1, 0, 1),
                cmap=mpl.colors.ListedColormap(["white", BLUE]),
                vmin=0,
                vmax=1,
                alpha=0.45,
                interpolation="nearest",
            )
            axes.plot(*zip(*corners(budget, EPSILON), strict=True), "o", color=BLACK, markersize=9, fillstyle="none")
            critical = infer.critical_random_bits(EPSILON)
            axes.set_title(f"R = {budget} {'<' if budget < critical else '≥'} {critical:.3f} = R_c")
            axes.set(xlabel="P(report 1 | x)", ylabel="P(report 1 | x')", xlim=(0, 1), ylim=(0, 1), aspect="equal")
        return figure


def _simulation(seed: int) -> InsecureSeeded:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InsecureBitsWarning)  # a figure of made-up answers, and nothing is released
        return InsecureSeeded(seed)


def _three(panels: Sequence[Axes], places: Sequence[float], errors: Sequence[Errors], budget: float) -> None:
    colour, line, mark = _STYLES[budget]
    columns = (
        [error.clipped for error in errors],
        [error.projected for error in errors],
        [error.raw_expected for error in errors],
    )
    for axes, title, column in zip(panels, _PANELS, columns, strict=True):
        axes.plot(places, column, color=colour, linestyle=line, marker=mark, markersize=4, label=f"R = {budget:g}")
        axes.set_title(title)


FIGURES = {
    "figure-4a": figure_4a,
    "figure-4b": figure_4b,
    "figure-5a": figure_5a,
    "figure-5b": figure_5b,
    "figure-6": figure_6,
    "figure-7": figure_7,
}
