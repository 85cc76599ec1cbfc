"""Forced response and the crosswise model by limits, against brute force over what their devices can be set to."""

import math
from fractions import Fraction

import pytest

from sfumato.errors import InvalidParameter
from sfumato.measures import odds
from sfumato.surveys import crosswise, diluted_truth, forced_response, meets, most_truth, unrelated_question, warner

HALF = Fraction(1, 2)
FINE = 500
LIMITS = [
    {"guess_error": Fraction(3, 8)},
    {"guess_error": Fraction(3, 10), "max_epsilon": 1.5},
    {"guess_error": Fraction(1, 10), "max_epsilon": 0.7, "weight": Fraction(2, 5)},
    {"guess_error": Fraction(1, 4), "weight": Fraction(3, 5)},
]


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("forced_yes", [HALF, Fraction(2, 3), Fraction(1, 6), Fraction(1), Fraction(0)])
def test_forced_response_tells_the_truth_as_often_as_the_limits_allow(limits, forced_yes):
    design = forced_response(forced_yes=forced_yes, **limits)
    truth = design.channel[1, 1] - design.channel[0, 1]
    assert meets(design.channel, design.limits)
    allowed = [t for i in range(FINE + 1) if meets(diluted_truth(t := Fraction(i, FINE), forced_yes), design.limits)]
    assert max(allowed) <= truth < max(allowed) + Fraction(1, FINE)


@pytest.mark.parametrize("limits", LIMITS)
def test_crosswise_takes_the_fewest_days_that_keep_the_limits(limits):
    design = crosswise(**limits)
    born = design.channel[0, 1]
    assert meets(design.channel, design.limits)
    assert (365 * born).denominator == 1
    fewer = born - Fraction(1, 365)
    assert not meets(diluted_truth(1 - 2 * fewer, HALF), design.limits)
    assert design.channel.rows == diluted_truth(1 - 2 * born, HALF).rows
    assert design.channel.outputs == ("both or neither", "one of the two")


def test_they_are_one_channel_to_a_reader():
    """At even chances forced response, unrelated question and Warner's coin cannot be told apart."""
    for limits in LIMITS:
        forced = forced_response(**limits).channel
        assert forced == unrelated_question(**limits).channel
        if "weight" not in limits:
            assert forced == warner(**limits).channel


def test_a_year_without_days_is_refused_and_too_few_days_say_nothing():
    with pytest.raises(InvalidParameter, match="days"):
        crosswise(guess_error=Fraction(1, 4), days=1)
    assert crosswise(guess_error=Fraction(9, 20), days=3).channel[0, 1] == HALF


@pytest.mark.parametrize("forced_yes", [HALF, Fraction(2, 3), Fraction(1, 5)])
@pytest.mark.parametrize(
    ("yes_odds", "no_odds"), [(Fraction(9, 2), Fraction(9, 2)), (3, math.inf), (Fraction(5, 4), 8)]
)
def test_most_truth_is_what_a_direct_search_finds(forced_yes, yes_odds, no_odds):
    def kept(truth):
        (a, b), (c, d) = diluted_truth(truth, forced_yes).rows
        return d <= yes_odds * b and (no_odds == math.inf or a <= no_odds * c)

    low, high = Fraction(0), Fraction(1)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if kept(middle) else (low, middle)
    found = most_truth(forced_yes, yes_odds=yes_odds, no_odds=no_odds)
    assert kept(found)
    assert low <= found <= high


def test_without_limits_the_truth_is_told():
    assert most_truth(HALF, yes_odds=math.inf) == 1
    assert odds(diluted_truth(Fraction(1), HALF)) == math.inf
