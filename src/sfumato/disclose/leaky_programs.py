"""Programs over cells that bound what may be told within a leak from above, by their duals.

In each cell H(W|v) is priced at its chord and the leak at a tangent of H(X|v), so every mapping is feasible and costs
no more than it leaves open. Prices from a solver are taken as they come: any prices bound the least cost, once their
reduced costs and rounding are counted.   Ref: [D, Def. 3]; theory: docs/theory/disclosure_limits.md
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from sfumato.disclose.asymptotics import Measurements
from sfumato.disclose.data_laws import FloatArray
from sfumato.disclose.simplex_cells import Simplex, entropies_of
from sfumato.errors import NotCertified
from sfumato.measures.enclosures import UNIT_ROUNDOFF

_USED = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What the curator sees: its law, and how the laws of W~ and of X follow from a law of it."""

    labels: tuple[tuple[int, ...], ...]
    law: tuple[Fraction, ...]
    feature: FloatArray  # a row for each value of W~
    sample: FloatArray  # a row for each symbol
    whole_feature: float
    whole_sample: float


def state_of(measurements: Measurements, *, sees_sample: bool) -> State:
    """What a curator sees: W~, and a measurement of it if `sees_sample`."""
    prior, noise = measurements.prior, measurements.noise
    values, symbols = noise.shape
    joint = [
        (p * Fraction(row[x]), (w, x))
        for w, (p, row) in enumerate(zip(prior.fractions, noise.rows, strict=True))
        for x in range(symbols)
    ]
    labels: tuple[tuple[int, ...], ...]
    if sees_sample:
        kept = [(mass, pair) for mass, pair in joint if mass]
        feature = np.array([[float(pair[0] == w) for _, pair in kept] for w in range(values)])
        sample = np.array([[float(pair[1] == x) for _, pair in kept] for x in range(symbols)])
        labels, law = tuple(pair for _, pair in kept), tuple(mass for mass, _ in kept)
    else:
        feature, sample = np.eye(values), noise.array.T.copy()
        labels, law = tuple((w,) for w in range(values)), prior.fractions
    p = np.array([float(mass) for mass in law])
    return State(
        labels=labels,
        law=law,
        feature=feature,
        sample=sample,
        whole_feature=float(entropies_of((feature @ p)[None])[0]),
        whole_sample=float(entropies_of((sample @ p)[None])[0]),
    )


class Cells(Protocol):
    """A cover of all laws that a program is written on."""

    def bound(self, alpha: float) -> tuple[float, list[FloatArray]]:
        """Return a bound on what is told from above, and the laws that the program mixes."""
        ...

    def cut(self) -> bool:
        """Cut the cells that were used; say whether any was."""
        ...


