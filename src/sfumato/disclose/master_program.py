"""The master program, from both sides: weights on known laws of S that average to the prior, and prices of the cells.

The weights' side divides row x by p(x) and multiplies column y by s_y = min p(x)/v_y(x), so that entries lie in [0, 1]
and the right side is 1, whatever the masses are: every cell is covered to the same relative accuracy. The prices' side
measures price(x) in parts of 1/most(x), so that entries lie in [0, 1] too and every law costs no less than its price to
the same accuracy in bits; prices stay in a box, |price(x)|·most(x) ≤ 64 bits. A dual that is only restricted still
bounds the optimum. Neither side alone is accurate where masses reach from 1 to 1e-14.
Theory: docs/theory/skewed_laws.md
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.disclose.data_laws import FloatArray
from sfumato.disclose.linear_programs import new_model, run_model

MOST_PRICE_BITS = 64.0
# Costs of rare columns are as small as their weights; the solver's least tolerance on reduced costs is 1e-10.
_COST_SCALE = 2.0**20
_SAME_DIGITS = 9
# Below this part of what a cell can hold, a solver's number is its rounding.
_NOTHING = 1e-14
_UNUSED = 1e-11
_COVERED = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """Laws of S with weights that average to the prior; `cost` is Σ u_y H(W|y)."""

    laws: FloatArray
    weights: FloatArray
    cost: float


class Master:
    """Both programs, kept warm between rounds. The prior itself is the first law, and covers itself alone."""

    def __init__(self, prior: FloatArray, most: FloatArray, first_cost: float) -> None:
        import highspy  # noqa: PLC0415  slow to import

        self._prior, self._most = prior, np.maximum(most, prior)
        self._infinity = highspy.kHighsInf
        self._weighing, self._pricing = new_model(scaled=True), new_model(scaled=True)
        nothing = np.array([], dtype=np.int32)
        for share in prior / self._most:
            self._weighing.addRow(1.0, 1.0, 0, nothing, np.array([]))
            # HiGHS minimises, and prices are to be as high as the laws allow.
            self._pricing.addCol(-_COST_SCALE * share, -MOST_PRICE_BITS, MOST_PRICE_BITS, 0, nothing, np.array([]))
        self._laws: list[FloatArray] = []
        self._costs: list[float] = []
        self._scales: list[float] = []
        self._seen: set[bytes] = set()
        self.add(prior, first_cost)
        self._best = Cover(laws=prior[None], weights=np.ones(1), cost=first_cost)

    def add(self, law: FloatArray, cost: float) -> int:
        """Add a law unless it is there; returns how many were added."""
        law = np.where(law > _NOTHING * self._most, law, 0.0)
        # A corner is known by its support alone; other laws by how their cells are filled, too.
        mark = np.packbits(law > 0).tobytes() + np.round(law / self._most, _SAME_DIGITS).tobytes()
        if mark in self._seen:
            return 0
        self._seen.add(mark)
        places = np.flatnonzero(law).astype(np.int32)
        ratio = law[places] / self._prior[places]
        scale = 1.0 / float(ratio.max())
        self._weighing.addCol(_COST_SCALE * scale * cost, 0.0, self._infinity, len(places), places, scale * ratio)
        self._pricing.addRow(-self._infinity, cost, len(places), places, law[places] / self._most[places])
        self._laws.append(law)
        self._costs.append(cost)
        self._scales.append(scale)
        return 1

    def prices(self) -> FloatArray | None:
        """Return the highest prices within their box at which no known law costs less; None if the solver gives up."""
        if not run_model(self._pricing):
            return None
        parts = np.array(self._pricing.getSolution().col_value)
        prices: FloatArray = np.clip(parts, -MOST_PRICE_BITS, MOST_PRICE_BITS) / self._most
        return prices

    def cover(self) -> Cover:
        """Return the cheapest cover; the best one known so far where the solver gives up."""
        if not run_model(self._weighing):
            return self._best
        shares = np.array(self._weighing.getSolution().col_value)
        used = np.flatnonzero(shares > _UNUSED)
        laws = np.array([self._laws[c] for c in used])
        weights = shares[used] * np.array(self._scales)[used]
        if used.size and np.abs(weights @ laws / self._prior - 1.0).max() <= _COVERED:
            cost = float(weights @ np.array(self._costs)[used])
            if cost < self._best.cost:
                self._best = Cover(laws=laws, weights=weights, cost=cost)
        return self._best
