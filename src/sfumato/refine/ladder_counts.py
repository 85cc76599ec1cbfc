"""The numbers of a large ladder's certificate from counts alone, without its set of favoured shifts.

A level has a law of two probabilities: d favoured shifts of K, each as many times as probable as another as its odds
say. Which shifts those are moves no number of a certificate, as long as they are neither none nor all: then a set
differs from itself shifted by one, and some report is favoured under one answer and not under another. An erasure keeps
the report with chance r and else draws it afresh, so it takes a probability p to r·p + (1-r)/K.
Ref: [B, Thm 3]; theory: docs/theory/ladders.md
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import cast

from sfumato.errors import NotCertified
from sfumato.measures.enclosures import entropy_interval
from sfumato.refine.outlines import Outline
from sfumato.refine.rungs.shifting import ShiftRung
from sfumato.values import Interval

MOST_BUILT = 1 << 16
"""Reports up to which a ladder is built to be checked, and every shift of it looked at."""


@dataclass(frozen=True)
class FromCounts:
    """From how many shifts are favoured, and how probable the odds make each."""

    outline: Outline

    @property
    def _favoured(self) -> int:
        return cast("ShiftRung", self.outline.rung).favoured_count

    @cached_property
    def _kept(self) -> tuple[Fraction, ...]:
        """With which chance each step but the first keeps the report."""
        size, modulus = self._favoured, self.outline.modulus
        ratios = [
            Fraction(modulus) * (above - below) / ((modulus + size * (above - 1)) * (below - 1))
            for above, below in self.outline.steps_down
        ]
        return tuple(1 / (1 + ratio) for ratio in ratios)

    @cached_property
    def _laws(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The probabilities of a favoured shift and of another at each level, going down from the first."""
        size, modulus, first = self._favoured, self.outline.modulus, self.outline.odds[0]
        low = 1 / (size * first + modulus - size)
        laws = [(first * low, low)]
        for kept in self._kept:
            high, low = laws[-1]
            laws.append((kept * high + (1 - kept) / modulus, kept * low + (1 - kept) / modulus))
        return tuple(laws)

    @cached_property
    def odds(self) -> tuple[Fraction, ...]:
        """One favoured shift against another."""
        return tuple(high / low for high, low in self._laws)

    def check_premise(self) -> None:
        """There are favoured shifts and others, all probabilities of a level sum to 1, and steps are chances."""
        size, modulus = self._favoured, self.outline.modulus
        if not 0 < size < modulus or not all(0 < kept < 1 for kept in self._kept):
            raise NotCertified("the ladder has no favoured shifts, or a step that is none", way_out="Make it anew.")
        for high, low in self._laws:
            if size * high + (modulus - size) * low != 1:
                raise NotCertified("a level's probabilities do not sum to 1", way_out="Report the ladder.")

    def joint_odds(self, coalition: tuple[int, ...]) -> Fraction:
        """Those of the best member: the levels below are drawn from its report, apart from the answer."""
        return self.odds[min(coalition) - 1]

    def step_bits(self) -> Interval:
        """Of the first step, and of each erasure."""
        return _total([self._two_level(*self._laws[0], self._favoured), *map(self._erasure, self._kept)])

    def separate_bits(self) -> Interval:
        """Of the levels."""
        return _total(self._two_level(high, low, self._favoured) for high, low in self._laws)

    def key_bits(self, level: int) -> Interval:
        """Of the erasures below the level together, which are one; of all steps, for level 0."""
        if level == 0:
            return self._two_level(*self._laws[-1], self._favoured)
        return self._erasure(math.prod(self._kept[level - 1 :], start=Fraction(1)))

    def recovered(self) -> Fraction:
        """Taking a shift back is sure, where there are as many reports as answers."""
        return Fraction(int(self.outline.size <= self.outline.modulus))

    def _erasure(self, kept: Fraction) -> Interval:
        away = (1 - kept) / self.outline.modulus
        return self._two_level(kept + away, away, 1)

    def _two_level(self, high: Fraction, low: Fraction, count: int) -> Interval:
        return entropy_interval(((high, count), (low, self.outline.modulus - count)))


def _total(parts: Iterable[Interval]) -> Interval:
    found = list(parts)
    return Interval(math.fsum(p.lower for p in found), math.fsum(p.upper for p in found)).widened(0.0)
