"""What is left of a tally when some of its reports are taken to be fake: the removals that move its numbers most.

Each number is a mean of scores of the reports, or moves with one: the share of an answer, the share of all answers up
to one, the mean of what answers are worth. The removals are those of the highest and of the lowest of these scores.
Theory: docs/theory/collection.md
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.infer.poisoning import extreme_removals, hull
from sfumato.study.ways.estimates import QuestionEstimate, Robust
from sfumato.values import Tally

FloatArray = npt.NDArray[np.float64]


def robust_of(
    estimate: Callable[[Any], QuestionEstimate], left: Sequence[Any], found: QuestionEstimate, fakes: int
) -> Robust:
    """Return the hull of what an estimate says of the tallies that are left, and of all reports together."""
    several = [found, *(estimate(tally) for tally in left)]
    raw = np.array([one.raw for one in several])
    return Robust(
        fakes=fakes,
        intervals=tuple(hull(one.intervals[i] for one in several) for i in range(len(found.labels))),
        quantities=tuple(hull(one.quantities[i].interval for one in several) for i in range(len(found.quantities))),
        raised=tuple((raw[0] - raw.min(axis=0)).tolist()),
        lowered=tuple((raw.max(axis=0) - raw[0]).tolist()),
    )


def weighed_removals(
    tally: Tally, weights: FloatArray, found: QuestionEstimate, fakes: int, values: Sequence[float | Fraction] | None
) -> tuple[Tally, ...]:
    """Return what is left of counts of reports, of which `weights` say what each counts towards each answer.

    `values` are what answers are worth, where they are numbers; an answer without one is outside of the mean.
    """
    directions = [np.eye(weights.shape[1])]
    if found.quantities:
        directions.append(np.triu(np.ones((weights.shape[1], weights.shape[1])))[:, :-1])
    if values is not None:
        about = found.mean.value if found.mean is not None and found.mean.value is not None else 0.0
        worth = np.zeros(weights.shape[1])
        worth[: len(values)] = np.array([float(value) for value in values]) - about
        directions.append(worth[:, None])
    left = extreme_removals(tally.counts, weights @ np.hstack(directions), fakes)
    return tuple(Tally(mechanism=tally.mechanism, counts=tuple(one.tolist())) for one in left)
