"""Compiled loops of two-level shifts.

A number uniform below a bound is the high half of word × bound; words whose low half is below 2^width mod bound are
drawn again, which makes it exact without a division for each report [Lem19]. Narrow words are moved to the top of 64
bits first, and the low half then begins as far up: every width goes through the one product that production uses.
Import this module only to draw: its compiler takes a second to load.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.sampling.compiling import numba

Words = npt.NDArray[np.uint64]

UNDRAWN, DRAWN_INSIDE, DRAWN_OUTSIDE = -1, -2, -3

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@numba.njit(cache=True, nogil=True, inline="always")
def _scaled(word: np.uint64, bound: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The high and the low 64 bits of word × bound."""
    word_low, word_high = word & _LOW, word >> _HALF
    bound_low, bound_high = bound & _LOW, bound >> _HALF
    low = word_low * bound_low
    middle = word_high * bound_low + (low >> _HALF)
    other = word_low * bound_high + (middle & _LOW)
    high = word_high * bound_high + (middle >> _HALF) + (other >> _HALF)
    return high, (other << _HALF) | (low & _LOW)


@numba.njit(cache=True, nogil=True, inline="always")
def _spare(bound: np.uint64, up: np.uint64) -> np.uint64:
    """2^width mod bound, moved up by 64 - width bits as words are; written so that 2^64 is never needed."""
    one = np.uint64(1)
    return (((~np.uint64(0) >> up) % bound + one) % bound) << up


@numba.njit(cache=True, nogil=True)
def shift_by_two_levels(
    answers: npt.NDArray[np.int64],
    words: Words,
    width: np.uint64,
    total: np.uint64,
    border: np.uint64,
    favoured: np.uint64,
    shifts: npt.NDArray[np.int64],
    reports: npt.NDArray[np.int64],
    pending: npt.NDArray[np.int64],
) -> int:
    """Add a shift to each answer: the first of two words decides its level, the second its place in the level.

    `shifts` holds the favoured ones first. Returns how many answers must be drawn again, listed in `pending`; their
    `reports` say what is known of them, UNDRAWN or a level.
    """
    modulus = np.int64(shifts.size)
    rest = np.uint64(modulus) - favoured
    up = np.uint64(64) - width
    spare_total, spare_first, spare_rest = _spare(total, up), _spare(favoured, up), _spare(rest, up)
    left = 0
    for i in range(answers.size):
        level, low = _scaled(words[2 * i] << up, total)
        # Without branches, because nothing predicts a coin: `outside` is 0 or 1.
        outside = np.uint64(level >= border)
        index, low_index = _scaled(words[2 * i + 1] << up, favoured + outside * (rest - favoured))
        if low < spare_total or low_index < spare_first + outside * (spare_rest - spare_first):
            reports[i] = UNDRAWN if low < spare_total else DRAWN_INSIDE - np.int64(outside)
            pending[left] = i
            left += 1
            continue
        report = answers[i] + shifts[index + outside * favoured]
        reports[i] = report - np.int64(report >= modulus) * modulus
    return left


@numba.njit(cache=True, nogil=True)
def shift_again(
    answers: npt.NDArray[np.int64],
    words: Words,
    width: np.uint64,
    total: np.uint64,
    border: np.uint64,
    favoured: np.uint64,
    shifts: npt.NDArray[np.int64],
    reports: npt.NDArray[np.int64],
    pending: npt.NDArray[np.int64],
    count: int,
) -> int:
    """Draw the first `count` of `pending` again. Returns how many are left, moved to its front.

    A level once drawn is kept while its place is drawn again, or the level whose bound rejects more often would lose
    weight.
    """
    modulus = np.int64(shifts.size)
    rest = np.uint64(modulus) - favoured
    up = np.uint64(64) - width
    left = 0
    for i in range(count):
        place = pending[i]
        known = reports[place]
        if known == UNDRAWN:
            level, low = _scaled(words[2 * i] << up, total)
            if low >= _spare(total, up):
                known = DRAWN_OUTSIDE if level >= border else DRAWN_INSIDE
        if known != UNDRAWN:
            bound = favoured if known == DRAWN_INSIDE else rest
            index, low = _scaled(words[2 * i + 1] << up, bound)
            if low >= _spare(bound, up):
                report = answers[place] + shifts[index + (np.uint64(0) if known == DRAWN_INSIDE else favoured)]
                reports[place] = report - modulus if report >= modulus else report
                continue
        reports[place] = known
        pending[left] = place
        left += 1
    return left
