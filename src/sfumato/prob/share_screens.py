"""A quick look at the intervals of :mod:`sfumato.prob.share_bounds`, in plain floats and without scipy.

The ends are the same, found with the logarithm of the gamma function, a continued fraction and a secant rule in place
of scipy's tails and sixty halvings; they agree to far more digits than `PRECISION`, which tests hold them to. That is
enough to tell that an interval is wider or narrower than wished. Where it comes closer, the interval itself decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

from sfumato.prob.share_bounds import MIRRORED

PRECISION = 1e-8
_STEPS = 200
_TINY = 1e-300
_MOST_TERMS = 100_000
_NEAR = 1e-15


def near_share_interval(hits: int, total: int, other: float, own: float, confidence: float) -> tuple[float, float]:
    """Return the ends of the interval of a share, off by less than `PRECISION`.

    >>> low, high = near_share_interval(40, 100, 0.25, 0.75, 0.95)
    >>> round(low, 6), round(high, 6)
    (0.114165, 0.5)
    """
    lower = _first_share(hits, total, other, own, 1 - confidence)
    upper = 1 - _first_share(total - hits, total, 1 - own, 1 - other, 1 - confidence)
    return lower, upper


def _first_share(hits: int, total: int, least: float, most: float, alpha: float) -> float:
    if _above(hits, total, least) > alpha:
        return 0.0
    chance = _first_chance(hits, total, least, most, alpha)
    return min(1.0, max(0.0, (chance - least) / (most - least)))


def _first_chance(hits: int, total: int, least: float, most: float, alpha: float) -> float:
    top = _greatest(hits, total, least, most)

    def turning(count: int) -> float:
        if count < 0:
            return least
        slope = (top - _greatest(count, total, least, most)) / (hits - count)
        return min(most, max(least, 1 / (1 + math.exp(-slope))))

    def ranked(count: int, chance: float) -> float:
        return _above(hits, total, chance) + 1 - _above(count + 1, total, chance)

    # As far below as the count lies above the share that just accepts it, near enough.
    spread = math.sqrt(max(hits * (total - hits) / total, 1.0))
    guess = hits - round(2 * NormalDist().inv_cdf(1 - alpha / 2) * spread)
    last = _first_number(lambda count: ranked(count, turning(count)) > alpha, -1, hits - 1, guess)
    start, stop = turning(last - 1), turning(last)
    if ranked(last - 1, stop) <= alpha:
        return stop
    return _crossing(lambda chance: ranked(last - 1, chance) - alpha, start, stop)


def _first_number(holds: Callable[[int], bool], before: int, last: int, guess: int) -> int:
    """Return the first number for which it holds; it holds for `last` and not for `before`."""
    step, place = 1, min(max(guess, before + 1), last - 1)
    while before < place < last:  # away from the guess in strides that double, until it is passed
        if holds(place):
            last, place = place, place - step
        else:
            before, place = place, place + step
        step *= 2
    while last - before > 1:
        middle = (before + last) // 2
        before, last = (before, middle) if holds(middle) else (middle, last)
    return last


def _crossing(rising: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function that is above zero at `high` and not at `low` crosses it: secants, ends kept apart."""
    below, above = rising(low), rising(high)
    side = 0
    for _ in range(_STEPS):
        if high - low <= _NEAR or above == below:
            break
        place = high - above * (high - low) / (above - below)
        if not low < place < high:
            place = (low + high) / 2
        value = rising(place)
        if value > 0:
            high, above = place, value
            below = below / 2 if side > 0 else below
            side = 1
        else:
            low, below = place, value
            above = above / 2 if side < 0 else above
            side = -1
        if value == 0:
            break
    return low


def _greatest(count: int, total: int, least: float, most: float) -> float:
    """The greatest weighted log-likelihood of a count that a chance within the bounds gives."""
    if least + most > 1 + MIRRORED:
        return _greatest(total - count, total, 1 - most, 1 - least)
    if least + most >= 1 - MIRRORED:
        return _log_likelihood(count, total, min(most, max(least, count / total)))
    half, room = (count - 2) / 2, max(total - 1, 1e-9)
    chance = min(most, max(least, (half + math.sqrt(half**2 + room * count / total)) / room))
    return _log_likelihood(count, total, chance) - math.log1p(total * chance)


def _log_likelihood(count: int, total: int, chance: float) -> float:
    hits = count * math.log(chance) if count else 0.0
    return hits + ((total - count) * math.log1p(-chance) if total > count else 0.0)


def _above(count: int, total: int, chance: float) -> float:
    """Pr[Bin(total, chance) ≥ count]."""
    if count <= 0:
        return 1.0
    if count > total or chance <= 0:
        return 0.0
    if chance >= 1:
        return 1.0
    first, second = float(count), float(total - count + 1)
    weight = math.lgamma(first + second) - math.lgamma(first) - math.lgamma(second)
    scale = math.exp(weight + first * math.log(chance) + second * math.log1p(-chance))
    if chance * (first + second + 2) < first + 1:
        return scale * _fraction(first, second, chance) / first
    return 1 - scale * _fraction(second, first, 1 - chance) / second


def _fraction(first: float, second: float, chance: float) -> float:
    """The continued fraction of the incomplete beta function [DLMF 8.17.22], worked out from its front by ratios."""
    upper, lower, found = math.inf, 1.0, 1.0
    for number in range(1, _MOST_TERMS):
        half, is_odd = divmod(number, 2)
        if is_odd:
            term = -(first + half) * (first + second + half) * chance / ((first + 2 * half) * (first + 2 * half + 1))
        else:
            term = half * (second - half) * chance / ((first + 2 * half - 1) * (first + 2 * half))
        lower, upper = 1 + term * lower, 1 + term / upper
        lower = 1 / (lower if abs(lower) > _TINY else _TINY)
        upper = upper if abs(upper) > _TINY else _TINY
        found *= upper * lower
        if abs(upper * lower - 1) < _NEAR:
            break
    return found
