"""The worst cell of a law whose counts carry two-sided geometric noise: the supremum of `cell_moments`, with noise.

The count is k + Z, clipped at 0, and M(μ) is a mean over both. For every (k, z) the exponent has the same curvature in
μ as without noise, so intervals are bounded in the same way. Counts and noises that are too rare are left out on both
sides, so that all sums are finite. Sums over z are windows of a geometric series, built by doubling from positive
terms; where counts are large, every w-th term stands for w, since r^|z| e^(λφ) is log-convex on either side of 0.
Theory: docs/theory/unknown_laws.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sfumato.disclose.cell_moments import Floats, first_counts, in_chunks, log_poisson
from sfumato.measures.enclosures import UNIT_ROUNDOFF

# Rows are long here, so few of them are evaluated at once.
_ROWS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyCell:
    """A cell with noise of ratio r: λ, a, c, ν and n as before.

    Counts far below the mean are left out at the exponent `cut` and far above at `cap`, noises beyond -`lowest` and
    `highest`.
    """

    rate: float
    smoothing: float
    scale: float
    price: float
    cut: float
    cap: float
    ratio: float
    lowest: int
    highest: int
    most: float

    def at_zero(self) -> float:
        """ln M(0): noise alone."""
        noises = np.arange(-self.lowest, self.highest + 1, dtype=np.float64)
        exponents = self.rate * (np.maximum(noises, 0.0) + self.smoothing) / self.scale
        exponents += np.abs(noises) * math.log(self.ratio)
        top = float(exponents.max())
        return top + math.log(float(np.exp(exponents - top).sum()) * self._weight()) + 2.0**-38

    def near_zero(self, first: float) -> float:
        """Bound ln M(μ) - νμ on [0, first], where first ≤ a/c: there φ ≤ (k + z⁺ + a)/c."""
        return self.at_zero() + first * (math.expm1(self.rate / self.scale) + max(0.0, -self.price)) + 2.0**-40

    def on(self, left: Floats, right: Floats) -> Floats:
        """Bound ln M(μ) - νμ on each interval [left, right]."""
        bend = np.square(right - left) / (8 * left * left)
        least, last = first_counts(left, self.cut), last_counts(right, self.cap)
        lower = in_chunks(self._end, left, left, bend, least, last, rows=_ROWS)
        return np.maximum(lower, in_chunks(self._end, right, left, bend, least, last, rows=_ROWS))

    def at(self, means: Floats) -> Floats:
        """ln M(μ) - νμ at points, as sharply as it is computed."""
        least, last = first_counts(means, self.cut), last_counts(means, self.cap)
        return in_chunks(self._end, means, means, np.zeros_like(means), least, last, rows=_ROWS)

    def _end(self, mean: Floats, left: Floats, bend: Floats, least: Floats, last: Floats) -> Floats:
        """ln Σ e^(f + bend·(k-λ·left)⁺) - ν·mean at one end of intervals, rounded up."""
        # One width for all rows: the narrowest, at most half a deviation of the noise, and 1 where clipping may begin.
        broad = np.floor(np.maximum(np.sqrt(mean) / 16, left * np.sqrt(2 * bend)))
        narrow = min(float(broad.min()), math.floor(0.5 / -math.log(self.ratio)))
        width = narrow if narrow > 1 and float(least.min()) > 1 + self.lowest + narrow else 1.0
        below, above = math.ceil(self.lowest / width), math.ceil(self.highest / width)
        columns = int(np.ceil(np.max(last - least) / width)) + 1
        reached = least[:, None] + width * (np.arange(below + columns + above) - below)
        quotient = (np.maximum(reached, 0.0) + self.smoothing) / (self.scale * mean[:, None])
        excess = quotient - 1
        costs = self.rate * mean[:, None] * (excess - np.log1p(excess))
        shift = costs.max(axis=1)
        # A floor instead of an underflow: what is too small for a double is rounded up.
        values = np.maximum(np.exp(costs - shift[:, None]), 1e-300)
        step = self.ratio**width
        # Noises -lowest..0 by a window to the left, 1..highest by one to the right; blocks have at most `width` terms.
        noisy = _window(values, step, below + 1)[:, below : below + columns]
        noisy = noisy + step * _window(values[:, ::-1], step, above)[:, ::-1][:, below + 1 : below + 1 + columns]
        counts = reached[:, below : below + columns]
        exponents = log_poisson(counts, mean[:, None]) + bend[:, None] * np.maximum(
            counts - self.rate * left[:, None], 0.0
        )
        top = exponents.max(axis=1)
        total = (np.exp(exponents - top[:, None]) * noisy).sum(axis=1) * width * width * self._weight()
        extra = width * width / (8 * np.maximum(least, 1.0)) if width > 1 else 0.0
        slack = 512 * UNIT_ROUNDOFF * (8 + last - least + self.lowest + self.highest) + 2.0**-40
        bound: Floats = top + shift + np.log(total) + extra + slack - self.price * mean
        return bound + UNIT_ROUNDOFF * abs(self.price) * mean

    def _weight(self) -> float:
        return (1 - self.ratio) / (1 + self.ratio)


def last_counts(mean: Floats, cap: float) -> Floats:
    """A count above which there is at most e^-cap: x²/(2(μ+x/3)) ≥ cap at the distance x, by Bernstein."""
    return np.ceil(mean + (cap / 3 + np.sqrt(cap * cap / 9 + 2 * mean * cap)) * (1 + 2.0**-40))


def _window(values: Floats, step: float, size: int) -> Floats:
    """Σ_{t<size} step^t·values[j-t] along rows, by sums of 1, 2, 4, … terms; what lies before a row counts as 0."""
    total, done = np.zeros_like(values), 0
    part, length = values, 1
    while done < size:
        if size & length:
            total[:, done:] += step**done * part[:, : part.shape[1] - done]
            done += length
        if done < size:
            longer = part.copy()
            longer[:, length:] += step**length * part[:, :-length]
            part, length = longer, 2 * length
    return total
