"""Wu, Xia, He: what a report says about one person, whoever knows what. Theory: docs/theory/individual_capacity.md."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce.helper import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    SURFACE,
    VERMILION,
    Cell,
    Entry,
    Erratum,
    Paper,
    Table,
    floats,
    house_style,
    must_show,
    new_figure,
)
from sfumato import measures
from sfumato.ledger.composition import (
    TwoDataSets,
    compose,
    compose_parallel,
    compose_two_data_sets,
    cross_capacity_bits,
    group_bound_bits,
    joint_of_two_data_sets,
)
from sfumato.measures.amplitude import amplitude_capacity
from sfumato.measures.balances import Balance, balance_curve, plateau_bits
from sfumato.measures.capacity import capacity_bits
from sfumato.measures.individual import (
    group_capacity_bits,
    individual_capacity_bits,
    max_individual_capacity_bits,
    neighbour_epsilon,
    neighbour_odds,
    selected_channels,
    worst_correlation,
)
from sfumato.measures.ldp import epsilon as ldp_epsilon
from sfumato.measures.shannon import max_information_bits
from sfumato.noise.channels import FlipDesign, exponential, exponential_of, noise_entropy_nats
from sfumato.noise.channels import flip as flip_for
from sfumato.noise.gaussian_designs import gaussian, normal_error_chance
from sfumato.numbers.intervals import Interval, entropy_interval
from sfumato.prob import Channel, Distribution

# --- Formulas of [E] as they stand in print, right or wrong; nothing else may compute with them.

# [E, Sec. 3.1]: the selected channels of Example 1, by record.
SELECTIONS = {1: 8, 2: 9}


def printed_flip_bits(flip: float) -> float:
    """[E, (54)]: log 2 - H(p), with ε between 0 and 1 and so in bits."""
    p = float(flip)
    return 1 + p * math.log2(p) + (1 - p) * math.log2(1 - p)


def printed_flip(budget_bits: float) -> float:
    """[E, (57)]: the solution p* below a half of H(p) = log 2 - ε."""
    return _root(lambda p: float(budget_bits) - printed_flip_bits(p), 1e-12, 0.5)


def printed_settled(values: int) -> int:
    """[E, Sec. 4.1]: how many yes/no functions of a record with so many values and of a bit reach the bound, known."""
    return 2 ** (2 * values) - 2 if values == 2 else 0


def printed_symmetric_bits(noise: Sequence[Fraction]) -> float:
    """[E, (65)]: log|Y| - H(Z)."""
    return math.log2(len(noise)) + math.fsum(float(p) * math.log2(p) for p in noise)


def printed_noise_entropy(outputs: int, rate: float, log: Callable[[float], float] = math.log2) -> float:
    """[E, (82)], with the logarithm that the rest of the section has; `math.log` makes it right."""
    geometric = (1 - math.exp(-outputs * rate)) / (1 - math.exp(-rate))
    return log(geometric) + rate / (math.exp(rate) - 1) - outputs * rate / (math.exp(outputs * rate) - 1)


def printed_rate(outputs: int, budget_bits: float) -> float:
    """[E, (83)], in nats on both sides: λ where log k - H(Z) is the budget."""
    nats = float(budget_bits) * math.log(2)
    return _root(lambda rate: nats - math.log(outputs) + printed_noise_entropy(outputs, rate, math.log), 30.0, 1e-6)


def printed_largest_rate(budget_bits: float) -> float:
    """[E, after (82)]: λ = 1/N ≤ 1, whatever the budget."""
    return 1.0 + 0.0 * float(budget_bits)


def printed_max_information_bits(epsilon: float) -> float:
    """[E, Thm 1] with [E, Def. 10] as others define it: ε bits, of the ε of differential privacy."""
    return epsilon


def printed_degenerate_bits(odds: float) -> float:
    """[E, after (14)]: what (10) is said to reach at a degenerate law of the record."""
    return math.log2(odds)


def printed_epsilon(capacity_bits: float) -> float:
    """[E, abstract]: with independent records C_1 ≤ ε makes a channel ε-differentially private; in nats."""
    return capacity_bits * math.log(2)


def printed_plateau_bits(records: int) -> float:
    """[E, after Lemma 1]: the larger b, the larger δ; so g leaves 0 at once."""
    return 0.0 * records


def printed_least_entropy(bound: float) -> float:
    """[E, (18)]: all laws are in Δ(X)_0, so the largest entropy is at least 0."""
    return 0.0 * bound


def printed_gaussian_bits(ratio: float) -> float:
    """[E, (115) and (118)] at T²/N = ratio, in bits."""
    return math.log2(1 + ratio) / 2


def printed_gaussian_variance(epsilon: float, bound: float = 1.0) -> float:
    """[E, (117)]: N for the budget ε."""
    return bound**2 / (math.exp(2 * epsilon) - 1)


def printed_gaussian_deviation(epsilon: float, bound: float = 1.0) -> float:
    """[E, (120)]: √N, called a variance."""
    return bound / math.sqrt(math.exp(2 * epsilon) - 1)


def printed_laplace(epsilon: float, sensitivity: float = 1.0) -> float:
    """[E, Sec. 5.2]: called the variance of the Laplace mechanism."""
    return sensitivity / epsilon


def printed_gaussian_mechanism(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """[E, (119)]: called the variance of the Gaussian mechanism; it is the standard deviation."""
    return math.sqrt(2 * math.log(1.25 / delta)) * sensitivity / epsilon


def printed_sensitivity(bound: float) -> float:
    """[E, Sec. 5.2]: Δf ≤ T for f between -T and T."""
    return bound


def printed_miss(epsilon: float, tau: float, bound: float = 1.0) -> float:
    """[E, (122)] without ignorance: the limit of Pr[|W - μ| ≥ τ]."""
    return bound**2 / (tau**2 * (math.exp(2 * epsilon) - 1))


def printed_limit_variance(epsilon: float) -> float:
    """[E, after (123)]: Var(W) → 0."""
    return 0.0 * epsilon


def printed_joint_bits(own: Sequence[float], other: Sequence[float]) -> float:
    """[E, (162)]: all four capacities."""
    return math.fsum((*own, *other))


def printed_across(own_bits: float) -> float:
    """[E, after Prop 6]: C^21 is larger than this, C^11."""
    return own_bits


def printed_excess(flip: float | Fraction) -> float:
    """[E, Prop 7]: a τ ≥ 0; that it is positive is left as future work."""
    return 0.0 * float(flip)


def _root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that is negative at `low` and positive at `high` vanishes."""
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)
    return (low + high) / 2


# --- [E, Lemma 6] term by term, as printed and by the chain rule, for a law of (x_1^1, x_1^2, y^1, y^2).

Law = Mapping[tuple[int, ...], Fraction]


def joint_bits(law: Law) -> float:
    """I(X_1; Y^1, Y^2) of the person whose records are both values."""
    masses = _marginal(law, (0, 1))
    pairs = sorted(masses)
    reports = sorted({x[2:] for x in law})
    rows = [[law.get((*pair, *report), Fraction(0)) / masses[pair] for report in reports] for pair in pairs]
    return measures.mutual_information_bits(Channel(rows), Distribution([masses[pair] for pair in pairs]))


def printed_lemma_6_bits(law: Law) -> float:
    """[E, (160) and (161)]: the last term weighs with p(y^1)·p(x_1^1)."""
    first, second = _marginal(law, (0,)), _marginal(law, (2,))
    weights: dict[tuple[int, ...], Fraction] = {(a, y): first[a,] * second[y,] for (a,) in first for (y,) in second}
    return _shared_terms(law) + _last_term(law, weights)


def chain_rule_bits(law: Law) -> float:
    """The same with p(x_1^1 | y^1) in the last term."""
    return _shared_terms(law) + _last_term(law, _marginal(law, (0, 2)))


def _shared_terms(law: Law) -> float:
    own = _bits(law, (0,), (2,))
    other = math.fsum(float(p) * _bits(_given(law, (0,), a), (1,), (2,)) for a, p in _marginal(law, (0,)).items())
    later = math.fsum(float(p) * _bits(_given(law, (2,), y), (0,), (3,)) for y, p in _marginal(law, (2,)).items())
    return math.fsum((own, other, later))


def _last_term(law: Law, weights: Mapping[tuple[int, ...], Fraction]) -> float:
    return math.fsum(float(p) * _bits(_given(law, (0, 2), at), (1,), (3,)) for at, p in weights.items())


