"""Which sets serve levels best: how many members each level's have, chosen together.

A level of odds o wants about k/(o+1) members. Going down from d to d' ≥ d members leaves odds 1 + (o-1)d/d', and the
next level can be made only where that is no less than its own odds.   Theory: docs/theory/flags.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sfumato.mechanisms.favoured_sets import least_noise
from sfumato.mechanisms.numbered_sets import MOST_SET_BITS
from sfumato.mechanisms.sets import set_noise

# Odds are rounded down when levels are made, and what is left by a step must stay above them.
_MARGIN = 1e-6


def is_numbered(size: int, chosen: int) -> bool:
    """Whether the number of a set, with a report beside, fits a word."""
    return math.comb(size, chosen) * size <= 1 << MOST_SET_BITS


def best_sizes(size: int, odds: Sequence[float]) -> tuple[int, ...]:
    """Return the sizes of sets, sharpest level first, whose worst noise over the least is smallest at even shares.

    Going down the levels, of each size the best way to get there; sets of all levels but the public one are numbered.
    """
    ways: dict[int, tuple[float, float, tuple[int, ...]]] = {}
    for number, value in enumerate(odds):
        found: dict[int, tuple[float, float, tuple[int, ...]]] = {}
        for chosen in range(1, size):
            if number < len(odds) - 1 and not is_numbered(size, chosen):
                continue
            ratio = set_noise(size, chosen, value, 1 / size) / least_noise(value)
            before = [
                way
                for above, way in ways.items()
                if above == chosen
                or (above < chosen and 1 + (odds[number - 1] - 1) * above / chosen >= value * (1 + _MARGIN))
            ]
            if number == 0:
                before = [(0.0, 0.0, ())]
            if before:
                found[chosen] = min((max(way[0], ratio), way[1] + ratio, (*way[2], chosen)) for way in before)
        ways = found
    return min(ways.values())[2]
