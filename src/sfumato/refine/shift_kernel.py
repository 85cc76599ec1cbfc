"""Words turned into two-level shifts in compiled passes: from the first two of each row, or from a stream of them.

Both say what :meth:`TwoLevelShift.draw_rows` says, and add the shifts to sums mod `modulus`. Below the border a row
lies outside, at it the coin goes on with the next word where the chance does; a place is a word modulo the number of
shifts at the level, unless it lies beyond the last full multiple. `sizes` are how many shifts lie inside and outside,
`lasts` the last words that are taken for a place among them; `order` holds the shifts by place, those inside first, and
is empty where each is its own place. Import this module only when there is something to draw: the compiler behind it
takes a second to load.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
Whole = npt.NDArray[np.int64]

DONE, LEVEL, DEPTH = 0, 1, 2
"""What the state of a stream holds: rows that are done; the level of the next, below 0 unknown; words its coin had."""


@numba.njit(cache=True, nogil=True)
def _is_left(word: np.uint64, place: np.uint64, border: np.uint64, is_open: bool, last: np.uint64) -> bool:
    """Whether a row is left to be drawn from more words than two."""
    return bool((is_open and word == border) or place > last)


@numba.njit(cache=True, nogil=True)
def add_first(
    blocks: Words,
    spare_bits: np.uint64,
    border: np.uint64,
    is_open: bool,
    sizes: Words,
    lasts: Words,
    order: npt.NDArray[Any],
    modulus: int,
    sums: npt.NDArray[Any],
) -> bool:
    """Add the shifts that the first two words of each row decide, and return whether some were left as they are."""
    inside, some_left = np.int64(sizes[0]), False
    for row in range(sums.size):
        word, place = blocks[row, 0] >> spare_bits, blocks[row, 1] >> spare_bits
        outside = 1 if word < border else 0
        is_left = _is_left(word, place, border, is_open, lasts[outside])
        some_left |= is_left
        # The place among one is always 0, and no word is beyond it: nothing need be asked, so there is no branch.
        rank = np.int64(place % sizes[outside]) + outside * inside
        total = np.int64(sums[row]) + (np.int64(order[rank]) if order.size else rank)
        total = total - modulus if total >= modulus else total
        sums[row] = sums[row] if is_left else total
    return some_left


@numba.njit(cache=True, nogil=True)
def rows_left(
    blocks: Words, spare_bits: np.uint64, border: np.uint64, is_open: bool, lasts: Words
) -> npt.NDArray[np.bool_]:
    """Return which rows `add_first` left as they are."""
    left = np.empty(len(blocks), dtype=np.bool_)
    for row in range(len(blocks)):
        word, place = blocks[row, 0] >> spare_bits, blocks[row, 1] >> spare_bits
        left[row] = _is_left(word, place, border, is_open, lasts[1 if word < border else 0])
    return left


@numba.njit(cache=True, nogil=True)
def add_streamed(
    words: npt.NDArray[Any],
    known: int,
    borders: Words,
    end: int,
    sizes: Words,
    lasts: Words,
    order: npt.NDArray[Any],
    modulus: int,
    sums: npt.NDArray[Any],
    state: Whole,
) -> int:
    """Add shifts row after row, each from the next words, till rows, words or `borders` end; return how many were used.

    `borders` are the first words of the chance, the next where the one before agrees; at index `end` it has no more.
    `known` is the level of all rows where no coin is thrown, and below 0 where one is.
    """
    inside = np.int64(sizes[0])
    done, level, depth, used = state[0], state[1], state[2], 0
    while done < sums.size:
        if level < 0:
            if used == words.size or depth == borders.size:
                break
            word = np.uint64(words[used])
            used += 1
            if word == borders[depth] and depth != end:
                depth += 1
                continue
            level = 1 if word < borders[depth] else 0
            depth = 0
        rank = level * inside
        if sizes[level] > 1:
            if used == words.size:
                break
            word = np.uint64(words[used])
            used += 1
            if word > lasts[level]:
                continue
            rank += np.int64(word % sizes[level])
        total = np.int64(sums[done]) + (np.int64(order[rank]) if order.size else rank)
        sums[done] = total - modulus if total >= modulus else total
        done += 1
        level = known
    state[0], state[1], state[2] = done, level, depth
    return used
