"""The formulas of [A] as they stand in print, on values in the order given; nothing else may compute with them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from sfumato import design
from sfumato.values.checks import Number

Rows = tuple[tuple[Fraction, ...], ...]

HALF = Fraction(1, 2)
# The example in the remarks on [A, Thm 5], and its two numbers.
PRIOR = (HALF, Fraction(3, 10), Fraction(1, 5))
PRINTED_BEST, PRINTED_PAIR = Fraction(2, 5), Fraction(19, 50)


def example(rho: Fraction) -> design.Query:
    """P = (0.5, 0.3, 0.2) and f(x) = x."""
    return design.Query.of(PRIOR, (0, 1, 2), rho)


def printed_privacy(query: design.Query) -> Fraction:
    """[A, eq. (19)]."""
    return 1 - max(*query.masses, query.rho * query.total)


def printed_predicate_privacy(query: design.Query, predicate: Sequence[int]) -> Fraction:
    """[A, eq. (28)]."""
    sums = [[Fraction(0)] * (max(predicate) + 1) for _ in query.values]
    for place, hidden, mass in zip(query.f, predicate, query.masses, strict=True):
        sums[place][hidden] += mass
    likeliest: Fraction = max(sum(column, Fraction(0)) for column in zip(*sums, strict=True))
    return 1 - max(likeliest, query.rho * sum((max(row) for row in sums), Fraction(0)))


def printed_noise(query: design.Query) -> Rows:
    """[A, eqs. (46), (59), (60)]: V_1 above ρ = 1/2 and V_2 up to there, values as they come."""
    size = len(query.values)
    if query.rho > HALF:
        rows = [[Fraction(0)] * size for _ in range(size)]
        for j in range(size):
            rows[j][(j + 1) % size if j % 2 == 0 else j - 1] = 1 - query.rho
            rows[j][j] = query.rho
        return tuple(map(tuple, rows))
    block = _block(query)
    return tuple(
        tuple(Fraction(int(i // block == j // block), min(block, size - j // block * block)) for i in range(size))
        for j in range(size)
    )


def printed_promise(query: design.Query, n: int) -> Fraction:
    """[A, eqs. (49), (61)]: what V_1 has at least, and what V_2 has, values as they come."""
    if query.rho > HALF:
        return 1 - query.total + design.minority_chance(query.rho, n) * sum(query.maxima[1::2], Fraction(0))
    return 1 - sum(query.maxima[:: _block(query)], Fraction(0))


def printed_upper_bound(query: design.Query, n: int) -> Fraction:
    """[A, Thm 4] with eq. (36)."""
    spare = min(1 - query.critical_rho, 1 - query.rho, design.minority_chance(query.rho, n))
    return 1 - query.total + query.total * spare


def printed_exponent_bits(rho: float) -> float:
    """[A, eq. (73)], for every ρ."""
    return -math.log2(2 * math.sqrt(rho * (1 - rho)))


def printed_condition(query: design.Query, n: int) -> bool:
    """[A, Prop 8 (i)]: for which n the upper bound is said to hold."""
    return design.minority_bounds(float(query.rho), n)[1] <= 1 - min(query.rho, query.critical_rho)


def printed_guarantee(priors: Sequence[Sequence[Fraction]], f: Sequence[int], rho: Fraction) -> Fraction:
    """[A, Sec. VI]: the privacy of the least favourable prior, said to be had under all of them."""
    return min(printed_privacy(design.Query.of(prior, f, rho)) for prior in priors)


def printed_largest_part(rho: Fraction) -> Fraction:
    """[A, eq. (14)]: the largest P(wrong guess, Z = i) of W_o, said to be the most there is."""
    return largest_part(design.best_answer(example(rho)).channel.rows)


def largest_part(rows: Sequence[Sequence[Number]]) -> Fraction:
    """max_i P(g(Z) ≠ X, Z = i) for the best guesser g, at P = (0.5, 0.3, 0.2)."""
    columns = [[p * Fraction(q) for p, q in zip(PRIOR, column, strict=True)] for column in zip(*rows, strict=True)]
    return max(sum(column, Fraction(0)) - max(column) for column in columns)


def printed_most_of_repeated(query: design.Query, _: int) -> Fraction:
    """[A, eq. (80)]: what n times V_o has at most for large n, namely what V_2 has."""
    return design.block_privacy(query)


def _block(query: design.Query) -> int:
    return len(query.values) if query.rho * len(query.values) <= 1 else math.floor(1 / query.rho)
