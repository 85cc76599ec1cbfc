"""Intervals cover what they say, for every kind of question, at three sizes and four truths, corners included.

Where an interval depends on one binomial count its coverage is a sum over counts, exact. Elsewhere counts are drawn,
many samples at once, and judged with four Monte Carlo errors. χ² profile likelihood is the control that must fail.
"""

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.stats import binom

from sfumato.inference import exact as intervals
from sfumato.inference import shares
from sfumato.inference.estimates import ManyReports
from sfumato.inference.exact import ShareModel
from sfumato.ladders import Ladder
from sfumato.ladders.shift_levels import CyclicLevel
from sfumato.mechanisms import ArcResponse, Tabulated
from sfumato.prob import Channel
from sfumato.prob.intervals import binomial_share_intervals, bounded_intervals
from sfumato.recoverable import recoverable
from sfumato.sampling import Tally
from sfumato.surveys import survey

SIZES = (100, 1000, 10_000)
DRAWS = 4000
SLOW_DRAWS = 20_000
EITHER = pytest.mark.parametrize("draws", [DRAWS, pytest.param(SLOW_DRAWS, marks=pytest.mark.slow)])


def flips(epsilon):
    """How often a report of two answers hits the second: when it is the answer, and when not."""
    stay = math.exp(epsilon) / (1 + math.exp(epsilon))
    return 1 - stay, stay


def members(size, epsilon):
    own, other = CyclicLevel.within(size=size, epsilon=epsilon).probabilities
    return float(other), float(own)


def card_of_two():
    channel = survey(guess_error=0.375, outputs=2, theta=0.1, max_epsilon=1.5).channel.array
    first, second = sorted((float(channel[0, 1]), float(channel[1, 1])))
    return first, second


ONE_COUNT = {
    "yes-no": lambda: flips(1.0),
    "card of two reports": card_of_two,
    "one-of-many": lambda: members(6, 1.0),
    "ordered": lambda: members(5, 1.0),
    "count, a report for each number": lambda: members(21, 1.0),
    "yes-no with hidden no answer": lambda: members(3, 1.0),
    "several, two options at half of ε": lambda: flips(0.5),
    "number, two points": lambda: flips(1.0),
    "large list": lambda: members(1000, 1.0),
}
SHARES = (0.0, 0.03, 0.4, 1.0)


@pytest.mark.parametrize("kind", ONE_COUNT)
@pytest.mark.parametrize("n", SIZES)
def test_shares_from_one_count_are_covered_exactly_as_often_as_said(kind, n):
    """At least 95 % at every share; from 1,000 reports on at most 96 %."""
    other, own = ONE_COUNT[kind]()
    hits = np.arange(n + 1)
    lower, upper = binomial_share_intervals(hits, n, other, own, 0.95)
    assert (upper > lower).all()
    for share in SHARES:
        law = binom.pmf(hits, n, other + (own - other) * share)
        covered = law[(lower <= share) & (share <= upper)].sum()
        assert 0.95 - 1e-9 <= covered <= (0.96 if n >= 1000 else 0.99), share


def test_intervals_that_are_cut_to_the_bounds_are_refused_by_the_same_judge():
    """Wald's interval, cut to [0, 1], is empty or too short at a share of 0."""
    n, (other, own) = 1000, flips(1.0)
    hits = np.arange(n + 1)
    chance = hits / n
    reach = 1.96 * np.sqrt(chance * (1 - chance) / n)
    upper = np.clip((chance + reach - other) / (own - other), 0, 1)
    lower = np.clip((chance - reach - other) / (own - other), 0, 1)
    law = binom.pmf(hits, n, other)
    assert law[upper <= lower].sum() > 0.02
    assert law[(lower <= 0) & (upper > 0)].sum() < 0.98


# A card with three reports, of which two counts matter: an interval holds a share where neither tail refuses it.

THREE = {"a card that proves": None, "a card within ε = 1.5": 1.5}


@cache
def three_reports(epsilon):
    return ShareModel.of(survey(guess_error=0.375, outputs=3, theta=0.1, max_epsilon=epsilon).channel)


def holds(model, counts, share):
    order = intervals._Order(model, counts)
    return min(order.ranked(share, upper=True), order.ranked(share, upper=False)) >= 0.05


