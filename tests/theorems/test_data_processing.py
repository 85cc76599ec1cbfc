"""Nothing done to a report can make it say more, and nothing done to the data before it can make a report worse.

Rational measures are compared exactly. Measures with a logarithm are compared as intervals, which are below 1e-13 wide
(1e-9 for capacities): the lower end of what should be smaller must not pass the upper end of what should be larger.
"""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato import measures
from sfumato.prob import Distribution, cascade, post_process
from strategies import exact_channels, maps_into, priors_for, stochastic_maps

DEAR = settings(max_examples=min(50, settings.default.max_examples))


@st.composite
def processed(draw, *, min_inputs=1, max_inputs=4, positive_prior=False):
    """A channel, the channel followed by a random map, and a prior."""
    channel = draw(exact_channels(max_inputs, 4, min_inputs=min_inputs))
    after = cascade(channel, draw(stochastic_maps(channel.outputs)))
    return channel, after, draw(priors_for(channel, zeros=not positive_prior))


@st.composite
def pre_processed(draw):
    """A channel, a random map before it, the two in a row, and a prior on the first input."""
    channel = draw(exact_channels())
    before = draw(maps_into(channel.inputs))
    return channel, cascade(before, channel), before, draw(priors_for(before))


@given(processed())
def test_post_processing_does_not_lower_the_guess_error(case):
    channel, after, prior = case
    assert measures.guess_error(after, prior) >= measures.guess_error(channel, prior)


@given(processed(), st.data())
def test_post_processing_does_not_lower_the_guess_error_of_a_function(case, data):
    channel, after, prior = case
    of = {x: data.draw(st.integers(0, 1)) for x in channel.inputs}
    assert measures.guess_error(after, prior, of=of) >= measures.guess_error(channel, prior, of=of)


@given(processed())
def test_post_processing_does_not_raise_min_entropy_leakage(case):
    channel, after, prior = case
    lower = measures.min_entropy_leakage_interval(after, prior).lower
    assert lower <= measures.min_entropy_leakage_interval(channel, prior).upper


@given(processed())
def test_post_processing_does_not_raise_maximal_leakage(case):
    channel, after, _ = case
    assert measures.maximal_leakage_interval(after).lower <= measures.maximal_leakage_interval(channel).upper


@given(processed())
def test_post_processing_does_not_raise_the_odds(case):
    channel, after, _ = case
    assert measures.odds(after) <= measures.odds(channel)
    assert measures.epsilon(after) <= measures.epsilon(channel)


@given(processed())
def test_post_processing_does_not_raise_the_largest_total_variation(case):
    channel, after, _ = case
    assert measures.largest_total_variation(after) <= measures.largest_total_variation(channel)


@given(processed(min_inputs=2, max_inputs=2), st.fractions(0, 1, max_denominator=10))
def test_post_processing_does_not_lower_the_weighted_guess_error(case, weight):
    channel, after, _ = case
    assert measures.weighted_guess_error(after, weight) >= measures.weighted_guess_error(channel, weight)


@given(processed())
def test_post_processing_does_not_raise_mutual_information(case):
    channel, after, prior = case
    lower = measures.mutual_information_interval(after, prior).lower
    assert lower <= measures.mutual_information_interval(channel, prior).upper


@given(processed(positive_prior=True))
def test_post_processing_does_not_raise_max_information(case):
    channel, after, prior = case
    lower = measures.max_information_interval(after, prior).lower
    assert lower <= measures.max_information_interval(channel, prior).upper


@given(processed())
@DEAR
def test_post_processing_does_not_raise_capacity(case):
    channel, after, _ = case
    assert measures.capacity_bits(after).lower <= measures.capacity_bits(channel).upper


