"""How the numbers of the certificate of a ladder of sets are found again.

`SetsCounted` starts from how many sets there are and goes down the levels in fractions: how probable each makes a set
that holds the answer, and one that does not, where the set below is a uniform one around it.
Theory: docs/theory/flags.md
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import cast

from sfumato.errors import NotCertified
from sfumato.measures.enclosures import entropy_interval
from sfumato.refine.flags_evidence import keeping
from sfumato.refine.ladder_evidence import Coalition, total_bits
from sfumato.refine.outlines import Outline
from sfumato.refine.rungs import SetsRung
from sfumato.values import Interval


@dataclass(frozen=True)
class SetsCounted:
    """From how many sets there are of each size, going down the levels."""

    outline: Outline

    @cached_property
    def _sizes(self) -> tuple[int, ...]:
        return cast("SetsRung", self.outline.rung).levels(self.outline.odds)[0].sizes

    @property
    def _every(self) -> int:
        return self.outline.modulus

    @staticmethod
    def _sets(size: int, members: int) -> int:
        """How many sets there are, by Pascal's rule."""
        row = [1]
        for _ in range(size):
            row = [1, *(a + b for a, b in pairwise(row)), 1]
        return row[members] if 0 <= members <= size else 0

    @cached_property
    def _walk(self) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        """The odds of the levels and with which chance each step keeps the set, going down from the first.

        A set of the level below has the probabilities of all sets inside it, each with one in so many ways to grow.
        """
        every, odds, kept = self._every, [self.outline.odds[0]], list[Fraction]()
        for (above, below), wanted in zip(pairwise(self._sizes), self.outline.odds[1:], strict=True):
            holding = self._sets(every - 1, above - 1)
            low = 1 / (odds[-1] * holding + self._sets(every, above) - holding)
            inside, ways = self._sets(below, above), self._sets(every - above, below - above)
            both = self._sets(below - 1, above - 1)  # of the sets inside one that holds the answer, those that do too
            high_below, low_below = low * (inside + (odds[-1] - 1) * both) / ways, low * inside / ways
            after = self._sets(every, below)
            chance = keeping(high_below, low_below, wanted, after)
            high_below, low_below = (chance * p + (1 - chance) / after for p in (high_below, low_below))
            odds.append(high_below / low_below)
            kept.append(chance)
        return tuple(odds), tuple(kept)

    @property
    def odds(self) -> tuple[Fraction, ...]:
        """One set that holds the answer against another."""
        return self._walk[0]

    def check_premise(self) -> None:
        """Every step keeps the set with a chance, and sets have members and leave others."""
        if not all(0 <= chance <= 1 for chance in self._walk[1]):
            raise NotCertified("the ladder has a step that is none", way_out="Make it anew.")
        if not all(1 <= members < self._every for members in self._sizes):
            raise NotCertified("a level of the ladder favours no answer, or all", way_out="Make it anew.")

    def joint_odds(self, coalition: Coalition) -> Fraction:
        """Those of the best member: the sets below are drawn around its own, apart from the answer."""
        return self.odds[min(coalition) - 1]

    def step_bits(self) -> Interval:
        """Of the residue given the sharpest set, and of each set given the one below it."""
        levels = range(1, self.outline.depth)
        return total_bits([self._residue(1), *(self._inner(level, level + 1) for level in levels)])

    def separate_bits(self) -> Interval:
        """Of a residue for each level."""
        return total_bits(self._residue(level) for level in range(1, self.outline.depth + 1))

    def key_bits(self, level: int) -> Interval:
        """Of the residue given the public set, or of the level's set."""
        return self._residue(self.outline.depth) if level == 0 else self._inner(level, self.outline.depth)

    def recovered(self) -> Fraction:
        """Adding undoes taking away, and every residue is an answer."""
        return Fraction(int(self.outline.size == self._every))

    def _residue(self, level: int) -> Interval:
        odds, members = self.odds[level - 1], self._sizes[level - 1]
        low = 1 / (odds * members + self._every - members)
        return entropy_interval(((odds * low, members), (low, self._every - members)))

    def _inner(self, above: int, below: int) -> Interval:
        high, low = self._sizes[above - 1], self._sizes[below - 1]
        kept = Fraction(1)
        for chance in self._walk[1][above - 1 : below - 1]:
            kept *= chance
        inside, every = self._sets(low, high), self._sets(self._every, high)
        rare = (1 - kept) / every
        return entropy_interval(((kept / inside + rare, inside), (rare, every - inside)))
