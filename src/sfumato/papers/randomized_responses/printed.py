"""The pairs and formulas of [C] as they stand in print, right or wrong; nothing else may compute with them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from sfumato.design import Limits
from sfumato.prob import Channel
from sfumato.values.checks import Number


def printed_warner(delta: Fraction) -> Channel:
    """[C, Table I], first row."""
    return Channel([[delta, 1 - delta], [1 - delta, delta]])


def printed_unrelated_question(delta: Fraction, eta: Fraction) -> Channel:
    """[C, Table I], second row."""
    innocent_no, innocent_yes = (1 - delta) * (1 - eta), (1 - delta) * eta
    return Channel([[delta + innocent_no, innocent_yes], [innocent_no, delta + innocent_yes]])


def printed_two_outputs(limits: Limits, theta: Fraction) -> Channel:
    """[C, Thm 1], the pair of case (i) where θ ≤ θ_0 and of case (ii) where θ > θ_0."""
    a, w = limits.guess_error, limits.weight
    if theta <= (w - a) / limits.delta:
        return Channel([[a / (1 - w), 1 - a / (1 - w)], [1, 0]])
    return Channel([[1, 0], [a / w, 1 - a / w]])


def printed_three_outputs(limits: Limits) -> Channel:
    """[C, Thm 1], case (iii), and the third row of Table I."""
    a, w = limits.guess_error, limits.weight
    return Channel([[a / (1 - w), 1 - a / (1 - w), 0], [a / w, 0, 1 - a / w]])


def printed_largest_information(limits: Limits, theta: Fraction, outputs: int) -> Fraction:
    """[C, eq. (2)], the largest J_θ with two reports or with more; right, unlike the pairs beside it."""
    a, w = limits.guess_error, limits.weight
    if outputs > 2:
        return (1 - a / (w * (1 - theta) + (1 - w) * theta)) / (theta * (1 - theta))
    first = (w - a) / (theta * (w * (1 - theta) + a * theta))
    second = (1 - w - a) / ((1 - theta) * (a * (1 - theta) + (1 - w) * theta))
    return max(first, second)


def printed_renyi_nats(first: Sequence[Number], second: Sequence[Number], s: float) -> float:
    """[C, Sec. V], D_{1+s} for s ≠ 0, of two laws without zeros."""
    terms = (float(p) ** -s * float(q) ** (1 + s) for p, q in zip(first, second, strict=True))
    return math.log(math.fsum(terms)) / s


def printed_normal_quantiles(alpha: float) -> tuple[float, float]:
    """[C, Sec. II], the two levels at which Φ⁻¹ is taken "for a confidence level of α"."""
    return alpha / 2, 1 - alpha / 2
