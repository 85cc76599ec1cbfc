"""Numbers that stand for reports: their mean over the reports is an unbiased mean of what answers are worth.

Of all numbers w with E[w | x] = v_x for every answer x, these vary least when all answers are equally frequent. They do
not depend on what was counted, so what they average to is unbiased and adds up over groups, and they move with the
values: a shift of all v shifts all w.   Proof: docs/theory/bounded_intervals.md
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.infer.likeliest_shares import DensePassage, Passage

FloatArray = npt.NDArray[np.float64]

_EXACT_ENOUGH = 1e-8
_MOST_STEPS = 500
_PASSES = 2


class LinearScores:
    """The scores of a channel."""

    def __init__(self, passage: Passage, inputs: int) -> None:
        self._passage, self._inputs = passage, inputs

    def of(self, values: FloatArray) -> FloatArray:
        """Return a number for each report; `values` lie about 0, since what is far from it is lost in rounding."""
        weights = self._solved(values)
        found: FloatArray = self._passage.forward_any(weights) * self._inverse
        missed = np.abs(self._passage.backward(found) - values).max()
        if not missed <= _EXACT_ENOUGH * max(1.0, float(np.abs(values).max())):
            raise InvalidParameter(
                "some answers cannot be told apart from any number of reports, since a row of the channel is a mixture "
                "of others",
                way_out="Merge those answers.",
            )
        return found

    def raw_shares(self, seen: FloatArray) -> FloatArray:
        """Return the unbiased shares of all answers, a row for each row of shares of reports."""
        return self._solved(self._passage.backward(seen * self._inverse))

    @cached_property
    def _inverse(self) -> FloatArray:
        """One over the law of reports when all answers are equally frequent."""
        law = self._passage.forward(np.full(self._inputs, 1 / self._inputs))
        with np.errstate(divide="ignore"):
            found: FloatArray = np.where(law > 0, 1 / law, 0.0)
        return found

    @cached_property
    def _gram(self) -> FloatArray | None:
        if not isinstance(self._passage, DensePassage):
            return None
        rows = self._passage.array
        found: FloatArray = (rows * self._inverse) @ rows.T
        return found

    @cached_property
    def _matrix(self) -> FloatArray | None:
        if self._gram is None:
            return None
        return np.asarray(np.linalg.pinv(self._gram, hermitian=True), dtype=np.float64)

    def _solved(self, right: FloatArray) -> FloatArray:
        """Solve A·Q⁻¹·Aᵀ·x = right: directly where the channel is written out, else by conjugate gradients."""
        if self._matrix is not None and self._gram is not None:
            found: FloatArray = right @ self._matrix
            # Where there is much noise the inverse has few right digits; each pass adds as many.
            for _ in range(_PASSES):
                found = found + (right - found @ self._gram) @ self._matrix
            return found
        if right.ndim > 1:
            return np.stack([self._solved(row) for row in right])
        return self._by_conjugate_gradients(right)

    def _by_conjugate_gradients(self, right: FloatArray) -> FloatArray:
        point = np.zeros_like(right)
        rest = right.copy()
        way, size = rest.copy(), float(rest @ rest)
        enough = 1e-26 * max(size, 1e-300)
        for _ in range(_MOST_STEPS):
            if size <= enough:
                break
            image = self._passage.backward(self._passage.forward_any(way) * self._inverse)
            pace = size / float(way @ image)
            point += pace * way
            rest -= pace * image
            before, size = size, float(rest @ rest)
            way = rest + size / before * way
        return point
