"""Tails of a weighted count over any number of classes, from above: never less than the truth, and hardly more.

Scores are put on a lattice of whole numbers, of the size in a range that fits them best. What rounding moves is a mean,
which is known, and a sum of bounded terms, which by Hoeffding's inequality [Hoe63] stays within `slack` except with the
probability that is added. The law of the rounded sum is a power of one polynomial, by FFT on a window outside of which
that inequality leaves nothing, and tilted towards the level, so that small tails keep their digits.
Theory: docs/theory/intervals.md
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

_LEAST_STEPS, _MOST_STEPS = 128, 1024
_POINTS = 1 << 15
# In units of steps·√n: beyond ± half of it the rounded sum has less than e^-40.
_WINDOW = 9.0
_TIE = 1e-9
# Above this the exponential function overflows; any tilt gives the same sum.
_MOST_TILT = 600.0
# Waves below e^-50 are lost in rounding.
_DEAD = 50.0
_HALVINGS = 40


def lattice_tail(
    law: FloatArray, n: int, scores: FloatArray, *, upper: bool, ties: bool, level: float, remainder: float
) -> float:
    """Return at least Pr[Σ score·count ≥ level] for n draws, or ≤ level when not `upper`; without `ties`, > or <.

    `remainder` is the probability that is added for what rounding may do. Refs: [Hoe63] for what it does at most.
    """
    if not upper:
        law, scores, level = law[::-1], -scores[::-1], -level
    steps, whole, rest = _on_lattice(scores, n)
    base, step = float(scores.min()), float(scores.max() - scores.min()) / steps
    spread = float(rest.max() - rest.min())
    slack = spread * math.sqrt(n * -math.log(remainder) / 2)
    aim = (level - n * base) / step - n * float(law @ rest) - slack
    aim -= _TIE * (1 + abs(aim))
    least = math.ceil(aim)
    # Where the scores lie on the lattice themselves a tie is known to be one.
    if not ties and slack < 0.25 and least <= (level - n * base) / step + slack:
        least += 1
    return min(1.0, _at_least(law / law.sum(), n, whole, steps, least) + (remainder if spread > _TIE else 0.0))


def _on_lattice(scores: FloatArray, n: int) -> tuple[int, npt.NDArray[np.int64], FloatArray]:
    """Return the number of steps in which rounding does least, the scores in steps, and what rounding took."""
    most = int(min(_MOST_STEPS, max(_LEAST_STEPS, _POINTS / (_WINDOW * math.sqrt(n)))))
    sizes = np.arange(most // 2, most + 1)
    places = (scores - scores.min()) / (scores.max() - scores.min())
    table = places[None, :] * sizes[:, None]
    errors = table - np.rint(table)
    best = int(np.argmin((errors.max(axis=1) - errors.min(axis=1)) / sizes))
    return int(sizes[best]), np.rint(table[best]).astype(np.int64), errors[best]


def _at_least(law: FloatArray, n: int, whole: npt.NDArray[np.int64], steps: int, least: int) -> float:
    """Pr[Σ whole·count ≥ least]."""
    possible = law > 0
    law, whole = law[possible], whole[possible]
    if least <= n * int(whole.min()):
        return 1.0
    if least > n * int(whole.max()):
        return 0.0
    tilt = _tilt(law, whole, least / n)
    weights = law * np.exp(tilt * (whole - int(whole.max())))
    scale = float(weights.sum())
    tilted = weights / scale
    masses, start = _sum_law(tilted, n, whole, steps)
    first = max(0, least - start)
    if first >= len(masses):
        return 0.0
    beyond = masses[first:]
    faded = beyond @ np.exp(-tilt * np.arange(start + first - least, start + first - least + len(beyond)))
    return min(1.0, float(faded) * math.exp(n * (math.log(scale) + tilt * int(whole.max())) - tilt * least))


def _tilt(law: FloatArray, whole: npt.NDArray[np.int64], mean: float) -> float:
    """Return the tilt ≥ 0 that brings the mean there; 0 where it lies beyond already."""

    def reached(tilt: float) -> float:
        weights = law * np.exp(tilt * (whole - int(whole.max())))
        return float(weights @ whole / weights.sum())

    if reached(0.0) >= mean:
        return 0.0
    low, high = 0.0, _MOST_TILT / max(1, int(whole.max() - whole.min()))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if reached(middle) < mean else (low, middle)
    return low


def _sum_law(law: FloatArray, n: int, whole: npt.NDArray[np.int64], steps: int) -> tuple[FloatArray, int]:
    """Return the law of the sum of n draws on a window around its mean, and where the window starts."""
    from scipy import fft  # noqa: PLC0415  scipy is slow to import

    size = int(fft.next_fast_len(min(n * steps + 1, math.ceil(_WINDOW * steps * math.sqrt(n)) + 1), real=True))
    # About a whole number near the mean, so that the phases that matter stay small when multiplied by n.
    middle = round(float(law @ whole))
    one = np.zeros(size)
    np.add.at(one, (whole - middle) % size, law)
    start = max(0, round(n * float(law @ whole)) - size // 2) if n * steps + 1 > size else 0
    waves = fft.rfft(one)
    # Most waves die out; powers are taken of those that do not.
    lasting = waves.real**2 + waves.imag**2 > math.exp(-2 * _DEAD / n)
    powers = np.zeros_like(waves)
    powers[lasting] = waves[lasting] ** n
    masses = fft.irfft(powers, n=size)
    shift = (n * middle - start) % size
    return np.maximum(np.roll(masses, shift), 0.0), start
