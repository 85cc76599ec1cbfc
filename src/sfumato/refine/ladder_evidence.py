"""Two ways to find each number of a ladder's certificate.

`AsBuilt` reads the channels of the levels' mechanisms and the laws that the ladder declares; `FromSteps` starts from
nothing and adds the steps, tries every draw, and compares the erasures with their closed form. Certificates are made
the first way and checked the second; those of a ladder that is too large to be built in a moment are checked by
:mod:`sfumato.refine.ladder_counts`.   Ref: [B, Thm 3]; theory: docs/theory/ladders.md
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol, cast

import numpy as np

from sfumato import measures
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.measures.enclosures import entropy_interval
from sfumato.prob.distinct_values import distinct
from sfumato.refine.coalitions import check_nesting, held_channel, joint_channel
from sfumato.refine.groups import Law
from sfumato.refine.keys import Binding, Draws, Key
from sfumato.refine.ladder import Ladder
from sfumato.refine.outlines import Outline
from sfumato.refine.rungs.nested import NestedRung
from sfumato.refine.rungs.shifting import ShiftRung
from sfumato.values import Guarantee, Interval

# Joint reports of all levels, over all answers, that are tried one by one.
_SMALL_ENTRIES = 20_000
# Pairs of answer and key that are tried one by one.
_MOST_PAIRS = 4_000_000

Coalition = tuple[int, ...]


class Evidence(Protocol):
    """Where the numbers of a certificate come from."""

    @property
    def outline(self) -> Outline:
        """The subject."""
        ...

    @property
    def odds(self) -> tuple[Fraction, ...]:
        """Odds of one report of each level."""
        ...

    def check_premise(self) -> None:
        """Raise unless every step does what its level needs."""
        ...

    def joint_odds(self, coalition: Coalition) -> Fraction:
        """Odds of all that a coalition sees."""
        ...

    def step_bits(self) -> Interval:
        """H of all steps of one report."""
        ...

    def separate_bits(self) -> Interval:
        """H of a report for each level, drawn apart."""
        ...

    def key_bits(self, level: int) -> Interval:
        """H of one row of a key."""
        ...

    def recovered(self) -> Fraction:
        """Share of the pairs of answer and key from which the answer comes back."""
        ...


@dataclass(frozen=True)
class AsBuilt:
    """From the levels' own channels and the ladder's own code."""

    ladder: Ladder

    @property
    def outline(self) -> Outline:
        """What the ladder is made from."""
        return self.ladder.outline

    @cached_property
    def odds(self) -> tuple[Fraction, ...]:
        """Read from the channels of the levels' mechanisms."""
        return tuple(finite(level.measured_odds()) for level in self.ladder.levels)

    def check_premise(self) -> None:
        """Convolve the law of each level with the next step."""
        check_nesting(self.ladder)

    def joint_odds(self, coalition: Coalition) -> Fraction:
        """Write the chain of levels out, or rely on the premise."""
        if is_small(self.outline):
            return finite(measures.odds(joint_channel(self.ladder, coalition, each_once=True)))
        return self.odds[min(coalition) - 1]

    def step_bits(self) -> Interval:
        """Add up the entropies that the steps declare."""
        return total_bits(step.entropy_bits() for step in self.ladder.steps)

    def separate_bits(self) -> Interval:
        """Measure the mechanism of each level."""
        return self.ladder.separate_bits()

    def key_bits(self, level: int) -> Interval:
        """Take the law that the ladder declares."""
        return self.ladder.key_law(level).entropy_bits()

    def recovered(self) -> Fraction:
        """Try the ladder's own `recover` on every answer and every key, while they can be tried."""
        ladder = self.ladder
        if ladder.size * ladder.modulus > _MOST_PAIRS:
            return Fraction(int(ladder.size <= ladder.modulus))
        answers = np.repeat(np.arange(ladder.size), ladder.modulus)
        shifts = np.tile(np.arange(ladder.modulus), ladder.size)
        truths = ladder.levels[0].truths(answers)
        key = Key(
            ladder=ladder.declaration,
            binding=Binding(),
            level=0,
            start=0,
            stop=answers.size,
            total=answers.size,
            drawing="",
            guarantee=Guarantee.NONE,
            material=Draws(shifts),
        )
        found = ladder.recover(ladder.group.moved(truths, shifts), key)
        return Fraction(int((found == answers).sum()), answers.size)


