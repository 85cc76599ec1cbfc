"""How sure coefficients are: by the observed information, by the scores, by both, or by a sampling plan."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, NotFitted
from sfumato.infer.regression.designs import gram
from sfumato.infer.regression.newton import Hill, Peak, inverse

FloatArray = npt.NDArray[np.float64]

ERRORS = ("observed", "scores", "sandwich")
BY_PLAN = "sampling plan"


class SamplingPlan(Protocol):
    """How respondents were drawn, as far as a regression asks."""

    @property
    def weights(self) -> FloatArray:
        """How many people each respondent stands for."""
        ...

    def total_covariance(self, values: FloatArray, *, finite: bool = True) -> FloatArray:
        """Return the covariance of the weighted total of the columns of `values`."""
        ...


def weights_of(plan: SamplingPlan | None, rows: int) -> FloatArray | None:
    """The weights of a plan, checked against the number of reports."""
    if plan is None:
        return None
    weights = np.asarray(plan.weights, dtype=np.float64)
    if weights.shape != (rows,) or not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise InvalidParameter(
            f"must have {rows} weights, one a report, none negative and some above 0",
            parameter="plan",
            way_out="Make the plan from the rows that are fitted.",
        )
    return weights


def check_errors(errors: str, known: tuple[str, ...] = ERRORS) -> None:
    """Refuse a name of errors that the model does not have."""
    if errors not in known:
        raise InvalidParameter(
            f"must be one of {', '.join(known)}", parameter="errors", value=errors, way_out="Choose one of them."
        )


def covariance_of(hill: Hill, peak: Peak, errors: str, plan: SamplingPlan | None) -> tuple[FloatArray, str]:
    """The covariance of the coefficients, and the name of how it was found.

    observed: the inverse of the observed information [EH78]; scores: of the outer product of scores [BHHH74];
    sandwich: the product scores between two inverses of the information, right even where the model is not [Whi82];
    sampling plan: the plan's covariance of the total score in the middle [Bin83].
    """
    bread = inverse(peak.information)
    if plan is not None:
        meat = np.asarray(plan.total_covariance(hill.scores(peak.point), finite=False), dtype=np.float64)
        return bread @ meat @ bread, BY_PLAN
    if errors == "observed":
        return bread, errors
    meat = gram(hill.scores(peak.point))
    if errors == "sandwich":
        return bread @ meat @ bread, errors
    if np.linalg.eigvalsh(meat / np.sqrt(np.outer(np.diag(meat), np.diag(meat)))).min() < 1e-12:
        raise NotFitted(
            "by scores need scores that vary in every direction, which these do not",
            parameter="errors",
            way_out="Take the observed information, or leave out columns.",
        )
    return inverse(meat), errors
