"""Total variation, f-divergences, Renyi divergences, Chernoff information and Fisher information."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from sfumato.errors import InvalidLaw
from sfumato.numbers.checks import Number, as_number, check_at_least, check_between
from sfumato.numbers.exact import LawLike, SupportsArray, entries_of
from sfumato.numbers.intervals import UNIT_ROUNDOFF, Interval, ln_bounds
from sfumato.prob.distribution import Distribution, DistributionLike, as_distribution
from sfumato.prob.structured import ChannelLike, as_channel

# --- Total variation and its weighted form
#
# Ref: [C, Sec. II]: a guesser who weighs the two mistakes by 1-w and w errs by (1 - ‖(1-w)p_0 - w p_1‖_1)/2.


def total_variation(first: DistributionLike, second: DistributionLike) -> Number:
    """½ Σ |p - q|: the most by which the two laws differ on any event.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> sf.measures.total_variation([Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)])
    Fraction(1, 2)
    """
    return weighted_l1(first, second, Fraction(1, 2))


def weighted_l1(first: DistributionLike, second: DistributionLike, weight: Number) -> Number:
    """‖(1-w)p - w q‖_1: how far two laws are apart for a guesser who weighs the two mistakes by 1-w and w [C, Sec. II].

    >>> import sfumato as sf
    >>> sf.measures.weighted_l1([0.75, 0.25], [0.25, 0.75], 0.5), sf.measures.weighted_l1([0.75, 0.25], [0.25, 0.75], 1)
    (0.5, 1.0)
    """
    w = as_number("weight", weight)
    check_between("weight", w, 0, 1)
    return sum((abs((1 - w) * p - w * q) for p, q in two_laws(first, second)), Fraction(0))


def two_laws(first: DistributionLike, second: DistributionLike) -> list[tuple[Number, Number]]:
    """Return the probabilities of each outcome under two laws; refuse laws of different outcomes."""
    one, other = as_distribution(first, "first"), as_distribution(second, "second")
    if len(one) != len(other):
        raise InvalidLaw(
            f"has {len(other)} outcomes and `first` has {len(one)}",
            parameter="second",
            way_out="Give both the same outcomes.",
        )
    if isinstance(first, Distribution) and isinstance(second, Distribution) and one.labels != other.labels:
        raise InvalidLaw(
            "must have the labels of `first`, in the same order",
            parameter="second",
            way_out="Give both the same outcomes.",
        )
    return list(zip(one.probabilities, other.probabilities, strict=True))


def weighted_guess_error(channel: ChannelLike, weight: Number) -> Number:
    """Return the error of the best guesser of a yes/no answer who weighs a wrong "yes" by 1-w and a wrong "no" by w.

    Raises:
        InvalidLaw: the channel has not two answers.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.surveys.warner_device(Fraction(3, 4)).channel
    >>> sf.measures.weighted_guess_error(coin, Fraction(1, 2))
    Fraction(1, 4)
    >>> sf.measures.weighted_guess_error(coin, Fraction(1, 5))  # so uneven that whatever is reported the guess is "no"
    Fraction(1, 5)
    """
    channel = as_channel(channel)
    if channel.shape[0] != 2:
        raise InvalidLaw(
            f"has {channel.shape[0]} inputs, and a yes/no question has 2",
            parameter="channel",
            way_out="Pick the two rows to compare.",
        )
    first, second = channel.rows
    return (1 - weighted_l1(first, second, weight)) / 2


def largest_total_variation(channel: ChannelLike) -> Number:
    """Return the largest total variation between two rows (Dobrushin's coefficient): 0 iff Y says nothing about X.

    >>> import sfumato as sf
    >>> sf.measures.largest_total_variation(sf.mechanisms.RandomizedResponse(size=4, odds=3).channel())
    Fraction(1, 3)
    """
    dense = as_channel(channel).to_dense()
    if dense.exact:
        numerators, denominator = dense.integers()
        worst = max(
            (int(np.abs(numerators[x + 1 :] - numerators[x]).sum(axis=1).max()) for x in range(dense.shape[0] - 1)),
            default=0,
        )
        return Fraction(worst, 2 * denominator)
    array = dense.array
    return max(
        (float(np.abs(array[x + 1 :] - array[x]).sum(axis=1).max()) / 2 for x in range(dense.shape[0] - 1)),
        default=0.0,
    )


def f_divergence(
    first: DistributionLike,
    second: DistributionLike,
    f: Callable[[float], float],
    *,
    slope_at_infinity: float,
) -> float:
    """Σ q f(p/q) for convex f with f(1) = 0; outcomes with q = 0 < p count p times the slope of f at infinity.

    >>> import sfumato as sf
    >>> def total_variation(ratio: float) -> float:
    ...     return abs(ratio - 1) / 2
    >>> sf.measures.f_divergence([0.75, 0.25], [0.25, 0.75], total_variation, slope_at_infinity=0.5)
    0.5
    """
    terms = []
    for p, q in _pairs(first, second):
        if q > 0:
            terms.append(q * f(p / q))
        elif p > 0:
            terms.append(p * slope_at_infinity)
    return math.fsum(terms)


def kullback_leibler_nats(first: DistributionLike, second: DistributionLike) -> float:
    """Σ p ln(p/q); infinite when the first law can do what the second cannot.

    >>> import sfumato as sf
    >>> round(sf.measures.kullback_leibler_nats([0.75, 0.25], [0.25, 0.75]), 4)
    0.5493
    >>> sf.measures.kullback_leibler_nats([0.5, 0.5], [1, 0])
    inf
    """
    return f_divergence(first, second, lambda t: t * math.log(t) if t else 0.0, slope_at_infinity=math.inf)


def chi_squared(first: DistributionLike, second: DistributionLike) -> float:
    """Σ (p-q)²/q; infinite when the first law can do what the second cannot.

    >>> import sfumato as sf
    >>> round(sf.measures.chi_squared([0.75, 0.25], [0.25, 0.75]), 4)
    1.3333
    """
    # Not by f_divergence: the square of p/q can overflow where (p-q)²/q does not.
    terms = [(p - q) ** 2 / q if q > 0 else math.inf for p, q in _pairs(first, second) if p != q]
    return math.fsum(terms)


def squared_hellinger(first: DistributionLike, second: DistributionLike) -> float:
    """½ Σ (√p - √q)²: from 0 for equal laws to 1 for laws with nothing in common.

    >>> import sfumato as sf
    >>> round(sf.measures.squared_hellinger([0.75, 0.25], [0.25, 0.75]), 4)
    0.134
    >>> sf.measures.squared_hellinger([1, 0], [0, 1])  # laws with nothing in common
    1.0
    """
    return f_divergence(first, second, lambda t: (math.sqrt(t) - 1) ** 2 / 2, slope_at_infinity=0.5)


def renyi_nats(first: DistributionLike, second: DistributionLike, order: float) -> float:
    """D_α(p‖q) = ln(Σ p^α q^(1-α))/(α-1), with its limits at α = 0, 1 and ∞.

    [C, Sec. V] prints the arguments the other way round inside D_(1+s); this is the usual order.

    >>> import math
    >>> import sfumato as sf
    >>> [round(sf.measures.renyi_nats([0.75, 0.25], [0.25, 0.75], order), 4) for order in (0.5, 1, 2, math.inf)]
    [0.2877, 0.5493, 0.8473, 1.0986]
    """
    check_at_least("order", order, 0)
    pairs = list(_pairs(first, second))
    if order == 1:
        return kullback_leibler_nats(first, second)
    if order > 1 and any(p > 0 == q for p, q in pairs):
        return math.inf
    shared = [(p, q) for p, q in pairs if p > 0 and q > 0]
    if not shared:
        return math.inf
    if math.isinf(order):
        return max(math.log(p / q) for p, q in shared)
    if order == 0:
        return -math.log(math.fsum(q for _, q in shared))
    # In logarithms from the largest term, so that high orders neither overflow nor vanish.
    logs = [order * math.log(p) + (1 - order) * math.log(q) for p, q in shared]
    top = max(logs)
    return max(0.0, (top + math.log(math.fsum(math.exp(value - top) for value in logs))) / (order - 1))


def _pairs(first: DistributionLike, second: DistributionLike) -> list[tuple[float, float]]:
    return [(float(p), float(q)) for p, q in two_laws(first, second)]


# --- Chernoff information: the rate at which many reports distinguish two inputs. Refs: [Che52]; [A, eq. (68)]
#
# C(p, q) = -min over λ in [0,1] of ln Σ p^λ q^(1-λ), the sum over outcomes that both laws allow (at the ends 0^0 would
# count outcomes that one of them forbids).


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


# --- Fisher information: how much one report says about the parameter that a survey estimates. Ref: [C, Sec. II]


def fisher_information(channel: ChannelLike, theta: Number) -> Number:
    """J_θ of a yes/no channel when a share θ holds the second input: Σ (p_1-p_0)²/((1-θ)p_0+θp_1).

    Exact when channel and θ are; infinite where a possible change has zero probability (θ at an end).

    Raises:
        InvalidLaw: the channel has not two answers.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.surveys.warner_device(Fraction(3, 4)).channel
    >>> sf.measures.fisher_information(coin, Fraction(1, 2))  # asked directly it is 4: a fourth of the people
    Fraction(1, 1)
    """
    channel = as_channel(channel)
    if channel.shape[0] != 2:
        raise InvalidLaw(
            f"has {channel.shape[0]} inputs, and the share of one of two answers needs 2",
            parameter="channel",
            way_out="Use family_information for other families.",
        )
    share = as_number("theta", theta)
    check_between("theta", share, 0, 1)
    first, second = channel.rows
    law = [(1 - share) * p + share * q for p, q in zip(first, second, strict=True)]
    return _information(law, [q - p for p, q in zip(first, second, strict=True)])


def family_information(law: DistributionLike, derivative: LawLike | SupportsArray) -> Number:
    """Σ (∂p)²/p for any one-parameter family, given the law and its derivative at one point.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> sf.measures.family_information([Fraction(1, 2), Fraction(1, 2)], [-1, 1])  # a share, asked directly
    Fraction(4, 1)
    """
    probabilities = as_distribution(law, "law").probabilities
    way_out = "Give one for each outcome."
    entries = entries_of("derivative", derivative, rule="must be a list of numbers", way_out=way_out)
    if len(entries) != len(probabilities):
        raise InvalidLaw(
            f"has {len(entries)} entries and `law` has {len(probabilities)}", parameter="derivative", way_out=way_out
        )
    return _information(probabilities, [as_number(f"derivative[{i}]", slope) for i, slope in enumerate(entries)])


def _information(law: Sequence[Number], derivative: Sequence[Number]) -> Number:
    total: Number = Fraction(0)
    for p, slope in zip(law, derivative, strict=True):
        if p > 0:
            total += slope * slope / p
        elif slope != 0:
            return math.inf
    return total
