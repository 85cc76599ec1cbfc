"""The levels of a ladder: that they fall, and the step from one to the next."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from sfumato.errors import InvalidParameter
from sfumato.refine.rungs import Rung
from sfumato.refine.step_protocol import Step
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


def steps_between(rung: Rung, odds: Sequence[Fraction]) -> tuple[Step, ...]:
    """Return the shift of level 1, and what takes each level to the next."""
    below = [rung.step_down(upper, lower) for upper, lower in itertools.pairwise(odds)]
    return (rung.shift_at(odds[0]), *below)
