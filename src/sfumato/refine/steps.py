"""The levels of a ladder, that they fall; and steps that know nothing of one another."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from sfumato.errors import InvalidParameter
from sfumato.values.checks import as_number

Number = TypeVar("Number", float, Fraction)

MOST_LEVELS = 32


class OneByOne:
    """What steps share that are drawn one after the other, whatever the others are."""

    __slots__ = ()

    @staticmethod
    def together(steps: Sequence[Any]) -> None:
        """Steps are drawn one by one."""
        del steps


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