def judge_card(epsilon, n, share, draws):
    model = three_reports(epsilon)
    drawn = np.random.default_rng([n, int(100 * share)]).multinomial(n, model.law(share), size=draws)
    seen, times = np.unique(drawn, axis=0, return_counts=True)
    rows = [tuple(row) for row in seen.tolist()]
    held = np.array([holds(model, row, share) for row in rows])
    covered = times[held].sum() / draws
    error = math.sqrt(0.05 * 0.95 / draws)
    assert 0.95 - 4 * error <= covered <= (0.96 if n >= 1000 else 0.99) + 4 * error
    # That is what the intervals that people see say, too; where a card proves answers, they reach on to the likeliest
    # share, which is 0 whenever nobody proved a yes: at 0 itself that is always.
    for row, is_held in list(zip(rows, held, strict=True))[:: max(1, len(rows) // 12)]:
        point = min(1.0, max(0.0, model.free_maximum(row)))
        found = shares._estimate(model, row, 0.95, intervals.Method.EXACT).interval
        assert found.upper > found.lower
        assert (found.lower - 1e-9 <= share <= found.upper + 1e-9) == (is_held or abs(point - share) <= 1e-9)
        assert found.lower <= point <= found.upper


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("card", THREE)
def test_shares_from_three_reports_are_covered(card, share):
    judge_card(THREE[card], 100, share, DRAWS)


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("card", THREE)
def test_shares_from_three_reports_are_covered_at_every_size(card, share, n):
    judge_card(THREE[card], n, share, SLOW_DRAWS)


# What is told of an answer: shares by least squares, all surveys at once.

TOLD = {"all the first": (1, 0, 0), "all the last": (0, 0, 1), "few": (0.03, 0.37, 0.6), "even": (1 / 3, 1 / 3, 1 / 3)}


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("truth", TOLD)
@EITHER
def test_shares_of_what_is_told_are_covered(truth, n, draws):
    prior = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), Fraction(1, 8)]
    noise = Tabulated(recoverable(prior, [0, 0, 1, 2], Fraction(7, 10)).noise)
    law, inverse = np.array(TOLD[truth]), noise.weights().T
    counts = np.random.default_rng(n).multinomial(n, law @ noise.channel().array, size=draws)
    raw = counts / n @ inverse.T
    errors = np.sqrt(np.maximum(counts / n @ (inverse.T**2) - raw**2, 0) / n)
    lower, upper = bounded_intervals(raw.ravel(), np.hypot(errors, 1 / n).ravel(), 0.0, 1.0, 0.95)
    lower, upper = lower.reshape(raw.shape), upper.reshape(raw.shape)
    for i in range(5):
        one = noise.estimate(Tally(mechanism=noise.name, counts=tuple(counts[i].tolist())))
        for place, found in enumerate(one.intervals):
            assert found.lower < found.upper
            assert found.lower <= lower[i, place] + 1e-9
            assert upper[i, place] <= found.upper + 1e-9
    covered = ((lower <= law) & (law <= upper)).mean(axis=0)
    error = math.sqrt(0.05 * 0.95 / draws)
    assert covered.min() >= 0.94 - 4 * error
    assert covered.max() <= (0.96 if n >= 1000 else 0.99) + 4 * error


def table_of(channel):
    return channel.array if isinstance(channel, Channel) else channel.to_dense().array


# Means: a channel, the values of its answers, and four laws of answers.


def laws(size):
    """Everybody the lowest, a bell, both ends, all alike."""
    places = np.arange(size)
    bell = binom.pmf(places, size - 1, 0.6)
    lowest = (places == 0).astype(float)
    ends = np.where((places == 0) | (places == size - 1), 0.5, 0.0)
    return {"lowest": lowest, "bell": bell, "ends": ends, "even": np.full(size, 1 / size)}


MEANS = {
    "ordered, mean score": lambda: (Ladder.within(size=5, epsilons=[1.0]).levels[0].channel(), np.arange(1.0, 6.0)),
    "count": lambda: (Ladder.within(size=21, epsilons=[2.0]).levels[0].channel(), np.arange(1950.0, 1971.0)),
    "number, by an arc": lambda: (ArcResponse.within(size=9, epsilon=3.0).channel(), np.linspace(-1, 1, 9)),
    "ordered, cumulative share": lambda: (
        Ladder.within(size=5, epsilons=[1.0]).levels[0].channel(),
        np.array([1.0, 1.0, 0.0, 0.0, 0.0]),
    ),
}


