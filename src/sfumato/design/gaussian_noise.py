"""The least noise on a bounded number for a budget in bits.

Ref: [E, Cor. 6], [Smi71]; theory: docs/theory/gaussian_noise.md

f(x) in [low, high] is rounded to a grid and discrete Gaussian noise is added. Whatever the records are and however
they depend on each other, the release tells no more about one of them than the capacity of that noise under an
amplitude limit: rounding is a function of the data and stays on the scale. Calibration and certificate are for the
discrete law that is sampled, not for the normal law that it resembles. Where one record changes f by little and few
people depend on each other, the amplitude is what these few move: docs/theory/correlated_noise.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from sfumato.bits import BitSource, SystemBits
from sfumato.bits.discrete_gaussian import DiscreteGaussian
from sfumato.certificates import Certificate
from sfumato.certificates.registry import subject_of
from sfumato.design.noise_bounds import moved_by, uses_selections
from sfumato.design.noise_calibration import default_steps, least_variance, likely_ratio
from sfumato.design.noise_certificates import CAPACITY, NoiseSubject, certify_range
from sfumato.design.private_numbers import group_of, private_number
from sfumato.design.recounts import Recount, bits_of
from sfumato.errors import InvalidParameter
from sfumato.measures.amplitude.capacities import LEAST_BUDGET_BITS, MOST_BUDGET_BITS, amplitude_ratio
from sfumato.values import Interval
from sfumato.values.checks import (
    as_exact,
    as_number,
    check_at_least,
    check_between,
    check_integer,
    check_positive,
)
from sfumato.values.correlation import ANYONE, Correlation
from sfumato.values.rounding import float_above
from sfumato.values.shown import Shown
from sfumato.values.types import Real

_MOST_STEPS = 2_000
_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianDesign(Shown):
    """Noise for a number in [low, high]: what is added, what it costs, and what it proves.

    `correlated` says who may depend on whom, and `change` how far one record moves the number.

    One gets it from `gaussian`; its `paper_variance` is what the printed formula asks for.

    >>> import sfumato as sf
    >>> design = sf.design.gaussian(low=0, high=10, budget_bits=1)
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
        """T, half of what those who may depend on each other move: half the range where it may be anybody."""
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
        """T²/(2^(2b)-1), what [E, Cor. 6] asks for: a limit on power where there is one on amplitude."""
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
    def recount(self) -> Recount:
        """What it takes to find again what a release tells, under whatever assumption."""
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
        return Recount(kind="number", parameters=parameters)

    def bits_for(self, correlation: Correlation) -> float:
        """Bound from above what one release tells about a person under another assumption, in bits."""
        return bits_of(self.recount, correlation)

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
    >>> everybody = sf.design.gaussian(low=0, high=1000, budget_bits=1)
    >>> pairs = sf.design.gaussian(low=0, high=1000, budget_bits=1, change=1, correlated=2)
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
