"""Every mechanism's measured error agrees with its exact formula, and its intervals cover what they say."""

import math

import numpy as np
import pyarrow as pa
import pytest

from sfumato.errors import InvalidParameter
from sfumato.mechanisms import (
    BinaryHadamard,
    CyclicResponse,
    HadamardResponse,
    OptimisedUnary,
    RandomizedResponse,
    SubsetSelection,
    SymmetricUnary,
)
from sfumato.prob import Distribution
from sfumato.sampling import InsecureSeeded

MECHANISMS = [
    BinaryHadamard,
    CyclicResponse,
    HadamardResponse,
    OptimisedUnary,
    RandomizedResponse,
    SubsetSelection,
    SymmetricUnary,
]


def geometric(size):
    weights = 0.8 ** np.arange(size)
    return weights / weights.sum()


@pytest.mark.parametrize("kind", MECHANISMS, ids=lambda kind: kind.__name__)
def test_mean_squared_error_is_the_formulas(kind):
    """Twenty fixed seeds, answers drawn anew each time: within four Monte Carlo standard errors."""
    size, n = 60, 20_000
    mechanism = kind.within(size=size, epsilon=1.0)
    law = geometric(size)
    # Binary Hadamard has one variance for all answers, and speaks of its sum.
    wanted = Distribution(law)
    expected = mechanism.risk(wanted, n) if kind is BinaryHadamard else float(sum(mechanism.variance(wanted, n)))
    draws = np.random.default_rng(7)
    errors = []
    for seed in range(20):
        answers = draws.choice(size, p=law, size=n)
        estimate = mechanism.estimate(mechanism.tally(mechanism.privatize(answers, InsecureSeeded(seed))))
        errors.append(float(((np.array(estimate.raw) - law) ** 2).sum()))
    spread = np.std(errors, ddof=1) / math.sqrt(len(errors))
    assert abs(np.mean(errors) - expected) < 4 * spread
    assert 4 * spread < 0.4 * expected


def test_the_cyclic_response_reaches_the_best_known_error():
    """k = 1000, n = 1e6, ε = 1, Geo(.8): the mean of 20 fixed seeds is within 3 % of .003683 and four of its errors."""
    mechanism, law = CyclicResponse.within(size=1000, epsilon=1.0), geometric(1000)
    draws = np.random.default_rng(3)
    errors = []
    for seed in range(20):
        answers = np.repeat(np.arange(1000), draws.multinomial(1_000_000, law))
        estimate = mechanism.estimate(mechanism.tally(mechanism.privatize(answers, InsecureSeeded(seed))))
        errors.append(float(((np.array(estimate.raw) - law) ** 2).sum()))
    spread = np.std(errors, ddof=1) / math.sqrt(20)
    assert abs(np.mean(errors) - 0.003687) < 4 * spread
    assert np.mean(errors) <= 1.03 * 0.003683


@pytest.mark.parametrize("kind", MECHANISMS, ids=lambda kind: kind.__name__)
def test_arrow_columns_are_read_and_missing_answers_refused(kind):
    mechanism = kind.within(size=4, epsilon=1.0)
    column = pa.chunked_array([[0, 1, 2], [3, 0]])
    expected = mechanism.privatize(np.array([0, 1, 2, 3, 0]), InsecureSeeded(1))
    assert np.array_equal(mechanism.privatize(column, InsecureSeeded(1)), expected)
    with pytest.raises(InvalidParameter, match="Replace missing entries"):
        mechanism.privatize(pa.array([0, None, 2]))


@pytest.mark.slow
@pytest.mark.parametrize("kind", MECHANISMS, ids=lambda kind: kind.__name__)
def test_intervals_cover_what_they_say(kind):
    """20 000 small runs a mechanism: the interval of one answer's share covers it 95 ± 1 % of the time."""
    size, n, runs = 5, 400, 20_000
    mechanism = kind.within(size=size, epsilon=1.5)
    law = np.array([0.4, 0.25, 0.2, 0.1, 0.05])
    draws = np.random.default_rng(11)
    bits = InsecureSeeded(11)
    held = 0
    for _ in range(runs):
        answers = draws.choice(size, p=law, size=n)
        estimate = mechanism.estimate(mechanism.tally(mechanism.privatize(answers, bits)))
        held += estimate.intervals[1].lower <= law[1] <= estimate.intervals[1].upper
    assert 0.94 <= held / runs <= 0.96
