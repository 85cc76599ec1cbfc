"""The least discrete Gaussian noise for a budget in bits, on numbers, sums, counts and means.

f(x) in [low, high] is rounded to a grid and discrete Gaussian noise is added. For all records and every dependence
between them, the release reveals no more about one of them than the capacity of that noise under an amplitude limit:
rounding is a function of the data and stays on the scale. Calibration and certificate use the discrete distribution
that is sampled, not the normal distribution that it resembles. Where one record changes f by little and few people
depend on each other, the amplitude is what these few move: docs/theory/correlated_noise.md

Ref: [E, Cor. 6], [Smi71]; theory: docs/theory/gaussian_noise.md
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.certificates.certificate import Certificate, subject_of
from sfumato.display.notebooks import Shown
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.measures.amplitude import LEAST_BUDGET_BITS, MOST_BUDGET_BITS, amplitude_ratio
from sfumato.measures.dependence import ANYONE, Correlation
from sfumato.measures.gaussian import one_selection, selection_capacity
from sfumato.noise.certificates import CAPACITY, NoiseSubject, bound_noise, certify_range, moved_by, uses_selections
from sfumato.noise.private_data import finite_number, group_of, private_number
from sfumato.noise.reaccounting import Reaccounting, bits_of
from sfumato.numbers.checks import (
    Real,
    Reals,
    as_exact,
    as_number,
    check_at_least,
    check_between,
    check_integer,
    check_positive,
)
from sfumato.numbers.intervals import Interval, float_above
from sfumato.sampling.noise import DiscreteGaussian
from sfumato.sampling.sources import BitSource, SystemBits

# --- The least discrete Gaussian noise whose certified capacity is within a budget
# The parameter is searched among fractions with short denominators, and the capacity of each trial is bounded from
# above for the distribution that is sampled. The starting point is a guess.
# Theory: docs/theory/gaussian_noise.md


# The parameter keeps about this many bits, a relative loss of one millionth.
_BITS = 20
# A deviation of this many steps loses little; with few values a coarser scale keeps selections few.
_STEPS_PER_DEVIATION, _STEPS_WITH_FEW_VALUES = 8, 4
_USUAL_STEPS = 16
# A larger deviation in steps makes no visible difference.
_MOST_DEVIATION = 200
_LEAST_VARIANCE = Fraction(1, 16)
_SMALL_ROOM = 1e-6


def likely_ratio(budget_bits: float, values: int | None) -> float:
    """Return about the largest T²/N within a budget: where to begin.

    Exact for two values. Else the larger of two bounds from below, by power, C ≤ ½log2(1+T²/N), and by amplitude,
    C ≤ log2(1+T√(2/πe)/√N) [McK04]; the truth lies a few per cent above.
    """
    if values == 2:
        return amplitude_ratio(budget_bits, points=2)
    by_power = math.expm1(2 * budget_bits * math.log(2))
    by_amplitude = math.expm1(budget_bits * math.log(2)) ** 2 * math.pi * math.e / 2
    return max(by_power, by_amplitude)


def default_steps(ratio: float, values: int | None) -> int:
    """How many steps from the middle to the end, for T²/N = ratio: several a deviation, but not too many."""
    end = math.sqrt(ratio)
    fine = _STEPS_WITH_FEW_VALUES if values in {3, 4} else _STEPS_PER_DEVIATION
    usual = _USUAL_STEPS if values is None or values == 2 else 1
    return max(1, math.ceil(fine * end), min(usual, math.floor(_MOST_DEVIATION * end)))


def least_variance(budget_bits: float, steps: int, values: int | None, ratio: float) -> Fraction:
    """Return the parameter, in steps²."""
    guess = Fraction(steps**2) / Fraction(ratio)
    if values is not None and values > 2 and uses_selections(guess, steps, values):
        return _least_by_race(budget_bits, steps, values, guess)
    return _bisected(lambda variance: bound_noise(variance, steps, values).bits.upper, budget_bits, guess)


def _least_by_race(budget_bits: float, steps: int, values: int, guess: Fraction) -> Fraction:
    """Follow the best selection alone, then bound all of them; a selection that overtakes is followed next."""
    room = _SMALL_ROOM
    for _ in range(20):
        chosen = selection_capacity(guess, steps, values).positions
        guess = _bisected(
            lambda variance: one_selection(variance, steps, chosen).bits.upper,  # noqa: B023
            budget_bits - room,
            guess,
        )
        if bound_noise(guess, steps, values).bits.upper <= budget_bits:
            return guess
        room *= 2
    raise NotCertified(
        f"no noise on `steps`={steps} could be certified for `values`={values} within the budget",
        way_out="Leave `values` out.",
    )


def _bisected(upper: Callable[[Fraction], float], budget_bits: float, guess: Fraction) -> Fraction:
    denominator = 1 << max(0, _BITS - math.frexp(float(guess))[1])

    def fits(numerator: int) -> bool:
        return upper(Fraction(numerator, denominator)) <= budget_bits

    least = math.ceil(_LEAST_VARIANCE * denominator)
    high = max(least, math.ceil(guess * denominator))
    stride = max(1, high >> 10)
    while not fits(high):
        high, stride = high + stride, 2 * stride
    low, stride = high, max(1, high >> 10)
    while fits(low):
        if low == least:
            raise InvalidParameter(
                "is so large for these steps that hardly any noise is needed: the scale is too coarse to hold more "
                "bits",
                parameter="budget_bits",
                way_out="Raise `steps`, or lower `budget_bits`.",
            )
        high, low, stride = low, max(least, low - stride), 2 * stride
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return Fraction(high, denominator)


_MOST_STEPS = 2_000
_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianDesign(Shown):
    """Noise for a number in [low, high]: what is added, what it costs, and what it proves.

    `correlated` says who may depend on whom, and `change` how far one record moves the number.

    One gets it from `gaussian`; its `paper_variance` is what the printed formula asks for.

    >>> import sfumato as sf
    >>> design = sf.noise.gaussian(low=0, high=10, budget_bits=1)
    >>> design.capacity_bits.upper <= 1, round(design.variance, 3), round(design.paper_variance, 3)
    (True, 5.351, 8.333)
    >>> (design.release(7.25) / design.grid).denominator
    1
    """

    low: Fraction
    high: Fraction
    budget_bits: float
    values: int | None
    steps: int
    noise: DiscreteGaussian
    certificate: Certificate
    change: Fraction | None = None
    correlated: Correlation = ANYONE

    @property
    def bound(self) -> Fraction:
        """T, half of what those who may depend on each other move: half the range under arbitrary dependence."""
        return moved_by(self.correlated.people, self.change, self.high - self.low) / 2

    @property
    def centre(self) -> Fraction:
        """What is subtracted before the noise and added after it; translation leaks nothing."""
        return (self.high + self.low) / 2

    @property
    def grid(self) -> Fraction:
        """The distance between two released values."""
        return self.bound / self.steps

    @property
    def variance(self) -> float:
        """The variance of the noise that is really added, in square units of f, rounded up."""
        return float_above(self.noise.variance * self.grid**2)

    @property
    def paper_variance(self) -> float:
        """T²/(2^(2b)-1), the variance of [E, Cor. 6]: a limit on power where there is one on amplitude."""
        return float(self.bound) ** 2 / math.expm1(2 * self.budget_bits * math.log(2))

    @property
    def continuous_variance(self) -> float:
        """What normal noise would need under an amplitude limit: Smith's optimum; takes seconds for large budgets."""
        return float(self.bound) ** 2 / amplitude_ratio(self.budget_bits, points=self.values)

    @property
    def capacity_bits(self) -> Interval:
        """The certified capacity of the noise."""
        value = self.certificate[CAPACITY].value
        assert isinstance(value, Interval)
        return value

    @property
    def reaccounting(self) -> Reaccounting:
        """The data that `bits_for` needs for any assumption."""
        parameters: dict[str, str | int] = {
            "width": str(self.high - self.low),
            "grid": str(self.grid),
            "variance": str(self.noise.variance),
            "steps": self.steps,
            "bits": repr(self.capacity_bits.upper),
        }
        if self.change is not None:
            parameters["change"] = str(self.change)
        if self.values is not None:
            parameters["values"] = self.values
        return Reaccounting(kind="number", parameters=parameters)

    def bits_for(self, correlation: Correlation) -> float:
        """Bound from above what one release reveals about a person under another assumption, in bits."""
        return bits_of(self.reaccounting, correlation)

    @property
    def method(self) -> str:
        """Which bound the noise was chosen by."""
        if uses_selections(self.noise.variance, self.steps, self.values):
            return f"every selection of {self.values} values"
        return "all values of the scale"

    def release(self, value: Real, bits: BitSource | None = None) -> Fraction:
        """Return one private value, on the grid. The true value is in no error and in nothing else that is returned."""
        exact = private_number(value, self.low, self.high)
        # Half up, so that numbers t steps apart stay at most ⌈t⌉ apart, wherever they lie.
        place = math.floor((exact - self.centre) / self.grid + _HALF)
        added = int(self.noise.sample(SystemBits() if bits is None else bits, 1)[0])
        return self.centre + self.grid * (place + added)


