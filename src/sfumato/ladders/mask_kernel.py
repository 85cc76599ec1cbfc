"""Compiled loop over all steps of a ladder of flags.

It computes what the steps compute one after the other (:mod:`sfumato.ladders.nested_steps`), but spaces between them
are kept as bases and never numbered. For each step a row has a lane of two words. The high half is the coin's: below
the border it falls on 1, at `undecided` the next word decides. The low half is the place's, with the high half of the
lane after it where places are many. A coin that is not thrown takes no word. A place is a word modulo the number of
places, unless it lies beyond the last full multiple: with `share` = ⌊(2^32 - 1)/size⌋ ≥ 2^32/size - 1, the quotient of
a place below 2^32 by `size` is ⌊place·share/2^32⌋ or one more.

Rows are processed in tiles of some hundreds, which stay in the processor's cache. Masks of the same number in all of
them are adjacent, in words of 32 bits, so that all that does not depend on a row's own words is computed for several
rows at once. Import this module only when there is something to draw: the compiler takes a second to load.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.mechanisms.set_kernels import MOST_ROWS, number_space, put_in_order, spell_beside, spell_space
from sfumato.sampling.compiling import numba

Words = npt.NDArray[np.uint64]
Whole = npt.NDArray[np.int64]
Masks = npt.NDArray[np.int32]

SPARE, BORDER, UNDECIDED, FIRST = range(4)
"""What a step compares words with: bits that are not used, the coin's border, where it goes on; then for each class:"""
SIZE, LAST, SHARE, WIDE = range(4)
"""How many places it has, the last word that is taken, ⌊(2^32 - 1)/size⌋; 1 + the bits that are not used where a place
takes two words, and else 0."""
LOW, HIGH, ABOVE, EVERY, AFTER, THROWN = range(6)
"""And the numbers of a step: dimensions, where its tables begin, the lanes after its first, if a coin is thrown."""

