"""The law of the shift U of a circulant channel Y = X + U mod K: its levels, and which of them each shift has."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidLaw
from sfumato.numbers.checks import Number, check_at_least, check_between, check_integer
from sfumato.numbers.columns import distinct
from sfumato.numbers.exact import LawLike, check_law

CodeArray = npt.NDArray[np.int32]


class ShiftLaw(NamedTuple):
    """The distinct probabilities of U, ascending, the place of each shift's among them, and the number of inputs."""

    levels: tuple[Number, ...]
    codes: CodeArray
    input_count: int

    def rows(self) -> list[tuple[Number, ...]]:
        """Write out the entries of the channel."""
        return [tuple(self.levels[code] for code in np.roll(self.codes, x)) for x in range(self.input_count)]


def law_of_shifts(law: LawLike, input_count: int | None = None) -> ShiftLaw:
    """U has the probability `law[u]` at each shift u."""
    numbers = check_law("law", law)
    levels = tuple(sorted(set(numbers)))
    rank = {value: code for code, value in enumerate(levels)}
    return checked_law(levels, np.array([rank[value] for value in numbers], dtype=np.int32), input_count)


def two_level_law(*, size: int, support: Iterable[int], odds: Fraction, input_count: int | None = None) -> ShiftLaw:
    """U favours the shifts in `support` over the others by exactly `odds`."""
    check_at_least("size", check_integer("size", size), 2)
    check_at_least("odds", odds, 1)
    shifts = distinct(np.fromiter((check_integer("support", u) for u in support), dtype=np.int64))
    if not 0 < len(shifts) < size or shifts[0] < 0 or shifts[-1] >= size:
        raise InvalidLaw(
            f"must hold between 1 and {size - 1} different shifts from 0 to {size - 1}",
            parameter="support",
            way_out="Reduce the shifts modulo `size` first.",
        )
    low = Fraction(1) / (len(shifts) * Fraction(odds) + size - len(shifts))
    codes = np.zeros(size, dtype=np.int32)
    if odds > 1:
        codes[shifts] = 1
    levels = (low, low * Fraction(odds)) if odds > 1 else (low,)
    return checked_law(levels, codes, input_count)


def checked_law(levels: tuple[Number, ...], codes: CodeArray, input_count: int | None) -> ShiftLaw:
    """Return the law with its number of inputs, which is the number of shifts where it is left out."""
    count = len(codes) if input_count is None else check_integer("input_count", input_count)
    check_between("input_count", count, 1, len(codes))
    codes.setflags(write=False)
    return ShiftLaw(levels, codes, count)
