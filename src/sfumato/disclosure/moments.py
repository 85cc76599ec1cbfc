"""Enclosures of the worst cell of a counted distribution, with and without noise.

A cell of mean μ has a Poisson count k and the cost φ = μ ln(μ/q) - μ + q, q = (k+a)/c. M(μ) is the mean of e^(λφ) over
the counts k ≥ L(μ); those below are left out by Chernoff's bound. Each term is e^f with f'' = λ/μ - k/μ², so on [μ₁,
μ₂] it is at most e^(chord) times e^(K h²/8), K = (k-λμ₁)⁺/μ₁², h = μ₂-μ₁. A sum of exponentials of linear functions is
log-convex, so its larger end bounds ln M - νμ in between; intervals are halved until the bound is sharp. In k, where
counts are large, w terms are taken at once by the same argument, since (ln k!)'' ≤ 1/k.
Theory, and the bounds on rounding: docs/theory/unknown_laws.md
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sfumato.numbers.intervals import UNIT_ROUNDOFF

Floats = npt.NDArray[np.float64]

# The first interval is [0, FIRST], where M is bounded in closed form.
FIRST = 2.0**-14
# Bisection stops where the bound exceeds a value that is reached by at most this part of it.
_TOLERANCE = 2.0**-10
# Halvings of an interval.
_ROUNDS = 40
# Points evaluated in a round, for a lower bound on the maximum.
_TRIED = 16
# Intervals that are evaluated at once.
_ROWS = 128
# From this count on ln k! is computed by Stirling's series; below it is tabulated.
_STIRLING = 20
_FACTORIALS = np.array([0.0] + [math.log(math.factorial(k)) - k * math.log(k) + k for k in range(1, _STIRLING + 1)])


class Enclosed(Protocol):
    """A function of the mean that can be bounded on intervals."""

    @property
    def smoothing(self) -> float:
        """What is added to a count."""

    @property
    def scale(self) -> float:
        """What a count is then divided by."""

    @property
    def most(self) -> float:
        """The largest mean."""

    def at_zero(self) -> float:
        """Compute it at 0."""

    def near_zero(self, first: float) -> float:
        """Bound it on [0, first]."""

    def on(self, left: Floats, right: Floats) -> Floats:
        """Bound it on each interval."""

    def at(self, means: Floats) -> Floats:
        """Compute it at points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell's cost and its price: λ, a, c, ν, the exponent T of what is left out, and n, the largest mean."""

    rate: float
    smoothing: float
    scale: float
    price: float
    cut: float
    most: float

    def at_zero(self) -> float:
        """ln M(0): the count is 0."""
        return self.rate * self.smoothing / self.scale

    def near_zero(self, first: float) -> float:
        """Bound ln M(μ) - νμ on [0, first], where first ≤ a/c.

        There μ ln(μ/q) - μ ≤ 0, so φ ≤ (k+a)/c, whose moment is e^(λa/c + μ(e^(λ/c) - 1)).
        """
        return self.at_zero() + first * (math.expm1(self.rate / self.scale) + max(0.0, -self.price)) + 2.0**-40

    def on(self, left: Floats, right: Floats) -> Floats:
        """Bound ln M(μ) - νμ on each interval [left, right]."""
        least = first_counts(left, self.cut)
        bend = np.square(right - left) / (8 * left * left)
        return np.maximum(in_chunks(self._end, left, left, bend, least), in_chunks(self._end, right, left, bend, least))

    def at(self, means: Floats) -> Floats:
        """ln M(μ) - νμ at points, as sharply as it is computed."""
        return in_chunks(self._end, means, means, np.zeros_like(means), first_counts(means, self.cut))

    def _end(self, mean: Floats, left: Floats, bend: Floats, least: Floats) -> Floats:
        """ln Σ e^(f + bend·(k-λ·left)⁺) - ν·mean at one end of intervals, rounded up."""
        # Blocks of w terms where counts are large and none is far below the mean: then w²/8k is about h²/32μ.
        broad = np.floor(np.maximum(np.sqrt(mean) / 16, left * np.sqrt(2 * bend)))
        width = np.where(least >= mean / 4, np.maximum(1.0, broad), 1.0)
        extra = np.where(width > 1, np.square(width) / (8 * np.maximum(least, 1.0)), 0.0)
        reach = mean + 6 * np.sqrt(mean / (1 - self.rate)) + 24 - least
        columns = int(np.max(np.ceil(reach / width))) + 2
        mean_, left_ = mean[:, None], left[:, None]
        counts = least[:, None] + width[:, None] * np.arange(columns)
        exponents = log_poisson(counts, mean_) + self.rate * self.cost(counts, mean_)
        exponents += bend[:, None] * np.maximum(counts - self.rate * left_, 0.0)
        highest = exponents.max(axis=1)
        terms = np.exp(exponents - highest[:, None])
        # Beyond the last count the ratio of neighbours falls: the rest is a geometric series.
        last = counts[:, -1]
        slope = self.rate * (1 / self.scale - mean / (last + 1 + self.smoothing))
        ratio = mean / (last + 1) * np.exp(bend + slope) * (1 + 2.0**-40)
        series = np.where(ratio < 1, ratio / np.maximum(1 - ratio, 2.0**-52), math.inf)
        total = np.exp(extra) * width * terms.sum(axis=1) + terms[:, -1] * series
        # Exponents err by a few roundings of |k-μ| and of its logarithms, the sum by fewer; 512 cover them.
        slack = 512 * UNIT_ROUNDOFF * (8 + last - least)
        bound: Floats = highest + np.log(total) - self.price * mean + slack + UNIT_ROUNDOFF * abs(self.price) * mean
        return bound

    def cost(self, counts: Floats, mean: Floats) -> Floats:
        """φ = μ(y - ln(1+y)) with 1+y = (k+a)/(cμ), which does not cancel where it is small."""
        ratio = ((counts + self.smoothing) / self.scale - mean) / mean
        cost: Floats = mean * (ratio - np.log1p(ratio))
        return cost


