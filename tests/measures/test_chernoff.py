"""Chernoff information against a numeric maximiser, 50-digit Decimals, and the errors of many real reports."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

import oracles
from sfumato import measures
from sfumato.errors import InvalidLaw
from sfumato.prob import Channel, power
from strategies import exact_channels, exact_laws

HALF = Fraction(1, 2)
PAIRS = st.integers(1, 5).flatmap(lambda n: st.tuples(exact_laws(n), exact_laws(n)))
POSITIVE = st.integers(2, 5).flatmap(lambda n: st.tuples(exact_laws(n, zeros=False), exact_laws(n, zeros=False)))


@given(PAIRS)
def test_the_interval_holds_the_true_value(pair):
    """A ternary search of 70 rounds leaves 1e-12 of λ, hence 1e-24 of the value at a smooth minimum."""
    p, q = pair
    interval = measures.chernoff_information_interval(p, q)
    if all(a * b == 0 for a, b in zip(p, q, strict=True)):
        assert (interval.lower, interval.upper) == (math.inf, math.inf)
    else:
        truth = oracles.chernoff_nats(p, q)
        assert Decimal(interval.lower) - Decimal("1e-20") <= truth <= Decimal(interval.upper) + Decimal("1e-20")
        assert interval.width <= 1e-12


@given(POSITIVE)
def test_a_numeric_maximiser_finds_the_same(pair):
    """scipy's bounded search stops at 1e-10 of λ; the objective is flat there, so 1e-9 is ample."""
    p, q = ([float(v) for v in law] for law in pair)

    def objective(power_of_p):
        return math.log(sum(a**power_of_p * b ** (1 - power_of_p) for a, b in zip(p, q, strict=True)))

    best = -minimize_scalar(objective, bounds=(0, 1), method="bounded", options={"xatol": 1e-10}).fun
    assert measures.chernoff_information_nats(*pair) == pytest.approx(best, abs=1e-9)
    assert measures.chernoff_information_nats(*pair) == pytest.approx(
        measures.chernoff_information_nats(*reversed(pair)), abs=1e-12
    )


@pytest.mark.parametrize("tiny", [1e-10, 1e-100, 1e-300])
def test_laws_that_hardly_meet_have_a_large_and_sharp_value(tiny):
    """On the common support both laws are `tiny`, so the sum is `tiny` for every λ."""
    interval = measures.chernoff_information_interval([tiny, 1 - tiny, 0.0], [tiny, 0.0, 1 - tiny])
    assert -math.log(tiny) in interval
    assert interval.width <= 1e-10
    assert measures.chernoff_information_nats([tiny, 1 - tiny, 0.0], [tiny, 0.0, 1 - tiny]) == pytest.approx(
        -math.log(tiny), rel=1e-12
    )


def test_probabilities_below_every_double_are_survived():
    tiny = Fraction(1, 10**400)
    interval = measures.chernoff_information_interval([tiny, 1 - tiny], [1 - tiny, tiny])
    truth = oracles.chernoff_nats([tiny, 1 - tiny], [1 - tiny, tiny])
    assert Decimal(interval.lower) <= truth <= Decimal(interval.upper)


def test_binary_symmetric_closed_form():
    """By symmetry λ = 1/2: C = -ln 2√(p(1-p))."""
    p = Fraction(1, 10)
    found = measures.chernoff_information_nats([p, 1 - p], [1 - p, p])
    assert found == pytest.approx(-math.log(2 * math.sqrt(0.09)), abs=1e-13)


@given(PAIRS)
def test_no_test_from_n_reports_errs_less_than_the_exponent_allows_or_more_than_chernoff_bounds(pair):
    """Chernoff: with uniform prior, the Bayes error of n reports is at most e^(-nC)/2, for every n."""
    channel = Channel(pair)
    information = measures.chernoff_information_interval(*pair)
    for n in (1, 2, 5):
        assert float(measures.guess_error(power(channel, n))) <= math.exp(-n * information.lower) / 2 * (1 + 1e-12)


def test_the_error_of_many_reports_falls_at_the_rate_of_the_exponent():
    """-(1/n) ln error tends to C from above like (ln n)/(2n) + O(1/n): at n = 200 within .03."""
    p, q = [Fraction(1, 5), Fraction(4, 5)], [Fraction(3, 5), Fraction(2, 5)]
    rate = -float(oracles.ln(measures.guess_error(power(Channel([p, q]), 200)))) / 200
    exponent = measures.chernoff_information_nats(p, q)
    assert exponent < rate < exponent + 0.03


def test_erratum_the_ends_count_only_what_both_laws_allow():
    """[A, eq. (68)] at λ = 1 with 0**0 = 1 gives Σ p = 1, exponent 0. n reports err with 2^-(n+1): it is ln 2."""
    p, q = [HALF, HALF], [Fraction(1), Fraction(0)]

    def literal(power_of_p):
        return -math.log(sum(float(a) ** power_of_p * float(b) ** (1 - power_of_p) for a, b in zip(p, q, strict=True)))

    assert literal(1) == 0.0
    assert math.log(2) in measures.chernoff_information_interval(p, q)
    assert measures.chernoff_information_nats(p, q) == pytest.approx(math.log(2), abs=1e-13)
    for n in range(1, 8):
        assert measures.guess_error(power(Channel([p, q]), n)) == Fraction(1, 2 ** (n + 1))


@given(exact_channels(4, 3, min_inputs=2))
def test_the_radius_is_the_smallest_information_between_two_rows(channel):
    expected = min(measures.chernoff_information_nats(p, q) for p, q in itertools.combinations(channel.rows, 2))
    assert measures.chernoff_radius_nats(channel) == expected
    if len(set(channel.rows)) < channel.shape[0]:
        assert expected == 0.0
    else:
        assert expected > 0.0


def test_laws_of_different_lengths_are_refused():
    with pytest.raises(InvalidLaw, match=r"second has 2 outcomes and `first` has 1. Give both the same outcomes."):
        measures.chernoff_information_nats([1], [1, 0])


def test_one_input_has_no_radius():
    with pytest.raises(InvalidLaw, match=r"^channel has one input, and a Chernoff radius compares at least two."):
        measures.chernoff_radius_nats(Channel([[1]]))
