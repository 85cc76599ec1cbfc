"""The public space of masks of a row: drawn for its position in a fixed and public way, uniformly among all spaces.

Multiplying by an element of the field leads from any single mask to any other, so a space of dimension 1 need not be
drawn at all. Larger ones fall into several orbits, and only a mean over all of them treats all pairs of answers alike.
The draws are words of rows (:mod:`sfumato.bits.row_words`) under a key that everybody knows.
"""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import Positions
from sfumato.bits.row_words import ROW_WIDTH, RowWords
from sfumato.bits.samplers import UniformBelow
from sfumato.bits.source import MOST_WIDTH
from sfumato.mechanisms.mask_spaces import spaces

_KEY = sha256(b"sfumato/public masks/1").digest()
# A place of at most 2^24 is drawn from one word of a row, so that few are drawn again.
_NARROW_BITS = 24

Codes = npt.NDArray[np.int64]


def public_spaces(length: int, dimension: int, count: int, positions: Positions) -> Codes:
    """Return the numbers of the spaces of rows at these positions; none where all rows have the first one."""
    if dimension == 1:
        return np.zeros(0, dtype=np.int64)
    numbers = positions if isinstance(positions, np.ndarray) else np.arange(positions, positions + count)
    return place_below(spaces(length, dimension)).draw_rows(RowWords(_KEY, numbers), np.arange(count)).astype(np.int64)


def place_below(bound: int, width: int = MOST_WIDTH) -> UniformBelow:
    """Return how a place is drawn from words of rows: one where that is seldom drawn again, else two."""
    is_narrow = width < ROW_WIDTH or bound <= 1 << _NARROW_BITS
    return UniformBelow(bound=bound, width=min(width, ROW_WIDTH) if is_narrow else width)