def _marginal(law: Law, axes: Sequence[int]) -> dict[tuple[int, ...], Fraction]:
    found: dict[tuple[int, ...], Fraction] = {}
    for cell, p in law.items():
        key = tuple(cell[axis] for axis in axes)
        found[key] = found.get(key, Fraction(0)) + p
    return found


def _given(law: Law, axes: Sequence[int], values: Sequence[int]) -> Law:
    kept = {cell: p for cell, p in law.items() if all(cell[axis] == v for axis, v in zip(axes, values, strict=True))}
    whole = sum(kept.values(), Fraction(0))
    return {cell: p / whole for cell, p in kept.items()}


def _bits(law: Law, first: Sequence[int], second: Sequence[int]) -> float:
    left, right, both = _marginal(law, first), _marginal(law, second), _marginal(law, (*first, *second))
    cut = len(first)
    return math.fsum(float(p) * math.log2(p / (left[at[:cut]] * right[at[cut:]])) for at, p in both.items() if p)


# --- The settings of [E], built once: its example, yes/no answers about bits, counts, noise, and two data sets.

LN2 = math.log(2)
TENTH, HALF = Fraction(1, 10), Fraction(1, 2)
SHAPE_1 = (3, 2)

# f(x1, x2) = 1 if x1 = x2, over all data sets with the last record running fastest.
TRUTH_1 = tuple(int(a == b) for a, b in itertools.product(range(3), range(2)))
QUESTIONS: Mapping[str, Callable[[tuple[int, ...]], int]] = MappingProxyType(
    {
        "parity": lambda x: sum(x) % 2,
        "and": lambda x: int(all(x)),
        "nand": lambda x: 1 - int(all(x)),
        "majority": lambda x: int(2 * sum(x) > len(x)),
    }
)


def example_1(flip: Fraction) -> Channel:
    """[E, Ex. 1] through the binary symmetric channel of Sec. 4.1."""
    return FlipDesign(flip=flip).channel(TRUTH_1)


def selections(flip: Fraction, record: int) -> list[tuple[tuple[int, ...], float]]:
    """For every channel that record 1 or 2 can select: the answers that its values meet, and the capacity in bits."""
    plain = selected_channels(FlipDesign(flip=Fraction(0)).channel(TRUTH_1), SHAPE_1, record - 1)
    noisy = selected_channels(example_1(flip), SHAPE_1, record - 1)
    return [
        (tuple(int(row[1]) for row in truth.rows), capacity_bits(channel).midpoint)
        for truth, channel in zip(plain, noisy, strict=True)
    ]


def individual_bits(flip: Fraction, truth: Sequence[int] = TRUTH_1, shape: Sequence[int] = SHAPE_1) -> float:
    """C_1 of a yes/no function through the binary symmetric channel."""
    return individual_capacity_bits(FlipDesign(flip=flip).channel(truth), shape, gap_bits=1e-9).midpoint


def settled(values: int, flip: Fraction = TENTH) -> int:
    """How many functions of a record with so many values and of a bit have C_1 = 1 - H2(flip)."""
    full = FlipDesign(flip=flip).capacity_bits.midpoint
    tables = itertools.product((0, 1), repeat=2 * values)
    return sum(abs(individual_bits(flip, truth, (values, 2)) - full) < 1e-8 for truth in tables)


def truth_of(question: str, records: int) -> tuple[int, ...]:
    """The value of a question for every data set of bits."""
    return tuple(QUESTIONS[question](x) for x in itertools.product((0, 1), repeat=records))


@lru_cache(maxsize=64)
def balances(question: str, points: tuple[float, ...], records: int = 3, flip: Fraction = TENTH) -> tuple[Balance, ...]:
    """g at these points for a question about bits, told through a binary symmetric channel."""
    channel = FlipDesign(flip=flip).channel(truth_of(question, records))
    return balance_curve(channel, (2,) * records, points)


def geometric_count(odds: Fraction) -> Channel:
    """The count of two bits plus truncated geometric noise; neighbours differ by exactly these odds."""
    ratio = 1 / odds
    rows = []
    for count in (0, 1, 1, 2):
        row = [(1 - ratio) / (1 + ratio) * ratio ** abs(count - y) for y in range(3)]
        row[0], row[2] = ratio**count / (1 + ratio), ratio ** (2 - count) / (1 + ratio)
        rows.append(row)
    return Channel(rows)


def one_bit(odds: Fraction) -> Channel:
    """Randomised response with these odds."""
    return FlipDesign(flip=1 / (1 + odds)).channel((0, 1))


def rarely_told(odds: Fraction, chance: Fraction = Fraction(1, 100)) -> Channel:
    """Mostly silent about a bit; with probability `chance` a report that favours one value by these odds."""
    told = (chance * odds / (1 + odds), chance / (1 + odds))
    return Channel([[told[0], told[1], 1 - chance], [told[1], told[0], 1 - chance]])


def max_information(odds: Fraction, surprise: Fraction) -> float:
    """I_∞ in bits of randomised response, for a bit that is 1 with probability `surprise`, over what can happen."""
    rows = [row for row, chance in zip(one_bit(odds).rows, (1 - surprise, surprise), strict=True) if chance]
    return max_information_bits(Channel(rows), Distribution([p for p in (1 - surprise, surprise) if p]))


def on_a_line(outputs: int) -> list[list[int]]:
    """Distortion |y - y'|."""
    return [[abs(y - z) for z in range(outputs)] for y in range(outputs)]


def on_line_bits(outputs: int, ratio: Fraction = HALF) -> Interval:
    """The capacity of the exponential channel whose answers lie on a line, at e^-λ = ratio."""
    return exponential_of(on_a_line(outputs), ratio=ratio).capacity_bits


def rate_for(outputs: int, budget_bits: float) -> float:
    """The λ at which log2 k - H(Z) is the budget, by the software's H(Z)."""
    from scipy.optimize import brentq

    goal = math.log(outputs) - float(budget_bits) * LN2
    return float(brentq(lambda rate: noise_entropy_nats(outputs, rate) - goal, 1e-6, 30.0, xtol=1e-12))


def gaussian_bits(ratio: float, points: int | None = None, gap_bits: float = 1e-6) -> float:
    """The capacity at T²/N = ratio; `points`: of a record with so many values."""
    return amplitude_capacity(ratio, points=points, gap_bits=gap_bits).bits.midpoint


@lru_cache(maxsize=64)
def least_variance(budget_bits: float) -> float:
    """N for T = 1 where the capacity meets the budget: secants in log(T²/N), in which the capacity is nearly linear."""
    from scipy.optimize import newton

    start = math.log((4.0**budget_bits - 1) * (0.5 + 1.06 * budget_bits))  # near enough to need few capacities
    found = newton(lambda log: gaussian_bits(math.exp(log)) - budget_bits, start, x1=start + 0.01, tol=1e-7)
    return math.exp(-float(found))


def two_parities(flip: Fraction) -> tuple[Channel, TwoDataSets]:
    """The parity of two bits, told of two data sets of the same two people."""
    channel = FlipDesign(flip=flip).channel(truth_of("parity", 2))
    return channel, compose_two_data_sets(channel, (2, 2), channel, (2, 2))


def randomised_of_three(kept: Fraction = Fraction(4, 5)) -> Channel:
    """A record of three values, told truly with probability `kept`."""
    other = (1 - kept) / 2
    return Channel([[kept if x == y else other for y in range(3)] for x in range(3)])


def lemma_6_law(flip: Fraction) -> dict[tuple[int, ...], Fraction]:
    """P(x_1^1, x_1^2, y^1, y^2) of two people with two data sets, where [E, (161)] can be told from the chain rule.

    In the first data set a = x_1^1 is a fair bit and b = x_2^1 is 1 with probability 1/4; y^1 is their parity through
    BSC(flip). In the second x_1^2 = 0 if b = 1 and a fair bit otherwise, and y^2 tells it plainly.
    """
    law: dict[tuple[int, ...], Fraction] = {}
    for a, b, c, y in itertools.product((0, 1), repeat=4):
        if b and c:
            continue
        chance = HALF * (Fraction(1, 4) if b else Fraction(3, 8)) * (flip if y != a ^ b else 1 - flip)
        law[a, c, y, c] = law.get((a, c, y, c), Fraction(0)) + chance
    return law