_TILE = 512
_MOST_MASKS = 16
_ONE, _HALF, _REST = np.uint64(1), np.uint64(32), np.uint64((1 << 32) - 1)
_SECOND = FIRST + WIDE + 1


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
def _spell(
    lanes: Words,
    words: Words,
    shapes: Whole,
    tables: Whole,
    step: int,
    start: int,
    count: int,
    masks: Masks,
    pivots: Masks,
    taken: Masks,
    left: npt.NDArray[np.bool_],
) -> None:
    """Write what a step draws for each row: masks behind those it has, or all; `taken` are the pivots of those kept."""
    low, high, every, above = shapes[step, LOW], shapes[step, HIGH], shapes[step, EVERY], shapes[step, ABOVE]
    spare, border, undecided = words[step, SPARE], words[step, BORDER], words[step, UNDECIDED]
    later, thrown = shapes[step, AFTER], shapes[step, THROWN]
    for row in range(count):
        lane, after = lanes[step, start + row], lanes[later, start + row]
        coin, is_left = (lane >> _HALF) >> spare, left[start + row]
        if coin < border:
            place, is_beyond = _place(lane, after, words, step, _SECOND, thrown)
            pivots[row] = spell_space(place, tables, every, masks, row, _TILE)
            taken[row] = 0  # so that nothing is put above anything
        else:
            place, is_beyond = _place(lane, after, words, step, FIRST, thrown)
            if low < high:
                spell_beside(place, tables, above, masks, row + low * _TILE, _TILE)
            taken[row] = pivots[row]
        left[start + row] = is_left | is_beyond | (coin == undecided)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _spread_all(mask: Masks, taken: Masks, times: int, waiting: Masks) -> None:
    """Shift bits so that the pivots that were taken are free, in each row."""
    waiting[:] = taken
    for _ in range(times):
        for row in range(mask.size):
            pivot = np.int32(waiting[row] & -waiting[row])
            waiting[row] ^= pivot
            mask[row] += mask[row] & -pivot


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _clear_all(older: Masks, mask: Masks) -> None:
    """Take the pivot of a mask out of an older one, in each row."""
    for row in range(mask.size):
        pivot = np.int32(mask[row] & -mask[row])
        older[row] ^= mask[row] if older[row] & pivot else 0


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _place_all(element: Masks, odd: Masks, pivots: Masks, times: int, own: Masks) -> None:
    """Write at the pivots which masks are to be odd, in each row; uses up `pivots` and `odd`."""
    own[:] = 0
    for _ in range(times):
        for row in range(element.size):
            pivot = np.int32(pivots[row] & -pivots[row])
            pivots[row] ^= pivot
            element[row] += element[row] & -pivot
            own[row] |= pivot & -(odd[row] & 1)
            odd[row] >>= 1


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _mend_all(mask: Masks, element: Masks, own: Masks) -> None:
    """Set the pivot where a mask is odd beside it, in each row."""
    for row in range(mask.size):
        shared = np.int32(mask[row] & element[row])
        shared = np.int32(shared ^ (shared >> np.int32(16)))
        shared = np.int32(shared ^ (shared >> np.int32(8)))
        shared = np.int32(shared ^ (shared >> np.int32(4)))
        shared = np.int32(shared ^ (shared >> np.int32(2)))
        shared = np.int32(shared ^ (shared >> np.int32(1)))
        own[row] ^= mask[row] & -mask[row] & -(shared & 1)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _draw_elements(
    lanes: Words,
    words: Words,
    shapes: Whole,
    step: int,
    start: int,
    free: int,
    element: Masks,
    odd: Masks,
    left: npt.NDArray[np.bool_],
) -> None:
    """Read for each row which bits its element has beside the pivots, and which masks are odd at it."""
    spare, border, undecided = words[step, SPARE], words[step, BORDER], words[step, UNDECIDED]
    later, thrown = shapes[step, AFTER], shapes[step, THROWN]
    for row in range(element.size):
        lane, after = lanes[step, start + row], lanes[later, start + row]
        coin = (lane >> _HALF) >> spare
        is_odd = coin < border
        place, is_beyond = _place(lane, after, words, step, _SECOND if is_odd else FIRST, thrown)
        odd[row] = (place >> free) + 1 if is_odd else 0
        element[row] = place & ((1 << free) - 1) if is_odd else place + 1
        left[start + row] |= is_beyond | (coin == undecided)


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

    `steps` are how many steps lead to spaces; where there is one more, it leads to an element. Elements are numbered so
    that those at which the first `public` unit masks are even come first.
    """
    flat, basis = np.empty(_MOST_MASKS * _TILE, dtype=np.int32), np.empty(MOST_ROWS, dtype=np.int64)
    masks, more = flat.reshape(_MOST_MASKS, _TILE), np.empty((5, _TILE), dtype=np.int32)
    first, top = shapes[0, LOW], shapes[steps - 1, HIGH] if steps else shapes[0, LOW]
    left[:] = False
    for start in range(0, codes.size, _TILE):
        count = min(_TILE, codes.size - start)
        pivots, taken, waiting = more[0, :count], more[1, :count], more[2, :count]
        element, odd = more[3, :count], more[4, :count]
        for number in range(first):
            masks[number] = 1 << number
        pivots[:] = (1 << first) - 1
        for step in range(steps):
            _spell(lanes, words, shapes, tables, step, start, count, flat, pivots, taken, left)
            for number in range(shapes[step, LOW], shapes[step, HIGH]):
                mine = masks[number, :count]
                _spread_all(mine, taken, shapes[step, LOW], waiting)
                for older in range(shapes[step, LOW]):
                    _clear_all(masks[older, :count], mine)
                for row in range(count):
                    pivots[row] |= mine[row] & -mine[row]
        if steps < shapes.shape[0]:
            _draw_elements(lanes, words, shapes, steps, start, length - top, element, odd, left)
            _place_all(element, odd, pivots, top, waiting)
            for number in range(top):
                _mend_all(masks[number, :count], element, waiting)
            for row in range(count):
                found = element[row] | waiting[row]
                codes[start + row] = ((found & ((1 << public) - 1)) << (length - public)) + (found >> public) - 1
        else:
            for row in range(count):
                for number in range(top):
                    basis[number] = masks[number, row]
                put_in_order(basis, top)
                codes[start + row] = number_space(basis, pivots[row], tables, shapes[steps - 1, EVERY])
    return int(left.sum())
