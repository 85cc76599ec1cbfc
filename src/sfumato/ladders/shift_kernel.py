"""Compiled loops that turn random words into two-level shifts.

Both compute what :meth:`TwoLevelShift.draw_rows` computes, and add the shifts to sums mod `modulus`. Below the border a
row lies outside; at it the next word decides where the chance needs it. A place is a word modulo the number of shifts
at the level, unless it lies beyond the last full multiple. `sizes` are how many shifts lie inside and outside, `lasts`
the last words that are accepted for a place among them. `order` holds the shifts by place, those inside first, and is
empty where each is its own place. Import this module only when there is something to draw: the compiler takes a second
to load.

The first lane of a row is 64 bits: the high half is the coin's word and the low half the place's, each without
`spare_bits` at its end. The pass over rows has no branch, so that it is vectorised, and divides by multiplying: with
`share` = ⌊(2^32 - 1)/size⌋ ≥ 2^32/size - 1, the quotient of a place below 2^32 by `size` is ⌊place·share/2^32⌋ or one
more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.sampling.compiling import numba

Words = npt.NDArray[np.uint64]
Whole = npt.NDArray[np.int64]

DONE, LEVEL, DEPTH = 0, 1, 2
"""What the state of a stream holds: rows that are done; the level of the next, below 0 unknown; words its coin had."""

_HALF, _LOW = np.uint64(32), np.uint64((1 << 32) - 1)


@numba.njit(cache=True, nogil=True)
def _is_left(word: np.uint64, place: np.uint64, undecided: np.uint64, last: np.uint64) -> bool:
    """Whether a row is left to be drawn from more words than two."""
    return bool((word == undecided) | (place > last))


@numba.njit(cache=True, nogil=True)
def _find_ranks(lanes: Words, coin: Words, levels: Words, still: np.uint64, ranks: npt.NDArray[np.uint32]) -> bool:
    spare_bits, border, undecided, none = coin[0], coin[1], coin[2], np.uint64(0)
    inside, outside, last_inside, last_outside = levels[0, 0], levels[0, 1], levels[1, 0], levels[1, 1]
    share_inside, share_outside = levels[2, 0], levels[2, 1]
    left = 0
    for row in range(ranks.size):
        lane = lanes[row]
        word, place = (lane >> _HALF) >> spare_bits, (lane & _LOW) >> spare_bits
        is_outside = word < border
        size, before = (outside, inside) if is_outside else (inside, none)
        last, share = (last_outside, share_outside) if is_outside else (last_inside, share_inside)
        is_left = _is_left(word, place, undecided, last)
        left += is_left
        rest = place - ((place * share) >> _HALF) * size
        # Where nothing is to be taken away the difference passes below 0 and comes out larger.
        ranks[row] = still if is_left else min(rest, rest - size) + before
    return left > 0


@numba.njit(cache=True, nogil=True)
def add_first(
    lanes: Words,
    coin: Words,
    levels: Words,
    still: np.uint64,
    order: npt.NDArray[Any],
    modulus: np.uint64,
    sums: npt.NDArray[Any],
) -> bool:
    """Add the shifts that the first two words of each row decide, and return whether some were left as they are.

    `coin` holds the spare bits, the border, and the word at which the coin goes on; `levels` a row of sizes, one of
    lasts and one of shares, inside first. `still` is the place of the shift by 0, which rows that are left have here.
    """
    ranks = np.empty(sums.size, dtype=np.uint32)
    some_left = _find_ranks(lanes, coin, levels, still, ranks)
    if order.size:
        for row in range(ranks.size):
            total = np.uint64(sums[row]) + np.uint64(order[ranks[row]])
            sums[row] = min(total, total - modulus)
    else:
        for row in range(ranks.size):
            total = np.uint64(sums[row]) + np.uint64(ranks[row])
            sums[row] = min(total, total - modulus)
    return some_left


@numba.njit(cache=True, nogil=True)
def rows_left(lanes: Words, coin: Words, levels: Words) -> npt.NDArray[np.bool_]:
    """Return which rows `add_first` left as they are."""
    left = np.empty(lanes.size, dtype=np.bool_)
    for row in range(lanes.size):
        word, place = (lanes[row] >> _HALF) >> coin[0], (lanes[row] & _LOW) >> coin[0]
        left[row] = _is_left(word, place, coin[2], levels[1, 1 if word < coin[1] else 0])
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
