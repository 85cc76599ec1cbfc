"""Sums of logarithms with a bound on their rounding, so that a float can stand in a certificate.

Every bound here is first order in u = 2^-53 with generous constants: a conversion costs u, a correctly written libm
log2 at most a few u of its value, a product u. `math.fsum` adds without error, so nothing else accumulates.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from sfumato.values.checks import Number
from sfumato.values.interval import Interval
from sfumato.values.rounding import ln_bounds, log2_bounds
from sfumato.values.types import Profile

UNIT_ROUNDOFF = 2.0**-53
LOG2_E = 1 / math.log(2)


# Below this a double loses digits, and x·log2(1/x) is less than _NEGLIGIBLE.
_SMALLEST = 1e-290
_NEGLIGIBLE = 1e-280


def entropy_interval(profile: Profile | Iterable[tuple[Number, int]], *, ulps: int = 4) -> Interval:
    """-Σ p log2 p over (probability, multiplicity) pairs, each probability known to a relative error of `ulps`·u."""
    terms, slack = [], []
    for probability, count in profile:
        if probability == 0:
            continue
        value = float(probability)
        if value < _SMALLEST:
            slack.append(count * _NEGLIGIBLE)
            continue
        logarithm = math.log2(value)
        terms.append(-count * value * logarithm)
        slack.append(count * value * UNIT_ROUNDOFF * ((8 + ulps) * abs(logarithm) + 2 * ulps))
    return _enclose(terms, slack).at_least(0.0)


def expected_log2_interval(terms: Iterable[tuple[float, float]]) -> Interval:
    """Σ w·log2 r over (weight, ratio) pairs, each known to a relative error of 8u; a ratio between w and 1/w."""
    values, slack = [], []
    for weight, ratio in terms:
        if weight < _SMALLEST:
            slack.append(_NEGLIGIBLE)
            continue
        logarithm = math.log2(ratio)
        values.append(weight * logarithm)
        slack.append(weight * UNIT_ROUNDOFF * (16 * abs(logarithm) + 16))
    return _enclose(values, slack)


def log2_interval(value: Number, *, ulps: int = 8) -> Interval:
    """log2 of a number: a few ulps wide when the number is exact, infinite when it is.

    A float is taken to be known to a relative error of `ulps`·u.
    """
    if isinstance(value, Fraction):
        return Interval(*log2_bounds(value))
    if math.isinf(value):
        return Interval(math.inf, math.inf)
    logarithm = math.log2(value)
    return Interval.around(logarithm, UNIT_ROUNDOFF * (4 * abs(logarithm) + 2 * ulps))


def ln_interval(value: Number, *, ulps: int = 8) -> Interval:
    """ln of a number, on the same terms."""
    if isinstance(value, Fraction):
        return Interval(*ln_bounds(value))
    if math.isinf(value):
        return Interval(math.inf, math.inf)
    logarithm = math.log(value)
    return Interval.around(logarithm, UNIT_ROUNDOFF * (4 * abs(logarithm) + 2 * ulps))


def _enclose(terms: list[float], slack: list[float]) -> Interval:
    total = math.fsum(terms)
    bound = math.fsum(slack) + 4 * UNIT_ROUNDOFF * abs(total)
    return Interval.around(total, bound) if bound else Interval(total, total)
