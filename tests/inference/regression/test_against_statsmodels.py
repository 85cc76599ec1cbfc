"""With answers that are asked for openly, every model is the one that statsmodels fits."""

import warnings

import numpy as np
import pytest
from statsmodels.discrete.discrete_model import Logit, MNLogit
from statsmodels.miscmodels.ordinal_model import OrderedModel
from statsmodels.regression.linear_model import OLS

from inference.regression.samples import covariates, linear_predictors, logit_answers, ordered_answers
from sfumato.inference.regression import (
    DesignMatrix,
    RandomisedColumn,
    fit_outcome,
    fit_predictor,
    likelihood_ratio_test,
    predicted,
    wald_test,
)

PEOPLE = 1500
LABELS = ("never", "once", "often", "daily")
CLOSE = 1e-6


@pytest.fixture
def people():
    rng = np.random.default_rng(210)
    return rng, covariates(rng, PEOPLE)


def agree(fit, estimates, errors):
    """To 1e-6 of a standard error, which also judges coefficients near 0 and of any unit."""
    found = np.array([one.standard_error for one in fit.coefficients[: len(errors)]])
    assert np.abs(fit.estimates[: len(estimates)] - estimates).max() <= CLOSE
    assert np.abs((fit.estimates[: len(estimates)] - estimates) / errors).max() <= 10 * CLOSE
    assert found == pytest.approx(errors, rel=CLOSE)


@pytest.mark.parametrize("errors", ["observed", "sandwich"])
def test_logistic(people, errors):
    rng, design = people
    codes = logit_answers(rng, design, [[-0.5, 0.4, -0.3, 0.8]])
    fit = fit_outcome("logistic", RandomisedColumn.observed(codes, LABELS[:2], name="y"), design, errors=errors)
    kind = {"observed": "nonrobust", "sandwich": "HC0"}[errors]
    theirs = Logit(codes, design.values).fit(disp=0, method="newton", tol=1e-12, cov_type=kind)
    agree(fit, theirs.params, theirs.bse)
    assert fit.log_likelihood == pytest.approx(theirs.llf, abs=1e-8)
    assert fit.null_log_likelihood == pytest.approx(theirs.llnull, abs=1e-5)
    assert [one.p_value for one in fit.coefficients] == pytest.approx(theirs.pvalues, abs=CLOSE)
    assert [(one.interval.lower, one.interval.upper) for one in fit.coefficients] == [
        pytest.approx(row, abs=CLOSE * 10) for row in theirs.conf_int().tolist()
    ]
    assert predicted(fit, design)[:, 1] == pytest.approx(theirs.predict(), abs=1e-9)
    ours, other = wald_test(fit, ["age", "female"]), theirs.wald_test(np.eye(4)[[1, 3]], scalar=True)
    assert (ours.statistic, ours.p_value) == pytest.approx((other.statistic, other.pvalue), rel=1e-5)
    if errors == "observed":
        smaller = fit_outcome(
            "logistic",
            RandomisedColumn.observed(codes, LABELS[:2], name="y"),
            design.without(["age", "income", "female"]),
        )
        ratio = likelihood_ratio_test(smaller, fit)
        assert (ratio.statistic, ratio.freedom) == (pytest.approx(theirs.llr, abs=1e-6), 3)
        assert ratio.p_value == pytest.approx(theirs.llr_pvalue, rel=1e-5)


def test_scores(people):
    rng, design = people
    codes = logit_answers(rng, design, [[-0.5, 0.4, -0.3, 0.8]])
    fit = fit_outcome("logistic", RandomisedColumn.observed(codes, LABELS[:2], name="y"), design, errors="scores")
    model = Logit(codes, design.values)
    rows = model.score_obs(model.fit(disp=0, tol=1e-12).params)
    assert fit.errors == "scores"
    assert np.sqrt(np.diag(np.linalg.inv(rows.T @ rows))) == pytest.approx(
        [one.standard_error for one in fit.coefficients], rel=CLOSE
    )


def test_multinomial(people):
    rng, design = people
    codes = logit_answers(rng, design, [[-0.5, 0.4, -0.3, 0.8], [0.2, -0.4, 0.3, 0.1], [-0.3, 0.1, 0.5, -0.5]])
    fit = fit_outcome("multinomial", RandomisedColumn.observed(codes, LABELS, name="y"), design)
    theirs = MNLogit(codes, design.values).fit(disp=0, method="newton", tol=1e-12, maxiter=100)
    agree(fit, theirs.params.T.reshape(-1), theirs.bse.T.reshape(-1))
    assert fit["age", "often"].estimate == pytest.approx(theirs.params[1, 1])
    assert predicted(fit, design) == pytest.approx(theirs.predict(), abs=1e-8)


