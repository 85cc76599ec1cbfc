"""How much the sums of neighbours in a uniformised chain say about all samples together.

Each sample X_i is turned into a uniform S_i, and L_i = S_i + S_{i+1} mod M is published. Given the sums, one S fixes
all others, so S^n and (S_n, L^{n-1}) determine each other, and with I(X;S) = log M - H(S|X)

    I(X^n; L^{n-1}) = (n-1) log M - H(L^{n-1}|X^n) = n I(X;S) - log M + H(S_n|X^n, L^{n-1}).

The last term is what a recursion computes: the law of S_n given all that is known changes with each sample and sum, and
a sum only turns it round, so that few laws are met. It never rises with n, which bounds it once they are too many.
Ref: [D, eq. (67)], which adds up pairs as if they did not share a sample; theory: docs/theory/disclosure_schemes.md
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from sfumato.measures import mutual_information_interval
from sfumato.measures.enclosures import UNIT_ROUNDOFF, entropy_interval, log2_interval
from sfumato.prob import Channel, Distribution
from sfumato.values import Interval

State = tuple[tuple[int, int], ...]
"""Residues with whole-number weights without a common factor: a law up to its scale, turned to begin at 0."""

# Products of two weights, over the whole recursion: a fraction of a second.
MOST_PRODUCTS = 60_000
# What is left open after so many samples is far below a double's last digit for all but the most lopsided laws.
MOST_STEPS = 96


def chain_information_interval(law: Distribution, uniformiser: Channel, n: int) -> Interval:
    """Enclose I(X^n; L^{n-1}); a few ulps wide for few samples, and closed to H(S_n|…) of fewer samples for many."""
    modulus = uniformiser.shape[1]
    each = mutual_information_interval(uniformiser, law)
    start = log2_interval(Fraction(modulus))
    rest = leftover_interval(law, uniformiser, n)
    lower = n * each.lower - start.upper + rest.lower
    upper = n * each.upper - start.lower + rest.upper
    slack = 4 * UNIT_ROUNDOFF * (n * each.upper + start.upper + rest.upper)
    return Interval(lower, upper).widened(slack).at_least(0.0)


@lru_cache(maxsize=64)
def leftover_interval(law: Distribution, uniformiser: Channel, n: int) -> Interval:
    """Enclose H(S_n|X^n, L^{n-1}): what the samples and all sums leave open about one uniformised sample."""
    rows = [_weights(row) for row in uniformiser.integers()[0]]
    modulus = uniformiser.shape[1]
    states: dict[State, float] = defaultdict(float)
    for share, row in zip(law.fractions, rows, strict=True):
        states[_turned(row, modulus)] += float(share)
    widths = sum(len(row) for row in rows)
    products = 0
    for done in range(1, n):
        products += widths * sum(len(state) for state in states)
        if products > MOST_PRODUCTS or done > MOST_STEPS:
            return Interval(0.0, _expected_entropy(states, done).upper)
        states = _next_states(states, law, rows, modulus)
    return _expected_entropy(states, n)


def _next_states(
    states: dict[State, float], law: Distribution, rows: Sequence[Sequence[tuple[int, int]]], modulus: int
) -> dict[State, float]:
    """One more sample x with chance P(x), and one more sum l: S' has weight P(S = l-s')P(s'|x)."""
    found: dict[State, list[float]] = defaultdict(list)
    for state, chance in states.items():
        whole = sum(weight for _, weight in state)
        for share, row in zip(law.array.tolist(), rows, strict=True):
            scale = whole * sum(weight for _, weight in row)
            by_sum: dict[int, list[tuple[int, int]]] = defaultdict(list)
            for s, weight in state:
                for following, factor in row:
                    by_sum[(s + following) % modulus].append((following, weight * factor))
            for part in by_sum.values():
                mass = sum(weight for _, weight in part) / scale
                found[_turned(part, modulus)].append(chance * share * mass)
    return {state: math.fsum(parts) for state, parts in found.items()}


def _turned(law: Sequence[tuple[int, int]], modulus: int) -> State:
    """Leave out what does not matter to later sums: the scale, and by how much the law is turned."""
    divisor = math.gcd(*(weight for _, weight in law))
    return min(tuple(sorted(((s - start) % modulus, weight // divisor) for s, weight in law)) for start, _ in law)


def _weights(row: Sequence[int]) -> tuple[tuple[int, int], ...]:
    return tuple((s, int(weight)) for s, weight in enumerate(row) if weight)


def _expected_entropy(states: dict[State, float], steps: int) -> Interval:
    lower, upper = [], []
    for state, chance in states.items():
        whole = sum(weight for _, weight in state)
        entropy = entropy_interval((Fraction(weight, whole), 1) for _, weight in state)
        lower.append(chance * entropy.lower)
        upper.append(chance * entropy.upper)
    # Each step multiplies three rounded numbers and adds them without error, all of them positive.
    slack = 8 * (steps + 1) * UNIT_ROUNDOFF
    return Interval(math.fsum(lower) * (1 - slack), math.fsum(upper) * (1 + slack)).widened(0.0).at_least(0.0)
