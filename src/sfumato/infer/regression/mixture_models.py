"""Models with a covariate that is seen through a channel: a mixture over its answers.

l = Σ_k A_k·π_k(z)·g_k(y), g_k being the law of the outcome if the covariate's answer is k. With r the law of that
answer given everything seen, the gradient is the mean under r of what it would be if the answer were known, and the
Hessian the mean of its Hessian plus the covariance, under r, of its gradient [Lou82].
Theory: docs/theory/regression.md
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sfumato.infer.regression.columns import IntArray
from sfumato.infer.regression.logit_models import CHUNK, TINY, logit_laws
from sfumato.infer.regression.newton import Slope

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bend:
    """log g at linear predictors: its value and derivatives, by the predictor and by a last number of the model."""

    log: FloatArray
    first: FloatArray
    second: FloatArray
    known: FloatArray
    """Minus the second derivative to be expected if the outcome were not randomised."""
    last: FloatArray | None = None
    crossed: FloatArray | None = None
    last_twice: FloatArray | None = None


class OutcomeLaw(Protocol):
    """The law of the outcome given its linear predictor."""

    @property
    def extra(self) -> int:
        """How many numbers it has beside the predictor: 1 for a spread, else 0."""
        ...

    def bend(self, rows: slice, predictor: FloatArray, last: float) -> Bend:
        """log g of some rows."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReportedAnswers:
    """An outcome of two answers through a channel: g = a_0 + (a_1 - a_0)·F(η)."""

    table: FloatArray
    kinds: IntArray

    @property
    def extra(self) -> int:
        """None."""
        return 0

    def bend(self, rows: slice, predictor: FloatArray, last: float) -> Bend:  # noqa: ARG002  no number beside it
        """Return derivatives by F' = F(1 - F) and F'' = F'(1 - 2F)."""
        none, chance = logit_laws(predictor[None])
        low, high = self.table[self.kinds[rows]].T
        seen = np.maximum(low * none + high * chance, TINY)
        slope = chance * none
        first = (high - low) * slope / seen
        second = (high - low) * slope * (none - chance) / seen - first**2
        return Bend(log=np.log(seen), first=first, second=second, known=slope)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NormalNumbers:
    """An outcome that is a number, normal about η; the last number is the logarithm of its spread."""

    numbers: FloatArray

    @property
    def extra(self) -> int:
        """The spread."""
        return 1

    def bend(self, rows: slice, predictor: FloatArray, last: float) -> Bend:
        """Return derivatives of -e²/2s² - log s."""
        precision = np.exp(-2 * last)
        rest = self.numbers[rows] - predictor
        squares = rest**2 * precision
        return Bend(
            log=-squares / 2 - last - np.log(2 * np.pi) / 2,
            first=rest * precision,
            second=np.full(len(rest), -precision),
            known=np.full(len(rest), precision),
            last=squares - 1,
            crossed=-2 * rest * precision,
            last_twice=-2 * squares,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MixtureHill:
    """log-likelihood of: coefficients of the outcome, its last number, blocks of coefficients of the predictor."""

    law: OutcomeLaw
    designs: tuple[FloatArray, ...]
    table: FloatArray
    kinds: IntArray
    given: FloatArray
    columns: tuple[str, ...]
    weights: FloatArray | None = None

    @property
    def names(self) -> Sequence[str]:
        """Coordinates by the columns that they belong to."""
        return self.columns

    @property
    def stuck(self) -> tuple[str, str]:
        """What is wrong where no step climbs."""
        return "cannot be improved and is not at its maximum either", "Leave out columns or merge answers."

    def slope(self, point: FloatArray, *, complete: bool) -> Slope:
        """Value, gradient and information; see `Hill`."""
        width, size = self.designs[0].shape[1], len(point)
        head = width + self.law.extra
        value, gradient = 0.0, np.zeros(size)
        information = np.zeros((size, size))
        for rows, seen, laws, posteriors, bends in self._parts(point):
            z = self.given[rows]
            weights = np.ones(len(z)) if self.weights is None else self.weights[rows]
            value += float(weights @ seen)
            score = np.zeros((len(z), size))
            for k, (bend, r) in enumerate(zip(bends, posteriors, strict=True)):
                own = self._own(rows, k, bend, laws)
                score += r[:, None] * own
                share = weights * r
                x = self.designs[k][rows]
                curve = bend.known if complete else -bend.second
                information[:width, :width] += x.T @ ((share * curve)[:, None] * x)
                if bend.last_twice is not None and bend.crossed is not None:
                    information[width, width] += 2 * share.sum() if complete else -share @ bend.last_twice
                    if not complete:
                        information[:width, width] -= (share * bend.crossed) @ x
                        information[width, :width] -= (share * bend.crossed) @ x
                if not complete:
                    information -= own.T @ (share[:, None] * own)
            gradient += weights @ score
            if not complete:
                information += score.T @ (weights[:, None] * score)
            _add_law_information(information[head:, head:], laws, z, weights)
        return Slope(value=value, gradient=gradient, information=information)

    def scores(self, point: FloatArray) -> FloatArray:
        """The gradient of each row; see `Hill`."""
        found = np.zeros((len(self.kinds), len(point)))
        for rows, _, laws, posteriors, bends in self._parts(point):
            for k, (bend, r) in enumerate(zip(bends, posteriors, strict=True)):
                found[rows] += r[:, None] * self._own(rows, k, bend, laws)
        return found

    def _own(self, rows: slice, k: int, bend: Bend, laws: list[FloatArray]) -> FloatArray:
        """The gradient of each row if the covariate's answer is the k-th."""
        z = self.given[rows]
        parts = [bend.first[:, None] * self.designs[k][rows]]
        if bend.last is not None:
            parts.append(bend.last[:, None])
        parts += [(float(k == j) - law)[:, None] * z for j, law in enumerate(laws) if j]
        return np.concatenate(parts, axis=1)

    def _parts(
        self, point: FloatArray
    ) -> Iterator[tuple[slice, FloatArray, list[FloatArray], list[FloatArray], list[Bend]]]:
        """Rows at a time: log l, laws π and r of the covariate's answer, and the outcome's law under each."""
        width = self.designs[0].shape[1]
        head = width + self.law.extra
        last = float(point[width]) if self.law.extra else 0.0
        steps = point[head:].reshape(len(self.designs) - 1, -1).T
        columns = np.ascontiguousarray(self.table.T)
        for at in range(0, len(self.kinds), CHUNK):
            rows = slice(at, at + CHUNK)
            laws = logit_laws((self.given[rows] @ steps).T)
            bends = [self.law.bend(rows, design[rows] @ point[:width], last) for design in self.designs]
            kinds = self.kinds[rows]
            logs = np.stack([bend.log for bend in bends])
            highest = logs.max(axis=0)
            joint = np.stack([column[kinds] * law for column, law in zip(columns, laws, strict=True)])
            joint *= np.exp(logs - highest)
            total = np.maximum(joint.sum(axis=0), TINY)
            yield rows, np.log(total) + highest, laws, list(joint / total), bends


def _add_law_information(information: FloatArray, laws: list[FloatArray], z: FloatArray, weights: FloatArray) -> None:
    """Add Cov_π ⊗ zzᵀ, the information of the covariate's answers."""
    width = z.shape[1]
    for j in range(1, len(laws)):
        for k in range(1, len(laws)):
            curve = (laws[j] if j == k else 0.0) - laws[j] * laws[k]
            block = z.T @ ((weights * curve)[:, None] * z)
            information[(j - 1) * width : j * width, (k - 1) * width : k * width] += block
