"""The interval of a mean among those who answer, where nobody sees who does, covers as often as it says."""

import math

import numpy as np
import pytest

from sfumato.inference.estimates import ManyReports
from sfumato.ladders import Ladder

DRAWS, SLOW_DRAWS = 4000, 20_000
VALUES = (0.0, 1.0, 2.0, 3.0, 4.0)
TRUTHS = {
    "spread": (0.15, 0.15, 0.15, 0.15, 0.15, 0.25),
    "all the lowest": (0.75, 0, 0, 0, 0, 0.25),
    "both ends": (0.4, 0, 0, 0, 0.35, 0.25),
    "everybody answers": (0.2, 0.2, 0.2, 0.2, 0.2, 0),
    "few answer": (0.01, 0.01, 0.01, 0.01, 0.01, 0.95),
}


def found(truth, respondents, epsilon, seed, draws=DRAWS):
    channel = Ladder.within(size=6, epsilons=(epsilon,)).levels[0].channel()
    law = np.array(truth) @ np.asarray(channel.to_dense().array if not hasattr(channel, "array") else channel.array)
    counts = np.random.default_rng(seed).multinomial(respondents, law / law.sum(), size=draws)
    return ManyReports(channel, counts).means([*VALUES, 0.0], 0.95, among=[1] * 5 + [0])


@pytest.mark.parametrize("respondents", [300, 1000, pytest.param(5000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("draws", [DRAWS, pytest.param(SLOW_DRAWS, marks=pytest.mark.slow)])
def test_the_ratio_is_covered(truth, respondents, draws):
    """Over all surveys, those that say “not estimable” among the right ones; of the others not below 93 %."""
    shares = np.array(TRUTHS[truth])
    mean = float(shares[:5] @ VALUES / shares[:5].sum())
    many = found(TRUTHS[truth], respondents, 1.0, 17 * respondents + len(truth), draws)
    inside = (many.lower <= mean) & (mean <= many.upper)
    error = math.sqrt(0.94 * 0.06 / draws)
    assert (inside | ~many.estimable).mean() > 0.94 - 4 * error
    if many.estimable.mean() > 0.4:
        assert inside[many.estimable].mean() > 0.93 - 4 * error
    if truth != "few answer":
        assert many.estimable.all()
        assert inside.mean() < 0.96 + 4 * error
    there = many.estimable
    assert (many.upper - many.lower)[there].min() > 0
    assert ((many.lower <= many.value) & (many.value <= many.upper))[there].all()


def test_a_wrong_share_of_answering_is_noticed():
    """The same intervals miss a mean that is half a point away: the test above can fail."""
    many = found(TRUTHS["spread"], 5000, 1.0, 3)
    assert ((many.lower <= 2.5) & (many.upper >= 2.5)).mean() < 0.5


def test_where_nobody_answers_nothing_is_said():
    many = found((0, 0, 0, 0, 0, 1), 1000, 1.0, 5)
    assert many.estimable.mean() < 0.06
