"""Cumulative logits of ordered answers that are seen through channels.

An answer is at most the k-th with probability F(t_k), t_k = threshold_k - xβ and F the logistic function [McC80]. So
the likelihood of a report, l = Σ_k A_k·(F(t_k) - F(t_(k-1))), is linear in the F(t_k) with factors D_k = A_k -
A_(k+1); its derivatives are those of F.   Theory: docs/theory/regression.md
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.infer.regression.columns import IntArray
from sfumato.infer.regression.logit_models import CHUNK, TINY
from sfumato.infer.regression.newton import Slope

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Part:
    """Some rows: all arrays have a row a threshold (`laws`: an answer) and a column a respondent."""

    rows: slice
    seen: FloatArray
    laws: FloatArray
    chances: FloatArray
    densities: FloatArray
    falls: FloatArray
    """D_k over l."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrderedHill:
    """log-likelihood of the coefficients of `design`, which has no constant, and then of the thresholds."""

    table: FloatArray
    kinds: IntArray
    design: FloatArray
    labels: tuple[str, ...]
    columns: tuple[str, ...]
    weights: FloatArray | None = None

    @property
    def names(self) -> Sequence[str]:
        """The columns, then the thresholds."""
        return (*self.columns, *threshold_names(self.labels))

    @property
    def stuck(self) -> tuple[str, str]:
        """What is wrong where no step climbs."""
        return (
            "has thresholds that meet: the reports are likeliest when nobody has an answer between them",
            "Merge a rare answer with its neighbour, or take more reports.",
        )

    def slope(self, point: FloatArray, *, complete: bool) -> Slope:
        """Value, gradient and information; see `Hill`."""
        width, count = self.design.shape[1], len(self.labels) - 1
        size = width + count
        gradient, information = np.zeros(size), np.zeros((size, size))
        if not (np.diff(point[width:]) > 0).all():
            return Slope(value=-np.inf, gradient=gradient, information=information)
        value = 0.0
        for part in self._parts(point):
            x = self.design[part.rows]
            weights = np.ones(len(x)) if self.weights is None else self.weights[part.rows]
            value += float(weights @ np.log(np.maximum(part.seen, TINY)))
            slopes = part.falls * part.densities
            gradient += np.concatenate([-((weights * slopes.sum(axis=0)) @ x), slopes @ weights])
            curves = _complete_curves(part) if complete else _observed_curves(part, slopes)
            curves = curves * weights
            beside = curves.sum(axis=1)
            information[:width, :width] += x.T @ (beside.sum(axis=0)[:, None] * x)
            information[width:, :width] -= beside @ x
            information[width:, width:] += curves.sum(axis=2)
        information[:width, width:] = information[width:, :width].T
        return Slope(value=value, gradient=gradient, information=information)

    def scores(self, point: FloatArray) -> FloatArray:
        """The gradient of each row; see `Hill`."""
        found = np.empty((len(self.kinds), self.design.shape[1] + len(self.labels) - 1))
        for part in self._parts(point):
            slopes = part.falls * part.densities
            sums = slopes.sum(axis=0)[:, None] * self.design[part.rows]
            found[part.rows] = np.concatenate([-sums, slopes.T], axis=1)
        return found

    def _parts(self, point: FloatArray) -> Iterator[_Part]:
        width = self.design.shape[1]
        columns = np.ascontiguousarray(self.table.T)
        for at in range(0, len(self.kinds), CHUNK):
            rows = slice(at, at + CHUNK)
            places = point[width:, None] - self.design[rows] @ point[:width]
            chances, laws = ordered_laws(places)
            likelihoods = columns[:, self.kinds[rows]]
            seen = (likelihoods * laws).sum(axis=0)
            yield _Part(
                rows=rows,
                seen=seen,
                laws=laws,
                chances=chances,
                densities=chances * _logistic(-places),
                falls=(likelihoods[:-1] - likelihoods[1:]) / np.maximum(seen, TINY),
            )


def ordered_laws(places: FloatArray) -> tuple[FloatArray, FloatArray]:
    """F(t_k) and the law of the answers, a row each; differences of F by a formula that does not cancel."""
    below, above = _logistic(places), _logistic(-places)
    # F(b) - F(a) = F(b)·(1 - F(a))·(1 - exp(a - b))
    between = below[1:] * above[:-1] * -np.expm1(np.minimum(places[:-1] - places[1:], 0.0))
    return below, np.concatenate([below[:1], between, above[-1:]])


def threshold_names(labels: tuple[str, ...]) -> tuple[str, ...]:
    """What thresholds are called: the answers that they lie between."""
    return tuple(f"{lower}|{upper}" for lower, upper in itertools.pairwise(labels))


def _observed_curves(part: _Part, slopes: FloatArray) -> FloatArray:
    """s·sᵀ - diag(D·f'/l), with f' = f·(1 - 2F)."""
    found: FloatArray = slopes[:, None] * slopes[None]
    for k, bend in enumerate(part.falls * part.densities * (1 - 2 * part.chances)):
        found[k, k] -= bend
    return found


def _complete_curves(part: _Part) -> FloatArray:
    """The information of an answer: Σ_k (∂π_k)(∂π_k)ᵀ/π_k, where π_k moves with its two thresholds only."""
    count = len(part.densities)
    found = np.zeros((count, count, part.densities.shape[1]))
    over = 1 / np.maximum(part.laws, TINY)
    for k, density in enumerate(part.densities):
        found[k, k] = density**2 * (over[k] + over[k + 1])
        if k + 1 < count:
            found[k, k + 1] = found[k + 1, k] = -density * part.densities[k + 1] * over[k + 1]
    return found


def _logistic(numbers: FloatArray) -> FloatArray:
    small = np.exp(-np.abs(numbers))
    found: FloatArray = np.where(numbers >= 0, 1.0, small) / (1 + small)
    return found
