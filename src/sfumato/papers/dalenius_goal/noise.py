"""Noise for numbers, in one unit: standard deviations, what the mean of n records misses, and the exact δ.

The mechanisms of differential privacy hide one record from those who know all others; the Gaussian channel of [E]
limits what anybody learns about one record. The same ε, in nats, means different things for them, and
nothing here says that they are equally private; but the noise can be compared.
"""

from __future__ import annotations

import math

from sfumato.design.private_means import normal_error_chance
from sfumato.papers.dalenius_goal import examples
from sfumato.papers.dalenius_goal import printed as in_print


def laplace_deviation(epsilon: float, sensitivity: float = 1.0) -> float:
    """√2·Δf/ε."""
    return math.sqrt(2) * sensitivity / epsilon


def gaussian_mechanism_deviation(epsilon: float, delta: float = 1e-5, sensitivity: float = 1.0) -> float:
    """σ of the rule for ε ≤ 1, which is a standard deviation already."""
    return in_print.printed_gaussian_mechanism(epsilon, delta, sensitivity)


def least_deviation(epsilon: float) -> float:
    """√N of the Gaussian channel for T = 1 and ε nats, by the capacity under the amplitude limit."""
    return math.sqrt(examples.least_variance(epsilon / examples.LN2))


def largest_entropy_bits(bound: float) -> float:
    """By [E, (85)], of a record in [-bound, bound]: that of the uniform law."""
    return math.log2(2 * bound)


def sensitivity_of_mean(bound: float, records: int) -> float:
    """The largest move of a mean of records in [-bound, bound] when one changes: from all low to one high."""
    low = [-bound] * records
    high = [bound, *low[1:]]
    return math.fsum(high) / records - math.fsum(low) / records


def gaussian_delta(deviation: float, epsilon: float) -> float:
    """The least δ for which noise N(0, σ²) on a number of sensitivity 1 is (ε, δ)-differentially private."""
    half = 1 / (2 * deviation)
    return _phi(half - epsilon * deviation) - math.exp(epsilon) * _phi(-half - epsilon * deviation)


def mean_variance(epsilon: float, records: int, spread: float = 1.0) -> float:
    """Var(W) = σ²/n + N of the private mean of [E, Prop 4] with T = 1, without ignorance."""
    return spread**2 / records + in_print.printed_gaussian_variance(epsilon)


def limit_miss(epsilon: float, tau: float) -> float:
    """lim Pr[|W - μ| ≥ τ] = 2Φ(-τ/√N) for T = 1."""
    return normal_error_chance(tau, in_print.printed_gaussian_variance(epsilon))


def miss(epsilon: float, tau: float, records: int) -> float:
    """Pr[|W - μ| ≥ τ] for `records` fair coins ±1: over all counts of heads."""
    deviation = in_print.printed_gaussian_deviation(epsilon)
    terms = []
    for heads in range(records + 1):
        log_weight = math.lgamma(records + 1) - math.lgamma(heads + 1) - math.lgamma(records - heads + 1)
        mean = (2 * heads - records) / records
        both = _phi((-tau - mean) / deviation) + _phi((mean - tau) / deviation)
        terms.append(math.exp(log_weight - records * math.log(2)) * both)
    return math.fsum(terms)


def _phi(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2
