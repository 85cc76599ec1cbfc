"""What cannot be fitted is a sentence with a way out: no traceback of a library, no warning, no number."""

import dataclasses

import numpy as np
import pytest

from inference.regression.samples import CHANNELS, covariates, logit_answers, reported
from sfumato.errors import InvalidParameter, NotFitted
from sfumato.inference.regression import (
    DesignMatrix,
    RandomisedColumn,
    fit_outcome,
    fit_predictor,
    likelihood_ratio_test,
    predicted,
    wald_test,
)
from sfumato.mechanisms import CyclicResponse
from sfumato.prob import Channel, Circulant

LABELS = ("no", "yes")
HALF = Channel([[0.5, 0.5], [0.5, 0.5]], inputs=LABELS)


def people(count=200):
    rng = np.random.default_rng(41)
    design = covariates(rng, count)
    return rng, design, reported(rng, CHANNELS[2], logit_answers(rng, design, [[-0.5, 0.4, -0.3, 0.8]]))


def with_column(design, name, values):
    return DesignMatrix(names=(*design.names, name), values=np.column_stack([design.values, values]))


def refused(kind, words, call, *args, **options):
    with pytest.raises(kind) as caught:
        call(*args, **options)
    assert words in str(caught.value), str(caught.value)
    assert caught.value.way_out
    return caught.value


def test_separation():
    line = np.linspace(-1, 1, 60)
    codes = (line > 0).astype(int)
    design = DesignMatrix.of({"line": line, "noise": np.sin(np.arange(60))})
    column = RandomisedColumn.observed(codes, LABELS, name="y")
    refused(NotFitted, "line", fit_outcome, "logistic", column, design)
    # One group with the same answer throughout: its coefficient alone has no end.
    group = (np.arange(60) % 5 == 0).astype(float)
    codes = np.where(group > 0, 1, np.arange(60) % 2)
    column = RandomisedColumn.observed(codes, LABELS, name="y")
    found = refused(
        NotFitted, "group", fit_outcome, "logistic", column, DesignMatrix.of({"noise": line, "group": group})
    )
    assert "noise" not in found.rule


def test_reports_that_lean_further_than_any_share():
    """Nine in ten reports say no where a truthful no would say so in three of four."""
    channel = Channel([[0.75, 0.25], [0.25, 0.75]], inputs=LABELS)
    column = RandomisedColumn.of(channel, (np.arange(100) % 10 == 0).astype(int), name="y")
    refused(NotFitted, "further to one side", fit_outcome, "logistic", column, DesignMatrix.constant(100))


def test_an_ordered_answer_that_nobody_has():
    channel = Channel([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]], inputs=["a", "b", "c"])
    reports = np.repeat([0, 1, 2], [50, 1, 49])
    column = RandomisedColumn.of(channel, reports, name="y")
    design = DesignMatrix.of({"x": np.random.default_rng(1).normal(size=100)})
    refused(NotFitted, "", fit_outcome, "ordered", column, design)
    refused(NotFitted, "", fit_outcome, "multinomial", column, design)


def test_collinear_columns_are_named():
    _, design, column = people()
    twice = with_column(design, "months", 12 * design.values[:, 1] + 3)
    found = refused(NotFitted, "months", fit_outcome, "logistic", column, twice)
    assert "age" in found.rule
    assert "income" not in found.rule
    worth = dataclasses.replace(column, values=(0.0, 1.0), scores=np.zeros(3))
    for model in ("logistic", "linear", "ordered"):
        refused(NotFitted, "months", fit_outcome, model, worth, twice)
    refused(NotFitted, "male", fit_outcome, "logistic", column, with_column(design, "male", 1 - design.values[:, 3]))
    refused(NotFitted, "zero", fit_outcome, "logistic", column, with_column(design, "zero", np.zeros(200)))


def test_years_and_their_squares_are_not_taken_for_collinear():
    rng, design, column = people()
    year = rng.integers(1990, 2020, 200).astype(float)
    fit = fit_outcome("logistic", column, with_column(with_column(design, "year", year), "squared", year**2))
    assert np.isfinite(fit.covariance).all()


def test_too_few_rows_and_no_end():
    _, design, column = people()
    few = np.arange(4)
    small = DesignMatrix(names=design.names, values=design.values[:4])
    refused(NotFitted, "4 coefficients from 4 reports", fit_outcome, "logistic", column.taken(few), small)
    refused(NotFitted, "did not come to an end in 2 steps", fit_outcome, "logistic", column, design, most_steps=2)
    none = DesignMatrix(names=design.names, values=design.values[:0])
    refused(NotFitted, "no reports", fit_outcome, "logistic", column.taken(few[:0]), none)


def test_channels_and_reports_that_say_nothing():
    rng, design, _ = people()
    codes = rng.integers(0, 2, 200)
    refused(NotFitted, "apart", fit_outcome, "logistic", RandomisedColumn.of(HALF, codes, name="y"), design)
    same = RandomisedColumn.of(CHANNELS[2], np.ones(200, dtype=int), name="y")
    refused(NotFitted, "all say the same", fit_outcome, "logistic", same, design)
    never = RandomisedColumn.observed(codes, ("a", "b", "c"), name="y")
    refused(NotFitted, "fits these answers: c", fit_outcome, "multinomial", never, design)


