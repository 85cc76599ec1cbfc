"""How the measures stand to one another: each test is named for the implication it states."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato import measures
from sfumato.numbers import Interval
from sfumato.prob import Distribution
from strategies import (
    circulants,
    constant_channels,
    exact_channels,
    positive_exact_channels,
    priors_for,
)

DEAR = settings(max_examples=min(50, settings.default.max_examples))
LOG2_E = math.nextafter(1 / math.log(2), math.inf)
SOME_SILENT = st.one_of(constant_channels(), exact_channels())


@given(exact_channels(), st.data())
@DEAR
def test_mutual_information_is_at_most_capacity(channel, data):
    capacity = measures.capacity_bits(channel)
    for prior in (data.draw(priors_for(channel)), None):
        assert measures.mutual_information_interval(channel, prior).lower <= capacity.upper


@given(exact_channels(), st.data())
def test_mutual_information_is_at_most_max_information(channel, data):
    prior = data.draw(priors_for(channel, zeros=False))
    information = measures.mutual_information_interval(channel, prior)
    assert information.lower <= measures.max_information_interval(channel, prior).upper


@given(constant_channels(), st.data())
def test_epsilon_zero_implies_that_every_leakage_is_zero(channel, data):
    prior = data.draw(priors_for(channel, zeros=False))
    assert measures.odds(channel) == 1
    assert measures.epsilon(channel) == 0.0
    assert measures.guess_error(channel, prior) == measures.prior_guess_error(channel, prior)
    nothing = Interval(0.0, 0.0)
    assert measures.min_entropy_leakage_interval(channel, prior) == nothing
    assert measures.maximal_leakage_interval(channel) == nothing
    assert measures.mutual_information_interval(channel, prior) == nothing
    assert measures.max_information_interval(channel, prior) == nothing
    assert measures.largest_total_variation(channel) == 0
    assert measures.chernoff_radius_nats(channel) == 0.0
    assert measures.exposure(channel) == 0
    capacity = measures.capacity_bits(channel)
    assert capacity.lower == 0.0
    assert capacity.upper <= 1e-13  # the bound on rounding; a capacity has no exact path
    first = channel.row(0)
    assert measures.kullback_leibler_nats(first, channel.row(1)) == 0.0
    assert measures.renyi_nats(first, channel.row(1), 2) <= 1e-15


@given(constant_channels(max_inputs=2), st.fractions(0, 1, max_denominator=10))
def test_epsilon_zero_implies_no_fisher_information(channel, theta):
    assert measures.fisher_information(channel, theta) == 0


@given(SOME_SILENT)
def test_maximal_leakage_zero_if_and_only_if_epsilon_zero(channel):
    silent = measures.maximal_leakage_interval(channel).upper == 0
    assert silent == (measures.epsilon(channel) == 0)
    assert silent == (measures.largest_total_variation(channel) == 0)
    assert silent == (len(set(channel.rows)) == 1)


@given(exact_channels(), st.data())
def test_min_entropy_leakage_is_at_most_maximal_leakage(channel, data):
    prior = data.draw(priors_for(channel))
    lower = measures.min_entropy_leakage_interval(channel, prior).lower
    assert lower <= measures.maximal_leakage_interval(channel).upper


@given(exact_channels())
def test_maximal_leakage_is_attained_by_the_uniform_prior(channel):
    assert measures.min_entropy_leakage_interval(channel) == measures.maximal_leakage_interval(channel)


@given(exact_channels(), st.data())
def test_seeing_a_report_does_not_raise_the_guess_error(channel, data):
    prior = data.draw(priors_for(channel))
    assert 0 <= measures.guess_error(channel, prior) <= measures.prior_guess_error(channel, prior)


@given(positive_exact_channels(), st.data())
def test_max_information_is_at_most_epsilon_in_bits(channel, data):
    prior = data.draw(priors_for(channel, zeros=False))
    assert measures.max_information_interval(channel, prior).lower <= measures.epsilon(channel) * LOG2_E


@given(positive_exact_channels())
def test_maximal_leakage_is_at_most_epsilon_in_bits(channel):
    assert measures.maximal_leakage_interval(channel).lower <= measures.epsilon(channel) * LOG2_E


@given(exact_channels())
@DEAR
def test_capacity_is_at_most_maximal_leakage(channel):
    assert measures.capacity_bits(channel).lower <= measures.maximal_leakage_interval(channel).upper


@given(positive_exact_channels(min_inputs=2))
def test_finite_odds_bound_total_variation(channel):
    """tv ≤ (o-1)/(o+1), attained by binary randomised response."""
    odds = measures.odds(channel)
    assert measures.largest_total_variation(channel) <= (odds - 1) / (odds + 1)


@given(positive_exact_channels(), st.data())
def test_finite_odds_bound_the_gain_of_every_guesser(channel, data):
    prior = data.draw(priors_for(channel))
    right = 1 - measures.guess_error(channel, prior)
    assert right <= measures.odds(channel) * max(prior.probabilities)


@given(exact_channels(min_inputs=2))
def test_positive_exposure_implies_infinite_epsilon(channel):
    exposed = measures.exposure(channel) > 0
    assert (not exposed) or measures.epsilon(channel) == math.inf
    assert exposed == any(sum(v > 0 for v in column) == 1 for column in zip(*channel.rows, strict=True))


@given(exact_channels(2, 4, min_inputs=2))
def test_two_inputs_have_guess_error_half_of_what_total_variation_leaves(channel):
    assert measures.guess_error(channel) == (1 - measures.largest_total_variation(channel)) / 2


@given(exact_channels(2, 4, min_inputs=2))
def test_hellinger_and_total_variation_bound_each_other(channel):
    """h² ≤ tv ≤ h√(2-h²). Different laws here have h² > 1e-8, so its square root is right to 1e-12."""
    p, q = channel.rows
    squared, distance = measures.squared_hellinger(p, q), float(measures.total_variation(p, q))
    assert squared <= distance + 1e-12
    assert distance <= math.sqrt(max(squared, 0.0) * (2 - squared)) + 1e-12


@given(positive_exact_channels(2, 4, min_inputs=2))
def test_pinsker_and_chi_squared_hold_the_divergence_between_them(channel):
    """2 tv² ≤ D ≤ ln(1 + χ²)."""
    p, q = channel.rows
    divergence = measures.kullback_leibler_nats(p, q)
    assert 2 * float(measures.total_variation(p, q)) ** 2 <= divergence + 1e-12
    assert divergence <= math.log1p(measures.chi_squared(p, q)) + 1e-12


@given(circulants(7), st.data())
@DEAR
def test_dense_and_structured_channels_agree_on_every_measure(ring, data):
    dense = ring.to_dense()
    prior = data.draw(priors_for(ring, zeros=False))
    uniform = Distribution.uniform(ring.shape[0])
    of = {x: x % 2 for x in ring.inputs}
    for law in (prior, uniform, None):
        assert measures.guess_error(ring, law) == measures.guess_error(dense, law)
        assert measures.guess_error(ring, law, of=of) == measures.guess_error(dense, law, of=of)
        assert measures.prior_guess_error(ring, law) == measures.prior_guess_error(dense, law)
        assert measures.min_entropy_leakage_interval(ring, law) == measures.min_entropy_leakage_interval(dense, law)
        assert measures.max_information_interval(ring, law) == measures.max_information_interval(dense, law)
        assert measures.mutual_information_interval(ring, law).overlaps(
            measures.mutual_information_interval(dense, law)
        )
        # Two midpoints of intervals below 1e-13 wide that hold the same number.
        assert (
            abs(measures.conditional_entropy_bits(ring, law) - measures.conditional_entropy_bits(dense, law)) <= 1e-13
        )
    assert measures.odds(ring) == measures.odds(dense)
    assert measures.epsilon(ring) == measures.epsilon(dense)
    assert measures.maximal_leakage_interval(ring) == measures.maximal_leakage_interval(dense)
    assert measures.largest_total_variation(ring) == measures.largest_total_variation(dense)
    assert measures.heaviest_output(ring) == measures.heaviest_output(dense)
    assert measures.is_recoverable(ring) == measures.is_recoverable(dense)
    assert measures.largest_randomness_interval(ring).overlaps(measures.largest_randomness_interval(dense))
    assert len(measures.randomness_bits(ring)) == len(measures.randomness_bits(dense))
    assert measures.capacity_bits(ring).overlaps(measures.capacity_bits(dense))


@given(circulants(7, full=True))
@DEAR
def test_a_symmetric_channel_has_the_capacity_of_its_uniform_prior(ring):
    assert measures.mutual_information_interval(ring).overlaps(measures.capacity_bits(ring.to_dense()))


@given(st.one_of(exact_channels(), circulants(5).map(lambda ring: ring.to_dense())))
def test_more_inputs_than_outputs_implies_not_recoverable(channel):
    """Columns sum to the number of inputs together, so some output carries at least inputs/outputs."""
    inputs, outputs = channel.shape
    assert measures.heaviest_output(channel) >= Fraction(inputs, outputs)
    assert measures.is_recoverable(channel) == (measures.heaviest_output(channel) <= 1)
