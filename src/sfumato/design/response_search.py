"""Responses that differ from one another: one improved after the other by a linear program, from several starts.

With all others fixed the best response is a program, for whatever is at stake. Going round and round ends where no
response can be improved alone, which need not be the best; so the search starts at several places, shakes the best and
goes on, until it has done what it was asked to do or its time is up.   Theory: docs/theory/many_responses.md
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from sfumato.bits import KeyedBits
from sfumato.design.patience import FOREVER, OutOfTime, Patience
from sfumato.design.recoverable_answers import Rows
from sfumato.design.response_programs import best_response, made_exact
from sfumato.design.stakes import Stakes

FloatArray = npt.NDArray[np.float64]
Progress = Callable[[float], None]

_ROUNDS = 40
_PROGRESS = 1e-9
# How much of the best responses is replaced before they are improved again.
_SHAKES = (0.03, 0.1, 0.3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The best responses of a search, made exact; None if there were none in time. `ended`: it came to its end."""

    responses: tuple[Rows, ...] | None
    ended: bool


def search(
    stakes: Stakes,
    n: int,
    bases: Sequence[Rows],
    *,
    starts: int,
    patience: Patience = FOREVER,
    progress: Progress | None = None,
) -> Found:
    """Improve from the bases and from other starts, then shake the best, gently and less gently, and improve again."""
    best: list[FloatArray] = []
    least = math.inf
    ended = True
    try:
        for trial in range(4 * starts):
            if trial < starts:
                rows = _start(stakes, n, trial, bases)
            else:
                shaken = _start(stakes, n, trial + len(_SHAKES), bases)
                part = _SHAKES[trial % len(_SHAKES)]
                rows = [(1 - part) * row + part * other for row, other in zip(best, shaken, strict=True)]
            for improved, right in _improvements(stakes, rows, patience):
                if right < least - _PROGRESS:
                    best, least = improved, right
            if progress is not None:
                progress((trial + 1) / (4 * starts))
    except OutOfTime:
        ended = False
    exact = tuple(made_exact(matrix, stakes.keep, stakes.rho) for matrix in best)
    return Found(responses=exact or None, ended=ended)


def _improvements(
    stakes: Stakes, rows: list[FloatArray], patience: Patience
) -> Iterator[tuple[list[FloatArray], float]]:
    """Yield what a start becomes, round after round, so that nothing is lost when time is up on the way."""
    gains, value = stakes.array, math.inf
    for _ in range(_ROUNDS):
        for t in range(len(rows)):
            others = _sequences([matrix for u, matrix in enumerate(rows) if u != t], len(stakes.keep))
            rows[t] = best_response(gains, others, stakes.keep, stakes.size, float(stakes.rho), patience=patience).rows
        right = _right_guess(gains, rows)
        yield list(rows), right
        if value - right < _PROGRESS:
            return
        value = right


def _right_guess(gains: FloatArray, rows: list[FloatArray]) -> float:
    seen = _sequences(rows, gains.shape[2])
    return max(float((seen @ table.T).max(axis=1).sum()) for table in gains)


def _sequences(matrices: list[FloatArray], rows: int) -> FloatArray:
    """Return how likely each sequence of responses is given each row; one empty sequence when there are none."""
    table = np.ones((1, rows))
    for matrix in matrices:
        table = (table[:, None, :] * matrix.T[None]).reshape(-1, rows)
    return table


def _start(stakes: Stakes, n: int, start: int, bases: Sequence[Rows]) -> list[FloatArray]:
    """The bases first, hardly moved, then random responses: where a search begins is nobody's secret."""
    own = np.zeros((len(stakes.keep), stakes.size))
    own[np.arange(len(stakes.keep)), list(stakes.keep)] = 1.0
    rho = float(stakes.rho)
    found = []
    for t in range(n):
        spread = spread_numbers(own.size, start * 1000 + t).reshape(own.shape)
        spread /= spread.sum(axis=1, keepdims=True)
        if start < len(bases):
            mixed = 0.98 * np.array([[float(p) for p in row] for row in bases[start]]) + 0.02 * spread
        else:
            mixed = (1 - rho) * spread + rho * own
        short = np.maximum(0.0, rho - (mixed * own).sum(axis=1, keepdims=True))
        mixed = mixed * (1 - short) + own * short
        found.append(mixed / mixed.sum(axis=1, keepdims=True))
    return found


def spread_numbers(count: int, seed: int) -> FloatArray:
    """Exponential numbers, the same for the same seed: where a search begins has to be repeatable, not secret."""
    words = KeyedBits(sha256(b"sfumato alternating start %d" % seed).digest()).words(count, 32)
    spread: FloatArray = -np.log((words.astype(np.float64) + 0.5) / 2.0**32)
    return spread
