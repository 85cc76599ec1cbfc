"""Fitted models: coefficients, standard errors, tests and predictions."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sfumato.display.notebooks import Shown, sheet_view
from sfumato.display.tables import Sheet
from sfumato.errors import InvalidParameter, NotFitted
from sfumato.inference.regression.columns import DesignMatrix, gram
from sfumato.inference.regression.models import Hill, Peak, inverse, logit_laws, ordered_laws
from sfumato.numbers.checks import check_between
from sfumato.numbers.intervals import Interval

FloatArray = npt.NDArray[np.float64]

Named = str | tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """One number of a model; `answer` is the answer that it speaks for, where there are several blocks of numbers."""

    name: str
    answer: str
    estimate: float
    standard_error: float
    statistic: float
    p_value: float
    interval: Interval


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit(Shown):
    """A model that was fitted. `fit["age"]` is a coefficient, `fit["age", "often"]` that of one answer.

    `errors` names how standard errors were made, `reference` the law that p-values and intervals are from. `group` is
    the group whose people it was fitted to, None being everybody; `left_out` people lack something that it names.
    """

    model: str
    outcome: str
    answers: tuple[str, ...]
    columns: tuple[str, ...]
    coefficients: tuple[Coefficient, ...]
    covariance: FloatArray
    errors: str
    reference: str
    freedom: int | None
    log_likelihood: float | None
    null_log_likelihood: float | None
    scale: float | None
    reports: int
    iterations: int
    confidence: float
    predictor: str = ""
    formula: str = ""
    group: str | None = None
    left_out: int = 0
    notes: tuple[str, ...] = ()
    marks: dict[str, tuple[float, ...]] = field(default_factory=dict, repr=False)
    """Numbers by which two fits notice that they are not of the same data."""

    def __getitem__(self, name: Named) -> Coefficient:
        places = self.places(name)
        if len(places) > 1:
            answers = [self.coefficients[place].answer for place in places]
            raise InvalidParameter(
                f"has a coefficient for each of: {', '.join(answers)}",
                parameter="name",
                value=name if isinstance(name, str) else name[0],
                way_out="Name the answer too, as in fit['age', 'often'].",
            )
        return self.coefficients[places[0]]

    def places(self, name: Named) -> list[int]:
        """Where the coefficients of a name stand; those of the outcome where the predictor's model has it as well."""
        wanted, answer = (name, None) if isinstance(name, str) else name
        found = [
            place
            for place, one in enumerate(self.coefficients)
            if one.name == wanted and (answer is None or one.answer == answer)
        ]
        if answer is None and any(not self.coefficients[place].answer for place in found):
            found = [place for place in found if not self.coefficients[place].answer]
        if not found:
            names = list(dict.fromkeys(one.name for one in self.coefficients))
            raise InvalidParameter(
                f"is no coefficient of this fit, which has: {', '.join(names)}",
                parameter="name",
                value=wanted if answer is None else f"{wanted}, {answer}",
                way_out="Use one of them.",
            )
        return found

    def _view(self) -> str:
        return "".join(map(sheet_view, fit_sheets([self])))

    @property
    def estimates(self) -> FloatArray:
        """The coefficients as numbers, in order."""
        return np.array([one.estimate for one in self.coefficients])

    def __repr__(self) -> str:
        head = f"{self.model} fit of {self.outcome!r}, {self.reports} reports, errors: {self.errors}"
        width = max(len(_shown_name(one)) for one in self.coefficients)
        lines = [f"{'':{width}} {'estimate':>10} {'error':>9} {'z':>7} {'p':>7}"]
        lines += [
            f"{_shown_name(one):{width}} {one.estimate:>10.5f} {one.standard_error:>9.5f} {one.statistic:>7.2f} "
            f"{one.p_value:>7.4f}"
            for one in self.coefficients
        ]
        return "\n".join([head, *lines])


def coefficients_of(
    names: Sequence[tuple[str, str]],
    estimates: FloatArray,
    covariance: FloatArray,
    *,
    confidence: float,
    freedom: int | None = None,
) -> tuple[Coefficient, ...]:
    """Numbers with errors, tests against 0 and intervals: by Student's law if `freedom` is given, else the normal."""
    check_between("confidence", confidence, 0.5, 1 - 1e-12)
    reach = _quantile((1 + confidence) / 2, freedom)
    found = []
    for (name, answer), estimate, variance in zip(names, estimates.tolist(), np.diag(covariance).tolist(), strict=True):
        error = math.sqrt(max(variance, 0.0))
        statistic = estimate / error if error > 0 else math.copysign(math.inf, estimate) if estimate else 0.0
        found.append(
            Coefficient(
                name=name,
                answer=answer,
                estimate=estimate,
                standard_error=error,
                statistic=statistic,
                p_value=_two_sided(statistic, freedom),
                interval=Interval(estimate - reach * error, estimate + reach * error),
            )
        )
    return tuple(found)


def _quantile(chance: float, freedom: int | None) -> float:
    if freedom is None:
        return statistics.NormalDist().inv_cdf(chance)
    from scipy.special import stdtrit  # noqa: PLC0415  half a second that only linear models need

    return float(stdtrit(freedom, chance))


