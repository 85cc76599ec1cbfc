"""Checking a largest capacity without searching for it: no selection of rows exceeds a stated limit.

Depth first, a part of each group at a time: where the capacity of all rows of a part stays within the limit, none of
its selections exceeds it; else the part is halved, down to single selections. The capacities come from the
interior-point method with its own certificate, so this shares nothing with the race that finds the largest.
Ref: [E, Thm 2]
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sfumato.errors import NotCertified
from sfumato.measures.capacity import capacity_with_witness
from sfumato.measures.individual.records import Places
from sfumato.prob import Channel
from sfumato.prob.exact import FloatArray

_MOST_PARTS = 100_000
# Wide enough to be quick, and far below the gap that a stated limit leaves.
_GAP_BITS = 1e-8


def none_exceeds(contests: Sequence[tuple[FloatArray, ...]], limit_bits: float) -> bool:
    """Whether every selection of one row from each group of a contest has a capacity within the limit."""
    left = [(groups, tuple(np.arange(len(group)) for group in groups)) for groups in contests]
    for _ in range(_MOST_PARTS):
        if not left:
            return True
        groups, part = left.pop()
        if _stays_within(groups, part, limit_bits):
            continue
        sizes = [len(places) for places in part]
        if max(sizes) == 1:
            return False
        left += [(groups, half) for half in _halves(groups, part)]
    raise NotCertified(
        f"the limit could not be checked on all selections in {_MOST_PARTS} steps", way_out="State a larger `gap_bits`."
    )


def _stays_within(groups: tuple[FloatArray, ...], part: tuple[Places, ...], limit_bits: float) -> bool:
    rows = np.vstack([group[places] for group, places in zip(groups, part, strict=True)])
    most = math.log2(min(len(groups), rows.shape[1]))
    if (1 - rows.min(axis=0).sum()) * most <= limit_bits:
        return True
    return capacity_with_witness(Channel(rows), gap_bits=_GAP_BITS)[0].upper <= limit_bits


def _halves(groups: tuple[FloatArray, ...], part: tuple[Places, ...]) -> list[tuple[Places, ...]]:
    """Cut the group that spreads most across the direction in which it does, through its middle."""
    kept = [group[places] for group, places in zip(groups, part, strict=True)]
    a = int(np.argmax([float(np.ptp(rows, axis=0).sum()) if len(rows) > 1 else -1.0 for rows in kept]))
    rows = kept[a]
    _, _, directions = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    order = np.argsort(rows @ directions[0], kind="stable")
    middle = len(order) // 2
    return [(*part[:a], part[a][np.sort(side)], *part[a + 1 :]) for side in (order[:middle], order[middle:])]
