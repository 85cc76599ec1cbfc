"""The first two words of each row, turned into a place of a two-level shift in one compiled pass.

Whatever a first look cannot decide, an undecided coin or a word beyond the last full multiple, is left open and drawn
row by row by :meth:`TwoLevelShift.draw_rows`, of which this is the quick part. Import this module only when there is
something to draw: the compiler behind it takes a second to load.
"""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

OPEN = -1
"""What stands where the first two words decide nothing."""


@numba.njit(cache=True, nogil=True)
def first_ranks(
    blocks: npt.NDArray[np.uint64],
    spare_bits: np.uint64,
    border: np.uint64,
    is_open: bool,
    sizes: npt.NDArray[np.uint64],
    lasts: npt.NDArray[np.uint64],
    ranks: npt.NDArray[np.int64],
) -> None:
    """Fill `ranks`: below `border` a row lies outside, at it the coin is undecided where `is_open`.

    `sizes` are how many shifts lie inside and outside, `lasts` the last words that are taken for a place among them.
    """
    for row in range(len(blocks)):
        word = blocks[row, 0] >> spare_bits
        if is_open and word == border:
            ranks[row] = OPEN
            continue
        outside = 1 if word < border else 0
        size, place = sizes[outside], np.uint64(0)
        if size > np.uint64(1):
            place = blocks[row, 1] >> spare_bits
            if place > lasts[outside]:
                ranks[row] = OPEN
                continue
            place %= size
        ranks[row] = np.int64(place) + outside * np.int64(sizes[0])
