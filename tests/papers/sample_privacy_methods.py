"""Every entry of the paper on perfect sample privacy at another parameter, by another method."""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np

from disclose.disclosure_oracles import best_by_vertices, entropy, measured_through_bsc

FIFTH, QUARTER = Fraction(1, 5), Fraction(1, 4)


def h(q):
    return entropy([float(q), 1 - float(q)])


def measured(count):
    def bits(flip):
        law, about = (np.array(table, dtype=object) for table in measured_through_bsc(count, flip=flip))
        cells = list(itertools.product((0, 1), repeat=count))
        feature = [[float(about[cell][w]) for cell in cells] for w in (0, 1)]
        return best_by_vertices(cells, [law[cell] for cell in cells], [(i,) for i in range(count)], feature)[0]

    return bits


def two_channels(alpha):
    """Example 2 by sums over W, X1, X2."""
    alpha = float(alpha)
    cells = list(itertools.product(range(2), range(3)))
    flip = {(w, a): alpha if a != w else 1 - alpha for w in (0, 1) for a in (0, 1)}
    erase = {(w, b): 0.5 if b in (1, 2 * w) else 0.0 for w in (0, 1) for b in range(3)}
    joint = np.array([[0.5 * flip[w, a] * erase[w, b] for a, b in cells] for w in (0, 1)])
    return cells, joint


def example_2_bits(alpha):
    cells, joint = two_channels(alpha)
    prior = joint.sum(axis=0)
    return best_by_vertices(cells, prior, ((0,), (1,)), joint / prior)[0]


def example_2_posterior(alpha):
    cells, joint = two_channels(alpha)
    column = joint[:, cells.index((0, 1))]
    return column[0] / column.sum()


def share_on_segment(alpha, beta):
    """How far r lies along what non-negative laws allow, by looking."""

    def weight(r):
        steps = [Fraction(k, 120) for k in range(121)]
        allowed = [s for s in steps if min(alpha - s, s, beta - alpha + s, 1 - beta - s) >= 0]
        return (r - min(allowed)) / (max(allowed) - min(allowed))

    return weight


def block_vertices(count):
    cells = [(2 * k + a, 2 * k + b) for k in range(count) for a in (0, 1) for b in (0, 1)]
    return len(best_by_vertices(cells, [1 / len(cells)] * len(cells), ((0,), (1,)))[1])


def masked_sums(count):
    """I(X^n;Y)/H(X^n) over all ternary data sets and masks."""
    law = defaultdict(float)
    for data in itertools.product(range(3), repeat=count):
        for mask in range(3):
            y = tuple((mask + a + b) % 3 for a, b in itertools.pairwise(data))
            law[data, y] += 3.0 ** -(count + 1)
    return mutual_bits(law) / (count * math.log2(3))


def mutual_bits(law):
    first, second = defaultdict(float), defaultdict(float)
    for (x, y), p in law.items():
        first[x] += p
        second[y] += p
    return math.fsum(p * math.log2(p / (first[x] * second[y])) for (x, y), p in law.items() if p > 0)


def chances(q, count):
    q = float(q)
    return {x: q ** sum(x) * (1 - q) ** (count - sum(x)) for x in itertools.product((0, 1), repeat=count)}


def best_window(q, size):
    """P(y|window) of a best mapping, from vertices and a program."""
    from scipy.optimize import linprog

    law = chances(q, size)
    prior = np.array(list(law.values()))
    _, found = best_by_vertices(list(law), prior, [(i,) for i in range(size)])
    solved = linprog([entropy(v) for v in found], A_eq=found.T, b_eq=prior, method="highs")
    used = solved.x > 1e-10
    rows = (solved.x[used, None] * found[used] / prior).T
    return dict(zip(law, rows, strict=True))


def overlapping_leak(q):
    """I(X_1; Y_1, Y_2) of windows of three at samples 1 and 2, written out."""
    mapping = best_window(q, 3)
    law = defaultdict(float)
    for x, p in chances(q, 4).items():
        for (y, a), (z, b) in itertools.product(enumerate(mapping[x[:3]]), enumerate(mapping[x[1:]])):
            law[x[0], (y, z)] += p * a * b
    return mutual_bits(law)


def pair_bits(q):
    mapping = best_window(q, 2)
    return mutual_bits({(x, y): p * a for x, p in chances(q, 2).items() for y, a in enumerate(mapping[x])})


def pair_limit(q):
    return pair_bits(q) / h(q)


def four_of_chain(q):
    return chain_bits(q, 4)


def chain_bits(q, count):
    """All data sets, all uniformised ones, all sums: S_i is 0 or 1 with the noise of a Z channel."""
    q = float(q)
    beta = (0.5 - q) / (1 - q)
    law = defaultdict(float)
    for x, p in chances(q, count).items():
        for s in itertools.product((0, 1), repeat=count):
            keep = math.prod(float(b == 1) if a else (beta if b else 1 - beta) for a, b in zip(x, s, strict=True))
            law[x, tuple((a + b) % 2 for a, b in itertools.pairwise(s))] += p * keep
    return mutual_bits(law)


