"""The best input law of a noisy symmetric scale: which points carry mass, and how much.

Inputs are positions x ≥ 0 that stand for ±x with half the weight each: the noise is symmetric and the information is
concave in the law, so mirroring a law and mixing it with its image loses nothing. What is found here is a proposal
only; whoever states a bound evaluates the law again with its errors counted.   Ref: [Smi71]
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from sfumato.measures.capacity import interior_laws
from sfumato.measures.enclosures import LOG2_E
from sfumato.prob.exact import FloatArray

# (rows, own): the laws of ±x together over the outputs, and Σ W_x ln W_x for each x.
Rows = Callable[[FloatArray], tuple[FloatArray, FloatArray]]

_MOST_STEPS = 80
# Points lighter than this are dropped before the grid is refined around those that stay.
_LIGHT = 1e-7


def best_weights(rows: FloatArray, own: FloatArray, *, gap: float = 1e-12) -> FloatArray:
    """Return the law on these inputs that tells most, within `gap` nats or as near as doubles allow.

    A row here is the mean of two mirrored laws, so its own entropy is given apart.
    """
    best, least = np.full(len(rows), 1 / len(rows)), np.inf
    for law, gap_bits in itertools.islice(interior_laws(rows, own), _MOST_STEPS):
        if gap_bits < least:
            best, least = law, gap_bits
        if gap_bits <= gap * LOG2_E:
            break
    return best


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