def log_poisson(counts: Floats, mean: Floats) -> Floats:
    """ln(e^-μ μ^k/k!), from above: -μ((1+x)ln(1+x) - x) - (ln k! - k ln k + k), 1+x = k/μ, and Stirling's series."""
    ratio = np.where(counts > 0, (counts - mean) / mean, 0.0)
    exponent = np.where(counts > 0, (1 + ratio) * np.log1p(ratio) - ratio, 1.0)
    large = np.maximum(counts, 1.0)
    stirling = 0.5 * np.log(2 * math.pi * large) + 1 / (12 * large) - 1 / (360 * large**3)
    known = _FACTORIALS[np.minimum(counts, _STIRLING).astype(np.int64)]
    logarithm: Floats = -mean * exponent - np.where(counts <= _STIRLING, known, stirling)
    return logarithm


def first_counts(mean: Floats, cut: float) -> Floats:
    """L(μ): one more than a count ℓ with ℓ ln(ℓ/μ) - ℓ + μ ≥ cut, so that P[N ≤ ℓ] ≤ e^-cut; 0 where there is none."""
    target = cut * (1 + 2.0**-40) / mean
    low, high = np.zeros_like(mean), np.ones_like(mean)
    for _ in range(60):
        middle = (low + high) / 2
        above = middle * np.log(middle) - middle + 1 >= target
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    counts: Floats = np.floor(low * mean)
    # Rounding may have gone one too far: what is left out must be proved.
    for _ in range(2):
        counts = np.where((counts >= 0) & (_rarity(counts, mean) < cut), counts - 1, counts)
    return np.where((counts >= 0) & (_rarity(counts, mean) >= cut), counts + 1, 0.0)


def _rarity(counts: Floats, mean: Floats) -> Floats:
    """ℓ ln(ℓ/μ) - ℓ + μ, rounded down."""
    whole = np.maximum(counts, 0.0)
    ratio = np.where(whole > 0, (whole - mean) / mean, 0.0)
    exponent = np.where(whole > 0, (1 + ratio) * np.log1p(ratio) - ratio, 1.0)
    rarity: Floats = mean * exponent - 64 * UNIT_ROUNDOFF * (mean - whole)
    return rarity


