"""The numbers of a ladder's certificate, each computed in two ways, and what coalitions of readers see.

`AsBuilt` reads the channels of the levels' mechanisms and the distributions that the ladder declares. `FromSteps` adds
the steps, tries every draw, and compares the erasures with their closed form. Certificates are made the first way and
checked the second. Those of a ladder that is too large to be built quickly are checked from counts alone.
Ref: [B, Thm 3]; theory: docs/theory/ladders.md
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Protocol, cast

import numpy as np

from sfumato import measures
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.ladders.groups import Law
from sfumato.ladders.keys import Binding, Draws, Key
from sfumato.ladders.ladder import Ladder
from sfumato.ladders.level_mechanisms import ShiftLevel
from sfumato.ladders.nested_levels import FlagsLevel, NestedLevel
from sfumato.ladders.spec import Outline
from sfumato.numbers.checks import check_between, check_integer
from sfumato.numbers.columns import distinct
from sfumato.numbers.intervals import Interval, entropy_interval
from sfumato.prob.channel import Channel
from sfumato.sampling.sources import Guarantee

# --- The numbers of a large ladder's certificate from counts alone, without its set of favoured shifts
# A level has a distribution of two probabilities: d favoured shifts of K, whose probability is larger by the factor of
# its odds. Which shifts are favoured changes no number of a certificate if they are neither none nor all: then the set
# differs from itself shifted by one. An erasure keeps the report with chance r and else draws it afresh, so it takes a
# probability p to r·p + (1-r)/K.
# Ref: [B, Thm 3]; theory: docs/theory/ladders.md


MOST_BUILT = 1 << 16
"""Reports up to which a ladder is built to be checked, and every shift of it looked at."""


@dataclass(frozen=True)
class FromCounts:
    """From how many shifts are favoured, and how probable the odds make each."""

    outline: Outline

    @property
    def _favoured(self) -> int:
        return cast("ShiftLevel", self.outline.rung).favoured_count

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


# --- What readers of several levels see together
# Each level is made from the level above it by an independent shift. So given the best level of a coalition the others
# add only noise that is independent of the answer, and the coalition's odds are those of its best member [B, Thm 3].
# `coalition_odds` checks the premise exactly; `joint_channel` and `held_channel` list everything for small ladders.
# Theory: docs/theory/ladders.md


# Joint reports that are written out, over all answers.
MOST_ENTRIES = 200_000


def check_nesting(ladder: Ladder) -> None:
    """Raise unless each step takes the law of its level, exactly, to the law of the next."""
    above = ladder.group.nothing()
    for number, (rung, step) in enumerate(zip(ladder.levels, ladder.steps, strict=True), start=1):
        here = cast("ShiftLevel", rung).shift_law()
        if above.plus(step) != here:
            raise NotCertified(
                f"step {number} of the ladder does not lead from level {number - 1} to level {number}: the law of the "
                f"two together is another one",
                way_out="Nothing is certified; make the ladder anew.",
            )
        above = here


def coalition_odds(ladder: Ladder, levels: Iterable[int]) -> Fraction:
    """Return the odds of everything that readers of these levels see together: those of the best of them.

    Levels below are made from the best by steps that are drawn apart from the answer, so they add nothing.

    Raises:
        InvalidParameter: a level is none of the ladder's, or 0, which holds the answers.
        NotCertified: the ladder's steps do not lead from level to level.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1, 0.5])
    >>> sf.ladders.coalition_odds(ladder, [2, 3]) == ladder.odds[1]
    True
    """
    best = min(_checked(ladder, levels))
    check_nesting(ladder)
    return ladder.odds[best - 1]


def joint_channel(ladder: Ladder, levels: Iterable[int], *, each_once: bool = False) -> Channel:
    """Write out X → (reports of these levels, public report): the chain of levels, those in between summed over.

    With `each_once`, answers that make the same reports have one row together.

    Raises:
        InvalidParameter: the ladder is too large to be written out.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.of_flips(size=2, epsilons=[2, 1])
    >>> both = sf.ladders.joint_channel(ladder, [1])
    >>> both.outputs, sf.measures.odds(both) == ladder.odds[0]
    (((0, 0), (0, 1), (1, 0), (1, 1)), True)
    """
    depth = len(ladder.levels)
    seen = sorted({*_checked(ladder, levels), depth})
    _check_entries(ladder, len(seen))
    laws = []
    for above, below in itertools.pairwise([0, *seen]):
        law = ladder.group.nothing()
        for step in ladder.steps[above:below]:
            law = law.plus(step)
        laws.append(law.law())
    numbers = range(ladder.modulus)
    moves = [[ladder.group.between(x, y) for y in numbers] for x in numbers]
    wholes, weights = _counted(laws)
    chains = [np.array([[law[move] for move in row] for row in moves], dtype=object) for law in weights]
    symbols = _symbols(ladder, each_once=each_once)
    # Whatever came before, the next report depends on the last one alone: products grow by one axis a level.
    table = chains[0][symbols]
    for chain in chains[1:]:
        table = table[..., np.newaxis] * chain
    numerators = table.reshape(len(symbols), -1)
    outputs = tuple(itertools.product(numbers, repeat=len(seen)))
    return Channel.from_integers(numerators, math.prod(wholes), tuple(range(len(symbols))), outputs)


def held_channel(ladder: Ladder, levels: Iterable[int], *, each_once: bool = False) -> Channel:
    """Write out X → (what the keys of these levels say, public report), from every draw of every step.

    It tells the same as `joint_channel` by another way: nothing is convolved, all draws are tried.
    """
    depth, modulus, total = len(ladder.levels), ladder.modulus, ladder.group.total
    opened = sorted({*_checked(ladder, levels)} - {depth})
    _check_entries(ladder, depth)
    wholes, weights = _counted([step.law() for step in ladder.steps])
    symbols = _symbols(ladder, each_once=each_once)
    outputs = list(itertools.product(range(modulus), repeat=len(opened) + 1))
    place = {output: number for number, output in enumerate(outputs)}
    table = [[0] * len(outputs) for _ in symbols]
    for draws in itertools.product(range(modulus), repeat=depth):
        weight = math.prod(column[draw] for column, draw in zip(weights, draws, strict=True))
        keys = tuple(total(draws[level:]) for level in opened)
        for row, symbol in zip(table, symbols, strict=True):
            row[place[(*keys, total((symbol, *draws)))]] += weight
    numerators = np.array(table, dtype=object)
    return Channel.from_integers(numerators, math.prod(wholes), tuple(range(len(symbols))), tuple(outputs))


def _counted(laws: Sequence[Sequence[Fraction]]) -> tuple[list[int], list[list[int]]]:
    """Write each law as whole numbers: what they sum to, and the numbers."""
    wholes = [math.lcm(*(p.denominator for p in law)) for law in laws]
    pairs = zip(laws, wholes, strict=True)
    return wholes, [[p.numerator * (whole // p.denominator) for p in law] for law, whole in pairs]


def entries(ladder: Ladder, seen: int) -> int:
    """How many joint reports of so many levels there are, over all answers."""
    return int(ladder.size * ladder.modulus**seen)


def _symbols(ladder: Ladder, *, each_once: bool) -> list[int]:
    """The true symbol of each answer at the first position; at any other the kinds of answers are divided alike."""
    answers = np.arange(ladder.size)
    found: list[int] = ladder.levels[0].truths(answers, np.zeros_like(answers)).tolist()
    return sorted(set(found)) if each_once else found


def _checked(ladder: Ladder, levels: Iterable[int]) -> set[int]:
    wanted = {check_integer("levels", level) for level in levels}
    if not wanted:
        raise InvalidParameter("is empty", parameter="levels", way_out="Name at least one level of the coalition.")
    if 0 in wanted:
        raise InvalidParameter(
            "must not have level 0, which holds the answers themselves: no odds bound it",
            parameter="levels",
            way_out="Name levels from 1 on.",
        )
    for level in wanted:
        check_between("levels", level, 1, len(ladder.levels))
    return wanted


def _check_entries(ladder: Ladder, seen: int) -> None:
    if entries(ladder, seen) > MOST_ENTRIES:
        raise InvalidParameter(
            f"{seen} levels of {ladder.modulus} reports, for {ladder.size} answers, make {ladder.size}·"
            f"{ladder.modulus}^{seen} joint reports, more than {MOST_ENTRIES} to write out",
            way_out="Use coalition_odds, which needs none of them.",
        )


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
            if not cast("ShiftLevel", ladder.levels[0]).leads(ladder.steps[number - 1], above, below):
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
    return not isinstance(outline.rung, NestedLevel) and entries <= _SMALL_ENTRIES


def total_bits(parts: Iterable[Interval]) -> Interval:
    """Add enclosures up."""
    found = list(parts)
    return Interval(math.fsum(p.lower for p in found), math.fsum(p.upper for p in found)).widened(0.0)


def finite(value: Fraction | float) -> Fraction:
    """Refuse odds that are infinite."""
    if not isinstance(value, Fraction):
        raise InvalidParameter("a level rules an answer out, so its odds are infinite", way_out="Lower its odds.")
    return value


# --- Two computations of each number of the certificate of a ladder of nested sets
# `NestedBuilt` reads the channels of the levels and the distributions of the ladder's steps. `NestedCounted` starts
# from the number of sets, and goes down the levels in fractions: how probable each makes a set that favours the answer,
# and one that does not. Certificates are made the first way and checked the second.
# Theory: docs/theory/flags.md


# Pairs of answer and element that are tried one by one.
_MOST_NESTED_PAIRS = 1 << 20


@dataclass(frozen=True)
class NestedBuilt(AsBuilt):
    """From the levels' own channels and the ladder's own code; coalitions rely on the premise.

    What is drawn for the levels below is drawn from the set of the best one.
    """

    @property
    def _rungs(self) -> tuple[NestedLevel, ...]:
        return cast("tuple[NestedLevel, ...]", self.ladder.levels)

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
        if size * modulus > _MOST_NESTED_PAIRS:
            return Fraction(int(size <= modulus))
        answers, draws = np.repeat(np.arange(size), modulus), np.tile(np.arange(modulus), size)
        found = rung.recovered(rung.made(answers, draws), draws)
        return Fraction(int((found == answers).sum()), answers.size)


def _probabilities(rung: NestedLevel) -> tuple[Fraction, Fraction]:
    """Of one element that the level favours, and of one other, from the law of the channel."""
    values = [Fraction(value) for value in rung.channel().levels]
    return max(values), min(values)


@dataclass(frozen=True)
class NestedCounted(ABC):
    """From how many sets there are of each kind, going down the levels."""

    outline: Outline

    @cached_property
    def parts(self) -> tuple[int, ...]:
        """What distinguishes the sets of all levels, sharpest first."""
        return cast("NestedLevel", self.outline.rung).levels(self.outline.odds)[0].parts

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


# --- Counts for ladders of sets: sets of residues
# Theory: docs/theory/flags.md


@dataclass(frozen=True)
class SetsCounted(NestedCounted):
    """From how many sets there are of each size."""

    def favoured(self, part: int) -> int:
        """Its members."""
        return part

    def every(self, part: int) -> int:
        """All sets of a size."""
        return _sets(self.outline.modulus, part)

    def around(self, above: int, below: int) -> int:
        """The sets around one."""
        return _sets(self.outline.modulus - above, below - above)

    def inside(self, above: int, below: int) -> tuple[int, int]:
        """The sets inside one, and of those inside one that holds the answer those that hold it too."""
        return _sets(below, above), _sets(below - 1, above - 1)

    def favouring(self, part: int) -> int:
        """The sets that hold an answer."""
        return _sets(self.outline.modulus - 1, part - 1)


def _sets(size: int, members: int) -> int:
    """How many sets there are, by Pascal's rule."""
    row = [1]
    for _ in range(size):
        row = [1, *(a + b for a, b in pairwise(row)), 1]
    return row[members] if 0 <= members <= size else 0


