"""Fitting a model whose outcome or covariate was reported through a channel."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, NotFitted
from sfumato.inference.likelihood import DensePassage, maximum_likelihood
from sfumato.inference.regression.columns import DesignMatrix, RandomisedColumn, Standardised, gram, standardised
from sfumato.inference.regression.models import (
    MOST_STEPS,
    LogitHill,
    MixtureHill,
    NormalNumbers,
    OrderedHill,
    OutcomeLaw,
    Peak,
    ReportedAnswers,
    climbed,
    inverse,
    logit_laws,
    threshold_names,
)
from sfumato.inference.regression.result import (
    BY_PLAN,
    Fit,
    SamplingPlan,
    check_errors,
    coefficients_of,
    covariance_of,
    weights_of,
)

# Linear models of what answers are worth: least squares of numbers that stand for reports.
#
# Each report has a number whose mean, given the answer, is the answer's value; of all such numbers these vary least
# when answers are equally frequent. So a regression of them is a regression of the values, without any model of the
# answers' law; with answers that were asked for openly it is ordinary least squares.   Theory:
# docs/theory/regression.md


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


# Fit a model with a covariate that was reported through a channel.   Theory: docs/theory/regression.md


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
