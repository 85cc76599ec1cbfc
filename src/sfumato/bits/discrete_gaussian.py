"""Whole numbers with P(z) = e^(-z²/2s)/K, exactly.   Ref: [CKS20]

They are two-sided noise (:mod:`sfumato.bits.two_sided_noise`) of scale t = ⌊√s⌋+1, which is close to one deviation, so
that about half of the attempts succeed whatever the variance is. No float is used to draw, and no logarithm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.bits.exponentials import exponential_coins
from sfumato.bits.samplers import IndexArray
from sfumato.bits.source import BitSource
from sfumato.bits.two_sided_noise import TwoSidedNoise
from sfumato.errors import InvalidParameter
from sfumato.measures.enclosures import UNIT_ROUNDOFF
from sfumato.values.checks import as_number, check_at_least, check_integer, check_positive
from sfumato.values.interval import Interval

__all__ = ["DiscreteGaussian", "discrete_laplace", "exponential_coins"]

# Noise beyond this many steps would not leave room in a signed word for its own tails.
_MOST_VARIANCE = 1 << 80
# Deviations after which the sum of the normaliser stops: e^-98 of it is left.
_REACH = 14
# e^-700 is below 1e-304, where doubles begin to lose digits.
_FAR = 700
_NEXT_TO_NOTHING = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteGaussian:
    """The discrete Gaussian with parameter `variance` = s, a Fraction; its true variance is at most s [CKS20].

    It is what a count gets as noise: no float and no logarithm stands between the law and the draw.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> noise = sf.bits.DiscreteGaussian(variance=Fraction(4))
    >>> round(noise.probability(0).midpoint, 6), f"{noise.tail(10):.1e}"
    (0.199471, '1.2e-07')
    >>> noise.sample(sf.bits.InsecureSeeded(7), 5).tolist()
    [2, 0, 4, 3, 2]
    """

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
        return TwoSidedNoise.gaussian(self.variance, scale).sample(bits, count)

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


def discrete_laplace(scale: int, bits: BitSource, count: int) -> IndexArray:
    """`count` numbers with P(z) proportional to e^(-|z|/scale), for a whole scale."""
    return TwoSidedNoise.laplace(scale).sample(bits, count)
