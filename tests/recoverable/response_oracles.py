"""Slow, plain answers about responses: a dense linear program, and sums over every sequence."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog


def least_right_guess(prior, f, rho, hidden=None):
    """min Σ t_i with t_i ≥ Σ over h(x) = j of P(x)W(i|x), rows that sum to 1 and W(f(x)|x) ≥ ρ: value and W."""
    size, people = max(f) + 1, len(prior)
    hidden = list(range(people)) if hidden is None else list(hidden)
    count = people * size
    above = []
    for i, j in itertools.product(range(size), sorted(set(hidden))):
        row = np.zeros(count + size)
        for x in range(people):
            if hidden[x] == j:
                row[x * size + i] = float(prior[x])
        row[count + i] = -1
        above.append(row)
    sums = np.zeros((people, count + size))
    for x in range(people):
        sums[x, x * size : (x + 1) * size] = 1
    bounds = [(float(rho) if f[x] == i else 0, 1) for x in range(people) for i in range(size)] + [(0, None)] * size
    costs = np.concatenate([np.zeros(count), np.ones(size)])
    found = linprog(costs, A_ub=above, b_ub=np.zeros(len(above)), A_eq=sums, b_eq=np.ones(people), bounds=bounds)
    assert found.status == 0
    return found.fun, found.x[:count].reshape(people, size)


def random_masses(source, count):
    """Whole numbers over their sum, with many ties."""
    numbers = [source.choice((1, 1, 2, 3, 5, 8, 13)) for _ in range(count)]
    return [Fraction(number, sum(numbers)) for number in numbers]


def random_onto(source, count, size):
    images = [*range(size), *(source.randrange(size) for _ in range(count - size))]
    source.shuffle(images)
    return images


def random_rho(source):
    return Fraction(source.randrange(0, 61), 60)


def random_question(source, most_people=12, most_values=6):
    people = source.randint(2, most_people)
    size = source.randint(2, min(people, most_values))
    return random_masses(source, people), random_onto(source, people, size), random_rho(source)


def seeded(seed):
    return random.Random(seed)  # noqa: S311  questions for a test


def privacy_by_sequences(weights, channels):
    """1 - Σ over all sequences of max_j w_j Π_t W_t(i_t|j), with all weights of the data in `weights`."""
    right = Fraction(0)
    for sequence in itertools.product(range(len(channels[0][0])), repeat=len(channels)):
        right += max(
            weight * math.prod((rows[j][i] for rows, i in zip(channels, sequence, strict=True)), start=Fraction(1))
            for j, weight in enumerate(weights)
        )
    return 1 - right


def accuracy_by_sequences(prior, f, channels):
    """Σ over all sequences of max_i Σ over f(x) = i of P(x) Π_t W_t(i_t|x)."""
    found = Fraction(0)
    for sequence in itertools.product(range(len(channels[0][0])), repeat=len(channels)):
        sums = [Fraction(0)] * (max(f) + 1)
        for x, place in enumerate(f):
            sums[place] += prior[x] * math.prod(rows[x][i] for rows, i in zip(channels, sequence, strict=True))
        found += max(sums)
    return found


def fast_privacy_by_sequences(weights, rows, n):
    """The same in doubles for one matrix n times, for up to a million sequences."""
    table = np.array([float(weight) for weight in weights])[:, None]
    matrix = np.array([[float(p) for p in row] for row in rows])
    for _ in range(n):
        table = (table[:, :, None] * matrix[:, None, :]).reshape(len(matrix), -1)
    return 1 - math.fsum(table.max(axis=0).tolist())


def as_fractions(numbers):
    """A law of floats with denominators up to a thousand million; what is missing from 1 goes to the first."""
    law = [Fraction(float(number)).limit_denominator(10**9) for number in numbers]
    law[0] += 1 - sum(law)
    return law
