"""How well shares of `size` answers can be estimated at all, from n reports under epsilon and a budget of random bits.

Functions named `eq8_…` to `eq12_…` are as printed in [B, Thm 1], [B, Thm 2] and [B, Cor 1]; the lower bounds among them
are false below R_c and at small n, and are here to be compared with. `risk_floor` and `l1_floor` are what holds for
every n, and `users_floor` inverts it. Risk is sup over p of E‖p̂ - p‖².   Proof and counter-examples:
docs/theory/binary_hadamard.md
"""

from __future__ import annotations

import math

from sfumato.mechanisms.randomness_budget import binary_entropy_bits, inverse_binary_entropy
from sfumato.values.checks import check_at_least, check_integer, check_positive


def critical_budget_bits(epsilon: float) -> float:
    """R_c = H2(e^ε/(e^ε+1)): more random bits than that do not help a yes/no report."""
    check_positive("epsilon", epsilon)
    return binary_entropy_bits(1 / (1 + math.exp(-epsilon)))


def scarce_yes(epsilon: float, budget_bits: float | None) -> float | None:
    """p_R = H2inv(R) when the budget lies below R_c, else None; no budget means no limit."""
    critical = critical_budget_bits(epsilon)
    if budget_bits is None:
        return None
    check_positive("budget_bits", budget_bits)
    return inverse_binary_entropy(budget_bits) if budget_bits < critical else None


def eq8_lower_bound(size: int, n: int, epsilon: float, budget_bits: float | None = None) -> float:
    """τ of [B, eq. (8)], as printed. False below R_c and for n below the order of size²; see `risk_floor`."""
    _check_counts(size, n)
    odds, gap = math.exp(epsilon), math.expm1(epsilon)
    scarce = scarce_yes(epsilon, budget_bits)
    if scarce is None:
        return size * (odds + 1) ** 2 / (16 * n * odds * gap**2)
    return size * odds / (16 * n * scarce**2 * gap**2)


def eq8_l1_lower_bound(size: int, n: int, epsilon: float, budget_bits: float | None = None) -> float:
    """√(kτ/8) with τ of [B, eq. (8)], as printed; see `l1_floor`."""
    return math.sqrt(size * eq8_lower_bound(size, n, epsilon, budget_bits) / 8)


def eq9_lower_bound(size: int, n: int, epsilon: float) -> float:
    """The earlier bound without a budget that [B, eq. (9)] quotes from [YB18], for n large enough."""
    _check_counts(size, n)
    check_positive("epsilon", epsilon)
    odds, gap = math.exp(epsilon), math.expm1(epsilon)
    return size * (odds + 1) ** 2 / (512 * n * gap**2) if odds < 3 else size / (64 * n * gap)


def eq10_upper_bound(size: int, n: int, epsilon: float, budget_bits: float | None = None) -> float:
    """η of [B, eq. (10)]: binary Hadamard does at least this well when its groups are equal. Loose; true."""
    _check_counts(size, n)
    scarce = scarce_yes(epsilon, budget_bits)
    yes = 1 / (1 + math.exp(-epsilon)) if scarce is None else scarce
    return 2 * size / (n * (yes * -math.expm1(-epsilon)) ** 2)


def eq10_l1_upper_bound(size: int, n: int, epsilon: float, budget_bits: float | None = None) -> float:
    """√(kη) of [B, Thm 2]."""
    return math.sqrt(size * eq10_upper_bound(size, n, epsilon, budget_bits))


def eq11_order(size: int, n: int, epsilon: float, budget_bits: float | None = None) -> float:
    """What stands inside Θ in [B, eq. (11)], for small ε. Below R_c the power of p_R is wrong."""
    _check_counts(size, n)
    return size / (n * epsilon**2 * (scarce_yes(epsilon, budget_bits) or 1.0) ** 2)


def eq12_users_order(size: int, risk: float, epsilon: float, budget_bits: float | None = None) -> float:
    """What stands inside Θ in [B, eq. (12)]: users for a risk, for small ε. Below R_c the power of p_R is wrong."""
    check_positive("risk", risk)
    return eq11_order(size, 1, epsilon, budget_bits) / risk


def information_per_user(epsilon: float, budget_bits: float | None = None) -> float:
    """A: no (ε, R)-private report tells more about a pair of answers, whatever its alphabet.

    A = e^ε·tanh²(ε/2) from R_c on, and e^ε·[p_R·tanh²(ε/2) + p_R²(1-e^-ε)²/(4(1-p_R))] below.
    """
    scarce = scarce_yes(epsilon, budget_bits)
    square = math.tanh(epsilon / 2) ** 2
    if scarce is None:
        return math.exp(epsilon) * square
    return math.exp(epsilon) * (scarce * square + (scarce * math.expm1(-epsilon)) ** 2 / (4 * (1 - scarce)))


def risk_floor(size: int, n: int, epsilon: float, budget_bits: float | None = None) -> float:
    """k/(8(nA + π²k²)), below which no (ε, R)-private estimation of shares gets, at any n; an odd size counts one less.

    It stands in for [B, eq. (8)].
    """
    _check_counts(size, n)
    even = size - size % 2
    return even / (8 * (n * information_per_user(epsilon, budget_bits) + (math.pi * even) ** 2))


def l1_floor(size: int, n: int, epsilon: float, budget_bits: float | None = None) -> float:
    """A floor for sup over p of E‖p̂ - p‖₁: √(kτ/32) with τ = k/(16nA), once n ≥ k²/(32A); Assouad's bound before.

    It stands in for √(kτ/8) of [B, Thm 1].
    """
    _check_counts(size, n)
    even = size - size % 2
    information = n * information_per_user(epsilon, budget_bits)
    if 32 * information >= even**2:
        return math.sqrt(even * (even / (16 * information)) / 32)
    return (1 - math.sqrt(8 * information) / even) / 2


def users_floor(size: int, risk: float, epsilon: float, budget_bits: float | None = None) -> int:
    """No private estimation has this risk with fewer users: `risk_floor` inverted. 0 when it excludes nothing.

    It stands in for the lower half of [B, eq. (12)], and grows as 1/p_R, not as 1/p_R².
    """
    _check_counts(size, 1)
    check_positive("risk", risk)
    even = size - size % 2
    needed = (even / (8 * risk) - (math.pi * even) ** 2) / information_per_user(epsilon, budget_bits)
    return max(0, math.ceil(needed))


def users_enough(size: int, risk: float, epsilon: float, budget_bits: float | None = None) -> int:
    """Return how many users surely reach this risk with binary Hadamard in equal groups: [B, eq. (10)] inverted."""
    check_positive("risk", risk)
    return math.ceil(eq10_upper_bound(size, 1, epsilon, budget_bits) / risk)


def _check_counts(size: int, n: int) -> None:
    check_at_least("size", check_integer("size", size), 2)
    check_at_least("n", check_integer("n", n), 1)
