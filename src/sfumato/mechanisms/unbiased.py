"""Numbers for reports whose means are those of the answers, for any channel, with the least variance at one law.

A score s with Σ_y P(y|x) s_y = v_x for every answer x reads the mean of v off the reports without bias, whatever the
law of the answers. Of all such scores the one below has the least variance when answers follow the reference law; that
it is unbiased does not depend on it. With every answer a value of 0 or 1 it is the share of that answer, so all shares
and all means come from one table.   Proof: docs/theory/numbers.md
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter

FloatArray = npt.NDArray[np.float64]

MOST_STEPS = 1024
"""Up to so many steps answers are looked at one by one; beyond, they are as good as everywhere."""


def unbiased_weights(rows: FloatArray, reference: FloatArray | None = None) -> FloatArray:
    """Return what a report counts towards each answer, a row a report; `reference` is even if it is not given.

    With q the law of reports at the reference: q⁻¹Pᵀ(P q⁻¹ Pᵀ)⁻¹.
    """
    law = np.full(len(rows), 1 / len(rows)) if reference is None else reference
    scaled = rows / (law @ rows)
    inner = scaled @ rows.T
    if np.linalg.matrix_rank(inner, hermitian=True) < len(rows):
        raise InvalidParameter(
            "every report is pure noise, or some answers cannot be told apart; nothing can be estimated",
            way_out="Raise `odds`.",
        )
    return np.asarray(np.linalg.solve(inner, scaled).T, dtype=np.float64)


def second_moments(rows: FloatArray, scores: FloatArray) -> FloatArray:
    """E[s²|x] for every answer."""
    found: FloatArray = rows @ scores**2
    return found


def worst_variance(moments: FloatArray, steps: int | None = None) -> float:
    """Return the largest variance of one report about a fixed answer on [-1, 1], rounded at random to even points.

    `moments` are E[s²|x] at the points. An answer between two of them is rounded up or down at random, right on
    average, so its E[s²] lies on the straight line between theirs. With `steps` answers are that many steps from one
    end to the other; without, anything between.
    """
    count = len(moments)
    points = np.linspace(-1.0, 1.0, count)
    if steps is not None and steps <= MOST_STEPS:
        answers = np.linspace(-1.0, 1.0, steps + 1)
        return float((np.interp(answers, points, moments) - answers**2).max())
    gap, rise = 2 / (count - 1), np.diff(moments)
    # m + t·rise - (v + t·gap)² is greatest here, or at an end.
    places = np.clip((rise - 2 * points[:-1] * gap) / (2 * gap * gap), 0.0, 1.0)
    between = moments[:-1] + places * rise - (points[:-1] + places * gap) ** 2
    return float(between.max())
