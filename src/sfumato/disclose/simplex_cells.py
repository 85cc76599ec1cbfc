"""Simplices that cover all laws on a few values, cut in halves where a program needs them finer.

The first simplex is that of all laws; a cut replaces a corner by the middle of the longest edge. Corners are then
dyadic, and the matrix that turns a law into its weights on the corners has whole entries: both are exact in doubles,
so the cells cover every law, with no gap between them.   Used for [D, Def. 3]; theory: docs/theory/disclosure_limits.md
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from sfumato.disclose.data_laws import FloatArray

# Corners stay exact as long as they have fewer binary places than a double.
MOST_CUTS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Simplex:
    """Corners in the rows of `corners`; `weigh` @ law are the weights of the corners that make up the law."""

    corners: FloatArray
    weigh: FloatArray
    entropies: FloatArray
    cuts: int = 0

    @classmethod
    def whole(cls, size: int) -> Simplex:
        """All laws on `size` values."""
        return cls(corners=np.eye(size), weigh=np.eye(size), entropies=np.zeros(size))

    @property
    def centre(self) -> FloatArray:
        """The mean of the corners, kept off the border."""
        return np.asarray(np.maximum(self.corners.mean(axis=0), 1e-300))

    @property
    def can_be_cut(self) -> bool:
        """Whether the middle of an edge is still exact."""
        return len(self.corners) > 1 and self.cuts < MOST_CUTS

    def halves(self) -> tuple[Simplex, Simplex]:
        """Cut through the middle of the longest edge.

        A law b_i c_i + b_j c_j is 2b_i·middle + (b_j - b_i)c_j where b_j ≥ b_i, and the other way round.
        """
        edges = itertools.combinations(range(len(self.corners)), 2)
        i, j = max(edges, key=lambda pair: float(np.abs(self.corners[pair[0]] - self.corners[pair[1]]).sum()))
        middle = (self.corners[i] + self.corners[j]) / 2
        return self._with(i, j, middle), self._with(j, i, middle)

    def _with(self, i: int, j: int, middle: FloatArray) -> Simplex:
        corners, weigh, entropies = self.corners.copy(), self.weigh.copy(), self.entropies.copy()
        corners[i] = middle
        entropies[i] = float(entropies_of(middle[None])[0])
        weigh[j] = weigh[j] - weigh[i]
        weigh[i] = 2 * weigh[i]
        return Simplex(corners=corners, weigh=weigh, entropies=entropies, cuts=self.cuts + 1)


def entropies_of(laws: FloatArray) -> FloatArray:
    """The entropy of each row in bits."""
    return np.asarray(-(laws * np.log2(np.where(laws > 0, laws, 1.0))).sum(axis=1))
