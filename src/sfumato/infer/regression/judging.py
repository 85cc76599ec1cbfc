"""Tests of coefficients, and what a fit says about people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, NotFitted
from sfumato.infer.regression.designs import DesignMatrix
from sfumato.infer.regression.fits import Fit, Named
from sfumato.infer.regression.logit_models import logit_laws
from sfumato.infer.regression.newton import inverse
from sfumato.infer.regression.ordered_models import ordered_laws
from sfumato.infer.regression.standard_errors import BY_PLAN

FloatArray = npt.NDArray[np.float64]

_NO_ROOM = 1e-10
_SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """A test that some coefficients are 0; `name` says which law `statistic` then has, `freedom` how many."""

    __test__ = False  # no test of pytest's

    statistic: float
    freedom: int
    p_value: float
    name: str


def wald_test(fit: Fit, names: Sequence[Named]) -> TestResult:
    """Test that all coefficients of these names are 0, by bᵀV⁻¹b [Wal43]; F where errors are classical.

    A name stands for its coefficients of all answers; ("age", "often") for one.
    """
    wanted = [names] if isinstance(names, str) else list(names)
    places = sorted({place for name in wanted for place in fit.places(name)})
    part = fit.covariance[np.ix_(places, places)]
    if not places or not np.linalg.eigvalsh(_correlations(part)).min() > _NO_ROOM:
        raise NotFitted(
            "cannot be tested together: their estimates are bound to each other",
            parameter="names",
            way_out="Test fewer of them.",
        )
    estimates = fit.estimates[places]
    statistic, count = float(estimates @ inverse(part) @ estimates), len(places)
    if fit.freedom is None:
        return TestResult(statistic=statistic, freedom=count, p_value=_above(count, statistic), name="Wald chi-square")
    from scipy.special import fdtrc  # noqa: PLC0415  half a second that only tests need

    ratio = statistic / count
    return TestResult(
        statistic=ratio,
        freedom=count,
        p_value=float(fdtrc(count, fit.freedom, ratio)),
        name=f"Wald F over {fit.freedom}",
    )


def likelihood_ratio_test(smaller: Fit, larger: Fit) -> TestResult:
    """Test that what `larger` has more is 0, by twice the difference of the log-likelihoods [Wil38].

    Both must be fits of one model to the same reports, and every coefficient of the smaller one of the larger.
    """
    if smaller.log_likelihood is None or larger.log_likelihood is None:
        raise InvalidParameter(
            "must be fits by likelihood, and least squares has none",
            parameter="fits",
            way_out="Use `wald_test` on the larger fit.",
        )
    if BY_PLAN in {smaller.errors, larger.errors}:
        raise InvalidParameter(
            "must be of rows that were drawn alike; with a sampling plan the ratio does not have its law",
            parameter="fits",
            way_out="Use `wald_test` on the larger fit.",
        )
    first = (smaller.model, smaller.outcome, smaller.answers, smaller.reports, smaller.predictor, smaller.marks[""])
    second = (larger.model, larger.outcome, larger.answers, larger.reports, larger.predictor, larger.marks[""])
    if first != second:
        raise InvalidParameter(
            "must be of one model and the same reports", parameter="fits", way_out="Fit both to the same rows."
        )
    names, more = ({(one.name, one.answer) for one in fit.coefficients} for fit in (smaller, larger))
    changed = [
        name
        for name, mark in smaller.marks.items()
        if name and not np.allclose(mark, larger.marks.get(name, np.nan), rtol=_SAME)
    ]
    count = len(more) - len(names)
    if not names < more or changed:
        raise InvalidParameter(
            "must be nested: the larger one has all columns of the smaller, as they are, and others",
            parameter="fits",
            way_out="Add columns to the smaller model, and give it first.",
        )
    statistic = max(0.0, 2 * (larger.log_likelihood - smaller.log_likelihood))
    return TestResult(
        statistic=statistic, freedom=count, p_value=_above(count, statistic), name="likelihood ratio chi-square"
    )


def predicted(fit: Fit, design: DesignMatrix) -> FloatArray:
    """The chance of each answer, a row for each of `design` and a column an answer; of a linear fit the mean."""
    if fit.model == "ordered":
        design = design.without([name for name in design.constants if name not in fit.columns])
    if design.names != fit.columns:
        raise InvalidParameter(
            f"must have the columns of the fit: {', '.join(fit.columns)}",
            parameter="design",
            way_out="Build it by the same formula.",
        )
    width = len(fit.columns)
    numbers = fit.estimates
    if fit.model == "linear":
        return np.asarray(design.values @ numbers[:width])[:, None]
    if fit.model == "ordered":
        places = numbers[width:, None] - design.values @ numbers[:width]
        return np.ascontiguousarray(ordered_laws(places)[1].T)
    blocks = (len(fit.answers) - 1) * width
    return np.stack(logit_laws((design.values @ numbers[:blocks].reshape(-1, width).T).T), axis=1)


def _above(freedom: int, statistic: float) -> float:
    from scipy.special import chdtrc  # noqa: PLC0415  half a second that only tests need

    return float(chdtrc(freedom, statistic))


def _correlations(covariance: FloatArray) -> FloatArray:
    scale = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    found: FloatArray = covariance / np.outer(scale, scale)
    return found
