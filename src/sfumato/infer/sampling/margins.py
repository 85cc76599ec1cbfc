"""Weights that reproduce what is known of the population: cells of one table, or margins of several.

Variances afterwards are those of residuals, because what the known totals explain no longer varies [DS92].
Theory: docs/theory/sampling_plans.md
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.infer.sampling.calibrations import ROUNDS, fitted_weights
from sfumato.infer.sampling.plan_columns import FloatArray, IntArray, coded
from sfumato.infer.sampling.plans import SamplingPlan
from sfumato.values.checks import check_at_least, check_integer

Totals = Mapping[Any, float]
# Totals of one population agree up to how they were rounded; more than that is two populations.
_AGREEING = 1e-9


def poststratified(plan: SamplingPlan, cells: npt.ArrayLike, totals: Totals) -> SamplingPlan:
    """Return the plan with the weights of each cell multiplied so that they add up to its total [HS79].

    `cells` is a label for each row, `totals` the size of each cell in the population.
    """
    codes, sizes = _margin("cells", plan, cells, totals)
    return plan.calibrated((codes,), (sizes,), fitted_weights(plan.weights, (codes,), (sizes,)))


def raked(
    plan: SamplingPlan, margins: Mapping[str, tuple[npt.ArrayLike, Totals]], *, rounds: int = ROUNDS
) -> SamplingPlan:
    """Return the plan with weights that reproduce several margins, by iterative proportional fitting [DS40].

    `margins` has for each name a column of labels and the total of each label. Of all weights that meet the totals
    these have the least Kullback-Leibler divergence from the old ones [DS92].
    """
    check_at_least("rounds", check_integer("rounds", rounds), 1)
    if not margins:
        raise InvalidParameter("is empty", parameter="margins", way_out="Give at least one column with its totals.")
    read = [_margin(name, plan, column, totals) for name, (column, totals) in margins.items()]
    sums = [math.fsum(sizes) for _, sizes in read]
    if max(sums) - min(sums) > _AGREEING * max(sums):
        shown = ", ".join(f"{name} to {total:.10g}" for name, total in zip(margins, sums, strict=True))
        raise InvalidParameter(
            f"must add up to one population, and they add up differently: {shown}",
            parameter="margins",
            way_out="Take totals of the same population on the same day, or scale them to one sum first.",
        )
    codes, totals = tuple(code for code, _ in read), tuple(sizes for _, sizes in read)
    return plan.calibrated(codes, totals, fitted_weights(plan.weights, codes, totals, rounds=rounds))


def _margin(name: str, plan: SamplingPlan, column: npt.ArrayLike, totals: Totals) -> tuple[IntArray, FloatArray]:
    found = coded(name, column, plan.rows)
    unknown = sum(label not in totals for label in found.labels)
    if unknown:
        raise InvalidParameter(
            f"has {unknown} labels in the sample that have no total",
            parameter=name,
            way_out="Give a total for each label, or merge labels.",
        )
    sizes = {label: float(total) for label, total in totals.items()}
    if not all(math.isfinite(size) and size >= 0 for size in sizes.values()):
        raise InvalidParameter(
            "has a total that is negative or not finite", parameter=name, way_out="Give sizes of groups of people."
        )
    seen = set(found.labels)
    empty = [label for label, size in sizes.items() if size > 0 and label not in seen]
    if empty:
        raise InvalidParameter(
            f"has nobody in the sample for {len(empty)} of {len(sizes)} totals, among them {str(empty[0])!r}",
            parameter=name,
            way_out="Merge those with a neighbouring label, in the column and in the totals.",
        )
    if any(sizes[label] == 0 for label in found.labels):
        raise InvalidParameter(
            "has a total of 0 for people who are in the sample",
            parameter=name,
            way_out="Leave those rows out if they do not belong to the population.",
        )
    return found.codes, np.array([sizes[label] for label in found.labels])
