"""Spaces of masks, numbered: each c-dimensional space of t-bit masks has a number below [t, c]_2, and the way back.

A space is told by its reduced basis: each row has a pivot, its lowest bit, where no other row has one, and any bits at
the higher places that are no pivots. Places are gone through from the lowest. Of the spaces with r rows on m places
those with a pivot at the first come first: [m-1, r-1]_2 for each way to fill the row's other m - r places, in order. So
the spaces that hold the first s unit masks are those with the first numbers, and 0 is the space of the first c unit
masks. :mod:`sfumato.mechanisms.mask_kernel` has the same in compiled passes.   Theory: docs/theory/flags.md
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

MOST_CODE_BITS = 62
"""Numbers of spaces, with an element of the field beside, fit a signed word."""

Table = npt.NDArray[np.int64]


@lru_cache(maxsize=4096)
def spaces(length: int, dimension: int) -> int:
    """[length, dimension]_2, how many spaces of masks there are."""
    if not 0 <= dimension <= length:
        return 0
    found = 1
    for i in range(dimension):
        found = found * ((1 << (length - i)) - 1) // ((1 << (i + 1)) - 1)
    return found


@lru_cache(maxsize=32)
def space_table(length: int, dimension: int) -> Table:
    """All counts of spaces that numbers up to [length, dimension]_2 are made of; others are 0."""
    table = np.zeros((length + 1, dimension + 1), dtype=np.int64)
    for m in range(length + 1):
        for r in range(min(m, dimension) + 1):
            if length - m >= dimension - r:  # others do not occur, and may not fit a word
                table[m, r] = spaces(m, r)
    table.setflags(write=False)
    return table


def rows_of_space(code: int, length: int, dimension: int) -> tuple[int, ...]:
    """Return the reduced basis of the space with a number, by the definition."""
    pivots, fillings, left = [], [], dimension
    for place in range(length):
        if not left:
            break
        block = spaces(length - place - 1, left - 1)
        lead = block << (length - place - left)
        if code < lead:
            pivots.append(place)
            fillings.append(code // block)
            code, left = code % block, left - 1
        else:
            code -= lead
    return tuple(
        (1 << pivot) | _deposited(filling, [p for p in range(pivot + 1, length) if p not in pivots])
        for pivot, filling in zip(pivots, fillings, strict=True)
    )


def code_of_space(rows: tuple[int, ...], length: int) -> int:
    """Return the number of the space that independent masks span, by the definition."""
    reduced = reduced_rows(rows)
    pivots = [(row & -row).bit_length() - 1 for row in reduced]
    code, left = 0, len(reduced)
    for place in range(length):
        if not left:
            break
        block = spaces(length - place - 1, left - 1)
        if place in pivots:
            row = reduced[pivots.index(place)]
            others = [p for p in range(place + 1, length) if p not in pivots]
            code += block * sum(((row >> p) & 1) << i for i, p in enumerate(others))
            left -= 1
        else:
            code += block << (length - place - left)
    return code


def reduced_rows(rows: tuple[int, ...]) -> tuple[int, ...]:
    """Return the reduced basis of what masks span, by pivot."""
    found: list[int] = []
    for given in rows:
        row = given
        for other in found:
            if row & (other & -other):
                row ^= other
        if row:
            low = row & -row
            found = [other ^ row if other & low else other for other in found] + [row]
    return tuple(sorted(found, key=lambda row: row & -row))


def _deposited(filling: int, places: list[int]) -> int:
    return sum(((filling >> i) & 1) << place for i, place in enumerate(places))