# --- Noise for numbers, in one unit: standard deviations, what the mean of n records misses, and the exact δ.
#
# The mechanisms of differential privacy hide one record from those who know all others; the Gaussian channel of [E]
# limits what anybody learns about one record. The same ε, in nats, means different things for them, and
# nothing here says that they are equally private; but the noise can be compared.


def laplace_deviation(epsilon: float, sensitivity: float = 1.0) -> float:
    """√2·Δf/ε."""
    return math.sqrt(2) * sensitivity / epsilon


def gaussian_mechanism_deviation(epsilon: float, delta: float = 1e-5, sensitivity: float = 1.0) -> float:
    """σ of the rule for ε ≤ 1, which is a standard deviation already."""
    return printed_gaussian_mechanism(epsilon, delta, sensitivity)


def least_deviation(epsilon: float) -> float:
    """√N of the Gaussian channel for T = 1 and ε nats, by the capacity under the amplitude limit."""
    return math.sqrt(least_variance(epsilon / LN2))


def largest_entropy_bits(bound: float) -> float:
    """By [E, (85)], of a record in [-bound, bound]: that of the uniform law."""
    return math.log2(2 * bound)


def sensitivity_of_mean(bound: float, records: int) -> float:
    """The largest move of a mean of records in [-bound, bound] when one changes: from all low to one high."""
    low = [-bound] * records
    high = [bound, *low[1:]]
    return math.fsum(high) / records - math.fsum(low) / records


def gaussian_delta(deviation: float, epsilon: float) -> float:
    """The least δ for which noise N(0, σ²) on a number of sensitivity 1 is (ε, δ)-differentially private."""
    half = 1 / (2 * deviation)
    return _phi(half - epsilon * deviation) - math.exp(epsilon) * _phi(-half - epsilon * deviation)


def mean_variance(epsilon: float, records: int, spread: float = 1.0) -> float:
    """Var(W) = σ²/n + N of the private mean of [E, Prop 4] with T = 1, without ignorance."""
    return spread**2 / records + printed_gaussian_variance(epsilon)


def limit_miss(epsilon: float, tau: float) -> float:
    """lim Pr[|W - μ| ≥ τ] = 2Φ(-τ/√N) for T = 1."""
    return normal_error_chance(tau, printed_gaussian_variance(epsilon))


def miss(epsilon: float, tau: float, records: int) -> float:
    """Pr[|W - μ| ≥ τ] for `records` fair coins ±1: over all counts of heads."""
    deviation = printed_gaussian_deviation(epsilon)
    terms = []
    for heads in range(records + 1):
        log_weight = math.lgamma(records + 1) - math.lgamma(heads + 1) - math.lgamma(records - heads + 1)
        mean = (2 * heads - records) / records
        both = _phi((-tau - mean) / deviation) + _phi((mean - tau) / deviation)
        terms.append(math.exp(log_weight - records * math.log(2)) * both)
    return math.fsum(terms)