@subject_of.register
def _noise_subject(thing: GaussianDesign) -> NoiseSubject:
    found = thing.certificate.subject
    assert isinstance(found, NoiseSubject)
    return found


def gaussian(
    *,
    bound: Real | None = None,
    low: Real | None = None,
    high: Real | None = None,
    budget_bits: float,
    values: int | None = None,
    steps: int | None = None,
    change: Real | None = None,
    correlated: Correlation | str | int = "anyone",
) -> GaussianDesign:
    """Return the least discrete Gaussian noise on a number in [-bound, bound], or in [low, high].

    `values`: a record has at most so many values, which tightens the bound for 2, and for 3 and 4 on moderate scales.
    `steps`: grid steps from the middle of what is hidden to its end. `change`: how far one record moves the number at
    most; `correlated`: how many people may depend on each other, themselves included. They move it by no more than the
    product, and the noise has to hide that, not all of the range. Without `change`, or for anyone, it hides all of it.

    Raises:
        InvalidParameter: the range is missing or empty, or `budget_bits` leaves nothing to hide or nothing to release.

    >>> import sfumato as sf
    >>> everybody = sf.noise.gaussian(low=0, high=1000, budget_bits=1)
    >>> pairs = sf.noise.gaussian(low=0, high=1000, budget_bits=1, change=1, correlated=2)
    >>> round(everybody.variance**0.5, 1), round(pairs.variance**0.5, 3)
    (231.3, 0.463)
    """
    start, end = _range(bound, low, high)
    who, moving = group_of(correlated), None
    if change is not None:
        moving = as_exact("change", change)
        check_positive("change", moving)
    budget = float(as_number("budget_bits", budget_bits))
    check_positive("budget_bits", budget)
    check_between(
        "budget_bits",
        budget,
        LEAST_BUDGET_BITS,
        MOST_BUDGET_BITS,
        way_out="Beyond it there is next to nothing to release, or next to nothing to hide.",
    )
    if values is not None:
        check_at_least("values", check_integer("values", values), 2)
        if budget >= math.log2(values):
            raise InvalidParameter(
                f"is no limit for `values`={values}: such a record holds log2({values}) bits at most, so no noise is "
                f"needed",
                parameter="budget_bits",
                value=budget_bits,
                way_out="Lower `budget_bits`.",
            )
    ratio = likely_ratio(budget, values)
    if steps is None:
        count = default_steps(ratio, values)
    else:
        count = check_integer("steps", steps)
        check_between("steps", count, 1, _MOST_STEPS)
    variance = least_variance(budget, count, values, ratio)
    # An assumption that makes nothing smaller is not made.
    needed = moved_by(who.people, moving, end - start) < end - start
    return GaussianDesign(
        low=start,
        high=end,
        budget_bits=budget,
        values=values,
        steps=count,
        noise=DiscreteGaussian(variance=variance),
        certificate=certify_range(
            low=start,
            high=end,
            steps=count,
            variance=variance,
            values=values,
            change=moving if needed else None,
            people=who.people if needed else None,
        ),
        change=moving,
        correlated=who,
    )


