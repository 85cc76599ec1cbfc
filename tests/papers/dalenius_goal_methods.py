"""Every entry of the paper on Dalenius' goal at another parameter, by another method."""

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar

from record_channels import h2

QUARTER, FIFTH = Fraction(1, 4), Fraction(1, 5)


def entropy(law):
    return -math.fsum(p * math.log2(p) for p in law if p > 0)


def mutual_bits(joint):
    joint = np.asarray(joint, dtype=float)
    return entropy(joint.sum(axis=0)) + entropy(joint.sum(axis=1)) - entropy(joint.ravel())


def blahut(rows, rounds=20_000):
    """Capacity by alternating maximisation, stopped when its two bounds meet."""
    rows = np.asarray(rows, dtype=float)
    law = np.full(len(rows), 1 / len(rows))
    for _ in range(rounds):
        divergences = (rows * np.log2(rows / (law @ rows))).sum(axis=1)
        if divergences.max() - law @ divergences < 1e-11:
            break
        law *= np.exp2(divergences)
        law /= law.sum()
    return float(law @ divergences)


def bsc(flip):
    return np.array([[1 - float(flip), float(flip)], [float(flip), 1 - float(flip)]])


def twice(flip):
    """A fair bit through two binary symmetric channels: what both reports say."""
    once = bsc(flip)
    return mutual_bits(np.einsum("xa,xb->xab", once, once).reshape(2, 4) / 2)


def solve_flip(bits):
    return brentq(lambda p: 1 - h2(p) - float(bits), 1e-9, 0.5)


def geometric_law(answers, rate):
    weights = [math.exp(-rate * rank) for rank in range(answers)]
    return [weight / math.fsum(weights) for weight in weights]


def solve_rate(bits):
    return brentq(lambda rate: 2 - entropy(geometric_law(4, rate)) - float(bits), 1e-3, 20)


def line_capacity(answers):
    rows = []
    for truth in range(answers):
        ranked = sorted(range(answers), key=lambda y: (abs(y - truth), y))
        rows.append([0.5 ** ranked.index(y) for y in range(answers)])
    return blahut(np.array(rows) / sum(0.5**rank for rank in range(answers)))


def clamped_count(count, odds, reach=200):
    """The count plus two-sided geometric noise, pushed back into 0..2, by summing the noise."""
    ratio = 1 / float(odds)
    law = np.zeros(3)
    for step in range(-reach, reach + 1):
        law[min(max(count + step, 0), 2)] += (1 - ratio) / (1 + ratio) * ratio ** abs(step)
    return law


def neighbours(odds):
    laws = [clamped_count(count, odds) for count in range(3)]
    return math.log2(max((a / b).max() for a, b in [*itertools.pairwise(laws), *itertools.pairwise(laws[::-1])]))


def any_two(odds):
    return math.log2(max((clamped_count(a, odds) / clamped_count(b, odds)).max() for a in range(3) for b in range(3)))


def surprise_bits(chance):
    """Over what can happen, from the four joint probabilities."""
    prior = {x: p for x, p in ((0, 1 - chance), (1, chance)) if p}
    kept = Fraction(2, 3)
    report = {y: sum(p * (kept if x == y else 1 - kept) for x, p in prior.items()) for y in (0, 1)}
    return max(math.log2((kept if x == y else 1 - kept) / report[y]) for x in prior for y in (0, 1))


def rare_epsilon(odds):
    told = [Fraction(1, 100) * odds / (1 + odds), Fraction(1, 100) / (1 + odds)]
    return math.log(told[0] / told[1])


def parity_balance(b):
    """Within a value of X_1 and the parity all data sets are alike; the four classes are then a noise of their own."""
    wrong = brentq(lambda q: h2(q) - (b - 2), 0, 0.5)
    return h2(wrong * 0.9 + (1 - wrong) * 0.1) - h2(0.1)


def plateau(question):
    def end(records):
        best = 0.0
        data = list(itertools.product((0, 1), repeat=records))
        for inside in ({0}, {1}):
            yes = sum(x[0] in inside and question(x) for x in data)
            no = sum(x[0] not in inside and not question(x) for x in data)
            best = max(best, 1 + (math.log2(yes) + math.log2(no)) / 2)
        return best

    return end


NODES = np.linspace(-20, 20, 8001)


def law_bits(points, weights, ratio):
    """h(Y) - h(Z) of a law at multiples of T, noise 1."""
    ends = math.sqrt(ratio) * np.array(points, dtype=float)
    density = (np.exp(-((NODES[:, None] - ends) ** 2) / 2) / math.sqrt(2 * math.pi)) @ np.array(weights)
    logs = np.where(density > 0, np.log2(np.where(density > 0, density, 1)), 0)
    return -float(np.trapezoid(density * logs, NODES)) - math.log2(2 * math.pi * math.e) / 2


