"""Where rising functions cross zero, many at once: a bracket that closes quickly, and always from the safe side."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Function = Callable[[FloatArray, npt.NDArray[np.intp]], FloatArray]
"""Of numbers, and of which of the functions each is given to."""

# Halves alone would need so many; in between they are seldom needed.
_MOST_STEPS = 120
_HALF = 0.5
# Where the bracket is this narrow, relative to its ends, there is nothing left between them worth a step.
_LEAST_WIDTH = 2.0**-51


def last_below(function: Function, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the last places found where each function is not yet above 0; it is not at `low`, and is at `high`.

    Chandrupatla's method: an inverse quadratic step where three points allow one, a half elsewhere. It keeps the
    crossing between its two ends, so that what is returned errs to one side only.   Ref: [Cha97]
    """
    open_ = np.arange(low.size)
    result, new, old = low.copy(), high, low
    at_new, at_old = function(new, open_), function(old, open_)
    share = np.full(low.shape, _HALF)
    for _ in range(_MOST_STEPS):
        tried = new + share * (old - new)
        value = function(tried, open_)
        same = (value > 0) == (at_new > 0)
        third, at_third = np.where(same, new, old), np.where(same, at_new, at_old)
        old, at_old = np.where(same, old, new), np.where(same, at_old, at_new)
        new, at_new = tried, value
        result[open_] = np.where(at_new > 0, old, new)
        width = np.abs(old - new)
        left = width > 2 * _LEAST_WIDTH * np.maximum(np.abs(new), np.abs(old))
        if not left.any():
            break
        open_, new, old, third, width = open_[left], new[left], old[left], third[left], width[left]
        at_new, at_old, at_third = at_new[left], at_old[left], at_third[left]
        least = _LEAST_WIDTH * np.maximum(np.abs(new), np.abs(old)) / width
        share = np.clip(_inverse_quadratic(new, old, third, at_new, at_old, at_third), least, 1 - least)
    return result


def _inverse_quadratic(
    new: FloatArray, old: FloatArray, third: FloatArray, at_new: FloatArray, at_old: FloatArray, at_third: FloatArray
) -> FloatArray:
    """How far to go from `new` to `old`: a half where the curve through the three points may not be trusted."""
    with np.errstate(divide="ignore", invalid="ignore"):
        place = (new - old) / (third - old)
        rise = (at_new - at_old) / (at_third - at_old)
        step = at_new / (at_old - at_new) * at_third / (at_old - at_third) + (
            (third - new) / (old - new) * at_new / (at_third - at_new) * at_old / (at_third - at_old)
        )
        trusted = (rise**2 < place) & ((1 - rise) ** 2 < 1 - place) & np.isfinite(step)
    return np.where(trusted, step, _HALF)
