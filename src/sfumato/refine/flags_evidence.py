"""Two ways to find each number of the certificate of a ladder of flags.

`FlagsBuilt` reads the channels of the levels and the laws of the ladder's own steps; `FlagsCounted` starts from how
many spaces there are and goes down the levels in fractions: how probable each makes a space that is even at the answer,
and one that is not. Certificates are made the first way and checked the second.   Theory: docs/theory/flags.md
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import cast

import numpy as np

from sfumato.errors import NotCertified
from sfumato.measures.enclosures import entropy_interval
from sfumato.refine.ladder_evidence import AsBuilt, Coalition, total_bits
from sfumato.refine.outlines import Outline
from sfumato.refine.rungs import FlagsRung
from sfumato.values import Interval

# Pairs of answer and element that are tried one by one.
_MOST_PAIRS = 1 << 20


@dataclass(frozen=True)
class FlagsBuilt(AsBuilt):
    """From the levels' own channels and the ladder's own code; coalitions rely on the premise.

    What is drawn for the levels below is drawn from the space of the best one.
    """

    @property
    def _rungs(self) -> tuple[FlagsRung, ...]:
        return cast("tuple[FlagsRung, ...]", self.ladder.levels)

    def check_premise(self) -> None:
        """Find the law of each level's element from that of the level above it, and compare with its channel.

        Given the space of a level, an element of a kind has the probability that the level's channel says; given only
        the space below it, that is a mean over the spaces above that one, or over all where it was erased.
        """
        for above, below in pairwise(self._rungs):
            high, low = _probabilities(above)
            even, other = _kinds_above(above.length, above.dimension, below.dimension)
            mean = high * even[0] + low * even[1], high * other[0] + low * other[1]
            kept = 1 - above.erased(below)
            found = tuple(kept * value + (1 - kept) / above.modulus for value in mean)
            if found != _probabilities(below):
                raise NotCertified(
                    f"step {below.level} of the ladder does not lead from level {above.level} to level {below.level}: "
                    f"the law of the two together is another one",
                    way_out="Nothing is certified; make the ladder anew.",
                )

    def recovered(self) -> Fraction:
        """Make reports of every answer with every element and take them back, while they can be tried."""
        rung, size, modulus = self._rungs[0], self.ladder.size, self.ladder.modulus
        if size * modulus > _MOST_PAIRS:
            return Fraction(int(size <= modulus))
        answers, draws = np.repeat(np.arange(size), modulus), np.tile(np.arange(modulus), size)
        found = rung.recovered(rung.made(answers, draws), draws)
        return Fraction(int((found == answers).sum()), answers.size)


def _probabilities(rung: FlagsRung) -> tuple[Fraction, Fraction]:
    """Of one element at which all masks of the level are even, and of one other, from the law of the channel."""
    values = [Fraction(value) for value in rung.channel().levels]
    return max(values), min(values)


def _kinds_above(length: int, above: int, below: int) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
    """Of an element that is even at a space, how often it is at one above it and how often not; then of another."""
    # Of the spaces above, those even at an element are as the elements even at them: both are counted in pairs.
    share = Fraction((1 << (length - above)) - 1, (1 << (length - below)) - 1)
    return (share, 1 - share), (Fraction(0), Fraction(1))


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
            chance = _keeping(high_below, low_below, wanted, after)
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


def _keeping(high: Fraction, low: Fraction, odds: Fraction, every: int) -> Fraction:
    """With which chance two probabilities are kept, and else made uniform, to be so many times one another."""
    # chance·high + (1-chance)/every = odds·(chance·low + (1-chance)/every)
    uniform = Fraction(1, every)
    return (odds - 1) * uniform / (high - odds * low + (odds - 1) * uniform)