def test_ordered():
    rng = np.random.default_rng(211)
    design = covariates(rng, 200)
    codes = ordered_answers(rng, design, [0.4, -0.3, 0.8], [-1, 0.2, 1.3])
    column = RandomisedColumn.observed(codes, LABELS, name="y")
    fit = fit_outcome("ordered", column, design)
    # Their Hessian is by differences, so columns go in scaled: that is where its errors have six digits.
    spread = design.values[:, 1:].std(axis=0)
    scaled = DesignMatrix(
        names=design.names[1:], values=(design.values[:, 1:] - design.values[:, 1:].mean(axis=0)) / spread
    )
    again = fit_outcome("ordered", column, scaled)
    model = OrderedModel(codes, scaled.values, distr="logit")
    # Their thresholds are the first and logarithms of the steps between. Their own Newton step from here leads nowhere.
    here = np.concatenate([again.estimates[:4], np.log(np.diff(again.estimates[3:]))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        covariance = np.linalg.inv(-model.hessian(here))
        theirs = here + covariance @ model.score(here)
    agree(again, theirs[:3], np.sqrt(np.diag(covariance))[:3])
    assert again.estimates[3:] == pytest.approx(model.transform_threshold_params(theirs)[1:-1], abs=CLOSE)
    turn = np.tril(np.ones((3, 3))) * np.append(1.0, np.exp(theirs[4:]))
    errors = np.sqrt(np.diag(turn @ covariance[3:, 3:] @ turn.T))
    assert [one.standard_error for one in again.coefficients[3:]] == pytest.approx(errors, rel=CLOSE)
    assert fit.estimates[:3] * spread == pytest.approx(again.estimates[:3], abs=1e-9)
    assert fit.log_likelihood == pytest.approx(again.log_likelihood, abs=1e-8)
    assert predicted(fit, design) == pytest.approx(predicted(again, scaled), abs=1e-9)
    assert [one.name for one in fit.coefficients[3:]] == ["never|once", "once|often", "often|daily"]


@pytest.mark.parametrize(("errors", "kind"), [("observed", "nonrobust"), ("sandwich", "HC0")])
def test_linear(people, errors, kind):
    rng, design = people
    worth = (0.0, 1.0, 4.0, 12.0)
    codes = ordered_answers(rng, design, [0.4, -0.3, 0.8], [-1, 0.2, 1.3])
    column = RandomisedColumn.observed(codes, LABELS, name="y", values=worth)
    fit = fit_outcome("linear", column, design, errors=errors)
    theirs = OLS(np.array(worth)[codes], design.values).fit(cov_type=kind)
    agree(fit, theirs.params, theirs.bse)
    assert [one.p_value for one in fit.coefficients] == pytest.approx(theirs.pvalues, rel=1e-5)
    assert fit.log_likelihood is None
    assert fit.errors == {"observed": "classical", "sandwich": "sandwich"}[errors]
    if errors == "observed":
        assert (fit.scale**2, fit.freedom) == (pytest.approx(theirs.scale), theirs.df_resid)
        ours, other = wald_test(fit, ["age", "female"]), theirs.f_test(np.eye(4)[[1, 3]])
        assert (ours.statistic, ours.p_value) == pytest.approx((float(other.fvalue), float(other.pvalue)), rel=1e-6)


@pytest.mark.parametrize("model", ["linear", "logistic"])
def test_an_open_predictor(people, model):
    rng, design = people
    drug = logit_answers(rng, design, [[-0.2, 0.5, 0, 0], [-0.6, 0, 0.3, 0]])
    predictor = RandomisedColumn.observed(drug, LABELS[:3], name="drug")
    x, ones = design.values, np.ones((PEOPLE, 1))

    def with_answer(codes):
        once, often = (codes == 1)[:, None] * ones, (codes == 2)[:, None] * ones
        return np.concatenate([x[:, :3], once, often, often * x[:, 1:2]], axis=1)

    names = (*design.names[:3], "once", "often", "often:age")
    designs = [DesignMatrix(names=names, values=with_answer(np.full(PEOPLE, k))) for k in range(3)]
    slopes = np.array([0, 0.3, -0.2, 0])
    mean = linear_predictors(design, slopes) + 0.8 * (drug == 1) - 0.5 * (drug == 2)
    outcome = (
        mean + rng.normal(size=PEOPLE) if model == "linear" else (mean + rng.logistic(size=PEOPLE) > 0).astype(float)
    )
    fit = fit_predictor(model, outcome, designs, predictor, design)
    known = with_answer(drug)
    theirs = OLS(outcome, known).fit() if model == "linear" else Logit(outcome, known).fit(disp=0, tol=1e-12)
    # Maximum likelihood divides by n where least squares divides by n less the coefficients.
    errors = theirs.bse * (np.sqrt(theirs.df_resid / PEOPLE) if model == "linear" else 1)
    agree(fit, theirs.params, errors)
    answers = MNLogit(drug, x).fit(disp=0, tol=1e-12)
    assert fit.estimates[6:] == pytest.approx(answers.params.T.reshape(-1), abs=1e-6)
    assert fit.log_likelihood == pytest.approx(theirs.llf + answers.llf, abs=1e-6)
    null = OLS(outcome, ones).fit().llf if model == "linear" else theirs.llnull
    assert fit.null_log_likelihood == pytest.approx(null + answers.llf, abs=1e-5)
    assert fit["age"].answer == ""
    assert predicted(fit, designs[2])[:, -1] == pytest.approx(theirs.predict(designs[2].values), abs=1e-6)
