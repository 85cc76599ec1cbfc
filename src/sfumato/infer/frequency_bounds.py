"""How well shares of `size` answers can be estimated from n reports under epsilon and a budget of random bits.

What no method can beat in squared error is in :mod:`sfumato.infer.risk_floors`. Risk is sup over p of E‖p̂ - p‖².
Proof and counter-examples: docs/theory/binary_hadamard.md
"""

from __future__ import annotations

import math

from sfumato.mechanisms.randomness_budget import binary_entropy_bits, inverse_binary_entropy
from sfumato.values.checks import check_at_least, check_integer, check_positive


def critical_random_bits(epsilon: float) -> float:
    """R_c = H2(e^ε/(e^ε+1)): more random bits than that do not help a yes/no report.

    >>> import math
    >>> import sfumato as sf
    >>> round(sf.infer.critical_random_bits(math.log(3)), 4)  # H2(3/4)
    0.8113
    """
    check_positive("epsilon", epsilon)
    return binary_entropy_bits(1 / (1 + math.exp(-epsilon)))


def scarce_yes(epsilon: float, random_bits: float | None) -> float | None:
    """p_R = H2inv(R) when the budget lies below R_c, else None; no budget means no limit."""
    critical = critical_random_bits(epsilon)
    if random_bits is None:
        return None
    check_positive("random_bits", random_bits)
    return inverse_binary_entropy(random_bits) if random_bits < critical else None


def risk_ceiling(size: int, n: int, epsilon: float, random_bits: float | None = None) -> float:
    """η of [B, eq. (10)]: binary Hadamard does at least this well when its groups are equal. Loose; true.

    >>> import sfumato as sf
    >>> round(sf.infer.risk_ceiling(100, 10**6, 1.0), 6), round(sf.infer.risk_floor(100, 10**6, 1.0), 6)
    (0.000937, 0.00028)
    >>> round(sf.infer.risk_ceiling(100, 10**6, 1.0, random_bits=0.5), 6)  # with half a random bit each
    0.041345
    """
    check_counts(size, n)
    scarce = scarce_yes(epsilon, random_bits)
    yes = 1 / (1 + math.exp(-epsilon)) if scarce is None else scarce
    return 2 * size / (n * (yes * -math.expm1(-epsilon)) ** 2)


def l1_ceiling(size: int, n: int, epsilon: float, random_bits: float | None = None) -> float:
    """√(kη) of [B, Thm 2]: binary Hadamard in equal groups has no larger sup over p of E‖p̂ - p‖₁. Loose; true.

    >>> import sfumato as sf
    >>> round(sf.infer.l1_ceiling(100, 10**6, 1.0), 3), round(sf.infer.l1_floor(100, 10**6, 1.0), 3)
    (0.306, 0.006)
    """
    return math.sqrt(size * risk_ceiling(size, n, epsilon, random_bits))


def information_per_user(epsilon: float, random_bits: float | None = None) -> float:
    """A: no (ε, R)-private report tells more about a pair of answers, whatever its alphabet.

    A = e^ε·tanh²(ε/2) from R_c on, and e^ε·[p_R·tanh²(ε/2) + p_R²(1-e^-ε)²/(4(1-p_R))] below.

    >>> import sfumato as sf
    >>> [round(sf.infer.information_per_user(1.0, random_bits), 4) for random_bits in (0.25, 0.5, None)]
    [0.0247, 0.0676, 0.5805]
    """
    scarce = scarce_yes(epsilon, random_bits)
    square = math.tanh(epsilon / 2) ** 2
    if scarce is None:
        return math.exp(epsilon) * square
    return math.exp(epsilon) * (scarce * square + (scarce * math.expm1(-epsilon)) ** 2 / (4 * (1 - scarce)))


def l1_floor(size: int, n: int, epsilon: float, random_bits: float | None = None) -> float:
    """A floor for sup over p of E‖p̂ - p‖₁: √(kτ/32) with τ = k/(16nA), once n ≥ k²/(32A); Assouad's bound before.

    It stands in for √(kτ/8) of [B, Thm 1].

    >>> import sfumato as sf
    >>> [round(sf.infer.l1_floor(100, n, 1.0), 4) for n in (10**4, 10**6, 10**8)]
    [0.058, 0.0058, 0.0006]
    """
    check_counts(size, n)
    even = size - size % 2
    information = n * information_per_user(epsilon, random_bits)
    if 32 * information >= even**2:
        return math.sqrt(even * (even / (16 * information)) / 32)
    return (1 - math.sqrt(8 * information) / even) / 2


def users_enough(size: int, risk: float, epsilon: float, random_bits: float | None = None) -> int:
    """Return how many users surely reach this risk with binary Hadamard in equal groups: [B, eq. (10)] inverted.

    >>> import sfumato as sf
    >>> sf.infer.users_floor(100, 0.001, 1.0), sf.infer.users_enough(100, 0.001, 1.0)
    (110825, 936539)
    """
    check_positive("risk", risk)
    return math.ceil(risk_ceiling(size, 1, epsilon, random_bits) / risk)


def check_counts(size: int, n: int) -> None:
    """Refuse fewer than two answers, and nobody to ask."""
    check_at_least("size", check_integer("size", size), 2)
    check_at_least("n", check_integer("n", n), 1)
