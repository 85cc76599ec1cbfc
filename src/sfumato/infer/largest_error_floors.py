"""How far off the worst of all estimated shares is at least, by Fano's inequality: floors for E max|p̂ - p|.

One answer has Δ more than the others, and nobody knows which. A report tells I nats of it at most, so that
E max|p̂ - p| ≥ (Δ/2)(1 - (nI + ln 2)/ln k), for every Δ. Two answers are too few for the inequality to say anything.
Δ is searched for in floats and the bound there evaluated exactly and rounded down.   Proofs: docs/theory/floors.md
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from sfumato.infer.floor_bounds import odds_above
from sfumato.infer.frequency_bounds import check_counts
from sfumato.values.checks import check_positive
from sfumato.values.rounding import float_below, ln_bounds

_GOLDEN = (math.sqrt(5) - 1) / 2
_ROUNDS = 60
_LN2_ABOVE = Fraction(ln_bounds(Fraction(2))[1])

_Told = Callable[[Fraction], Fraction]


def largest_error_floor(size: int, n: int, epsilon: float) -> float:
    """No ε-private estimation has a smaller E max|p̂ - p|, if respondents do not see others' reports.

    I = (Δ²/2V*)(1 + η/(3(1-η))) with η = Δ(o-1) < 1 and V* = 4o/(o-1)²; and never more than Δ²/V*.

    >>> import sfumato as sf
    >>> [round(sf.infer.largest_error_floor(size, 10_000, 1.0), 4) for size in (10, 100, 1000)]
    [0.0046, 0.0087, 0.0116]
    """
    check_counts(size, n)
    check_positive("epsilon", epsilon)
    odds = odds_above(epsilon)
    squared = (odds - 1) ** 2 / (4 * odds)

    def told(step: Fraction) -> Fraction:
        reach = step * (odds - 1)
        return step**2 / 2 * squared * (1 + reach / (3 * (1 - reach)))

    wide = _best(size, n, lambda step: step**2 * squared, 1.0)
    return max(wide, _best(size, n, told, min(1.0, (1 - 1e-9) / float(odds - 1))))


def interactive_largest_error_floor(size: int, n: int, epsilon: float) -> float:
    """No ε-private estimation has a smaller E max|p̂ - p|, even if respondents see the reports before theirs.

    I = Δ²(o-1)²/4, whatever is believed of the answer by then.

    >>> import sfumato as sf
    >>> round(sf.infer.interactive_largest_error_floor(100, 10_000, 1.0), 4)
    0.0038
    >>> round(sf.infer.largest_error_floor(100, 10_000, 1.0), 4)  # if respondents do not see others' reports
    0.0087
    """
    check_counts(size, n)
    check_positive("epsilon", epsilon)
    squared = (odds_above(epsilon) - 1) ** 2 / 4
    return _best(size, n, lambda step: step**2 * squared, 1.0)


def _best(size: int, n: int, told: _Told, most: float) -> float:
    """Return the best bound over Δ up to `most`; it is concave in Δ."""
    if size == 2:
        return 0.0
    whole = Fraction(ln_bounds(Fraction(size))[0])

    def bound(step: float) -> Fraction:
        exact = Fraction(step)
        return exact / 2 * (1 - (n * told(exact) + _LN2_ABOVE) / whole)

    low, high = 0.0, most
    for _ in range(_ROUNDS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if bound(left) < bound(right):
            low = left
        else:
            high = right
    return max(0.0, float_below(max(bound((low + high) / 2), bound(most))))
