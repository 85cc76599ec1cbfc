"""Reports that are answers plus a random shift of two levels of probability: the loop that mechanisms share.

Two integers decide a shift, each exactly uniform below its bound: whether it is favoured, and which one it is.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import ReportArray, smallest_dtype
from sfumato.bits.source import BitSource

_PART = 1 << 15


def total_weight(odds: Fraction, favoured: int, modulus: int) -> int:
    """Return the whole numbers of all shifts together: the numerator of the odds for a favoured one, else the rest."""
    return odds.numerator * favoured + odds.denominator * (modulus - favoured)


def shifted(
    answers: npt.NDArray[np.int64],
    shifts: npt.NDArray[np.int64],
    favoured: int,
    odds: Fraction,
    *,
    width: int,
    source: BitSource,
) -> ReportArray:
    """Add a shift to each answer, modulo the number of shifts; the first `favoured` of them have weight `odds`."""
    from sfumato.mechanisms.kernels import shift_again, shift_by_two_levels  # noqa: PLC0415  brings in a compiler

    law = (
        np.uint64(width),
        np.uint64(total_weight(odds, favoured, shifts.size)),
        np.uint64(odds.numerator * favoured),
        np.uint64(favoured),
        shifts,
    )
    reports = np.empty(answers.size, dtype=smallest_dtype(shifts.size))
    # In parts that stay in the cache.
    part, pending = np.empty(_PART, dtype=np.int64), np.empty(_PART, dtype=np.int64)
    for start in range(0, answers.size, _PART):
        mine = answers[start : start + _PART]
        left = shift_by_two_levels(mine, _words(source, mine.size, width), *law, part, pending)
        # How often words are drawn again depends on the words alone, never on anybody's answer.
        while left:
            left = shift_again(mine, _words(source, left, width), *law, part, pending, left)
        reports[start : start + mine.size] = part[: mine.size]
    return reports


def _words(source: BitSource, count: int, width: int) -> npt.NDArray[np.uint64]:
    return source.words(2 * count, width).astype(np.uint64, copy=False)
