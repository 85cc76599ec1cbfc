"""Totals and means of what people would have answered, from weighted scores of randomised reports.

A score r is a number for each answer, made of a person's report, with E[r | answer k] = e_k. Chance comes in twice: who
is drawn, and what they report. An unbiased variance for the first, computed on the scores, holds all of the second but
the part that the finite population correction takes away; that part is added again. For a simple random sample this
gives (1 - n/N)·s²/n + mean(r(r - 1))/N [CRA21].   Proof: docs/theory/sampling_plans.md
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.infer.sampling.plan_columns import FloatArray, frozen
from sfumato.infer.sampling.plans import SamplingPlan
from sfumato.values.checks import check_positive

Noise = npt.ArrayLike | None
"""Unbiased variances of the scores given the answers: n×K or n×K×K; 0 for numbers that are not randomised; None for
scores of answers, whose own variance is estimated by r·rᵀ - diag(r)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeightedPoint:
    """Numbers with the covariance of their errors, in its two parts."""

    point: FloatArray
    sampling: FloatArray
    """The design's formula, computed on the scores."""
    randomisation: FloatArray
    """What randomisation adds to that: the part that a finite population correction has taken away."""
    degrees: int

    @property
    def covariance(self) -> FloatArray:
        """Both parts; unbiased for a total, so a variance in it may be negative where randomisation is weak."""
        found: FloatArray = self.sampling + self.randomisation
        return found

    @property
    def standard_errors(self) -> FloatArray:
        """Roots of the variances, of which none is taken to be below its first part."""
        first = np.diag(self.sampling)
        found: FloatArray = np.sqrt(np.maximum(first, first + np.diag(self.randomisation)))
        return found


def horvitz_thompson_total(scores: npt.ArrayLike, plan: SamplingPlan, *, noise: Noise = None) -> WeightedPoint:
    """Return Σ weight·score: unbiased for how many in the population hold each answer [HT52], [Cha11]."""
    table = score_table(scores, plan)
    return _found(table, plan, noise, plan.weights @ table, table)


def horvitz_thompson_mean(
    scores: npt.ArrayLike, plan: SamplingPlan, *, size: float, noise: Noise = None
) -> WeightedPoint:
    """Return Σ weight·score / N, unbiased where the population has `size` = N people [HT52]."""
    check_positive("size", size)
    table = score_table(scores, plan)
    return _found(table, plan, noise, plan.weights @ table / size, table / size, size)


def hajek_mean(scores: npt.ArrayLike, plan: SamplingPlan, *, noise: Noise = None) -> WeightedPoint:
    """Return Σ weight·score / Σ weight, with the variance of the linearised ratio [Haj71].

    It needs no N, does not move with the origin of the scores, and keeps shares adding up to 1.
    """
    table = score_table(scores, plan)
    size = float(plan.weights.sum())
    point = plan.weights @ table / plan.weights.sum()
    return _found(table, plan, noise, point, (table - point) / size, size)


def randomisation_covariance(
    scores: npt.ArrayLike, plan: SamplingPlan, *, noise: Noise = None, finite: bool = True
) -> FloatArray:
    """Return Σ f_h·weight²·V, V being an unbiased covariance of a row's scores given its answer.

    It belongs to the weighted total, beside `plan.total_covariance`. For scores of answers V is r·rᵀ - diag(r), because
    E[r·rᵀ] is V + diag(e) and E[r] = e.
    """
    table = score_table(scores, plan)
    parts = plan.randomisation_weights(finite=finite)
    if noise is None:
        found = table.T @ (table * parts[:, None]) - np.diag(parts @ table)
        return np.asarray((found + found.T) / 2, dtype=np.float64)
    rows, columns = table.shape
    given = np.asarray(noise, dtype=np.float64)
    if given.ndim == 0 and given == 0:
        return np.zeros((columns, columns))
    if given.shape == (rows,) and columns == 1:
        given = given[:, None]
    if given.shape not in {(rows, columns), (rows, columns, columns)} or not np.isfinite(given).all():
        raise InvalidParameter(
            "must be 0, or finite variances for each row and score, or a covariance for each row",
            parameter="noise",
            way_out="Leave it out for scores of answers.",
        )
    summed = np.tensordot(parts, given, axes=(0, 0))
    return np.diag(summed) if summed.ndim == 1 else np.asarray((summed + summed.T) / 2, dtype=np.float64)


def score_table(scores: npt.ArrayLike, plan: SamplingPlan) -> FloatArray:
    """Read scores as a table with a row for each row of the plan; one column may be given as plain numbers."""
    table = np.asarray(scores, dtype=np.float64)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or table.shape[0] != plan.rows or not table.size or not np.isfinite(table).all():
        raise InvalidParameter(
            f"must be finite numbers, a row for each of {plan.rows} rows of the plan",
            parameter="scores",
            way_out="Leave rows without a report out of the plan too.",
        )
    return table


def _found(
    table: FloatArray, plan: SamplingPlan, noise: Noise, point: FloatArray, linear: FloatArray, size: float = 1.0
) -> WeightedPoint:
    added = randomisation_covariance(table, plan, noise=noise) / size**2
    sampling = plan.total_covariance(linear)
    return WeightedPoint(
        point=frozen(point), sampling=frozen(sampling), randomisation=frozen(added), degrees=plan.degrees
    )
