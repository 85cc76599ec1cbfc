"""How the numbers of the certificate of a ladder of flags are found again.

`FlagsCounted` starts from how many spaces there are and goes down the levels in fractions: how probable each makes a
space that is even at the answer, and one that is not.   Theory: docs/theory/flags.md
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import cast

from sfumato.errors import NotCertified
from sfumato.measures.enclosures import entropy_interval
from sfumato.refine.ladder_evidence import Coalition, total_bits
from sfumato.refine.outlines import Outline
from sfumato.refine.rungs import FlagsRung
from sfumato.values import Interval


@dataclass(frozen=True)
class FlagsCounted:
    """From how many spaces there are of each dimension, going down the levels."""

    outline: Outline

    @property
    def _rung(self) -> FlagsRung:
        return cast("FlagsRung", self.outline.rung)

    @cached_property
    def _dimensions(self) -> tuple[int, ...]:
        return self._rung.levels(self.outline.odds)[0].dimensions

    def _spaces(self, length: int, dimension: int) -> int:
        """How many spaces there are, by Pascal's rule for them."""
        row = [1]
        for _ in range(length):
            row = [1, *(row[c - 1] + (1 << c) * row[c] for c in range(1, len(row))), 1]
        return row[dimension] if 0 <= dimension <= length else 0

    @cached_property
    def _walk(self) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        """The odds of the levels and with which chance each step keeps the space, going down from the first.

        Of a space even at the answer, all inside it are; of another, a share s of those inside it.
        """
        t, dimensions = self._rung.length, self._dimensions
        odds, kept = [self.outline.odds[0]], []
        for (above, below), wanted in zip(pairwise(dimensions), self.outline.odds[1:], strict=True):
            before, after = self._spaces(t, above), self._spaces(t, below)
            even, inside = self._spaces(t - 1, above), self._spaces(above, below)
            low = 1 / (odds[-1] * even + before - even)
            # A space is even at an element with the chance that all spaces above it give it; of those above an even
            # one, some are even themselves.
            whole = self._spaces(t - below, above - below)
            both = self._spaces(t - below - 1, above - below)
            high_below = low * (whole + (odds[-1] - 1) * both) / inside
            low_below = low * whole / inside
            chance = keeping(high_below, low_below, wanted, after)
            high_below, low_below = (chance * p + (1 - chance) / after for p in (high_below, low_below))
            odds.append(high_below / low_below)
            kept.append(chance)
        return tuple(odds), tuple(kept)

    @property
    def odds(self) -> tuple[Fraction, ...]:
        """One space even at the answer against another."""
        return self._walk[0]

    def check_premise(self) -> None:
        """Every step keeps the space with a chance, and there are elements of both kinds."""
        if not all(0 <= chance <= 1 for chance in self._walk[1]):
            raise NotCertified("the ladder has a step that is none", way_out="Make it anew.")
        if not all(1 <= dimension < self._rung.length for dimension in self._dimensions):
            raise NotCertified("a level of the ladder has no masks, or all", way_out="Make it anew.")

    def joint_odds(self, coalition: Coalition) -> Fraction:
        """Those of the best member: the spaces below are drawn from its own, apart from the answer."""
        return self.odds[min(coalition) - 1]

    def step_bits(self) -> Interval:
        """Of the element given the sharpest space, and of each space given the one below it."""
        levels = range(1, self.outline.depth)
        return total_bits([self._element(1), *(self._climb(level, level + 1) for level in levels)])

    def separate_bits(self) -> Interval:
        """Of an element for each level."""
        return total_bits(self._element(level) for level in range(1, self.outline.depth + 1))

    def key_bits(self, level: int) -> Interval:
        """Of the element given the public space, or of the level's space."""
        return self._element(self.outline.depth) if level == 0 else self._climb(level, self.outline.depth)

    def recovered(self) -> Fraction:
        """Multiplying is sure, where there are as many elements as answers."""
        return Fraction(int(self.outline.size <= self.outline.modulus))

    def _element(self, level: int) -> Interval:
        t, odds = self._rung.length, self.odds[level - 1]
        even, every = 2 ** (t - self._dimensions[level - 1]) - 1, 2**t - 1
        low = 1 / (odds * even + every - even)
        return entropy_interval(((odds * low, even), (low, every - even)))

    def _climb(self, above: int, below: int) -> Interval:
        t, high, low = self._rung.length, self._dimensions[above - 1], self._dimensions[below - 1]
        kept = Fraction(1)
        for chance in self._walk[1][above - 1 : below - 1]:
            kept *= chance
        over, every = self._spaces(t - low, high - low), self._spaces(t, high)
        rare = (1 - kept) / every
        return entropy_interval(((kept / over + rare, over), (rare, every - over)))


def keeping(high: Fraction, low: Fraction, odds: Fraction, every: int) -> Fraction:
    """With which chance two probabilities are kept, and else made uniform, to be so many times one another."""
    # chance·high + (1-chance)/every = odds·(chance·low + (1-chance)/every)
    uniform = Fraction(1, every)
    return (odds - 1) * uniform / (high - odds * low + (odds - 1) * uniform)
