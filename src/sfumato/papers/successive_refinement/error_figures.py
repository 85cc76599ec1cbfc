"""[B, Figs. 4a and 4b]: errors of the shares, simulated. Data first, drawing after.

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
from sfumato.mechanisms.randomness_budget import rarer_yes
from sfumato.papers.drawing import BLACK, BLUE, GREEN, VERMILION, house_style, new_figure
from sfumato.papers.ranges import check_inside, check_whole

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

_PANELS = ("negatives clipped, divided by the sum", "nearest law (projected)", "raw shares, expected")


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """Mean ℓ1 errors of one setting."""

    clipped: float
    projected: float
    raw: float
    raw_expected: float


def geometric_shares(size: int = SIZE, ratio: float = RATIO) -> FloatArray:
    """Geo(0.8) or another, cut off after `size` answers."""
    weights = ratio ** np.arange(size, dtype=np.float64)
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def mechanism_of_theorem_2(epsilon: float, random_bits: float, size: int = SIZE) -> BinaryHadamard:
    """The mechanism of [B, Thm 2], even where silent-or-answer, which `BinaryHadamard.within` knows, is better."""
    plain = BinaryHadamard.within(size=size, epsilon=epsilon)
    if plain.randomness_bits().upper <= random_bits:
        return plain
    odds, yes = rarer_yes(epsilon, random_bits, plain.width)
    return BinaryHadamard(size=size, odds=odds, yes=yes)


def expected_raw_error(mechanism: BinaryHadamard, n: int, ratio: float = RATIO) -> float:
    """E‖raw - p‖₁ when each share errs normally, with its exact variance."""
    risk = mechanism.risk(geometric_shares(mechanism.size, ratio).tolist(), n)
    return math.sqrt(mechanism.size * 2 * risk / math.pi)


def l1_errors(
    epsilon: float,
    random_bits: float,
    n: int,
    repetitions: int = REPETITIONS,
    *,
    size: int = SIZE,
    ratio: float = RATIO,
) -> Errors:
    """Simulate: the same seeds, and so the same errors, each time."""
    mechanism = mechanism_of_theorem_2(epsilon, random_bits, size)
    shares = geometric_shares(size, ratio)
    found = []
    for seed in range(repetitions):
        bits = _simulation(seed)
        answers = Categorical.near(shares.tolist()).sample(bits, n)
        estimate = mechanism.estimate(mechanism.tally(mechanism.privatize(answers, bits)))
        laws = (infer.clip_normalise(estimate.raw), np.array(estimate.projected), np.array(estimate.raw))
        found.append([float(np.abs(law - shares).sum()) for law in laws])
    clipped, projected, raw = (math.fsum(column) / repetitions for column in zip(*found, strict=True))
    return Errors(clipped=clipped, projected=projected, raw=raw, raw_expected=expected_raw_error(mechanism, n, ratio))


def figure_4a(
    *,
    size: int = SIZE,
    ratio: float = RATIO,
    epsilon: float = EPSILON,
    budgets: tuple[float, ...] = BUDGETS,
    users: tuple[int, ...] = USERS,
    repetitions: int = REPETITIONS,
) -> Figure:
    """ℓ1 error against n at one ε, three ways to read the same reports."""
    _check_simulated(size, ratio, users, repetitions)
    with house_style():
        figure = new_figure(10.2, 3.7)
        panels = figure.subplots(1, 3)
        for place, budget in enumerate(budgets):
            errors = [l1_errors(epsilon, budget, n, repetitions, size=size, ratio=ratio) for n in users]
            _three(panels, [n / 1000 for n in users], errors, budget, _style(place, len(budgets)))
        for axes in panels:
            axes.set(xlabel="users n, thousands", xlim=(0, 1.04 * max(users) / 1000), ylim=(0, None))
        if (size, ratio, epsilon) == (SIZE, RATIO, EPSILON):
            panels[0].plot([150, 850], [1.4, 1.4], "x", color=BLACK, markersize=8, label="said in the print: 1.4")
        panels[0].legend(loc="lower left")
        panels[0].set_ylabel("ℓ1 error of the estimated law")
        figure.suptitle(
            f"k = {size}, Geo({ratio}), ε = {epsilon:g}; means of {repetitions} runs (left, middle)", fontsize=10
        )
        return figure


def figure_4b(
    *,
    size: int = SIZE,
    ratio: float = RATIO,
    n: int = MANY,
    budgets: tuple[float, ...] = SCARCE_BUDGETS,
    epsilons: tuple[float, ...] = EPSILONS,
    repetitions: int = REPETITIONS,
) -> Figure:
    """ℓ1 error against ε for so many users."""
    _check_simulated(size, ratio, [n], repetitions)
    with house_style():
        figure = new_figure(10.2, 3.7)
        panels = figure.subplots(1, 3)
        for place, budget in enumerate(budgets):
            errors = [l1_errors(epsilon, budget, n, repetitions, size=size, ratio=ratio) for epsilon in epsilons]
            _three(panels, epsilons, errors, budget, _style(place, len(budgets)))
        least = min(budgets)
        silent = [BinaryHadamard.within(size=size, epsilon=epsilon, random_bits=least) for epsilon in epsilons]
        best = [expected_raw_error(mechanism, n, ratio) for mechanism in silent]
        panels[2].plot(epsilons, best, color=BLACK, linestyle=":", label=f"R = {least:g}, silence allowed")
        for axes in panels:
            axes.set(xlabel="ε, nats", xlim=(min(epsilons) - 0.1, max(epsilons) + 0.1), ylim=(0, None))
        panels[2].set(yscale="log", ylim=(1, 40) if size == SIZE else None)
        panels[2].set_yticks([1, 2, 5, 10, 20, 40], ["1", "2", "5", "10", "20", "40"])
        panels[0].legend(loc="lower left")
        panels[2].legend(loc="upper right")
        panels[0].set_ylabel("ℓ1 error of the estimated law")
        figure.suptitle(
            f"k = {size}, Geo({ratio}), n = {n}; means of {repetitions} runs (left, middle). The print has R = 1 "
            f"and 0.6, and speaks of 0.9",
            fontsize=10,
        )
        return figure


def _simulation(seed: int) -> InsecureSeeded:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InsecureBitsWarning)  # a figure of made-up answers, and nothing is released
        return InsecureSeeded(seed)


def _check_simulated(size: int, ratio: float, users: Sequence[int], repetitions: int) -> None:
    check_whole("size", [size], 2, 1 << 16)
    check_inside("ratio", [ratio], 0, 1)
    check_whole("users", users, 1, 10**8)
    check_whole("repetitions", [repetitions], 1, 1000)


def _style(place: int, count: int) -> tuple[str, str, str]:
    """Blue first and vermilion last, as in the print; others between."""
    if place == count - 1 and count > 1:
        return VERMILION, "--", "s"
    return cycled((BLUE, GREEN), place + 1)[-1], cycled(("-", "-."), place + 1)[-1], cycled(("o", "^"), place + 1)[-1]


def cycled(styles: Sequence[str], count: int) -> list[str]:
    """So many styles, beginning again after the last."""
    return [styles[place % len(styles)] for place in range(count)]


def _three(
    panels: Sequence[Axes],
    places: Sequence[float],
    errors: Sequence[Errors],
    budget: float,
    style: tuple[str, str, str],
) -> None:
    colour, line, mark = style
    columns = (
        [error.clipped for error in errors],
        [error.projected for error in errors],
        [error.raw_expected for error in errors],
    )
    for axes, title, column in zip(panels, _PANELS, columns, strict=True):
        axes.plot(places, column, color=colour, linestyle=line, marker=mark, markersize=4, label=f"R = {budget:g}")
        axes.set_title(title)
