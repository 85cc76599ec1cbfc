"""What keys that are expanded from a seed add to a leak, against readers who compute within limits.

Theory: docs/theory/pseudorandom_keys.md
"""

from __future__ import annotations

from fractions import Fraction

from sfumato.values.checks import as_exact, check_at_least, check_between, check_integer
from sfumato.values.rounding import float_above, log2_bounds
from sfumato.values.types import Real

# log2 e = 1.44269504088896340735…
_LOG2_E_UP = Fraction(1442695040888963408, 10**18)


def prf_gap_bits(advantage: Real, values: int) -> float:
    """h2(a) + a·log2(values - 1) bits, rounded up: what pseudorandom draws can add to I(X;D) for any decoder D.

    Nobody who computes as long as drawing all data, the reports and D takes must tell the draws from true ones with
    more than `advantage` = a; X has so many `values`. With a ≥ 1 - 1/values nothing but log2(values) is known.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> sf.measures.prf_gap_bits(Fraction(1, 2**60), 10) < 1e-15
    True
    >>> round(sf.measures.prf_gap_bits(Fraction(1, 100), 10), 4)
    0.1125
    """
    a = as_exact("advantage", advantage)
    check_between("advantage", a, 0, 1)
    check_at_least("values", check_integer("values", values), 2)
    if a == 0:
        return 0.0
    most = _log2_above(Fraction(values))
    if a >= 1 - Fraction(1, values):
        return float_above(most)
    # (1-a)·ln(1/(1-a)) ≤ a, which is all but exact where a is so small that no logarithm can tell 1 - a from 1.
    other = min((1 - a) * _log2_above(1 / (1 - a)), a * _LOG2_E_UP)
    return float_above(min(most, a * _log2_above(1 / a) + other + a * _log2_above(Fraction(values - 1))))


def _log2_above(value: Fraction) -> Fraction:
    return Fraction(log2_bounds(value)[1])
