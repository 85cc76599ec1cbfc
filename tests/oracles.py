"""Slow, plain, independent answers that the tests compare with: Decimals, enumeration, classic iterations."""

from __future__ import annotations

import itertools
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

DIGITS = 50


def decimal(value) -> Decimal:
    """A Fraction, integer or float as a Decimal of the context's precision."""
    exact = Fraction(value)
    return Decimal(exact.numerator) / Decimal(exact.denominator)


def ln(value) -> Decimal:
    with localcontext() as context:
        context.prec = DIGITS
        return decimal(value).ln()


def log2(value) -> Decimal:
    with localcontext() as context:
        context.prec = DIGITS
        return decimal(value).ln() / Decimal(2).ln()


def entropy_bits(law) -> Decimal:
    with localcontext() as context:
        context.prec = DIGITS
        return -sum((decimal(p) * log2(p) for p in law if p > 0), Decimal(0))


def mutual_information_bits(rows, prior) -> Decimal:
    """Σ P(x)P(y|x) log2 P(y|x)/P(y), exactly as defined, on the numbers as given."""
    rows = [[Fraction(value) for value in row] for row in rows]
    prior = [Fraction(value) for value in prior]
    with localcontext() as context:
        context.prec = DIGITS
        total = Decimal(0)
        for y in range(len(rows[0])):
            mass = sum(p * row[y] for p, row in zip(prior, rows, strict=True))
            for p, row in zip(prior, rows, strict=True):
                if p * row[y]:
                    total += decimal(p * row[y]) * log2(row[y] / mass)
        return total


def chernoff_nats(first, second) -> Decimal:
    """-min over λ of ln Σ p^λ q^(1-λ) on the common support, by ternary search in Decimals (the sum is convex)."""
    with localcontext() as context:
        context.prec = DIGITS
        pairs = [(ln(p), ln(q)) for p, q in zip(first, second, strict=True) if p > 0 and q > 0]

        def moment(power: Decimal) -> Decimal:
            return sum(((power * p + (1 - power) * q).exp() for p, q in pairs), Decimal(0))

        low, high = Decimal(0), Decimal(1)
        for _ in range(70):
            left, right = low + (high - low) / 3, high - (high - low) / 3
            low, high = (left, high) if moment(left) > moment(right) else (low, right)
        return -min(moment(Decimal(0)), moment((low + high) / 2), moment(Decimal(1))).ln()


def renyi_nats(first, second, order) -> Decimal:
    """ln Σ p^α q^(1-α) / (α-1) for 0 < α < 1, or for α > 1 when the second law allows what the first does."""
    with localcontext() as context:
        context.prec = DIGITS
        power = decimal(order)
        pairs = [(ln(p), ln(q)) for p, q in zip(first, second, strict=True) if p > 0 and q > 0]
        return sum(((power * p + (1 - power) * q).exp() for p, q in pairs), Decimal(0)).ln() / (power - 1)


def best_success(rows, prior, groups=None) -> Fraction:
    """The best guesser of `groups[x]` by trying every map from outputs to guesses."""
    groups = range(len(rows)) if groups is None else groups
    guesses = sorted(set(groups))
    outputs = range(len(rows[0]))
    return max(
        sum(
            Fraction(prior[x]) * Fraction(rows[x][y])
            for x, y in itertools.product(range(len(rows)), outputs)
            if groups[x] == guess[y]
        )
        for guess in itertools.product(guesses, repeat=len(rows[0]))
    )


def blahut_arimoto(rows, rounds) -> tuple[float, float]:
    """Capacity bounds in bits from the classic iteration: log Σ p e^D below, max D above."""
    law = np.full(len(rows), 1 / len(rows))
    rows = rows[:, rows.max(axis=0) > 0]
    own = (rows * np.log(np.where(rows > 0, rows, 1.0))).sum(axis=1)
    for _ in range(rounds):
        divergences = own - rows @ np.log(law @ rows)
        scaled = law * np.exp(divergences)
        lower, upper = np.log(scaled.sum()), divergences.max()
        law = scaled / scaled.sum()
    return lower / np.log(2), upper / np.log(2)
