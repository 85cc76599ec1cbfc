"""Sums of logarithms with a bound on their rounding, so that a float can stand in a certificate.

Every bound here is first order in u = 2^-53 with generous constants: a conversion costs u, a correctly written libm
log2 at most a few u of its value, a product u. `math.fsum` adds without error, so nothing else accumulates.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from sfumato.prob.channel import Profile
from sfumato.values.checks import Number
from sfumato.values.interval import Interval
from sfumato.values.rounding import ln_bounds, log2_bounds

UNIT_ROUNDOFF = 2.0**-53
LOG2_E = 1 / math.log(2)


def entropy_interval(profile: Profile | Iterable[tuple[Number, int]]) -> Interval:
    """-Σ p log2 p over (probability, multiplicity) pairs."""
    terms, slack = [], []
    for probability, count in profile:
        if probability == 0:
            continue
        value = float(probability)
        logarithm = math.log2(value)
        terms.append(-count * value * logarithm)
        slack.append(count * value * UNIT_ROUNDOFF * (12 * abs(logarithm) + 8))
    return _enclose(terms, slack).at_least(0.0)


def expected_log2_interval(terms: Iterable[tuple[float, float]]) -> Interval:
    """Σ w·log2 r over (weight, ratio) pairs, each known to a relative error of 8u."""
    values, slack = [], []
    for weight, ratio in terms:
        logarithm = math.log2(ratio)
        values.append(weight * logarithm)
        slack.append(weight * UNIT_ROUNDOFF * (16 * abs(logarithm) + (16 if logarithm else 0)))
    return _enclose(values, slack)


def log2_interval(value: Number) -> Interval:
    """log2 of a number: a few ulps wide when the number is exact, infinite when it is."""
    if isinstance(value, Fraction):
        return Interval(*log2_bounds(value))
    if math.isinf(value):
        return Interval(math.inf, math.inf)
    logarithm = math.log2(value)
    return Interval(logarithm, logarithm).widened(4 * UNIT_ROUNDOFF * abs(logarithm))


def ln_interval(value: Number) -> Interval:
    """ln of a number: a few ulps wide when the number is exact, infinite when it is."""
    if isinstance(value, Fraction):
        return Interval(*ln_bounds(value))
    if math.isinf(value):
        return Interval(math.inf, math.inf)
    logarithm = math.log(value)
    return Interval(logarithm, logarithm).widened(4 * UNIT_ROUNDOFF * abs(logarithm))


def _enclose(terms: list[float], slack: list[float]) -> Interval:
    total = math.fsum(terms)
    bound = math.fsum(slack) + 4 * UNIT_ROUNDOFF * abs(total)
    return Interval(total, total).widened(bound) if bound else Interval(total, total)
