"""Two ways to find each number of the certificate of a ladder of sets inside one another.

`NestedBuilt` reads the channels of the levels and the laws of the ladder's own steps. `NestedCounted` starts from how
many sets there are, which every family counts for itself, and goes down the levels in fractions: how probable each
makes a set that favours the answer, and one that does not. Certificates are made the first way and checked the second.
Theory: docs/theory/flags.md
"""

from __future__ import annotations

from abc import ABC, abstractmethod
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
from sfumato.refine.rungs.nested import NestedRung
from sfumato.values import Interval

# Pairs of answer and element that are tried one by one.
_MOST_PAIRS = 1 << 20


@dataclass(frozen=True)
class NestedBuilt(AsBuilt):
    """From the levels' own channels and the ladder's own code; coalitions rely on the premise.

    What is drawn for the levels below is drawn from the set of the best one.
    """

    @property
    def _rungs(self) -> tuple[NestedRung, ...]:
        return cast("tuple[NestedRung, ...]", self.ladder.levels)

    def check_premise(self) -> None:
        """Find the law of each level's element from that of the level above it, and compare with its channel.

        Given the set of a level, an element of a kind has the probability that the level's channel says; given only the
        set below it, that is a mean over the sets inside that one, or over all where it was erased.
        """
        for above, below in pairwise(self._rungs):
            high, low = _probabilities(above)
            # All elements that the set below favours are alike, and each set inside it favours as many of them.
            share = Fraction(above.favoured_count, below.favoured_count)
            mean = high * share + low * (1 - share), low
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


def _probabilities(rung: NestedRung) -> tuple[Fraction, Fraction]:
    """Of one element that the level favours, and of one other, from the law of the channel."""
    values = [Fraction(value) for value in rung.channel().levels]
    return max(values), min(values)


@dataclass(frozen=True)
class NestedCounted(ABC):
    """From how many sets there are of each kind, going down the levels."""

    outline: Outline

    @cached_property
    def parts(self) -> tuple[int, ...]:
        """What tells the sets of all levels, sharpest first."""
        return cast("NestedRung", self.outline.rung).levels(self.outline.odds)[0].parts

    @abstractmethod
    def favoured(self, part: int) -> int:
        """How many elements a set of a kind favours."""

    @abstractmethod
    def every(self, part: int) -> int:
        """How many sets there are of a kind."""

    @abstractmethod
    def around(self, above: int, below: int) -> int:
        """How many sets of a level below lie around one of a level."""

    @abstractmethod
    def inside(self, above: int, below: int) -> tuple[int, int]:
        """How many sets of a level lie in one of a level below, and how many of these favour a given one of its own."""

    @abstractmethod
    def favouring(self, part: int) -> int:
        """How many sets of a kind favour an element."""

    @cached_property
    def walked(self) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        """The odds of the levels and with which chance each step keeps the set, going down from the first.

        A set of the level below has the probabilities of all sets inside it, each with one in so many ways down.
        """
        odds, kept = [self.outline.odds[0]], list[Fraction]()
        for (above, below), wanted in zip(pairwise(self.parts), self.outline.odds[1:], strict=True):
            even = self.favouring(above)
            low = 1 / (odds[-1] * even + self.every(above) - even)
            (whole, both), ways, after = self.inside(above, below), self.around(above, below), self.every(below)
            high_below, low_below = low * (whole + (odds[-1] - 1) * both) / ways, low * whole / ways
            chance = _keeping(high_below, low_below, wanted, after)
            high_below, low_below = (chance * p + (1 - chance) / after for p in (high_below, low_below))
            odds.append(high_below / low_below)
            kept.append(chance)
        return tuple(odds), tuple(kept)

    @property
    def odds(self) -> tuple[Fraction, ...]:
        """One set that favours the answer against another."""
        return self.walked[0]

    def check_premise(self) -> None:
        """Every step keeps the set with a chance, and there are elements of both kinds."""
        if not all(0 <= chance <= 1 for chance in self.walked[1]):
            raise NotCertified("the ladder has a step that is none", way_out="Make it anew.")
        if not all(1 <= self.favoured(part) < self.outline.modulus for part in self.parts):
            raise NotCertified("a level of the ladder favours nothing, or all", way_out="Make it anew.")

    def joint_odds(self, coalition: Coalition) -> Fraction:
        """Those of the best member: the sets below are drawn around its own, apart from the answer."""
        return self.odds[min(coalition) - 1]

    def step_bits(self) -> Interval:
        """Of the element given the sharpest set, and of each set given the one below it."""
        levels = range(1, self.outline.depth)
        return total_bits([self._element(1), *(self._set(level, level + 1) for level in levels)])

    def separate_bits(self) -> Interval:
        """Of an element for each level."""
        return total_bits(self._element(level) for level in range(1, self.outline.depth + 1))

    def key_bits(self, level: int) -> Interval:
        """Of the element given the public set, or of the level's set."""
        return self._element(self.outline.depth) if level == 0 else self._set(level, self.outline.depth)

    def recovered(self) -> Fraction:
        """Moving back is sure, where there are as many elements as answers."""
        return Fraction(int(self.outline.size <= self.outline.modulus))

    def _element(self, level: int) -> Interval:
        odds, own, modulus = self.odds[level - 1], self.favoured(self.parts[level - 1]), self.outline.modulus
        low = 1 / (odds * own + modulus - own)
        return entropy_interval(((odds * low, own), (low, modulus - own)))

    def _set(self, above: int, below: int) -> Interval:
        kept = Fraction(1)
        for chance in self.walked[1][above - 1 : below - 1]:
            kept *= chance
        part = self.parts[above - 1]
        inside, every = self.inside(part, self.parts[below - 1])[0], self.every(part)
        rare = (1 - kept) / every
        return entropy_interval(((kept / inside + rare, inside), (rare, every - inside)))


def _keeping(high: Fraction, low: Fraction, odds: Fraction, every: int) -> Fraction:
    """With which chance two probabilities are kept, and else made uniform, to be so many times one another."""
    # chance·high + (1-chance)/every = odds·(chance·low + (1-chance)/every)
    uniform = Fraction(1, every)
    return (odds - 1) * uniform / (high - odds * low + (odds - 1) * uniform)
