"""Confidence intervals for a share: exact by default, Wald's and the likelihood ratio's beside it.

**Two classes of reports.** The count of one class is binomial and Blaker's test is inverted [Bla00]: at a share, the
probability of counts at least as far out on the observed side, plus the largest opposite tail that is no larger. The
set of shares that the test accepts may have holes; its two ends are computed exactly.

**Three classes.** Samples are ordered by their maximum-likelihood share t. The sample reaches t or more iff the score
at t is ≥ 0, a weighted count, and its probability rises with the share because the classes have ascending likelihood
ratios. So each end solves a monotone equation with an exact tail, and the interval covers at least as often as it says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import StrEnum

from sfumato.infer.share_model import ShareModel
from sfumato.infer.tails import NEAR, binomial_tail, tail
from sfumato.prob.binomial import clopper_pearson
from sfumato.values import Interval
from sfumato.values.checks import check_between

_HALVINGS = 60
_ROOT = 1e-12


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
        return _blaker(model, counts, 1 - confidence)
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
    t = model.free_maximum(counts)
    low, high = model.reach()

    def at_least(theta: float) -> float:
        return 1.0 if t <= low else _beyond(model, n, t, theta, upper=True, at_end=t >= high)

    def at_most(theta: float) -> float:
        return 1.0 if t >= high else _beyond(model, n, t, theta, upper=False, at_end=t <= low)

    point = min(1.0, max(0.0, t))
    return Interval(_crossing(at_least, level, point, 0.0), _crossing(at_most, level, point, 1.0))


def _beyond(model: ShareModel, n: int, t: float, theta: float, *, upper: bool, at_end: bool) -> float:
    """Pr_θ[the sample's share is ≥ t], or ≤ t when not `upper`.

    At an end of the reach one class has probability zero and must not have been seen; the rest is a two-class tail.
    """
    law, slopes, at = model.law(theta), model.slopes, model.law(t)
    if not at_end:
        return tail(law, n, slopes / at, upper=upper, ties=True, deviations=NEAR)
    kept = [i for i in range(len(law)) if at[i] > 1e-12]
    mass = math.fsum(law[i] for i in kept)
    if mass <= 0:
        return 0.0
    scores = [slopes[i] / at[i] for i in kept]
    shares = [law[i] / mass for i in kept]
    rest = tail(shares, n, scores, upper=upper, ties=True, deviations=NEAR) if len(kept) > 1 else 1.0
    return float(mass**n * rest)


def _blaker(model: ShareModel, counts: Sequence[int], alpha: float) -> Interval:
    """Blaker's interval for the chance of the higher class, pulled back to the share."""
    n, k = sum(counts), counts[1]
    low = _blaker_lower(k, n, alpha)
    high = 1 - _blaker_lower(n - k, n, alpha)
    base, slope = model.first[1], float(model.slopes[1])
    ends = sorted(min(1.0, max(0.0, (chance - base) / slope)) for chance in (low, high))
    return Interval(ends[0], ends[1])


def _blaker_lower(k: int, n: int, alpha: float) -> float:
    """Return the smallest chance that Blaker's test accepts for k of n.

    Above the Clopper-Pearson end, the accepted set begins in the first stretch where the opposite tail keeps its
    number of counts: there the sum of the tails falls, then rises, and at its end it doubles past alpha.
    """
    if k == 0:
        return 0.0
    start = float(clopper_pearson(k, n, lower_tail=alpha / 2, upper_tail=alpha / 2)[0])

    def near(chance: float) -> float:
        return binomial_tail(k, n, chance, upper=True)

    def far(count: int, chance: float) -> float:
        return binomial_tail(count, n, chance, upper=False) if count >= 0 else 0.0

    opposite = _largest(lambda count: far(count, start) <= near(start), k)
    jump = _rise(lambda chance: near(chance) >= far(opposite + 1, chance), start, 1.0)
    return _rise(lambda chance: near(chance) + far(opposite, chance) >= alpha, start, jump)


def _largest(holds: Callable[[int], bool], below: int) -> int:
    """Return the largest count in -1..below-1 for which a monotone condition holds."""
    low, high = -1, below
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _rise(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return the point, from below, where a condition that fails at `low` begins to hold; `high` if it never does."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low


def _crossing(chance: Callable[[float], float], level: float, inside: float, outside: float) -> float:
    """Return where a chance that falls from `inside` to `outside` passes `level`, a hair to the outer side."""
    if chance(outside) >= level or inside == outside:
        return outside
    if chance(inside) <= level:
        return inside
    from scipy.optimize import brentq  # noqa: PLC0415  scipy is slow to import

    root = float(brentq(lambda theta: chance(theta) - level, inside, outside, xtol=_ROOT, rtol=8.9e-16))
    return min(1.0, max(0.0, root + math.copysign(2 * _ROOT, outside - inside)))


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
