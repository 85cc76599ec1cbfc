"""The values of an array, each once. `np.unique` does it too, and loads masked arrays first: longer than most plans."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def distinct(values: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return the values ascending, each once.

    >>> distinct([3, 1, 3]).tolist()
    [1, 3]
    """
    ordered = np.sort(np.asarray(values), axis=None)
    is_new = np.ones(ordered.size, dtype=np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_new]