# --- Counts for ladders of flags: spaces of masks
# Theory: docs/theory/flags.md


@dataclass(frozen=True)
class FlagsCounted(NestedCounted):
    """From how many spaces there are of each dimension; those of a level below lie inside, and favour more."""

    @property
    def _length(self) -> int:
        return cast("FlagsLevel", self.outline.rung).length

    def favoured(self, part: int) -> int:
        """The elements but 0 at which as many masks are even."""
        return int(2 ** (self._length - part)) - 1

    def every(self, part: int) -> int:
        """All spaces of a dimension."""
        return _spaces(self._length, part)

    def around(self, above: int, below: int) -> int:
        """The spaces inside one."""
        return _spaces(above, below)

    def inside(self, above: int, below: int) -> tuple[int, int]:
        """The spaces above one, and of those above an even one those that are even themselves."""
        rest = self._length - below
        return _spaces(rest, above - below), _spaces(rest - 1, above - below)

    def favouring(self, part: int) -> int:
        """The spaces that are even at an element."""
        return _spaces(self._length - 1, part)


def _spaces(length: int, dimension: int) -> int:
    """How many spaces there are, by Pascal's rule for them."""
    row = [1]
    for _ in range(length):
        row = [1, *(row[c - 1] + (1 << c) * row[c] for c in range(1, len(row))), 1]
    return row[dimension] if 0 <= dimension <= length else 0
