"""Whole numbers with P(z) = e^(-z²/2s)/K, exactly, from rational coins.   Ref: [CKS20, Alg. 1-3]

*A coin of chance e^-g*, g ≤ 1: throw coins of chances g, g/2, g/3, … until one fails. All of the first k succeed with
probability g^k/k!, so the number of throws is odd with probability 1 - g + g²/2! - … = e^-g. A larger g is a product.
*A discrete Laplace number* of whole scale t: a remainder u below t kept with chance e^(-u/t), plus t times the number
of coins of chance 1/e that succeed in a row, and a sign; of the two zeros one is thrown away.
*The discrete Gaussian*: a Laplace number y of scale t = ⌊√s⌋+1, kept with chance e^(-(|y|-s/t)²/2s), since |y|/t +
(|y|-s/t)²/2s = y²/2s + s/2t².

No float is used, and no logarithm. How many coins are thrown depends on the noise alone, never on what it will hide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.bits.coins import Coin
from sfumato.bits.samplers import IndexArray, UniformBelow
from sfumato.bits.source import BitSource
from sfumato.errors import InvalidParameter
from sfumato.measures.enclosures import UNIT_ROUNDOFF
from sfumato.values.checks import as_number, check_at_least, check_integer, check_positive
from sfumato.values.interval import Interval

# Noise beyond this many steps would not leave room in a signed word for its own tails.
_MOST_VARIANCE = 1 << 80
_HALF = Fraction(1, 2)
# Deviations after which the sum of the normaliser stops: e^-98 of it is left.
_REACH = 14
# e^-700 is below 1e-304, where doubles begin to lose digits.
_FAR = 700
_NEXT_TO_NOTHING = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteGaussian:
    """The discrete Gaussian with parameter `variance` = s, a Fraction; its true variance is at most s [CKS20]."""

    variance: Fraction

    def __post_init__(self) -> None:
        variance = as_number("variance", self.variance)
        if not isinstance(variance, Fraction):
            raise InvalidParameter(
                "must be exact", parameter="variance", value=variance, way_out="Pass a Fraction such as Fraction(5, 2)."
            )
        check_positive("variance", variance)
        if variance > _MOST_VARIANCE:
            raise InvalidParameter(
                "must be at most 2^80 steps²", parameter="variance", value=variance, way_out="Use a coarser grid."
            )
        object.__setattr__(self, "variance", variance)

    def sample(self, bits: BitSource, count: int) -> IndexArray:
        """`count` independent numbers."""
        check_at_least("count", check_integer("count", count), 0)
        scale = math.isqrt(math.floor(self.variance)) + 1
        found = np.empty(count, dtype=np.int64)
        waiting = np.arange(count)
        while waiting.size:
            numbers = discrete_laplace(scale, bits, waiting.size)
            sizes = np.abs(numbers)
            kept = np.empty(waiting.size, dtype=bool)
            for size in np.unique(sizes).tolist():
                places = np.flatnonzero(sizes == size)
                exponent = (size - self.variance / scale) ** 2 / (2 * self.variance)
                kept[places] = exponential_coins(exponent, bits, places.size) == 1
            found[waiting[kept]] = numbers[kept]
            waiting = waiting[~kept]
        return found

    def probability(self, number: int) -> Interval:
        """Enclose P(z)."""
        exponent = check_integer("number", number) ** 2 / (2 * self.variance)
        if exponent > _FAR:
            return Interval(0.0, _NEXT_TO_NOTHING)
        power = float(exponent)
        weight = math.exp(-power)
        # e^-x of a rounded x errs by u·x, the sum K by a few u since x is ½ on average, and by what it leaves out.
        normaliser, left = self._normaliser()
        slack = UNIT_ROUNDOFF * (4 * power + 24)
        return Interval(weight / (normaliser + left) * (1 - slack), weight / normaliser * (1 + slack))

    def tail(self, number: int) -> float:
        """Bound P(|Z| > number) from above, by a geometric series; never above 1."""
        check_at_least("number", check_integer("number", number), 0)
        first = number + 1
        if first**2 > 2 * _FAR * self.variance:
            # The series is below 2e^-700(1+s/first)/K, where s/first < √s/37 and K ≥ max(1, √(2πs)).
            return _NEXT_TO_NOTHING
        power, step = float(first**2 / (2 * self.variance)), float(first / self.variance)
        series = 2 * math.exp(-power) / -math.expm1(-step) / self._normaliser()[0]
        return min(1.0, series * (1 + UNIT_ROUNDOFF * (8 * power + 64)))

    def _normaliser(self) -> tuple[float, float]:
        """Return Σ e^(-z²/2s) over a range, and a bound on the rest."""
        scale = float(self.variance)
        reach = math.ceil(_REACH * math.sqrt(scale)) + 1
        if reach > 1 << 24:
            # By Poisson's formula K = √(2πs)(1 + 2Σ e^(-2π²sk²)), and s is so large here that the sum vanishes.
            return math.sqrt(2 * math.pi * scale) * (1 - 8 * UNIT_ROUNDOFF), 0.0
        weights = np.exp(-(np.arange(1, reach + 1, dtype=np.float64) ** 2) / (2 * scale))
        left = 2 * math.exp(-((reach + 1) ** 2) / (2 * scale)) / -math.expm1(-(reach + 1) / scale)
        return 1 + 2 * math.fsum(weights.tolist()), left


def exponential_coins(exponent: Fraction, bits: BitSource, count: int) -> IndexArray:
    """`count` throws of a coin that falls on 1 with probability e^-exponent, exactly."""
    whole, rest = divmod(exponent, 1)
    throws = np.ones(count, dtype=np.int64)
    alive = np.arange(count)
    # Each whole unit of the exponent is one coin of chance 1/e, and the first that fails decides.
    for _ in range(int(whole)):
        if not alive.size:
            return throws
        alive = _drop(throws, alive, _small_exponential(Fraction(1), bits, alive.size))
    if rest and alive.size:
        _drop(throws, alive, _small_exponential(Fraction(rest), bits, alive.size))
    return throws


def _drop(throws: IndexArray, alive: IndexArray, outcome: IndexArray) -> IndexArray:
    throws[alive[outcome == 0]] = 0
    survivors: IndexArray = alive[outcome == 1]
    return survivors


def _small_exponential(exponent: Fraction, bits: BitSource, count: int) -> IndexArray:
    tries = np.zeros(count, dtype=np.int64)
    running = np.arange(count)
    turn = 0
    while running.size:
        turn += 1
        tries[running] = turn
        running = running[Coin(chance=exponent / turn).sample(bits, running.size) == 1]
    return tries % 2


def discrete_laplace(scale: int, bits: BitSource, count: int) -> IndexArray:
    """`count` numbers with P(z) proportional to e^(-|z|/scale), for a whole scale."""
    found = np.empty(count, dtype=np.int64)
    waiting = np.arange(count)
    while waiting.size:
        remainders = UniformBelow(bound=scale).sample(bits, waiting.size)
        kept = np.empty(waiting.size, dtype=bool)
        for remainder in np.unique(remainders).tolist():
            places = np.flatnonzero(remainders == remainder)
            kept[places] = exponential_coins(Fraction(remainder, scale), bits, places.size) == 1
        sizes = remainders[kept] + scale * _successes(bits, int(kept.sum()))
        negative = Coin(chance=_HALF).sample(bits, sizes.size) == 1
        # Zero has two signs but must count once.
        valid = ~(negative & (sizes == 0))
        open_places = waiting[kept]
        found[open_places[valid]] = np.where(negative, -sizes, sizes)[valid]
        waiting = np.concatenate([waiting[~kept], open_places[~valid]])
    return found


def _successes(bits: BitSource, count: int) -> IndexArray:
    """How many coins of chance 1/e succeed in a row."""
    runs = np.zeros(count, dtype=np.int64)
    running = np.arange(count)
    while running.size:
        running = running[exponential_coins(Fraction(1), bits, running.size) == 1]
        runs[running] += 1
    return runs