def chain_limit(q):
    """I(X;S)/H(X) of one Z channel."""
    q = float(q)
    return mutual_bits({(0, 1): 0.5 - q, (0, 0): 0.5, (1, 1): q}) / h(q)


def four_coins(q):
    law = chances(q, 4)
    return best_by_vertices(list(law), list(law.values()), [(i,) for i in range(4)])[0] / (4 * h(q))


def typical_for_both(epsilon):
    """Every number of ones by its own probability, as eq. (37) has it."""
    entropy = h(0.1)
    found = 0
    for ones in range(21):
        rates = [-(k * math.log2(0.1) + (20 - k) * math.log2(0.9)) / 20 for k in (ones, 20 - ones)]
        found += all(abs(rate - entropy) <= epsilon for rate in rates)
    return found


def bayes_by_steps(n):
    """One sample after the other, a tenth of them ones."""
    other = Fraction(1, 2)
    for i in range(n):
        likely = (Fraction(1, 10), Fraction(9, 10)) if i % 10 == 0 else (Fraction(9, 10), Fraction(1, 10))
        other = other * likely[1] / (other * likely[1] + (1 - other) * likely[0])
    return float(other)


SAMPLE_PRIVACY = {
    ("table-1", "I_s of 2 measurements of W ~ Bern(1/3) through BSC(α), bits"): (FIFTH, measured(2), 1e-8),
    ("table-1", "I_s of 3 measurements of W ~ Bern(1/3) through BSC(α), bits"): (FIFTH, measured(3), 1e-8),
    ("table-1", "I_s of 4 measurements of W ~ Bern(1/3) through BSC(α), bits"): (FIFTH, measured(4), 1e-8),
    ("example-2", "I_s, W a fair coin through BSC(α) and BEC(1/2), bits"): (Fraction(3, 4), example_2_bits, 1e-8),
    ("example-2", "P(W=0 | X1=0, X2 erased)"): (Fraction(3, 4), example_2_posterior, 1e-9),
    ("Section III-B", "two binary samples, α = 1/3, β = 1/2: weight of the corner p-(R-r)n"): (
        FIFTH,
        share_on_segment(Fraction(1, 3), Fraction(1, 2)),
        0,
    ),
    ("Section III-B", "two binary samples, α = 3/5, β = 2/5: weight of the corner p-(R-r)n"): (
        Fraction(1, 2),
        share_on_segment(Fraction(3, 5), Fraction(2, 5)),
        0,
    ),
    ("Corollary 1.1", "outputs that tell all of the sum mod M of four fair samples"): (3, lambda m: m, 0),
    ("Proposition 4", "corners of S for disjoint 2×2 blocks of fair coins, with |X^| = Σ|X_i| - n + 2"): (
        3,
        block_vertices,
        0,
    ),
    ("Example 3", "efficiency of masked sums of two neighbours mod 3"): (5, masked_sums, 1e-9),
    ("Section V-C1", "what windows of three at every sample tell about the first of four samples, bits"): (
        QUARTER,
        overlapping_leak,
        1e-6,
    ),
    ("figure-4", "the optimum: part of four samples that is told"): (FIFTH, four_coins, 1e-8),
    ("figure-4", "pairs of neighbours: part of four samples that is told"): (
        FIFTH,
        lambda q: 3 * pair_bits(q) / (4 * h(q)),
        1e-8,
    ),
    ("figure-4", "the uniformised chain: part of four samples that is told"): (
        FIFTH,
        lambda q: chain_bits(q, 4) / (4 * h(q)),
        1e-9,
    ),
    ("figure-5", "pairs of neighbours: part of many samples that is told"): (
        FIFTH,
        lambda q: pair_bits(q) / h(q),
        1e-8,
    ),
    ("figure-5", "the uniformised chain: part of many samples that is told"): (FIFTH, chain_limit, 1e-9),
    ("Section V-C2", "what the uniformised chain tells of four samples, bits"): (
        FIFTH,
        lambda q: chain_bits(q, 4),
        1e-9,
    ),
    (
        "Remark 3",
        "numbers of ones among 20 samples through BSC(1/10) that eq. (37) calls typical for both values of W",
    ): (Fraction(2), typical_for_both, 0),
    ("Appendix C", "P(W = 1 | x^n), W fair through BSC(1/10), a tenth of x^n ones"): (20, bayes_by_steps, 1e-12),
    ("Section V-C2", "what the uniformised chain tells of two samples, bits"): (
        FIFTH,
        lambda q: chain_bits(q, 2),
        1e-9,
    ),
}
