"""Differences of two shares of one sample cover what they say, at corners and inside.

Counts are drawn, many samples at once, and judged with four Monte Carlo errors. Taking the two shares for independent
is the control that must fail.
"""

import math

import numpy as np
import pytest
from scipy.stats import binom

from sfumato.inference import Method, estimate_share, share_weights
from sfumato.inference.estimates import ManyReports
from sfumato.inference.results import TwoDifferences
from sfumato.ladders import Ladder
from sfumato.mechanisms import ArcResponse
from sfumato.prob import Channel
from sfumato.surveys import survey

SIZES = (100, 1000, 10_000)
DRAWS = 4000
SLOW_DRAWS = 20_000
LEAST = 0.94
PAIRS = [(0, 1), (1, 0)]


def ladder(size, epsilon):
    return Ladder.within(size=size, epsilons=[epsilon]).levels[0].channel()


def arc(size, epsilon):
    return ArcResponse.within(size=size, epsilon=epsilon).channel()


def flips(epsilon):
    """Two options that everybody is asked about; their difference is that of those who chose one of them only."""
    stay = math.exp(epsilon) / (1 + math.exp(epsilon))
    flip = np.array([[stay, 1 - stay], [1 - stay, stay]])
    order = [2, 1, 0, 3]  # the first only, the second only, neither, both
    return Channel(np.kron(flip, flip)[order])


KINDS = {
    "one-of-many": lambda: ladder(6, 2.0),
    "one-of-many, hardly any noise": lambda: ladder(6, 8.0),
    "ordered": lambda: ladder(5, 1.0),
    "yes-no with hidden no answer": lambda: ladder(3, 1.0),
    "number, by an arc": lambda: arc(9, 3.0),
    "several, all options asked": lambda: flips(2.0),
}


def laws(size):
    one, other, last = np.eye(size)[[0, 1, -1]]
    return {
        "all the first": one,
        "all the second": other,
        "all another": last,
        "half and half": (one + other) / 2,
        "both rare": 0.02 * one + 0.01 * other + 0.97 * last,
        "most the first": 0.9 * one + 0.1 * last,
        "even": np.full(size, 1 / size),
    }


def error_of(draws):
    return math.sqrt(0.05 * 0.95 / draws)


def drawn(kind, n, truth, draws):
    channel = KINDS[kind]()
    law = laws(channel.shape[0])[truth]
    dense = channel.array if isinstance(channel, Channel) else channel.to_dense().array
    counts = np.random.default_rng([n, len(truth), len(kind)]).multinomial(n, law @ dense, size=draws)
    return law, ManyReports(channel, counts)


def judge(kind, n, truth, draws):
    law, many = drawn(kind, n, truth, draws)
    found = many.differences(PAIRS)
    assert (found.upper > found.lower).all()
    assert ((found.lower >= -1) & (found.upper <= 1)).all()
    assert ((found.lower <= found.value) & (found.value <= found.upper)).all()
    np.testing.assert_allclose(found.value[:, 0], many.likeliest[:, 0] - many.likeliest[:, 1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.lower[:, 0], -found.upper[:, 1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.raw[:, 0], -found.raw[:, 1], rtol=0, atol=1e-9)
    gap = law[0] - law[1]
    covered = ((found.lower[:, 0] <= gap + 1e-12) & (gap - 1e-12 <= found.upper[:, 0])).mean()
    assert covered >= LEAST - 4 * error_of(draws), covered
    return covered


@pytest.mark.parametrize("kind", KINDS)
def test_differences_are_covered(kind):
    """In `make test` at n = 100, where it is hardest; the slow suite has all sizes and more truths and draws."""
    for truth in ("all another", "both rare"):
        judge(kind, 100, truth, DRAWS)


@pytest.mark.parametrize("n", SIZES[1:])
@pytest.mark.parametrize("kind", ["one-of-many", "yes-no with hidden no answer"])
def test_differences_are_covered_from_many_reports(kind, n):
    for truth in ("all another", "even"):
        judge(kind, n, truth, DRAWS)


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("truth", laws(3))
@pytest.mark.parametrize("kind", KINDS)
def test_differences_are_covered_at_every_size(kind, truth, n):
    judge(kind, n, truth, SLOW_DRAWS)


def test_two_shares_are_not_independent():
    """The control: half of the people give each of two answers, so when one share is high the other is low."""
    law, many = drawn("one-of-many", 1000, "half and half", DRAWS)
    shares = many.shares()
    gap, spread = shares.raw[:, 0] - shares.raw[:, 1], np.hypot(shares.error[:, 0], shares.error[:, 1])
    covered = (np.abs(gap - (law[0] - law[1])) <= 1.959964 * spread).mean()
    assert covered < LEAST - 4 * error_of(DRAWS)
    assert many.differences(PAIRS).error[:, 0].mean() == pytest.approx(gap.std(), rel=0.05)


CARD = survey(guess_error=0.375, max_epsilon=1.5).channel


def of_card(counts, confidence=0.95):
    weights = share_weights(CARD)[:, 1]
    return TwoDifferences(
        channel=CARD,
        counts=counts,
        method=Method.EXACT,
        raw=float(np.array(counts) @ weights / sum(counts)),
        error=0.1,
    ).of([(1, 0), (0, 1)], confidence)


@pytest.mark.parametrize(
    "truth", [pytest.param(0.0, marks=pytest.mark.slow), 0.5, pytest.param(1.0, marks=pytest.mark.slow)]
)
def test_differences_of_a_card_with_three_reports_cover_exactly(truth):
    """Summed over all counts of 40 reports; both orders of the two answers."""
    law = (1 - truth) * CARD.array[0] + truth * CARD.array[1]
    n, seen, gap = 40, 0.0, 2 * truth - 1
    covered = np.zeros(2)
    for middle in range(n + 1):
        for last in range(n + 1 - middle):
            chance = binom.pmf(middle, n, law[1]) * binom.pmf(last, n - middle, law[2] / (law[0] + law[2]))
            if chance > 1e-5:
                seen += chance
                forth, back = of_card((n - middle - last, middle, last))
                assert forth.interval.width > 0
                assert forth.value in forth.interval
                covered += chance * np.array([gap in forth.interval, -gap in back.interval])
    assert seen > 0.99
    assert (covered >= 0.95 * seen - (1 - seen)).all()


@pytest.mark.parametrize("n", SIZES)
def test_differences_of_a_card_are_those_of_its_share(n):
    """2θ - 1 lies in one interval exactly when θ lies in the other, so one covers as often as the other."""
    counts = (n // 2, n // 3, n - n // 2 - n // 3)
    share = estimate_share(CARD, counts, confidence=0.95)
    forth, back = of_card(counts)
    assert (forth.interval.lower, forth.interval.upper) == (2 * share.interval.lower - 1, 2 * share.interval.upper - 1)
    assert (back.interval.lower, back.interval.upper) == (-forth.interval.upper, -forth.interval.lower)
    assert forth.value == pytest.approx(share.share - (1 - share.share), abs=1e-12)
    assert (back.value, back.raw) == (-forth.value, -forth.raw)
