"""Logistic and multinomial models of answers that are seen through channels.

A report has the likelihood l = Σ_k A_k·π_k with π the law of the answers given the covariates. With r_k = A_k·π_k/l,
the law of the answer given the report too, the gradient by the linear predictors is r - π and the Hessian Cov_r -
Cov_π: what the answers would tell, less what stays open after the report [Lou82].   Theory: docs/theory/regression.md
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.infer.regression.columns import IntArray
from sfumato.infer.regression.newton import Slope

FloatArray = npt.NDArray[np.float64]

# Rows that are gone through at a time: what is made of them stays in the processor's memory, and products of ten
# columns stay with one thread, so that a busy machine does not make them wait for each other.
CHUNK = 1 << 11
TINY = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LogitHill:
    """log-likelihood of coefficients, a block an answer after the first, over the columns of `design`."""

    table: FloatArray
    kinds: IntArray
    design: FloatArray
    labels: tuple[str, ...]
    columns: tuple[str, ...]
    weights: FloatArray | None = None

    @property
    def blocks(self) -> int:
        """How many answers have coefficients."""
        return len(self.labels) - 1

    @property
    def names(self) -> Sequence[str]:
        """The columns, once for each block."""
        return self.columns * self.blocks

    @property
    def stuck(self) -> tuple[str, str]:
        """What is wrong where no step climbs."""
        return "cannot be improved and is not at its maximum either", "Leave out columns or merge answers."

    def slope(self, point: FloatArray, *, complete: bool) -> Slope:
        """Value, gradient and information; see `Hill`."""
        blocks, width = self.blocks, self.design.shape[1]
        value = 0.0
        gradient = np.zeros((blocks, width))
        information = np.zeros((blocks, width, blocks, width))
        for rows, weights, seen, laws, posteriors in self._parts(point):
            x = self.design[rows]
            logs = np.log(np.maximum(seen, TINY))
            value += float(logs.sum() if weights is None else weights @ logs)
            for j in range(blocks):
                p, r = laws[j + 1], posteriors[j + 1]
                gradient[j] += _weighted(r - p, weights) @ x
                for k in range(j + 1):
                    curve = (p if j == k else 0.0) - p * laws[k + 1]
                    if not complete:
                        curve = curve - ((r if j == k else 0.0) - r * posteriors[k + 1])
                    information[j, :, k] += x.T @ (_weighted(curve, weights)[:, None] * x)
        for j in range(blocks):
            for k in range(j):
                information[k, :, j] = information[j, :, k].T
        size = blocks * width
        return Slope(value=value, gradient=gradient.reshape(size), information=information.reshape(size, size))

    def scores(self, point: FloatArray) -> FloatArray:
        """The gradient of each row; see `Hill`."""
        width = self.design.shape[1]
        found = np.empty((len(self.kinds), self.blocks * width))
        for rows, _, _, laws, posteriors in self._parts(point):
            for j in range(self.blocks):
                errors = posteriors[j + 1] - laws[j + 1]
                found[rows, j * width : (j + 1) * width] = errors[:, None] * self.design[rows]
        return found

    def _parts(
        self, point: FloatArray
    ) -> Iterator[tuple[slice, FloatArray | None, FloatArray, list[FloatArray], list[FloatArray]]]:
        """Rows at a time: their weights, likelihoods l, laws π and laws r, an array an answer."""
        columns = np.ascontiguousarray(self.table.T)
        steps = point.reshape(self.blocks, -1).T
        for at in range(0, len(self.kinds), CHUNK):
            rows = slice(at, at + CHUNK)
            laws = logit_laws((self.design[rows] @ steps).T)
            kinds = self.kinds[rows]
            joint = [column[kinds] * law for column, law in zip(columns, laws, strict=True)]
            seen = joint[0] + joint[1]
            for one in joint[2:]:
                seen += one
            over = 1 / np.maximum(seen, TINY)
            weights = None if self.weights is None else self.weights[rows]
            yield rows, weights, seen, laws, [one * over for one in joint]


def logit_laws(predictors: FloatArray) -> list[FloatArray]:
    """The law of the answers, an array an answer, the first having the predictor 0."""
    highest = np.maximum(predictors.max(axis=0), 0.0)
    powers = [np.exp(-highest), *(np.exp(one - highest) for one in predictors)]
    over = 1 / np.sum(powers, axis=0)
    return [one * over for one in powers]


def _weighted(numbers: FloatArray, weights: FloatArray | None) -> FloatArray:
    return numbers if weights is None else numbers * weights
