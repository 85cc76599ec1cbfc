"""Every entry of the paper on recoverable functions at another parameter, by another method."""

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

from design.response_oracles import least_right_guess, privacy_by_sequences

PRIOR = (0.5, 0.3, 0.2)
EXACT = tuple(Fraction(p, 10) for p in (5, 3, 2))
TWO = ((0.55, 0.413, 0.037), (0.455, 0.035, 0.51))
PERMUTED = ((0.2, 0.2, 0.6), (0.2, 0.6, 0.2), (0.6, 0.2, 0.2))


def most_privacy(rho):
    return 1 - least_right_guess(PRIOR, (0, 1, 2), rho)[0]


def pair_rows(rho):
    return ((rho, 1 - rho, Fraction(0)), (1 - rho, rho, Fraction(0)), (1 - rho, Fraction(0), rho))


def single_rows(rho):
    keep = max(rho, Fraction(1, 2))
    return tuple(tuple(keep if i == j else (1 - keep) * EXACT[i] / (1 - EXACT[j]) for i in range(3)) for j in range(3))


def single_rows_of(law, rho):
    keep = max(rho, *law)
    return np.array([[keep if i == j else (1 - keep) * law[i] / (1 - law[j]) for i in range(3)] for j in range(3)])


def worst_of_least_favourable(rho):
    """Every prior has the same π, so the first of them, in the order given, is P*."""
    rows = single_rows_of(PERMUTED[0], float(rho))
    return min(1 - (np.array(law)[:, None] * rows).max(axis=0).sum() for law in PERMUTED)


def both_priors(rho):
    """A program over W(i|x), t_(p,i) and the level."""
    width = 9 + 6 + 1
    above = []
    for p, i, x in itertools.product(range(2), range(3), range(3)):
        row = np.zeros(width)
        row[3 * x + i], row[9 + 3 * p + i] = TWO[p][x], -1
        above.append(row)
    for p in range(2):
        row = np.zeros(width)
        row[9 + 3 * p : 12 + 3 * p], row[-1] = 1, -1
        above.append(row)
    sums = np.zeros((3, width))
    for x in range(3):
        sums[x, 3 * x : 3 * x + 3] = 1
    bounds = [(float(rho) * (i == x), 1) for x in range(3) for i in range(3)] + [(0, None)] * 7
    found = linprog(np.eye(width)[-1], A_ub=above, b_ub=np.zeros(20), A_eq=sums, b_eq=np.ones(3), bounds=bounds)
    return 1 - found.fun


def largest_part(rho):
    """max over W of Σ_x P(x)W(i|x) - t with t ≥ P(x)W(i|x), response by response."""
    best = 0.0
    for i in range(3):
        # Only the column of i counts: at least ρ where f(x) = i, at most 1 - ρ elsewhere.
        bounds = [(float(rho), 1) if x == i else (0, 1 - float(rho)) for x in range(3)] + [(0, None)]
        above = [[PRIOR[x] * (y == x) for y in range(3)] + [-1] for x in range(3)]
        found = linprog([*(-p for p in PRIOR), 1], A_ub=above, b_ub=[0] * 3, bounds=bounds)
        best = max(best, -found.fun)
    return best


def radius_bits(rho):
    """The least of -log2 Σ p^λ q^(1-λ) over pairs, on a grid; the sum over responses that both rows allow."""
    powers = np.linspace(0, 1, 20001)
    found = []
    for first, second in itertools.combinations(pair_rows(float(rho)), 2):
        shared = [(float(p), float(q)) for p, q in zip(first, second, strict=True) if p > 0 and q > 0]
        found.append(-np.log2(sum(p**powers * q ** (1 - powers) for p, q in shared).min()))
    return min(found)


def bounds_that_hold(most):
    """Prop 8's upper bound beside Theorem 4, typed again with sums of binomials; S = 1, ρ = 3/4, ρ_c = 1/2."""
    count = 0
    for n in range(1, most + 1):
        half = n // 2
        share = half / n
        divergence = sum(a * math.log(a / b) for a, b in ((share, 0.75), (1 - share, 0.25)) if a > 0)
        chance = sum(math.comb(n, hits) * 0.75**hits * 0.25 ** (n - hits) for hits in range(half + 1))
        count += min(0.5, 0.25, chance) <= (half + 1) * math.exp(-n * divergence) + 1e-12
    return count


