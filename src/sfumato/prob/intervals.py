"""Confidence intervals for bounded parameters and for shares, and the nearest distribution to a vector.

Feldman and Cousins [FC98] accept a value μ of a normal mean by the likelihood ratio: the likelihood of the observation
over the greatest likelihood within the bounds. Near a bound this moves allowed error from one tail to the other: at the
lower bound the lower tail gets nothing and the upper tail all of α; far from both bounds each tail gets half of it.
Here the normal distribution only decides how α is split at each μ; the tails are those of the statistic's own
distribution. So coverage is at least 1 - α wherever the tails are exact, whatever the split. For one binomial count the
likelihood ratio itself is used (`binomial_share_intervals`).   Theory: docs/theory/bounded_intervals.md
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.numbers.checks import check_between
from sfumato.numbers.exact import FloatArray

Tail = Callable[[FloatArray], FloatArray]
"""For each value of the parameter, how probable what was seen or more extreme on one side is."""

_HALVINGS = 48
# Below this the correction is lost in rounding, and smaller than any error of the approximation.
_STRAIGHT = 1e-6


def both_tails(tail: FloatArray, behind: FloatArray, ahead: FloatArray) -> FloatArray:
    """Return how probable it is to be ranked no higher than what was seen, of which `tail` is the side it lies on.

    `ahead` is how many standard deviations the bound on that side lies from the parameter, `behind` the other bound.
    """
    from scipy.special import ndtr, ndtri  # noqa: PLC0415  scipy is slow to import

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        far = np.maximum(-ndtri(np.clip(tail, 0.0, 1.0)), 0.0)
        # Twice the logarithm of the ratio of likelihoods there; beyond the bound the best value stays at the bound.
        lost = np.where(far <= ahead, far * far, ahead * (2 * far - ahead))
        lost = np.where(ahead <= 0, 0.0, np.where(tail <= 0, np.inf, lost))
        reach = np.sqrt(lost)
        other = np.where(reach <= behind, -reach, -(behind + lost / behind) / 2)
        other = np.where(behind <= 0, -np.inf, other)
        found: FloatArray = np.where(tail >= 0.5, 1.0, tail + ndtr(other))
    return found


def bounded_ends(
    *,
    above: Tail,
    below: Tail,
    deviation: Tail,
    inside: FloatArray,
    low: float,
    high: float,
    confidence: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of intervals, many at once; `inside` are values that are accepted, where the search begins.

    `above` and `below` are the tails at a parameter, `deviation` is about the standard deviation of an estimate there.
    """
    lower = bounded_lower_ends(
        above=above, deviation=deviation, inside=inside, low=low, high=high, confidence=confidence
    )

    def accepts(value: FloatArray) -> npt.NDArray[np.bool_]:
        behind, ahead = rooms(value, deviation(value), low, high)
        return both_tails(below(value), ahead, behind) >= 1 - confidence

    return lower, outer_edge(inside, high, accepts)


def bounded_lower_ends(
    *, above: Tail, deviation: Tail, inside: FloatArray, low: float, high: float, confidence: float
) -> FloatArray:
    """Return the lower ends alone, in half of the time."""
    check_between("confidence", confidence, 0.5, 1 - 1e-12)

    def accepts(value: FloatArray) -> npt.NDArray[np.bool_]:
        behind, ahead = rooms(value, deviation(value), low, high)
        return both_tails(above(value), behind, ahead) >= 1 - confidence

    return outer_edge(inside, low, accepts)


