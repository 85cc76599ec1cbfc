"""Find the unknowns of a design in several groups: likeliest values within their bounds, errors, intervals, fit.

Intervals hold the values at which the profile of the likelihood has not fallen by
more than χ² allows [Wil38]; they end at the bounds and are never outside. Standard errors come from the expected
information at the estimate, with n reports in a group, or n - 1 as unbiased variances of shares have it.
Theory: docs/theory/compliance.md
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.infer.group_likelihoods import Likelihood
from sfumato.infer.group_models import GroupCounts, GroupModel
from sfumato.prob.alphabet import Label
from sfumato.values import Interval
from sfumato.values.checks import check_between

FloatArray = npt.NDArray[np.float64]

_FAR_BELOW, _ROOT = 1e4, 1e-9
_SINGULAR = 1e-9


class Divisor(StrEnum):
    """By what variances of a group's shares are divided: the number of reports, or one less, for unbiased variances.

    >>> import sfumato as sf
    >>> model = sf.design.unrelated_question_groups([0.75, 0.25]).model
    >>> for divisor in sf.infer.Divisor:
    ...     found = sf.infer.fit_groups(model, [[65, 35], [55, 45]], divisor=divisor)
    ...     print(divisor.value, round(found.share.standard_error, 4))
    n 0.0757
    n - 1 0.0761
    """

    REPORTS = "n"
    REPORTS_LESS_ONE = "n - 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownEstimate:
    """One unknown: its likeliest value within [0, 1], its standard error, and an interval within the bounds.

    >>> import sfumato as sf
    >>> model = sf.design.unrelated_question_groups([0.75, 0.25]).model
    >>> found = sf.infer.fit_groups(model, [[650, 350], [550, 450]]).of("prevalence")
    >>> found.meaning
    'of all respondents, those of whom the innocent question is true'
    >>> f"{found.value:.3f} from {found.interval.lower:.3f} to {found.interval.upper:.3f}"
    '0.500 from 0.452 to 0.549'
    """

    name: str
    meaning: str
    value: float
    standard_error: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupEstimate:
    """All unknowns of a design. With 0 `degrees` of freedom the reports cannot contradict it, else `deviance` may.

    >>> import sfumato as sf
    >>> model = sf.design.unrelated_question_groups([0.75, 0.25]).model
    >>> found = sf.infer.fit_groups(model, [[650, 350], [550, 450]])
    >>> [(one.name, round(one.value, 3)) for one in found.unknowns]
    [('share', 0.3), ('prevalence', 0.5)]
    >>> found.degrees, found.misfit, found.totals  # two groups fix two unknowns: nothing is left to test
    (0, None, (1000, 1000))
    """

    unknowns: tuple[UnknownEstimate, ...]
    covariance: FloatArray
    divisor: Divisor
    confidence: float
    log_likelihood: float
    deviance: float
    degrees: int
    totals: tuple[int, ...]
    notes: tuple[str, ...] = ()

    @property
    def share(self) -> UnknownEstimate:
        """The share that is asked about."""
        return self.unknowns[0]

    def of(self, name: str) -> UnknownEstimate:
        """Return an unknown by name."""
        for unknown in self.unknowns:
            if unknown.name == name:
                return unknown
        raise InvalidParameter(
            "is no unknown of this design",
            parameter="name",
            value=name,
            way_out=f"It has {', '.join(repr(unknown.name) for unknown in self.unknowns)}.",
        )

    @property
    def misfit(self) -> float | None:
        """How often chance alone would make the deviance so large; None where nothing is left to test."""
        return None if self.degrees <= 0 else _chi_squared_tail(self.deviance, self.degrees)


def fit_groups(
    model: GroupModel,
    counts: Sequence[GroupCounts] | Mapping[Label, GroupCounts],
    *,
    confidence: float = 0.95,
    divisor: Divisor | str = Divisor.REPORTS,
) -> GroupEstimate:
    """Estimate the unknowns of a design by maximum likelihood within their bounds, with profile intervals [Wil38].

    A design whose reports do not determine its unknowns is refused. `divisor` "n - 1" gives the errors that packages
    with moment estimators print; the likelihood has n.

    Raises:
        Refused: the reports of these groups do not determine the unknowns.
        InvalidParameter: groups or reports were counted that the design does not have.

    >>> import sfumato as sf
    >>> model = sf.design.unrelated_question_groups([0.75, 0.5, 0.25]).model
    >>> found = sf.infer.fit_groups(model, [{"yes": 350, "no": 650}, {"yes": 400, "no": 600}, {"yes": 460, "no": 540}])
    >>> round(found.share.value, 3), round(found.of("prevalence").value, 3)
    (0.293, 0.513)
    >>> found.degrees, round(found.misfit, 2)  # the design explains the reports
    (1, 0.79)
    """
    check_between("confidence", confidence, 0.5, 1 - 1e-12)
    model.check_identified()
    table = model.counts(counts)
    by = Divisor(divisor) if divisor in tuple(Divisor) else _unknown_divisor(divisor)
    likelihood = Likelihood(model, table)
    point, height = likelihood.maximum()
    totals = np.array([sum(row) for row in table], dtype=np.float64)
    weights = totals - (by is Divisor.REPORTS_LESS_ONE)
    covariance, singular = _inverse(likelihood.information(point, np.maximum(weights, 1.0)))
    best = sum(k * math.log(k / sum(row)) for row in table for k in row if k)
    found = []
    for place, unknown in enumerate(model.unknowns):
        value = float(point[place])
        found.append(
            UnknownEstimate(
                name=unknown.name,
                meaning=unknown.meaning,
                value=value,
                standard_error=math.sqrt(max(0.0, float(covariance[place, place]))),
                interval=profile_interval(likelihood, point, height, place, confidence),
            )
        )
    notes = [
        f"“{one.name}” is put at its bound {one.value:g}, as close as it may come to what the reports say; its "
        f"interval holds, its standard error says little."
        for one in found
        if one.value in (0.0, 1.0)
    ]
    if singular:
        notes.append(
            "At this estimate the reports say next to nothing about some unknown, so that errors are infinite."
        )
    covariance.flags.writeable = False
    return GroupEstimate(
        unknowns=tuple(found),
        covariance=covariance,
        divisor=by,
        confidence=confidence,
        log_likelihood=height,
        deviance=max(0.0, 2 * (best - height)),
        degrees=sum(len(row) - 1 for row in table) - len(model.unknowns),
        totals=tuple(sum(row) for row in table),
        notes=tuple(notes),
    )


def profile_interval(
    likelihood: Likelihood, point: FloatArray, height: float, place: int, confidence: float
) -> Interval:
    """Return where the profile of one unknown has not fallen by more than χ² with one degree of freedom allows."""
    from scipy.optimize import brentq  # noqa: PLC0415  scipy is slow to import
    from scipy.special import ndtri  # noqa: PLC0415  scipy is slow to import

    floor = height - float(ndtri((1 + confidence) / 2)) ** 2 / 2

    def above(value: float) -> float:
        # A bound may be impossible: that is far below, and the search needs numbers.
        return max(likelihood.profile(place, value, point) - floor, -_FAR_BELOW)

    def edge(outside: float) -> float:
        inside = float(point[place])
        if inside == outside or above(outside) >= 0:
            return outside
        return float(brentq(above, inside, outside, xtol=_ROOT)) + math.copysign(2 * _ROOT, outside - inside)

    return Interval(max(0.0, edge(0.0)), min(1.0, edge(1.0)))


def _inverse(information: FloatArray) -> tuple[FloatArray, bool]:
    """Return the inverse, and whether there is none, in which case its diagonal is infinite."""
    scale = np.sqrt(np.maximum(np.diag(information), 1e-300))
    scaled = information / np.outer(scale, scale)
    if float(np.linalg.eigvalsh(scaled)[0]) < _SINGULAR:
        return np.where(np.eye(len(scale)) > 0, np.inf, 0.0), True
    return np.linalg.inv(scaled) / np.outer(scale, scale), False


def _chi_squared_tail(value: float, degrees: int) -> float:
    from scipy.special import gammaincc  # noqa: PLC0415  scipy is slow to import

    return float(gammaincc(degrees / 2, value / 2))


def _unknown_divisor(divisor: str) -> Divisor:
    raise InvalidParameter(
        "is not known",
        parameter="divisor",
        value=divisor,
        way_out=f"Choose one of {', '.join(repr(one.value) for one in Divisor)}.",
    )