def _phi(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2


# --- [E]'s example and equations as tables, print beside recomputed, and further than the print goes.

BUDGETS = (0.5, 1.0, 1.5, 2.0)
FLIPS = (Fraction(1, 20), Fraction(1, 10), Fraction(1, 5), Fraction(3, 10))


def table_of_example_1(*, p: Fraction = TENTH) -> Table:
    """The 17 channels of Example 1, grouped by what they are."""
    rows: list[tuple[Cell, ...]] = []
    for record in (1, 2):
        groups: dict[tuple[int, ...], list[float]] = {}
        for answers, bits in selections(p, record):
            groups.setdefault(answers, []).append(bits)
        rows.extend(
            (f"record {record}", ", ".join(map(str, answers)), str(len(bits)), f"{max(bits):.6f}")
            for answers, bits in sorted(groups.items())
        )
    full = FlipDesign(flip=min(p, 1 - p)).capacity_bits.midpoint
    reached = (
        f"C_1 = 1 - H2({p}) = {full:.6f} bits. Record 1 has three values, for which the print leaves open whether the "
        f"bound is reached: six of its eight channels reach it."
    )
    return Table(
        title=f"Example 1 through BSC({p}): the channels that a record can select",
        columns=("record", "f for each of its values", "channels", "capacity, bits"),
        rows=tuple(rows),
        notes=(reached,),
    )


def gaussian_noise(*, budgets: tuple[float, ...] = BUDGETS) -> Table:
    """The printed formula beside the capacity, and the noise for a budget."""
    rows: list[tuple[Cell, ...]] = []
    for budget in budgets:
        ratio = 4.0**budget - 1
        said, least = printed_gaussian_variance(budget * LN2), least_variance(budget)
        rows.append(
            (
                f"{budget:g}",
                f"{ratio:g}",
                f"{printed_gaussian_bits(ratio):.5f}",
                f"{gaussian_bits(ratio):.5f}",
                f"{gaussian_bits(ratio, 2):.5f}",
                f"{said:.5f}",
                f"{least:.5f}",
                f"{said / least:.3f}",
            )
        )
    found = gaussian(bound=1, budget_bits=1.0)
    discrete = (
        f"The software adds discrete noise, which can be drawn exactly: for one bit its variance is "
        f"{found.variance:.5f}·T², certified to tell at most {found.capacity_bits.upper:.6f} bits."
    )
    return Table(
        title="Gaussian channel with |f| ≤ T: capacity at the printed noise, and the least noise",
        columns=(
            "budget, bits",
            "T²/N printed",
            "bits printed",
            "bits",
            "bits, record of 2 values",
            "N/T² printed",
            "least N/T²",
            "ratio",
        ),
        rows=tuple(rows),
        notes=(
            "T is half the width of the range of f: centre f first. Eq. (117) has ε in nats.",
            discrete,
        ),
    )


def composition(*, flips: tuple[Fraction, ...] = FLIPS) -> Table:
    """Two data sets of the same people: the printed sum, the tightened one, and what is told."""
    rows = [_parities(flip) for flip in flips]
    rows.append(_two_bits_told())
    excesses = "; ".join(f"p = {float(flip):g}: {_excess(flip):.5f}" for flip in flips)
    return Table(
        title="Two releases about two data sets of the same two people, bits about one of them",
        columns=("releases", "C^11 + C^22", "four terms, eq. (162)", "tightened", "told"),
        rows=tuple(rows),
        notes=(
            "The last row shows that the cross terms are not idle: the first release alone tells the pair of values.",
            f"Parallel composition: τ of Proposition 7 for X_1 = X_2 through a BSC(p) each. {excesses}.",
        ),
    )


def _parities(flip: Fraction) -> tuple[Cell, ...]:
    channel, _ = two_parities(flip)
    return _row(f"parity through BSC({float(flip):g}), twice", channel, channel)


def _two_bits_told() -> tuple[Cell, ...]:
    plain = Channel([[int(x == y) for y in range(4)] for x in range(4)])
    silent = Channel([[1]] * 4)
    return _row("two bits told plainly; nothing", plain, silent)


def _row(name: str, first: Channel, second: Channel) -> tuple[Cell, ...]:
    found = compose_two_data_sets(first, (2, 2), second, (2, 2))
    told = joint_of_two_data_sets(first, (2, 2), second, (2, 2))
    own = sum(bits.midpoint for bits in found.own)
    return name, f"{own:.4f}", f"{found.printed_bound:.4f}", f"{found.bound:.4f}", f"{told.midpoint:.4f}"


def _excess(flip: Fraction) -> float:
    noisy = one_bit((1 - flip) / flip)
    return compose_parallel([noisy, noisy], [(2,), (2,)]).excess.midpoint


TABLES = {
    "example-1": table_of_example_1,
    "gaussian-noise": gaussian_noise,
    "composition": composition,
}


# --- Noise on numbers [E, Sec. 5], drawn: capacity, the noise for a budget, its standard deviation, and a private mean.

# T²/N, evenly on a logarithmic scale; every curve is drawn along these, so that no equation has to be solved.
RATIOS = tuple(2.0 ** (k / 4) for k in range(-20, 23))
NAMED = (1.0, 3.0, 7.0, 15.0)
RECORDS, DELTA = 100, 1e-5

# Up to the ε of the last T²/N.
EPSILONS = tuple(0.05 * 2 ** (k / 4) for k in range(20))
TAUS = tuple(0.05 + 0.05 * k for k in range(30))

# Less than the width of a line.
_DRAWN = 1e-4
MEANS = (0.5, 1.0)


def capacities(ratios: Sequence[float] = RATIOS, points: int | None = None) -> list[float]:
    """In bits, at each T²/N."""
    return [gaussian_bits(ratio, points, gap_bits=_DRAWN) for ratio in ratios]


def draw_gaussian(*, ratios: tuple[float, ...] = RATIOS, marked: tuple[float, ...] = NAMED) -> Figure:
    """The Gaussian channel with |f| ≤ T: eq. (115) is an upper bound, and less noise meets the budget."""
    with house_style():
        figure = new_figure(10.2, 4.0)
        left, right = figure.subplots(1, 2)
        said = [printed_gaussian_bits(ratio) for ratio in ratios]
        true, two = capacities(ratios), capacities(ratios, points=2)
        for axes, along in ((left, None), (right, [1 / ratio for ratio in ratios])):
            for bits, colour, style, words in (
                (said, GREY, ":", "½ log2(1 + T²/N), eq. (115)"),
                (true, BLUE, "-", "capacity"),
                (two, VERMILION, "--", "capacity, record of two values"),
            ):
                if along is None:
                    axes.semilogx(ratios, bits, color=colour, linestyle=style, label=words)
                else:
                    axes.semilogy(bits, along, color=colour, linestyle=style, label=words)
        left.plot(marked, capacities(marked), "o", color=BLACK, markersize=4)
        left.set(xlabel="T²/N", ylabel="bits", ylim=(0, 2.6), xlim=(ratios[0], ratios[-1]))
        left.set_title("what the channel tells at most")
        left.legend(loc="upper left")
        right.set(xlabel="budget, bits", ylabel="N/T²", xlim=(0, 2), ylim=(0.02, 30))
        right.set_title("the noise that a budget needs")
        right.legend(loc="upper right")
        return figure


def utility(*, records: int = RECORDS, delta: float = DELTA) -> Figure:
    """Standard deviations in one unit, for the mean of 100 records and for any f between -T and T; T = 1."""
    with house_style():
        figure = new_figure(10.2, 4.2)
        panels = figure.subplots(1, 2, sharey=True)
        settings = (
            (panels[0], sensitivity_of_mean(1.0, records), f"mean of {records} records: Δf = 2T/{records}"),
            (panels[1], 2.0, "any f: Δf up to 2T"),
        )
        for axes, sensitivity, title in settings:
            _deviations(axes, sensitivity, delta)
            axes.set(xlabel="ε, nats", xlim=(EPSILONS[0], EPSILONS[-1]), ylim=(0.01, 300))
            axes.set_title(title)
        panels[0].set_ylabel("standard deviation, T = 1")
        panels[0].legend(loc="upper right", fontsize=9)
        return figure


def private_mean(*, epsilons: tuple[float, ...] = MEANS, taus: tuple[float, ...] = TAUS) -> Figure:
    """How probably a private mean of many records misses by τ: the limit, and eq. (122), which is Chebyshev's bound."""
    with house_style():
        figure = new_figure(6.4, 4.0)
        axes = figure.subplots()
        for place, epsilon in enumerate(epsilons):
            colour = (VERMILION, BLUE, GREEN)[place % 3]
            limit = [limit_miss(epsilon, tau) for tau in taus]
            axes.semilogy(taus, limit, color=colour, label=f"limit, ε = {_nats(epsilon)}")
            said = [printed_miss(epsilon, tau) for tau in taus]
            axes.semilogy(taus, said, color=colour, linestyle=":", label=f"eq. (122), ε = {_nats(epsilon)}")
        axes.axhline(1, color=GREY, linewidth=1)
        axes.set(xlabel="τ, with T = 1", ylabel="Pr[|W - μ| ≥ τ]", xlim=(0, max(taus)), ylim=(1e-4, 30))
        axes.legend(loc="lower left")
        return figure


def _deviations(axes: Axes, sensitivity: float, delta: float) -> None:
    within = [epsilon for epsilon in EPSILONS if epsilon <= 1]
    axes.loglog(
        EPSILONS,
        [laplace_deviation(epsilon, sensitivity) for epsilon in EPSILONS],
        color=VERMILION,
        label="Laplace mechanism, √2·Δf/ε",
    )
    axes.loglog(
        within,
        [gaussian_mechanism_deviation(epsilon, delta, sensitivity) for epsilon in within],
        color=GREEN,
        linestyle="-.",
        label=f"Gaussian mechanism, eq. (119), δ' = {'10⁻⁵' if delta == DELTA else format(delta, 'g')}",
    )
    axes.loglog(
        EPSILONS,
        [printed_gaussian_deviation(epsilon) for epsilon in EPSILONS],
        color=GREY,
        linestyle=":",
        label="Gaussian channel, eq. (120)",
    )
    axes.loglog(
        [bits * LN2 for bits in capacities()],
        [1 / math.sqrt(ratio) for ratio in RATIOS],
        color=BLUE,
        label="Gaussian channel, by its capacity",
    )


def _nats(epsilon: float) -> str:
    return "1 nat" if epsilon == 1 else f"{epsilon:g} nats"


# --- [E, Fig. 1] and what its equations look like when they are drawn: budgets and leaks. Data first, drawing after.
#
# Figure 2 of the paper is a diagram of models and holds no numbers; it is not redrawn.

FIGURE_BUDGETS = tuple(Fraction(k, 50) for k in range(1, 50))
FEW_BUDGETS = tuple(Fraction(k, 10) for k in range(1, 10))
OUTPUTS = (2, 4, 8)
POINTS = (0.0, 1.0, *(2 + k / 20 for k in range(20)), 2.98, 3.0)

# From 1/2 down to 1/8192, four to an octave.
SURPRISES = tuple(Fraction(2.0 ** (-k / 4)).limit_denominator(10**6) for k in range(52, 3, -1))
_COLOURS = {"parity": (BLUE, "-"), "and": (VERMILION, "-"), "nand": (BLACK, ":"), "majority": (GREEN, "--")}


def flips(budgets: Sequence[Fraction] = FIGURE_BUDGETS) -> list[float]:
    """The software's flip for each budget."""
    return [float(flip_for(budget_bits=budget).flip) for budget in budgets]


def sharpest_rates(outputs: int, budgets: Sequence[Fraction] = FEW_BUDGETS) -> list[float]:
    """λ of the exponential channel on a line whose certified capacity, not its bound (84), meets the budget."""
    table = on_a_line(outputs)
    return [exponential(table, budget_bits=budget).rate for budget in budgets]


def equal_bits(odds: Fraction, surprises: Sequence[Fraction] = SURPRISES) -> list[float]:
    """I_∞ of one of two bits that are known to be equal and to be 1 with probability s."""
    leak = worst_correlation(geometric_count(odds), (2, 2))
    return [leak.max_information_bits(surprise) for surprise in surprises]


def independent_bits(odds: Fraction, surprises: Sequence[Fraction] = SURPRISES) -> list[float]:
    """The same where the other bit is independent, and known, so that neighbours' odds are all there is."""
    between = Fraction(neighbour_odds(geometric_count(odds), (2, 2)))
    return [max_information(between, surprise) for surprise in surprises]


def figure_1(*, p: Fraction = TENTH) -> Figure:
    """Example 1 through BSC(1/10): its matrix, and the 8 and 9 channels that a record can select, with capacities."""
    with house_style():
        figure = new_figure(10.2, 4.2)
        grid = figure.add_gridspec(2, 2, width_ratios=(1.0, 2.5))
        for y in (0, 1):
            _plane(figure.add_subplot(grid[y, 0]), y)
        for record in (1, 2):
            _selected(figure.add_subplot(grid[record - 1, 1]), record, p)
        return figure


def budgets(
    *,
    epsilons: tuple[Fraction, ...] = FIGURE_BUDGETS,
    marked: tuple[Fraction, ...] = FEW_BUDGETS,
    sizes: tuple[int, ...] = OUTPUTS,
) -> Figure:
    """Left: the flip for a budget. Right: the rate of the exponential channel, by (83) and by its own capacity."""
    with house_style():
        figure = new_figure(10.2, 4.0)
        left, right = figure.subplots(1, 2)
        left.plot(floats(epsilons), flips(epsilons), color=BLUE, label="the software's flip")
        few = [printed_flip(float(budget)) for budget in marked]
        left.plot(floats(marked), few, "o", color=BLACK, markersize=4, label="H(p) = log 2 - ε, eq. (57)")
        left.set(xlabel="budget ε, bits", ylabel="flip p*", xlim=(0, 1), ylim=(0, 0.5))
        left.set_title("binary symmetric channel")
        left.legend()
        for place, k in enumerate(sizes):
            colour = (BLUE, GREEN, VERMILION)[place % 3]
            right.plot(
                floats(epsilons),
                [rate_for(k, float(budget)) for budget in epsilons],
                color=colour,
                label=f"{k} answers, eq. (83)",
            )
            right.plot(floats(marked), sharpest_rates(k, marked), "x", color=colour, markersize=6)
        right.plot([], [], "x", color=GREY, label="by the capacity itself, answers on a line")
        right.axhline(1, color=GREY, linestyle=":", linewidth=1.2, label="λ ≤ 1 in the print")
        right.set(xlabel="budget ε, bits", ylabel="rate λ", xlim=(0, 1), ylim=(0, 5))
        right.set_title("exponential channel")
        right.legend()
        return figure


def correlated(*, odds: Fraction = Fraction(2)) -> Figure:
    """A count of two bits with geometric noise of odds 2: what one report can say about one of them."""
    with house_style():
        figure = new_figure(6.2, 3.9)
        axes = figure.subplots()
        axes.semilogx(floats(SURPRISES), equal_bits(odds), color=VERMILION, label="the bits are known to be equal")
        axes.semilogx(
            floats(SURPRISES), independent_bits(odds), color=BLUE, linestyle="--", label="the bits are independent"
        )
        once = math.log2(odds)
        for bits, words in (
            (once, f"ε = ln {odds} nats = {once:.3g} bit: differential privacy"),
            (2 * once, f"with correlations: {2 * once:.3g} bits"),
        ):
            axes.axhline(bits, color=GREY, linestyle=":", linewidth=1.2)
            axes.annotate(words, (2e-4, bits), xytext=(0, 5), textcoords="offset points", color=GREY, fontsize=9)
        axes.set(xlabel="chance that the adversary gives to a 1", ylabel="max-information, bits", ylim=(0, 2.3 * once))
        axes.legend(loc="lower left")
        return figure


def balance(*, points: tuple[float, ...] = POINTS) -> Figure:
    """What ignorance is worth: g(b) of four questions about three bits through BSC(1/10), and where it leaves 0."""
    with house_style():
        figure = new_figure(7.4, 4.4)
        axes = figure.subplots()
        for size, (name, (colour, style)) in zip((13, 10, 7, 7), _COLOURS.items(), strict=True):
            found = balances(name, points)
            end = plateau_bits(truth_of(name, 3), (2, 2, 2))
            axes.plot(
                points,
                [one.bits.midpoint for one in found],
                color=colour,
                linestyle=style,
                label=f"{name}: 0 up to b = {end:.4g}",
            )
            axes.plot([end], [0.0], "o", color=colour, markersize=size, clip_on=False, zorder=3)
        highest = balances("parity", points)[0].unconstrained.upper
        axes.axhline(highest, color=GREY, linestyle=":", linewidth=1.2)
        axes.annotate("$C_1$", (0, highest), xytext=(4, 4), textcoords="offset points", color=GREY)
        axes.set(
            xlabel="b: the adversary lacks at least so many of 3 bits", ylabel="g(b), bits", xlim=(0, 3), ylim=(0, 0.6)
        )
        axes.legend(loc="upper left", bbox_to_anchor=(0.02, 0.85))
        return figure


def _plane(axes: Axes, y: int) -> None:
    from matplotlib.patches import Rectangle

    for place, value in enumerate(TRUTH_1):
        a, b = divmod(place, SHAPE_1[1])
        likely = value == y
        axes.add_patch(Rectangle((a - 0.5, b - 0.5), 1, 1, facecolor=BLUE if likely else "#dfe7ee", edgecolor="white"))
        axes.text(a, b, "1-p" if likely else "p", ha="center", va="center", color="white" if likely else BLACK)
    axes.set(xticks=range(3), yticks=range(2), ylabel="$x_2$", xlim=(-0.5, 2.5), ylim=(-0.5, 1.5))
    if y:
        axes.set_xlabel("$x_1$")
    axes.grid(visible=False)
    axes.set_title(f"P(y = {y} | x₁, x₂)")


def _selected(axes: Axes, record: int, p: Fraction) -> None:
    found = sorted(selections(p, record), key=lambda one: (one[1], one[0]))
    rows = [[answers[value] for answers, _ in found] for value in range(len(found[0][0]))]
    axes.imshow(rows, cmap=SURFACE, vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(found)), [f"{bits:.3f}" for _, bits in found])
    axes.set_yticks(range(len(rows)), [f"$x_{record}$ = {value}" for value in range(len(rows))])
    for value, row in enumerate(rows):
        for place, answer in enumerate(row):
            axes.text(place, value, str(answer), ha="center", va="center", color=BLACK if answer else "white")
    for place in range(1, len(found)):
        axes.axvline(place - 0.5, color="white", linewidth=3)
    axes.grid(visible=False)
    axes.set_title(f"record {record}: {len(found)} channels, f for each of its values; capacity in bits at p = {p}")


