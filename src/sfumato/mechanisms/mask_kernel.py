"""Spaces of masks in compiled passes: spaces above a space, answers hidden, reports undone, masks counted.

What :mod:`sfumato.mechanisms.mask_spaces` defines, for columns. Integers only: what is drawn is what the laws say.
Import this module only when there is something to draw: the compiler behind it takes a second to load.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.bits.compiling import numba
from sfumato.mechanisms.space_kernel import (
    MOST_ROWS,
    number_element,
    number_space,
    popcount,
    put_above,
    put_in_order,
    spell_beside,
    spell_space,
    spread,
)

Whole = npt.NDArray[np.int64]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def climb(
    codes: Whole,
    erased: npt.NDArray[np.uint8],
    places: Whole,
    low: int,
    high: int,
    tables: tuple[Whole, Whole, Whole],
) -> None:
    """Replace spaces of dimension `low` by those of dimension `high` that were drawn: any, or one above."""
    rows = np.empty(MOST_ROWS, dtype=np.int64)
    for row in range(codes.size):
        if erased[row]:
            codes[row] = places[row]
        elif low < high:
            pivots = spell_space(codes[row], tables[0], 0, rows)
            spell_beside(places[row], tables[1], 0, rows, low)
            pivots = put_above(rows, low, high, pivots)
            put_in_order(rows, high)
            codes[row] = number_space(rows, pivots, tables[2], 0)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def hide(
    codes: Whole,
    outside: npt.NDArray[np.uint8],
    places: Whole,
    length: int,
    dimension: int,
    public: int,
    table: Whole,
) -> None:
    """Replace spaces by numbers of elements that were drawn: all masks of the space are even at it, or not all.

    Elements are numbered so that those at which the first `public` unit masks are even come first.
    """
    rows, free = np.empty(MOST_ROWS, dtype=np.int64), length - dimension
    for row in range(codes.size):
        place, odd = places[row] + 1, 0
        if outside[row]:
            odd, place = (places[row] >> free) + 1, places[row] & ((1 << free) - 1)
        pivots = spell_space(codes[row], table, 0, rows)
        codes[row] = number_element(rows, dimension, pivots, place, odd, length, public)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def shifts_of_numbers(
    numbers: npt.NDArray[np.int64],
    publics: Whole,
    length: int,
    public: int,
    table: Whole,
    logs: Whole,
    shifts: Whole,
) -> None:
    """By how much each numbered element shifts an answer, where the masks of its row are those of a public space."""
    rows = np.empty(MOST_ROWS, dtype=np.int64)
    favoured, order = (1 << (length - public)) - 1, (1 << length) - 1
    for row in range(numbers.size):
        number, odd = numbers[row], 0
        even = number + 1
        if number >= favoured:
            odd = ((number - favoured) >> (length - public)) + 1
            even = (number - favoured) & favoured
        element = odd | (even << public)
        if publics.size and publics[row]:
            pivots = spell_space(publics[row], table, 0, rows)
            element = spread(even, pivots)
            waiting, bits = pivots, 0
            for place in range(public):
                low = waiting & -waiting
                waiting ^= low
                if (popcount(rows[place] & element) ^ (odd >> place)) & 1:
                    bits |= low
            element |= bits
        log = logs[element]
        shifts[row] = order - log if log else 0


@numba.njit(cache=True, nogil=True, error_model="numpy")
def count_masks(
    symbols: Whole,
    codes: Whole,
    publics: Whole,
    length: int,
    dimension: int,
    public: int,
    tables: tuple[Whole, Whole],
    masks: Whole,
    mask_logs: Whole,
    counts: Whole,
) -> None:
    """Count every mask of every report: the space of its level, moved to the row's public masks and by its symbol."""
    rows, base = np.empty(MOST_ROWS, dtype=np.int64), np.empty(MOST_ROWS, dtype=np.int64)
    order = (1 << length) - 1
    for row in range(symbols.size):
        spell_space(codes[row], tables[0], 0, rows)
        is_moved = publics.size > 0 and publics[row] > 0
        taken = 0
        if is_moved:
            taken = spell_space(publics[row], tables[1], 0, base)
        for number in range(dimension):
            mask = rows[number]
            if is_moved:
                moved = spread(mask >> public, taken)
                for place in range(public):
                    if (mask >> place) & 1:
                        moved ^= base[place]
                mask = moved
            log = mask_logs[mask] - symbols[row]
            rows[number] = masks[log + order if log < 0 else log]
        mask = 0
        counts[0] += 1
        for step in range(1, 1 << dimension):  # each differs from the one before by one row
            changed, number = step, 0
            while not changed & 1:
                changed >>= 1
                number += 1
            mask ^= rows[number]
            counts[mask] += 1
