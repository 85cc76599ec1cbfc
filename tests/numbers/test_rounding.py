"""Every float that stands in a guarantee errs on its stated side, and by no more than a few ulps.

The oracles are Taylor series in 160-digit Decimals, not the library's own logarithm.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.numbers.intervals import float_above, float_below, fraction_below_exp, ln_bounds, log2_bounds

DIGITS = 160
SMALL = st.fractions(Fraction(1, 10**12), 10**12, max_denominator=10**12)
WILD = st.builds(
    lambda a, b, e: Fraction(a, b) * Fraction(10) ** e, *[st.integers(1, 10**30)] * 2, st.integers(-400, 400)
)


def atanh_series(y: Decimal) -> Decimal:
    total, power, n = Decimal(0), y, 1
    while abs(power) > abs(y) * Decimal(10) ** -DIGITS:
        total += power / n
        power *= y * y
        n += 2
    return total


def ln_series(value: Fraction) -> Decimal:
    """2 atanh((m-1)/(m+1)) + k ln 2 with value = m 2^k, m in [2/3, 4/3]."""
    with localcontext() as context:
        context.prec = DIGITS
        shift = value.numerator.bit_length() - value.denominator.bit_length()
        reduced = value / Fraction(2) ** shift
        while reduced > Fraction(4, 3):
            reduced, shift = reduced / 2, shift + 1
        while reduced < Fraction(2, 3):
            reduced, shift = reduced * 2, shift - 1
        ratio = (reduced - 1) / (reduced + 1)
        small = 2 * atanh_series(Decimal(ratio.numerator) / Decimal(ratio.denominator)) if ratio else Decimal(0)
        return small + shift * 2 * atanh_series(Decimal(1) / Decimal(3))


def exp_series(exponent: float) -> Fraction:
    """e^exponent by Taylor's series at exponent/2^k, squared k times; 300 digits, so right to 1e-200 up to e^600."""
    with localcontext() as context:
        context.prec = 600
        halvings = max(0, math.frexp(exponent)[1]) + 10
        x = Decimal(exponent) / Decimal(2) ** halvings
        total, term, n = Decimal(1), Decimal(1), 0
        while term and abs(term) > Decimal(10) ** -600:
            n += 1
            term = term * x / n
            total += term
        for _ in range(halvings):
            total *= total
        return Fraction(total)


@given(SMALL | WILD.filter(lambda v: Fraction(10) ** -300 < v < Fraction(10) ** 300))
@example(Fraction(1, 3))
@example(Fraction(1, 2))
def test_float_below_and_above_are_the_neighbours_of_a_fraction(value):
    """Both sides hold, and nothing lies between: equal for a double, one step apart for anything else."""
    low, high = float_below(value), float_above(value)
    assert Fraction(low) <= value <= Fraction(high)
    assert high == (low if Fraction(low) == value else math.nextafter(low, math.inf))


@given(SMALL)
def test_float_below_and_above_are_mirror_images(value):
    assert float_below(-value) == -float_above(value)


@pytest.mark.parametrize("huge", [Fraction(10) ** 400, -(Fraction(10) ** 400)])
def test_a_number_beyond_every_double_is_still_bounded(huge):
    low, high = float_below(huge), float_above(huge)
    assert low <= huge <= high
    assert (low, high) == ((1.7976931348623157e308, math.inf) if huge > 0 else (-math.inf, -1.7976931348623157e308))


@given(SMALL | WILD)
@example(Fraction(1))
@example(1 + Fraction(1, 10**30))
@example(1 - Fraction(1, 10**30))
@example(Fraction(10**400))
def test_ln_bounds_hold_the_series_and_are_tight(value):
    low, high = ln_bounds(value)
    truth = ln_series(value)
    assert Decimal(low) <= truth <= Decimal(high)
    assert high - low <= 4 * math.ulp(max(abs(low), abs(high)))


@given(SMALL | WILD)
@example(1 + Fraction(1, 10**30))
@example(Fraction(3, 10**350))
def test_log2_bounds_hold_the_series_and_are_tight(value):
    low, high = log2_bounds(value)
    with localcontext() as context:
        context.prec = DIGITS
        truth = ln_series(value) / (2 * atanh_series(Decimal(1) / Decimal(3)))
        # For powers of two the bounds are the number itself; the oracle's last digits are not.
        slack = Decimal(10) ** (10 - DIGITS) * (1 + abs(truth))
        assert Decimal(low) - slack <= truth <= Decimal(high) + slack
    assert high - low <= 4 * math.ulp(max(abs(low), abs(high)))


@pytest.mark.parametrize("power", [-1074, -3, 0, 1, 64, 5000])
def test_log2_of_a_power_of_two_is_a_point(power):
    assert log2_bounds(Fraction(2) ** power) == (power, power)


@pytest.mark.parametrize("distance", [60, 100])
def test_ln_bounds_stay_on_their_sides_closer_to_one_than_fifty_digits(distance):
    """ln(1+d) lies in (0, d): the bounds may no longer be tight, but they may not be wrong."""
    step = Fraction(1, 10**distance)
    low, high = ln_bounds(1 + step)
    assert low <= 0 < high < 1e-45
    low, high = ln_bounds(1 - step)
    assert -1e-45 < low < 0 <= high


@given(st.floats(0, 30), st.integers(1, 2**64))
@example(0.0, 7)
@example(1e-12, 2**64)
@example(200.0, 3)
@example(600.5, 2**64)
def test_fraction_below_exp_is_the_largest_multiple_that_keeps_the_promise(exponent, denominator):
    odds = fraction_below_exp(exponent, denominator=denominator)
    bound = exp_series(exponent)
    assert denominator % odds.denominator == 0
    assert odds <= bound
    assert odds + Fraction(1, denominator) > bound


def test_the_oracles_agree_with_known_digits():
    assert str(ln_series(Fraction(2)))[:40] == "0.69314718055994530941723212145817656807"
    assert abs(exp_series(1.0) - Fraction("2.71828182845904523536028747135266249775724709369995")) < Fraction(1, 10**49)