FIGURES = {
    "figure-1": figure_1,
    "budgets": budgets,
    "correlated": correlated,
    "balance": balance,
    "gaussian": draw_gaussian,
    "utility": utility,
    "private-mean": private_mean,
}


# --- Where we depart from [E, Sec. 7]: two data sets of the same people, and different people.


def check_last_term(printed: Callable[[Law], float] = printed_lemma_6_bits) -> None:
    """Where y^1 says something about x_1^1, the product of the two laws is the wrong weight."""
    law = lemma_6_law(TENTH)
    truth = joint_bits(law)
    must_show("I(X_1;Y) is 1.1652 bits", holds=abs(truth - 1.1652) < 5e-5)
    must_show("the chain rule says so", holds=abs(chain_rule_bits(law) - truth) < 1e-12)
    must_show("the print does not", holds=abs(printed(law) - truth) > 0.05)


def check_four_terms(
    printed: Callable[[Sequence[float], Sequence[float]], float] = printed_joint_bits,
) -> None:
    """Two parities of two bits through BSC(1/10): each release tells a person no more than it tells in all."""
    channel, found = two_parities(TENTH)
    joint = joint_of_two_data_sets(channel, (2, 2), channel, (2, 2))
    must_show("the tightened bound is reached", holds=abs(found.bound - joint.upper) < 1e-5)
    said = printed([bits.upper for bits in found.own], [bits.upper for bits in found.other])
    must_show("the print is twice that", holds=abs(said - 2 * joint.midpoint) < 1e-4)


def check_larger(printed: Callable[[float], float] = printed_across) -> None:
    """A ternary record in the first data set, a bit in the second: the bit can only choose two of the three rows."""
    channel = randomised_of_three()
    own = individual_capacity_bits(channel, (3,))
    across = cross_capacity_bits(channel, 2)
    must_show("C^21 is smaller than the print has it", holds=across.upper < printed(own.lower) - 0.1)
    must_show("with as many values it is not", holds=cross_capacity_bits(channel, 3).upper >= own.lower)


def check_excess(printed: Callable[[Fraction], float] = printed_excess) -> None:
    """Two people who are known to be alike, each through BSC(1/10): together 0.2111 bits more than one alone."""
    noisy = one_bit(Fraction(9))
    excess = compose_parallel([noisy, noisy], [(2,), (2,)]).excess
    must_show("τ is 0.21108 bits", holds=abs(excess.midpoint - 0.21108) < 5e-6)
    must_show("the print does not have it", holds=printed(TENTH) < excess.lower - 0.1)


JOINT_ERRATA = (
    Erratum("Lemma 6, eq. (161)", "gap in a proof", check_last_term),
    Erratum("Theorem 6, eq. (162)", "question settled", check_four_terms),
    Erratum("After Proposition 6, “larger”", "error", check_larger),
    Erratum("Proposition 7", "question settled", check_excess),
)


# --- Where we depart from [E, Sec. 2 to 4]: logarithms, the balance function, and the basic channels.

_TWO, _THOUSAND = Fraction(2), Fraction(1000)
_ANSWERS, _KEPT = 100_000, Fraction(97, 100)


def uniform_response() -> tuple[float, float]:
    """ε in nats and I(X;Y) in bits of randomised response with many answers, all equally likely."""
    other = (1 - _KEPT) / (_ANSWERS - 1)
    noise = entropy_interval([(_KEPT, 1), (other, _ANSWERS - 1)])
    return math.log(_KEPT / other), math.log2(_ANSWERS) - noise.upper


