"""The settings of [E], built once: its example, yes/no answers about bits, counts, noise, and two data sets."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType

from sfumato.account.composition import TwoDataSets, compose_two_data_sets
from sfumato.design.exponential_noise import exponential_of, noise_entropy_nats
from sfumato.design.flipped_answers import FlipDesign
from sfumato.measures.amplitude.capacities import amplitude_capacity
from sfumato.measures.balances.functions import Balance, balance_curve
from sfumato.measures.capacity import capacity_bits
from sfumato.measures.individual.capacities import individual_capacity_bits
from sfumato.measures.individual.records import selected_channels
from sfumato.measures.shannon import max_information_bits
from sfumato.prob import Channel, Distribution
from sfumato.values.interval import Interval

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
    from scipy.optimize import brentq  # noqa: PLC0415

    goal = math.log(outputs) - float(budget_bits) * LN2
    return float(brentq(lambda rate: noise_entropy_nats(outputs, rate) - goal, 1e-6, 30.0, xtol=1e-12))


def gaussian_bits(ratio: float, points: int | None = None, gap_bits: float = 1e-6) -> float:
    """The capacity at T²/N = ratio; `points`: of a record with so many values."""
    return amplitude_capacity(ratio, points=points, gap_bits=gap_bits).bits.midpoint


@lru_cache(maxsize=64)
def least_variance(budget_bits: float) -> float:
    """N for T = 1 where the capacity meets the budget: secants in log(T²/N), in which the capacity is nearly linear."""
    from scipy.optimize import newton  # noqa: PLC0415

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
