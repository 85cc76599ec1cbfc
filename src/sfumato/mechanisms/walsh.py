"""The fast Walsh-Hadamard transform y_j = Σ_x (-1)^(bits that x and j share) v_x, and who is asked which row j of it.

A transform of length K takes K log2 K additions. The matrix is Sylvester's, symmetric and its own inverse but for a
factor K.   Ref: [Yat37]
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import Positions
from sfumato.errors import InvalidParameter

FloatArray = npt.NDArray[np.float64]

# From here on, compiled code earns back the second that its first call spends on compiling.
_COMPILED_FROM = 1 << 15


def power_of_two_from(size: int) -> int:
    """The smallest power of two that is at least `size`."""
    return 1 << (size - 1).bit_length()


def assigned_questions(groups: int, count: int, positions: Positions) -> npt.NDArray[np.int64]:
    """Which of the questions 1..groups the rows at these positions are asked: in every round, each of them once.

    Rounds start at a scrambled place, so that a column with a rhythm does not beat in time with them.
    """
    if groups == 1:
        return np.ones(count, dtype=np.int64)
    modulus = np.uint64(groups)
    if isinstance(positions, np.ndarray):
        numbers = positions.astype(np.uint64)
    else:
        numbers = np.arange(positions, positions + count, dtype=np.uint64)
    rounds, places = np.divmod(numbers, modulus)
    questions: npt.NDArray[np.uint64] = (places + _scrambled(rounds) % modulus) % modulus
    return questions.astype(np.int64) + 1


def walsh_hadamard(vector: npt.ArrayLike) -> FloatArray:
    """Return the transform of a vector whose length is a power of two."""
    values = np.array(vector, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or values.size & (values.size - 1):
        raise InvalidParameter(
            f"of shape {values.shape} must be one column as long as a power of two",
            parameter="vector",
            way_out="Pad it with zeros.",
        )
    (_compiled() if values.size >= _COMPILED_FROM else _butterflies)(values)
    return values


def exact_walsh_hadamard(vector: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the transform of Python integers, in an array of objects as long as a power of two."""
    values = vector.copy()
    _butterflies(values)
    return values


def _butterflies(values: npt.NDArray[Any]) -> None:
    """Transform in place, one numpy step a level."""
    span = 1
    while span < values.size:
        pairs = values.reshape(-1, 2, span)
        sums = pairs[:, 0, :] + pairs[:, 1, :]
        np.subtract(pairs[:, 0, :], pairs[:, 1, :], out=pairs[:, 1, :])
        pairs[:, 0, :] = sums
        span *= 2


@cache
def _compiled() -> Callable[[FloatArray], None]:
    """Return the same transform as one compiled loop; the additions are the same, so the results are, too."""
    from numba import njit  # noqa: PLC0415  numba is slow to import

    def loop(values: FloatArray) -> None:
        span = 1
        while span < values.size:
            for start in range(0, values.size, 2 * span):
                for i in range(start, start + span):
                    first, second = values[i], values[i + span]
                    values[i], values[i + span] = first + second, first - second
            span *= 2

    compiled: Callable[[FloatArray], None] = njit(cache=True)(loop)
    return compiled


def _scrambled(rounds: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """SplitMix64's finish of each number, 0 for 0: public and fixed, as nothing here is secret.   Ref: [SLF14]"""
    z = rounds * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