def block_rows(sizes):
    """Blocks of these sizes, one after the other."""
    rows = []
    for size, start in zip(sizes, itertools.accumulate((0, *sizes[:-1])), strict=True):
        row = [Fraction(int(start <= i < start + size), size) for i in range(sum(sizes))]
        rows += [row] * size
    return rows


TIED = (Fraction(2, 5), Fraction(2, 5), Fraction(1, 5))
SCRAMBLED = tuple(Fraction(p, 10) for p in (1, 5, 1, 3))
RECOVERABLE = {
    ("figure-1", "most privacy of one answer, P = (0.5, 0.3, 0.2)"): (Fraction(7, 10), most_privacy, 1e-9),
    ("figure-2", "V_1 with k = 5: chance that the last value is called the first"): (
        Fraction(2, 3),
        lambda rho: 1 - sum((0, 0, 0, 0, rho)),
        0,
    ),
    ("figure-3", "V_2 with ρ = 1/3: values in the last block"): (
        10,
        lambda k: len([i for i in range(k) if i // 3 == (k - 1) // 3]),
        0,
    ),
    ("responses", "V_1 repeated, ρ = 3/5: privacy of n responses"): (
        4,
        lambda n: privacy_by_sequences(EXACT, [pair_rows(Fraction(3, 5))] * n),
        1e-12,
    ),
    ("responses", "V_2 repeated, ρ = 2/5: privacy of one response or of many"): (
        Fraction(1, 4),
        lambda _: privacy_by_sequences(EXACT, [block_rows((3,))] * 5),
        1e-12,
    ),
    ("responses", "V_o repeated, ρ = 3/5: privacy of n responses"): (
        4,
        lambda n: privacy_by_sequences(EXACT, [single_rows(Fraction(3, 5))] * n),
        1e-12,
    ),
    # One response: the programs have to find Theorem 2.
    ("responses", "the best responses found, ρ = 3/5"): (1, lambda _: most_privacy(0.6), 1e-8),
    ("examples", "one response by V_1, P = (0.5, 0.3, 0.2)"): (
        Fraction(7, 10),
        lambda rho: privacy_by_sequences(EXACT, [pair_rows(rho)]),
        1e-12,
    ),
    ("examples", "one response by V_o, P = (0.5, 0.3, 0.2)"): (Fraction(7, 10), most_privacy, 1e-9),
    ("priors", "most privacy under both of two priors"): (Fraction(13, 20), both_priors, 1e-8),
    ("priors", "what W_o(P*) has under every permutation of (0.6, 0.2, 0.2)"): (
        Fraction(7, 10),
        worst_of_least_favourable,
        1e-12,
    ),
    ("Proposition 3", "most privacy of a predicate, P = (0.4, 0.3, 0.2, 0.1)"): (
        Fraction(19, 20),
        lambda rho: 1 - least_right_guess((0.4, 0.3, 0.2, 0.1), (0, 1, 1, 0), rho, (0, 1, 0, 0))[0],
        1e-9,
    ),
    ("Theorem 6", "V_2 on values as they come, P = (0.1, 0.5, 0.1, 0.3): privacy"): (
        Fraction(1, 4),
        lambda _: privacy_by_sequences(SCRAMBLED, [block_rows((4,))] * 2),
        1e-12,
    ),
    ("Lemma 10", "C(V_1) with k = 3, bits"): (Fraction(3, 20), radius_bits, 1e-7),
    ("Section II", "largest P(wrong guess, Z = i) of any answer, P = (0.5, 0.3, 0.2)"): (
        Fraction(3, 10),
        largest_part,
        1e-9,
    ),
    ("Proposition 11", "V_o repeated, P = (2/5, 2/5, 1/5), ρ = 7/20: privacy of n responses"): (
        5,
        lambda n: privacy_by_sequences(TIED, [single_rows_of(TIED, Fraction(7, 20)).tolist()] * n),
        1e-12,
    ),
    ("Proposition 8", "for how many n up to N the upper bound holds, ρ = 3/4"): (30, bounds_that_hold, 0),
}
