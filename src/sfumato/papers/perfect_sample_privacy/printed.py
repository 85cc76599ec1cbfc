"""Matrices and formulas of [D] as they stand in print, right or wrong; nothing else may compute with them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

Rows = tuple[tuple[Fraction, ...], ...]

TABLE_1 = {2: 8.34e-3, 3: 4.88e-2, 4: 4.47e-2}
EXAMPLE_2_BITS, EXAMPLE_2_OPEN_BITS = 0.0134, 0.9866
THIRD, TWO_THIRDS = Fraction(1, 3), Fraction(2, 3)


def printed_posterior(alpha: Fraction) -> Rows:
    """[D, eq. (20)]: P(w|x1,x2), a row for each w; the print has these entries beside the law of α = 2/3."""
    one, zero = Fraction(1), Fraction(0)
    first = (one, alpha, zero, one, 1 - alpha, zero)
    return first, tuple(1 - p for p in first)


def printed_corners(alpha: Fraction, beta: Fraction, r: Fraction) -> tuple[tuple[Fraction, ...], ...]:
    """[D, before eq. (24)]: the two extreme points for two binary samples."""
    most = min(alpha, 1 - beta)
    law = (alpha - r, r, beta - alpha + r, 1 - beta - r)
    direction = (1, -1, -1, 1)
    return tuple(tuple(p + move * d for p, d in zip(law, direction, strict=True)) for move in (r - most, r))


def printed_weight(alpha: Fraction, beta: Fraction, r: Fraction) -> Fraction:
    """[D, eq. (24)]: the weight of the first extreme point."""
    return r / min(alpha, 1 - beta)


def printed_fewest_outputs(cells: int, rank: int) -> int:
    """[D, Cor 1.1]: a number of outputs called necessary."""
    return -(-cells // rank)


def printed_one_direction(shape: Sequence[int], cells: int) -> bool:
    """[D, Prop 4]: the condition under which S is said to have two extreme points."""
    return cells == sum(shape) - len(shape) + 2


def printed_running_sums(count: int, window: int, modulus: int) -> float:
    """[D, before eq. (61)]: the bound on the efficiency whose limit is taken."""
    return ((count - window + 1) * modulus - math.log2(modulus)) / (count * modulus)


def printed_overlap_leak(size: int) -> float:
    """[D, Sec. V-C1]: windows of any size, a new one at each sample, are said to tell nothing about a sample."""
    return 0.0 * size


def printed_uniformised_bits(q: Fraction, count: int) -> float:
    """[D, eq. (67)]: I(Y_pre; X^n)."""
    p = float(q)
    beta = (0.5 - p) / (1 - p)
    return (count - 1) * (1 - 2 * p * (1 - p) * _h(beta) - (1 - p) ** 2 * _h(2 * beta * (1 - beta)))


def printed_third_line_bits(q: Fraction) -> float:
    """[D, eq. (67), third line] for two samples: the four conditional entropies are added without weights."""
    p = float(q)
    beta = (0.5 - p) / (1 - p)
    return 1 - (2 * _h(beta) + _h(2 * beta * (1 - beta)))


def printed_typical(counts: Sequence[int]) -> tuple[int, ...]:
    """[D, Remark 3]: the weakly typical set of the other value is the same."""
    return tuple(counts)


def printed_other_value(count: int) -> float:
    """[D, App. C, after eq. (84)]: p(j|x^n) for a typical x^n and another value j."""
    return 0.0 * count


def printed_pairs_bits(q: Fraction, count: int) -> float:
    """[D, eq. (66)] with eq. (25) for two independent samples that are 1 with probability q ≤ 1/2."""
    p = float(q)
    zero, off = (1 - p) ** 2, p * (1 - p)
    alike = [(1 - 2 * p, p, p, 0.0), (1 - p, 0.0, 0.0, p)]
    share = off / p
    whole = sum(_term(v) for v in (zero, off, off, p * p))
    return (count - 1) * (whole - share * sum(map(_term, alike[0])) - (1 - share) * sum(map(_term, alike[1])))


def _h(p: float) -> float:
    return _term(p) + _term(1 - p)


def _term(p: float) -> float:
    return -p * math.log2(p) if p > 0 else 0.0
