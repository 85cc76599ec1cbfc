"""Binomial tails, enclosed: against fractions, against scipy, and the cut that is the exact one."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special
from scipy.stats import binom

from sfumato.errors import InvalidParameter
from sfumato.prob import binomial as binomial_tails
from sfumato.prob.binomial import least_count, upper_tail

shares = st.fractions(min_value=Fraction(1, 1000), max_value=Fraction(999, 1000), max_denominator=1 << 40)


def exact_tail(count, n, share):
    return sum((math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(max(0, count), n + 1)), Fraction(0))


@given(n=st.integers(1, 60), share=shares, data=st.data())
def test_enclosures_hold_the_exact_tail_and_are_narrow(n, share, data):
    """What large n use is forced on small ones, where fractions know the truth."""
    count = data.draw(st.integers(-1, n + 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(binomial_tails, "_SMALL", 0)
        patch.setattr(binomial_tails, "_log_factorial", lambda m: binomial_tails.Decimal(math.factorial(m)).ln())
        low, high = upper_tail(count, n, share)
    truth = exact_tail(count, n, share)
    assert low <= truth <= high
    assert high - low <= truth * Fraction(1, 10**28)
    assert upper_tail(count, n, share) == (truth, truth)


@pytest.mark.parametrize("n", [201, 300])
def test_stirlings_series_does_not_move_the_enclosure(n):
    for share in (Fraction(1, 7), Fraction(1, 2), Fraction(997, 1000)):
        for count in (1, n // 7, n // 2, n - 1, n):
            low, high = upper_tail(count, n, share)
            assert low <= exact_tail(count, n, share) <= high
            assert high - low <= low * Fraction(1, 10**28)


@pytest.mark.parametrize(("n", "count"), [(10**6, 252120), (10**6, 260000), (10**8, 25_030_000), (10**6, 240_000)])
def test_far_tails_agree_with_floats(n, count):
    low, high = upper_tail(count, n, Fraction(1, 4))
    assert float(high / low - 1) < 1e-28
    assert float(low) == pytest.approx(float(binom.sf(count - 1, n, 0.25)), rel=1e-9)


@given(
    n=st.integers(1, 40), share=shares, level=st.fractions(Fraction(1, 10**6), Fraction(1, 2), max_denominator=10**9)
)
def test_the_cut_is_the_least_count_with_a_tail_within_the_level(n, share, level):
    cut = least_count(n, share, level)
    assert exact_tail(cut, n, share) <= level
    assert exact_tail(cut - 1, n, share) > level


def test_a_level_that_is_a_tail_is_met():
    """At a tie the count itself is taken, which floats cannot promise."""
    for n, count in ((7, 5), (23, 20)):
        share = Fraction(1, 3)
        assert least_count(n, share, exact_tail(count, n, share)) == count
        assert least_count(n, share, exact_tail(count, n, share) - Fraction(1, 10**40)) == count + 1


def test_a_wrong_guess_in_floats_is_put_right():
    """The guess only saves time: from a bad one the enclosures find the same cut."""
    right = least_count(100_000, Fraction(1, 8), Fraction(1, 10**6))
    tail = special.betainc
    for factor in (0.5, 3.0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(special, "betainc", lambda a, b, x, f=factor, t=tail: f * t(a, b, x))
            assert least_count(100_000, Fraction(1, 8), Fraction(1, 10**6)) == right


def test_what_is_no_level_is_refused():
    for level in (Fraction(0), Fraction(1)):
        with pytest.raises(InvalidParameter, match="strictly between 0 and 1"):
            least_count(10, Fraction(1, 2), level)