def _two_sided(statistic: float, freedom: int | None) -> float:
    if freedom is None:
        return math.erfc(abs(statistic) / math.sqrt(2))
    from scipy.special import stdtr  # noqa: PLC0415  half a second that only linear models need

    return 2 * float(stdtr(freedom, -abs(statistic)))


def _shown_name(one: Coefficient) -> str:
    return f"{one.answer}: {one.name}" if one.answer else one.name


# How sure coefficients are: by the observed information, by the scores, by both, or by a sampling plan.


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


# Tests of coefficients, and what a fit says about people.


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


# Fitted models as tables.


_LOGITS = ("logistic", "multinomial", "ordered")
_LEAST_SHOWN = 1e-4


def fit_sheets(fits: Sequence[Fit]) -> list[Sheet]:
    """Return a table for each fit, and where a predictor was randomised one for the model of its answers."""
    found = []
    for fit in fits:
        own = [one for one in fit.coefficients if not (fit.predictor and one.answer)]
        found.append(_sheet(fit, own, _title(fit), fit_notes(fit)))
        beside = [one for one in fit.coefficients if fit.predictor and one.answer]
        if beside:
            title = f"How the answers to {fit.predictor} depend on the other columns, fitted together with the model"
            found.append(_sheet(fit, beside, title, (), odds=True))
    return found


def fit_notes(fit: Fit) -> tuple[str, ...]:
    """Say what the numbers rest on."""
    said = [f"{fit.reports:,} reports; standard errors: {fit.errors}; {fit.reference} law."]
    if fit.log_likelihood is not None:
        against = "" if fit.null_log_likelihood is None else f", without predictors {fit.null_log_likelihood:.2f}"
        said.append(f"log-likelihood {fit.log_likelihood:.2f}{against}{_against_null(fit)}; {fit.iterations} steps.")
    if fit.scale is not None:
        said.append(f"residual standard deviation {fit.scale:.5g}.")
    if fit.model == "multinomial" and not fit.predictor:
        said.append(f"Each answer is held against “{fit.answers[0]}”.")
    return (*said, *fit.notes)


def _against_null(fit: Fit) -> str:
    """Return the likelihood-ratio test of all predictors; nothing where the ratio does not have its law."""
    more = len(fit.coefficients) - (len(fit.answers) - 1)
    if fit.predictor or fit.log_likelihood is None or fit.null_log_likelihood is None or more < 1:
        return ""
    if fit.errors == BY_PLAN or fit.freedom is not None:
        return ""
    from scipy.special import gammaincc  # noqa: PLC0415  scipy is slow to import

    statistic = max(0.0, 2 * (fit.log_likelihood - fit.null_log_likelihood))
    p_value = p_words(float(gammaincc(more / 2, statistic / 2)))
    sign = "" if p_value.startswith("<") else "= "
    return f" (likelihood ratio χ² = {statistic:.2f} with {more} degrees of freedom, p {sign}{p_value})"


def p_words(p_value: float) -> str:
    """Write how likely so much is by chance."""
    return f"< {_LEAST_SHOWN:.4f}" if p_value < _LEAST_SHOWN else f"{p_value:.4f}"


def _title(fit: Fit) -> str:
    group = "" if fit.group is None else f" · {fit.group}"
    spoken = f" · “{fit.answers[1]}” against “{fit.answers[0]}”" if fit.model == "logistic" and fit.answers else ""
    return f"{fit.formula or fit.outcome}{group}  ({fit.model} model{spoken})"


def _sheet(
    fit: Fit, several: Sequence[Coefficient], title: str, notes: tuple[str, ...], *, odds: bool | None = None
) -> Sheet:
    with_answers = any(one.answer for one in several)
    with_odds = fit.model in _LOGITS if odds is None else odds
    letter = "t" if fit.freedom is not None else "z"
    header = ["coefficient", "estimate", "standard error", letter, "p", f"{100 * fit.confidence:.6g} % interval"]
    rows = []
    for one in several:
        digits = _digits(one.standard_error)
        ends = f"{one.interval.lower:.{digits}f} to {one.interval.upper:.{digits}f}"
        row = [one.name, f"{one.estimate:.{digits}f}", f"{one.standard_error:.{digits}f}"]
        row += [f"{one.statistic:.2f}", p_words(one.p_value), ends]
        row += [_ratio(one, is_threshold="|" in one.name and fit.model == "ordered")] if with_odds else []
        rows.append(((one.answer,) if with_answers else ()) + tuple(row))
    header += ["odds ratio"] if with_odds else []
    return Sheet(
        title=title,
        header=(("answer",) if with_answers else ()) + tuple(header),
        rows=tuple(rows),
        notes=notes,
        left=(0, 1) if with_answers else (0,),
    )


def _digits(error: float) -> int:
    """Digits behind the point: three of the standard error."""
    if not 0 < error < math.inf:
        return 4
    return min(10, max(0, 2 - math.floor(math.log10(error))))


def _ratio(one: Coefficient, *, is_threshold: bool) -> str:
    if is_threshold or one.name == "Intercept" or abs(one.estimate) > 50:
        return ""
    return f"{math.exp(one.estimate):.4g}"
