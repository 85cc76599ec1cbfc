"""Chernoff information: how fast many reports tell two inputs apart. Refs: [Che52]; [A, eq. (68)].

C(p, q) = -min over λ in [0,1] of ln Σ p^λ q^(1-λ), the sum over outcomes that both laws allow (at the ends 0^0 would
count outcomes that one of them forbids).
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

from sfumato.errors import InvalidLaw
from sfumato.measures.distances import two_laws
from sfumato.measures.enclosures import UNIT_ROUNDOFF
from sfumato.prob import ChannelLike, DistributionLike, as_channel
from sfumato.values.checks import Number
from sfumato.values.interval import Interval
from sfumato.values.rounding import ln_bounds

# Halving [0, 1] this often leaves nothing between two doubles near the optimum.
_HALVINGS = 60
_SMALLEST = 1e-300


def chernoff_information_nats(first: DistributionLike, second: DistributionLike) -> float:
    """Return the exponent of the error of the best test between two laws from n draws: it falls like e^(-n·exponent).

    >>> import sfumato as sf
    >>> round(sf.measures.chernoff_information_nats([0.75, 0.25], [0.25, 0.75]), 4)  # ln(2/√3)
    0.1438
    """
    return chernoff_information_interval(first, second).midpoint


def chernoff_information_interval(first: DistributionLike, second: DistributionLike) -> Interval:
    """Enclose the Chernoff information.

    λ → ln Σ q (p/q)^λ is convex, so any λ bounds its minimum from above and the tangent there from below. Sums are
    taken in logarithms, from the largest term, and an error of 32u in every logarithm is carried to the ends.

    >>> import sfumato as sf
    >>> found = sf.measures.chernoff_information_interval([0.75, 0.25], [0.25, 0.75])
    >>> round(found.lower, 4), found.width < 1e-13
    (0.1438, True)
    """
    pairs = two_laws(first, second)
    shared = [(_ln(p), _ln(q)) for p, q in pairs if p > 0 and q > 0]
    if not shared:
        return Interval(math.inf, math.inf)
    if all(p == q for p, q in pairs):
        return Interval(0.0, 0.0)
    terms = [(q, p - q) for p, q in shared]
    low, high = 0.0, 1.0
    if _tangent(terms, low)[1] >= 0:
        high = low
    elif _tangent(terms, high)[1] <= 0:
        low = high
    else:
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if _tangent(terms, middle)[1] < 0 else (low, middle)
    value, slope, slope_error = _tangent(terms, low)
    # The minimum lies somewhere in [0, 1]: on the tangent it is at most this much lower, whatever the signs above.
    drop = max(slope * low, -slope * (1 - low), 0.0) + slope_error
    slack = 32 * UNIT_ROUNDOFF * max(2 + abs(q) + abs(rate) for q, rate in terms)
    return Interval(-value, -value + drop).widened(slack).at_least(0.0)


def chernoff_radius_nats(channel: ChannelLike) -> float:
    """Return the smallest Chernoff information between two rows [A, eq. (68)]: 0 iff two inputs look alike.

    >>> import sfumato as sf
    >>> three = sf.Channel([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.2, 0.7, 0.1]])
    >>> round(sf.measures.chernoff_radius_nats(three), 4)  # the last two answers are hardly told apart
    0.0103
    """
    channel = as_channel(channel)
    if channel.shape[0] < 2:
        raise InvalidLaw(
            "has one input, and a Chernoff radius compares at least two",
            parameter="channel",
            way_out="Give it one row more.",
        )
    return min(chernoff_information_nats(p, q) for p, q in itertools.combinations(channel.rows, 2))


def _tangent(terms: list[tuple[float, float]], power: float) -> tuple[float, float, float]:
    """ln Σ e^(ln q + λ ln(p/q)) at λ = `power`, its slope, and a bound on the slope's rounding error."""
    exponents = [q + power * rate for q, rate in terms]
    top = max(exponents)
    weights = [math.exp(exponent - top) for exponent in exponents]
    total = math.fsum(weights)
    slope = math.fsum(w * rate for w, (_, rate) in zip(weights, terms, strict=True)) / total
    error = math.fsum(w * abs(rate) * (2 + abs(q) + abs(rate)) for w, (q, rate) in zip(weights, terms, strict=True))
    return top + math.log(total), slope, 32 * UNIT_ROUNDOFF * (error / total + abs(slope))


def _ln(value: Number) -> float:
    number = float(value)
    # A Fraction may be smaller than every double and still have a logarithm.
    return math.log(number) if number > _SMALLEST else sum(ln_bounds(Fraction(value))) / 2
