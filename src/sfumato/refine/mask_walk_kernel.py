"""All steps of a ladder of flags in one compiled pass over rows: words to spaces, one above the other, to an element.

What the steps say one after the other (:mod:`sfumato.refine.mask_steps`), but spaces between them are kept as bases and
never numbered. Of each step a row has a lane of two words. The high half is the coin's: below the border it falls on 1,
at `undecided` it goes on; the low half is the place's, with the high half of the lane after it where places are many. A
coin that is not thrown takes no word. A place is a word modulo the number of places, unless it lies beyond the last
full multiple: with `share` = ⌊(2^32 - 1)/size⌋ ≥ 2^32/size - 1, the quotient of a place below 2^32 by `size` is
⌊place·share/2^32⌋ or one more. Import this module only when there is something to draw: the compiler behind it takes a
second to load.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from sfumato.mechanisms.space_kernel import (
    MOST_ROWS,
    number_element,
    number_space,
    put_above,
    put_in_order,
    spell_beside,
    spell_space,
)

Words = npt.NDArray[np.uint64]
Whole = npt.NDArray[np.int64]

SPARE, BORDER, UNDECIDED, FIRST = range(4)
"""What a step compares words with: bits that are not used, the coin's border, where it goes on; then for each class:"""
SIZE, LAST, SHARE, WIDE = range(4)
"""How many places it has, the last word that is taken, ⌊(2^32 - 1)/size⌋; 1 + the bits that are not used where a place
takes two words, and else 0."""
LOW, HIGH, ABOVE, EVERY, AFTER, THROWN = range(6)
"""And the numbers of a step: dimensions, where its tables begin, the lanes after its first, if a coin is thrown."""

_ONE, _HALF, _REST = np.uint64(1), np.uint64(32), np.uint64((1 << 32) - 1)


@numba.njit(cache=True, nogil=True, inline="always", error_model="numpy")
def _place(lane: np.uint64, after: np.uint64, words: Words, step: int, at: int, thrown: int) -> tuple[Any, Any]:
    """The place that words stand for among those of a class, and whether they lie beyond its last full multiple."""
    size, last, wide = words[step, at + SIZE], words[step, at + LAST], words[step, at + WIDE]
    if wide:
        word = (((lane & _REST) << _HALF) | (after >> _HALF) if thrown else lane) >> (wide - _ONE)
        return np.int64(word % size), word > last
    word = (lane & _REST if thrown else lane >> _HALF) >> words[step, SPARE]
    rest = word - ((word * words[step, at + SHARE]) >> _HALF) * size
    return np.int64(rest - size if rest >= size else rest), word > last


@numba.njit(cache=True, nogil=True, error_model="numpy")
def walk(
    lanes: Words,
    words: Words,
    shapes: Whole,
    tables: Whole,
    length: int,
    public: int,
    steps: int,
    codes: Whole,
    left: npt.NDArray[np.bool_],
) -> int:
    """Draw a space, or an element, for each row, from the public space up; return how many rows need more words.

    `steps` are how many steps lead to spaces; where there is one more, it leads to an element.
    """
    rows, top, found = np.empty(MOST_ROWS, dtype=np.int64), shapes[steps - 1, HIGH] if steps else shapes[0, LOW], 0
    first, free, even, other = shapes[0, LOW], length - top, FIRST, FIRST + 4
    for row in range(codes.size):
        is_left, pivots = False, (1 << first) - 1
        for number in range(first):
            rows[number] = 1 << number
        for step in range(steps):
            lane, after, thrown = lanes[step, row], lanes[shapes[step, AFTER], row], shapes[step, THROWN]
            coin = (lane >> _HALF) >> words[step, SPARE]
            is_left |= coin == words[step, UNDECIDED]
            low, high = shapes[step, LOW], shapes[step, HIGH]
            if coin < words[step, BORDER]:
                place, is_beyond = _place(lane, after, words, step, other, thrown)
                is_left |= is_beyond
                pivots = spell_space(place, tables, shapes[step, EVERY], rows)
            elif low < high:
                place, is_beyond = _place(lane, after, words, step, even, thrown)
                is_left |= is_beyond
                spell_beside(place, tables, shapes[step, ABOVE], rows, low)
                pivots = put_above(rows, low, high, pivots)
        if steps < shapes.shape[0]:
            lane, after, thrown = lanes[steps, row], lanes[shapes[steps, AFTER], row], shapes[steps, THROWN]
            coin = (lane >> _HALF) >> words[steps, SPARE]
            is_odd = coin < words[steps, BORDER]
            place, is_beyond = _place(lane, after, words, steps, other if is_odd else even, thrown)
            is_left |= is_beyond | (coin == words[steps, UNDECIDED])
            odd = (place >> free) + 1 if is_odd else 0
            place = place & ((1 << free) - 1) if is_odd else place + 1
            codes[row] = number_element(rows, top, pivots, place, odd, length, public)
        else:
            put_in_order(rows, top)
            codes[row] = number_space(rows, pivots, tables, shapes[steps - 1, EVERY])
        left[row] = is_left
        found += is_left
    return found
