"""Bounds on estimating shares as [B, Thm 1], [B, Thm 2] and [B, Cor 1] print them, to be compared with.

The lower bounds are false below R_c and at small n; what holds for every n is in :mod:`sfumato.infer` (`risk_floor`,
`l1_floor`, `users_floor`).   Proofs: docs/theory/floors.md; counter-examples: docs/theory/binary_hadamard.md
"""

from __future__ import annotations

import math

from sfumato.infer.frequency_bounds import scarce_yes
from sfumato.values.checks import check_at_least, check_integer, check_positive


def eq8_lower_bound(size: int, n: int, epsilon: float, random_bits: float | None = None) -> float:
    """τ of [B, eq. (8)], as printed. False below R_c and for n below the order of size²; see `risk_floor`."""
    _check_counts(size, n)
    odds, gap = math.exp(epsilon), math.expm1(epsilon)
    scarce = scarce_yes(epsilon, random_bits)
    if scarce is None:
        return size * (odds + 1) ** 2 / (16 * n * odds * gap**2)
    return size * odds / (16 * n * scarce**2 * gap**2)


def eq8_l1_lower_bound(size: int, n: int, epsilon: float, random_bits: float | None = None) -> float:
    """√(kτ/8) with τ of [B, eq. (8)], as printed; see `l1_floor`."""
    return math.sqrt(size * eq8_lower_bound(size, n, epsilon, random_bits) / 8)


def eq9_lower_bound(size: int, n: int, epsilon: float) -> float:
    """The earlier bound without a budget that [B, eq. (9)] quotes from [YB18], for n large enough."""
    _check_counts(size, n)
    check_positive("epsilon", epsilon)
    odds, gap = math.exp(epsilon), math.expm1(epsilon)
    return size * (odds + 1) ** 2 / (512 * n * gap**2) if odds < 3 else size / (64 * n * gap)


def eq11_order(size: int, n: int, epsilon: float, random_bits: float | None = None) -> float:
    """What stands inside Θ in [B, eq. (11)], for small ε. Below R_c the power of p_R is wrong."""
    _check_counts(size, n)
    return size / (n * epsilon**2 * (scarce_yes(epsilon, random_bits) or 1.0) ** 2)


def eq12_users_order(size: int, risk: float, epsilon: float, random_bits: float | None = None) -> float:
    """What stands inside Θ in [B, eq. (12)]: users for a risk, for small ε. Below R_c the power of p_R is wrong."""
    check_positive("risk", risk)
    return eq11_order(size, 1, epsilon, random_bits) / risk


def _check_counts(size: int, n: int) -> None:
    check_at_least("size", check_integer("size", size), 2)
    check_at_least("n", check_integer("n", n), 1)
