"""Linear models of what answers are worth: least squares of numbers that stand for reports.

Each report has a number whose mean, given the answer, is the answer's value; of all such numbers these vary least when
answers are equally frequent. So a regression of them is a regression of the values, without any model of the answers'
law; with answers that were asked for openly it is ordinary least squares.   Theory: docs/theory/regression.md
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, NotFitted
from sfumato.infer.regression.columns import RandomisedColumn
from sfumato.infer.regression.designs import DesignMatrix, gram, standardised
from sfumato.infer.regression.fits import Fit, coefficients_of
from sfumato.infer.regression.newton import inverse
from sfumato.infer.regression.standard_errors import BY_PLAN, SamplingPlan, check_errors

FloatArray = npt.NDArray[np.float64]

CLASSICAL = "classical"
_UNEQUAL = (
    "The noise of a report depends on its answer, and classical errors take it to be the same for all. Sandwich errors "
    "do not."
)


def fit_linear(
    outcome: RandomisedColumn,
    design: DesignMatrix,
    *,
    plan: SamplingPlan | None,
    weights: FloatArray | None,
    errors: str,
    confidence: float,
) -> Fit:
    """Least squares; errors are classical (Student's law), or the sandwich [Whi80], or a sampling plan's.

    `observed` means classical here, where there is no likelihood.
    """
    check_errors(errors, ("observed", CLASSICAL, "sandwich"))
    if outcome.values is None or outcome.scores is None:
        raise InvalidParameter(
            f"needs to know what the answers of {outcome.name!r} are worth"
            if outcome.values is None
            else f"needs a channel that tells all answers of {outcome.name!r} apart",
            parameter="model",
            value="linear",
            way_out="Give `values`, one an answer." if outcome.values is None else "Merge answers that look alike.",
        )
    rows, width = design.values.shape
    if rows <= width:
        raise NotFitted(
            f"asks for {width} coefficients from {rows} reports",
            parameter="model",
            way_out="Leave out columns or take more reports.",
        )
    scaled = standardised([design])
    x, y = scaled.parts[0], outcome.scores[outcome.kinds]
    bread = inverse(gram(x, weights))
    point = bread @ (x.T @ (y if weights is None else weights * y))
    rest = y - x @ point
    freedom = rows - width
    scale = float(np.sqrt(rest @ rest / freedom))
    notes: tuple[str, ...] = ()
    student = None
    if plan is not None:
        covariance, named = bread @ np.asarray(plan.total_covariance(rest[:, None] * x, finite=False)) @ bread, BY_PLAN
    elif errors == "sandwich":
        covariance, named = bread @ gram(x, rest * rest) @ bread, errors
    else:
        covariance, named, student = scale**2 * bread, CLASSICAL, freedom
        notes = () if np.array_equal(outcome.table, np.eye(len(outcome.labels))) else (_UNEQUAL,)
    estimates = scaled.back @ point
    covariance = scaled.back @ covariance @ scaled.back.T
    covariance.setflags(write=False)
    return Fit(
        model="linear",
        outcome=outcome.name,
        answers=outcome.labels,
        columns=design.names,
        coefficients=coefficients_of(
            [(name, "") for name in design.names], estimates, covariance, confidence=confidence, freedom=student
        ),
        covariance=covariance,
        errors=named,
        reference="normal" if student is None else "Student",
        freedom=student,
        log_likelihood=None,
        null_log_likelihood=None,
        scale=scale,
        reports=rows,
        iterations=1,
        confidence=confidence,
        notes=notes,
    )