def two_points(ratio):
    return law_bits((-1, 1), (0.5, 0.5), ratio)


def amplitude_bits(ratio):
    """Two points at the ends, or a third in the middle; more are of no use up to T²/N of 8 or so."""

    def lost(middle):
        return -law_bits((-1, 0, 1), ((1 - middle) / 2, middle, (1 - middle) / 2), ratio)

    found = minimize_scalar(lost, bounds=(0, 0.6), method="bounded", options={"xatol": 1e-7})
    return max(two_points(ratio), -found.fun)


def least_variance(bits):
    return 1 / brentq(lambda ratio: amplitude_bits(ratio) - bits, 0.5, 8.0, xtol=1e-9)


def laplace_variance(epsilon):
    return 2 * quad(lambda x: x * x * epsilon / 2 * math.exp(-epsilon * x), 0, np.inf)[0]


def exact_delta(epsilon):
    """∫ max(0, p - e^ε q) of two normal laws one apart."""
    spread = math.sqrt(2 * math.log(1.25e5)) / epsilon
    cross = 0.5 - epsilon * spread**2  # where p = e^ε q, with p at 0 and q at 1
    p, q = stats.norm(0, spread), stats.norm(1, spread)
    return quad(lambda y: p.pdf(y) - math.exp(epsilon) * q.pdf(y), cross - 20 * spread, cross, epsabs=0, epsrel=1e-10)[
        0
    ]


def channel_noise(epsilon):
    return 1 / math.expm1(2 * epsilon)


def coins_miss(epsilon):
    means = (2 * np.arange(101) - 100) / 100
    spread = math.sqrt(channel_noise(epsilon))
    missed = stats.norm.sf((1 - means) / spread) + stats.norm.cdf((-1 - means) / spread)
    return float(stats.binom(100, 0.5).pmf(np.arange(101)) @ missed)


def lemma_law(flip):
    """I(X_1;Y) from the table over all six variables."""
    flip = float(flip)
    joint = np.zeros((2, 2, 2, 2))  # x_1^1, x_1^2, y^1, y^2
    for a, b, coin, y in itertools.product((0, 1), repeat=4):
        chance = 0.5 * (0.25 if b else 0.75) * 0.5 * (flip if (a + b) % 2 != y else 1 - flip)
        second = coin if b == 0 else 0
        joint[a, second, y, second] += chance
    return mutual_bits(joint.reshape(4, 4))


def across(values):
    """The best choice of so many of three rows, by trying all."""
    rows = np.full((3, 3), 0.1) + 0.7 * np.eye(3)
    return max(blahut(rows[list(chosen)]) for chosen in itertools.combinations(range(3), min(values, 3)))


