"""Bounds for disclosures whose distribution is unknown, and noisy counts that may be published.

A mapping that reveals nothing about X_G under p̂ reveals at most D(p‖p̂) - D(p_G‖p̂_G) - D(q‖q̂) under p, for every
mapping. Counts of n records over an alphabet of m cells, each with a ≥ 0 added, give p̂ = (N+a)/(n+ma), and with
probability 1-β over those records D(p‖p̂) ≤ B for *every* p. B depends on n, m and β, never on the records. It is about
a person who is not among them.

Theory, with proofs: docs/theory/unknown_laws.md
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from sfumato.disclosure.moments import (
    FIRST,
    Cell,
    Enclosed,
    Floats,
    NoisyCell,
    first_counts,
    last_means,
    log_poisson,
    supremum,
)
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.numbers.checks import Real, as_exact, check_between, check_integer, check_positive
from sfumato.numbers.intervals import LOG2_E, fraction_below_exp, ln_bounds
from sfumato.sampling.samplers import two_sided_geometric
from sfumato.sampling.sources import BitSource

# --- Parameters of the bound: how much to add to counts, and the rate and price of the proof
# They are searched for on a grid of means in floats, from n, m and β alone. The bound holds for any parameters and is
# then enclosed for those found.


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


MOST_RECORDS = 10**9
MOST_CELLS = 2**40
# The part of β for counts that are left out, far below their means.
LEFT_OUT = Fraction(1, 10)
_LEAST_SMOOTHING, _MOST_SMOOTHING = Fraction(1, 1024), 1024
# At 1 moments are infinite, and near it sums are long.
_MOST_RATE = 31 / 32
_MOST_PRICE = 1e6
# The least β, which a double still holds.
_LEAST_BETA = Fraction(1, 10**300)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownLawBound:
    """At most `bits` with confidence 1-`beta`, for a law counted in `records` over `cells`, `smoothing` added to each.

    `rate` and `price` are the witness: whoever has them evaluates the bound, and need not search for it.

    >>> import sfumato as sf
    >>> bound = sf.disclosure.unknown_law_bound(1000, 4, 0.05)
    >>> bound.records, str(bound.beta), round(bound.bits, 4), round(bound.nats, 2)
    (1000, '1/20', 0.0181, 12.55)
    """

    records: int
    cells: int
    beta: Fraction
    smoothing: Fraction
    rate: float
    price: float
    bits: float

    @property
    def nats(self) -> float:
        """The bound on n·D(p‖p̂), in nats."""
        return self.bits * self.records / LOG2_E


@lru_cache(maxsize=256)
def unknown_law_bound(records: int, cells: int, beta: Real) -> UnknownLawBound:
    """Bound D(p‖p̂), hence what any mapping made for p̂ reveals under p, with the best `smoothing` that was found.

    The records must be independent draws of p; the bound is about a person who is not among them.

    >>> import sfumato as sf
    >>> for records in (100, 1000):
    ...     print(records, round(sf.disclosure.unknown_law_bound(records, 4, 0.05).bits, 4))
    100 0.1673
    1000 0.0181
    """
    exact = check_confidence(records, cells, beta)
    smoothing, rate, price = good_witness(records, cells, ln_bounds(1 / exact)[1], _cut(cells, exact))
    return bound_with(records, cells, exact, smoothing=smoothing, rate=rate, price=price)


def bound_with(records: int, cells: int, beta: Real, *, smoothing: Real, rate: float, price: float) -> UnknownLawBound:
    """Evaluate the bound at a witness; it holds for any that was chosen without looking at the records.

    >>> import sfumato as sf
    >>> round(sf.disclosure.bound_with(1000, 4, 0.05, smoothing=1, rate=0.5, price=0.0).bits, 4)
    0.0273
    >>> round(sf.disclosure.unknown_law_bound(1000, 4, 0.05).bits, 4)
    0.0181
    """
    exact = check_confidence(records, cells, beta)
    cell = _cell(records, cells, exact, smoothing=smoothing, rate=rate, price=price)
    bits = bits_of_supremum(records, cells, exact, rate=rate, price=price, highest=supremum(cell))
    added = as_exact("smoothing", smoothing)
    return UnknownLawBound(records=records, cells=cells, beta=exact, smoothing=added, rate=rate, price=price, bits=bits)


def check_unknown_law_bound(bound: UnknownLawBound) -> None:
    """Prove a bound again from its witness; raises `NotCertified`. Quicker than finding it: it need only stay below.

    Raises:
        NotCertified: the witness does not prove so few bits.

    >>> from dataclasses import replace
    >>> import sfumato as sf
    >>> from sfumato.disclosure.unknown_distributions import check_unknown_law_bound
    >>> bound = sf.disclosure.unknown_law_bound(1000, 4, 0.05)
    >>> check_unknown_law_bound(bound)  # says nothing: the bound is proved
    >>> try:
    ...     check_unknown_law_bound(replace(bound, bits=0.001))
    ... except sf.errors.NotCertified as error:
    ...     print(error.rule)
    no bound of 0.001 bits follows from 1000 records over 4 cells
    """
    exact = check_confidence(bound.records, bound.cells, bound.beta)
    cell = _cell(bound.records, bound.cells, exact, smoothing=bound.smoothing, rate=bound.rate, price=bound.price)
    prove_bits(cell, bound.records, bound.cells, exact, rate=bound.rate, price=bound.price, bits=bound.bits)


def prove_bits(
    cell: Enclosed, records: int, cells: int, beta: Fraction, *, rate: float, price: float, bits: float
) -> None:
    """Raise unless the moments of a cell prove the bound of so many bits."""
    fixed = bits_of_supremum(records, cells, beta, rate=rate, price=price, highest=0.0)
    unit = bits_of_supremum(records, cells, beta, rate=rate, price=price, highest=1.0) - fixed
    target = (bits - fixed) / unit
    # Aimed at a little less, for the rounding on the way there and back.
    highest = supremum(cell, target=target - 2.0**-34 * (1 + (abs(bits) + abs(fixed)) / unit))
    if not bits_of_supremum(records, cells, beta, rate=rate, price=price, highest=highest) <= bits < math.inf:
        raise NotCertified(
            f"no bound of {bits} bits follows from {records} records over {cells} cells",
            way_out="Use the bound that is found for them.",
        )


def smoothed_law(counts: Sequence[int], smoothing: Real) -> tuple[Fraction, ...]:
    """(N+a)/(n+ma) over the declared alphabet: counts of all its cells, also of empty ones.

    It is p̂ of `unknown_law_bound`.

    Returns:
        The probability of each cell, in fractions.

    Raises:
        InvalidParameter: counts are no whole numbers, or nothing is added.

    >>> import sfumato as sf
    >>> [str(mass) for mass in sf.disclosure.smoothed_law([8, 2, 0], 1)]
    ['9/13', '3/13', '1/13']
    """
    added = as_exact("smoothing", smoothing)
    check_positive("smoothing", added)
    whole = check_counts(counts)
    total = sum(whole) + len(whole) * added
    return tuple((count + added) / total for count in whole)


def check_counts(counts: Sequence[int]) -> list[int]:
    """Return counts as whole numbers; the error does not say which one is wrong, since they are protected."""
    try:
        whole = [operator.index(count) for count in counts]
    except TypeError:
        whole = []
    if not whole or min(whole) < 0:
        raise InvalidParameter(
            "must be one whole number of records for each cell",
            parameter="counts",
            way_out="Count over the declared alphabet.",
        )
    return whole


def bits_of_supremum(records: int, cells: int, beta: Fraction, *, rate: float, price: float, highest: float) -> float:
    """B = t·log2(e)/n, t = (ln√(2πn) + 1/(12n) + ln(1/(.9β)) + νn + m·sup)/λ, rounded up."""
    parts = (
        0.5 * math.log(2 * math.pi * records),
        1 / (12 * records),
        -ln_bounds((1 - LEFT_OUT) * beta)[0],
        price * records,
        cells * highest,
    )
    # More than all roundings together, so that whoever computes this in another way finds it to hold.
    nats = math.fsum(parts) + 2.0**-32 * math.fsum(map(abs, parts))
    return math.nextafter(nats / rate * LOG2_E / records * (1 + 2.0**-48), math.inf)


def _cell(records: int, cells: int, beta: Fraction, *, smoothing: Real, rate: float, price: float) -> Cell:
    added = as_exact("smoothing", smoothing)
    check_between("smoothing", added, _LEAST_SMOOTHING, _MOST_SMOOTHING)
    if not 0 < rate <= _MOST_RATE:
        raise InvalidParameter(
            f"must lie in (0, {_MOST_RATE}]", parameter="rate", value=rate, way_out="Use `unknown_law_bound`."
        )
    if not abs(price) <= _MOST_PRICE:
        raise InvalidParameter(
            f"must be at most {_MOST_PRICE:g} either way",
            parameter="price",
            value=price,
            way_out="Use `unknown_law_bound`.",
        )
    return Cell(
        rate=rate,
        smoothing=float(added),
        scale=float(1 + cells * added / records),
        price=price,
        cut=_cut(cells, beta),
        most=float(records),
    )


def _cut(cells: int, beta: Fraction) -> float:
    """ln(m/(.1β)), from above: what is rarer may be left out in every cell."""
    return ln_bounds(cells / (LEFT_OUT * beta))[1]


def check_confidence(records: int, cells: int, beta: Real) -> Fraction:
    """Return β, exact, if it and the two numbers can be dealt with."""
    check_between("records", check_integer("records", records), 1, MOST_RECORDS)
    check_between("cells", check_integer("cells", cells), 2, MOST_CELLS)
    exact = as_exact("beta", beta)
    if not _LEAST_BETA <= exact < 1:
        raise InvalidParameter(
            "must lie between 0 and 1, and be no less than 1e-300",
            parameter="beta",
            value=float(exact),
            way_out="Take a small one, such as 1/1000000.",
        )
    return exact


# --- Distributions that may be published: counts with two-sided geometric noise, clipped at 0 and smoothed
# Replacing a record moves two counts by 1. Noise of ratio r = 1/odds ≥ e^(-ε/2) on every count makes the histogram
# ε-differentially private [DMNS06], and so is everything made of it: the distribution, the mapping, its certificate.
# Two quantities are then bounded: the distance from the true distribution, with noise in the counts; and what the
# published distribution reveals about a person whose records are independent of the others, (z-1-ln z)·log2 e bits with
# z = ε e^ε/(e^ε-1).
# Theory: docs/theory/unknown_laws.md


# The length of sums grows with the spread of counts; more records would take minutes.
MOST_NOISY_RECORDS = 10**6
_MOST_CELLS = 10**6
_LEAST_EPSILON, _MOST_EPSILON = 2.0**-10, 16
_DENOMINATOR = 1 << 20
_LEAST_ODDS, _MOST_ODDS = 1 + Fraction(1, 4096), 2981
# Of what is left out, shares for counts and noises that are too low, and for those that are too high.
_LOW, _HIGH = LEFT_OUT * Fraction(9, 20), LEFT_OUT * Fraction(1, 20)
_NOISY_SMOOTHINGS = (1, 2, 4, 8, 16, 32, 64, 128)
_PARTS = (0.15, 0.3, 0.45, 0.6, 0.75)
_MOST_NOISY_RATE = 15 / 16


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateLawBound:
    """At most `bits` of D(p‖p̂) with confidence 1-`beta` over records and noise, for noise of ratio 1/`odds` on counts.

    `rate` and `price` are the witness of the proof; `smoothing` was chosen without the records, like them.

    >>> import sfumato as sf
    >>> bound = sf.disclosure.private_law_bound(10_000, 4, 0.05, 1)
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

    `smoothed_law` of them is a law that may be shown; of a person it tells at most `disclosed_by_private_law_bits`.

    Returns:
        The noisy counts, in the order of the cells.

    >>> import sfumato as sf
    >>> bits = sf.sampling.KeyedBits(bytes(32))  # a key that everybody knows: for this page only
    >>> sf.disclosure.private_counts([40, 10, 0, 50], 1, bits)
    (36, 9, 0, 50)
    """
    whole = check_counts(counts)
    noises = two_sided_geometric(1 / noise_odds(epsilon), bits, len(whole)).tolist()
    return tuple(max(0, count + noise) for count, noise in zip(whole, noises, strict=True))


def disclosed_by_private_law_bits(epsilon: Real) -> float:
    """Bound what an ε-differentially private release reveals about one record that is independent of the others.

    P(y|x) varies by e^ε at most; the worst law of the ratio P(y|x)/P(y) has two values, and (z-1-ln z)·log2 e follows.

    >>> import sfumato as sf
    >>> [round(sf.disclosure.disclosed_by_private_law_bits(epsilon), 4) for epsilon in (0.1, 0.5, 1, 2)]
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
    ...     print(epsilon, round(sf.disclosure.private_law_bound(10_000, 4, 0.05, epsilon).bits, 4))
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
    >>> from sfumato.disclosure.unknown_distributions import private_bound_with
    >>> bound = private_bound_with(10_000, 4, 0.05, odds=Fraction(3, 2), smoothing=8, rate=0.2, price=0.0)
    >>> round(bound.bits, 4)
    0.0119
    """
    exact = check_confidence(records, cells, beta)
    added = as_exact("smoothing", smoothing)
    cell = _noisy_cell(records, cells, exact, odds=odds, smoothing=added, rate=rate, price=price)
    bits = bits_of_supremum(records, cells, exact, rate=rate, price=price, highest=supremum(cell))
    return PrivateLawBound(
        records=records, cells=cells, beta=exact, odds=odds, smoothing=added, rate=rate, price=price, bits=bits
    )


def check_private_law_bound(bound: PrivateLawBound) -> None:
    """Prove a bound again from its witness; raises `NotCertified`.

    Raises:
        NotCertified: the witness does not prove so few bits.

    >>> import sfumato as sf
    >>> from sfumato.disclosure.unknown_distributions import check_private_law_bound
    >>> bound = sf.disclosure.private_law_bound(10_000, 4, 0.05, 1)
    >>> check_private_law_bound(bound)  # says nothing: the bound is proved
    """
    exact = check_confidence(bound.records, bound.cells, bound.beta)
    cell = _noisy_cell(
        bound.records,
        bound.cells,
        exact,
        odds=bound.odds,
        smoothing=bound.smoothing,
        rate=bound.rate,
        price=bound.price,
    )
    prove_bits(cell, bound.records, bound.cells, exact, rate=bound.rate, price=bound.price, bits=bound.bits)


def _noisy_cell(
    records: int, cells: int, beta: Fraction, *, odds: Fraction, smoothing: Fraction, rate: float, price: float
) -> NoisyCell:
    check_between("records", records, 1, MOST_NOISY_RECORDS)
    check_between("cells", cells, 2, _MOST_CELLS)
    check_between("smoothing", smoothing, Fraction(1, 1024), 1024)
    check_between("odds", odds, _LEAST_ODDS, _MOST_ODDS)
    check_between("rate", rate, 2.0**-20, _MOST_NOISY_RATE)
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
        cell = _noisy_cell(records, cells, beta, odds=odds, smoothing=smoothing, rate=rate, price=0.0)
        heights = np.append(cell.at(means), cell.at_zero())
        prices, totals = best_prices(heights[:, None], np.append(means, 0.0), records, cells)
        price, total = float(prices[0]), float(totals[0])
        highest = (total - price * records) / cells
        bits = bits_of_supremum(records, cells, beta, rate=rate, price=price, highest=highest)
        return bits, smoothing, rate, price

    rough = min(tried(Fraction(added), part * border) for added in _NOISY_SMOOTHINGS for part in _PARTS)
    added, part = rough[1], rough[2] / border
    near = [min(max(part + step, 0.05), 0.9) for step in (-0.08, -0.04, 0.0, 0.04, 0.08)]
    beside = [added * Fraction(quarters, 4) for quarters in (3, 4, 5, 6)]
    return min(tried(one, float(f"{close * border:.4g}")) for one in beside for close in near)[1:]