def test_answers_that_are_too_many_or_too_few():
    rng, design, column = people()
    many = RandomisedColumn.observed(rng.integers(0, 13, 200), tuple(map(str, range(13))), name="y")
    refused(InvalidParameter, "at most 12", fit_outcome, "multinomial", many, design)
    refused(InvalidParameter, "two answers", fit_outcome, "logistic", many, design)
    refused(InvalidParameter, "worth", fit_outcome, "linear", column, design)
    refused(InvalidParameter, "one of logistic", fit_outcome, "probit", column, design)
    refused(InvalidParameter, "one of observed", fit_outcome, "logistic", column, design, errors="robust")
    refused(InvalidParameter, "200 reports", fit_outcome, "logistic", column, DesignMatrix.constant(3))
    refused(InvalidParameter, "age", DesignMatrix.of, {"age": [1.0, np.nan]})


def test_a_report_that_the_channel_never_gives():
    channel = Channel([[1, 0, 0], [0.5, 0.5, 0]], inputs=LABELS)
    assert len(RandomisedColumn.of(channel, [0, 1], name="y")) == 2
    refused(InvalidParameter, "never gives", RandomisedColumn.of, channel, [0, 2], name="y")
    refused(InvalidParameter, "0 to 2", RandomisedColumn.of, channel, [0, 3], name="y")
    refused(InvalidParameter, "whole numbers", RandomisedColumn.of, channel, [0.5], name="y")


def test_many_answers_go_into_a_linear_model():
    """A structured channel is never written out: its columns are taken, and its scores solved for by FFT."""
    rng = np.random.default_rng(42)
    mechanism = CyclicResponse.within(size=500, epsilon=4)
    channel = mechanism.channel()
    assert isinstance(channel, Circulant)
    x = rng.uniform(0, 1, 20_000)
    answers = np.minimum((100 + 200 * x + 50 * rng.random(20_000)).astype(int), 499)
    law = np.array([float(p) for p in channel.law])
    reports = (answers + rng.choice(len(law), p=law / law.sum(), size=20_000)) % len(law)
    column = RandomisedColumn.of(channel, reports, name="y", values=range(500))
    fit = fit_outcome("linear", column, DesignMatrix.of({"x": x}), errors="sandwich")
    assert abs(fit["x"].estimate - 200) < 4 * fit["x"].standard_error < 100
    rows = column.likelihoods[:50]
    assert rows == pytest.approx(np.array([[float(channel[k, y]) for k in range(500)] for y in reports[:50]]))
    huge = Circulant.two_level(size=40_000, support=[1], odds=3)
    refused(InvalidParameter, "Merge answers", RandomisedColumn.of, huge, np.arange(40_000), name="y")


def test_predictors():
    rng, design, column = people()
    ones = DesignMatrix.constant(200)
    numbers = rng.normal(size=200)
    designs = [DesignMatrix.of({"yes": np.full(200, float(k))}) for k in (0, 1)]
    refused(InvalidParameter, "must be 2", fit_predictor, "linear", numbers, designs[:1], column, ones)
    refused(NotFitted, "same whatever", fit_predictor, "linear", numbers, [design, design], column, ones)
    refused(InvalidParameter, "linear or logistic", fit_predictor, "ordered", numbers, designs, column, ones)
    refused(InvalidParameter, "0 or 1", fit_predictor, "logistic", numbers, designs, column, ones)
    refused(InvalidParameter, "outcome of numbers", fit_predictor, "linear", column, designs, column, ones)
    refused(InvalidParameter, "rows", fit_predictor, "linear", numbers[:5], designs, column, ones)
    refused(NotFitted, "same for everybody", fit_predictor, "linear", np.ones(200), designs, column, ones)


def test_likelihood_ratios_of_what_is_not_nested():
    rng, design, column = people()
    whole = fit_outcome("logistic", column, design)
    part = fit_outcome("logistic", column, design.without(["age"]))
    assert likelihood_ratio_test(part, whole).freedom == 1
    refused(InvalidParameter, "nested", likelihood_ratio_test, whole, part)
    beside = fit_outcome("logistic", column, design.without(["income"]))
    refused(InvalidParameter, "nested", likelihood_ratio_test, beside, part)
    other = reported(rng, CHANNELS[2], rng.integers(0, 2, 200))
    refused(InvalidParameter, "same reports", likelihood_ratio_test, part, fit_outcome("logistic", other, design))
    moved = DesignMatrix(names=design.names, values=design.values + np.array([0, 0, 5, 0]))
    refused(InvalidParameter, "nested", likelihood_ratio_test, part, fit_outcome("logistic", column, moved))
    refused(InvalidParameter, "no coefficient", wald_test, whole, ["height"])
    refused(InvalidParameter, "columns of the fit", predicted, whole, design.without(["age"]))


def test_lookups():
    rng, design, _ = people()
    column = reported(rng, CHANNELS[3], logit_answers(rng, design, [[0.3, 0.4, -0.3, 0.8], [0.2, -0.4, 0.3, 0.1]]))
    fit = fit_outcome("multinomial", column, design)
    refused(InvalidParameter, "once, often", fit.__getitem__, "age")
    assert fit["age", "once"].answer == "once"
    assert wald_test(fit, "age").freedom == 2
    assert wald_test(fit, [("age", "once")]).statistic == pytest.approx(fit["age", "once"].statistic ** 2)
    assert "once: age" in repr(fit)
    with pytest.raises(ValueError, match="read-only"):
        fit.covariance[0, 0] = 1
