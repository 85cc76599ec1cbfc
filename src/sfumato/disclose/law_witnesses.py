"""Good witnesses for a bound that holds with any: how much to add to counts, and the rate and price of the proof.

They are looked for on a grid of means with plain floats, from n, m and β alone. Nothing here need be right: whatever is
found, the bound is then enclosed for it.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from sfumato.disclose.cell_moments import FIRST, Floats, first_counts, last_means, log_poisson

_SMOOTHINGS = tuple(Fraction(eighths, 8) for eighths in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 24, 32))
_COARSE = np.arange(1, 16) / 16
_FINE = 128
_REFINED = 4
_ROWS = 32
_MEANS = 72
_CORNERS = 24
_LARGE = 64.0
_MARGIN = 2.0**-6

Witness = tuple[Fraction, float, float]


def good_witness(records: int, cells: int, doubt: float, cut: float) -> Witness:
    """Smoothing a, rate λ and price ν for n records over m cells; `doubt` is ln(1/β), `cut` what may be left out."""
    corners = last_means(cut, _CORNERS) * (1 - 1e-9)
    spread = np.geomspace(min(FIRST, records / 2), records, _MEANS)
    means = np.sort(np.concatenate([spread, corners[corners < records]]))
    fixed = 0.5 * math.log(2 * math.pi * records) + doubt
    least = first_counts(means, cut)
    rough = sorted(min(_tried(records, cells, fixed, means, least, a, _COARSE)) for a in _SMOOTHINGS)
    found: list[tuple[float, Fraction, float, float]] = []
    for _, smoothing, rate, _ in rough[:_REFINED]:
        near = np.clip(rate + np.arange(-7, 8) / _FINE, 1 / _FINE, _COARSE[-1])
        found += _tried(records, cells, fixed, means, least, smoothing, np.unique(near))
    return min(found)[1:]


def _tried(
    records: int, cells: int, fixed: float, means: Floats, least: Floats, smoothing: Fraction, rates: Floats
) -> list[tuple[float, Fraction, float, float]]:
    added = float(smoothing)
    scale = 1 + cells * added / records
    heights = np.concatenate(
        [_heights(means[i : i + _ROWS], least[i : i + _ROWS], added, scale, rates) for i in range(0, means.size, _ROWS)]
    )
    # Large means are the most work to enclose, and none if they stay well below the highest.
    heights[means > _LARGE] += _MARGIN
    heights = np.vstack([rates * added / scale, heights])
    places = np.concatenate([[0.0], means])
    prices, totals = best_prices(heights, places, records, cells)
    return [
        ((fixed + total) / rate, smoothing, rate, price)
        for rate, price, total in zip(rates.tolist(), prices.tolist(), totals.tolist(), strict=True)
    ]


def _heights(means: Floats, least: Floats, added: float, scale: float, rates: Floats) -> Floats:
    """ln M at means (rows) and rates (columns), by sums with a stride where counts are large."""
    width = np.maximum(1.0, np.floor(np.sqrt(means) / 8))
    length = int(np.max((means + 12 * np.sqrt(means) + 20 - least) / width)) + 2
    counts = least[:, None] + width[:, None] * np.arange(length)
    mean = means[:, None]
    ratio = ((counts + added) / scale - mean) / mean
    exponents = log_poisson(counts, mean)[:, :, None] + rates * (mean * (ratio - np.log1p(ratio)))[:, :, None]
    highest = exponents.max(axis=1)
    sums = np.exp(exponents - highest[:, None, :]).sum(axis=1)
    heights: Floats = highest + np.log(width[:, None] * sums)
    return heights


def best_prices(heights: Floats, means: Floats, records: int, cells: int) -> tuple[Floats, Floats]:
    """Minimise νn + m·max(g - νμ) over ν, which is convex, in each column; return prices and minima."""
    shares = (means / records)[:, None]
    reach = 2 * cells * np.ptp(heights, axis=0) + 1

    def totals(paid: Floats) -> Floats:
        sums: Floats = paid + cells * (heights - paid * shares).max(axis=0)
        return sums

    low, high = -reach, reach
    for _ in range(60):
        first, second = low + (high - low) / 3, high - (high - low) / 3
        falls = totals(first) <= totals(second)
        low, high = np.where(falls, low, first), np.where(falls, second, high)
    # Few digits, since a certificate carries them; any price will do.
    prices = np.array([float(f"{paid / records:.4g}") for paid in ((low + high) / 2).tolist()])
    return prices, totals(prices * records)
