"""Every design is the optimum that an independent method finds, keeps its limits, and has a true certificate."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato import measures
from sfumato.certificates import Certificate, verify
from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.prob import Channel
from sfumato.surveys import (
    Limits,
    best_design,
    largest_chernoff_nats,
    largest_f_divergence,
    largest_fisher_information,
    largest_renyi_nats,
    meets,
    optimal_weight,
    share_law,
    survey,
    unrelated_question,
    warner,
)
from surveys.likelihood_ratios import divergence_gain, fisher_gain, optimum

TENTH = Fraction(1, 10)


@st.composite
def limits(draw, bounded=None):
    a = draw(st.fractions(Fraction(1, 50), Fraction(12, 25), max_denominator=200))
    w = a + (1 - 2 * a) * draw(st.fractions(0, 1, max_denominator=50))
    wanted = draw(st.booleans()) if bounded is None else bounded
    return Limits.of(guess_error=a, weight=w, max_epsilon=draw(st.floats(0.05, 8)) if wanted else None)


thetas = st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=100)


def test_the_numbers_of_table_one():
    """δ = ¼, w = ½, θ = .1: 2.7778, 2.5641 and .2604; Warner needs 10.7 times as many respondents."""
    three = survey(delta=0.25).fisher_information(TENTH)
    two = survey(delta=0.25, outputs=2, theta=0.1).fisher_information(TENTH)
    coin = warner(delta=0.25).fisher_information(TENTH)
    assert three == Fraction(25, 9)
    assert round(float(two), 4) == 2.5641
    assert round(float(coin), 4) == 0.2604
    assert unrelated_question(delta=0.25, eta=0.5).channel == warner(delta=0.25).channel
    assert round(float(three / coin), 1) == 10.7


@pytest.mark.parametrize(("max_epsilon", "information"), [(1, 0.5353), (4, 2.3790)])
def test_the_numbers_under_both_limits(max_epsilon, information):
    design = survey(guess_error=0.375, max_epsilon=max_epsilon)
    assert round(float(design.fisher_information(TENTH)), 4) == information


@given(limits=limits(), theta=thetas)
def test_the_best_design_equals_the_linear_programme(limits, theta):
    """For 200 random (a, w, θ, ε_max), to 1e-9 of the optimum over all channels on the grid."""
    best = float(best_design(limits).fisher_information(theta))
    assert best == pytest.approx(optimum(limits, fisher_gain(float(theta))), rel=1e-9, abs=1e-9)


@given(limits=limits())
def test_the_best_design_keeps_both_limits_exactly_and_can_be_drawn(limits):
    design = best_design(limits)
    assert meets(design.channel, limits)
    assert design.mechanism.channel() == design.channel
    # Neither limit is left with room, unless the other one already binds.
    spare = measures.weighted_guess_error(design.channel, limits.weight) - limits.guess_error
    assert spare < Fraction(1, 1 << 40) or measures.odds(design.channel) == limits.max_odds


@given(limits=limits(bounded=False), theta=thetas)
def test_two_outputs_reach_the_closed_form(limits, theta):
    """The corner search finds what the corrected Theorem 1 says, exactly; three outputs do too."""
    two = survey(guess_error=limits.guess_error, weight=limits.weight, outputs=2, theta=theta)
    assert two.fisher_information(theta) == largest_fisher_information(limits, theta, outputs=2)
    assert meets(two.channel, limits)
    assert best_design(limits).fisher_information(theta) == largest_fisher_information(limits, theta)


@given(limits=limits(bounded=True), theta=thetas, data=st.data())
def test_no_other_two_output_survey_is_better(limits, theta, data):
    """Random pairs, pulled towards each other until they keep both limits."""
    epsilon = float(measures.epsilon(_coin(limits.max_odds)))
    best = survey(guess_error=limits.guess_error, weight=limits.weight, outputs=2, theta=theta, max_epsilon=epsilon)
    p, q = data.draw(st.tuples(st.fractions(0, 1, max_denominator=97), st.fractions(0, 1, max_denominator=97)))
    while not meets(other := Channel([[1 - p, p], [1 - q, q]]), best.limits):
        middle = (p + q) / 2
        p, q = middle + (p - middle) * Fraction(3, 4), middle + (q - middle) * Fraction(3, 4)
    assert measures.fisher_information(other, theta) <= best.fisher_information(theta)


def _coin(odds):
    truth = Fraction(odds) / (1 + Fraction(odds))
    return Channel([[truth, 1 - truth], [1 - truth, truth]])


@given(limits=limits(), eta=st.fractions(0, 1, max_denominator=20))
def test_the_classics_cannot_be_turned_up(limits, eta):
    """Each classic keeps the limits, and asking a millionth more often breaks one of them."""
    epsilon = None if limits.max_odds == math.inf else float(measures.epsilon(_coin(limits.max_odds)))
    shared = {"guess_error": limits.guess_error, "weight": limits.weight, "max_epsilon": epsilon}
    step = Fraction(1, 10**6)
    coin = warner(**shared)
    truth = coin.channel.rows[0][0] + step
    assert meets(coin.channel, coin.limits)
    assert not meets(Channel([[truth, 1 - truth], [1 - truth, truth]]), coin.limits)
    unrelated = unrelated_question(**shared, eta=eta)
    assert meets(unrelated.channel, unrelated.limits)
    asked = unrelated.channel.rows[1][1] - unrelated.channel.rows[0][1] + step
    low = (1 - asked) * eta
    assert not meets(Channel([[1 - low, low], [1 - asked - low, asked + low]]), unrelated.limits)


def test_between_the_two_limits_the_optimum_moves_from_one_end_to_the_other():
    """Binary randomised response while ε binds alone, then rising with ε up to the three-output pair."""
    values = []
    for epsilon in np.linspace(0.05, 12, 60):
        design = survey(guess_error=0.375, weight=0.45, max_epsilon=float(epsilon))
        values.append(design.fisher_information(TENTH))
        coin = math.log((1 - 0.375) / 0.375) >= epsilon
        assert (design.name == "binary randomised response") == coin
        assert len(design.channel.outputs) == (2 if coin else 3)
    assert all(low < high for low, high in itertools.pairwise(values))
    free = survey(guess_error=0.375, weight=0.45)
    assert values[-1] < free.fisher_information(TENTH)
    assert float(values[-1]) == pytest.approx(float(free.fisher_information(TENTH)), rel=1e-3)
    assert survey(guess_error=0.375, weight=0.45, max_epsilon=math.inf).channel == free.channel


@settings(max_examples=25)
@given(limits=limits())
def test_certificates_verify_and_state_the_limits(limits):
    design = best_design(limits)
    certificate = Certificate.from_json(design.certificate.to_json())
    verify(certificate)
    assert certificate["guess_error"].value >= limits.guess_error
    assert certificate["odds"].value <= limits.max_odds


def test_the_certificate_says_the_hard_thing():
    certificate = survey(delta=0.25).certificate
    assert certificate["guess_error"].value == Fraction(3, 8)
    assert "With probability up to 25 % a respondent's answer is published" in certificate["exposure"].sentence
    assert "ε is infinite" in certificate["epsilon"].sentence
    assert survey(delta=0.25, max_epsilon=1).certificate["exposure"].value == 0


class TestTheorems:
    @given(limits=limits(bounded=False))
    def test_an_optimal_pair_names_its_only_weight(self, limits):
        found = optimal_weight(best_design(limits).channel)
        assert (found.weight, found.guess_error) == (limits.weight, limits.guess_error)

    def test_pairs_that_are_optimal_for_no_weight(self):
        assert optimal_weight(warner(delta=0.25).channel) is None
        assert optimal_weight(Channel([[1, 0], [0, 1]])) is None
        assert optimal_weight(Channel([[Fraction(1, 2)] * 2] * 2)) is None
        with pytest.raises(InvalidLaw, match="a yes/no question has 2"):
            optimal_weight(Channel([[1], [1], [1]]))

    @given(
        limits=limits(),
        shares=st.tuples(thetas, thetas).filter(lambda pair: pair[0] != pair[1]),
        kinks=st.lists(st.floats(0.1, 10), min_size=1, max_size=4),
    )
    def test_one_design_maximises_every_f_divergence(self, limits, shares, kinks):
        """Random piecewise linear convex f: Theorem 3, and its extension to both limits."""

        def f(t):
            return sum(abs(t - kink) - abs(1 - kink) for kink in kinks)

        first, second = map(float, shares)
        best = largest_f_divergence(limits, *shares, f, slope_at_infinity=len(kinks))
        assert best == pytest.approx(optimum(limits, divergence_gain(first, second, f, len(kinks))), rel=1e-8, abs=1e-9)

    @given(limits=limits(), order=st.sampled_from([0.3, 0.5, 0.9, 2.0, 3.0]))
    def test_and_every_renyi_divergence(self, limits, order):
        sign = 1 if order > 1 else -1
        best = largest_renyi_nats(limits, 0.2, 0.6, order)
        moment = sign * optimum(limits, divergence_gain(0.2, 0.6, lambda t: sign * t**order))
        assert best == pytest.approx(math.log(moment) / (order - 1), rel=1e-7, abs=1e-9)

    @given(limits=limits())
    def test_and_the_chernoff_exponent(self, limits):
        """No two-output or classic design has a larger exponent, and the value is that of the best design's laws."""
        best = largest_chernoff_nats(limits, 0.2, 0.6)
        channel = best_design(limits).channel
        assert best == measures.chernoff_information_nats(share_law(channel, 0.2), share_law(channel, 0.6))
        shared = {"guess_error": limits.guess_error, "weight": limits.weight}
        if limits.max_odds == math.inf:
            rivals = [warner(**shared), survey(**shared, outputs=2, theta=0.2), survey(**shared, outputs=2, theta=0.6)]
            for rival in rivals:
                laws = share_law(rival.channel, 0.2), share_law(rival.channel, 0.6)
                assert measures.chernoff_information_nats(*laws) <= best * (1 + 1e-9)
        assert best > 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"guess_error": 0.375, "weight": 0.2}, r"weight=0.2 must lie in \[a, 1-a\] = \[0.375, 0.625\].*towards 0.5"),
        ({"delta": 1.0}, "delta=1.0 must lie strictly between 0 and 1"),
        ({"delta": 0}, "delta=0 must lie strictly between 0 and 1"),
        ({"guess_error": 0.5}, "must lie strictly between 0 and 0.5"),
        ({"guess_error": 0.0}, "must lie strictly between 0 and 0.5"),
        ({"guess_error": math.nan}, "must be finite"),
        ({}, "one of `guess_error` and `delta`"),
        ({"guess_error": 0.3, "delta": 0.4}, "one of the two"),
        ({"guess_error": 0.3, "max_epsilon": 0}, "max_epsilon=0 must be a positive"),
        ({"guess_error": 0.3, "max_epsilon": 30}, "at most 20"),
        ({"guess_error": 0.3, "outputs": 4}, "More than three outputs never help"),
        ({"guess_error": 0.3, "outputs": 2}, "outputs=2 needs `theta`"),
        ({"guess_error": 0.3, "outputs": 2, "theta": 2}, r"theta=2 must lie in \[0, 1\]"),
        ({"guess_error": 0.3, "answers": ("yes", "yes")}, "two different texts"),
        ({"guess_error": 0.3, "answers": ("either", "yes")}, "a report of its own"),
        ({"guess_error": "much"}, "must be a number"),
    ],
)
def test_bad_parameters_get_a_sentence(arguments, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        survey(**arguments)


def test_closed_forms_refuse_what_they_do_not_cover():
    with pytest.raises(InvalidParameter, match="knows no limit on `epsilon`"):
        largest_fisher_information(Limits.of(delta=0.25, max_epsilon=1), 0.1)
    with pytest.raises(InvalidParameter, match="strictly between 0 and 1"):
        largest_fisher_information(Limits.of(delta=0.25), 0)


def test_answers_can_be_named():
    design = survey(delta=0.25, answers=("nein", "ja"))
    assert design.channel.inputs == ("nein", "ja")
    assert design.channel.outputs == ("either", "nein", "ja")
