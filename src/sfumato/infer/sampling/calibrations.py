"""Weights that meet known totals, and what is left of a number once those totals are known.

With one column of cells every weight of a cell is multiplied by the same factor; with several columns the factors are
found in turns until all totals hold [DS40]. Either way the weights are base·exp(Σ λ), so the estimated total of z moves
with a base weight by what is left of z after the weighted regression on the cells: that is what varies [DS92].
Proof: docs/theory/sampling_plans.md
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.errors import Refused
from sfumato.infer.sampling.plan_columns import FloatArray, IntArray, frozen, sums_by

ROUNDS = 2000
TOLERANCE = 1e-12
"""How far totals may be off, as a share of themselves, when the turns stop."""
# What rounding leaves where very many rows are added.
_GOOD_ENOUGH = 1e-10
_RANK = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calibration:
    """Columns of cells with their totals, and the weights that meet them."""

    codes: tuple[IntArray, ...]
    totals: tuple[FloatArray, ...]
    weights: FloatArray

    def fitted(self, base: FloatArray) -> FloatArray:
        """Return other base weights, made to meet the same totals; zeros stay zeros."""
        return fitted_weights(base, self.codes, self.totals)

    def residuals(self, influence: FloatArray) -> FloatArray:
        """Return weighted values less what the totals already say of them: w·(z - x·B), of w·z."""
        if len(self.codes) == 1:
            (codes,) = self.codes
            heights = sums_by(codes, influence, self.totals[0].size) / self.totals[0][:, None]
            found: FloatArray = influence - self.weights[:, None] * heights[codes]
            return found
        sizes = [total.size for total in self.totals]
        right = np.vstack([sums_by(codes, influence, size) for codes, size in zip(self.codes, sizes, strict=True)])
        gram = self._gram(sizes)
        scale = 1 / np.sqrt(np.diag(gram))
        # One column says the total of another, so the matrix never has full rank.
        inverse = np.linalg.pinv(gram * scale * scale[:, None], rcond=_RANK, hermitian=True)
        heights = scale[:, None] * (inverse @ (scale[:, None] * right))
        starts = np.cumsum([0, *sizes])
        fit = sum((heights[start + codes] for start, codes in zip(starts, self.codes, strict=False)), start=0.0)
        return np.asarray(influence - self.weights[:, None] * fit, dtype=np.float64)

    def _gram(self, sizes: list[int]) -> FloatArray:
        blocks = [
            [
                np.bincount(first * columns + second, self.weights, rows * columns).reshape(rows, columns)
                for second, columns in zip(self.codes, sizes, strict=True)
            ]
            for first, rows in zip(self.codes, sizes, strict=True)
        ]
        return np.asarray(np.block(blocks), dtype=np.float64)


def fitted_weights(
    base: FloatArray, codes: tuple[IntArray, ...], totals: tuple[FloatArray, ...], *, rounds: int = ROUNDS
) -> FloatArray:
    """Return the weights nearest to `base` that meet the totals; refuse where there are none."""
    # Rows of the same cell in every column share a factor, so the turns are about cells and not about rows.
    joint = np.ravel_multi_index(codes, tuple(total.size for total in totals))
    kept, cells = np.unique(joint, return_inverse=True)
    cells = cells.reshape(-1)
    places = np.unravel_index(kept, tuple(total.size for total in totals))
    start = sums_by(cells, base, kept.size)
    weights = start.copy()
    missed, before = np.inf, np.inf
    for _ in range(rounds):
        for place, total in zip(places, totals, strict=True):
            sums = sums_by(place, weights, total.size)
            if (sums <= 0).any():
                raise Refused(
                    "cannot be met: a cell has no rows with any weight",
                    parameter="totals",
                    way_out="Merge cells that hold few rows, so that each has some weight.",
                )
            weights = weights * (total / sums)[place]
        before, missed = missed, _missed(places, weights, totals)
        # Rounding is reached when another turn does not help.
        if missed <= TOLERANCE or (missed <= _GOOD_ENOUGH and missed >= before):
            break
    else:
        raise Refused(
            f"were not met after {rounds} turns; they are still off by {missed:.1e} of themselves",
            parameter="margins",
            way_out="Merge cells: combinations that no row has may make the totals impossible, or nearly so.",
        )
    with np.errstate(invalid="ignore", divide="ignore"):
        factors = np.where(start > 0, weights / start, 0.0)
    found: FloatArray = base * factors[cells]
    return frozen(found)


def _missed(places: tuple[npt.NDArray[np.intp], ...], weights: FloatArray, totals: tuple[FloatArray, ...]) -> float:
    return max(
        float(np.abs(np.bincount(place, weights, total.size) / total - 1).max())
        for place, total in zip(places, totals, strict=True)
    )
