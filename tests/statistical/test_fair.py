"""Fair's 1978 survey on extramarital affairs, which ships inside statsmodels: privatised one by one, then estimated."""

import numpy as np
import pytest
from statsmodels.datasets import fair

from designs import DESIGNS
from sfumato.inference import estimate_share
from sfumato.sampling import InsecureSeeded

SEEDS = range(20)


@pytest.fixture(scope="module")
def answers():
    column = fair.load_pandas().data["affairs"] > 0
    return column.to_numpy().astype(int)


def test_the_data_are_the_data(answers):
    assert len(answers) == 6366
    assert round(100 * answers.mean(), 2) == 32.25


@pytest.mark.parametrize("name", DESIGNS)
def test_the_share_is_found_without_anyones_answer(name, answers):
    """Twenty fixed seeds: every estimate within five standard errors, and at least 16 intervals hold the truth.

    With coverage of 95 % fewer than 16 of 20 happens with probability below 3e-3 a design, and the seeds are fixed.
    """
    design = DESIGNS[name]
    truth = float(answers.mean())
    held = 0
    for seed in SEEDS:
        mechanism = design.mechanism
        counts = mechanism.tally(mechanism.privatize(answers, InsecureSeeded(seed))).counts
        estimate = estimate_share(design.channel, counts)
        assert abs(estimate.share - truth) < 5 * estimate.standard_error
        held += truth in estimate.interval
    assert held >= 16


def test_a_wrong_design_is_noticed(answers):
    """Reading Warner's reports with another coin misses by more than five standard errors."""
    made, read = DESIGNS["Warner"], DESIGNS["Warner, weaker"]
    counts = made.mechanism.tally(made.mechanism.privatize(answers, InsecureSeeded(0))).counts
    estimate = estimate_share(read.channel, counts)
    assert abs(estimate.share - float(np.mean(answers))) > 5 * estimate.standard_error
