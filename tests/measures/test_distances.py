"""Total variation against couplings and events; the weighted guesser against all guessers."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from sfumato import measures
from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.prob import Channel
from strategies import circulants, exact_channels, exact_laws, float_channels

PAIRS = st.integers(1, 5).flatmap(lambda size: st.tuples(exact_laws(size), exact_laws(size)))


def events(size):
    return itertools.chain.from_iterable(itertools.combinations(range(size), n) for n in range(size + 1))


@given(PAIRS)
def test_total_variation_is_the_largest_difference_on_any_event(pair):
    p, q = pair
    assert measures.total_variation(p, q) == max(sum(p[i] - q[i] for i in event) for event in events(len(p)))


@given(PAIRS)
def test_total_variation_is_the_least_chance_of_differing_under_a_coupling(pair):
    """Kantorovich's linear program; 1e-7 is the feasibility tolerance of HiGHS."""
    p, q = pair
    size = len(p)
    cost = (1 - np.eye(size)).ravel()
    rows = np.concatenate([np.kron(np.eye(size), np.ones(size)), np.kron(np.ones(size), np.eye(size))])
    solved = linprog(cost, A_eq=rows, b_eq=[float(v) for v in (*p, *q)])
    assert solved.status == 0
    assert abs(solved.fun - float(measures.total_variation(p, q))) <= 1e-7


@given(PAIRS, st.fractions(0, 1, max_denominator=20))
def test_weighted_guess_error_is_that_of_the_best_event(pair, weight):
    """min over S of (1-w)p_0(S) + w p_1(S^c)."""
    p, q = pair
    best = min(
        (1 - weight) * sum(p[i] for i in event) + weight * (1 - sum(q[i] for i in event)) for event in events(len(p))
    )
    assert measures.weighted_guess_error(Channel([p, q]), weight) == best
    assert measures.weighted_l1(p, q, weight) == 1 - 2 * best


@given(PAIRS)
def test_the_weight_one_half_is_the_uniform_guess_error(pair):
    channel = Channel(pair)
    assert measures.weighted_guess_error(channel, Fraction(1, 2)) == measures.guess_error(channel)


@given(exact_channels(4, 4))
def test_largest_total_variation_is_the_largest_over_pairs(channel):
    pairs = itertools.combinations(channel.rows, 2)
    assert measures.largest_total_variation(channel) == max(
        (measures.total_variation(p, q) for p, q in pairs), default=0
    )


@given(circulants(6))
def test_largest_total_variation_of_a_structured_channel(ring):
    assert measures.largest_total_variation(ring) == measures.largest_total_variation(ring.to_dense())


@given(float_channels())
def test_largest_total_variation_of_floats(channel):
    """Four differences, halved: 1e-15 covers their rounding."""
    exact = [[Fraction(v) for v in row] for row in channel.rows]
    pairs = itertools.combinations(exact, 2)
    truth = max((sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2 for p, q in pairs), default=Fraction(0))
    assert measures.largest_total_variation(channel) == pytest.approx(float(truth), abs=1e-15)


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (
            lambda: measures.weighted_l1([1], [1], Fraction(3, 2)),
            InvalidParameter,
            "weight=3/2 must lie in [0, 1]. Move `weight` into that range.",
        ),
        (
            lambda: measures.total_variation([1], [1, 0]),
            InvalidLaw,
            "second has 2 outcomes and `first` has 1. Give both the same outcomes.",
        ),
        (
            lambda: measures.weighted_guess_error(Channel([[1]] * 3), 0.5),
            InvalidLaw,
            "channel has 3 inputs, and a yes/no question has 2. Pick the two rows to compare.",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, error, sentence):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == sentence
