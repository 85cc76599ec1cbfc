"""Numbers of spaces of masks to bases and back, compiled, for the passes that other kernels make over columns.

What :mod:`sfumato.mechanisms.mask_spaces` defines, read from its tables; a table may stand anywhere in a longer one, so
a pass over several steps takes all of theirs as one. Import this module only when there is something to draw.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from numba.extending import intrinsic

from sfumato.bits.compiling import numba
from sfumato.mechanisms.mask_spaces import (
    BESIDE,
    DIGIT,
    ENTRY,
    FILLINGS,
    GUESSES,
    HELD,
    LEADING,
    OFFSET,
    PIVOTS,
    RANKS,
    ROWS,
    SHIFT,
)

Whole = npt.NDArray[np.int64]
AnyWhole = npt.NDArray[Any]

MOST_ROWS = 64
_ONES = (1 << DIGIT) - 1
_CHOOSE = np.array([[math.comb(n, r) for r in range(16)] for n in range(1 << DIGIT)], dtype=np.int64)


def _counted(typing_context: Any, value: Any) -> Any:  # noqa: ARG001  numba calls it so

    def generated(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.ctpop(arguments[0])

    return value(value), generated


popcount: Any = intrinsic(_counted)
"""How many bits are set."""


@numba.njit(cache=True, nogil=True, inline="always", error_model="numpy")
def spread(value: int, pivots: int) -> int:
    """Make room at the pivots: bits go to the places between them, the first to the lowest."""
    while pivots:
        pivot = pivots & -pivots
        pivots ^= pivot
        value += value & -pivot  # what is not below the pivot moves up by one
    return value


@numba.njit(cache=True, nogil=True, inline="always", error_model="numpy")
def _closed(value: int, pivots: int) -> int:
    """Take the places of the pivots out, where no bit is."""
    gone = 0
    while pivots:
        pivot = (pivots & -pivots) >> gone
        pivots &= pivots - 1
        value -= (value & -pivot) >> 1
        gone += 1
    return value


@numba.njit(cache=True, nogil=True, inline="always", error_model="numpy")
def spell_beside(code: int, table: Whole, at: int, rows: AnyWhole, first: int, apart: int = 1) -> int:
    """Write the reduced basis of a numbered space, where no masks come first; return its pivots.

    Its rows stand at `first` and so far `apart`. The filling is taken from its end, so the last row is the first.
    """
    count = table[at + ROWS]
    if count < 2:
        rows[first] = code + 1
        return (code + 1) & -(code + 1) if count else 0
    entry = at + table[at + table[at + GUESSES] + (code >> table[at + SHIFT])]
    while code >= table[entry + ENTRY]:  # where the next one starts
        entry += ENTRY
    filling, pivots = code - table[entry + OFFSET], 0
    places, sizes = table[entry + PIVOTS], table[entry + FILLINGS]
    for number in range(count - 1, -1, -1):
        low, size = 1 << ((places >> (DIGIT * number)) & _ONES), (sizes >> (DIGIT * number)) & _ONES
        rows[first + number * apart] = low | spread((filling & ((1 << size) - 1)) * (low + low), pivots)
        filling >>= size
        pivots |= low
    return pivots


@numba.njit(cache=True, nogil=True, error_model="numpy")
def spell_space(code: int, table: Whole, at: int, rows: AnyWhole, first: int = 0, apart: int = 1) -> int:
    """Write the reduced basis of a numbered space; return its pivots."""
    if code >= table[at + LEADING]:
        return int(spell_beside(code, table, at, rows, first, apart))
    held = table[at + HELD]
    pivots = spell_beside(code, table, at + table[at + BESIDE], rows, first + held * apart, apart)
    for number in range(held):
        rows[first + number * apart] = 1 << number
    for number in range(held, table[at + ROWS]):
        rows[first + number * apart] <<= held
    return int((pivots << held) | ((1 << held) - 1))


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _number_beside(rows: Whole, first: int, pivots: int, table: Whole, at: int) -> int:
    """The number of the space whose reduced basis stands in `rows` from `first` on, moved up by as many places."""
    count = table[at + ROWS]
    if count < 2:
        return int((rows[first] >> first) - 1) if count else 0
    rank, waiting = np.int64(0), pivots
    for number in range(count):
        rank += _CHOOSE[popcount((waiting & -waiting) - 1), number + 1]
        waiting &= waiting - 1
    entry = at + table[at + table[at + RANKS] + rank]
    sizes, filling, waiting = table[entry + FILLINGS], 0, pivots
    for number in range(count):
        low = waiting & -waiting
        waiting ^= low
        mine = _closed((rows[first + number] >> first) ^ low, waiting) >> popcount(low + low - 1)
        filling = (filling << ((sizes >> (DIGIT * number)) & _ONES)) | mine
    return int(table[entry + OFFSET]) + filling


@numba.njit(cache=True, nogil=True, error_model="numpy")
def number_space(rows: Whole, pivots: int, table: Whole, at: int) -> int:
    """The number of the space whose reduced basis stands in `rows`, by pivot."""
    held = table[at + HELD] if table[at + ROWS] > 1 else 0
    is_leading = held > 0
    for number in range(held):
        is_leading &= rows[number] == 1 << number
    if is_leading:
        return _number_beside(rows, held, pivots >> held, table, at + table[at + BESIDE])
    return _number_beside(rows, 0, pivots, table, at)


@numba.njit(cache=True, nogil=True, inline="always", error_model="numpy")
def put_above(rows: Whole, low: int, high: int, pivots: int) -> int:
    """Make one reduced basis of that of a space and of what was spelled behind it; return all pivots.

    Spaces above it are spaces of what is left when its pivots are taken out.
    """
    taken = pivots
    for number in range(low, high):
        row = spread(rows[number], taken)
        pivot = row & -row
        for older in range(low):
            rows[older] ^= row & -np.int64((rows[older] & pivot) != 0)
        rows[number] = row
        pivots |= pivot
    return pivots


@numba.njit(cache=True, nogil=True, error_model="numpy")
def put_in_order(rows: Whole, count: int) -> None:
    """Sort rows by their pivots."""
    for number in range(1, count):
        row, place = rows[number], number
        while place > 0 and (rows[place - 1] & -rows[place - 1]) > (row & -row):
            rows[place] = rows[place - 1]
            place -= 1
        rows[place] = row


@numba.njit(cache=True, nogil=True, inline="always", error_model="numpy")
def number_element(rows: Whole, count: int, pivots: int, place: int, odd: int, length: int, public: int) -> int:
    """The number of the element whose bits beside the pivots are those of `place`, and whose masks are as `odd` says.

    Bit i of `odd` is for the row with the i-th pivot; rows may stand in any order. Elements are numbered so that those
    at which the first `public` unit masks are even come first.
    """
    element, own = spread(place, pivots), 0
    for number in range(count):
        row = rows[number]
        low = row & -row
        own |= low & -((popcount(row & element) ^ (odd >> popcount(pivots & (low - 1)))) & 1)
    element |= own
    first, rest = element & ((1 << public) - 1), element >> public
    return rest - 1 if first == 0 else (first << (length - public)) + rest - 1