DALENIUS = {
    ("example-1", "channels that a record of Example 1 can select"): (
        2,
        lambda record: len(list(itertools.product(range((2, 3)[record - 1]), repeat=(3, 2)[record - 1]))),
        0,
    ),
    ("figure-1", "C_1 of Example 1 through BSC(p), bits"): (FIFTH, lambda p: blahut(bsc(p)), 1e-8),
    ("Section 4.1", "yes/no functions of a record with k values and a bit that are known to reach log 2 - H(p)"): (
        2,
        lambda k: sum(len(set(table)) == 2 for table in itertools.product((0, 1), repeat=2 * k)),
        0,
    ),
    ("budgets", "the flip p* for ε bits"): (QUARTER, solve_flip, 1e-8),
    ("budgets", "the rate λ of four answers for ε bits"): (QUARTER, solve_rate, 1e-9),
    ("Section 4.2", "C_1 of a record of three values told truly with probability q, bits"): (
        Fraction(3, 5),
        lambda kept: blahut(np.full((3, 3), float(1 - kept) / 2) + (1.5 * float(kept) - 0.5) * np.eye(3)),
        1e-8,
    ),
    ("Section 4.3", "H(Z) of four answers, bits"): (2.0, lambda rate: entropy(geometric_law(4, rate)), 1e-12),
    # The software's ratios are multiples of 2^-16.
    ("Section 4.3", "the sharpest rate λ of two answers for ε bits"): (
        QUARTER,
        lambda bits: math.log(1 / solve_flip(bits) - 1),
        2e-4,
    ),
    ("Section 4.3", "capacity of the exponential channel with k answers on a line at λ = ln 2, bits"): (
        6,
        line_capacity,
        1e-7,
    ),
    ("Theorem 1", "most max-information about independent bits, counted with geometric noise, bits"): (
        Fraction(3),
        neighbours,
        1e-12,
    ),
    ("correlated", "most max-information about one of two bits that may be equal, same noise, bits"): (
        Fraction(3),
        any_two,
        1e-12,
    ),
    ("Theorem 1, proof", "I_∞ over what can happen of a bit through randomised response of odds 2, bits"): (
        QUARTER,
        surprise_bits,
        1e-12,
    ),
    ("Abstract", "ε of a bit told with probability 1/100, nats"): (Fraction(100), rare_epsilon, 1e-12),
    # Known to half of 1e-3 bits.
    ("balance", "g(b) of the parity of three bits through BSC(1/10), bits"): (2.75, parity_balance, 3e-3),
    ("balance", "the b up to which g is 0, majority of n bits"): (5, plateau(lambda x: 2 * sum(x) > len(x)), 1e-12),
    ("Section 2.2", "the b up to which g is 0, parity of n bits"): (4, plateau(lambda x: sum(x) % 2), 1e-12),
    ("Lemma 1", "largest entropy of a record in [-T, T], bits"): (
        2.0,
        lambda bound: stats.uniform(-bound, 2 * bound).entropy() / math.log(2),
        1e-12,
    ),
    ("gaussian", "capacity of the Gaussian channel with |f| ≤ T, bits"): (7.0, amplitude_bits, 1e-6),
    ("gaussian", "capacity for a record of two values, bits"): (7.0, two_points, 1e-9),
    ("gaussian-noise", "least N/T² for ε bits"): (0.5, least_variance, 3e-6),
    ("Section 5.1", "what the noise of eq. (117) lets through, bits"): (
        0.5,
        lambda epsilon: amplitude_bits(1 / channel_noise(epsilon)),
        1e-6,
    ),
    ("utility", "standard deviation of the Gaussian channel for ε nats, T = 1"): (
        0.5,
        lambda epsilon: math.sqrt(least_variance(epsilon / math.log(2))),
        3e-6,
    ),
    ("utility", "variance of Laplace noise, Δf = 1"): (1.0, laplace_variance, 1e-9),
    ("Section 5.2", "exact δ of the Gaussian mechanism with the noise of eq. (119) for δ' = 1e-5"): (
        8.0,
        exact_delta,
        1e-6,
    ),
    ("Section 5.2", "sensitivity of f(x) = x for one record in [-T, T]"): (
        3.0,
        lambda bound: max(abs(x - y) for x, y in itertools.product(np.linspace(-bound, bound, 11), repeat=2)),
        1e-12,
    ),
    ("Section 5.2", "standard deviation of Laplace noise, Δf = T = 1"): (
        2.0,
        lambda epsilon: math.sqrt(laplace_variance(epsilon)),
        1e-9,
    ),
    ("private-mean", "limit of Pr[|W - μ| ≥ 1], T = 1, ε in nats"): (
        0.5,
        lambda epsilon: 2 * stats.norm(0, math.sqrt(channel_noise(epsilon))).sf(1),
        1e-9,
    ),
    ("private-mean", "Pr[|W - μ| ≥ 1] for 100 fair coins ±1, T = 1, ε in nats"): (0.5, coins_miss, 1e-9),
    ("Proposition 4, proof", "Var(W) for 10⁹ records, T = σ = 1, ε in nats"): (
        0.5,
        lambda epsilon: channel_noise(epsilon) + 1e-9,
        1e-12,
    ),
    ("Theorem 4", "what Example 1 through BSC(p) tells about both records, bits"): (
        FIFTH,
        lambda p: blahut([bsc(p)[int(a == b)] for a, b in itertools.product(range(3), range(2))]),
        1e-6,
    ),
    ("Theorem 5", "what Example 1, told twice through BSC(p), tells about one record, bits"): (FIFTH, twice, 1e-5),
    ("Lemma 6", "I(X_1;Y) of the law in the erratum, bits"): (FIFTH, lemma_law, 1e-12),
    ("composition", "what two parities of two bits through BSC(p) tell about one person, bits"): (
        FIFTH,
        lambda p: blahut(np.kron(bsc(p), bsc(p))),
        1e-5,
    ),
    ("composition", "the tightened bound for the same, bits"): (FIFTH, lambda p: 2 - 2 * h2(float(p)), 1e-6),
    (
        "Proposition 6",
        "C^21 of a ternary record told truly with probability 4/5, for k values in the other data set, bits",
    ): (3, across, 1e-5),
    ("Proposition 7", "τ for X_1 = X_2 through a BSC(p) each, bits"): (
        FIFTH,
        lambda p: twice(p) - (1 - h2(float(p))),
        1e-5,
    ),
}