@dataclass(frozen=True)
class FromSteps:
    """From the steps alone, added one by one."""

    ladder: Ladder

    @property
    def outline(self) -> Outline:
        """What the ladder is made from."""
        return self.ladder.outline

    @cached_property
    def laws(self) -> tuple[Law, ...]:
        """The law of each level: all steps down to it together."""
        nothing = self.ladder.group.nothing()
        return tuple(itertools.accumulate(self.ladder.steps, lambda law, step: law.plus(step), initial=nothing))[1:]

    @cached_property
    def odds(self) -> tuple[Fraction, ...]:
        """Measure the channels that the steps make."""
        return tuple(finite(law.odds(self.ladder.size)) for law in self.laws)

    def check_premise(self) -> None:
        """Compare each step with its closed form."""
        ladder = self.ladder
        for number, (above, below) in enumerate(itertools.pairwise(ladder.odds), start=2):
            if not cast("ShiftRung", ladder.levels[0]).leads(ladder.steps[number - 1], above, below):
                raise NotCertified(
                    f"step {number} is not the one that leads from level {number - 1} to level {number}",
                    way_out="Nothing is certified; make the ladder anew.",
                )

    def joint_odds(self, coalition: Coalition) -> Fraction:
        """Try every draw of every step, or rely on the premise."""
        if is_small(self.outline):
            return finite(measures.odds(held_channel(self.ladder, coalition, each_once=True)))
        return self.odds[min(coalition) - 1]

    def step_bits(self) -> Interval:
        """Take the entropies of the laws that single steps make."""
        nothing = self.ladder.group.nothing()
        return total_bits(entropy_interval(nothing.plus(step).counted()) for step in self.ladder.steps)

    def separate_bits(self) -> Interval:
        """Take the entropies of the laws that the steps make."""
        return total_bits(entropy_interval(law.counted()) for law in self.laws)

    def key_bits(self, level: int) -> Interval:
        """Add the steps below the level, from the public report upwards."""
        law = self.ladder.group.nothing()
        for step in reversed(self.ladder.steps[level:]):
            law = law.plus(step)
        return entropy_interval(law.counted())

    def recovered(self) -> Fraction:
        """Count the keys that send no two answers to one report."""
        ladder = self.ladder
        if ladder.size * ladder.modulus > _MOST_PAIRS:
            return Fraction(int(ladder.size <= ladder.modulus))
        symbols = np.arange(ladder.size)
        keys = range(ladder.modulus)
        good = sum(distinct(ladder.group.moved(symbols, np.full_like(symbols, u))).size == ladder.size for u in keys)
        return Fraction(int(good), ladder.modulus)


def is_small(outline: Outline) -> bool:
    """Whether the joint reports of all levels are written out: those of shifts are, while they are few."""
    entries = int(outline.size * outline.modulus**outline.depth)
    return not isinstance(outline.rung, NestedRung) and entries <= _SMALL_ENTRIES


def total_bits(parts: Iterable[Interval]) -> Interval:
    """Add enclosures up."""
    found = list(parts)
    return Interval(math.fsum(p.lower for p in found), math.fsum(p.upper for p in found)).widened(0.0)


def finite(value: Fraction | float) -> Fraction:
    """Refuse odds that are infinite."""
    if not isinstance(value, Fraction):
        raise InvalidParameter("a level rules an answer out, so its odds are infinite", way_out="Lower its odds.")
    return value
