"""[A, Prop. 11(i)] with its exceptions: when n times V_o hides more than n times V_2, for every n.

Let m_0 ≥ … ≥ m_{k-1} be the sorted maxima and ρ ≤ 1/2. For ρ ≤ ρ_c rows of V_o are equal where the m_i are, and with a
equal largest ones π(V_o^n) falls to 1 - m_0 - Σ_{i≥a} m_i; V_2 has 1 - Σ_i m_{ib} for every n, b = ⌊1/ρ⌋ ≥ a. Term by
term m_{ib} ≤ m_{a+i-1}, and the two are equal only for a = k, where both schemes say nothing, or for a = b = k-1. There
the limit is reached from above, so that (80) fails for every n.   Proof: docs/theory/many_responses.md
"""

from __future__ import annotations

from fractions import Fraction

from sfumato import design
from sfumato.design.response_types import exact_right_guesses


def is_exception(query: design.Query) -> bool:
    """Whether k ≥ 3, m_0 = … = m_{k-2} > m_{k-1} and 1/k < ρ ≤ ρ_c: then (80) fails for every n, elsewhere for few."""
    ordered, size = sorted(query.maxima, reverse=True), len(query.maxima)
    if size < 3 or not ordered[0] == ordered[-2] > ordered[-1]:
        return False
    return Fraction(1, size) < query.rho <= query.critical_rho


def best_noise_privacy(query: design.Query, n: int) -> Fraction:
    """π(V_o^n), exact."""
    return 1 - exact_right_guesses(query.maxima, design.best_noise(query), n)


def excess(query: design.Query, n: int) -> Fraction:
    """π(V_o^n) - π(V_2^n), exact; (80) says that it is at most 0 for large n."""
    return best_noise_privacy(query, n) - design.block_privacy(query)
