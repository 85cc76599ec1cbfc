"""What reports through channels say: against optimisers that know nothing of the house, and against the whole data."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from statsmodels.datasets import fair
from statsmodels.discrete.discrete_model import Logit

from inference.regression.samples import (
    CHANNELS,
    covariates,
    drawn,
    linear_predictors,
    logit_answers,
    ordered_answers,
    reported,
)
from sfumato.inference.regression import DesignMatrix, RandomisedColumn, fit_outcome, fit_predictor
from sfumato.ladders import Ladder
from sfumato.prob import Channel
from sfumato.surveys import survey

PEOPLE = 1200


def likeliest(log_likelihood, size):
    """Maximise without derivatives of ours."""
    found = minimize(lambda point: -log_likelihood(point), np.zeros(size), method="BFGS", options={"gtol": 1e-7})
    return found.x, -found.fun


def standard(design):
    values = design.values.copy()
    values[:, 1:] = (values[:, 1:] - values[:, 1:].mean(axis=0)) / values[:, 1:].std(axis=0)
    return DesignMatrix(names=design.names, values=values)


def logit_chances(x, point, answers):
    powers = np.exp(np.column_stack([np.zeros(len(x)), x @ point.reshape(answers - 1, -1).T]))
    return powers / powers.sum(axis=1, keepdims=True)


def test_two_channels_joined_give_the_joint_maximum():
    """Two groups with different designs, as in a two-sample design, or two studies, or two waves."""
    rng = np.random.default_rng(31)
    design = standard(covariates(rng, PEOPLE))
    answers = logit_answers(rng, design, [[-0.5, 0.4, -0.3, 0.8]])
    other = Channel([[0.9, 0.1], [0.4, 0.6]], inputs=["no", "yes"])
    half = PEOPLE // 2
    parts = [reported(rng, CHANNELS[2], answers[:half]), reported(rng, other, answers[half:])]
    column = RandomisedColumn.joined(parts)
    fit = fit_outcome("logistic", column, design)
    rows = np.concatenate([part.likelihoods for part in parts])
    assert np.array_equal(rows, column.likelihoods)

    def height(point):
        return np.log((rows * logit_chances(design.values, point, 2)).sum(axis=1)).sum()

    point, top = likeliest(height, 4)
    assert fit.estimates == pytest.approx(point, abs=1e-5)
    assert fit.log_likelihood == pytest.approx(top, abs=1e-8)
    halves = [DesignMatrix(names=design.names, values=x) for x in (design.values[:half], design.values[half:])]
    alone = [fit_outcome("logistic", part, rows_of) for part, rows_of in zip(parts, halves, strict=True)]
    assert all(one["age"].standard_error > fit["age"].standard_error for one in alone)
    given = RandomisedColumn.given(rows, column.labels, name="answer")
    assert fit_outcome("logistic", given, design).estimates == pytest.approx(fit.estimates, abs=1e-9)


def test_multinomial_and_ordered_by_another_optimiser():
    rng = np.random.default_rng(32)
    design = standard(covariates(rng, PEOPLE))
    column = reported(rng, CHANNELS[3], logit_answers(rng, design, [[0.3, 0.4, -0.3, 0.8], [0.2, -0.4, 0.3, 0.1]]))
    rows = column.likelihoods
    point, top = likeliest(lambda point: np.log((rows * logit_chances(design.values, point, 3)).sum(axis=1)).sum(), 8)
    fit = fit_outcome("multinomial", column, design)
    assert fit.log_likelihood == pytest.approx(top, abs=1e-7)
    assert fit.estimates == pytest.approx(point, abs=1e-4)
    column = reported(rng, CHANNELS[3], ordered_answers(rng, design, [0.4, -0.3, 0.8], [-0.7, 0.9]))
    rows = column.likelihoods

    def height(point):
        ends = point[3] + np.array([0, math.exp(point[4])])
        below = 1 / (1 + np.exp(-(ends - (design.values[:, 1:] @ point[:3])[:, None])))
        laws = np.diff(np.column_stack([np.zeros(PEOPLE), below, np.ones(PEOPLE)]), axis=1)
        return np.log((rows * laws).sum(axis=1)).sum()

    point, top = likeliest(height, 5)
    fit = fit_outcome("ordered", column, design)
    assert fit.log_likelihood == pytest.approx(top, abs=1e-7)
    assert fit.estimates == pytest.approx([*point[:4], point[3] + math.exp(point[4])], abs=1e-4)


@pytest.mark.parametrize("model", ["linear", "logistic"])
def test_a_randomised_predictor_by_another_optimiser(model):
    rng = np.random.default_rng(33)
    design = standard(covariates(rng, PEOPLE)).without(["income", "female"])
    x = design.values
    drug = drawn(rng, logit_chances(x, np.array([-0.3, 0.6]), 2))
    predictor = reported(rng, CHANNELS[2], drug, name="drug")
    mean = 0.3 + 0.4 * x[:, 1] + 1.2 * drug - 0.5 * drug * x[:, 1]
    numbers = mean + 0.7 * rng.normal(size=PEOPLE)
    outcome = (
        numbers if model == "linear" else reported(rng, CHANNELS[2], (mean > rng.logistic(size=PEOPLE)).astype(int))
    )
    designs = [
        DesignMatrix(names=("Intercept", "age", "yes", "yes:age"), values=np.column_stack([x, k * x])) for k in (0, 1)
    ]
    fit = fit_predictor(model, outcome, designs, predictor, design)

    def height(point):
        gamma = logit_chances(x, point[-2:], 2)
        if model == "linear":
            spread = math.exp(point[4])
            rests = [numbers - one.values @ point[:4] for one in designs]
            laws = [np.exp(-(rest**2) / (2 * spread**2)) / (math.sqrt(2 * math.pi) * spread) for rest in rests]
        else:
            laws = [(outcome.likelihoods * logit_chances(d.values, point[:4], 2)).sum(axis=1) for d in designs]
        return np.log((predictor.likelihoods * gamma * np.column_stack(laws)).sum(axis=1)).sum()

    point, top = likeliest(height, 6 + (model == "linear"))
    assert fit.log_likelihood == pytest.approx(top, abs=1e-6)
    assert fit.estimates == pytest.approx(np.delete(point, 4) if model == "linear" else point, abs=2e-4)
    if model == "linear":
        assert fit.scale == pytest.approx(math.exp(point[4]), abs=1e-4)
        truth = (0.3, 0.4, 1.2, -0.5)
        assert all(
            abs(fit.coefficients[j].estimate - truth[j]) < 4 * fit.coefficients[j].standard_error for j in range(4)
        )


def test_two_randomised_predictors_are_one_of_combinations():
    rng = np.random.default_rng(34)
    answers = rng.integers(0, 2, (2, 4000))
    columns = [reported(rng, CHANNELS[2], one, name=name) for one, name in zip(answers, ("drug", "drink"), strict=True)]
    numbers = 1 + 2.0 * answers[0] - answers[1] + rng.normal(size=4000)
    ones = np.ones(4000)
    designs = [
        DesignMatrix(names=("Intercept", "drug", "drink"), values=np.column_stack([ones, a * ones, b * ones]))
        for a in (0, 1)
        for b in (0, 1)
    ]
    fit = fit_predictor("linear", numbers, designs, columns, DesignMatrix.constant(4000))
    assert fit.predictor == "drug, drink"
    for name, true in {"Intercept": 1, "drug": 2, "drink": -1}.items():
        assert abs(fit[name].estimate - true) < 4 * fit[name].standard_error < 0.6
    assert fit["Intercept", "yes, yes"].estimate == pytest.approx(0, abs=0.5)


def test_the_public_view_adds_nothing_to_a_sharper_one():
    """P(sharp, public | x) = P(sharp | x)·P(public | sharp): a factor without the answer, so nothing moves."""
    rng = np.random.default_rng(35)
    ladder = Ladder.within(size=3, epsilons=[2, 0.8])
    sharp, public = (level.channel().array for level in ladder.levels)
    after = np.linalg.solve(sharp, public)
    assert (after > -1e-12).all(), "the public view is a further randomisation of the sharp one"
    after = np.clip(after, 0, 1)
    after /= after.sum(axis=1, keepdims=True)
    design = standard(covariates(rng, PEOPLE))
    answers = logit_answers(rng, design, [[0.3, 0.4, -0.3, 0.8], [0.2, -0.4, 0.3, 0.1]])
    seen = drawn(rng, sharp[answers])
    shown = drawn(rng, after[seen])
    labels = ("never", "once", "often")
    alone = RandomisedColumn.given(sharp.T[seen], labels, name="answer")
    both = RandomisedColumn.given(sharp.T[seen] * after[seen, shown][:, None], labels, name="answer")
    first, second = (fit_outcome("multinomial", column, design) for column in (alone, both))
    assert first.estimates == pytest.approx(second.estimates, abs=1e-8)
    assert first.covariance == pytest.approx(second.covariance, rel=1e-6, abs=1e-12)
    # Whoever takes the two as independent reports counts the sharp one twice, and is too sure.
    twice = RandomisedColumn.given(sharp.T[seen] * public.T[shown], labels, name="answer")
    wrong = fit_outcome("multinomial", twice, design)
    assert wrong["age", "often"].standard_error < first["age", "often"].standard_error
    public_alone = fit_outcome("multinomial", RandomisedColumn.given(public.T[shown], labels, name="answer"), design)
    assert public_alone["age", "often"].standard_error > first["age", "often"].standard_error


def test_linear_scores_are_unbiased_and_errors_hold():
    """Over many draws the mean of the coefficients is that of the answers, and sandwich errors are their spread."""
    rng = np.random.default_rng(36)
    worth, rounds = (0.0, 1.0, 5.0), 250
    design = covariates(rng, 500)
    answers = ordered_answers(rng, design, [0.4, -0.3, 0.8], [-1, 0.5])
    whole = fit_outcome("linear", RandomisedColumn.observed(answers, ("a", "b", "c"), name="y", values=worth), design)
    found = np.array(
        [
            fit_outcome("linear", reported(rng, CHANNELS[3], answers, values=worth), design).estimates
            for _ in range(rounds)
        ]
    )
    away = (found.mean(axis=0) - whole.estimates) / (found.std(axis=0) / math.sqrt(rounds))
    assert np.abs(away).max() < 3.5
    covered = 0
    for _ in range(rounds):
        people = covariates(rng, 500)
        fresh = ordered_answers(rng, people, [0.0, -0.3, 0.8], [-1, 0.5])
        fit = fit_outcome("linear", reported(rng, CHANNELS[3], fresh, values=worth), people, errors="sandwich")
        covered += 0 in fit["age"].interval
    assert 0.90 <= covered / rounds <= 0.99


class Replicated:
    """A plan in which respondents stand for several people each, drawn independently."""

    def __init__(self, weights):
        self.weights = weights

    def total_covariance(self, values, *, finite=True):
        return values.T @ (self.weights[:, None] ** 2 * values)


@pytest.mark.parametrize("model", ["logistic", "linear"])
def test_a_plan_weights_rows_and_makes_the_errors(model):
    rng = np.random.default_rng(37)
    design = covariates(rng, PEOPLE)
    column = reported(rng, CHANNELS[2], logit_answers(rng, design, [[-0.5, 0.4, -0.3, 0.8]]), values=(0, 1))
    even = fit_outcome(model, column, design, plan=Replicated(np.full(PEOPLE, 7.0)))
    plain = fit_outcome(model, column, design, errors="sandwich")
    assert even.errors == "sampling plan"
    assert even.estimates == pytest.approx(plain.estimates, abs=1e-7)
    assert even.covariance == pytest.approx(plain.covariance, rel=1e-6)
    # A row of weight 3 is three rows.
    weights = rng.integers(1, 4, PEOPLE)
    copies = np.repeat(np.arange(PEOPLE), weights)
    weighted = fit_outcome(model, column, design, plan=Replicated(weights.astype(float)))
    written = fit_outcome(model, column.taken(copies), DesignMatrix(names=design.names, values=design.values[copies]))
    assert weighted.estimates == pytest.approx(written.estimates, abs=1e-7)


def test_fair_privatised_by_the_two_limit_design():
    """Each coefficient lies within 2.6 of its own added error from that of the whole data, in 95 of 100 draws."""
    data = fair.load_pandas().data
    names = ["rate_marriage", "age", "yrs_married", "children", "religious", "educ", "occupation", "occupation_husb"]
    design = DesignMatrix.of({name: data[name].to_numpy() for name in names})
    answers = (data["affairs"].to_numpy() > 0).astype(int)
    whole = Logit(answers, design.values).fit(disp=0)
    channel = survey(guess_error=0.375, max_epsilon=2).channel
    held = np.zeros(len(design.names), dtype=int)
    for seed in range(100):
        fit = fit_outcome("logistic", reported(np.random.default_rng(seed), channel, answers), design)
        errors = np.array([one.standard_error for one in fit.coefficients])
        assert (errors > whole.bse).all()
        held += np.abs(fit.estimates - whole.params) <= 2.6 * np.sqrt(errors**2 - whole.bse**2)
    assert (held >= 95).all(), held


def test_a_wrong_channel_is_noticed_by_the_same_measure():
    """Control: taking reports for answers shrinks coefficients far beyond their errors."""
    rng = np.random.default_rng(38)
    design = covariates(rng, 20_000)
    slopes = [-0.5, 0.9, -0.3, 0.8]
    answers = logit_answers(rng, design, [slopes])
    column = reported(rng, Channel([[0.75, 0.25], [0.25, 0.75]], inputs=["no", "yes"]), answers)
    right = fit_outcome("logistic", column, design)
    wrong = fit_outcome("logistic", RandomisedColumn.observed(column.kinds, column.labels, name="y"), design)
    assert abs(10 * right["age"].estimate - 0.9) < 3 * 10 * right["age"].standard_error
    assert abs(10 * wrong["age"].estimate - 0.9) > 10 * 10 * wrong["age"].standard_error
    assert linear_predictors(design, slopes).shape == (20_000,)
