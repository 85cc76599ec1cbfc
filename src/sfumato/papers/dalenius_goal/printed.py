"""Formulas of [E] as they stand in print, right or wrong; nothing else may compute with them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

# [E, Sec. 3.1]: the selected channels of Example 1, by record.
SELECTIONS = {1: 8, 2: 9}


def printed_flip_bits(flip: float) -> float:
    """[E, (54)]: log 2 - H(p), with ε between 0 and 1 and so in bits."""
    p = float(flip)
    return 1 + p * math.log2(p) + (1 - p) * math.log2(1 - p)


def printed_flip(budget_bits: float) -> float:
    """[E, (57)]: the solution p* below a half of H(p) = log 2 - ε."""
    return _root(lambda p: float(budget_bits) - printed_flip_bits(p), 1e-12, 0.5)


def printed_settled(values: int) -> int:
    """[E, Sec. 4.1]: how many yes/no functions of a record with so many values and of a bit reach the bound, known."""
    return 2 ** (2 * values) - 2 if values == 2 else 0


def printed_symmetric_bits(noise: Sequence[Fraction]) -> float:
    """[E, (65)]: log|Y| - H(Z)."""
    return math.log2(len(noise)) + math.fsum(float(p) * math.log2(p) for p in noise)


def printed_noise_entropy(outputs: int, rate: float, log: Callable[[float], float] = math.log2) -> float:
    """[E, (82)], with the logarithm that the rest of the section has; `math.log` makes it right."""
    geometric = (1 - math.exp(-outputs * rate)) / (1 - math.exp(-rate))
    return log(geometric) + rate / (math.exp(rate) - 1) - outputs * rate / (math.exp(outputs * rate) - 1)


def printed_rate(outputs: int, budget_bits: float) -> float:
    """[E, (83)], in nats on both sides: λ where log k - H(Z) is the budget."""
    nats = float(budget_bits) * math.log(2)
    return _root(lambda rate: nats - math.log(outputs) + printed_noise_entropy(outputs, rate, math.log), 30.0, 1e-6)


def printed_largest_rate(budget_bits: float) -> float:
    """[E, after (82)]: λ = 1/N ≤ 1, whatever the budget."""
    return 1.0 + 0.0 * float(budget_bits)


def printed_max_information_bits(epsilon: float) -> float:
    """[E, Thm 1] with [E, Def. 10] as others define it: ε bits, of the ε of differential privacy."""
    return epsilon


def printed_degenerate_bits(odds: float) -> float:
    """[E, after (14)]: what (10) is said to reach at a degenerate law of the record."""
    return math.log2(odds)


def printed_epsilon(capacity_bits: float) -> float:
    """[E, abstract]: with independent records C_1 ≤ ε makes a channel ε-differentially private; in nats."""
    return capacity_bits * math.log(2)


def printed_plateau_bits(records: int) -> float:
    """[E, after Lemma 1]: the larger b, the larger δ; so g leaves 0 at once."""
    return 0.0 * records


def printed_least_entropy(bound: float) -> float:
    """[E, (18)]: all laws are in Δ(X)_0, so the largest entropy is at least 0."""
    return 0.0 * bound


def printed_gaussian_bits(ratio: float) -> float:
    """[E, (115) and (118)] at T²/N = ratio, in bits."""
    return math.log2(1 + ratio) / 2


def printed_gaussian_variance(epsilon: float, bound: float = 1.0) -> float:
    """[E, (117)]: N for the budget ε."""
    return bound**2 / (math.exp(2 * epsilon) - 1)


def printed_gaussian_deviation(epsilon: float, bound: float = 1.0) -> float:
    """[E, (120)]: √N, called a variance."""
    return bound / math.sqrt(math.exp(2 * epsilon) - 1)


def printed_laplace(epsilon: float, sensitivity: float = 1.0) -> float:
    """[E, Sec. 5.2]: called the variance of the Laplace mechanism."""
    return sensitivity / epsilon


def printed_gaussian_mechanism(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """[E, (119)]: called the variance of the Gaussian mechanism; it is the standard deviation."""
    return math.sqrt(2 * math.log(1.25 / delta)) * sensitivity / epsilon


def printed_sensitivity(bound: float) -> float:
    """[E, Sec. 5.2]: Δf ≤ T for f between -T and T."""
    return bound


def printed_miss(epsilon: float, tau: float, bound: float = 1.0) -> float:
    """[E, (122)] without ignorance: the limit of Pr[|W - μ| ≥ τ]."""
    return bound**2 / (tau**2 * (math.exp(2 * epsilon) - 1))


def printed_limit_variance(epsilon: float) -> float:
    """[E, after (123)]: Var(W) → 0."""
    return 0.0 * epsilon


def printed_joint_bits(own: Sequence[float], other: Sequence[float]) -> float:
    """[E, (162)]: all four capacities."""
    return math.fsum((*own, *other))


def printed_across(own_bits: float) -> float:
    """[E, after Prop 6]: C^21 is larger than this, C^11."""
    return own_bits


def printed_excess(flip: float | Fraction) -> float:
    """[E, Prop 7]: a τ ≥ 0; that it is positive is left as future work."""
    return 0.0 * float(flip)


def _root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that is negative at `low` and positive at `high` vanishes."""
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)
    return (low + high) / 2
