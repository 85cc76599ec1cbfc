"""Fit a model with a covariate that was reported through a channel.   Theory: docs/theory/regression.md"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, NotFitted
from sfumato.infer.regression.columns import RandomisedColumn
from sfumato.infer.regression.designs import DesignMatrix, Standardised, gram, standardised
from sfumato.infer.regression.fits import Fit, coefficients_of
from sfumato.infer.regression.logit_models import LogitHill, logit_laws
from sfumato.infer.regression.mixture_models import MixtureHill, NormalNumbers, OutcomeLaw, ReportedAnswers
from sfumato.infer.regression.newton import MOST_STEPS, Peak, climbed, inverse
from sfumato.infer.regression.outcomes import (
    check_answers,
    check_rows,
    marks_of,
    null_shares,
    start_of_blocks,
)
from sfumato.infer.regression.standard_errors import SamplingPlan, check_errors, covariance_of, weights_of

FloatArray = npt.NDArray[np.float64]


def fit_predictor(
    model: str,
    outcome: RandomisedColumn | npt.ArrayLike,
    designs: Sequence[DesignMatrix],
    predictor: RandomisedColumn | Sequence[RandomisedColumn],
    given: DesignMatrix,
    *,
    name: str = "outcome",
    plan: SamplingPlan | None = None,
    errors: str = "observed",
    confidence: float = 0.95,
    most_steps: int = MOST_STEPS,
) -> Fit:
    """Fit how an outcome depends on covariates of which one, or several together, were randomised.

    `designs[k]` is the design of all rows if everybody's answer were the k-th, so interactions are columns like others;
    for several predictors answers are combined, the last varying fastest. `given` are the columns that the answer
    itself depends on, by a multinomial logit that is fitted with the rest [BIZ15]. linear: an outcome of numbers,
    normal given everything; logistic: an outcome of 0 and 1, or one that is randomised too.
    """
    check_errors(errors)
    column = predictor if isinstance(predictor, RandomisedColumn) else RandomisedColumn.together(list(predictor))
    check_answers(column, "multinomial")
    if len(designs) != len(column.labels):
        raise InvalidParameter(
            f"must be {len(column.labels)}, one for each answer of {column.name!r}",
            parameter="designs",
            way_out="Build one for each answer, or each combination of answers.",
        )
    law, reported, marks = _law(model, outcome, name)
    rows = len(column)
    if {rows} != {len(given), reported[1], *(len(one) for one in designs)}:
        raise InvalidParameter(
            f"must have as many rows as there are reports of {column.name!r}, {rows}",
            parameter="designs",
            way_out="Give outcome, designs and `given` one row a report, in the same order.",
        )
    weights = weights_of(plan, rows)
    scaled, beside = standardised(designs), standardised([given])
    if len({one.tobytes() for one in scaled.parts}) == 1:
        raise NotFitted(
            f"are the same whatever the answer of {column.name!r}",
            parameter="designs",
            way_out="Use `fit_outcome`, or a design that has the predictor in it.",
        )
    blocks = len(column.labels) - 1
    check_rows(rows, len(scaled.names) + law.extra + blocks * len(beside.names))
    answers = _answers(column, beside, weights, most_steps)
    hill = MixtureHill(
        law=law,
        designs=scaled.parts,
        table=column.table,
        kinds=column.kinds,
        given=beside.parts[0],
        columns=(*scaled.names, *("the residual spread",) * law.extra, *beside.names * blocks),
        weights=weights,
    )
    start = np.concatenate([_start(law, column, scaled, beside.parts[0], answers.point, weights), answers.point])
    peak = climbed(hill, start, most_steps=most_steps)
    covariance, named = covariance_of(hill, peak, errors, plan)
    # The spread is estimated with the rest, and its uncertainty is in their errors; it is no coefficient.
    kept = [place for place in range(len(peak.point)) if not (law.extra and place == len(scaled.names))]
    back = np.zeros((len(kept), len(kept)))
    width = len(scaled.names)
    back[:width, :width] = scaled.back
    back[width:, width:] = np.kron(np.eye(blocks), beside.back)
    covariance = back @ covariance[np.ix_(kept, kept)] @ back.T
    covariance.setflags(write=False)
    names = [(one, "") for one in scaled.names]
    names += [(one, label) for label in column.labels[1:] for one in beside.names]
    return Fit(
        model=model,
        outcome=reported[0],
        answers=reported[2],
        columns=scaled.names,
        coefficients=coefficients_of(names, back @ peak.point[kept], covariance, confidence=confidence),
        covariance=covariance,
        errors=named,
        reference="normal",
        freedom=None,
        log_likelihood=peak.value,
        null_log_likelihood=answers.value + _null(law, weights),
        scale=float(np.exp(peak.point[width])) if law.extra else None,
        reports=rows,
        iterations=peak.steps,
        confidence=confidence,
        predictor=column.name,
        marks={"": marks[""] + marks_of(column)[""]}
        | scaled.marks
        | {f"{one} of {column.name}": mark for one, mark in beside.marks.items()},
    )


def _law(
    model: str, outcome: RandomisedColumn | npt.ArrayLike, name: str
) -> tuple[OutcomeLaw, tuple[str, int, tuple[str, ...]], dict[str, tuple[float, ...]]]:
    """The outcome's law; its name, number of rows and answers; and its marks."""
    if model not in {"linear", "logistic"}:
        raise InvalidParameter(
            "must be linear or logistic with a randomised predictor",
            parameter="model",
            value=model,
            way_out="Merge the outcome's answers to two, or give them values.",
        )
    if isinstance(outcome, RandomisedColumn):
        if model == "linear":
            raise InvalidParameter(
                f"with a randomised predictor takes an outcome of numbers, and {outcome.name!r} is randomised too",
                parameter="model",
                value=model,
                way_out="Fit a logistic model.",
            )
        check_answers(outcome, model)
        law = ReportedAnswers(table=outcome.table, kinds=outcome.kinds)
        return law, (outcome.name, len(outcome), outcome.labels), marks_of(outcome)
    numbers = np.asarray(outcome, dtype=np.float64)
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise InvalidParameter(
            "must be a flat list of finite numbers", parameter="outcome", way_out="Leave out rows without a number."
        )
    if model == "logistic":
        if not np.isin(numbers, (0.0, 1.0)).all():
            raise InvalidParameter(
                "must be 0 or 1 in a logistic model", parameter="outcome", way_out="Code the answers as 0 and 1."
            )
        return _law(model, RandomisedColumn.observed(numbers.astype(np.int64), ("0", "1"), name=name), name)
    if len(numbers) and np.ptp(numbers) == 0:
        raise NotFitted(
            "is the same for everybody", parameter="outcome", way_out="Check that the right column was read."
        )
    numbers = np.ascontiguousarray(numbers)
    return NormalNumbers(numbers=numbers), (name, len(numbers), ()), {"": (float(zlib.crc32(numbers.data)),)}