def bounded_intervals(
    values: npt.ArrayLike,
    deviations: npt.ArrayLike | Tail,
    low: float,
    high: float,
    confidence: float,
) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper ends for means of normal statistics that lie between `low` and `high`.

    `deviations` are standard deviations of the values, or say what they would be at a mean.
    """
    from scipy.special import ndtr  # noqa: PLC0415  scipy is slow to import

    seen = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if callable(deviations):
        deviation = deviations
    else:
        fixed = np.maximum(np.broadcast_to(np.asarray(deviations, dtype=np.float64), seen.shape), np.finfo(float).tiny)

        def deviation(value: FloatArray) -> FloatArray:
            del value
            return fixed

    def distance(value: FloatArray) -> FloatArray:
        # A statistic that cannot err is infinitely far from every other value.
        with np.errstate(over="ignore"):
            found: FloatArray = (seen - value) / deviation(value)
        return found

    return bounded_ends(
        above=lambda value: ndtr(-distance(value)),
        below=lambda value: ndtr(distance(value)),
        deviation=deviation,
        inside=np.clip(seen, low, high),
        low=low,
        high=high,
        confidence=confidence,
    )


def normal_lower_ends(
    values: FloatArray, deviations: FloatArray, low: float, high: float, confidence: float
) -> FloatArray:
    """Return the lower ends alone, for means of normal statistics with standard deviations of their own."""
    from scipy.special import ndtr  # noqa: PLC0415  scipy is slow to import

    fixed = np.maximum(deviations, np.finfo(float).tiny)

    def above(value: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            found: FloatArray = ndtr((value - values) / fixed)
        return found

    return bounded_lower_ends(
        above=above,
        deviation=lambda _: fixed,
        inside=np.clip(values, low, high),
        low=low,
        high=high,
        confidence=confidence,
    )


def rooms(value: FloatArray, deviation: FloatArray, low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Return how many deviations the bounds lie below and above a value."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        below, above = (value - low) / deviation, (high - value) / deviation
    # At a bound the distance is 0, however precise the statistic.
    return np.where(value <= low, 0.0, below), np.where(value >= high, 0.0, above)


def outer_edge(
    inside: FloatArray, bound: float | FloatArray, accepts: Callable[[FloatArray], npt.NDArray[np.bool_]]
) -> FloatArray:
    """Return the first values towards a bound that are not accepted, or the bound; `inside` are accepted ones."""
    held, lost = inside.copy(), np.broadcast_to(np.asarray(bound, dtype=np.float64), inside.shape).copy()
    whole = accepts(lost)
    for _ in range(_HALVINGS):
        middle = (held + lost) / 2
        taken = accepts(middle)
        held, lost = np.where(taken, middle, held), np.where(taken, lost, middle)
    return np.where(whole, np.broadcast_to(bound, inside.shape), lost)


def skewed_tails(distance: FloatArray, skewness: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return how probable it is to lie at a distance, in standard deviations, or above it, and there or below.

    Wilson and Hilferty's cube root [WH31] makes a sum of skewed terms nearly normal; it is monotone, as a tail must be.
    """
    from scipy.special import ndtr  # noqa: PLC0415  scipy is slow to import

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        straight = np.where(
            np.abs(skewness) < _STRAIGHT,
            distance,
            6 / skewness * (np.cbrt(1 + skewness * distance / 2) - 1) + skewness / 6,
        )
    return ndtr(-straight), ndtr(straight)


# --- Roots of rising functions, many at once: a bracket that closes quickly, always from the safe side


Function = Callable[[FloatArray, npt.NDArray[np.intp]], FloatArray]
"""Of numbers, and of which of the functions each is given to."""

# The number of halvings that would be needed alone; with interpolation between them they are seldom needed.
_MOST_STEPS = 120
_HALF = 0.5
# Where the bracket is this narrow, relative to its ends, the search stops.
_LEAST_WIDTH = 2.0**-51


