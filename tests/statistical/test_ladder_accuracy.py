"""Shares read at each level of a ladder err as much as that level's mechanism says, and not as much as its neighbour's.

One publication serves all levels, so the errors of the levels are measured on the same reports.
"""

import math

import numpy as np
import pytest

from sfumato.ladders import Ladder
from sfumato.mechanisms import BinaryHadamard
from sfumato.prob import Distribution
from sfumato.sampling import Guarantee, InsecureSeeded

SIZE, ROWS, RUNS = 60, 20_000, 24
EPSILONS = (2.0, 1.0, 0.5)


def geometric(size):
    weights = 0.8 ** np.arange(size)
    return weights / weights.sum()


def expected_error(mechanism, law):
    wanted = Distribution(law)
    if isinstance(mechanism, BinaryHadamard):
        return mechanism.risk(wanted, ROWS)
    return float(sum(mechanism.variance(wanted, ROWS)))


def measured_errors(ladder, law, guarantee, seed):
    """Squared errors by level, a row a run; answers are drawn anew each time, so their own noise is in."""
    draws = np.random.default_rng(seed)
    errors = []
    for run in range(RUNS):
        answers = draws.choice(SIZE, p=law, size=ROWS)
        published = ladder.publish(answers, InsecureSeeded(1000 * seed + run), guarantee=guarantee)
        views = [ladder.open(published.reports, published.keys.get(level)) for level in range(1, len(ladder.levels))]
        views.append(ladder.open(published.reports))
        estimates = [view.mechanism.estimate(view.mechanism.tally(view.reports)) for view in views]
        errors.append([float(((np.array(estimate.raw) - law) ** 2).sum()) for estimate in estimates])
    return np.array(errors)


def ladder_over(kind):
    if kind == "cyclic":
        return Ladder.within(size=SIZE, epsilons=EPSILONS)
    return Ladder(BinaryHadamard.within(size=SIZE, epsilon=1.0), EPSILONS)


@pytest.mark.parametrize("guarantee", [Guarantee.INFORMATION_THEORETIC, Guarantee.COMPUTATIONAL])
@pytest.mark.parametrize("kind", ["cyclic", "hadamard"])
def test_each_level_errs_as_its_formula_says_and_not_as_its_neighbours(kind, guarantee):
    """Within four Monte Carlo standard errors of its own variance; more than four from those above and below."""
    ladder, law = ladder_over(kind), geometric(SIZE)
    seed = 31 + 2 * (kind == "cyclic") + (guarantee is Guarantee.COMPUTATIONAL)
    errors = measured_errors(ladder, law, guarantee, seed)
    expected = [expected_error(level, law) for level in ladder.levels]
    spreads = errors.std(axis=0, ddof=1) / math.sqrt(RUNS)
    for level, (mean, spread) in enumerate(zip(errors.mean(axis=0), spreads, strict=True)):
        assert abs(mean - expected[level]) < 4 * spread
        for neighbour in {level - 1, level + 1} & set(range(len(EPSILONS))):
            assert abs(mean - expected[neighbour]) > 4 * spread


def test_a_thousand_answers_at_three_levels():
    """k = 1000, n = 200 000: one publication; each level is within six deviations of its expectation."""
    law = geometric(1000)
    ladder = Ladder.within(size=1000, epsilons=EPSILONS, recover=True)
    answers = np.random.default_rng(5).choice(1000, p=law, size=200_000)
    published = ladder.publish(answers, InsecureSeeded(51_000))
    for level, mechanism in enumerate(ladder.levels, start=1):
        view = ladder.open(published.reports, published.keys.get(level))
        estimate = view.mechanism.estimate(view.mechanism.tally(view.reports))
        error = float(((np.array(estimate.raw) - law) ** 2).sum())
        expected = float(sum(mechanism.variance(Distribution(law), 200_000)))
        # A sum of a thousand squares of nearly independent normals has a relative deviation of sqrt(2/1000).
        assert error == pytest.approx(expected, rel=6 * math.sqrt(2 / 1000))
    assert (ladder.recover(published.reports, published.keys[0]) == answers).all()