@cache
def seen_means(kind, n, truth, draws):
    channel, values = MEANS[kind]()
    law = laws(len(values))[truth]
    dense = table_of(channel)
    counts = np.random.default_rng([n, len(truth), len(kind)]).multinomial(n, law @ dense, size=draws)
    return values, law, dense, counts, ManyReports(channel, counts)


def judge_means(kind, n, truth, draws):
    values, law, _, _, many = seen_means(kind, n, truth, draws)
    found = many.means(values)
    mean = float(values @ law)
    assert (found.upper > found.lower).all()
    assert ((found.lower <= found.value) & (found.value <= found.upper)).all()
    near = 1e-9 * np.ptp(values)
    covered = ((found.lower <= mean + near) & (mean - near <= found.upper)).mean()
    error = math.sqrt(0.05 * 0.95 / draws)
    at_corner = mean in {values.min(), values.max()}
    most = 0.99 if at_corner or n == 100 else 0.96
    assert 0.94 - 4 * error <= covered <= most + 4 * error
    return covered


@pytest.mark.parametrize("truth", ["lowest", "even"])
@pytest.mark.parametrize("kind", MEANS)
def test_means_are_covered(kind, truth):
    """The slow suite has more truths, draws five times as many, and of a thousand and of ten thousand reports too."""
    judge_means(kind, 100, truth, DRAWS)


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("truth", ["lowest", "bell", "ends", "even"])
@pytest.mark.parametrize("kind", MEANS)
def test_means_are_covered_at_every_size(kind, truth, n):
    judge_means(kind, n, truth, SLOW_DRAWS)


def test_profile_likelihood_is_refused_at_the_corner():
    """When everybody gives the lowest value, an interval by χ² covers about half of the time."""
    _, law, dense, counts, many = seen_means("count", 1000, "lowest", DRAWS)
    gained = 2 * ((counts * np.log(many.likeliest @ dense)).sum(axis=1) - (counts * np.log(law @ dense)).sum(axis=1))
    covered = (gained <= 3.8414588).mean()
    assert covered < 0.94 - 4 * math.sqrt(0.05 * 0.95 / DRAWS)
    assert covered < 0.7


@pytest.mark.parametrize("truth", ["lowest", "bell", "ends", "even", "one value"])
def test_years_of_birth_have_means_that_are_near(truth):
    """1950..1970 at ε = 2 from 1,000 people: the mean is off by at most .8; the old score was off by 176 to 305."""
    channel, values = MEANS["count"]()
    law = np.eye(21)[12] if truth == "one value" else laws(21)[truth]
    dense = table_of(channel)
    counts = np.random.default_rng(5).multinomial(1000, law @ dense, size=1500)
    found = ManyReports(channel, counts).means(values).value
    assert math.sqrt(((found - values @ law) ** 2).mean()) <= 0.8


@pytest.mark.parametrize(
    ("size", "epsilon", "truth"),
    [(5, 1.0, "bell"), (5, 2.0, "ends"), (9, 2.0, "lowest"), (9, 4.0, "even"), (5, 0.5, "bell")],
)
def test_means_are_as_near_as_those_of_maximum_likelihood(size, epsilon, truth):
    """Against another solver: expectation and maximisation, many times over."""
    channel = CyclicLevel.within(size=size, epsilon=epsilon).channel()
    values, law = np.arange(float(size)), laws(size)[truth]
    dense = table_of(channel)
    counts = np.random.default_rng(6).multinomial(1000, law @ dense, size=200)
    other = np.full((200, size), 1 / size)
    for _ in range(20_000):
        other = other * ((counts / 1000 / (other @ dense)) @ dense.T)
    found = ManyReports(channel, counts).means(values).value
    errors = [math.sqrt(((means - values @ law) ** 2).mean()) for means in (found, other @ values)]
    assert errors[0] <= 1.05 * errors[1]
    assert np.abs(found - other @ values).max() < 0.02 * np.ptp(values)