def check_base(printed: Callable[[float], float] = printed_max_information_bits) -> None:
    """An ε in nats is 1.44 times as many bits; Theorem 1 and Corollary 1 say ε bits."""
    epsilon = neighbour_epsilon(geometric_count(_TWO), (2, 2))
    nearly = max_information(_TWO, Fraction(1, 1000))
    must_show("max-information comes as near to one bit as one likes", holds=0.99 < nearly < 1)
    must_show("more than is printed", holds=nearly > printed(epsilon) + 0.3)
    nats, bits = uniform_response()
    must_show("I(X;Y) too can be more bits than ε has nats", holds=bits > printed(nats) + 0.9)


def check_degenerate(printed: Callable[[float], float] = printed_degenerate_bits) -> None:
    """Over the alphabet the print is right; over what can happen, at a degenerate law there is nothing to learn."""
    truth, lie = one_bit(_TWO).row(0)
    over_alphabet = math.log2(max(truth, lie) / min(truth, lie))  # the law is sure of the other value
    must_show("over the alphabet the print is right", holds=math.isclose(printed(2.0), over_alphabet))
    at = [max_information(_TWO, Fraction(1, n)) for n in (10, 1000, 10**6)]
    said = (0.862496, 0.998558, 0.999999)
    must_show("it is as said", holds=all(abs(one - bits) < 5e-7 for one, bits in zip(at, said, strict=True)))
    must_show("it rises towards log2 of the odds", holds=at == sorted(at) and at[-1] < 1)
    there = max_information(_TWO, Fraction(0))
    must_show("at the degenerate law it is 0 over what can happen", holds=there == 0)


def check_converse(printed: Callable[[float], float] = printed_epsilon) -> None:
    """A report that rarely says anything leaks 0.01 bits, and is nowhere near 0.01-differentially private."""
    channel = rarely_told(_THOUSAND)
    leak = capacity_bits(channel)
    must_show("C_1 is below 0.01 bits", holds=leak.upper < 0.01)
    must_show("ε is far more", holds=ldp_epsilon(channel) > printed(leak.upper) + 6)


def check_plateau(printed: Callable[[int], float] = printed_plateau_bits) -> None:
    """The parity of n bits: an adversary who lacks n - 1 of n bits learns as much as one who lacks none."""
    for records in (3, 4):
        end = plateau_bits(truth_of("parity", records), (2,) * records)
        must_show("g is 0 up to n - 1 bits", holds=abs(end - (records - 1)) < 1e-9)
        must_show("the print has it rise before", holds=printed(records) < end - 1)
    found = balances("parity", (0.0, 1.0, 2.0, 2.5))
    must_show("the program finds no gain either", holds=max(one.bits.upper for one in found[:3]) < 1e-5)
    must_show("it rises after that", holds=found[3].bits.lower > 0.2)


def check_no_law(printed: Callable[[float], float] = printed_least_entropy) -> None:
    """On an interval of length 1/2 the largest entropy is -1 bit: no law is in Δ(X)_0."""
    must_show("the largest entropy is negative", holds=largest_entropy_bits(0.25) == -1)
    must_show("the print needs one that is not", holds=printed(0.25) > -0.5)


def check_open_case(printed: Callable[[int], int] = printed_settled) -> None:
    """Two values of one record whose answers differ make the whole binary symmetric channel."""
    must_show("all 62 functions onto {0, 1} of a ternary record and a bit reach it", holds=settled(3) == 62)
    must_show("the print leaves some open", holds=printed(3) < 62)


def check_noise_entropy(printed: Callable[[int, float], float] = printed_noise_entropy) -> None:
    """Four answers, λ = 1: the sum itself, and (82) with a logarithm of base 2."""
    weights = [math.exp(-rank) for rank in range(4)]
    law = [weight / math.fsum(weights) for weight in weights]
    direct = -math.fsum(p * math.log2(p) for p in law)
    must_show("H(Z) is 1.36701 bits", holds=abs(direct - 1.36701) < 5e-6)
    must_show("in nats (82) is right", holds=math.isclose(noise_entropy_nats(4, 1.0) / math.log(2), direct))
    must_show("in bits it is not", holds=abs(printed(4, 1.0) - direct) > 0.1)


def check_rate(printed: Callable[[float], float] = printed_largest_rate) -> None:
    """Two answers and half a bit: λ = 2.09 is within the budget, and λ = 1 uses a third of it."""
    found = exponential(on_a_line(2), budget_bits=Fraction(1, 2))
    must_show("the sharper channel is within the budget", holds=found.capacity_bits.upper <= 0.5)
    must_show("its rate is 2.09", holds=abs(found.rate - 2.09) < 0.005)
    must_show("the print forbids it", holds=printed(0.5) < found.rate - 0.5)
    slow = exponential_of(on_a_line(2), ratio=Fraction(math.exp(-1)).limit_denominator(10**6))
    must_show("at λ = 1 0.16 bits leak", holds=abs(slow.capacity_bits.upper - 0.1601) < 5e-5)


def check_budget_unit(printed: Callable[[float], float] = printed_gaussian_variance) -> None:
    """A budget of one bit put into exp(2ε): the noise of (117) lets more than one bit through."""
    leak = amplitude_capacity(1 / printed(1.0)).bits
    must_show("more than one bit leaks", holds=leak.lower > 1.1)
    in_nats = amplitude_capacity(1 / printed_gaussian_variance(LN2)).bits
    must_show("with ε in nats the budget is kept", holds=in_nats.upper <= 1)


Units = tuple[Callable[[float], float], Callable[[int, float], float], Callable[[float], float]]
_UNITS: Units = (
    printed_max_information_bits,
    printed_noise_entropy,
    printed_gaussian_variance,
)


def check_units(printed: Units = _UNITS) -> None:
    """One question in three places: Theorem 1, the exponential channel and the Gaussian channel."""
    base, entropy, budget = printed
    check_base(base)
    check_noise_entropy(entropy)
    check_budget_unit(budget)


LEAK_ERRATA = (
    Erratum("The unit of ε: Theorem 1, eqs. (71)-(82), (117) and (120)", "unit or notation", check_units),
    Erratum("Definition 7 and after eq. (14), alphabet or support", "unit or notation", check_degenerate),
    Erratum("Abstract and Section 1, “equivalent”", "missing hypothesis", check_converse),
    Erratum("After Lemma 1, b and δ", "unit or notation", check_plateau),
    Erratum("Lemma 1 and Proposition 4, g(0) for continuous records", "missing hypothesis", check_no_law),
    Erratum("Section 4.1, records with three or more values", "question settled", check_open_case),
    Erratum("After eq. (82), λ ≤ 1", "missing hypothesis", check_rate),
)


# --- Where we depart from [E, Sec. 5]: the Gaussian channel, its utility, and the private mean.

CAPACITIES = {1: 0.48594, 3: 0.84659, 7: 1.16594, 15: 1.50487}
_DELTA = 1e-5


def check_amplitude(printed: Callable[[float], float] = printed_gaussian_bits) -> None:
    """|f| ≤ T limits the amplitude, not the mean power: the capacity is Smith's, and less noise will do."""
    for ratio, bits in CAPACITIES.items():
        found = amplitude_capacity(ratio)
        must_show("the capacity is as said", holds=abs(found.bits.midpoint - bits) < 5e-6)
        must_show("the certified upper end is below print", holds=found.bits.upper < printed(ratio) - 0.01)
    for budget, times in ((0.5, 1.044), (1.0, 1.557), (1.5, 2.121), (2.0, 2.625)):
        spared = printed_gaussian_variance(budget * LN2) / least_variance(budget)
        must_show("the printed noise is larger by so much", holds=abs(spared - times) < 5e-4)


def check_variances(printed: Callable[[float], float] = printed_laplace) -> None:
    """Δf = 1, ε = 1/2: Laplace's scale is 2, its variance 8 and its standard deviation 2.83."""
    variance = laplace_deviation(0.5) ** 2
    must_show("the variance is 8", holds=math.isclose(variance, 8))
    must_show("the print has another number", holds=abs(printed(0.5) - variance) > 5)


def check_large_epsilon(printed: Callable[[float, float], float] = printed_gaussian_mechanism) -> None:
    """ε = 10, δ' = 1e-5: with this noise δ' is exceeded twice over; up to ε = 1 it is not."""
    exceeded = gaussian_delta(printed(10.0, _DELTA), 10.0)
    must_show("δ is 2.3e-5", holds=exceeded > 2.2e-5)
    kept = [gaussian_delta(printed_gaussian_mechanism(e, _DELTA), e) for e in (0.1, 0.5, 1.0)]
    must_show("the rule holds up to ε = 1", holds=max(kept) < _DELTA)


