"""The best input law of a noisy symmetric scale: which points carry mass, and how much.

Inputs are positions x ≥ 0 that stand for ±x with half the weight each: the noise is symmetric and the information is
concave in the law, so mirroring a law and mixing it with its image loses nothing. What is found here is a proposal
only; whoever states a bound evaluates the law again with its errors counted.   Ref: [Smi71]
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sfumato.prob.exact import FloatArray

# (rows, own): the laws of ±x together over the outputs, and Σ W_x ln W_x for each x.
Rows = Callable[[FloatArray], tuple[FloatArray, FloatArray]]

_MOST_STEPS = 80
# Points lighter than this are dropped before the grid is refined around those that stay.
_LIGHT = 1e-7


def best_weights(rows: FloatArray, own: FloatArray, *, gap: float = 1e-12) -> FloatArray:
    """Return the law on these inputs that tells most, by a primal-dual interior-point method (gap in nats).

    The same steps as for any channel (:mod:`sfumato.measures.capacity`), but a row and its own entropy are given apart,
    since a row here is the mean of two mirrored laws.
    """
    from scipy.linalg import LinAlgError, cho_factor, cho_solve  # noqa: PLC0415  scipy is slow to import

    inputs = len(rows)
    law = np.full(inputs, 1 / inputs)
    best, least = law, np.inf
    slack, multiplier = np.ones(inputs), 0.0
    for step in range(_MOST_STEPS):
        outputs = np.maximum(law @ rows, 1e-300)
        divergences = own - rows @ np.log(outputs)
        open_gap = float(divergences.max() - law @ divergences / law.sum())
        if open_gap < least:
            best, least = law / law.sum(), open_gap
        if open_gap <= gap or inputs == 1:
            break
        if step == 0:
            multiplier = float(divergences.max()) + 0.1
            slack = multiplier - divergences
        target = 0.1 * float(law @ slack) / inputs
        try:
            factor = cho_factor((rows / outputs) @ rows.T + np.diag(slack / law))
        except (LinAlgError, ValueError):
            break
        off_centre = law * slack - target
        first = cho_solve(factor, divergences + slack - multiplier - off_centre / law)
        second = cho_solve(factor, np.ones(inputs))
        multiplier_step = float((first.sum() + law.sum() - 1) / second.sum())
        law_step = first - multiplier_step * second
        slack_step = (-off_centre - slack * law_step) / law
        length = min(_longest(law, law_step), _longest(slack, slack_step))
        law = np.maximum(law + length * law_step, 1e-300)
        slack = np.maximum(slack + length * slack_step, 1e-300)
        multiplier += length * multiplier_step
    return np.asarray(best)


def best_points(
    rows: Rows, end: float, spacing: float, *, finest: float, lattice: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return positions in [0, end] and their weights, ends of the scale included.

    A grid is refined around the points that carry mass until its spacing is `finest`; on a lattice positions are whole
    numbers and the spacing ends at 1. Elsewhere neighbours are finally merged: between two grid points the divergence
    is flat to second order, so mass on both stands for mass between them.
    """
    count = max(2, int(np.ceil(end / spacing)) + 1)
    positions = np.linspace(0.0, end, count)
    spacing = end / (count - 1)
    if lattice:
        positions = np.unique(np.round(positions))
    everywhere = positions
    weights = best_weights(*rows(positions))
    while spacing > finest:
        heavy = positions[weights > _LIGHT]
        step = spacing / 4
        around = heavy[:, None] + step * np.arange(-5, 6)[None, :]
        if lattice:
            around = np.round(around)
        around = around.ravel()
        # Rounding to the step's own grid lets neighbours that came from two sides be one point.
        kept = np.clip(around if lattice else np.round(around / step * 8) * step / 8, 0.0, end)
        # A point that got no mass on a coarse grid may deserve some on a finer one, so all of the first stay in.
        positions, spacing = np.unique(np.concatenate([kept, everywhere])), step
        weights = best_weights(*rows(positions))
    if lattice:
        return positions, weights
    return _merged(rows, positions, weights, reach=3 * spacing)


def _merged(rows: Rows, positions: FloatArray, weights: FloatArray, reach: float) -> tuple[FloatArray, FloatArray]:
    heavy = weights > _LIGHT
    points, masses = positions[heavy], weights[heavy]
    groups = np.split(np.arange(len(points)), np.flatnonzero(np.diff(points) > reach) + 1)
    centres = np.array([float(points[group] @ masses[group] / masses[group].sum()) for group in groups])
    # The outermost mass belongs at the end of the scale, and mass around the middle is one point and its mirror image.
    centres[-1] = positions[-1]
    if centres[0] < reach:
        centres[0] = 0.0
    return centres, best_weights(*rows(centres))


def mirrored(positions: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the law on both sides of 0."""
    middle = positions == 0
    outer, mass = positions[~middle], weights[~middle] / 2
    return (
        np.concatenate([-outer[::-1], positions[middle], outer]),
        np.concatenate([mass[::-1], weights[middle], mass]),
    )


def _longest(point: FloatArray, direction: FloatArray) -> float:
    """How far one may go along `direction` and stay positive, at most one full step."""
    falling = direction < 0
    if not falling.any():
        return 1.0
    return min(1.0, 0.995 * float((-point[falling] / direction[falling]).min()))
