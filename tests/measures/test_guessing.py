"""Guess errors against every guesser there is, and leakages against 50-digit Decimals."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import oracles
from sfumato import measures
from sfumato.errors import InvalidLaw
from sfumato.prob import Channel, Distribution
from strategies import exact_channels, float_channels, priors_for


def holds(interval, value: Decimal) -> bool:
    return Decimal(interval.lower) <= value <= Decimal(interval.upper)


@given(exact_channels(3, 4), st.data())
def test_guess_error_is_that_of_the_best_of_all_guessers(channel, data):
    prior = data.draw(priors_for(channel))
    assert measures.guess_error(channel, prior) == 1 - oracles.best_success(channel.rows, prior.probabilities)
    assert measures.prior_guess_error(channel, prior) == 1 - max(prior.probabilities)


@given(exact_channels(4, 3), st.data())
def test_guess_error_of_a_function_is_that_of_the_best_of_all_guessers_of_it(channel, data):
    prior = data.draw(priors_for(channel))
    groups = [data.draw(st.integers(0, 2)) for _ in channel.inputs]
    of = dict(zip(channel.inputs, groups, strict=True))
    best = oracles.best_success(channel.rows, prior.probabilities, groups)
    assert measures.guess_error(channel, prior, of=of) == 1 - best
    assert measures.guess_error(channel, prior, of=of.__getitem__) == 1 - best
    shares = [sum(p for p, g in zip(prior.probabilities, groups, strict=True) if g == value) for value in set(groups)]
    assert measures.prior_guess_error(channel, prior, of=of) == 1 - max(shares)


@given(exact_channels(), st.data())
def test_guess_error_is_the_value_of_its_linear_program(channel, data):
    """min Σ t_y with t_y ≥ P(x)P(y|x). 1e-7 is the feasibility tolerance of HiGHS."""
    prior = data.draw(priors_for(channel))
    inputs, outputs = channel.shape
    limits = (prior.array[:, None] * channel.array).ravel()
    solved = linprog(np.ones(outputs), A_ub=-np.tile(np.eye(outputs), (inputs, 1)), b_ub=-limits)
    assert solved.status == 0
    assert abs(1 - solved.fun - float(measures.guess_error(channel, prior))) <= 1e-7


@given(exact_channels(), st.data())
def test_leakage_intervals_hold_the_true_value(channel, data):
    prior = data.draw(priors_for(channel))
    columns = list(zip(*channel.rows, strict=True))
    maximal = oracles.log2(sum(map(max, columns)))
    after = sum(max(p * v for p, v in zip(prior.probabilities, column, strict=True)) for column in columns)
    gained = oracles.log2(after / max(prior.probabilities))
    slack = Decimal(10) ** -42  # the oracle's own rounding, at exact powers of two
    for interval, truth in [
        (measures.maximal_leakage_interval(channel), maximal),
        (measures.min_entropy_leakage_interval(channel, prior), gained),
    ]:
        assert holds(interval, truth) or abs(truth - Decimal(interval.midpoint)) <= slack
        assert interval.width <= 1e-14
    assert measures.maximal_leakage_bits(channel) in measures.maximal_leakage_interval(channel)
    assert measures.min_entropy_leakage_bits(channel, prior) in measures.min_entropy_leakage_interval(channel, prior)


@given(float_channels(4, 6), st.data())
def test_leakage_intervals_of_floats_hold_the_value_of_the_numbers_as_given(channel, data):
    prior = data.draw(priors_for(channel, exact=False))
    weights = [Fraction(p) for p in prior.probabilities]
    columns = [[Fraction(v) for v in column] for column in zip(*channel.rows, strict=True)]
    maximal = oracles.log2(sum(map(max, columns)))
    after = sum(max(p * v for p, v in zip(weights, column, strict=True)) for column in columns)
    gained = oracles.log2(after / max(weights))
    # A float law may miss 1 by rounding, which can push the value a few ulps below zero, where the interval is cut.
    assert holds(measures.maximal_leakage_interval(channel), max(maximal, Decimal(0)))
    assert holds(measures.min_entropy_leakage_interval(channel, prior), max(gained, Decimal(0)))
    error = measures.guess_error(channel, prior)
    assert isinstance(error, float)
    assert error == pytest.approx(float(max(1 - after, 0)), rel=0, abs=1e-15)


@given(float_channels(4, 9), st.data())
def test_leakage_intervals_of_arrays_hold_the_value_of_the_numbers_as_given(channel, data):
    """Small tables and larger ones go different ways, neither of which makes a channel; with a prior and without."""
    prior = data.draw(priors_for(channel, exact=False))
    for weights, given_law in ((prior.array.tolist(), prior.array), ([1.0] * len(prior), None)):
        columns = list(zip(*channel.array.tolist(), strict=True))
        after = sum(max(Fraction(p) * Fraction(v) for p, v in zip(weights, column, strict=True)) for column in columns)
        gained = max(oracles.log2(after / Fraction(max(weights))), Decimal(0))
        found = measures.min_entropy_leakage_interval(channel.array, given_law)
        assert holds(found, gained)
        assert found.width <= 1e-14
        assert measures.min_entropy_leakage_bits(channel.array, given_law) == found.midpoint
        assert found.overlaps(measures.min_entropy_leakage_interval(channel, given_law))


@pytest.mark.parametrize("size", [2, 9])
def test_arrays_that_are_no_laws_are_refused_as_channels_are(size):
    even = np.full((size, size), 1 / size)
    rows = {"rows": even.copy(), "nan": even.copy(), "sum": even.copy(), "inf": even.copy()}
    rows["rows"][0, :2] += [1.0, -1.0]
    rows["nan"][1, 1] = np.nan
    rows["sum"][1, 0] += 3e-9
    rows["inf"][1, 0] = np.inf
    for wrong in rows.values():
        with pytest.raises(InvalidLaw) as refused:
            measures.min_entropy_leakage_bits(wrong)
        with pytest.raises(InvalidLaw) as also:
            Channel(wrong)
        assert (refused.value.rule, refused.value.way_out) == (also.value.rule, also.value.way_out)
    for prior in (even[0] * 2, even[0] * np.nan, np.array([2.0, -1.0, *[0.0] * (size - 2)]), np.ones(1)):
        with pytest.raises(InvalidLaw):
            measures.min_entropy_leakage_bits(even, prior)


def test_other_tables_are_read_as_channels_are():
    """Lists as a prior, functions of the answer, numbers of another kind, and one row alone."""
    rows = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])
    channel, law = Channel(rows), [0.5, 0.25, 0.25]
    found = measures.min_entropy_leakage_interval
    assert found(rows, law) == found(channel, law)
    assert found(rows, Distribution(law)) == found(channel, law)
    assert found(rows, law, of=lambda x: int(x == 2)) == found(channel, law, of=lambda x: int(x == 2))
    assert found(np.eye(2, dtype=int)) == found(Channel([[1, 0], [0, 1]]))
    assert found(rows[:1]).lower == 0
    assert found(rows.astype(np.float32)) == found(channel)


def test_the_numbers_of_one_response():
    """P = (.5, .3, .2), the answer is right with .6 and noise follows the shares: the guesser errs with .4."""
    prior = Distribution([Fraction(5, 10), Fraction(3, 10), Fraction(2, 10)])
    m, right = prior.probabilities, Fraction(6, 10)
    rows = [[right if i == j else (1 - right) * m[i] / (1 - m[j]) for i in range(3)] for j in range(3)]
    assert measures.guess_error(Channel(rows), prior) == Fraction(4, 10)


def test_extreme_channels():
    noiseless, silent = Channel([[1, 0], [0, 1]]), Channel([[1], [1]])
    assert measures.guess_error(noiseless) == 0
    assert measures.maximal_leakage_bits(noiseless) == 1.0
    assert measures.min_entropy_leakage_bits(noiseless) == 1.0
    assert measures.guess_error(silent) == Fraction(1, 2)
    assert measures.maximal_leakage_bits(silent) == 0.0
    assert measures.min_entropy_leakage_bits(silent) == 0.0
    assert measures.guess_error(Channel([[Fraction(1, 2)] * 2])) == 0


def test_a_prior_of_the_wrong_length_is_refused():
    with pytest.raises(InvalidLaw, match=r"prior has 3 entries and the channel 2 inputs. Give one probability"):
        measures.guess_error(Channel([[1], [1]]), [Fraction(1, 3)] * 3)


@given(exact_channels(3, 4), st.data())
def test_the_worst_report_is_the_surest_posterior(channel, data):
    """By every posterior; never more than the guess error, which is their average."""
    prior = data.draw(priors_for(channel))
    posteriors = []
    for y in range(channel.shape[1]):
        joint = [p * row[y] for p, row in zip(prior.fractions, channel.rows, strict=True)]
        posteriors.append(max(joint) / sum(joint) if sum(joint) else Fraction(-1))
    place, error = measures.worst_report(channel, prior)
    assert error == 1 - max(posteriors)
    assert place == posteriors.index(max(posteriors))
    assert measures.worst_guess_error(channel, prior) == error <= measures.guess_error(channel, prior)