def check_sensitivity(printed: Callable[[float], float] = printed_sensitivity) -> None:
    """f(x) = x for one record in [-T, T] moves by 2T; the mean of n records by 2T/n."""
    must_show("f moves by 2T", holds=sensitivity_of_mean(1.0, 1) == 2)
    must_show("the print allows less", holds=printed(1.0) < 2)
    must_show("a mean of 100 moves by 2T/100", holds=math.isclose(sensitivity_of_mean(1.0, 100), 0.02))


def check_comparison(printed: Callable[[float], float] = printed_gaussian_deviation) -> None:
    """With the print's own numbers and Δf = T, Laplace noise is larger at every ε, not smaller."""
    for epsilon in (0.01, 0.1, 1.0, 3.0):
        must_show("Laplace's scale is larger", holds=printed_laplace(epsilon) > printed(epsilon))
    must_show("for the mean of 1000 records it is smaller", holds=laplace_deviation(1.0, 0.002) < printed(1.0))


def check_miss(printed: Callable[[float, float], float] = printed_miss) -> None:
    """ε = 1 nat, T = τ = 1: the mean misses by τ with probability 0.0115 in the limit, for which (122) has 0.157."""
    limit = limit_miss(1.0, 1.0)
    must_show("the limit is 0.0115", holds=abs(limit - 0.0115) < 5e-5)
    must_show("at any n it is between the limit and Chebyshev's bound", holds=limit < miss(1.0, 1.0, 400) < 0.157)
    must_show("the print has more", holds=printed(1.0, 1.0) > limit + 0.1)
    must_show("at τ = 1/4 the print is no probability", holds=printed_miss(1.0, 0.25) > 1)


def check_left_over(printed: Callable[[float], float] = printed_limit_variance) -> None:
    """ε = 1 nat, T = 1: Var(W) tends to N = 0.1565; with its τ² the printed limit of N is wrong unless τ = 1."""
    left = mean_variance(1.0, 10**9)
    must_show("0.1565 is left", holds=abs(left - 0.1565) < 5e-5)
    must_show("the print has less", holds=printed(1.0) < left - 0.1)


NOISE_ERRATA = (
    Erratum("Corollary 6, eqs. (115) and (118)", "error", check_amplitude),
    Erratum("Section 5.2, “variances”", "unit or notation", check_variances),
    Erratum("Section 5.2, eq. (119)", "missing hypothesis", check_large_epsilon),
    Erratum("Section 5.2, Δf ≤ T", "error", check_sensitivity),
    Erratum("Section 5.2, the comparison at b = 0", "error", check_comparison),
    Erratum("Proposition 4, eq. (122)", "error", check_miss),
    Erratum("Proof of Proposition 4", "error", check_left_over),
)


# --- Where we depart from [E], each entry with its kind and an example that runs, in the order of the paper.

ERRATA = (*LEAK_ERRATA, *NOISE_ERRATA, *JOINT_ERRATA)


# --- What [E, Sec. 6 and 7] says, number by number, beside what the software finds.


def _four_terms(flip: Fraction) -> float:
    _, found = two_parities(flip)
    return printed_joint_bits([bits.midpoint for bits in found.own], [bits.midpoint for bits in found.other])


def _told_by_both(flip: Fraction) -> float:
    channel, _ = two_parities(flip)
    return joint_of_two_data_sets(channel, (2, 2), channel, (2, 2)).midpoint


def _told_twice(flip: Fraction) -> float:
    channel = example_1(flip)
    return compose([channel, channel], SHAPE_1).joint.upper


JOINT_ENTRIES = (
    Entry(
        ("Theorem 4", "what Example 1 through BSC(p) tells about both records, bits", "p", TENTH),
        ours=lambda flip: group_capacity_bits(example_1(flip), SHAPE_1, 2).midpoint,
        says="≤ 2·C_1",
        printed=lambda flip: group_bound_bits(individual_bits(flip), 2),
        relation="≤",
    ),
    Entry(
        ("Theorem 5", "what Example 1, told twice through BSC(p), tells about one record, bits", "p", TENTH),
        ours=_told_twice,
        says="≤ 2·C_1",
        printed=lambda flip: 2 * individual_bits(flip),
        relation="≤",
    ),
    Entry(
        ("Lemma 6", "I(X_1;Y) of the law in the erratum, bits", "p", TENTH),
        ours=lambda flip: joint_bits(lemma_6_law(flip)),
        says="eqs. (160) and (161)",
        printed=lambda flip: printed_lemma_6_bits(lemma_6_law(flip)),
        erratum="Lemma 6, eq. (161)",
    ),
    Entry(
        ("composition", "what two parities of two bits through BSC(p) tell about one person, bits", "p", TENTH),
        ours=_told_by_both,
        says="C^11 + C^22, and another C^12 + C^21",
        printed=_four_terms,
        tolerance=1e-5,
        erratum="Theorem 6, eq. (162)",
    ),
    Entry(
        ("composition", "the tightened bound for the same, bits", "p", TENTH),
        ours=lambda flip: two_parities(flip)[1].bound,
        says="left as future work",
    ),
    Entry(
        (
            "Proposition 6",
            "C^21 of a ternary record told truly with probability 4/5, for k values in the other data set, bits",
            "k",
            2,
        ),
        ours=lambda k: cross_capacity_bits(randomised_of_three(), k).midpoint,
        says="larger than C^11",
        printed=lambda _: printed_across(capacity_bits(randomised_of_three()).midpoint),
        relation="≥",
        erratum="After Proposition 6, “larger”",
    ),
    Entry(
        ("Proposition 7", "τ for X_1 = X_2 through a BSC(p) each, bits", "p", TENTH),
        ours=_excess,
        says="τ ≥ 0; more is not proved",
        printed=printed_excess,
        erratum="Proposition 7",
    ),
)


# --- What [E, Sec. 2 to 4] says, number by number, beside what the software finds.

_HALF = Fraction(1, 2)


def _independent_bits(odds: Fraction) -> float:
    """The least upper bound of max-information about independent records, in bits."""
    return math.log2(neighbour_odds(geometric_count(odds), (2, 2)))


def _plateau(question: str, records: int) -> float:
    return plateau_bits(truth_of(question, records), (2,) * records)


