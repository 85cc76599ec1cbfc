"""Intervals that contain a number, floats rounded to a known side, and enclosures of logarithms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from sfumato.errors import InvalidParameter, NotCertified
from sfumato.numbers.checks import Number, Profile


@dataclass(frozen=True, slots=True)
class Interval:
    """`lower ≤ v ≤ upper`: how a certified number is written. Infinite ends are allowed; NaN is not.

    >>> import sfumato as sf
    >>> from sfumato.numbers import Interval
    >>> found = sf.measures.capacity_bits(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))
    >>> round(found.lower, 9), found.width < 1e-9, 0.1887 in found
    (0.188721876, True, False)
    >>> Interval(0.25, 0.5).overlaps(Interval(0.5, 1.0))
    True
    """

    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:
            raise InvalidParameter(
                f"must be at most `upper`={self.upper}",
                parameter="lower",
                value=self.lower,
                way_out="Exchange the two, or check how they were computed.",
            )

    @classmethod
    def around(cls, value: float, slack: float) -> Interval:
        """Return the interval within `slack` ≥ 0 and one ulp of a number, for rounding that was bounded by hand."""
        return cls(math.nextafter(value - slack, -math.inf), math.nextafter(value + slack, math.inf))

    @property
    def width(self) -> float:
        """How much is left open; 0 for a single point, infinite or not."""
        return 0.0 if self.lower == self.upper else self.upper - self.lower

    @property
    def midpoint(self) -> float:
        """The number to print when only one is wanted."""
        return self.lower if self.lower == self.upper else self.lower + (self.upper - self.lower) / 2

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper

    def encloses(self, other: Interval) -> bool:
        """Whether every point of `other` lies in this interval."""
        return self.lower <= other.lower and other.upper <= self.upper

    def overlaps(self, other: Interval) -> bool:
        """Whether the two intervals can hold the same number."""
        return self.lower <= other.upper and other.lower <= self.upper

    def widened(self, slack: float) -> Interval:
        """Return the interval pushed outwards by `slack` ≥ 0 and one ulp, for rounding that was bounded by hand."""
        if math.isinf(self.lower) and self.lower == self.upper:
            return self
        return Interval(math.nextafter(self.lower - slack, -math.inf), math.nextafter(self.upper + slack, math.inf))

    def at_least(self, floor: float) -> Interval:
        """Return the interval cut off below `floor`, for a quantity known to be no smaller."""
        return self if self.lower >= floor else Interval(floor, max(self.upper, floor))

    def __str__(self) -> str:
        return f"[{self.lower!r}, {self.upper!r}]"


# --- Floats rounded to a known side, so that a guarantee is never rounded in its own favour


# libmpdec rounds ln correctly at any precision; 50 digits leave 33 to spare over a double.
_DOWN = Context(prec=50, rounding=ROUND_FLOOR)
_UP = Context(prec=50, rounding=ROUND_CEILING)
_LN2_DOWN = _DOWN.next_minus(_DOWN.ln(Decimal(2)))
_LN2_UP = _UP.next_plus(_UP.ln(Decimal(2)))


def float_below(value: Fraction | Decimal) -> float:
    """Return the largest double ≤ value (or the one below it)."""
    nearest = _nearest(value)
    return nearest if nearest <= _exact(value) else math.nextafter(nearest, -math.inf)


def float_above(value: Fraction | Decimal) -> float:
    """Return the smallest double ≥ value (or the one above it)."""
    nearest = _nearest(value)
    return nearest if nearest >= _exact(value) else math.nextafter(nearest, math.inf)


def ln_bounds(value: Fraction) -> tuple[float, float]:
    """Two doubles, a few ulps apart, with ln(value) between them. `value` must be positive."""
    low, high = _ln_decimals(value)
    return float_below(low), float_above(high)


def log2_bounds(value: Fraction) -> tuple[float, float]:
    """Two doubles, a few ulps apart, with log2(value) between them; exact for powers of two."""
    whole = _power_of_two(value)
    if whole is not None:
        return float(whole), float(whole)
    low, high = _ln_decimals(value)
    return (
        float_below(_DOWN.divide(low, _LN2_UP if low > 0 else _LN2_DOWN)),
        float_above(_UP.divide(high, _LN2_DOWN if high > 0 else _LN2_UP)),
    )


def fraction_below_exp(exponent: float, *, denominator: int) -> Fraction:
    """Return the largest multiple of 1/denominator that is ≤ e^exponent: odds that keep a promised epsilon."""
    # `exp` is correctly rounded, so one unit in the last place down is surely below; 60 digits follow the point.
    context = Context(prec=60 + len(str(denominator)) + int(abs(exponent)), rounding=ROUND_FLOOR)
    exponential = context.next_minus(context.exp(Decimal(exponent)))
    if exponent >= 0:  # an exponent below the last digit must not turn even odds into uneven ones
        exponential = max(exponential, Decimal(1))
    scaled = context.multiply(exponential, Decimal(denominator))
    return Fraction(int(scaled.to_integral_value(rounding=ROUND_FLOOR)), denominator)


def _ln_decimals(value: Fraction) -> tuple[Decimal, Decimal]:
    if value == 1:
        return Decimal(0), Decimal(0)
    numerator, denominator = Decimal(value.numerator), Decimal(value.denominator)
    low_ratio, high_ratio = _DOWN.divide(numerator, denominator), _UP.divide(numerator, denominator)
    # ln itself ignores the rounding direction (it rounds half-even), hence one step outward.
    return _DOWN.next_minus(_DOWN.ln(low_ratio)), _UP.next_plus(_UP.ln(high_ratio))


def _power_of_two(value: Fraction) -> int | None:
    numerator, denominator = value.numerator, value.denominator
    if numerator & (numerator - 1) or denominator & (denominator - 1):
        return None
    return numerator.bit_length() - denominator.bit_length()


def _nearest(value: Fraction | Decimal) -> float:
    try:
        return float(value)
    except OverflowError:  # beyond the largest double, where a Fraction has no nearest one
        return math.inf if value > 0 else -math.inf


def _exact(value: float | Fraction | Decimal) -> Fraction:
    return Fraction(value)


# --- Sums of logarithms with a bound on their rounding error
#
# Every bound is first order in u = 2^-53 with generous constants: a conversion costs u, a correctly written libm log2
# at most a few u of its value, a product u. `math.fsum` adds without error, so no other error accumulates.


UNIT_ROUNDOFF = 2.0**-53
LOG2_E = 1 / math.log(2)


# Below this a double loses digits, and x·log2(1/x) is less than _NEGLIGIBLE.
_SMALLEST = 1e-290
_NEGLIGIBLE = 1e-280


def entropy_interval(profile: Profile | Iterable[tuple[Number, int]], *, ulps: int = 4) -> Interval:
    """-Σ p log2 p over (probability, multiplicity) pairs, each probability known to a relative error of `ulps`·u."""
    terms, slack = [], []
    for probability, count in profile:
        if probability == 0:
            continue
        value = float(probability)
        if value < _SMALLEST:
            slack.append(count * _NEGLIGIBLE)
            continue
        logarithm = math.log2(value)
        terms.append(-count * value * logarithm)
        slack.append(count * value * UNIT_ROUNDOFF * ((8 + ulps) * abs(logarithm) + 2 * ulps))
    return _enclose(terms, slack).at_least(0.0)


def expected_log2_interval(terms: Iterable[tuple[float, float]]) -> Interval:
    """Σ w·log2 r over (weight, ratio) pairs, each known to a relative error of 8u; a ratio between w and 1/w."""
    values, slack = [], []
    for weight, ratio in terms:
        if weight < _SMALLEST:
            slack.append(_NEGLIGIBLE)
            continue
        logarithm = math.log2(ratio)
        values.append(weight * logarithm)
        slack.append(weight * UNIT_ROUNDOFF * (16 * abs(logarithm) + 16))
    return _enclose(values, slack)


def log2_interval(value: Number, *, ulps: int = 8) -> Interval:
    """log2 of a number: a few ulps wide when the number is exact, infinite when it is.

    A float is taken to be known to a relative error of `ulps`·u.
    """
    if isinstance(value, Fraction):
        return Interval(*log2_bounds(value))
    if math.isinf(value):
        return Interval(math.inf, math.inf)
    logarithm = math.log2(value)
    return Interval.around(logarithm, UNIT_ROUNDOFF * (4 * abs(logarithm) + 2 * ulps))


def ln_interval(value: Number, *, ulps: int = 8) -> Interval:
    """ln of a number, on the same terms."""
    if isinstance(value, Fraction):
        return Interval(*ln_bounds(value))
    if math.isinf(value):
        return Interval(math.inf, math.inf)
    logarithm = math.log(value)
    return Interval.around(logarithm, UNIT_ROUNDOFF * (4 * abs(logarithm) + 2 * ulps))


def _enclose(terms: list[float], slack: list[float]) -> Interval:
    total = math.fsum(terms)
    bound = math.fsum(slack) + 4 * UNIT_ROUNDOFF * abs(total)
    return Interval.around(total, bound) if bound else Interval(total, total)


# --- Input laws in certificates, in one canonical spelling


# Doubles that were divided by their sum add up to 1 within this; a weight that was changed by 1e-11 does not.
_MOST_OFF = 1e-12


def check_witness(weights: Sequence[float]) -> None:
    """Raise NotCertified unless the weights are a law: from 0 to 1, no zero with a sign, summing to 1."""
    if not all(0 <= weight <= 1 and math.copysign(1.0, weight) > 0 for weight in weights):
        raise NotCertified("must have weights from 0 to 1", parameter="witness")
    if not abs(math.fsum(weights) - 1) <= _MOST_OFF:
        raise NotCertified("must sum to 1", parameter="witness")
