"""Probabilities that keep a budget of random bits, rounded the safe way.

Each pair of odds and a probability is exact, and the entropy of a report, rounded upwards, is within the budget.
Theory: docs/theory/binary_hadamard.md
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from sfumato.errors import InvalidParameter
from sfumato.measures.enclosures import entropy_interval
from sfumato.values.checks import Number, check_between
from sfumato.values.interval import Interval
from sfumato.values.rounding import fraction_below_exp

# Odds promised as an epsilon are rounded down to multiples of 2^-32: epsilon falls short by less than 2.4e-10.
_ODDS_BITS = 32
# Keeping the denominator this far below 2^width makes a redraw rarer than once in 256 reports.
_SPARE_BITS = 8


def binary_entropy_bits(p: float) -> float:
    """H2(p)."""
    if p in {0.0, 1.0}:
        return 0.0
    return -(p * math.log(p) + (1 - p) * math.log1p(-p)) / math.log(2)


def inverse_binary_entropy(bits: float) -> float:
    """Return the p ≤ 1/2 with H2(p) = bits."""
    check_between("bits", bits, 0, 1)
    return _last_below(lambda p: binary_entropy_bits(p) - bits, 0.5)


def rarer_yes(epsilon: float, budget: Number, width: int) -> tuple[Fraction, Fraction]:
    """Odds, and the probability q = H2inv(budget) of a yes, for a budget below R_c [B, Thm 2]."""
    most = inverse_binary_entropy(min(1.0, float(budget)))
    odds = odds_within(epsilon, most, width)
    own = odds.numerator
    denominator = _least_denominator(
        math.ceil(Fraction(own) / Fraction(most)),
        lambda total: entropy_interval(((Fraction(own, total), 1), (Fraction(total - own, total), 1))),
        budget,
    )
    return odds, Fraction(own, denominator)


def silent_or_answer(epsilon: float, budget: Number, width: int) -> tuple[Fraction, Fraction]:
    """Odds, and the probability 1-p of silence, H2(p) + p·R_c = budget, for a budget below R_c."""
    critical = binary_entropy_bits(1 / (1 + math.exp(-epsilon)))
    most = _last_below(lambda p: binary_entropy_bits(p) + p * critical - float(budget), 0.5)
    odds = odds_within(epsilon, most, width)
    own, other = odds.numerator, odds.denominator
    denominator = _least_denominator(
        math.ceil(Fraction(own + other) / Fraction(most)),
        lambda total: entropy_interval((Fraction(count, total), 1) for count in (own, other, total - own - other)),
        budget,
    )
    return odds, Fraction(denominator - own - other, denominator)


def _last_below(increasing: Callable[[float], float], high: float) -> float:
    """Return the last double in [0, high] at which an increasing function is still ≤ 0, by bisection."""
    low = 0.0
    if increasing(high) <= 0:
        return high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if increasing(middle) <= 0 else (low, middle)
    return low


def odds_within(epsilon: float, chance: float, width: int) -> Fraction:
    """Odds ≤ e^epsilon on the finest grid that leaves room for an event of probability `chance`."""
    needed = math.log2(math.exp(min(epsilon, 700.0)) + 1) - math.log2(max(chance, 1e-300))
    grid = min(_ODDS_BITS, math.floor(width - _SPARE_BITS - needed))
    if grid < 0:
        raise InvalidParameter(
            f"and a budget that lets an answer through once in {1 / max(chance, 1e-300):.3g} times need finer words "
            f"than width={width} bits",
            parameter="epsilon",
            value=epsilon,
            way_out="Lower `epsilon`, or raise `random_bits`.",
        )
    return fraction_below_exp(epsilon, denominator=1 << grid)


def _least_denominator(start: int, entropy: Callable[[int], Interval], budget: Number) -> int:
    """Go up from `start` in growing steps until the entropy is surely within budget."""
    step = 1 + (start >> 50)
    while entropy(start).upper > budget:
        start += step
        step *= 2
    return start
