"""A private mean, and how far off it may be.   Ref: [E, Prop 4]; theory: docs/theory/gaussian_noise.md

The mean of n records in [low, high] lies in the same range, and when the records depend on each other (all equal, say)
one of them can move it from end to end. So under arbitrary correlation its amplitude is T = (high-low)/2 whatever n
is, and the noise does not shrink with n; only the error of sampling does. Where at most m people depend on each other
they move it by m(high-low)/n, and the noise does shrink: docs/theory/correlated_noise.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.bits import BitSource
from sfumato.certificates.registry import subject_of
from sfumato.design.gaussian_noise import gaussian
from sfumato.design.noise_certificates import NoiseSubject
from sfumato.design.private_totals import OfRecords, record_range
from sfumato.values.checks import as_number, check_positive
from sfumato.values.correlation import Correlation
from sfumato.values.types import Real, Reals

# Rounding of a sum of some thousand positive terms, with room to spare.
_ROUNDING = 1 + 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateMean(OfRecords):
    """Noise for the mean of `count` records in [low, high].

    `release` takes the records themselves, and `error_chance` bounds how often the result is far off.

    >>> import sfumato as sf
    >>> design = sf.design.private_mean(0, 10, 1000, budget_bits=1, correlated=4)
    >>> design.capacity_bits.upper <= 1, round(design.variance**0.5, 5), round(design.error_chance(0.5), 4)
    (True, 0.00925, 0.0138)
    >>> told = design.release([7] * 1000)
    """

    def error_chance(self, tau: float) -> float:
        """Bound the chance that the release is `tau` or more off the expected mean, for independent records.

        The smaller of Chebyshev's bound (T²/n + N)/τ² and of Σ P(z) times Hoeffding's bound for what the noise's
        value z leaves of τ. The grid may take half a step away from τ.
        """
        left = _distance(tau) - float(self.design.grid) / 2
        if left <= 0:
            return 1.0
        half = float(self.high - self.low) / 2
        chebyshev = (half**2 / self.count + self.variance) / left**2
        return min(1.0, min(chebyshev, self._mixed(left, half)) * _ROUNDING)

    def _mixed(self, left: float, half: float) -> float:
        """P(|M+z| ≥ τ) ≤ e^(-n(τ-z)²/2T²) + e^(-n(τ+z)²/2T²), each at most 1, weighed with the noise's law."""
        noise, grid = self.design.noise, float(self.design.grid)
        reach = math.ceil(12 * math.sqrt(float(noise.variance))) + 1
        shifts = grid * np.arange(-reach, reach + 1)
        law = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * float(noise.variance)))
        law *= noise.probability(0).upper
        rate = self.count / (2 * half**2)
        one_side = np.exp(-rate * np.maximum(left - shifts, 0.0) ** 2)
        # A certain side is not rounded below 1 by exp(-0) = 1.
        chance = np.minimum(1.0, one_side + one_side[::-1])
        return float(law @ chance) + noise.tail(reach)

    def limit_error_chance(self, tau: float) -> float:
        """Return the limit of the chance for many records, 2Φ(-τ/√N), for normal noise of the same variance."""
        return normal_error_chance(tau, self.variance)

    def release(self, values: Reals, bits: BitSource | None = None) -> Fraction:
        """Return the private mean. A record outside of the range is refused unless records are to be clipped."""
        return self.design.release(self.total(values) / self.count, bits)


@subject_of.register
def _mean_subject(thing: PrivateMean) -> NoiseSubject:
    found = thing.certificate.subject
    assert isinstance(found, NoiseSubject)
    return found


def private_mean(
    low: Real,
    high: Real,
    count: int,
    budget_bits: float,
    *,
    steps: int | None = None,
    correlated: Correlation | str | int = "anyone",
    clip: bool = False,
) -> PrivateMean:
    """Return the least noise for the mean of `count` records in [low, high], of which few may depend on each other.

    `correlated`: anyone on everybody, nobody, or at most so many people. `clip`: records outside of the range are moved
    to its ends, which biases the mean; else they are refused.

    Raises:
        InvalidParameter: the range is empty, or `budget_bits` leaves nothing to hide or nothing to release.

    >>> import sfumato as sf
    >>> for who in ("anyone", 4, "nobody"):
    ...     print(who, round(sf.design.private_mean(0, 10, 1000, 1, correlated=who).variance ** 0.5, 4))
    anyone 2.3132
    4 0.0093
    nobody 0.0023
    """
    start, end, size = record_range(low, high, count)
    design = gaussian(
        low=start,
        high=end,
        budget_bits=budget_bits,
        steps=steps,
        change=(end - start) / size,
        correlated=correlated,
    )
    return PrivateMean(count=size, low=start, high=end, clip=bool(clip), design=design)


def normal_error_chance(tau: float, variance: float) -> float:
    """P(|Z| ≥ τ) = 2Φ(-τ/√N) for normal noise: the limit that (122) of [E, Prop 4] bounds, and does not equal."""
    check_positive("variance", variance)
    return math.erfc(_distance(tau) / math.sqrt(2 * variance))


def _distance(tau: float) -> float:
    distance = float(as_number("tau", tau))
    check_positive("tau", distance)
    return distance
