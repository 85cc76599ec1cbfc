"""The least normal noise on a sum within a budget, for beliefs that share at most so many bits.

Deviations are in units of what one record can move, decimal, and each was itself held against the budget by an
enclosure that is rounded up; floats only say where to begin.   Theory: docs/theory/bounded_beliefs.md
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from sfumato.design.belief_subjects import KnownShare
from sfumato.measures.beliefs import INTERVAL, Ball, believed_bits, one_release_bits, people_bits, tilt_factor
from sfumato.measures.known_shares import best_known_split, best_mixture, known_split_bits, mixture_bits
from sfumato.values.interval import Interval

# A deviation has so many digits: a hundred-thousandth of it is the price.
_DIGITS = 6
# The neighbours' deviations are there to be compared with.
_DIGITS_OF_NEIGHBOURS = 4
# A certificate states bits on a grid of 1e-12, rounded up; they are within the budget, too.
_PUBLISHED = 2e-12
# Where a search stands behind every trial, so near is near enough.
_NEAR = 1 + 2e-5
_TRIALS = 24

Proof = tuple[float, KnownShare]
"""Bits of one release under a public law, and what proves them."""


def least_deviation(
    records: int, shared_bits: Fraction, budget_bits: float, *, people: int = 1, ball: Ball = INTERVAL
) -> Fraction:
    """Return the least σ/Δ whose bits by Theorem 1, which accounts add up, are within the budget.

    Households of five among ten thousand, beliefs that share ten bits beyond them:

    >>> round(float(least_deviation(10**4, Fraction(10), 0.1, people=5)))
    1122
    """

    def told(deviation: Fraction) -> Interval:
        return believed_bits(records, shared_bits, 1 / deviation**2, people=people, ball=ball)

    return _least(told, budget_bits, _DIGITS)


def least_deviation_once(
    records: int, shared_bits: Fraction, budget_bits: float, *, people: int = 1, ball: Ball = INTERVAL
) -> Fraction:
    """Return the least σ/Δ within the budget by Theorem 2: for a data set about which nothing else is released."""
    tilt = tilt_factor(shared_bits / ball.dimension)

    def told(deviation: Fraction) -> Interval:
        return one_release_bits(records, shared_bits, 1 / deviation**2, tilt, people=people, ball=ball)

    return _least(told, budget_bits, _DIGITS)


def least_deviation_for(people: int, budget_bits: float, *, ball: Ball = INTERVAL) -> Fraction:
    """Return a σ/Δ that keeps the budget if at most so many people depend on each other; for anyone, say all."""
    return _least(
        lambda deviation: people_bits(people, 1 / deviation**2, ball=ball), budget_bits, _DIGITS_OF_NEIGHBOURS
    )


def least_known_deviation(
    records: int, shared_bits: Fraction, budget_bits: float, share: Fraction
) -> tuple[Fraction, KnownShare]:
    """Return the least σ/Δ of a count found for one release where each record is a yes with a public probability.

    By Theorem 3, or by Theorem 1 with the contraction of that law, or by what holds for every law, with its proof. The
    noise of a search that failed to see the best mixture is more than the least, and enough.
    """

    def mixed(deviation: Fraction) -> Proof:
        ratio = 1 / deviation**2
        mixture = best_mixture(records, shared_bits, ratio, share)
        return mixture_bits(records, shared_bits, ratio, share, mixture).upper, KnownShare(share=share, mixture=mixture)

    def divided(deviation: Fraction) -> Proof:
        ratio = 1 / deviation**2
        own_share = best_known_split(records, shared_bits, ratio, share)
        bits = known_split_bits(records, shared_bits, ratio, share, own_share).upper
        return bits, KnownShare(share=share, own_share=own_share)

    usual = min(
        least_deviation(records, shared_bits, budget_bits),
        least_deviation_once(records, shared_bits, budget_bits),
        least_deviation_for(records, budget_bits),
    )
    found = (usual, divided(usual)[1])
    for told in (divided, mixed):
        better = _below(told, budget_bits, found[0])
        if better is not None:
            found = better
    return found


def _below(told: Callable[[Fraction], Proof], budget_bits: float, most: Fraction) -> tuple[Fraction, KnownShare] | None:
    """Search below a deviation for a smaller one that is proved, too: by interpolation, held between two ends."""
    bits, proof = told(most)
    if bits + _PUBLISHED > budget_bits:
        return None
    high, high_bits, found = math.log(most), math.log(bits), (most, proof)
    low, low_bits = high, high_bits
    aim = math.log(budget_bits)
    while low_bits <= aim:
        low -= 0.5
        low_bits = math.log(told(Fraction(math.exp(low)))[0])
    for trial in range(_TRIALS):
        if high - low <= math.log(_NEAR):
            break
        # Bits fall about as a power of the noise; every third time it is the middle, lest one end stay where it is.
        part = 0.5 if trial % 3 == 2 else (low_bits - aim) / (low_bits - high_bits)
        near = low + (high - low) * min(max(part, 0.02), 0.98)
        deviation = _rounded_up(Fraction(math.exp(near)), _DIGITS)
        bits, proof = told(deviation)
        if bits + _PUBLISHED <= budget_bits:
            high, high_bits, found = math.log(deviation), math.log(bits), (deviation, proof)
        else:
            low, low_bits = max(low, near), math.log(bits)
    return found


def _least(told: Callable[[Fraction], Interval], budget_bits: float, digits: int) -> Fraction:
    def fits(logarithm: float) -> bool:
        return told(Fraction(math.exp(logarithm))).upper + _PUBLISHED <= budget_bits

    low, high, stride = 0.0, 0.0, 1.0
    while not fits(high):
        low, high, stride = high, high + stride, 2 * stride
    while low == high or fits(low):
        low, high, stride = low - stride, min(low, high), 2 * stride
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    found = _rounded_up(Fraction(math.exp(high)), digits)
    while told(found).upper + _PUBLISHED > budget_bits:
        found = _rounded_up(found * (1 + Fraction(1, 10**digits)), digits)
    return found


def _rounded_up(number: Fraction, digits: int) -> Fraction:
    wide = Context(prec=60, rounding=ROUND_CEILING).divide(Decimal(number.numerator), Decimal(number.denominator))
    return Fraction(Context(prec=digits, rounding=ROUND_CEILING).plus(wide))
