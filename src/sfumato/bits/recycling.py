"""The compiled loop of the economical sampler. Import it only to draw: the compiler takes a second to load."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.bits.compiling import numba

Words = npt.NDArray[np.uint64]


@numba.njit(cache=True, nogil=True)
def draw_by_recycling(
    words: Words,
    word_bits: np.uint64,
    floor: np.uint64,
    totals: Words,
    guide: npt.NDArray[np.int64],
    depth: np.uint64,
    skip: np.uint64,
    state: Words,
    outcomes: npt.NDArray[np.int64],
    done: int,
) -> tuple[int, int]:
    """Fill `outcomes` from `done` on until it is full or the words run out; returns how many are done and words used.

    `state` holds a number and the range 0..range-1 on which it is uniform. Below the last multiple of 2^depth in the
    range, the low bits of the number choose an outcome, and the high ones with the place inside the outcome are again
    uniform on a smaller range; above it there is no outcome, and the rest is uniform too. Below `floor` the range is
    refilled with a word.
    """
    value, reach = state[0], state[1]
    used = 0
    mask = (np.uint64(1) << depth) - np.uint64(1)
    while done < outcomes.size:
        if reach < floor:
            if used == words.size:
                break
            value = (value << word_bits) | words[used]
            reach = reach << word_bits
            used += 1
            continue
        whole = reach >> depth
        high = value >> depth
        if high < whole:
            low = value & mask
            outcome = guide[low >> skip]
            while totals[outcome + 1] <= low:
                outcome += 1
            count = totals[outcome + 1] - totals[outcome]
            value = high * count + (low - totals[outcome])
            reach = whole * count
            outcomes[done] = outcome
            done += 1
        else:
            value -= whole << depth
            reach -= whole << depth
    state[0], state[1] = value, reach
    return done, used
