"""By how much normal noise on a yes or no shrinks divergences from a law that is known.

η = sup over p of D(Bern(p)*Z‖Bern(q)*Z)/D(p‖q), Z ~ N(0, v), is attained at p = 1-q, whatever the symmetric noise. With
f(p) and g(p) the two divergences, and A(t) = ∫ f0·f1/((1-t)f0 + t·f1), f0 and f1 the laws of Z and 1 + Z,

    g'' = 1/p(1-p),      f'' = (1 - A(p))/p(1-p),      1 - A concave and symmetric about ½.

h = ηg - f with η = f(1-q)/g(1-q) has h(q) = h'(q) = h(1-q) = 0 and a symmetric h'', so it is symmetric, and flat at
1-q, too. Then 1 - A crosses η between q and 1-q, and nowhere else: h is convex outside of the crossings and concave
between them, hence nowhere negative. The integral is a trapezoidal sum, whose error is bounded in a strip of the
complex plane [TW14]; doubles are widened.   Theory: docs/theory/bounded_beliefs.md
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from sfumato.measures.enclosures import UNIT_ROUNDOFF
from sfumato.values.checks import as_exact, check_between, check_positive
from sfumato.values.interval import Interval
from sfumato.values.rounding import ln_bounds
from sfumato.values.types import Real

LEAST_SHARE = Fraction(1, 10**6)
# Outside of these the universal bound takes its place: it is nearly 1, or nearly as good as can be computed.
_LEAST_VARIANCE, _MOST_VARIANCE = Fraction(1, 100), Fraction(10**6)
# Deviations behind which e^-72 is left, and the steps of a deviation.
_FAR, _FINE = 12, 8
# How far the strip goes to either side, in deviations, where it is not bounded by the zeros of the mixtures.
_STRIP = 6.0
# Roundings of a term, in units of what it is made of.
_ROUNDINGS = 64 * UNIT_ROUNDOFF
_TAIL = 1e-28


def known_contraction(share: Real, variance: Real) -> Interval:
    """Enclose η for Q = Bern(share); the variance is in units of the squared distance between no and yes.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> round(sf.measures.known_contraction(Fraction(1, 10), Fraction(5, 2)).upper, 6)
    0.070157
    >>> round(sf.measures.known_contraction(Fraction(1, 2), Fraction(5, 2)).upper, 6)  # the bound for any law
    0.095163
    """
    known, spread = as_exact("share", share), as_exact("variance", variance)
    check_between("share", known, LEAST_SHARE, 1 - LEAST_SHARE)
    check_positive("variance", spread)
    most = universal_contraction(spread)
    if not _LEAST_VARIANCE <= spread <= _MOST_VARIANCE or known == Fraction(1, 2):
        return Interval(0.0, most)
    small = min(known, 1 - known)
    # D(1-q‖q) = (1-2q) ln((1-q)/q).
    cost = [float((1 - 2 * small) * Fraction(end)) for end in ln_bounds((1 - small) / small)]
    seen = _seen(float(small), float(spread))
    found = Interval(max(0.0, seen.lower / cost[1]), seen.upper / cost[0]).widened(4 * UNIT_ROUNDOFF)
    return Interval(max(0.0, min(found.lower, most)), min(found.upper, most))


def universal_contraction(variance: Fraction) -> float:
    """1 - e^(-1/4v), rounded up: for any law of a record, and any number of values."""
    return min(1.0, -math.expm1(-float(1 / (4 * variance))) * (1 + 1e-14))


def _seen(share: float, variance: float) -> Interval:
    """f(1-q) = ∫ m_q((1+w)ln(1+w) - w), w = (1-2q)(f1-f0)/m_q, m_q the law of what is seen under Q."""
    deviation = math.sqrt(variance)
    step = deviation * min(1.0, deviation) / _FINE
    reach = math.ceil((0.5 + _FAR * deviation) / step)
    away = step * np.arange(-reach, reach + 1)
    scale = 1 / math.sqrt(2 * math.pi * variance)
    no, yes = (scale * np.exp(-np.square(away + half) / (2 * variance)) for half in (0.5, -0.5))
    base = (1 - share) * no + share * yes
    change = (1 - 2 * share) * (yes - no) / base
    logarithm = np.log1p(change)
    found = step * math.fsum((base * ((1 + change) * logarithm - change)).tolist())
    made_of = step * math.fsum((base * (np.abs((1 + change) * logarithm) + np.abs(change))).tolist())
    # In the strip y + ia, a ≤ πv/2, densities grow by e^(a²/2v), mixtures are at least 1/√2 of what they are on the
    # real line, and logarithms of their ratios, at most `largest` there, by ½ ln 2 + π/2 at most.
    strip = min(math.pi * variance / 2, _STRIP * deviation)
    largest = math.log((1 - share) / share)
    bound = (largest + 4) * math.exp(strip**2 / (2 * variance))
    off = 2 * bound / math.expm1(2 * math.pi * strip / step) + _TAIL * (largest + 4)
    return Interval(found, found).widened(off + _ROUNDINGS * (1 + made_of))
