"""What a regression found: coefficients with errors and intervals, and what they rest on."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.values import Interval
from sfumato.values.checks import check_between
from sfumato.values.shown import Shown

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
