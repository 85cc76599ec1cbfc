"""Reports that are sets of answers, as rows of packed bits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import unmasked
from sfumato.errors import InvalidParameter

# Words held at a time, so that a column of a million answers needs no gigabytes.
_CHUNK = 1 << 20


def row_chunks(rows: int, columns: int) -> Iterator[slice]:
    """Cut a table of words into slices of rows that fit the processor's cache."""
    step = max(1, _CHUNK // columns)
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def check_packed(reports: npt.ArrayLike, size: int) -> npt.NDArray[np.uint8]:
    """Return reports as rows of packed bits, the first answer in the highest bit of the first byte."""
    array = unmasked("reports", reports)
    wide = -(-size // 8)
    if array.ndim != 2 or array.shape[1] != wide or array.dtype.kind not in "iu":
        raise InvalidParameter(
            f"must be a table of bytes, {wide} in a row for {size} answers, not of shape {array.shape} and type "
            f"{array.dtype}",
            parameter="reports",
            way_out="Pass what privatize returned.",
        )
    if len(array) == 0:
        raise InvalidParameter("is empty", parameter="reports", way_out="Pass at least one.")
    spare = (1 << (8 * wide - size)) - 1
    if ((array < 0) | (array > 255)).any() or (array[:, -1] & spare).any():
        raise InvalidParameter(
            f"hold bits beyond the {size} answers",
            parameter="reports",
            way_out="Pass what privatize of this mechanism returned.",
        )
    return array.astype(np.uint8)


def count_ones(reports: npt.NDArray[np.uint8], size: int) -> tuple[int, ...]:
    """How many reports hold each answer."""
    counts = np.zeros(size, dtype=np.int64)
    for rows in row_chunks(len(reports), size):
        counts += np.unpackbits(reports[rows], axis=1, count=size).sum(axis=0, dtype=np.int64)
    return tuple(counts.tolist())
