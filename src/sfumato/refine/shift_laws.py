"""Laws of shifts, exact: what independent steps add up to, and the channel of a report that is shifted so.

A law is kept as its few distinct probabilities and a code for each residue, so that a ladder on 87 381 residues is
judged from 87 381 codes.   Theory: docs/theory/ladders.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato import measures
from sfumato.prob import Circulant
from sfumato.prob.distinct_values import distinct
from sfumato.refine.shifts import ShiftArray, TwoLevelShift


@dataclass(frozen=True, slots=True, eq=False)
class ShiftLaw:
    """The law of a shift, exact: its distinct probabilities, ascending, and which of them each residue has."""

    values: tuple[Fraction, ...]
    codes: ShiftArray

    @classmethod
    def of(cls, values: Sequence[Fraction], codes: ShiftArray) -> ShiftLaw:
        """Return the one spelling of a law."""
        kept = sorted({values[code] for code in distinct(codes).tolist()})
        places = np.array([kept.index(value) if value in kept else -1 for value in values], dtype=np.int64)
        return cls(tuple(kept), places[codes])

    @classmethod
    def nothing(cls, modulus: int) -> ShiftLaw:
        """Return the shift that is always 0."""
        codes = np.zeros(modulus, dtype=np.int64)
        codes[0] = 1
        return cls((Fraction(0), Fraction(1)), codes)

    def plus(self, step: TwoLevelShift) -> ShiftLaw:
        """Return the law of this shift and an independent `step` together: their convolution.

        A step is c everywhere and c + e on its favoured set F, so the sum has probability c + e·Σ_{f in F} P(u-f).
        """
        high, low = step.probabilities
        if step.favoured.tolist() == [0]:
            return ShiftLaw.of([low + (high - low) * value for value in self.values], self.codes)
        sizes = np.bincount(self.codes, minlength=len(self.values))
        rare = [code for code in range(len(self.values)) if code != int(sizes.argmax())]
        reached = np.zeros((len(self.values), step.modulus), dtype=np.int64)
        for code in rare:
            reached[code] = _sums(np.flatnonzero(self.codes == code), step)
        # Every residue is reached once for each favoured shift, whatever it comes from.
        reached[int(sizes.argmax())] = step.favoured.size - reached.sum(axis=0)
        columns, codes = np.unique(reached, axis=1, return_inverse=True)
        found = [
            low + (high - low) * sum(int(n) * value for n, value in zip(column, self.values, strict=True))
            for column in columns.T
        ]
        return ShiftLaw.of(found, codes.reshape(-1))

    def law(self) -> tuple[Fraction, ...]:
        """Return the probability of every shift."""
        return tuple(self.values[code] for code in self.codes.tolist())

    def counted(self) -> tuple[tuple[Fraction, int], ...]:
        """Return each probability with the number of shifts that have it."""
        return tuple(zip(self.values, np.bincount(self.codes, minlength=len(self.values)).tolist(), strict=True))

    def odds(self, size: int) -> Fraction | float:
        """Measure the channel of a report that is shifted so."""
        return measures.odds(self.channel(size))

    def channel(self, size: int) -> Circulant:
        """Return the channel of a report that is shifted so; of `size` answers only as many kinds as reports differ."""
        return Circulant.of_codes(self.values, self.codes, min(size, len(self.codes)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShiftLaw):
            return NotImplemented
        return self.values == other.values and bool(np.array_equal(self.codes, other.codes))

    __hash__ = None  # type: ignore[assignment]


def _sums(places: ShiftArray, step: TwoLevelShift) -> ShiftArray:
    """How often each residue is a place plus a favoured shift."""
    few, many = sorted((places, step.favoured), key=len)
    found = np.zeros(step.modulus, dtype=np.int64)
    for shift in few.tolist():
        found[(many + shift) % step.modulus] += 1
    return found