def _answers(column: RandomisedColumn, beside: Standardised, weights: FloatArray | None, most_steps: int) -> Peak:
    """The predictor's answers given covariates, from its own reports: where the climb begins."""
    hill = LogitHill(
        table=column.table,
        kinds=column.kinds,
        design=beside.parts[0],
        labels=column.labels,
        columns=beside.names,
        weights=weights,
    )
    return climbed(hill, start_of_blocks(null_shares(column, weights)[0], beside), most_steps=most_steps)


def _start(
    law: OutcomeLaw,
    column: RandomisedColumn,
    scaled: Standardised,
    given: FloatArray,
    point: FloatArray,
    weights: FloatArray | None,
) -> FloatArray:
    """Coefficients by least squares over answers as likely as the predictor's reports make them."""
    width = len(scaled.names)
    laws = logit_laws((given @ point.reshape(len(column.labels) - 1, -1).T).T)
    joint = np.stack(laws) * column.table.T[:, column.kinds]
    shares = joint / joint.sum(axis=0)
    if weights is not None:
        shares = shares * weights
    if not isinstance(law, NormalNumbers):
        return np.zeros(width)
    numbers = law.numbers
    middle = sum(
        (gram(part, share) for part, share in zip(scaled.parts, shares, strict=True)), np.zeros((width, width))
    )
    right = sum((part.T @ (share * numbers) for part, share in zip(scaled.parts, shares, strict=True)), np.zeros(width))
    # A column that the reports hardly touch must not stop the start; the climb judges it.
    slopes = inverse(middle + 1e-9 * np.diag(np.diag(middle))) @ right
    rest = sum(float(share @ (numbers - part @ slopes) ** 2) for part, share in zip(scaled.parts, shares, strict=True))
    return np.append(slopes, math.log(max(rest / float(shares.sum()), 1e-300)) / 2)


def _null(law: OutcomeLaw, weights: FloatArray | None) -> float:
    """The log-likelihood of the outcome when it depends on nothing."""
    if isinstance(law, ReportedAnswers):
        column = RandomisedColumn(name="", labels=("0", "1"), table=law.table, kinds=law.kinds)
        return null_shares(column, weights)[1]
    if isinstance(law, NormalNumbers):
        share = np.ones(len(law.numbers)) if weights is None else weights
        rest = law.numbers - np.average(law.numbers, weights=share)
        spread = float(share @ rest**2 / share.sum())
        return -float(share.sum()) / 2 * (math.log(2 * math.pi * spread) + 1)
    return math.nan
