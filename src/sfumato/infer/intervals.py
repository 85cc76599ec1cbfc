"""Confidence intervals for a share: exact by default, Wald's and the likelihood ratio's beside it.

An exact interval holds every share whose acceptance region holds the counts (and what lies between such shares), and
each region has probability at least the confidence. How the regions are chosen decides the width:

**Two classes of reports.** The count k of the higher class is binomial with a chance s. Where s ≤ ½ the lower tail is
cut first, as far as α·g allows, and the upper tail gets all that is left of α; where s > ½ the other way round. The
part g falls from 1 to ½ as the expected count of the rarer class passes twenty: rare reports spend α where it shortens
the interval most, plenty of them are treated alike on both sides. Blaker's intervals [Bla00], a common choice, are an
eighth wider at an expected count of one.

**Three classes.** Samples are ordered by the share t that maximises the likelihood times √((t-t_0)(t_1-t)), [t_0, t_1]
being where p_t is a law: the pull keeps samples with no proving report apart. A sample lies at t or above iff a
weighted count reaches a level, and that probability rises with the share because the classes have ascending likelihood
ratios. So each end solves a monotone equation, with an exact tail of α/2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import StrEnum

from sfumato.errors import InvalidParameter
from sfumato.infer.share_model import ShareModel
from sfumato.infer.tails import NEAR, binomial_tail, tail
from sfumato.values import Interval
from sfumato.values.checks import check_between

_HALVINGS = 60
_ROOT = 1e-12
# Expected counts below this are rare, and their two tails are treated unlike. Of seven splits tried, this one
# kept the mean width closest to the likelihood-ratio interval's for two outputs at δ = ¼ and expected counts 1 to 50.
_RARE = 20.0
# Time and memory grow as the square root of the number of reports: here about a second and 30 MB.
_MOST_EXACT = 10**9


class Method(StrEnum):
    """How an interval is made."""

    EXACT = "exact"
    LIKELIHOOD_RATIO = "likelihood ratio"
    WALD = "Wald"


def share_interval(
    model: ShareModel, counts: Sequence[int], *, confidence: float = 0.95, method: Method = Method.EXACT
) -> Interval:
    """Return an interval for the share, cut to [0, 1]; a single end point when no share explains the counts."""
    check_between("confidence", confidence, 0.5, 1 - 1e-12)
    if method is Method.WALD:
        return _wald(model, counts, confidence)
    if method is Method.LIKELIHOOD_RATIO:
        return _likelihood_ratio(model, counts, confidence)
    if len(counts) == 2:
        return _binomial(model, counts, 1 - confidence)
    return _ordered(model, counts, (1 - confidence) / 2)


def _wald(model: ShareModel, counts: Sequence[int], confidence: float) -> Interval:
    point = min(1.0, max(0.0, model.free_maximum(counts)))
    information = model.information(point) * sum(counts)
    half = _quantile((1 + confidence) / 2) / math.sqrt(information)
    return Interval(max(0.0, point - half), min(1.0, point + half))


def _likelihood_ratio(model: ShareModel, counts: Sequence[int], confidence: float) -> Interval:
    point = min(1.0, max(0.0, model.free_maximum(counts)))
    floor = model.log_likelihood(counts, point) - _quantile((1 + confidence) / 2) ** 2 / 2

    def accepted(theta: float) -> bool:
        return model.log_likelihood(counts, theta) >= floor

    return Interval(_edge(point, 0.0, accepted), _edge(point, 1.0, accepted))


def _ordered(model: ShareModel, counts: Sequence[int], level: float) -> Interval:
    n = sum(counts)
    if n > _MOST_EXACT:
        raise InvalidParameter(
            f"works tails out exactly for at most {_MOST_EXACT} reports of three kinds, and here are {n}",
            parameter="method",
            value=str(Method.EXACT),
            way_out=f"Ask for the {Method.LIKELIHOOD_RATIO} or {Method.WALD}; with so many reports all three agree.",
        )
    t, pull = _pulled_maximum(model, counts)
    scores = model.slopes / model.law(t)

    def beyond(theta: float, *, upper: bool) -> float:
        return tail(model.law(theta), n, scores, level=-pull, upper=upper, ties=True, deviations=NEAR)

    # Nearly always between the maximum and a dozen standard errors from it; looking there first saves most of the time.
    far = 12 / math.sqrt(model.information(t) * n)
    lower = _root(lambda theta: beyond(theta, upper=True) - level, 0.0, 1.0, near=(t - far, t))
    upper = 1 - _root(lambda rest: beyond(1 - rest, upper=False) - level, 0.0, 1.0, near=(1 - t - far, 1 - t))
    return Interval(min(lower, upper), max(lower, upper))


def _pulled_maximum(model: ShareModel, counts: Sequence[int]) -> tuple[float, float]:
    """Return the t that orders the samples, strictly inside the reach, and the slope of the pull there."""
    start, stop = model.reach()
    low, high = start, stop
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (start, stop):
            break
        rises = model.score(counts, middle) + _pull(middle, start, stop) > 0
        low, high = (middle, high) if rises else (low, middle)
    t = (low + high) / 2
    # The pull at the t found is what balances these counts: with it the observed sample itself is a tie.
    return t, -model.score(counts, t)


def _pull(t: float, start: float, stop: float) -> float:
    return 0.5 / (t - start) - 0.5 / (stop - t)


def _binomial(model: ShareModel, counts: Sequence[int], alpha: float) -> Interval:
    """Return the two-class interval for the chance of the higher class, pulled back to the share."""
    n, k = sum(counts), counts[1]
    low, high = _first_accepted(k, n, alpha), 1 - _first_accepted(n - k, n, alpha)
    base, slope = model.first[1], float(model.slopes[1])
    ends = [min(1.0, max(0.0, (chance - base) / slope)) for chance in (low, high)]
    return Interval(ends[0], ends[1])


def _first_accepted(k: int, n: int, alpha: float) -> float:
    """Return the smallest chance whose acceptance region holds k of n; by symmetry it gives the largest one too."""
    if k == 0:
        return 0.0

    def above(s: float) -> float:
        return binomial_tail(k, n, s, upper=True)

    # Up to ½: k is cut off above iff its upper tail and the lower tail already cut add up to at most alpha.
    surely = _root(lambda s: above(s) - alpha, 0.0, 1.0)
    start = _cut_from(0, n, alpha)
    if surely <= min(start, 0.5):
        return surely  # nothing is cut below yet
    start = _root(lambda s: above(s) - alpha * (1 - _first_part(n, s)), start, surely)
    cut = _cut_at(n, start, alpha)
    while start < min(surely, 0.5):
        # Until the lower tail takes one more count, what is cut falls and the upper tail rises.
        stop = min(_cut_from(cut, n, alpha), surely, 0.5)

        def spent(s: float, cut: int = cut) -> float:
            return above(s) + binomial_tail(cut - 1, n, s, upper=False) - alpha

        if stop > start:
            if spent(start) > 0:
                return start
            if spent(stop) > 0:
                return _root(spent, start, stop)
        start, cut = max(start, stop), cut + 1
    if surely <= 0.5:
        return surely
    # Beyond ½ the upper tail is cut first, as far as alpha·g allows: the mirror image of the lower one.
    return max(0.5, 1 - _cut_from(n - k, n, alpha) - _ROOT)


def _first_part(n: int, s: float) -> float:
    """Return the part of alpha that the tail cut first may use, by the expected count of the rarer class."""
    return 0.5 + 0.5 / (1 + (n * min(s, 1 - s) / _RARE) ** 2)


def _cut_from(count: int, n: int, alpha: float) -> float:
    """Return the chance from which on the lower tail up to `count` may be cut: Pr[Bin ≤ count] = alpha·g."""
    if count >= n:
        return 1.0
    return _root(lambda s: alpha * _first_part(n, s) - binomial_tail(count, n, s, upper=False), 0.0, 1.0)


def _cut_at(n: int, chance: float, alpha: float) -> int:
    """Return how many of the smallest counts are cut at a chance."""
    low, high = -1, n
    while high - low > 1:
        middle = (low + high) // 2
        cut = binomial_tail(middle, n, chance, upper=False) <= alpha * _first_part(n, chance)
        low, high = (middle, high) if cut else (low, middle)
    return low + 1


def _root(rising: Callable[[float], float], low: float, high: float, near: tuple[float, float] | None = None) -> float:
    """Return, a hair from below, where a function that rises through zero does so; an end when it does not.

    It is looked for in `near` first.
    """
    from scipy.optimize import brentq  # noqa: PLC0415  scipy is slow to import

    if near is not None and low < near[0] < near[1] < high and rising(near[0]) < 0 < rising(near[1]):
        low, high = near
    elif rising(low) >= 0:
        return low
    elif rising(high) <= 0:
        return high
    return max(low, float(brentq(rising, low, high, xtol=_ROOT, rtol=8.9e-16)) - _ROOT)


def _edge(inside: float, outside: float, accepted: Callable[[float], bool]) -> float:
    """Return the last point towards `outside` that is still accepted, from its outer side; monotone by assumption."""
    if accepted(outside):
        return outside
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if accepted(middle) else (inside, middle)
    return outside


def _quantile(probability: float) -> float:
    from scipy.special import ndtri  # noqa: PLC0415  scipy is slow to import

    return float(ndtri(probability))