def last_below(function: Function, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the last places found where each function is not yet above 0; it is not at `low`, and is at `high`.

    Chandrupatla's method: an inverse quadratic step where three points allow one, a half elsewhere. It keeps the
    crossing between its two ends, so that what is returned errs to one side only.   Ref: [Cha97]
    """
    open_ = np.arange(low.size)
    result, new, old = low.copy(), high, low
    at_new, at_old = function(new, open_), function(old, open_)
    share = np.full(low.shape, _HALF)
    for _ in range(_MOST_STEPS):
        tried = new + share * (old - new)
        value = function(tried, open_)
        same = (value > 0) == (at_new > 0)
        third, at_third = np.where(same, new, old), np.where(same, at_new, at_old)
        old, at_old = np.where(same, old, new), np.where(same, at_old, at_new)
        new, at_new = tried, value
        result[open_] = np.where(at_new > 0, old, new)
        width = np.abs(old - new)
        left = width > 2 * _LEAST_WIDTH * np.maximum(np.abs(new), np.abs(old))
        if not left.any():
            break
        open_, new, old, third, width = open_[left], new[left], old[left], third[left], width[left]
        at_new, at_old, at_third = at_new[left], at_old[left], at_third[left]
        least = _LEAST_WIDTH * np.maximum(np.abs(new), np.abs(old)) / width
        share = np.clip(_inverse_quadratic(new, old, third, at_new, at_old, at_third), least, 1 - least)
    return result


def _inverse_quadratic(
    new: FloatArray, old: FloatArray, third: FloatArray, at_new: FloatArray, at_old: FloatArray, at_third: FloatArray
) -> FloatArray:
    """How far to go from `new` to `old`: a half where the curve through the three points may not be trusted."""
    with np.errstate(divide="ignore", invalid="ignore"):
        place = (new - old) / (third - old)
        rise = (at_new - at_old) / (at_third - at_old)
        step = at_new / (at_old - at_new) * at_third / (at_old - at_third) + (
            (third - new) / (old - new) * at_new / (at_third - at_new) * at_old / (at_third - at_old)
        )
        trusted = (rise**2 < place) & ((1 - rise) ** 2 < 1 - place) & np.isfinite(step)
    return np.where(trusted, step, _HALF)


# --- Exact intervals for a share from one binomial count: Feldman and Cousins' method on the counts themselves
#
# A report hits an answer of share p with the chance s = other + (own - other)·p, so the hits are binomial and s lies
# between `other` and `own`. At each s counts are accepted in the order of their likelihood over the greatest that any s
# within the bounds gives [FC98], until they have 1 - α. The interval holds every share that accepts the count, and the
# shares between them. So it covers at least 1 - α at every share, and above that by less than the probability of one
# count.
#
# Likelihoods are weighted by 1/(1 + expected count of the rarer of hits and misses). That changes nothing where counts
# are many. Where they are few it spends α on the side where it shortens the interval most: a report that proves its
# answer and that one expects once has intervals 6 % shorter. Coverage is exact whatever the weight.
#
# With any weight the logarithm of that ratio is concave in the count and, for two counts c < h, R_s(h)/R_s(c) rises
# with s. So with a count h go exactly the counts up to c of the other side from s = s_c on, where the logarithm of the
# odds of s_c is the slope (m(h) - m(c))/(h - c) of the greatest log-likelihoods m, and these s_c rise with c. Between
# two of them what is ranked no higher than h has the probability 1 - Pr[c < H < h], which falls and then rises. So an
# end is found without trying shares.   Proof: docs/theory/bounded_intervals.md


BoolArray = npt.NDArray[np.bool_]

_ROUNDING = 1e-14
# From this many counts on every sixteenth is searched first.
_MANY, _EVERY = 64, 16
# If the bounds add up to 1 within this, hits and misses mirror each other, and neither is the rarer.
MIRRORED = 1e-9


def binomial_share_intervals(
    hits: npt.ArrayLike, total: int, other: float, own: float, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Return the ends for shares of answers, each from its hits among `total` reports; shape is that of `hits`."""
    check_between("confidence", confidence, 0.5, 1 - 1e-12)
    if not 0 <= other < own <= 1:
        raise InvalidParameter(
            "must lie above `other`, both within [0, 1]",
            parameter="own",
            value=own,
            way_out="Nothing can be estimated where every report is pure noise.",
        )
    counts = np.asarray(hits, dtype=np.float64)
    counted, places = _different(counts)
    lower = _from_bound(counted, total, other, own, 1 - confidence)
    # The other end is the first one with hits and misses exchanged.
    upper = 1 - _from_bound(total - counted, total, 1 - own, 1 - other, 1 - confidence)
    return lower[places].reshape(counts.shape), upper[places].reshape(counts.shape)


def _different(counts: FloatArray) -> tuple[FloatArray, npt.NDArray[np.intp]]:
    """Return the different counts, ascending, and which of them stands at each place."""
    least = counts.min()
    if counts.size > counts.max() - least:  # fewer counts between them than places: marks are quicker than sorting
        offsets = np.rint(counts - least).astype(np.intp)
        marks = np.zeros(int(offsets.max()) + 1, dtype=np.intp)
        marks[offsets] = 1
        different = np.flatnonzero(marks)
        return least + different, (np.cumsum(marks) - 1)[offsets]
    return np.unique(counts, return_inverse=True)


def _from_bound(hits: FloatArray, total: int, least: float, most: float, alpha: float) -> FloatArray:
    """Return the smallest shares that accept the counts; rounding moves them outwards."""
    chances = _first_chances(hits, total, least, most, alpha)
    return np.where(chances <= least, 0.0, np.clip((chances - least) / (most - least) - _ROUNDING, 0.0, 1.0))


def _first_chances(hits: FloatArray, total: int, least: float, most: float, alpha: float) -> FloatArray:
    """Return the smallest chances within the bounds that accept the counts."""
    found = np.full(hits.shape, float(least))
    open_ = _above(hits, total, np.full(hits.shape, least)) <= alpha
    if open_.any():
        found[open_] = _inner_chances(hits[open_], total, least, most, alpha)
    return found


def _inner_chances(hits: FloatArray, total: int, least: float, most: float, alpha: float) -> FloatArray:
    def turning(count: FloatArray, own: FloatArray) -> FloatArray:
        """The chance from which on a count of the other side goes with `own`; the least one for no count at all."""
        slope = _greatest(own, total, least, most) - _greatest(np.maximum(count, 0.0), total, least, most)
        chance = 1 / (1 + np.exp(-slope / (own - count)))
        return np.where(count < 0, least, np.clip(chance, least, most))

    def beyond(count: FloatArray, own: FloatArray, chance: FloatArray) -> FloatArray:
        """By how much more than alpha is ranked no higher than `own`, if so much goes with it."""
        return _above(own, total, chance) + _above(total - count, total, 1 - chance) - alpha

    before = _last_without(lambda count, own: beyond(count, own, turning(count, own)) > 0, hits, total, alpha)
    start, stop = turning(before, hits), turning(before + 1, hits)
    early = beyond(before, hits, stop) > 0
    found = np.nextafter(stop, 0.0)
    if early.any():
        own, other = hits[early], before[early]
        found[early] = last_below(
            lambda chance, places: beyond(other[places], own[places], chance), start[early], stop[early]
        )
    return found


def _last_without(
    enough: Callable[[FloatArray, FloatArray], BoolArray], hits: FloatArray, total: int, alpha: float
) -> FloatArray:
    """Return the last counts, from -1 to hits - 2, at whose turning not enough is ranked no higher than `hits`.

    Whether it is enough rises with the count.
    """
    before, last = np.full(hits.shape, -1.0), hits - 1
    tried, step = _beginnings(enough, hits, total, alpha)
    while (places := np.flatnonzero(last - before > 1)).size:
        inside = np.clip(tried[places], before[places] + 1, last[places] - 1)
        there = enough(inside, hits[places])
        last[places[there]], before[places[~there]] = inside[there], inside[~there]
        # In steps that double, until one led too far; then halfway between.
        low, high = before[places], last[places]
        ahead = inside + np.where(there, -step[places], step[places])
        within = (ahead > low) & (ahead < high)
        tried[places] = np.where(within, ahead, np.floor((low + high) / 2))
        step[places] = np.where(within, 2 * step[places], np.inf)
    return before


def _beginnings(
    enough: Callable[[FloatArray, FloatArray], BoolArray], hits: FloatArray, total: int, alpha: float
) -> tuple[FloatArray, FloatArray]:
    """Return where the search begins, and its first step: where it would end if counts were normal.

    Of many counts some are searched first, and the others begin on the lines between their ends: nearly right.
    """
    from scipy.special import ndtri  # noqa: PLC0415  scipy is slow to import

    if hits.size <= _MANY:
        spread = np.sqrt(hits * (1 - hits / total))
        return np.floor(hits - 2 * float(ndtri(1 - alpha / 2)) * spread), np.ceil(spread / 32)
    some = np.unique(np.append(hits[::_EVERY], hits[-1]))
    ends = _last_without(enough, some, total, alpha)
    return np.floor(np.interp(hits, some, ends)), np.ones(hits.shape)


def _greatest(count: FloatArray, total: int, least: float, most: float) -> FloatArray:
    """The greatest weighted log-likelihood of counts that a chance within the bounds gives."""
    from scipy.special import xlog1py, xlogy  # noqa: PLC0415  scipy is slow to import

    if least + most > 1 + MIRRORED:
        return _greatest(total - count, total, 1 - most, 1 - least)
    if least + most >= 1 - MIRRORED:
        chance = np.clip(count / total, least, most)
        plain: FloatArray = xlogy(count, chance) + xlog1py(total - count, -chance)
        return plain
    # s^h·(1-s)^(n-h)/(1+n·s) is greatest where (n-1)·s² - (h-2)·s - h/n = 0.
    half, room = (count - 2) / 2, max(total - 1, 1e-9)
    chance = np.clip((half + np.sqrt(half**2 + room * count / total)) / room, least, most)
    found: FloatArray = xlogy(count, chance) + xlog1py(total - count, -chance) - np.log1p(total * chance)
    return found


def _above(count: FloatArray, total: int, chance: FloatArray) -> FloatArray:
    """Pr[Bin(total, chance) ≥ count]."""
    from scipy.special import betainc  # noqa: PLC0415  scipy is slow to import

    inside = (count > 0) & (count <= total)
    safe = np.where(inside, count, 1.0)
    tails = betainc(safe, total - safe + 1, chance)
    return np.where(count <= 0, 1.0, np.where(inside, tails, 0.0))


# --- The same intervals quickly, in plain floats and without scipy
#
# The ends are computed with the logarithm of the gamma function, a continued fraction and a secant rule instead of
# scipy's tails and sixty halvings. They agree within `PRECISION`, which tests check. That suffices to see that an
# interval is wider or narrower than a given width; closer cases are decided by the interval itself.


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
    if _quick_above(hits, total, least) > alpha:
        return 0.0
    chance = _first_chance(hits, total, least, most, alpha)
    return min(1.0, max(0.0, (chance - least) / (most - least)))


def _first_chance(hits: int, total: int, least: float, most: float, alpha: float) -> float:
    top = _quick_greatest(hits, total, least, most)

    def turning(count: int) -> float:
        if count < 0:
            return least
        slope = (top - _quick_greatest(count, total, least, most)) / (hits - count)
        return min(most, max(least, 1 / (1 + math.exp(-slope))))

    def ranked(count: int, chance: float) -> float:
        return _quick_above(hits, total, chance) + 1 - _quick_above(count + 1, total, chance)

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


def _quick_greatest(count: int, total: int, least: float, most: float) -> float:
    """The greatest weighted log-likelihood of a count that a chance within the bounds gives."""
    if least + most > 1 + MIRRORED:
        return _quick_greatest(total - count, total, 1 - most, 1 - least)
    if least + most >= 1 - MIRRORED:
        return _log_likelihood(count, total, min(most, max(least, count / total)))
    half, room = (count - 2) / 2, max(total - 1, 1e-9)
    chance = min(most, max(least, (half + math.sqrt(half**2 + room * count / total)) / room))
    return _log_likelihood(count, total, chance) - math.log1p(total * chance)


def _log_likelihood(count: int, total: int, chance: float) -> float:
    hits = count * math.log(chance) if count else 0.0
    return hits + ((total - count) * math.log1p(-chance) if total > count else 0.0)


def _quick_above(count: int, total: int, chance: float) -> float:
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


# --- The nearest distribution to a vector


def nearest_law(point: FloatArray) -> FloatArray:
    """Euclidean projection onto the probability simplex, by sorting.

    The projection subtracts one threshold from every entry and clips at zero; the threshold is found from the
    largest entries that stay positive.
    """
    descending = np.sort(point)[::-1]
    excess = (np.cumsum(descending) - 1) / np.arange(1, len(point) + 1)
    threshold = excess[np.flatnonzero(descending > excess)[-1]]
    result: FloatArray = np.maximum(point - threshold, 0.0)
    return result