LEAK_ENTRIES = (
    Entry(
        ("example-1", "channels that a record of Example 1 can select", "record", 1),
        ours=lambda record: len(selections(TENTH, record)),
        says="8 for the first, 9 for the second",
        printed=lambda record: SELECTIONS[record],
    ),
    Entry(
        ("figure-1", "C_1 of Example 1 through BSC(p), bits", "p", TENTH),
        ours=individual_bits,
        says="≤ log 2 - H(p)",
        printed=printed_flip_bits,
        relation="≤",
    ),
    Entry(
        (
            "Section 4.1",
            "yes/no functions of a record with k values and a bit that are known to reach log 2 - H(p)",
            "k",
            3,
        ),
        ours=settled,
        says="unknown",
        printed=printed_settled,
        erratum="Section 4.1, records with three or more values",
    ),
    Entry(
        ("budgets", "the flip p* for ε bits", "ε", _HALF),
        ours=lambda bits: flip_for(budget_bits=bits).flip,
        says="H(p) = log 2 - ε, eq. (57)",
        printed=printed_flip,
        tolerance=2**-31,  # the software's flips are multiples of 2^-32
    ),
    Entry(
        ("budgets", "the rate λ of four answers for ε bits", "ε", _HALF),
        ours=lambda bits: rate_for(4, bits),
        says="log k - H(Z) = ε, eq. (83)",
        printed=lambda bits: printed_rate(4, bits),
    ),
    Entry(
        ("Section 4.2", "C_1 of a record of three values told truly with probability q, bits", "q", Fraction(4, 5)),
        ours=lambda kept: individual_capacity_bits(randomised_of_three(kept), (3,), gap_bits=1e-9).midpoint,
        says="log|Y| - H(Z), eq. (65)",
        printed=lambda kept: printed_symmetric_bits((kept, (1 - kept) / 2, (1 - kept) / 2)),
    ),
    Entry(
        ("Section 4.3", "H(Z) of four answers, bits", "λ", 1.0),
        ours=lambda rate: noise_entropy_nats(4, rate) / LN2,
        says="eq. (82)",
        printed=lambda rate: printed_noise_entropy(4, rate),
        erratum="The unit of ε: Theorem 1, eqs. (71)-(82), (117) and (120)",
    ),
    Entry(
        ("Section 4.3", "the sharpest rate λ of two answers for ε bits", "ε", _HALF),
        ours=lambda bits: exponential(on_a_line(2), budget_bits=bits).rate,
        says="λ ≤ 1",
        printed=printed_largest_rate,
        relation="≤",
        erratum="After eq. (82), λ ≤ 1",
    ),
    Entry(
        ("Section 4.3", "capacity of the exponential channel with k answers on a line at λ = ln 2, bits", "k", 4),
        ours=lambda k: on_line_bits(k).upper,
        says="≤ log k - H(Z), eq. (84)",
        printed=lambda k: math.log2(k) - printed_noise_entropy(k, math.log(2), math.log) / LN2,
        relation="≤",
    ),
    Entry(
        ("Theorem 1", "most max-information about independent bits, counted with geometric noise, bits", "odds", _TWO),
        ours=_independent_bits,
        says="ε",
        printed=lambda odds: printed_max_information_bits(neighbour_epsilon(geometric_count(odds), (2, 2))),
        erratum="The unit of ε: Theorem 1, eqs. (71)-(82), (117) and (120)",
    ),
    Entry(
        ("correlated", "most max-information about one of two bits that may be equal, same noise, bits", "odds", _TWO),
        ours=lambda odds: max_individual_capacity_bits(geometric_count(odds), (2, 2)).midpoint,
        says="more than with independent bits, log odds",
        printed=math.log2,
        relation="≥",
    ),
    Entry(
        (
            "Theorem 1, proof",
            "I_∞ over what can happen of a bit through randomised response of odds 2, bits",
            "P(1)",
            Fraction(0),
        ),
        ours=lambda surprise: max_information(_TWO, surprise),
        says="log odds where P is degenerate",
        printed=lambda _: printed_degenerate_bits(2.0),
        erratum="Definition 7 and after eq. (14), alphabet or support",
    ),
    Entry(
        ("Abstract", "ε of a bit told with probability 1/100, nats", "odds", Fraction(1000)),
        ours=lambda odds: ldp_epsilon(rarely_told(odds)),
        says="no more than C_1, as both are equivalent",
        printed=lambda odds: printed_epsilon(capacity_bits(rarely_told(odds)).upper),
        relation="≤",
        erratum="Abstract and Section 1, “equivalent”",
    ),
    Entry(
        ("balance", "g(b) of the parity of three bits through BSC(1/10), bits", "b", 2.5),
        ours=lambda b: balances("parity", (float(b),))[0].bits.midpoint,
        says="left open",
    ),
    Entry(
        ("balance", "the b up to which g is 0, majority of n bits", "n", 3),
        ours=lambda n: _plateau("majority", n),
        says="left open",
    ),
    Entry(
        ("Section 2.2", "the b up to which g is 0, parity of n bits", "n", 3),
        ours=lambda n: _plateau("parity", n),
        says="0: the larger b, the larger g",
        printed=printed_plateau_bits,
        erratum="After Lemma 1, b and δ",
    ),
    Entry(
        ("Lemma 1", "largest entropy of a record in [-T, T], bits", "T", 0.25),
        ours=largest_entropy_bits,
        says="≥ 0, since every law is in Δ(X)_0",
        printed=printed_least_entropy,
        relation="≥",
        erratum="Lemma 1 and Proposition 4, g(0) for continuous records",
    ),
)


# --- What [E, Sec. 5] says, number by number, beside what the software finds.

_AMPLITUDE = "Corollary 6, eqs. (115) and (118)"

NOISE_ENTRIES = (
    Entry(
        ("gaussian", "capacity of the Gaussian channel with |f| ≤ T, bits", "T²/N", 3.0),
        ours=gaussian_bits,
        says="½ log(1 + T²/N), eq. (115)",
        printed=printed_gaussian_bits,
        erratum=_AMPLITUDE,
    ),
    Entry(
        ("gaussian", "capacity for a record of two values, bits", "T²/N", 3.0),
        ours=lambda ratio: gaussian_bits(ratio, 2),
        says="½ log(1 + T²/N), eq. (115)",
        printed=printed_gaussian_bits,
        erratum=_AMPLITUDE,
    ),
    Entry(
        ("gaussian-noise", "least N/T² for ε bits", "ε", 1.0),
        ours=lambda bits: gaussian(bound=1, budget_bits=bits).continuous_variance,
        says="≥ 1/(exp(2ε) - 1), ε in nats",
        printed=lambda bits: printed_gaussian_variance(bits * LN2),
        relation="≥",
        erratum=_AMPLITUDE,
    ),
    Entry(
        ("Section 5.1", "what the noise of eq. (117) lets through, bits", "ε", 1.0),
        ours=lambda bits: gaussian_bits(1 / printed_gaussian_variance(bits)),
        says="≤ ε bits",
        printed=lambda bits: bits,
        relation="≤",
        erratum="The unit of ε: Theorem 1, eqs. (71)-(82), (117) and (120)",
    ),
    Entry(
        ("utility", "standard deviation of the Gaussian channel for ε nats, T = 1", "ε", math.log(2)),
        ours=least_deviation,
        says="≥ 1/√(exp(2ε) - 1), eq. (120)",
        printed=printed_gaussian_deviation,
        relation="≥",
        erratum=_AMPLITUDE,
    ),
    Entry(
        ("utility", "variance of Laplace noise, Δf = 1", "ε", 0.5),
        ours=lambda epsilon: laplace_deviation(epsilon) ** 2,
        says="Δf/ε",
        printed=printed_laplace,
        erratum="Section 5.2, “variances”",
    ),
    Entry(
        ("Section 5.2", "exact δ of the Gaussian mechanism with the noise of eq. (119) for δ' = 1e-5", "ε", 10.0),
        ours=lambda epsilon: gaussian_delta(printed_gaussian_mechanism(epsilon, _DELTA), epsilon),
        says="≤ δ'",
        printed=lambda _: _DELTA,
        relation="≤",
        tolerance=0.0,
        erratum="Section 5.2, eq. (119)",
    ),
    Entry(
        ("Section 5.2", "sensitivity of f(x) = x for one record in [-T, T]", "T", 1.0),
        ours=lambda bound: sensitivity_of_mean(bound, 1),
        says="≤ T",
        printed=printed_sensitivity,
        relation="≤",
        erratum="Section 5.2, Δf ≤ T",
    ),
    Entry(
        ("Section 5.2", "standard deviation of Laplace noise, Δf = T = 1", "ε", 1.0),
        ours=laplace_deviation,
        says="less than that of the Gaussian channel, eq. (120)",
        printed=printed_gaussian_deviation,
        relation="≤",
        erratum="Section 5.2, the comparison at b = 0",
    ),
    Entry(
        ("private-mean", "limit of Pr[|W - μ| ≥ 1], T = 1, ε in nats", "ε", 1.0),
        ours=lambda epsilon: limit_miss(epsilon, 1.0),
        says="eq. (122)",
        printed=lambda epsilon: printed_miss(epsilon, 1.0),
        erratum="Proposition 4, eq. (122)",
    ),
    Entry(
        ("private-mean", "Pr[|W - μ| ≥ 1] for 100 fair coins ±1, T = 1, ε in nats", "ε", 1.0),
        ours=lambda epsilon: miss(epsilon, 1.0, 100),
        says="≤ Var(W), eq. (124)",
        printed=lambda epsilon: mean_variance(epsilon, 100),
        relation="≤",
    ),
    Entry(
        ("Proposition 4, proof", "Var(W) for 10⁹ records, T = σ = 1, ε in nats", "ε", 1.0),
        ours=lambda epsilon: mean_variance(epsilon, 10**9),
        says="→ 0",
        printed=printed_limit_variance,
        tolerance=1e-8,
        erratum="Proof of Proposition 4",
    ),
)


# --- What [E] says in its figure, examples, equations and text, number by number, beside what the software finds.
#
# Figure 2 of the paper is a diagram of models with no numbers in it, so it is not here.

ENTRIES = (*LEAK_ENTRIES, *NOISE_ENTRIES, *JOINT_ENTRIES)


PAPER = Paper(
    key="E",
    title="Achieving Dalenius’ Goal of Data Privacy with Practical Assumptions",
    page="dalenius_goal_errata",
    figures=FIGURES,
    tables=TABLES,
    errata=ERRATA,
    entries=ENTRIES,
)