@given(processed(min_inputs=2))
def test_post_processing_does_not_raise_chernoff_information_or_radius(case):
    channel, after, _ = case
    for x, z in itertools.combinations(range(channel.shape[0]), 2):
        smaller = measures.chernoff_information_interval(after.row(x), after.row(z))
        assert smaller.lower <= measures.chernoff_information_interval(channel.row(x), channel.row(z)).upper
    # The radius is a float, a midpoint of intervals below 1e-12 wide.
    assert measures.chernoff_radius_nats(after) <= measures.chernoff_radius_nats(channel) + 1e-12


@given(processed(min_inputs=2, max_inputs=2), st.fractions(0, 1, max_denominator=10))
def test_post_processing_does_not_raise_fisher_information(case, theta):
    channel, after, _ = case
    assert measures.fisher_information(after, theta) <= measures.fisher_information(channel, theta)


@given(processed(min_inputs=2))
def test_post_processing_does_not_raise_exposure(case):
    channel, after, _ = case
    for smaller, larger in zip(measures.exposures(after), measures.exposures(channel), strict=True):
        assert smaller <= larger
    assert measures.exposure(after) <= measures.exposure(channel)


@pytest.mark.parametrize(
    "divergence",
    [
        measures.total_variation,
        measures.kullback_leibler_nats,
        measures.chi_squared,
        measures.squared_hellinger,
        lambda p, q: measures.f_divergence(p, q, lambda t: max(t - 2, 0.0), slope_at_infinity=1.0),
        *[lambda p, q, order=order: measures.renyi_nats(p, q, order) for order in (0, 0.3, 0.5, 2, 5, math.inf)],
    ],
    ids=["tv", "kl", "chi2", "hellinger", "hockey-stick", *[f"renyi-{a}" for a in (0, 0.3, 0.5, 2, 5, "inf")]],
)
@given(processed(min_inputs=2))
def test_post_processing_does_not_raise_a_divergence(divergence, case):
    """Values reach 12²; a relative 1e-12 covers sums of a few rounded terms."""
    channel, after, _ = case
    for x, z in itertools.permutations(range(channel.shape[0]), 2):
        larger = divergence(channel.row(x), channel.row(z))
        assert divergence(after.row(x), after.row(z)) <= larger + 1e-12 * (1 + larger)


@given(exact_channels(4, 4), st.data())
def test_a_function_of_the_report_is_post_processing(channel, data):
    image = {y: data.draw(st.integers(0, 1)) for y in channel.outputs}
    merged = post_process(channel, image)
    assert measures.odds(merged) <= measures.odds(channel)
    assert measures.guess_error(merged) >= measures.guess_error(channel)


@given(pre_processed())
def test_pre_processing_does_not_raise_worst_case_measures(case):
    channel, whole, _, _ = case
    assert measures.odds(whole) <= measures.odds(channel)
    assert measures.largest_total_variation(whole) <= measures.largest_total_variation(channel)
    assert measures.maximal_leakage_interval(whole).lower <= measures.maximal_leakage_interval(channel).upper


@given(pre_processed())
def test_pre_processing_does_not_raise_mutual_information(case):
    """I(W;Y) ≤ I(X;Y) when W → X → Y, X having the law that W gives it."""
    channel, whole, before, prior = case
    middle = Distribution(before.output_law(prior), channel.inputs)
    lower = measures.mutual_information_interval(whole, prior).lower
    assert lower <= measures.mutual_information_interval(channel, middle).upper


@given(pre_processed())
@DEAR
def test_pre_processing_does_not_raise_capacity(case):
    channel, whole, _, _ = case
    assert measures.capacity_bits(whole).lower <= measures.capacity_bits(channel).upper


@given(pre_processed())
def test_what_is_known_of_the_source_is_known_no_better_than_through_the_data(case):
    """Guessing W from Y is no easier than guessing W from X itself."""
    _, whole, before, prior = case
    assert measures.guess_error(whole, prior) >= measures.guess_error(before, prior)


@given(processed(positive_prior=True))
def test_post_processing_does_not_make_the_worst_report_worse(case):
    channel, after, prior = case
    assert measures.worst_guess_error(after, prior) >= measures.worst_guess_error(channel, prior)
