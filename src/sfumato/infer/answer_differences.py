"""Differences of the shares of two answers of one sample, with intervals within [-1, 1].

Both shares are read from the same reports, so their errors go together, and the two variances do not add. What is taken
is one mean: of scores that are worth 1 for the first answer, -1 for the second and 0 for the others. Whether a
difference is accepted is judged under the likeliest law, with one more answer spread over all, moved to the likeliest
one that has this difference; other answers stay in proportion.   Theory: docs/theory/bounded_intervals.md
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.infer.likeliest_shares import Passage
from sfumato.infer.linear_scores import LinearScores
from sfumato.infer.score_intervals import MOST_SHARES, NO_DEVIATION, FoundShares
from sfumato.prob.bounded import bounded_ends, skewed_tails

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Pairs = Sequence[tuple[int, int]]
"""Places of answers: of the first, and of that which is subtracted from it."""
_PAIR = 2


def difference_ends(
    passage: Passage,
    scores: LinearScores,
    seen: FloatArray,
    totals: FloatArray,
    shares: FloatArray,
    pairs: Pairs,
    confidence: float,
) -> FoundShares:
    """Return the differences of pairs of answers, a row for each sample and a column for each pair."""
    size = shares.shape[1]
    if size > MOST_SHARES:
        raise InvalidParameter(
            f"are {size}, and shares are compared within questions of at most {MOST_SHARES}",
            parameter="answers",
            way_out="Merge answers that are rare, or compare groups.",
        )
    firsts, seconds = (np.array(places, dtype=np.int64) for places in zip(*pairs, strict=True))
    weights = np.stack([scores.of(row) for row in np.eye(size)[firsts] - np.eye(size)[seconds]])
    # Of the scores of each pair, the second and third moments under each answer.
    tables = [passage.backward(weights**power) for power in (2, 3)]
    raw, value, more = seen @ weights.T, shares[:, firsts] - shares[:, seconds], totals[:, None]
    base = (more * shares + 1 / size) / (more + 1)
    moments = _Moments(base, tables, firsts, seconds)

    def deviation(gap: FloatArray) -> FloatArray:
        second, _ = moments.at(gap)
        return np.maximum(np.sqrt(np.maximum(second - gap**2, 0.0) / more), NO_DEVIATION)

    def tails(gap: FloatArray) -> tuple[FloatArray, FloatArray]:
        second, third = moments.at(gap)
        spread = deviation(gap)
        centred = third - 3 * gap * second + 2 * gap**3
        return skewed_tails((raw - gap) / spread, centred / more**2 / spread**3)

    lower, upper = bounded_ends(
        above=lambda gap: tails(gap)[0],
        below=lambda gap: tails(gap)[1],
        deviation=deviation,
        inside=np.clip(raw, -1.0, 1.0),
        low=-1.0,
        high=1.0,
        confidence=confidence,
    )
    return FoundShares(
        value=value,
        raw=raw,
        error=np.sqrt(np.maximum(shares @ tables[0].T - value**2, 0.0) / more),
        lower=np.minimum(lower, value),
        upper=np.maximum(upper, value),
    )


class _Moments:
    """Moments of scores under laws of answers that have every difference of two shares."""

    def __init__(self, base: FloatArray, tables: list[FloatArray], firsts: IntArray, seconds: IntArray) -> None:
        self._one, self._other = base[:, firsts], base[:, seconds]
        # With two answers nothing is left for others, but for rounding.
        rest = np.maximum(1 - self._one - self._other, np.finfo(np.float64).tiny)
        columns = np.arange(firsts.size)
        self._parts = []
        for table in tables:
            first, second = table[columns, firsts], table[columns, seconds]
            others = base @ table.T - self._one * first - self._other * second
            self._parts.append((first, second, others / rest if base.shape[1] > _PAIR else np.zeros_like(rest)))

    def at(self, gap: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the second and the third under the likeliest law whose two shares differ by the gap."""
        above, below = likeliest_with_gap(self._one, self._other, gap)
        second, third = (above * a + below * b + (1 - above - below) * c for a, b, c in self._parts)
        return second, third


def likeliest_with_gap(one: FloatArray, other: FloatArray, gap: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the two shares that differ by the gap and are likeliest where `one` and `other` were seen.

    With x the smaller of the two and g = |gap|, one·ln(x+g) + other·ln(x) + rest·ln(1-2x-g) is greatest at the positive
    root of 2x² - b·x - other·g·(1-g), b being (one+other)(1-g) - 2g(1-one). Below 0 the two change places.
    """
    swapped, width = gap < 0, np.abs(gap)
    larger, smaller = np.where(swapped, other, one), np.where(swapped, one, other)
    slope = (larger + smaller) * (1 - width) - 2 * width * (1 - larger)
    constant = smaller * width * (1 - width)
    root = np.hypot(slope, np.sqrt(8 * constant))
    # In either form nothing is subtracted from what is nearly the same.
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(slope > 0, (slope + root) / 4, np.where(constant > 0, 2 * constant / (root - slope), 0.0))
    low = np.clip(found, 0.0, (1 - width) / 2)
    return np.where(swapped, low, low + width), np.where(swapped, low + width, low)
