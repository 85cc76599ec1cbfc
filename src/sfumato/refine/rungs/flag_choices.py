"""Which spaces of masks serve levels best: the length of masks and the dimension of each level, chosen together.

A level of odds o wants 2^c near o + 1. Going down from dimension c to c' leaves odds 1 + (o-1)(2^(t-c)-1)/(2^(t-c')-1),
and the next level can be made only where that is no less than its own odds; dimensions never grow. A longer mask than
answers need sometimes fits better.   Theory: docs/theory/flags.md
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

from sfumato.mechanisms.favoured_sets import least_noise
from sfumato.mechanisms.flags import dimensions_for, lengths_for, mask_noise

Odds = TypeVar("Odds", float, Fraction)

# Odds are rounded down when levels are made, and what is left by a step must stay above them.
_MARGIN = 1e-6
# A shorter report is worth this much noise.
_WORTH = 1.001


def odds_below(odds: Odds, length: int, above: int, below: int) -> Odds:
    """Return the odds of a uniform space of dimension `below` in one of dimension `above`, which has these odds."""
    return 1 + (odds - 1) * ((1 << (length - above)) - 1) / ((1 << (length - below)) - 1)


def best_dimensions(size: int, odds: Sequence[float]) -> tuple[int, tuple[int, ...]]:
    """Return the length and the dimensions, sharpest level first, whose worst noise over the least is smallest.

    Of lengths within a thousandth of the best the shortest is taken: shorter reports, quicker decoding.
    """
    judged = [(*_for_length(length, odds), length) for length in lengths_for(size)]
    least = min(worst for worst, _, _ in judged)
    _, chosen, length = next(one for one in judged if one[0] <= _WORTH * least)
    return length, chosen


def _for_length(length: int, odds: Sequence[float]) -> tuple[float, tuple[int, ...]]:
    """Go down the levels: of each dimension, the best way to get there."""
    ways: dict[int, tuple[float, float, tuple[int, ...]]] = {}
    for number, value in enumerate(odds):
        found: dict[int, tuple[float, float, tuple[int, ...]]] = {}
        for dimension in dimensions_for(length):
            ratio = mask_noise(length, dimension, value) / least_noise(value)
            before = (
                [(0.0, 0.0, ())]
                if number == 0
                else [
                    way
                    for above, way in ways.items()
                    if above == dimension
                    or (
                        above > dimension
                        and odds_below(odds[number - 1], length, above, dimension) >= value * (1 + _MARGIN)
                    )
                ]
            )
            if before:
                worst, total, path = min((max(way[0], ratio), way[1] + ratio, (*way[2], dimension)) for way in before)
                found[dimension] = worst, total, path
        ways = found
    worst, _, path = min(ways.values())
    return worst, path
