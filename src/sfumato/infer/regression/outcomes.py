"""Fit a model to an outcome that was reported through channels.   Theory: docs/theory/regression.md"""

from __future__ import annotations

import zlib

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, NotFitted
from sfumato.infer.likeliest_shares import DensePassage, maximum_likelihood
from sfumato.infer.regression.columns import RandomisedColumn
from sfumato.infer.regression.designs import DesignMatrix, Standardised, standardised
from sfumato.infer.regression.fits import Fit, coefficients_of
from sfumato.infer.regression.least_squares import fit_linear
from sfumato.infer.regression.logit_models import LogitHill
from sfumato.infer.regression.newton import MOST_STEPS, climbed
from sfumato.infer.regression.ordered_models import OrderedHill, threshold_names
from sfumato.infer.regression.standard_errors import SamplingPlan, check_errors, covariance_of, weights_of

FloatArray = npt.NDArray[np.float64]

MODELS = ("logistic", "multinomial", "ordered", "linear")
MOST_ANSWERS = 12
"""Answers that a model by answers may have."""

# Shares to begin with stay this far from 0, where logits have no number.
_FROM_ZERO = 1e-3
_SAME = 1e-10


def fit_outcome(
    model: str,
    outcome: RandomisedColumn,
    design: DesignMatrix,
    *,
    plan: SamplingPlan | None = None,
    errors: str = "observed",
    confidence: float = 0.95,
    most_steps: int = MOST_STEPS,
) -> Fit:
    """Fit how the answer depends on the columns of `design`, by maximum likelihood over reports.

    logistic: the second of two answers [SD88] [BIZ15]; multinomial: each answer against the first; ordered:
    cumulative logits, whose thresholds take the place of a constant column [McC80]; linear: least squares of numbers
    that stand for reports, which are unbiased for what answers are worth. `errors` is observed, scores or
    sandwich; with a sampling plan rows are weighted and errors are the plan's.

    >>> import sfumato as sf
    >>> channel = sf.Channel([[0.75, 0.25], [0.25, 0.75]], inputs=["no", "yes"])
    >>> reports = RandomisedColumn.of(channel, [0, 1, 1, 0, 1, 0, 0, 1], name="affair")
    >>> round(fit_outcome("logistic", reports, DesignMatrix.constant(8))["Intercept"].estimate, 6)
    0.0
    """
    if model not in MODELS:
        raise InvalidParameter(
            f"must be one of {', '.join(MODELS)}", parameter="model", value=model, way_out="Choose one of them."
        )
    if len(design) != len(outcome):
        raise InvalidParameter(
            f"has {len(design)} rows, and there are {len(outcome)} reports",
            parameter="design",
            way_out="Give one row a report, in the same order.",
        )
    weights = weights_of(plan, len(outcome))
    if model == "linear":
        return fit_linear(outcome, design, plan=plan, weights=weights, errors=errors, confidence=confidence)
    check_errors(errors)
    check_answers(outcome, model)
    ordered = model == "ordered"
    if ordered:
        design = design.without(design.constants)
    scaled = _scaled(design, ordered=ordered, rows=len(outcome))
    check_rows(
        len(outcome), (len(outcome.labels) - 1) * (1 if ordered else len(design.names)) + ordered * len(design.names)
    )
    shares, null = null_shares(outcome, weights)
    hill, start, back, names = (_ordered if ordered else _logits)(outcome, scaled, shares, weights)
    peak = climbed(hill, start, most_steps=most_steps)
    covariance, named = covariance_of(hill, peak, errors, plan)
    covariance = back @ covariance @ back.T
    covariance.setflags(write=False)
    return Fit(
        model=model,
        outcome=outcome.name,
        answers=outcome.labels,
        columns=design.names,
        coefficients=coefficients_of(names, back @ peak.point, covariance, confidence=confidence),
        covariance=covariance,
        errors=named,
        reference="normal",
        freedom=None,
        log_likelihood=peak.value,
        null_log_likelihood=null,
        scale=None,
        reports=len(outcome),
        iterations=peak.steps,
        confidence=confidence,
        marks=marks_of(outcome) | dict(scaled.marks),
    )


