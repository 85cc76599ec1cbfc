"""Laws of masks, exact: what independent flips of bits add up to.

A law that treats all bits alike gives every mask with as many bits the same probability. So the law on 65 536 masks is
17 probabilities, and the sum of two such masks is found by counting bits.   Theory: docs/theory/several.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from sfumato.refine.masks import FlipMask


@dataclass(frozen=True, slots=True)
class MaskLaw:
    """`values[w]` is the probability of each single mask with w bits."""

    values: tuple[Fraction, ...]

    @classmethod
    def nothing(cls, length: int) -> MaskLaw:
        """Return the mask that is always empty."""
        return cls((Fraction(1), *[Fraction(0)] * length))

    @property
    def length(self) -> int:
        """How many bits a mask has."""
        return len(self.values) - 1

    def plus(self, step: FlipMask) -> MaskLaw:
        """Return the law of this mask and an independent `step` together.

        A mask with w bits comes from one that has i of these bits less and j of the others more, by a step with i + j
        bits; there are C(w, i)·C(m-w, j) such steps.
        """
        m, steps = self.length, step.by_weight()
        found = [
            sum(
                (
                    math.comb(w, i) * math.comb(m - w, j) * steps[i + j] * self.values[w - i + j]
                    for i in range(w + 1)
                    for j in range(m - w + 1)
                    if self.values[w - i + j]
                ),
                Fraction(0),
            )
            for w in range(m + 1)
        ]
        return MaskLaw(tuple(found))

    def law(self) -> tuple[Fraction, ...]:
        """Return the probability of every mask."""
        return tuple(self.values[mask.bit_count()] for mask in range(1 << self.length))

    def counted(self) -> tuple[tuple[Fraction, int], ...]:
        """Return each probability with the number of masks that have it."""
        return tuple((value, math.comb(self.length, w)) for w, value in enumerate(self.values))

    def odds(self, size: int) -> Fraction | float:
        """Return the largest probability over the smallest: every mask leads from some answer to some report.

        Of the `size` answers there are those with every pattern of the bits that are asked for.
        """
        del size
        low = min(self.values)
        return max(self.values) / low if low else math.inf
