"""The levels of a ladder: that they fall, and the step from one to the next."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from sfumato.errors import InvalidParameter
from sfumato.refine.rungs import Rung
from sfumato.refine.shifts import TwoLevelShift
from sfumato.values.checks import as_number

Number = TypeVar("Number", float, Fraction)

MOST_LEVELS = 32


def descending(name: str, values: Sequence[Number]) -> tuple[Number, ...]:
    """Return levels that fall strictly."""
    given: Any = values
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidParameter(
            "must be a list with one number for each level", parameter=name, way_out="Write it like [2.0, 1.0, 0.5]."
        )
    levels = tuple(values)
    for value in levels:
        as_number(name, value)
    if not 1 <= len(levels) <= MOST_LEVELS:
        raise InvalidParameter(
            f"must have between 1 and {MOST_LEVELS} levels, not {len(levels)}",
            parameter=name,
            way_out="Give one number for each level.",
        )
    if any(not upper > lower for upper, lower in itertools.pairwise(levels)):
        raise InvalidParameter(
            "must fall from level to level, sharpest first", parameter=name, way_out="Sort them, each once."
        )
    return levels


def inside_weight(favoured: int, modulus: int, odds: Fraction) -> Fraction:
    """P(in the favoured set) when each member is `odds` times as probable as any other shift."""
    return favoured * odds / (favoured * odds + modulus - favoured)


def steps_between(rung: Rung, odds: Sequence[Fraction]) -> tuple[TwoLevelShift, ...]:
    """Return the shift of level 1, and what takes each level to the next.

    A two-level law is uniform but for a part c = P(one favoured) - P(one other); the step that takes c to c' keeps
    the report with probability c'/c, and else replaces it by a uniform one.
    """
    modulus, favoured = rung.modulus, rung.favoured_shifts
    laws = [
        TwoLevelShift(modulus=modulus, favoured=favoured, inside=inside_weight(favoured.size, modulus, value))
        for value in odds
    ]
    parts = [high - low for high, low in (law.probabilities for law in laws)]
    below = [TwoLevelShift.erasure(modulus, 1 - lower / upper) for upper, lower in itertools.pairwise(parts)]
    return (laws[0], *below)
