"""Adversaries against noisy sums: joint laws of few bits that share at most so many bits, sought by ascent.

What they are told is computed from the law and the noise alone, and owes nothing to the theorems that bound it.
"""

import itertools
import warnings

import numpy as np
from scipy.optimize import minimize
from scipy.special import gammaln, logsumexp

LN2 = np.log(2)


def kernel(sums, deviation, low, high, points=400):
    """Rows of a normal density around each sum; on so fine a grid its sums are integrals to many digits."""
    y = np.linspace(low - 7 * deviation, high + 7 * deviation, points)
    rows = np.exp(-((y[None] - sums[:, None]) ** 2) / (2 * deviation**2))
    return y, rows / rows.sum(1, keepdims=True)


def datasets(records):
    return np.array(list(itertools.product((0, 1), repeat=records)))


def all_laws(records, deviation):
    """Any joint law, with the divergence from the product of its own marginals as what it shares."""
    x = datasets(records)
    return x[:, 0], _marginals(x), kernel(x.sum(1), deviation, 0, records)[1]


def laws_of_record_and_sum(records, share, deviation):
    """Laws that see other records only through their sum, against independent records with P(1) = share."""
    k = np.arange(records)
    others = gammaln(records) - gammaln(k + 1) - gammaln(records - k) + k * np.log(share)
    others += (records - 1 - k) * np.log(1 - share)
    logs = np.concatenate([others + np.log(1 - share), others + np.log(share)])
    first = np.repeat([0, 1], records)
    return first, lambda _: logs, kernel(np.tile(k, 2) + first, deviation, 0, records)[1]


def two_releases(records, deviation, points=60):
    """The sum, and then the sum or, if that was small, another function of the records: chosen after seeing it."""
    x = datasets(records)
    other = np.where(np.arange(records) % 2 == 0, 1 - x, x).sum(1)
    y, first = kernel(x.sum(1), deviation, 0, records, points)
    second = kernel(other, deviation, 0, records, points)[1]
    chosen = np.where((y > records / 2)[None, :, None], first[:, None, :], second[:, None, :])
    return x[:, 0], _marginals(x), (first[:, :, None] * chosen).reshape(len(x), -1)


def most_told(first, product_of, rows, shared_bits, starts, seed=0):
    """Return the most bits about the first record that a law was found to be told, sharing at most so many."""
    generator = np.random.default_rng(seed)
    sides = np.array([first == 0, first == 1], dtype=float)

    def told(t):
        p = np.exp(t - logsumexp(t))
        joint = (sides * p) @ rows
        mixed = np.maximum(joint.sum(1, keepdims=True) * joint.sum(0), 1e-300)
        logs = np.log(np.maximum(joint, 1e-300) / mixed)
        slope = (rows @ logs.T)[np.arange(len(first)), first]
        return -np.sum(joint * logs), -p * (slope - p @ slope)

    def left(t):
        logs = t - logsumexp(t)
        return shared_bits * LN2 - np.exp(logs) @ (logs - product_of(logs))

    def slope_of_left(t):
        logs = t - logsumexp(t)
        p, over = np.exp(logs), logs - product_of(logs)
        return -p * (over - p @ over)

    best, size = 0.0, len(first)
    for _ in range(starts):
        start = generator.normal(size=size) * generator.uniform(0.2, 3)
        limit = {"type": "ineq", "fun": left, "jac": slope_of_left}
        with np.errstate(all="ignore"), warnings.catch_warnings():
            # Older versions of scipy tell whenever a step is cut to the bounds.
            warnings.filterwarnings("ignore", message="Values in x were outside bounds", category=RuntimeWarning)
            found = minimize(
                told, start, jac=True, method="SLSQP", constraints=[limit], bounds=[(-30, 30)] * size,
                options={"maxiter": 400, "ftol": 1e-11},
            )  # fmt: skip
        if left(found.x) > -1e-7:
            best = max(best, -found.fun / LN2)
    return best


def _marginals(x):
    def product_of(logs):
        p = np.exp(logs)
        ones = np.clip(p @ x, 1e-300, 1 - 1e-16)
        return np.log(np.where(x == 1, ones, 1 - ones)).sum(1)

    return product_of
