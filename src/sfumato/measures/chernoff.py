"""Chernoff information: how fast many reports tell two inputs apart. Refs: [Che52]; [A, eq. (68)].

C(p, q) = -min over λ in [0,1] of ln Σ p^λ q^(1-λ), the sum over outcomes that both laws allow (at the ends 0^0 would
count outcomes that one of them forbids).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from sfumato.errors import InvalidLaw
from sfumato.measures.enclosures import UNIT_ROUNDOFF
from sfumato.prob import Channel
from sfumato.values.checks import Number
from sfumato.values.interval import Interval

# Halving [0, 1] this often leaves nothing between two doubles near the optimum.
_HALVINGS = 60


def chernoff_information_nats(first: Sequence[Number], second: Sequence[Number]) -> float:
    """Return the exponent of the error of the best test between two laws from many draws."""
    return chernoff_information_interval(first, second).midpoint


def chernoff_information_interval(first: Sequence[Number], second: Sequence[Number]) -> Interval:
    """Enclose the Chernoff information.

    λ → Σ q (p/q)^λ is convex: any λ bounds the minimum from above, the tangents at the two ends of a bracket bound
    it from below.
    """
    shared = [(float(p), float(q)) for p, q in zip(first, second, strict=True) if p > 0 and q > 0]
    if not shared:
        return Interval(math.inf, math.inf)
    if all(p == q for p, q in zip(first, second, strict=True)):
        return Interval(0.0, 0.0)
    rates = [(q, math.log(p / q)) for p, q in shared]
    low, high = 0.0, 1.0
    if _slope(rates, low) >= 0:
        high = low
    elif _slope(rates, high) <= 0:
        low = high
    else:
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if _slope(rates, middle) < 0 else (low, middle)
    above = min(_moment(rates, low), _moment(rates, high))
    below = above
    if low < high:
        left, right = _slope(rates, low), _slope(rates, high)
        crossing = (_moment(rates, high) - _moment(rates, low) + left * low - right * high) / (left - right)
        below = min(above, _moment(rates, low) + left * (min(max(crossing, low), high) - low))
    slack = 64 * UNIT_ROUNDOFF * (1 + max(abs(rate) for _, rate in rates)) / below
    return Interval(-math.log(above), -math.log(below)).widened(slack).at_least(0.0)


def chernoff_radius_nats(channel: Channel) -> float:
    """Return the smallest Chernoff information between two rows [A, eq. (68)]: 0 iff two inputs look alike."""
    if channel.shape[0] < 2:
        raise InvalidLaw("the channel has one input; a Chernoff radius compares at least two.")
    return min(chernoff_information_nats(p, q) for p, q in itertools.combinations(channel.rows, 2))


def _moment(rates: list[tuple[float, float]], power: float) -> float:
    return math.fsum(q * math.exp(power * rate) for q, rate in rates)


def _slope(rates: list[tuple[float, float]], power: float) -> float:
    return math.fsum(q * rate * math.exp(power * rate) for q, rate in rates)
