"""Shares of a question in a population, from a sample that was drawn by a plan."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.infer.joint_tables import scores_of
from sfumato.infer.sampling import WeightedEstimate, weighted_mean, weighted_shares
from sfumato.study.model_data import ModelData
from sfumato.study.sampled import Sampled
from sfumato.values import Interval
from sfumato.values.shown import Shown

MOST_WEIGHTED = 256
"""Answers up to which shares are weighted."""


@dataclass(frozen=True, kw_only=True, eq=False)
class WeightedShares(Shown):
    """The share of each answer, and the mean where answers are numbers. `left_out` people lack something named."""

    question: str
    labels: tuple[str, ...]
    estimates: tuple[WeightedEstimate, ...]
    mean: WeightedEstimate | None
    confidence: float
    reports: int
    left_out: int
    notes: tuple[str, ...] = ()

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row for each answer, and one for the mean."""
        named: list[tuple[str, str | None, WeightedEstimate]] = [
            ("share", label, one) for label, one in zip(self.labels, self.estimates, strict=True)
        ]
        named += [] if self.mean is None else [("mean", None, self.mean)]
        return [
            {
                "question": self.question,
                "quantity": quantity,
                "answer": label,
                "value": one.value,
                "raw": one.raw,
                "standard_error": one.standard_error,
                "lower": one.interval.lower,
                "upper": one.interval.upper,
                "confidence": self.confidence,
                "reports": self.reports,
                "effective_size": one.effective_size,
                "design_effect": one.design_effect,
            }
            for quantity, label, one in named
        ]


def shares_by_weight(data: ModelData, question: str, sampled: Sampled, confidence: float) -> WeightedShares:
    """Return the shares of a question by a plan."""
    if question not in data.variables:
        raise InvalidParameter(
            f"is no question here; there are: {', '.join(data.variables)}",
            parameter="question",
            value=question,
            way_out="Name one of these.",
        )
    variable = data.variables[question]
    count = len(variable.column.labels)
    if count > MOST_WEIGHTED:
        raise InvalidParameter(
            f"has {count} answers, and at most {MOST_WEIGHTED} are weighted",
            parameter="question",
            value=question,
            way_out="Merge answers, or estimate it without weights.",
        )
    people = data.filled([question, *(name for name in sampled.names if name in data.columns)])
    if not people.any():
        raise InvalidParameter(
            "has no person with a report and all that the plan names",
            parameter="question",
            value=question,
            way_out="Leave a column out.",
        )
    column, plan = variable.column, sampled.plan(data, people)
    channel, seen = variable.seen(people)
    scores = scores_of(channel)[seen]
    values = column.values
    shared = weighted_shares(scores[:, 1], plan, confidence=confidence) if count == 2 else None
    estimates = weighted_shares(scores, plan, confidence=confidence) if shared is None else (_other(shared[0]), *shared)
    mean = None if values is None else weighted_mean(scores, plan, np.array(values), confidence=confidence)
    return WeightedShares(
        question=question,
        labels=column.labels,
        estimates=estimates,
        mean=mean,
        confidence=confidence,
        reports=seen.size,
        left_out=data.rows - seen.size,
        notes=(*plan.notes, *data.notes),
    )


def _other(one: WeightedEstimate) -> WeightedEstimate:
    """Return the share of the first of two answers: what the second leaves."""
    return replace(
        one, value=1 - one.value, raw=1 - one.raw, interval=Interval(1 - one.interval.upper, 1 - one.interval.lower)
    )