class FeatureCells:
    """Cells of laws of W~, for a curator who sees nothing else: a column for each corner."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._prior = np.array([float(mass) for mass in state.law])
        self._cells = [Simplex.whole(len(self._prior))]
        self._used: list[int] = []

    def bound(self, alpha: float) -> tuple[float, list[FloatArray]]:
        """Return a bound on what is told from above, and the laws that the program mixes."""
        noise, size = self._state.sample.T, len(self._prior)
        corners = np.concatenate([cell.corners for cell in self._cells])
        costs = np.concatenate([cell.entropies for cell in self._cells])
        tangents = np.concatenate([-(cell.corners @ noise) @ _logs(cell.centre @ noise) for cell in self._cells])
        leaks = self._state.whole_sample - tangents
        weights, prices, price = solve(costs, leaks[None], np.array([alpha]), corners.T, self._prior)
        reduced = costs - corners @ prices - price[0] * leaks
        size_of_whole = self._state.whole_feature + self._state.whole_sample + 2
        least = float(prices @ self._prior + price[0] * alpha) + min(0.0, float(reduced.min()))
        size_of_terms = float(np.abs(prices).max() + abs(price[0]) * (np.abs(tangents).max() + size_of_whole + alpha))
        slack = _rounding(size + noise.shape[1], size_of_terms + size_of_whole)
        parts = weights.reshape(-1, size)
        masses = parts.sum(axis=1)
        self._used = np.flatnonzero(masses > _USED).tolist()
        mixed = [parts[c] @ self._cells[c].corners / masses[c] for c in self._used]
        return self._state.whole_feature - least + slack, mixed

    def cut(self) -> bool:
        """Cut the cells that were used; say whether any was."""
        used = {c for c in self._used if self._cells[c].can_be_cut}
        self._cells = [half for c, cell in enumerate(self._cells) for half in (cell.halves() if c in used else (cell,))]
        return bool(used)


class PairCells:
    """Products of a cell of laws of W~ and one of laws of X, for a curator who sees both: a sub-law in each."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._prior = np.array([float(mass) for mass in state.law])
        self._cells = [(Simplex.whole(len(state.feature)), Simplex.whole(len(state.sample)))]
        self._used: list[tuple[int, FloatArray]] = []
        self._price = 0.0

    def bound(self, alpha: float) -> tuple[float, list[FloatArray]]:
        """Return a bound on what is told from above, and the laws that the program mixes."""
        from scipy.sparse import block_diag, csr_matrix, eye, kron, vstack  # noqa: PLC0415  scipy is slow to import

        state, size, count = self._state, len(self._prior), len(self._cells)
        costs = np.concatenate([feature.entropies @ feature.weigh @ state.feature for feature, _ in self._cells])
        tangents = np.concatenate([-_logs(sample.centre) @ state.sample for _, sample in self._cells])
        leaks = state.whole_sample - tangents
        inside = block_diag(
            [
                csr_matrix(-np.concatenate([feature.weigh @ state.feature, sample.weigh @ state.sample]))
                for feature, sample in self._cells
            ]
        )
        upper = vstack([inside, csr_matrix(leaks[None])]).tocsr()
        limits = np.append(np.zeros(inside.shape[0]), alpha)
        equal = kron(np.ones((1, count)), eye(size)).tocsr()
        weights, prices, dual = solve(costs, upper, limits, equal, self._prior)
        self._price = float(dual[-1])
        reduced = (costs - np.tile(prices, count) - upper.T @ dual).reshape(count, size)
        # The parts of all cells add up to the prior, so each state pays its worst reduced cost at most once.
        least = float(prices @ self._prior + dual[-1] * alpha + np.minimum(reduced, 0.0).min(axis=0) @ self._prior)
        sizes = np.abs(upper).T @ np.abs(dual) + np.tile(np.abs(prices), count)
        grown = max(float(np.abs(feature.weigh).sum()) for feature, _ in self._cells) * np.log2(len(state.feature) + 1)
        grown += abs(self._price) * (alpha + state.whole_sample) + state.whole_feature + 2
        slack = _rounding(size + inside.shape[0] // count, float(sizes.max()) + grown)
        parts = weights.reshape(count, size)
        masses = parts.sum(axis=1)
        self._used = [(int(c), parts[c] / masses[c]) for c in np.flatnonzero(masses > _USED)]
        return state.whole_feature - least + slack, [law for _, law in self._used]

    def cut(self) -> bool:
        """Cut the cells that were used, on the side where more is given away; say whether any was."""
        used = dict(self._used)
        found: list[tuple[Simplex, Simplex]] = []
        cut = False
        for c, (feature, sample) in enumerate(self._cells):
            law = used.get(c)
            if law is None or not (feature.can_be_cut or sample.can_be_cut):
                found.append((feature, sample))
                continue
            cut = True
            of_feature, of_sample = self._state.feature @ law, self._state.sample @ law
            chord = float(entropies_of(of_feature[None])[0] - feature.entropies @ feature.weigh @ of_feature)
            tangent = float(-_logs(sample.centre) @ of_sample - entropies_of(of_sample[None])[0])
            if feature.can_be_cut and (chord > -self._price * tangent or not sample.can_be_cut):
                found += [(half, sample) for half in feature.halves()]
            else:
                found += [(feature, half) for half in sample.halves()]
        self._cells = found
        return cut


def solve(
    costs: FloatArray, upper: Any, limits: FloatArray, equal: Any, level: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the solution and the prices of the equations and of the limits; those are at most 0."""
    from scipy.optimize import linprog  # noqa: PLC0415  scipy is slow to import

    found = linprog(
        costs,
        A_ub=upper,
        b_ub=limits,
        A_eq=equal,
        b_eq=level,
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.status != 0:
        raise NotCertified("the solver did not reach the optimum of a cell program", way_out="Allow another `alpha`.")
    prices = np.asarray(found.eqlin.marginals, dtype=np.float64)
    dual = np.minimum(np.asarray(found.ineqlin.marginals, dtype=np.float64), 0.0)
    return np.maximum(np.asarray(found.x, dtype=np.float64), 0.0), prices, dual


def _logs(law: FloatArray) -> FloatArray:
    return np.asarray(np.log2(np.maximum(law, 1e-300)))


def _rounding(terms: int, size: float) -> float:
    """Bound the rounding of a sum of so many products, none above `size`, each known to a few units."""
    return 64 * UNIT_ROUNDOFF * (terms + 8) * size
