"""Means of numbers and cumulative shares of answers in order cover what they say, at corners and for few people."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from sfumato.inference.estimates import ManyReports
from sfumato.prob.intervals import binomial_share_intervals
from sfumato.study import BoundedNumber, Ordered, Study
from sfumato.study.kinds.ordered import exact_ends

SIZES = (100, 1000, 10_000)


def laws(count):
    """Everybody the lowest; all alike; half at either end; everybody the same number, which lies between two points."""
    first, last, middle = np.eye(count)[[0, -1, count // 2]]
    between = 0.6 * middle + 0.4 * np.eye(count)[count // 2 - 1]
    return {"lowest": first, "even": np.full(count, 1 / count), "ends": (first + last) / 2, "one number": between}


def rung_of(question, epsilon):
    way = Study(name="s", questions=(question,), public_epsilon=Fraction(epsilon)).handler("q")
    return way, way.ladder.levels[0]


def coverage(channel, law, values, n, draws, seed):
    counts = np.random.default_rng(seed).multinomial(n, law @ channel.array, size=draws)
    found = ManyReports(channel, counts).means(values)
    truth = float(law @ values)
    assert (found.upper > found.lower).all()
    assert ((found.lower <= found.value) & (found.value <= found.upper)).all()
    slack = 1e-9 * float(np.ptp(values))
    inside = ((found.lower <= truth + slack) & (truth - slack <= found.upper)).mean()
    return float(inside), np.sqrt(np.mean((found.value - truth) ** 2))


def check(inside, draws, most):
    wide = 4 * (0.94 * 0.06 / draws) ** 0.5
    assert inside >= 0.94 - wide
    assert inside <= most + wide


def numbers(draws, epsilons):
    for epsilon in epsilons:
        question = BoundedNumber(id="q", text="Q?", highest=50, step=Fraction(1, 100))
        way, rung = rung_of(question, epsilon)
        values = np.array([float(value) for value in way.question.values])
        for (name, law), n in itertools.product(laws(values.size).items(), SIZES):
            inside, _ = coverage(rung.channel(), law, values, n, draws, 3)
            check(inside, draws, 0.99 if n == 100 or name == "lowest" else 0.97)


@pytest.mark.parametrize(("epsilon", "n"), list(itertools.product([1, 4], SIZES)))
def test_cumulative_shares_cover_exactly(epsilon, n):
    """A report is an answer here, so what says one of some answers is binomial: coverage is summed over all counts."""
    _, rung = rung_of(Ordered(id="q", text="Q?", answers=("a", "b", "c", "d", "e")), epsilon)
    assert rung.says_answers
    law = [float(p) for p in rung.law(0)]
    low, gap = min(law), max(law) - min(law)
    for share, place in itertools.product((0.0, 0.02, 0.3, 0.5, 1.0), range(4)):
        chance = (place + 1) * low + gap * share
        first, last = binom.interval(1 - 1e-9, n, chance)
        likely = np.arange(int(first), int(last) + 1)
        ends = binomial_share_intervals(likely, n, (place + 1) * low, (place + 1) * low + gap, 0.95)
        inside = binom.pmf(likely, n, chance)[(ends[0] <= share) & (share <= ends[1])].sum()
        assert inside >= 0.95 - 1e-8
        assert (ends[0] < ends[1]).all()
    told = [n // 10, n // 5, n // 2, 0, n - n // 10 - n // 5 - n // 2]
    for place, found in enumerate(exact_ends(rung, told, 0.95)):
        hits = sum(told[: place + 1])
        lower, upper = binomial_share_intervals([hits], n, (place + 1) * low, (place + 1) * low + gap, 0.95)
        assert found == (lower[0], upper[0])


@pytest.mark.slow
def test_means_of_numbers():
    numbers(4000, (4,))


def test_the_mean_at_four_nats_is_as_exact_as_the_plan_says():
    """What reports add to the spread of the answers is a variance of at most a fifth on [-1, 1], as measured."""
    way, rung = rung_of(BoundedNumber(id="q", text="Q?", lowest=-1, highest=1, step=Fraction(1, 100)), 4)
    values = np.array([float(value) for value in way.question.values])
    scores = rung.linear_scores(values)
    draws, n = 4000, 1000
    for law in laws(values.size).values():
        truth = float(law @ values)
        noise = law @ (rung.channel().array @ scores**2) - truth**2
        counts = np.random.default_rng(8).multinomial(n, law @ rung.channel().array, size=draws)
        found = n * ((counts @ scores / n - truth) ** 2).mean()
        assert found == pytest.approx(noise, rel=5 * (2 / draws) ** 0.5)
        people = law @ values**2 - truth**2
        assert noise - people <= 0.16


@pytest.mark.slow
def test_means_at_every_epsilon():
    numbers(20_000, (1, 2, 6))
