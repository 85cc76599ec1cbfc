"""One way to find each number of the certificate of a ladder of sets inside one another.

`NestedBuilt` reads the channels of the levels and the laws of the ladder's own steps. Certificates are made this way,
and checked another, which every family has for itself.   Theory: docs/theory/flags.md
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import cast

import numpy as np

from sfumato.errors import NotCertified
from sfumato.refine.ladder import Ladder
from sfumato.refine.ladder_evidence import Coalition, finite, total_bits
from sfumato.refine.outlines import Outline
from sfumato.refine.rungs.nested import NestedRung
from sfumato.values import Interval

# Pairs of answer and element that are tried one by one.
_MOST_PAIRS = 1 << 20


@dataclass(frozen=True)
class NestedBuilt:
    """From the levels' own channels and the ladder's own code."""

    ladder: Ladder

    @property
    def outline(self) -> Outline:
        """What the ladder is made from."""
        return self.ladder.outline

    @property
    def _rungs(self) -> tuple[NestedRung, ...]:
        return cast("tuple[NestedRung, ...]", self.ladder.levels)

    @cached_property
    def odds(self) -> tuple[Fraction, ...]:
        """Read from the channels of the levels."""
        return tuple(finite(level.measured_odds()) for level in self._rungs)

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

    def joint_odds(self, coalition: Coalition) -> Fraction:
        """Rely on the premise: what is drawn for the levels below is drawn from the best one's set."""
        return self.odds[min(coalition) - 1]

    def step_bits(self) -> Interval:
        """Add up the entropies that the steps declare."""
        return total_bits(step.entropy_bits() for step in self.ladder.steps)

    def separate_bits(self) -> Interval:
        """Take the element of each level, drawn apart."""
        return self.ladder.separate_bits()

    def key_bits(self, level: int) -> Interval:
        """Take the law that the ladder declares."""
        return self.ladder.key_law(level).entropy_bits()

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