def check_answers(column: RandomisedColumn, model: str) -> None:
    """Refuse what no number of such reports could tell: too many answers, or answers that look alike."""
    count = len(column.labels)
    if model == "logistic" and count != 2:
        raise InvalidParameter(
            f"takes two answers, and {column.name!r} has {count}",
            parameter="model",
            value=model,
            way_out="Fit a multinomial or an ordered model, or merge answers.",
        )
    if count > MOST_ANSWERS:
        raise InvalidParameter(
            f"takes at most {MOST_ANSWERS} answers, and {column.name!r} has {count}",
            parameter="model",
            value=model,
            way_out="Merge answers, or give them values and fit a linear model.",
        )
    if not len(column):
        raise NotFitted("holds no reports", parameter="outcome", way_out="Fit once there are some.")
    rank = int(np.linalg.matrix_rank(column.table, tol=_SAME * np.linalg.norm(column.table)))
    if rank < (2 if model == "ordered" else count):
        raise NotFitted(
            f"has a channel that does not tell all answers of {column.name!r} apart, whatever the number of reports",
            parameter="outcome",
            way_out="Merge answers that have the same reports, or check the channel.",
        )
    seen = column.table[column.counts > 0]
    if len(seen) == 1 or np.abs(seen / seen.sum(axis=1, keepdims=True) - seen[0] / seen[0].sum()).max() < _SAME:
        raise NotFitted(
            "holds reports that all say the same, so that nothing can be told from differences between them",
            parameter="outcome",
            way_out="Take more reports, or check that the right column was read.",
        )
    never = [label for label, one in zip(column.labels, seen.T, strict=True) if not one.any()]
    if never:
        raise NotFitted(
            f"holds no report that fits these answers: {', '.join(never)}",
            parameter="outcome",
            way_out="Leave those answers out.",
        )


def check_rows(rows: int, coefficients: int) -> None:
    """Refuse more coefficients than reports can carry."""
    if rows <= coefficients:
        raise NotFitted(
            f"asks for {coefficients} coefficients from {rows} reports",
            parameter="model",
            way_out="Leave out columns or take more reports.",
        )


def null_shares(column: RandomisedColumn, weights: FloatArray | None) -> tuple[FloatArray, float]:
    """The likeliest shares of the answers when they depend on nothing, and the log-likelihood with them."""
    counts = np.bincount(column.kinds, weights=weights, minlength=len(column.table)).astype(np.float64)
    used = counts > 0
    counts, table = counts[used], column.table[used]
    total = counts.sum()
    seen = (counts / total)[None]
    start = np.full((1, len(column.labels)), 1 / len(column.labels))
    # Scaling a row of the table scales no share; it keeps the numbers of the solver near 1.
    even = table / table.max(axis=1, keepdims=True)
    shares = maximum_likelihood(DensePassage(np.ascontiguousarray(even.T)), seen, start, np.array([total]))[0]
    return shares, float(counts @ np.log(table @ shares))


def marks_of(column: RandomisedColumn) -> dict[str, tuple[float, ...]]:
    """Numbers that another column of reports would hardly have too."""
    return {"": (float(zlib.crc32(column.kinds.data)), float(zlib.crc32(np.ascontiguousarray(column.table).data)))}


def _scaled(design: DesignMatrix, *, ordered: bool, rows: int) -> Standardised:
    if not design.names:
        empty = np.zeros((rows, 0))
        return Standardised(names=(), parts=(empty,), back=np.zeros((0, 0)), shift=np.zeros(0), marks={})
    return standardised([design], centred=ordered)


def start_of_blocks(shares: FloatArray, scaled: Standardised) -> FloatArray:
    """Coefficients that give everybody the same shares, where a constant column allows it."""
    start = np.zeros((len(shares) - 1, len(scaled.names)))
    constant = [place for place, one in enumerate(scaled.parts[0].T) if len(one) and (one == one[0]).all()]
    if constant:
        kept = np.maximum(shares, _FROM_ZERO)
        start[:, constant[0]] = np.log(kept[1:] / kept[0]) / scaled.parts[0][0, constant[0]]
    found: FloatArray = start.reshape(-1)
    return found


def _logits(
    outcome: RandomisedColumn, scaled: Standardised, shares: FloatArray, weights: FloatArray | None
) -> tuple[LogitHill | OrderedHill, FloatArray, FloatArray, list[tuple[str, str]]]:
    blocks = outcome.labels[1:]
    hill = LogitHill(
        table=outcome.table,
        kinds=outcome.kinds,
        design=scaled.parts[0],
        labels=outcome.labels,
        columns=scaled.names,
        weights=weights,
    )
    names = [(name, label if len(blocks) > 1 else "") for label in blocks for name in scaled.names]
    return hill, start_of_blocks(shares, scaled), np.kron(np.eye(len(blocks)), scaled.back).astype(np.float64), names


def _ordered(
    outcome: RandomisedColumn, scaled: Standardised, shares: FloatArray, weights: FloatArray | None
) -> tuple[LogitHill | OrderedHill, FloatArray, FloatArray, list[tuple[str, str]]]:
    hill = OrderedHill(
        table=outcome.table,
        kinds=outcome.kinds,
        design=scaled.parts[0],
        labels=outcome.labels,
        columns=scaled.names,
        weights=weights,
    )
    kept = np.maximum(shares, _FROM_ZERO)
    below = np.cumsum(kept / kept.sum())[:-1]
    width, count = len(scaled.names), len(below)
    back = np.eye(width + count)
    back[:width, :width] = scaled.back
    # t = threshold - xβ with x not centred: thresholds gain what the means are worth.
    back[width:, :width] = scaled.shift
    names = [(name, "") for name in (*scaled.names, *threshold_names(outcome.labels))]
    return hill, np.concatenate([np.zeros(width), np.log(below / (1 - below))]), back, names
