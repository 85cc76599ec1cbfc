"""Numbers of which the first are favoured: a law of two levels that needs no list of its members.

Spaces of masks are too many to be listed; the favoured ones among them have the first numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.measures.enclosures import entropy_interval
from sfumato.values import Interval

_MOST_LISTED = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadingLaw:
    """One of the first `favoured_count` numbers below `modulus` with probability `inside`, uniform there and beyond."""

    modulus: int
    favoured_count: int
    inside: Fraction

    @property
    def probabilities(self) -> tuple[Fraction, Fraction]:
        """Of one favoured number, and of one other."""
        others = self.modulus - self.favoured_count
        return self.inside / self.favoured_count, (1 - self.inside) / others if others else Fraction(0)

    def law(self) -> tuple[Fraction, ...]:
        """Return the probability of every number, of which there may not be many."""
        if self.modulus > _MOST_LISTED:
            raise ValueError("too many to be listed")
        high, low = self.probabilities
        return (high,) * self.favoured_count + (low,) * (self.modulus - self.favoured_count)

    def entropy_bits(self) -> Interval:
        """Enclose what a draw costs and what storing it takes, at the least."""
        high, low = self.probabilities
        return entropy_interval(((high, self.favoured_count), (low, self.modulus - self.favoured_count)))

    def at(self, ranks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the numbers at places: themselves."""
        return ranks

    def ranks(self, shifts: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
        """Return the places of numbers: themselves."""
        return shifts.astype(np.int64)
