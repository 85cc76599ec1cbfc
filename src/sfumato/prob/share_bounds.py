"""Exact intervals for a share that one binomial count tells of: Feldman and Cousins' own, on the counts themselves.

A report hits an answer that a share p holds with the chance s = other + (own - other)·p, so the hits are binomial and s
lies between `other` and `own`. At each s counts are accepted in the order of their likelihood over the greatest that
any s within the bounds gives [FC98], until they have 1 - α; the interval holds every share that accepts the count, and
what lies between such shares. So it covers at least 1 - α at every share, and above it by less than one count has.

Likelihoods are weighted by 1/(1 + expected count of the rarer of hits and misses). That changes nothing where counts
are many. Where they are few it spends α on the side where it shortens the interval most: a report that proves its
answer and that one expects once has intervals 6 % shorter. Coverage is exact whatever the weight.

With any weight the logarithm of that ratio is concave in the count and, for two counts c < h, R_s(h)/R_s(c) rises with
s. So with a count h go exactly the counts up to c of the other side from s = s_c on, where the logarithm of the odds of
s_c is the slope (m(h) - m(c))/(h - c) of the greatest log-likelihoods m, and these s_c rise with c. Between two of them
what is ranked no higher than h has the probability 1 - Pr[c < H < h], which falls and then rises. So an end is found
without trying shares.   Proof: docs/theory/bounded_intervals.md
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.prob.crossings import last_below
from sfumato.values.checks import check_between

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

_ROUNDING = 1e-14
# From so many counts on every sixteenth is searched first.
_MANY, _EVERY = 64, 16
# A sum of bounds this close to 1 means that hits and misses mirror each other, and neither is the rarer.
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
