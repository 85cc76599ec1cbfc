"""What a report makes of a belief is Bayes' rule, worked out here by enumeration, and no prior does more."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidInput
from sfumato.measures import largest_even_posterior, largest_posterior, odds, posterior, raised_share
from sfumato.mechanisms import CyclicResponse
from sfumato.prob import Channel, Circulant, Distribution

TENTH = Fraction(1, 10)


@st.composite
def channels(draw):
    size, width = draw(st.integers(2, 4)), draw(st.integers(2, 4))
    rows = []
    for _ in range(size):
        counts = draw(st.lists(st.integers(0, 6), min_size=width, max_size=width).filter(any))
        rows.append([Fraction(count, sum(counts)) for count in counts])
    return Channel(rows)


def enumerated(channel, prior, y):
    """Bayes by counting: the joint law written out, and its column divided by its sum."""
    joint = {(x, z): p * channel[x, z] for x, p in enumerate(prior) for z in range(channel.shape[1])}
    total = sum(mass for (_, z), mass in joint.items() if z == y)
    return [joint[x, y] / total if total else prior[x] for x in range(channel.shape[0])]


@given(channel=channels(), counts=st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(lambda c: any(c[:2])))
def test_the_posterior_is_bayes(channel, counts):
    counts = counts[: channel.shape[0]]
    prior = [Fraction(count, sum(counts)) for count in counts]
    for y in range(channel.shape[1]):
        assert list(posterior(channel, Distribution(prior), y)) == enumerated(channel, prior, y)


@given(channel=channels(), share=st.fractions(0, 1, max_denominator=20))
def test_the_worst_is_at_one_other_answer_and_no_prior_does_more(channel, share):
    """Over all answers, reports, and priors in which one other answer holds the rest; and over mixtures of them."""
    size, width = channel.shape
    corners = [
        enumerated(channel, [share if x == a else 1 - share if x == b else Fraction(0) for x in range(size)], y)[a]
        for a, b in itertools.permutations(range(size), 2)
        for y in range(width)
    ]
    worst = largest_posterior(channel, share)
    assert worst == max(corners)
    rest = [
        enumerated(channel, [share if x == a else (1 - share) / (size - 1) for x in range(size)], y)[a]
        for a in range(size)
        for y in range(width)
    ]
    assert largest_even_posterior(channel, share) == max(rest) <= worst


@pytest.mark.parametrize(("size", "epsilon"), [(3, 1.0), (7, 0.5), (40, 2.0)])
def test_a_structured_channel_says_the_same_as_its_entries(size, epsilon):
    channel = CyclicResponse.within(size=size, epsilon=epsilon).channel()
    assert isinstance(channel, Circulant)
    dense = channel.to_dense()
    for share in (Fraction(1, 100), TENTH, Fraction(1, 2)):
        assert largest_posterior(channel, share) == largest_posterior(dense, share)
        assert largest_even_posterior(channel, share) == largest_even_posterior(dense, share)
    found = {}
    for high, total, count in dense.column_peaks():
        found[high, total] = found.get((high, total), 0) + count
    assert found == {(high, total): count for high, total, count in channel.column_peaks()}


def test_many_levels_and_inputs_fewer_than_outputs():
    law = [Fraction(n, 28) for n in (1, 2, 3, 4, 5, 6, 7)]
    for inputs in (2, 5, 7):
        channel = Circulant(law, inputs)
        assert largest_even_posterior(channel, TENTH) == largest_even_posterior(channel.to_dense(), TENTH)


def test_a_hundred_thousand_answers_are_told_without_their_entries():
    channel = CyclicResponse.within(size=100_000, epsilon=1.0).channel()
    assert np.prod(channel.shape, dtype=float) > 1e10
    share = Fraction(1, 100_000)
    bound = raised_share(share, odds(channel), 1)
    assert largest_posterior(channel, share) == bound
    assert share < largest_even_posterior(channel, share) < bound


def test_the_odds_are_the_bound_and_are_reached():
    channel = Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    assert largest_posterior(channel, TENTH) == Fraction(3, 12) == raised_share(TENTH, 3, 1)


def test_what_cannot_occur_tells_nothing_and_what_proves_is_one():
    channel = Channel([[1, 0, 0], [Fraction(1, 2), Fraction(1, 2), 0]])
    prior = Distribution([1 - TENTH, TENTH])
    assert posterior(channel, prior, 2) == (1 - TENTH, TENTH)
    assert posterior(channel, prior, 1) == (0, 1)
    assert largest_posterior(channel, TENTH) == 1


@pytest.mark.parametrize("report", [-1, 2])
def test_a_report_that_there_is_not_is_refused(report):
    with pytest.raises(InvalidInput, match=r"report=.* must lie in \[0, 1\]. Count reports from 0."):
        posterior(Channel([[1, 0], [0, 1]]), Distribution([TENTH, 1 - TENTH]), report)


def test_a_prior_for_another_channel_is_refused():
    with pytest.raises(InvalidInput, match="inputs"):
        posterior(Channel([[1, 0], [0, 1]]), Distribution([1]), 0)
    with pytest.raises(InvalidInput, match="share"):
        largest_posterior(Channel([[1, 0], [0, 1]]), Fraction(3, 2))
