"""Fisher information: the survey's numbers, and the curvature of the Kullback-Leibler divergence."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from sfumato import measures
from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.prob import Channel
from strategies import exact_channels, positive_exact_channels

DELTA, WEIGHT, THETA = Fraction(1, 4), Fraction(1, 2), Fraction(1, 10)
A = (1 - DELTA) / 2
SURVEYS = {
    "three outputs": (
        Channel([[A / (1 - WEIGHT), 1 - A / (1 - WEIGHT), 0], [A / WEIGHT, 0, 1 - A / WEIGHT]]),
        (1 - A / (WEIGHT * (1 - THETA) + (1 - WEIGHT) * THETA)) / (THETA * (1 - THETA)),
        "2.7778",
    ),
    "two outputs": (
        Channel([[1, 0], [A / WEIGHT, 1 - A / WEIGHT]]),
        (WEIGHT - A) / (THETA * (WEIGHT * (1 - THETA) + A * THETA)),
        "2.5641",
    ),
    "Warner": (
        Channel([[(1 + DELTA) / 2, (1 - DELTA) / 2], [(1 - DELTA) / 2, (1 + DELTA) / 2]]),
        Fraction(25, 96),
        "0.2604",
    ),
}


@pytest.mark.parametrize("name", SURVEYS)
def test_the_surveys_of_table_one(name):
    """The same guess error for all three, and the information of the closed form, to the last digit."""
    channel, closed_form, printed = SURVEYS[name]
    assert measures.weighted_guess_error(channel, WEIGHT) == A
    assert measures.fisher_information(channel, THETA) == closed_form
    assert f"{float(closed_form):.4f}" == printed


def test_three_outputs_need_ten_times_fewer_respondents_than_warner_and_expose():
    ratio = SURVEYS["three outputs"][1] / SURVEYS["Warner"][1]
    assert ratio == Fraction(32, 3)
    assert measures.epsilon(SURVEYS["three outputs"][0]) == math.inf
    assert measures.exposure(SURVEYS["three outputs"][0]) == DELTA


@given(positive_exact_channels(2, 4, min_inputs=2), st.fractions(0, 1, max_denominator=10))
def test_information_is_the_curvature_of_the_divergence(channel, theta):
    """2 D(p_θ‖p_(θ+h)) / h² → J as h → 0. With h = 1e-15 and entries ≥ 1/48 the next term is below 1e-9·J."""
    step = Fraction(1, 10**15)
    p0, p1 = channel.rows

    def law(share):
        return [(1 - share) * a + share * b for a, b in zip(p0, p1, strict=True)]

    divergence = sum(
        (oracles.decimal(a) * oracles.ln(a / b) for a, b in zip(law(theta), law(theta + step), strict=True)), Decimal(0)
    )
    curvature = float(2 * divergence / oracles.decimal(step * step))
    assert curvature == pytest.approx(float(measures.fisher_information(channel, theta)), rel=1e-9, abs=1e-20)


@given(exact_channels(2, 4, min_inputs=2), st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20))
def test_information_is_the_sum_over_outcomes_that_can_occur(channel, theta):
    p0, p1 = channel.rows
    truth = sum((b - a) ** 2 / ((1 - theta) * a + theta * b) for a, b in zip(p0, p1, strict=True) if a or b)
    assert measures.fisher_information(channel, theta) == truth
    assert measures.fisher_information(channel, theta) >= (2 * measures.total_variation(p0, p1)) ** 2


def test_information_is_infinite_where_a_first_yes_proves_a_positive_share():
    channel = SURVEYS["two outputs"][0]
    assert measures.fisher_information(channel, 0) == math.inf
    assert measures.fisher_information(channel, 1) < math.inf


def test_a_family_given_by_its_derivative():
    """Bernoulli(θ): 1/(θ(1-θ)). Two reports carry twice the information: checked on Binomial(2, θ)."""
    t = Fraction(1, 3)
    assert measures.family_information([1 - t, t], [-1, 1]) == 1 / (t * (1 - t))
    binomial, slope = [(1 - t) ** 2, 2 * t * (1 - t), t * t], [-2 * (1 - t), 2 - 4 * t, 2 * t]
    assert measures.family_information(binomial, slope) == 2 / (t * (1 - t))


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (
            lambda: measures.fisher_information(Channel([[1]] * 3), THETA),
            InvalidLaw,
            (
                "channel has 3 inputs, and the share of one of two answers needs 2. Use family_information for other "
                "families."
            ),
        ),
        (
            lambda: measures.fisher_information(Channel([[1]] * 2), Fraction(3, 2)),
            InvalidParameter,
            "theta=3/2 must lie in [0, 1]. Move `theta` into that range.",
        ),
        (
            lambda: measures.family_information([1], [0, 0]),
            InvalidLaw,
            "derivative has 2 entries and `law` has 1. Give one for each outcome.",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, error, sentence):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == sentence