def supremum(cell: Enclosed, *, target: float | None = None) -> float:
    """Bound sup over [0, n] of ln M - νμ, to about a thousandth above it.

    With a `target`, stop as soon as it is proved to be below, or seen to be above.
    """
    first = min(FIRST, cell.most, cell.smoothing / cell.scale)
    return halving(
        cell,
        borders(first, cell.most),
        reached=cell.at_zero() if target is None else target,
        beside=cell.near_zero(first),
        climbs=target is None,
    )


def borders(first: float, last: float) -> Floats:
    """Where intervals begin: growing by half at first, then by .7 deviations."""
    found = [first]
    while found[-1] < last:
        found.append(found[-1] + min(found[-1] / 2, 0.7 * math.sqrt(found[-1])))
    found[-1] = last
    return np.array(found)


def halving(cell: Enclosed, found: Floats, *, reached: float, beside: float, climbs: bool) -> float:
    """Return the largest bound, halving intervals that are well above what is reached; `beside` holds elsewhere."""
    left, right = found[:-1], found[1:]
    highest = beside
    for _ in range(_ROUNDS):
        bounds = cell.on(left, right)
        wide = bounds > _allowed(reached, climbs)
        if wide.any():
            few = np.argsort(bounds)[-_TRIED:]
            seen = float(cell.at((left[few] + right[few]) / 2).max())
            if not climbs and seen > reached:
                break
            reached = max(reached, seen)
            wide = bounds > _allowed(reached, climbs)
        highest = max(highest, float(bounds[~wide].max(initial=-math.inf)))
        left, right, bounds = left[wide], right[wide], bounds[wide]
        if not left.size:
            return highest
        middle = (left + right) / 2
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
    # What is still wide keeps the bound that it has, which holds all the same.
    return max(highest, float(cell.on(left, right).max()))


def _allowed(reached: float, climbs: bool) -> float:
    return reached + _TOLERANCE * max(abs(reached), 0.125) if climbs else reached


def last_means(cut: float, counts: int) -> Floats:
    """For ℓ = 0, 1, …: the mean below which ℓ is not left out yet, where M is largest before it falls."""
    whole = np.arange(counts, dtype=np.float64)
    low, high = np.maximum(whole, 1e-9), whole + 2 * cut + 2 * np.sqrt(cut * whole) + 1
    for _ in range(80):
        middle = (low + high) / 2
        above = _rarity(whole, middle) > cut
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return low


def in_chunks(end: Callable[..., Floats], mean: Floats, *others: Floats, rows: int = _ROWS) -> Floats:
    """Run over means of similar size together, so that no row is much longer than its neighbours."""
    order = np.argsort(mean)
    found = np.empty_like(mean)
    for start in range(0, order.size, rows):
        places = order[start : start + rows]
        found[places] = end(mean[places], *(other[places] for other in others))
    return found


# --- The worst cell where counts carry two-sided geometric noise: the supremum of `cell_moments`, with noise
# The count is k + Z, clipped at 0, and M(μ) is a mean over both. For every (k, z) the exponent has the same curvature
# in μ as without noise, so intervals are bounded in the same way. Counts and noises that are too rare are left out on
# both sides. Sums over z are windows of a geometric series, built by doubling from positive terms. Where counts are
# large, every w-th term represents w, since r^|z| e^(λφ) is log-convex on either side of 0.
# Theory: docs/theory/unknown_laws.md


# Rows are long here, so few of them are evaluated at once.
_NOISY_ROWS = 16


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
        lower = in_chunks(self._end, left, left, bend, least, last, rows=_NOISY_ROWS)
        return np.maximum(lower, in_chunks(self._end, right, left, bend, least, last, rows=_NOISY_ROWS))

    def at(self, means: Floats) -> Floats:
        """ln M(μ) - νμ at points, as sharply as it is computed."""
        least, last = first_counts(means, self.cut), last_counts(means, self.cap)
        return in_chunks(self._end, means, means, np.zeros_like(means), least, last, rows=_NOISY_ROWS)

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
