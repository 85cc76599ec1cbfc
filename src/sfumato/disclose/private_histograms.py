"""A law that may be shown: counts with two-sided geometric noise, clipped at 0 and smoothed.

Who replaces a record moves two counts by 1. Noise of ratio r = 1/odds ≥ e^(-ε/2) on every count makes the histogram
ε-differentially private [DMNS06], and so is all that is made of it: the law, the mapping, its certificate. Two things
are then bounded. How far the law is from the truth, by the theorem of unknown laws with noise in its counts;
and what the law itself tells about a person whose records are independent of the others, (z-1-ln z)·log2 e bits with
z = ε e^ε/(e^ε-1).
Theory: docs/theory/unknown_laws.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from sfumato.bits.geometric import two_sided_geometric
from sfumato.bits.source import BitSource
from sfumato.disclose.cell_moments import FIRST, supremum
from sfumato.disclose.law_witnesses import best_prices
from sfumato.disclose.noisy_moments import NoisyCell
from sfumato.disclose.unknown_laws import LEFT_OUT, bits_of_supremum, check_confidence, check_counts, prove_bits
from sfumato.measures.enclosures import LOG2_E
from sfumato.values.checks import as_exact, check_between
from sfumato.values.rounding import fraction_below_exp, ln_bounds
from sfumato.values.types import Real

# Sums are as long as counts vary, so that more would take minutes.
MOST_RECORDS = 10**6
_MOST_CELLS = 10**6
_LEAST_EPSILON, _MOST_EPSILON = 2.0**-10, 16
_DENOMINATOR = 1 << 20
_LEAST_ODDS, _MOST_ODDS = 1 + Fraction(1, 4096), 2981
# Of what is left out, shares for counts and noises that are too low, and for those that are too high.
_LOW, _HIGH = LEFT_OUT * Fraction(9, 20), LEFT_OUT * Fraction(1, 20)
_SMOOTHINGS = (1, 2, 4, 8, 16, 32, 64, 128)
_PARTS = (0.15, 0.3, 0.45, 0.6, 0.75)
_MOST_RATE = 15 / 16


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateLawBound:
    """At most `bits` of D(p‖p̂) with confidence 1-`beta` over records and noise, for noise of ratio 1/`odds` on counts.

    `rate` and `price` are the witness of the proof; `smoothing` was chosen without the records, like them.

    >>> import sfumato as sf
    >>> bound = sf.disclose.private_law_bound(10_000, 4, 0.05, 1)
    >>> round(bound.bits, 4), round(float(bound.odds), 3)
    (0.0059, 1.649)
    """

    records: int
    cells: int
    beta: Fraction
    odds: Fraction
    smoothing: Fraction
    rate: float
    price: float
    bits: float


def noise_odds(epsilon: Real) -> Fraction:
    """Odds between neighbouring noises, at most e^(ε/2), so that a histogram keeps the promised ε."""
    limit = float(as_exact("epsilon", epsilon))
    check_between("epsilon", limit, _LEAST_EPSILON, _MOST_EPSILON)
    return fraction_below_exp(limit / 2, denominator=_DENOMINATOR)


def private_counts(counts: Sequence[int], epsilon: Real, bits: BitSource) -> tuple[int, ...]:
    """Counts of all cells of the declared alphabet with noise, none below 0; the number of records stays public.

    `smoothed_law` of them is a law that may be shown; of a person it tells at most `told_by_private_law_bits`.

    Returns:
        The noisy counts, in the order of the cells.

    >>> import sfumato as sf
    >>> bits = sf.bits.KeyedBits(bytes(32))  # a key that everybody knows: for this page only
    >>> sf.disclose.private_counts([40, 10, 0, 50], 1, bits)
    (36, 9, 0, 50)
    """
    whole = check_counts(counts)
    noises = two_sided_geometric(1 / noise_odds(epsilon), bits, len(whole)).tolist()
    return tuple(max(0, count + noise) for count, noise in zip(whole, noises, strict=True))


def told_by_private_law_bits(epsilon: Real) -> float:
    """Bound what an ε-differentially private release tells about one record that is independent of the others.

    P(y|x) varies by e^ε at most; the worst law of the ratio P(y|x)/P(y) has two values, and (z-1-ln z)·log2 e follows.

    >>> import sfumato as sf
    >>> [round(sf.disclose.told_by_private_law_bits(epsilon), 4) for epsilon in (0.1, 0.5, 1, 2)]
    [0.0018, 0.0449, 0.1779, 0.6845]
    """
    limit = float(as_exact("epsilon", epsilon))
    check_between("epsilon", limit, 0, _MOST_EPSILON)
    if limit < 2.0**-20:
        # (z-1-ln z) ≤ (z-1)²/2 for z ≥ 1, and z-1 ≤ ε: cancellation would leave nothing of the formula here.
        return math.nextafter(limit * limit * LOG2_E, math.inf)
    ratio = limit / -math.expm1(-limit)
    # A few roundings of z, which weigh as much as (z-1)/z each, and one of the result.
    return (ratio - 1 - math.log(ratio) + 2.0**-50 * ratio) * LOG2_E * (1 + 2.0**-50)


@lru_cache(maxsize=64)
def private_law_bound(records: int, cells: int, beta: Real, epsilon: Real) -> PrivateLawBound:
    """Bound D(p‖p̂) for the law of `private_counts`, with the best smoothing that was found.

    With noise in the counts, law, mapping and certificate may be shown to everybody.

    >>> import sfumato as sf
    >>> for epsilon in (1, 2):
    ...     print(epsilon, round(sf.disclose.private_law_bound(10_000, 4, 0.05, epsilon).bits, 4))
    1 0.0059
    2 0.0041
    """
    exact = check_confidence(records, cells, beta)
    odds = noise_odds(epsilon)
    smoothing, rate, price = _good_witness(records, cells, exact, odds)
    return private_bound_with(records, cells, exact, odds=odds, smoothing=smoothing, rate=rate, price=price)


def private_bound_with(
    records: int, cells: int, beta: Real, *, odds: Fraction, smoothing: Real, rate: float, price: float
) -> PrivateLawBound:
    """Evaluate the bound at a witness; it holds for any that was chosen without looking at the records.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> bound = sf.disclose.private_bound_with(10_000, 4, 0.05, odds=Fraction(3, 2), smoothing=8, rate=0.2, price=0.0)
    >>> round(bound.bits, 4)
    0.0119
    """
    exact = check_confidence(records, cells, beta)
    added = as_exact("smoothing", smoothing)
    cell = _cell(records, cells, exact, odds=odds, smoothing=added, rate=rate, price=price)
    bits = bits_of_supremum(records, cells, exact, rate=rate, price=price, highest=supremum(cell))
    return PrivateLawBound(
        records=records, cells=cells, beta=exact, odds=odds, smoothing=added, rate=rate, price=price, bits=bits
    )


def check_private_law_bound(bound: PrivateLawBound) -> None:
    """Prove a bound again from its witness; raises `NotCertified`.

    Raises:
        NotCertified: the witness does not prove so few bits.

    >>> import sfumato as sf
    >>> bound = sf.disclose.private_law_bound(10_000, 4, 0.05, 1)
    >>> sf.disclose.check_private_law_bound(bound)  # says nothing: the bound is proved
    """
    exact = check_confidence(bound.records, bound.cells, bound.beta)
    cell = _cell(
        bound.records,
        bound.cells,
        exact,
        odds=bound.odds,
        smoothing=bound.smoothing,
        rate=bound.rate,
        price=bound.price,
    )
    prove_bits(cell, bound.records, bound.cells, exact, rate=bound.rate, price=bound.price, bits=bound.bits)


def _cell(
    records: int, cells: int, beta: Fraction, *, odds: Fraction, smoothing: Fraction, rate: float, price: float
) -> NoisyCell:
    check_between("records", records, 1, MOST_RECORDS)
    check_between("cells", cells, 2, _MOST_CELLS)
    check_between("smoothing", smoothing, Fraction(1, 1024), 1024)
    check_between("odds", odds, _LEAST_ODDS, _MOST_ODDS)
    check_between("rate", rate, 2.0**-20, _MOST_RATE)
    check_between("price", price, -1e6, 1e6)
    ratio = 1 / odds
    return NoisyCell(
        rate=rate,
        smoothing=float(smoothing),
        scale=float(1 + cells * smoothing / records),
        price=price,
        cut=ln_bounds(cells / (_LOW * beta))[1],
        cap=ln_bounds(cells / (_HIGH * beta))[1],
        ratio=float(ratio),
        lowest=_rare_noise(ratio, cells / (_LOW * beta)),
        highest=_rare_noise(ratio, cells / (_HIGH * beta)),
        most=float(records),
    )


def _rare_noise(ratio: Fraction, times: Fraction) -> int:
    """A noise R with P[Z > R] = r^(R+1)/(1+r) ≤ 1/times."""
    return math.ceil(ln_bounds(times)[1] / ln_bounds(1 / ratio)[0]) + 1


def _good_witness(records: int, cells: int, beta: Fraction, odds: Fraction) -> tuple[Fraction, float, float]:
    """Smoothing, rate and price that are good at some means, from n, m, β and ε alone."""
    # Moments are highest at 0, or up to where a count and its noise may still cancel.
    cut = ln_bounds(cells / (_LOW * beta))[1]
    lowest = _rare_noise(1 / odds, cells / (_LOW * beta))
    farthest = min(records, 1.1 * (lowest + cut + math.sqrt(2 * lowest * cut)))
    means = np.concatenate(
        [np.geomspace(min(FIRST, records / 2), farthest / 20, 8), np.linspace(farthest / 20, farthest, 40)]
    )
    means = np.unique(np.append(means, records))
    # Beyond this rate, moments of the noise alone are large.
    border = min(ln_bounds(odds)[1], 1.0)

    def tried(smoothing: Fraction, rate: float) -> tuple[float, Fraction, float, float]:
        cell = _cell(records, cells, beta, odds=odds, smoothing=smoothing, rate=rate, price=0.0)
        heights = np.append(cell.at(means), cell.at_zero())
        prices, totals = best_prices(heights[:, None], np.append(means, 0.0), records, cells)
        price, total = float(prices[0]), float(totals[0])
        highest = (total - price * records) / cells
        bits = bits_of_supremum(records, cells, beta, rate=rate, price=price, highest=highest)
        return bits, smoothing, rate, price

    rough = min(tried(Fraction(added), part * border) for added in _SMOOTHINGS for part in _PARTS)
    added, part = rough[1], rough[2] / border
    near = [min(max(part + step, 0.05), 0.9) for step in (-0.08, -0.04, 0.0, 0.04, 0.08)]
    beside = [added * Fraction(quarters, 4) for quarters in (3, 4, 5, 6)]
    return min(tried(one, float(f"{close * border:.4g}")) for one in beside for close in near)[1:]
