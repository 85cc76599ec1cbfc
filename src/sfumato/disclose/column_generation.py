"""The best disclosure by column generation: weights on corners of S that average to the prior, with least H(W|Y).

The master program knows some corners; its prices ask the pricer for a better one. The least reduced cost, bounded by
branch and bound, bounds how much is still missing, so both ends of the answer are known at any moment.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from sfumato.bits import KeyedBits
from sfumato.disclose.data_laws import FloatArray
from sfumato.disclose.polytope import entropy_bits
from sfumato.disclose.pricing import Pricer
from sfumato.errors import NotCertified

Progress = Callable[[float, float], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """Laws in S with weights that average to the prior: `laws[y]` is the posterior of the data given output y."""

    laws: FloatArray
    weights: FloatArray
    lower_bits: float
    upper_bits: float
    rounds: int


def generate_columns(
    rows: FloatArray,
    prior: FloatArray,
    feature: FloatArray,
    *,
    tolerance: float,
    seconds: float,
    progress: Progress | None = None,
) -> Mixture:
    """Solve to the tolerance, or as far as the time allows; the bounds say how far that is."""
    deadline = time.monotonic() + seconds
    pricer = Pricer(rows, rows @ prior, feature)
    master = _Master(prior)
    whole = float(entropy_bits((feature @ prior)[:, None])[0])
    master.add(prior, whole)
    directions = _directions(len(prior))
    for _ in range(min(2 * len(prior), 200)):
        corner = pricer.solve(next(directions))
        if corner is not None:
            master.add(corner, float(entropy_bits((feature @ corner)[:, None])[0]))
    bound, rounds = -math.inf, 0
    while True:
        rounds += 1
        value, price, _ = master.solve()
        if progress is not None:
            progress(whole - value, whole - bound)
        added = _cheap_columns(pricer, master, price, feature, directions, tolerance, deadline)
        if not added:
            priced = pricer.least(price, tolerance=tolerance / 2, deadline=deadline)
            bound = max(bound, value + min(priced.bound, 0.0))
            for law in priced.found:
                if pricer.worth(law, price) < -tolerance / 10:
                    added += master.add(law, float(entropy_bits((feature @ law)[:, None])[0]))
            if value - bound <= tolerance or not added:
                break
        if time.monotonic() > deadline:
            if bound == -math.inf:
                # Not one full pricing fitted into the time: the box around S still gives a bound.
                priced = pricer.least(price, tolerance=tolerance, deadline=time.monotonic() + 1.0)
                bound = value + min(priced.bound, 0.0)
            break
    value, _, weights = master.solve()
    used = np.flatnonzero(weights > 1e-12)
    laws = np.array([master.columns[c] for c in used])
    return Mixture(
        laws=laws,
        weights=weights[used],
        lower_bits=max(0.0, whole - value),
        upper_bits=max(0.0, whole - bound),
        rounds=rounds,
    )


def _cheap_columns(
    pricer: Pricer,
    master: _Master,
    price: FloatArray,
    feature: FloatArray,
    directions: Any,
    tolerance: float,
    deadline: float,
    tries: int = 20,
) -> int:
    """Look for columns that help by walking from corner to corner, before branch and bound has to."""
    added = 0
    for attempt in range(tries):
        if time.monotonic() > deadline:
            break
        start = pricer.solve(next(directions) - (price if attempt % 2 else 0.0))
        if start is None:
            continue
        law, value = pricer.descend(start, price)
        if value < -tolerance:
            added += master.add(law, float(entropy_bits((feature @ law)[:, None])[0]))
    return added


class _Master:
    """Least Σ u_y H(W|y) with Σ u_y v_y = p, kept warm between rounds."""

    def __init__(self, prior: FloatArray) -> None:
        import highspy  # noqa: PLC0415  slow to import

        self._model = highspy.Highs()  # type: ignore[no-untyped-call]
        for name, value in (
            ("output_flag", False),
            ("threads", 1),
            ("primal_feasibility_tolerance", 1e-10),
            ("dual_feasibility_tolerance", 1e-10),
        ):
            self._model.setOptionValue(name, value)
        nothing = np.array([], dtype=np.int32)
        for mass in prior:
            self._model.addRow(float(mass), float(mass), 0, nothing, np.array([]))
        self._infinity = highspy.kHighsInf
        self._optimal = highspy.HighsModelStatus.kOptimal
        self.columns: list[FloatArray] = []
        self._seen: set[bytes] = set()

    def add(self, law: FloatArray, cost: float) -> int:
        """Add a law unless it is there; returns how many were added."""
        mark = np.round(law, 9).tobytes()
        if mark in self._seen:
            return 0
        self._seen.add(mark)
        places = np.flatnonzero(np.abs(law) > 1e-14).astype(np.int32)
        self._model.addCol(cost, 0.0, self._infinity, len(places), places, law[places])
        self.columns.append(law)
        return 1

    def solve(self) -> tuple[float, FloatArray, FloatArray]:
        """Return the value, the prices of the cells, and the weights."""
        self._model.run()
        if self._model.getModelStatus() != self._optimal:
            self._model.clearSolver()
            self._model.run()
        if self._model.getModelStatus() != self._optimal:
            raise NotCertified(
                "the solver did not reach the optimum of the master program", way_out="Try a smaller problem."
            )
        solution = self._model.getSolution()
        value = float(self._model.getInfo().objective_function_value)
        return value, np.array(solution.row_dual), np.array(solution.col_value)


def _directions(size: int) -> Any:
    """Yield directions to look in, the same ones every time: a search has to be repeatable, not secret."""
    bits = KeyedBits(sha256(b"sfumato disclosure directions").digest())
    while True:
        words = bits.words(4 * size, 16).astype(np.float64).reshape(4, size)
        yield words.sum(axis=0) / 2.0**16 - 2.0
