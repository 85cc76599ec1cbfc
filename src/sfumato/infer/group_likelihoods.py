"""The likelihood of counts from several groups, and the way up to its top within the bounds of the unknowns.

It is climbed from several points inside the bounds, because products of unknowns may have several tops. The bounds are
kept by a logarithmic barrier that is lowered until it does not matter [Fia68].   Theory: docs/theory/compliance.md
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

from sfumato.infer.group_models import GroupModel

FloatArray = npt.NDArray[np.float64]

_BARRIERS = (1e-2, 1e-5, 1e-8, 1e-12)
_STEPS = 60
_TO_THE_WALL = 0.99
_RIDGE = 1e-14
# A report's log-likelihood gains less than this: one more step is taken, which squares what is missing.
_NO_GAIN, _LOOSELY, _NO_PACE = 1e-13, 1e-2, 1e-9
# What lies closer to a bound than the barrier can tell is at the bound.
_AT_BOUND = 2e-6


class Likelihood:
    """The logarithm of the likelihood of counts, as matrices; cells are the reports of all groups in a row."""

    def __init__(self, model: GroupModel, table: Sequence[Sequence[int]]) -> None:
        self._size = len(model.unknowns)
        laws = [law for group in model.groups for law in group.laws]
        monomials = sorted({places for law in laws for places, _ in law})
        self._factors = np.zeros((len(laws), len(monomials)))
        for row, law in enumerate(laws):
            for places, factor in law:
                self._factors[row, monomials.index(places)] = float(factor)
        self._powers = np.array([[j in places for j in range(self._size)] for places in monomials])
        # Linear in each unknown: its derivative is the sum of the terms that have it, without it.
        self._slope_factors = np.stack([self._factors * self._powers[:, j] for j in range(self._size)])
        self._other_powers = np.stack([self._powers & (np.arange(self._size) != j) for j in range(self._size)])
        self._counts = np.array([k for row in table for k in row], dtype=np.float64)
        self._group = np.repeat(np.arange(len(table)), [len(row) for row in table])
        self._total = float(self._counts.sum())
        self._sums = [list(places) for places in model.sums]
        eye = np.eye(self._size)
        rows = [*(-eye), *eye, *(eye[places].sum(axis=0) for places in self._sums)]
        self._walls = np.array(rows)
        self._limits = np.array([0.0] * self._size + [1.0] * self._size + [1.0] * len(self._sums))

    def law(self, point: FloatArray) -> FloatArray:
        """Return the probabilities of all cells."""
        found: FloatArray = self._factors @ np.prod(np.where(self._powers, point, 1.0), axis=1)
        return found

    def slopes(self, point: FloatArray) -> FloatArray:
        """Return their derivatives, a column for each unknown."""
        products = np.prod(np.where(self._other_powers, point, 1.0), axis=2)
        found: FloatArray = (self._slope_factors @ products[:, :, None])[:, :, 0].T
        return found

    def height(self, point: FloatArray) -> float:
        """Return the logarithm of the likelihood, without the binomial coefficients."""
        law, seen = self.law(point), self._counts > 0
        if (law[seen] <= 0).any():
            return -math.inf
        return float(self._counts[seen] @ np.log(law[seen]))

    def information(self, point: FloatArray, totals: FloatArray) -> FloatArray:
        """Return the expected information of groups of such sizes."""
        law, slopes = self.law(point), self.slopes(point)
        weights = np.where(law > 0, totals[self._group] / np.where(law > 0, law, 1.0), 0.0)
        found: FloatArray = (slopes * weights[:, None]).T @ slopes
        return found

    def maximum(self) -> tuple[FloatArray, float]:
        """Return the likeliest point within the bounds and the height there."""
        free = list(range(self._size))
        ends = [self._climbed(start, free) for start in self._starts()]
        return max(((point, self.height(point)) for point in ends), key=lambda pair: pair[1])

    def profile(self, place: int, value: float, near: FloatArray) -> float:
        """Return the greatest height with one unknown held; `near` are values of the others to begin with."""
        free = [j for j in range(self._size) if j != place]
        heights = [-math.inf]
        starts = [near] if len(free) == 1 else [near, *self._starts()]
        for start in starts:
            moved = self._inside(start, {place: value})
            heights.append(self.height(self._climbed(moved, free) if free else moved))
        return max(heights)

    def _starts(self) -> list[FloatArray]:
        corners = [np.full(self._size, 0.5)]
        corners += [np.array(corner) for corner in product((0.15, 0.85), repeat=self._size)]
        return [self._inside(corner, {}) for corner in corners]

    def _inside(self, point: FloatArray, held: Mapping[int, float]) -> FloatArray:
        """Return the point moved inside all walls, those of what is held excepted."""
        found = np.clip(point, 0.05, 0.95)
        for place, value in held.items():
            found[place] = value
        for places in self._sums:
            loose = [j for j in places if j not in held]
            room = max(1e-9, 1 - sum(held.get(j, 0.0) for j in places))
            used = float(found[loose].sum())
            if loose and used >= 0.95 * room:
                found[loose] *= 0.9 * room / used
        return found

    def _climbed(self, start: FloatArray, free: list[int]) -> FloatArray:
        """Climb with a falling barrier; the curvature is that of the reports seen, which is never negative."""
        point, seen = start.copy(), self._counts > 0
        shares = self._counts[seen] / self._total
        near = (self._walls[:, free] != 0).any(axis=1)
        walls, limits = self._walls[near], self._limits[near]

        def gain(at: FloatArray, barrier: float) -> float:
            room, law = limits - walls @ at, self.law(at)[seen]
            if room.min() <= 0 or law.min() <= 0:
                return -math.inf
            return float(shares @ np.log(law)) + barrier * float(np.log(room).sum())

        if gain(point, 1.0) == -math.inf:
            return point
        for barrier in _BARRIERS:
            here = gain(point, barrier)
            for _ in range(_STEPS):
                law, slopes, room = self.law(point)[seen], self.slopes(point)[seen][:, free], limits - walls @ point
                gradient = (shares / law) @ slopes - barrier * (1 / room) @ walls[:, free]
                scaled, walled = slopes * (np.sqrt(shares) / law)[:, None], walls[:, free] / room[:, None]
                curvature = scaled.T @ scaled + barrier * walled.T @ walled + _RIDGE * np.eye(len(free))
                step = np.zeros_like(point)
                step[free] = np.linalg.solve(curvature, gradient)
                gained = float(gradient @ step[free])
                pace = min(1.0, _TO_THE_WALL / max(1e-300, float((walls @ step / room).max())))
                if gained < max(_NO_GAIN, barrier * _LOOSELY):
                    if barrier == _BARRIERS[-1]:
                        point = point + pace * step
                    break
                while (there := gain(point + pace * step, barrier)) < here + 1e-4 * pace * gained and pace > _NO_PACE:
                    pace /= 2
                if pace <= _NO_PACE:
                    break
                point, here = point + pace * step, there
        snapped: FloatArray = np.where(point < _AT_BOUND, 0.0, np.where(point > 1 - _AT_BOUND, 1.0, point))
        return snapped if self.height(snapped) > -math.inf else point
