"""The question behind every round: which law in S has the least H(W) minus its price? Answered by branch and bound.

H is concave, so the answer is a corner. On a box of values of P(w) the concave -t·log t lies above its chord, so a
linear program on the box bounds the answer from below; the box is cut where the chord is furthest off. One warm HiGHS
model serves all programs. It measures each cell by the most that any law in S can put on it, so that all variables
lie in [0, 1] and all levels are 1.   Ref: [D, Thm 1]; [FS69] for the branching
"""

from __future__ import annotations

import heapq
import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.disclose.data_laws import FloatArray
from sfumato.disclose.linear_programs import is_optimal, new_model, pass_program, run_model
from sfumato.disclose.polytope import entropy_bits
from sfumato.disclose.scaled_rows import most_by_cell
from sfumato.errors import NotCertified

_LOG2_E = 1 / math.log(2)
# More than the rounding of a sum of so many products as a program has, relative to their absolute values.
_ROUNDING = 2.0**-48


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """The least value found and a bound that no law passes, with good laws met on the way."""

    least: float
    bound: float
    found: tuple[FloatArray, ...]
    nodes: int


class Pricer:
    """Linear programs over S = {v ≥ 0, A v = b} with the feature's law t = W v as variables of their own.

    Inside, v = most·r and t = span·τ; costs, laws and prices are those of v for everybody outside.
    """

    def __init__(self, rows: FloatArray, goal: FloatArray, feature: FloatArray) -> None:
        self._feature = feature
        is_identity = feature.shape[0] == feature.shape[1] and np.array_equal(feature, np.eye(len(feature)))
        self.size = feature.shape[1]
        self.most = most_by_cell(rows, goal)
        count = feature.shape[0]
        scaled = rows * self.most / goal[:, None]
        if is_identity:
            self._span = self.most
            matrix, level = scaled, np.ones(len(rows))
            self._columns = np.arange(self.size, dtype=np.int32)
        else:
            self._span = np.minimum(1.0, feature @ self.most)
            matrix = np.block(
                [
                    [scaled, np.zeros((len(rows), count))],
                    [feature * self.most / self._span[:, None], -np.eye(count)],
                ]
            )
            level = np.concatenate([np.ones(len(rows)), np.zeros(count)])
            self._columns = np.arange(self.size, self.size + count, dtype=np.int32)
        self._width = matrix.shape[1]
        self._matrix, self._level = matrix, level
        self._sizes = np.abs(matrix)
        self._least, self._is_empty = 0.0, False
        self._model = new_model(scaled=True)
        pass_program(self._model, np.zeros(self._width), matrix, (level, level), np.ones(self._width))
        self._all = np.arange(self._width, dtype=np.int32)
        self.programs = 0
        self.lowest, self.highest = self._ranges()

    def solve(
        self, cost: FloatArray, slope: FloatArray | None = None, box: tuple[FloatArray, FloatArray] | None = None
    ) -> FloatArray | None:
        """Minimise cost·v + slope·τ with τ in the box; None when the box meets S nowhere."""
        import highspy  # noqa: PLC0415  slow to import

        costs = np.zeros(self._width)
        costs[: self.size] = cost * self.most
        if slope is not None:
            costs[self._columns] += slope
        low, high = box if box is not None else (np.zeros(len(self._columns)), np.ones(len(self._columns)))
        # Prices can be huge while the master knows few laws; the solver's tolerances are meant for costs of about 1.
        scale = max(1.0, float(np.abs(costs).max()))
        self._model.changeColsCost(self._width, self._all, costs / scale)
        self._model.changeColsBounds(len(self._columns), self._columns, low, high)
        self._model.run()
        self.programs += 1
        infeasible = highspy.HighsModelStatus.kInfeasible
        if not (self._model.getModelStatus() == infeasible or is_optimal(self._model) or run_model(self._model)):
            raise NotCertified(
                "the solver did not reach the optimum of a pricing program", way_out="Try a smaller problem."
            )
        if self._model.getModelStatus() == infeasible:
            self._is_empty = self._is_proved_empty(low, high)
            return None
        found = self._model.getSolution()
        self._least = self._dual_bound(costs, scale * np.array(found.row_dual), low, high)
        solution: FloatArray = self.most * np.maximum(np.array(found.col_value[: self.size]), 0.0)
        return solution

    def _dual_bound(self, costs: FloatArray, duals: FloatArray, low: FloatArray, high: FloatArray) -> float:
        """Bound the program from below by its dual, whatever the solver's tolerance: variables stay within bounds.

        Level, matrix and costs are rounded, and so are the sums: what that can do is taken off.
        """
        reduced = costs - duals @ self._matrix
        lowest, highest = np.zeros(self._width), np.ones(self._width)
        lowest[self._columns], highest[self._columns] = low, high
        value = float(duals @ self._level + np.where(reduced > 0, reduced * lowest, reduced * highest).sum())
        terms = float((np.abs(costs) + np.abs(duals) @ self._sizes) @ highest + np.abs(duals) @ self._level)
        return value - _ROUNDING * terms

    def _is_proved_empty(self, low: FloatArray, high: FloatArray) -> bool:
        """Whether a combination of the rows has no solution in the box by itself, whatever the solver's tolerance."""
        _, _, ray = self._model.getDualRay()
        if len(ray) != len(self._level):
            return False
        weights = np.array(ray)
        lowest, highest = np.zeros(self._width), np.ones(self._width)
        lowest[self._columns], highest[self._columns] = low, high
        entries, level = weights @ self._matrix, float(weights @ self._level)
        least = float(np.where(entries > 0, entries * lowest, entries * highest).sum())
        most = float(np.where(entries > 0, entries * highest, entries * lowest).sum())
        margin = _ROUNDING * float(np.abs(weights) @ (self._sizes @ highest + self._level))
        return level < least - margin or level > most + margin

    def worth(self, v: FloatArray, price: FloatArray) -> float:
        """H(W) under v, less its price."""
        return float(entropy_bits((self._feature @ v)[:, None])[0] - price @ v)

    def descend(self, v: FloatArray, price: FloatArray) -> tuple[FloatArray, float]:
        """Go from corner to corner along the tangent of H while that helps."""
        value = self.worth(v, price)
        for _ in range(60):
            t = np.maximum(self._feature @ v, 1e-12 * self._span)
            step = self.solve(self._feature.T @ (-(np.log2(t) + _LOG2_E)) - price)
            if step is None:
                break
            better = self.worth(step, price)
            if better > value - 1e-12:
                break
            v, value = step, better
        return v, value

    def least(self, price: FloatArray, *, tolerance: float, deadline: float, most_nodes: int = 200_000) -> Priced:
        """Return the least worth with a bound; they agree to the tolerance unless time or nodes ran out."""
        # `passed` is the least bound of a box that was left aside: what lies in it may be that much better.
        best, passed, kept = math.inf, math.inf, []
        root = self._node(self.lowest, self.highest, price)
        if root is None:
            raise NotCertified(
                "the pricing program has no solution, though the prior itself is one",
                way_out="Try a smaller problem.",
            )
        heap: list[tuple[float, int, FloatArray, FloatArray, Any]] = [(root[0], 0, self.lowest, self.highest, root)]
        nodes = 0
        while heap:
            bound, _, low, high, node = heap[0]
            if bound >= best - tolerance or nodes > most_nodes or time.monotonic() > deadline:
                break
            heapq.heappop(heap)
            v, value = node[1], self.worth(node[1], price)
            if value < best - 1e-12:
                v, value = self.descend(v, price)
                best = value
                kept.append(v)
            place = int(np.argmax(node[3]))
            if node[3][place] < 1e-13:
                passed = min(passed, bound)
                continue
            width = high[place] - low[place]
            cut = min(max(node[2][place], low[place] + 0.1 * width), high[place] - 0.1 * width)
            for side in (0, 1):
                below, above = low.copy(), high.copy()
                (above if side == 0 else below)[place] = cut
                child = self._node(below, above, price)
                if child is None:
                    passed = passed if self._is_empty else min(passed, bound)
                    continue
                if child[0] < best - tolerance:
                    nodes += 1
                    heapq.heappush(heap, (child[0], nodes, below, above, child))
                else:
                    passed = min(passed, child[0])
        bound = min([best, passed, *(entry[0] for entry in heap)])
        return Priced(least=best, bound=bound, found=tuple(kept), nodes=nodes)

    def _node(
        self, low: FloatArray, high: FloatArray, price: FloatArray
    ) -> tuple[float, FloatArray, FloatArray, FloatArray] | None:
        width = high - low
        at_low, at_high = self._term(low), self._term(high)
        is_wide = width > 1e-13
        at_low = np.where(is_wide, at_low, np.minimum(at_low, at_high))
        slope = np.where(is_wide, (at_high - at_low) / np.maximum(width, 1e-13), 0.0)
        constant = float((at_low - slope * low).sum())
        v = self.solve(-price, slope, (low, high))
        if v is None:
            return None
        t = (self._feature @ v) / self._span
        bound = constant + self._least
        return bound, v, t, self._term(np.maximum(t, 0.0)) - (at_low + slope * (t - low))

    def _term(self, part: FloatArray) -> FloatArray:
        """-t·log t for t = span·τ."""
        t = self._span * part
        result: FloatArray = -t * np.log2(np.where(t > 0, t, 1.0))
        return result

    def _ranges(self) -> tuple[FloatArray, FloatArray]:
        """Return how low and how high each P(w) can get in S, in parts of its span; pushed out by the dual."""
        count = len(self._columns)
        low, high = np.zeros(count), np.ones(count)
        for place in range(count):
            for sign in (1.0, -1.0):
                if self.solve(sign * self._feature[place] / self._span[place]) is None:
                    raise NotCertified(
                        "the protected marginals contradict each other", way_out="Give the law in exact fractions."
                    )
                if sign > 0:
                    low[place] = 0.0 if self._least < 1e-11 else self._least
                else:
                    high[place] = min(1.0, -self._least)
        return low, high
