"""What several reports add up to: exactly on independent data, at most on the same data."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato import measures
from sfumato.numbers import Interval
from sfumato.prob import Channel, Distribution, power, product, together
from strategies import exact_channels, exact_laws, positive_exact_channels, priors_for

DEAR = settings(max_examples=min(50, settings.default.max_examples))


def plus(first, second):
    return Interval(first.lower + second.lower, first.upper + second.upper).widened(0.0)


def both(first, second):
    return Distribution([p * q for p in first.probabilities for q in second.probabilities])


@st.composite
def pairs_about_the_same(draw):
    first = draw(exact_channels(3, 3))
    second = Channel([draw(exact_laws(draw(st.just(3)))) for _ in first.inputs])
    return first, second


@given(exact_channels(3, 3), exact_channels(3, 3))
def test_maximal_leakage_adds_on_products(first, second):
    total = plus(measures.maximal_leakage_interval(first), measures.maximal_leakage_interval(second))
    assert measures.maximal_leakage_interval(product(first, second)).overlaps(total)


@given(positive_exact_channels(3, 3), positive_exact_channels(3, 3))
def test_odds_multiply_on_products(first, second):
    """Both coordinates may change at once, so epsilon adds exactly."""
    assert measures.odds(product(first, second)) == measures.odds(first) * measures.odds(second)


@given(exact_channels(3, 3), exact_channels(3, 3), st.data())
def test_mutual_information_adds_on_products(first, second, data):
    p, q = data.draw(priors_for(first)), data.draw(priors_for(second))
    total = plus(measures.mutual_information_interval(first, p), measures.mutual_information_interval(second, q))
    assert measures.mutual_information_interval(product(first, second), both(p, q)).overlaps(total)


@given(exact_channels(3, 3), exact_channels(3, 3), st.data())
def test_right_guesses_multiply_on_products(first, second, data):
    p, q = data.draw(priors_for(first)), data.draw(priors_for(second))
    right = (1 - measures.guess_error(first, p)) * (1 - measures.guess_error(second, q))
    assert 1 - measures.guess_error(product(first, second), both(p, q)) == right


@given(exact_channels(3, 3), exact_channels(3, 3))
@DEAR
def test_capacity_adds_on_products(first, second):
    total = plus(measures.capacity_bits(first), measures.capacity_bits(second))
    assert measures.capacity_bits(product(first, second)).overlaps(total)


@given(pairs_about_the_same())
def test_odds_of_two_reports_are_at_most_the_product(pair):
    first, second = pair
    limit = measures.odds(first) * measures.odds(second)
    assert measures.odds(together(first, second)) <= limit


@given(pairs_about_the_same())
def test_maximal_leakage_of_two_reports_is_at_most_the_sum(pair):
    first, second = pair
    total = plus(measures.maximal_leakage_interval(first), measures.maximal_leakage_interval(second))
    assert measures.maximal_leakage_interval(together(first, second)).lower <= total.upper


@given(pairs_about_the_same(), st.data())
def test_mutual_information_of_two_reports_is_at_most_the_sum(pair, data):
    first, second = pair
    prior = data.draw(priors_for(first))
    total = plus(
        measures.mutual_information_interval(first, prior), measures.mutual_information_interval(second, prior)
    )
    assert measures.mutual_information_interval(together(first, second), prior).lower <= total.upper


@given(pairs_about_the_same(), st.data())
def test_a_second_report_does_not_raise_the_guess_error(pair, data):
    first, second = pair
    prior = data.draw(priors_for(first))
    joint = measures.guess_error(together(first, second), prior)
    assert joint <= min(measures.guess_error(first, prior), measures.guess_error(second, prior))


@given(exact_channels(3, 3), st.integers(1, 3))
def test_reports_matter_only_through_their_type(channel, n):
    """`power` keeps counts only, and no exact measure of what leaks can tell the difference."""
    strings = channel
    for _ in range(n - 1):
        strings = together(strings, channel)
    types = power(channel, n)
    assert measures.guess_error(types) == measures.guess_error(strings)
    assert measures.odds(types) == measures.odds(strings)
    assert measures.largest_total_variation(types) == measures.largest_total_variation(strings)
    assert measures.exposures(types) == measures.exposures(strings)
    assert measures.maximal_leakage_interval(types) == measures.maximal_leakage_interval(strings)
    assert measures.mutual_information_interval(types).overlaps(measures.mutual_information_interval(strings))


@given(positive_exact_channels(3, 3), st.integers(1, 4))
def test_n_reports_have_the_nth_power_of_the_odds_at_most(channel, n):
    assert measures.odds(power(channel, n)) <= measures.odds(channel) ** n


@given(exact_channels(2, 3, min_inputs=2), st.fractions(0, 1, max_denominator=10), st.integers(1, 3))
def test_chernoff_information_adds_and_fisher_information_of_a_share_does_not_fall(channel, theta, n):
    """n reports about one x have n times the exponent; about one x they say no less of the share of x than one does."""
    one = measures.chernoff_information_interval(*channel.rows)
    many = measures.chernoff_information_interval(*power(channel, n).rows)
    scaled = (
        Interval(math.inf, math.inf) if one.lower == math.inf else Interval(n * one.lower, n * one.upper).widened(0)
    )
    assert many.overlaps(scaled)
    assert measures.fisher_information(power(channel, n), theta) >= measures.fisher_information(channel, theta)
