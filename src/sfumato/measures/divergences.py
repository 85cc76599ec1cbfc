"""f-divergences and Rényi divergences between two laws, in nats. Refs: [Csi67], [vEH14]; [C, Thm 3]."""

from __future__ import annotations

import math
from collections.abc import Callable

from sfumato.measures.distances import two_laws
from sfumato.prob import DistributionLike
from sfumato.values.checks import check_at_least


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
