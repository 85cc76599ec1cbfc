"""The scale of a cell: how much any law in S can put on it, so that a rare cell weighs as much as a common one.

A program whose numbers reach from 1 to 1e-14 is solved wrongly by a solver with tolerances of 1e-10 and a habit of
dropping entries below 1e-9. Measured by the rarest protected marginal through it, every cell lies in [0, 1].
"""

from __future__ import annotations

import numpy as np

from sfumato.disclose.data_laws import FloatArray

# Ratios of masses below would leave the floats.
LEAST_MASS = 1e-290


def floored(prior: FloatArray) -> tuple[FloatArray, bool]:
    """Return the prior with no mass below 1e-290, and whether that changed it: then its bounds are for another law."""
    raised: FloatArray = np.maximum(prior, LEAST_MASS)
    return raised, bool((raised > prior).any())


def scarce_rows(matrix: FloatArray, prior: FloatArray) -> FloatArray:
    """Return as many rows as the rank, the rarest first: a row left out is then implied by rarer ones.

    Left out the other way round, a marginal of 1e-14 would be the difference of numbers about 1.
    """
    level = matrix @ prior
    chosen: list[int] = []
    frame = np.zeros((0, matrix.shape[1]))
    for row in np.argsort(level, kind="stable"):
        rest = matrix[row]
        size = float(np.linalg.norm(rest))
        # Twice, since once leaves what rounding brought back.
        for _ in range(2):
            rest = rest - frame.T @ (frame @ rest)
        length = float(np.linalg.norm(rest))
        if length > 1e-9 * size:
            chosen.append(int(row))
            frame = np.vstack([frame, rest / length])
    picked: FloatArray = matrix[chosen]
    return picked


def most_by_cell(rows: FloatArray, level: FloatArray) -> FloatArray:
    """Return for each cell the least level / entry of a row through it, which no law in S passes; at most 1."""
    ratio = np.divide(level[:, None], rows, out=np.full(rows.shape, np.inf), where=rows > 0)
    most: FloatArray = np.clip(ratio.min(axis=0), LEAST_MASS, 1.0)
    return most
