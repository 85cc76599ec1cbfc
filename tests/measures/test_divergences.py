"""f-divergences and Rényi divergences against Decimals, and against each other where they meet."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import oracles
from sfumato import measures
from sfumato.errors import InvalidLaw, InvalidParameter
from strategies import exact_laws

PAIRS = st.integers(1, 5).flatmap(lambda n: st.tuples(exact_laws(n), exact_laws(n)))
POSITIVE = st.integers(1, 5).flatmap(lambda n: st.tuples(exact_laws(n, zeros=False), exact_laws(n, zeros=False)))
# Sums of at most five terms of size ≤ 12² with a few roundings each.
CLOSE = {"rel": 1e-13, "abs": 1e-14}


def forbidden(p, q):
    return any(a > 0 == b for a, b in zip(p, q, strict=True))


@given(PAIRS)
def test_kullback_leibler_is_its_definition_and_infinite_when_something_new_happens(pair):
    p, q = pair
    found = measures.kullback_leibler_nats(p, q)
    if forbidden(p, q):
        assert found == math.inf
    else:
        truth = sum(oracles.decimal(a) * oracles.ln(a / b) for a, b in zip(p, q, strict=True) if a)
        assert found == pytest.approx(float(truth), **CLOSE)


@given(PAIRS)
def test_chi_squared_is_its_definition(pair):
    p, q = pair
    found = measures.chi_squared(p, q)
    if forbidden(p, q):
        assert found == math.inf
    else:
        assert found == pytest.approx(float(sum((a - b) ** 2 / b for a, b in zip(p, q, strict=True) if b)), **CLOSE)


def test_chi_squared_near_the_end_of_the_doubles():
    """(1/2)²/1e-300 is a double, though (p/q)² is not."""
    assert measures.chi_squared([0.5, 0.5], [1e-300, 1.0]) == pytest.approx(2.5e299, rel=1e-12)


@given(PAIRS)
def test_squared_hellinger_is_one_minus_the_affinity(pair):
    p, q = pair
    truth = 1 - sum((oracles.decimal(a * b).sqrt() for a, b in zip(p, q, strict=True)), Decimal(0))
    assert measures.squared_hellinger(p, q) == pytest.approx(float(truth), **CLOSE)
    assert measures.squared_hellinger(p, q) == pytest.approx(measures.squared_hellinger(q, p), **CLOSE)


@given(PAIRS)
def test_total_variation_is_the_f_divergence_of_half_the_distance(pair):
    found = measures.f_divergence(*pair, lambda t: abs(t - 1) / 2, slope_at_infinity=0.5)
    assert found == pytest.approx(float(measures.total_variation(*pair)), **CLOSE)


@given(PAIRS, st.sampled_from([0.1, 0.5, 0.9, 1.5, 2.0, 7.0, 60.0]))
def test_renyi_is_its_definition(pair, order):
    p, q = pair
    shared = any(a > 0 < b for a, b in zip(p, q, strict=True))
    found = measures.renyi_nats(p, q, order)
    if not shared or (order > 1 and forbidden(p, q)):
        assert found == math.inf
    else:
        assert found == pytest.approx(float(oracles.renyi_nats(p, q, order)), rel=1e-12, abs=1e-13)


@given(POSITIVE)
def test_renyi_at_its_limits(pair):
    p, q = pair
    assert measures.renyi_nats(p, q, 1) == measures.kullback_leibler_nats(p, q)
    assert measures.renyi_nats(p, q, 0) == pytest.approx(0.0, abs=1e-15)
    assert measures.renyi_nats(p, q, math.inf) == pytest.approx(
        float(oracles.ln(max(a / b for a, b in zip(p, q, strict=True)))), **CLOSE
    )


def test_renyi_of_order_zero_is_the_mass_of_the_common_support():
    assert measures.renyi_nats([1, 0], [Fraction(1, 4), Fraction(3, 4)], 0) == pytest.approx(math.log(4), abs=1e-15)
    assert measures.renyi_nats([1, 0], [0, 1], 0) == math.inf


@given(POSITIVE)
def test_renyi_does_not_fall_as_its_order_grows(pair):
    """Orders are kept apart from 1, where dividing by (order - 1) costs digits: 1e-12 covers .9 and 1.1."""
    values = [measures.renyi_nats(*pair, order) for order in (0, 0.25, 0.5, 0.9, 1, 1.1, 2, 5, 30, math.inf)]
    assert all(low <= high + 1e-12 for low, high in itertools.pairwise(values))


@given(POSITIVE, st.sampled_from([0.2, 0.5, 0.7]))
def test_renyi_is_skew_symmetric(pair, order):
    """(1-α) D_α(p‖q) = α D_{1-α}(q‖p)."""
    p, q = pair
    left = (1 - order) * measures.renyi_nats(p, q, order)
    assert left == pytest.approx(order * measures.renyi_nats(q, p, 1 - order), **CLOSE)


@given(PAIRS)
def test_divergences_vanish_only_between_equal_laws(pair):
    p, q = pair
    assume(p != q)
    # Weights up to 12 over at most 60: different laws differ by 1/3600 somewhere, so χ² and KL exceed its square.
    for value in (
        measures.kullback_leibler_nats(p, q),
        measures.chi_squared(p, q),
        measures.squared_hellinger(p, q),
        measures.renyi_nats(p, q, 2),
    ):
        assert value > 1e-9
    assert measures.kullback_leibler_nats(p, p) == measures.chi_squared(q, q) == 0.0


def test_erratum_the_printed_renyi_divergence_has_its_arguments_exchanged():
    """[C] prints (1/s) ln Σ p^(-s) q^(1+s); at s = 1 that is D_2(q‖p), and as s → 0 it does not tend to D(p‖q)."""
    p, q = [Fraction(1, 4), Fraction(3, 4)], [Fraction(1, 2), Fraction(1, 2)]

    def printed(s):
        return math.log(sum(float(a) ** -s * float(b) ** (1 + s) for a, b in zip(p, q, strict=True))) / s

    assert measures.renyi_nats(p, q, 2) == pytest.approx(math.log(5 / 4), abs=1e-15)
    assert printed(1) == pytest.approx(math.log(4 / 3), abs=1e-15)
    assert printed(1) == pytest.approx(measures.renyi_nats(q, p, 2), abs=1e-15)
    # ln at s = 1e-6 leaves an error of order s: the two limits differ by .013, a thousand times more.
    assert printed(1e-6) == pytest.approx(measures.kullback_leibler_nats(q, p), abs=1e-6)
    assert abs(printed(1e-6) - measures.kullback_leibler_nats(p, q)) > 0.01


def test_what_does_not_fit_is_refused():
    with pytest.raises(InvalidLaw, match=r"second has 2 outcomes and `first` has 1. Give both the same outcomes."):
        measures.kullback_leibler_nats([1], [1, 0])
    with pytest.raises(InvalidParameter, match=r"order=-1 must be at least 0. Raise `order`."):
        measures.renyi_nats([1], [1], -1)
    with pytest.raises(InvalidParameter, match=r"order=nan must be at least 0. Raise `order`."):
        measures.renyi_nats([1], [1], math.nan)
