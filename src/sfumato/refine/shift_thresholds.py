"""What words are compared with to draw two-level shifts, worked out once for all rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

UNKNOWN = -1
"""Where the level of a row is not known before a coin is thrown."""


class Thresholds(NamedTuple):
    """What words are compared with: see :mod:`sfumato.refine.shift_kernel`."""

    known: int
    borders: npt.NDArray[np.uint64]
    end: int
    sizes: npt.NDArray[np.uint64]
    lasts: npt.NDArray[np.uint64]
    order: npt.NDArray[Any]
    modulus: int

    @property
    def least_words(self) -> int:
        """How many words every row needs at the least."""
        possible = self.sizes if self.known == UNKNOWN else self.sizes[self.known :][:1]
        return int(self.known == UNKNOWN) + int((possible > 1).all())


class RowThresholds(NamedTuple):
    """What the first lanes of rows are compared with: see :mod:`sfumato.refine.shift_kernel`."""

    coin: npt.NDArray[np.uint64]
    levels: npt.NDArray[np.uint64]
    still: np.uint64
    order: npt.NDArray[Any]
    modulus: np.uint64
