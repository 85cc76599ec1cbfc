"""Gradients, Hessians and scores of every model against differences of the log-likelihood."""

import numpy as np
import pytest

from inference.regression.samples import CHANNELS, covariates, drawn, logit_answers, reported
from sfumato.inference.regression.columns import standardised
from sfumato.inference.regression.models import LogitHill, MixtureHill, NormalNumbers, OrderedHill, ReportedAnswers

PEOPLE = 300
CLOSE = 1e-6


def column(rng, size):
    design = covariates(rng, PEOPLE)
    blocks = rng.normal(size=(size - 1, 4)) / 2
    return design, reported(rng, CHANNELS[size], logit_answers(rng, design, blocks))


def logits(rng, size, weights):
    design, found = column(rng, size)
    hill = LogitHill(
        table=found.table, kinds=found.kinds, design=standardised([design]).parts[0], labels=found.labels,
        columns=design.names, weights=weights,
    )  # fmt: skip
    return hill, rng.normal(size=4 * (size - 1)) / 2


def ordered(rng, size, weights):
    design, found = column(rng, size)
    design = design.without(["Intercept"])
    hill = OrderedHill(
        table=found.table, kinds=found.kinds, design=standardised([design], centred=True).parts[0],
        labels=found.labels, columns=design.names, weights=weights,
    )  # fmt: skip
    return hill, np.concatenate([rng.normal(size=3) / 2, np.sort(rng.normal(size=size - 1))])


def mixture(rng, size, weights, *, normal):
    design, found = column(rng, size)
    z = standardised([design]).parts[0]
    designs = tuple(
        np.column_stack([z[:, :2], np.tile(row, (PEOPLE, 1)), z[:, 1:2] * row[-1]]) for row in np.eye(size)[:, 1:]
    )
    width = designs[0].shape[1]
    other = reported(rng, CHANNELS[2], rng.integers(0, 2, PEOPLE))
    law = (
        NormalNumbers(numbers=rng.normal(size=PEOPLE))
        if normal
        else ReportedAnswers(table=other.table, kinds=other.kinds)
    )
    hill = MixtureHill(
        law=law, designs=designs, table=found.table, kinds=found.kinds, given=z, columns=(), weights=weights
    )
    return hill, rng.normal(size=width + normal + 4 * (size - 1)) / 2


MAKERS = {
    "logistic": lambda rng, w: logits(rng, 2, w),
    "multinomial": lambda rng, w: logits(rng, 4, w),
    "ordered": lambda rng, w: ordered(rng, 4, w),
    "ordered, two answers": lambda rng, w: ordered(rng, 2, w),
    "linear with a randomised predictor": lambda rng, w: mixture(rng, 3, w, normal=True),
    "logistic with a randomised predictor": lambda rng, w: mixture(rng, 3, w, normal=False),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", MAKERS)
def test_derivatives_are_those_of_the_log_likelihood(name, weighted):
    rng = np.random.default_rng(21)
    weights = rng.uniform(0.5, 2, PEOPLE) if weighted else None
    hill, point = MAKERS[name](rng, weights)
    here = hill.slope(point, complete=False)
    step = 1e-5
    steps = step * np.eye(len(point))
    values = [(hill.slope(point + way, complete=False), hill.slope(point - way, complete=False)) for way in steps]
    gradient = np.array([(up.value - down.value) / (2 * step) for up, down in values])
    assert np.abs(gradient - here.gradient).max() <= CLOSE * np.abs(here.gradient).max()
    hessian = np.array([(up.gradient - down.gradient) / (2 * step) for up, down in values])
    assert np.abs(hessian + here.information).max() <= CLOSE * np.abs(here.information).max()
    scores = hill.scores(point)
    total = scores.sum(axis=0) if weights is None else weights @ scores
    assert total == pytest.approx(here.gradient, abs=1e-10 * PEOPLE)


@pytest.mark.parametrize("name", MAKERS)
def test_the_information_of_answers_is_that_of_an_identity_channel_on_average(name):
    """EM's matrix is positive definite, and never less than what the reports tell on average over reports."""
    rng = np.random.default_rng(22)
    hill, point = MAKERS[name](rng, None)
    complete = hill.slope(point, complete=True).information
    assert np.linalg.eigvalsh(complete).min() > 0
    assert complete == pytest.approx(complete.T)


def test_steps_of_em_climb():
    """Along I⁻¹g, with I the information of the answers, a whole step never goes down for logits [Lan95]."""
    rng = np.random.default_rng(23)
    hill, point = MAKERS["multinomial"](rng, None)
    for _ in range(20):
        here = hill.slope(point, complete=True)
        point = point + np.linalg.solve(here.information, here.gradient)
        assert hill.slope(point, complete=True).value >= here.value - 1e-9


def test_samples_follow_their_laws():
    rng = np.random.default_rng(24)
    laws = np.tile([0.2, 0.5, 0.3], (20_000, 1))
    assert np.bincount(drawn(rng, laws)) / 20_000 == pytest.approx([0.2, 0.5, 0.3], abs=0.02)