def _range(bound: Real | None, low: Real | None, high: Real | None) -> tuple[Fraction, Fraction]:
    if (bound is None) == (low is None and high is None) or (low is None) != (high is None):
        raise InvalidParameter(
            "either `bound`, or `low` and `high`, must say where f lies", way_out="Give one or the other."
        )
    if bound is not None:
        half = as_exact("bound", bound)
        check_positive("bound", half)
        return -half, half
    start, end = as_exact("low", low), as_exact("high", high)
    if not start < end:
        raise InvalidParameter(
            f"must be below `high`={end}", parameter="low", value=start, way_out="Exchange the two, or widen the range."
        )
    return start, end


# --- Private sums and private counts, for people who may depend on few others
# One record in [low, high] moves the sum of all by at most high-low, and the number of records with a property by 1.
# Theory: docs/theory/correlated_noise.md


@dataclass(frozen=True, slots=True, kw_only=True)
class OfRecords:
    """Noise for a number that is made of `count` records in [low, high], clipped to it or refused outside."""

    count: int
    low: Fraction
    high: Fraction
    clip: bool
    design: GaussianDesign

    @property
    def variance(self) -> float:
        """The variance of the noise."""
        return self.design.variance

    @property
    def capacity_bits(self) -> Interval:
        """The most that one release reveals about anyone, under the assumption that it was made for."""
        return self.design.capacity_bits

    @property
    def certificate(self) -> Certificate:
        """The claims about the noise."""
        return self.design.certificate

    @property
    def correlated(self) -> Correlation:
        """Who may depend on whom."""
        return self.design.correlated

    @property
    def reaccounting(self) -> Reaccounting:
        """The data that `bits_for` needs for any assumption."""
        return self.design.reaccounting

    def bits_for(self, correlation: Correlation) -> float:
        """Bound from above what one release reveals about a person under another assumption, in bits."""
        return self.design.bits_for(correlation)

    def total(self, values: Reals) -> Fraction:
        """Return the exact sum of the records, in a process that may see them."""
        if len(values) != self.count:
            raise InvalidParameter(
                f"must be the {self.count} records that the noise was planned for",
                parameter="values",
                way_out="Pass exactly so many.",
            )
        if self.clip:
            return sum((min(max(finite_number(value), self.low), self.high) for value in values), Fraction(0))
        return sum((private_number(value, self.low, self.high) for value in values), Fraction(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateSum(OfRecords):
    """Noise for the sum of `count` records in [low, high]; `release` takes the records themselves.

    >>> import sfumato as sf
    >>> design = sf.noise.private_sum(0, 1, 1000, 1, correlated=2)
    >>> round(design.variance**0.5, 3), design.capacity_bits.upper <= 1
    (0.463, True)
    >>> (design.release([1] * 400 + [0] * 600) / design.design.grid).denominator
    1
    """

    def release(self, values: Reals, bits: BitSource | None = None) -> Fraction:
        """Return the private sum. A record outside of the range is refused unless records are to be clipped."""
        return self.design.release(self.total(values), bits)


@subject_of.register
def _sum_subject(thing: PrivateSum) -> NoiseSubject:
    found = thing.certificate.subject
    assert isinstance(found, NoiseSubject)
    return found


def private_sum(
    low: Real,
    high: Real,
    count: int,
    budget_bits: float,
    correlated: Correlation | str | int,
    *,
    steps: int | None = None,
    clip: bool = False,
) -> PrivateSum:
    """Return the least noise for the sum of `count` records in [low, high]; see `private_mean`.

    The noise grows with how many people may depend on each other.

    >>> import sfumato as sf
    >>> [round(sf.noise.private_sum(0, 1, 1000, 1, correlated=who).variance**0.5, 3) for who in (1, 2, 4)]
    [0.231, 0.463, 0.925]
    """
    start, end, size = record_range(low, high, count)
    design = gaussian(
        low=size * start,
        high=size * end,
        budget_bits=budget_bits,
        steps=steps,
        change=end - start,
        correlated=correlated,
    )
    return PrivateSum(count=size, low=start, high=end, clip=bool(clip), design=design)


def private_count(
    records: int, budget_bits: float, correlated: Correlation | str | int, *, steps: int | None = None
) -> GaussianDesign:
    """Return the least noise for how many of so many records have some property; `release` takes the true count.

    >>> import sfumato as sf
    >>> design = sf.noise.private_count(1000, 0.5, correlated=1)
    >>> round(design.variance**0.5, 3), design.capacity_bits.upper <= 0.5
    (0.489, True)
    """
    size = check_integer("records", records)
    check_at_least("records", size, 1)
    return gaussian(low=0, high=size, budget_bits=budget_bits, steps=steps, change=1, correlated=correlated)


def record_range(low: Real, high: Real, count: int) -> tuple[Fraction, Fraction, int]:
    """Read the range and the number of records."""
    size = check_integer("count", count)
    check_at_least("count", size, 1)
    start, end = as_exact("low", low), as_exact("high", high)
    if not start < end:
        raise InvalidParameter(
            f"must be below `high`={end}", parameter="low", value=start, way_out="Exchange the two, or widen the range."
        )
    return start, end, int(size)


# --- Private means and their errors
# The mean of n records in [low, high] lies in the same range. Under arbitrary correlation one record can move it from
# end to end, so its amplitude is T = (high-low)/2 for every n, and only the sampling error shrinks with n. Where at
# most m people depend on each other they move it by m(high-low)/n, and the noise shrinks with n.
# Ref: [E, Prop 4]; theory: docs/theory/gaussian_noise.md, docs/theory/correlated_noise.md


# More than the rounding of a sum of some thousand positive terms.
_ROUNDING = 1 + 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateMean(OfRecords):
    """Noise for the mean of `count` records in [low, high].

    `release` takes the records themselves, and `error_chance` bounds how often the result is far off.

    >>> import sfumato as sf
    >>> design = sf.noise.private_mean(0, 10, 1000, budget_bits=1, correlated=4)
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
    ...     print(who, round(sf.noise.private_mean(0, 10, 1000, 1, correlated=who).variance ** 0.5, 4))
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
