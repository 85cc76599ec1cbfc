"""The ladder: one public report, and keys that open it level by level.

Levels 1, 2, …, d have ε_1 > ε_2 > … > ε_d. A report starts as the true symbol (level 0), and each step adds an
independent shift; the result of the last step is published. The key of level j undoes the steps below level j, so its
holder sees exactly the mechanism at ε_j. Holders who combine their keys see what the best of them sees alone. The key
of level 0 recovers the answers.

Over the cyclic response and the arc response a step keeps the report or replaces it by a uniform one. This takes a
two-level distribution on a set of shifts to another on the same set, with lower odds. Over binary Hadamard a step is a
flip [B, Thm 3]. Odds are exact at every level, and no larger than e^ε_j.
Theory: docs/theory/ladders.md
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.display.notebooks import Shown, headline, html_table, paragraphs
from sfumato.display.text import epsilon_text, fraction_text
from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.ladders.drawing import blank_key, check_keys, draw_keys, rows_of, shifts_at, shifts_of
from sfumato.ladders.groups import Group
from sfumato.ladders.keys import Binding, Key, claim_drawing, digest_of
from sfumato.ladders.level_mechanisms import LevelMechanism
from sfumato.ladders.nested_levels import FlagsLevel, SetsLevel
from sfumato.ladders.shift_levels import CyclicLevel, FlipLevel, OptionsLevel, PadLevel
from sfumato.ladders.spec import Outline, level_over, no_recovery
from sfumato.ladders.steps import Step, descending
from sfumato.numbers.checks import Number, as_exact, check_at_least, check_integer, check_positive
from sfumato.numbers.intervals import Interval
from sfumato.sampling.mechanism import Mechanism, ReportArray, check_symbols, smallest_dtype
from sfumato.sampling.sources import BitSource, Guarantee, SystemBits

# --- Results of a ladder: reports with their keys, and reports as a key shows them
# Theory: docs/theory/ladders.md


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Publication:
    """Public reports, and the keys by level. A key is a secret; hand each to one analyst.

    `Ladder.publish` returns it.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1], recover=True)
    >>> made = ladder.publish([0, 5, 3, 3])
    >>> made
    <Publication of 4 reports, keys of levels 0, 1>
    >>> ladder.recover(made.reports, made.keys[0]).tolist()
    [0, 5, 3, 3]
    """

    reports: ReportArray
    keys: Mapping[int, Key]

    def __repr__(self) -> str:
        return f"<Publication of {self.reports.size} reports, keys of levels {', '.join(map(str, self.keys))}>"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class View:
    """Reports as the key of a level shows them; `mechanism` tallies and estimates them.

    `positions` is the row of the first report, for mechanisms that ask each position another question.

    `Ladder.open` returns it.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1], recover=True)
    >>> made = ladder.publish([0, 5, 3, 3])
    >>> view = ladder.open(made.reports, made.keys[1])
    >>> view.level, view.reports.size, round(float(view.mechanism.odds), 3)
    (1, 4, 7.389)
    >>> ladder.open(made.reports).level
    2
    """

    mechanism: LevelMechanism
    reports: ReportArray
    level: int
    positions: int = 0

    def __repr__(self) -> str:
        return f"<View of level {self.level}: {self.reports.size} reports of {self.mechanism.name}>"


class Ladder(Shown):
    """Levels over one mechanism, which gives the answers and the set that is favoured; its own odds do not matter.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1, 0.5], recover=True)
    >>> made = ladder.publish([0, 5, 3])
    >>> ladder.open(made.reports, made.keys[1]).reports.size  # as sharp as ε = 2
    3
    >>> ladder.recover(made.reports, made.keys[0]).tolist()
    [0, 5, 3]
    """

    __slots__ = ("epsilons", "levels", "recover_answers", "steps")

    epsilons: tuple[float, ...]
    """What was asked for; empty where exact odds were."""
    levels: tuple[LevelMechanism, ...]
    """The mechanism at each level, sharpest first; the last is the public one."""
    steps: tuple[Step, ...]
    """What is added on the way down to each level."""
    recover_answers: bool

    def __init__(self, mechanism: Mechanism, epsilons: Sequence[float], recover: bool = False) -> None:
        rung = level_over(mechanism)
        wanted = descending("epsilons", epsilons)
        for epsilon in wanted:
            check_positive("epsilons", epsilon)
        self._fill(rung, tuple(rung.odds_for(epsilon) for epsilon in wanted), wanted, recover=recover)

    def _view(self) -> str:
        last = len(self.levels)
        rows = [
            (f"{level}, the public one" if level == last else str(level), epsilon_text(epsilon), fraction_text(odds))
            for level, (epsilon, odds) in enumerate(zip(self.epsilons, self.odds, strict=True), start=1)
        ]
        back = "With the key of level 0 the answers come back." if self.recover_answers else ""
        title = f"A ladder: {self.size} answers, {last} levels, {self.modulus} reports"
        return f"{headline(title)}{html_table(('level', 'ε', 'odds'), rows)}{paragraphs([back])}"

    @classmethod
    def of_odds(cls, mechanism: Mechanism, odds: Sequence[Number], *, recover: bool = False) -> Ladder:
        """Return the ladder with exactly these odds, largest first."""
        rung = level_over(mechanism)
        exact = descending("odds", [as_exact("odds", value) for value in odds])
        self = cls.__new__(cls)
        self._fill(rung, exact, (), recover=recover)
        return self

    @classmethod
    def within(cls, *, size: int, epsilons: Sequence[float], recover: bool = False) -> Ladder:
        """Return the cyclic ladder whose difference set serves all levels: the worst `ratios` is least."""
        check_at_least("size", check_integer("size", size), 2)
        wanted = descending("epsilons", epsilons)
        return cls(CyclicLevel.serving(size=size, epsilons=wanted), wanted, recover)

    @classmethod
    def of_flags(cls, *, size: int, epsilons: Sequence[float], recover: bool = False) -> Ladder:
        """Return the ladder whose levels have masks of their own, inside one another: the worst `ratios` is least."""
        check_at_least("size", check_integer("size", size), 2)
        wanted = descending("epsilons", epsilons)
        return cls(FlagsLevel.serving(size=size, epsilons=wanted), wanted, recover)

    @classmethod
    def of_sets(cls, *, size: int, epsilons: Sequence[float], recover: bool = False) -> Ladder:
        """Return the ladder of at most 64 answers whose levels have sets of their own, inside one another."""
        check_at_least("size", check_integer("size", size), 2)
        wanted = descending("epsilons", epsilons)
        return cls(SetsLevel.serving(size=size, epsilons=wanted), wanted, recover)

    @classmethod
    def of_flips(cls, *, size: int, epsilons: Sequence[float], recover: bool = False) -> Ladder:
        """Return the ladder whose reports are one bit: of two answers the answer, of more a yes or no about it."""
        check_at_least("size", check_integer("size", size), 2)
        wanted = descending("epsilons", epsilons)
        return cls(FlipLevel(size=size, odds=Fraction(2)), wanted, recover)

    @classmethod
    def of_options(
        cls,
        *,
        options: int,
        epsilons: Sequence[float],
        asked: int | None = None,
        share: float = 0.5,
        recover: bool = False,
    ) -> Ladder:
        """Return the ladder over sets of options, of which each respondent is asked about `asked`.

        Left out, that is the best number if a `share` chooses each option. Answers come back only where all are asked.
        """
        wanted = descending("epsilons", epsilons)
        rung = OptionsLevel.serving(options=options, epsilons=wanted, asked=asked, share=share)
        if recover and not rung.recoverable:
            raise no_recovery(rung)
        return cls(rung, wanted, recover)

    @classmethod
    def sealed(cls, size: int) -> Ladder:
        """Return the one-time pad of so many answers: reports reveal nothing, and the key of level 0 everything."""
        return cls.of_odds(PadLevel(size=size), (Fraction(1),), recover=True)

    def _fill(
        self, rung: LevelMechanism, odds: tuple[Fraction, ...], epsilons: tuple[float, ...], *, recover: bool
    ) -> None:
        if any(upper <= lower for upper, lower in itertools.pairwise(odds)):
            raise InvalidParameter("two levels are too close to be told apart", way_out="Drop one, or move them apart.")
        Outline(rung=rung, odds=odds, recover_answers=recover)
        object.__setattr__(self, "epsilons", epsilons)
        object.__setattr__(self, "levels", rung.levels(odds))
        object.__setattr__(self, "recover_answers", recover)
        object.__setattr__(self, "steps", rung.steps(odds))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Ladder is immutable; make a new one instead of setting {name}")

    @property
    def size(self) -> int:
        """How many answers there are."""
        return self.levels[0].size

    @property
    def modulus(self) -> int:
        """How many reports there are."""
        return self.levels[0].modulus

    @property
    def group(self) -> Group:
        """What symbols and shifts are added in."""
        return self.levels[0].group

    @property
    def odds(self) -> tuple[Fraction, ...]:
        """Exact odds of the levels."""
        return tuple(level.odds for level in self.levels)

    @property
    def by_position(self) -> bool:
        """Whether each position is asked another question, so that a report means nothing without its position."""
        return self.levels[0].by_position

    @property
    def key_levels(self) -> tuple[int, ...]:
        """Levels that need a key: all but the public one, and 0 when answers are to be recovered."""
        return self.outline.key_levels

    @property
    def outline(self) -> Outline:
        """What it is made from: mechanism, odds, and whether answers come back."""
        return Outline(rung=self.levels[0], odds=self.odds, recover_answers=self.recover_answers)

    @property
    def declaration(self) -> str:
        """What marks the keys of this ladder, and what it can be made from again."""
        return self.outline.declaration

    @classmethod
    def declared(cls, text: str) -> Ladder:
        """Return the ladder of a declaration."""
        found = Outline.declared(text)
        return cls.of_odds(found.rung, found.odds, recover=found.recover_answers)

    @property
    def ratios(self) -> tuple[float, ...]:
        """At each level, the noise of a share over the least possible, V0/V*; 1 is the best for many answers."""
        return tuple(level.noise_ratio() for level in self.levels)

    def because(self, asked: str = "answers") -> str:
        """Say in words why it is made over this mechanism; `asked` is what is asked for."""
        return self.levels[0].because(self.odds, asked)

    def key_law(self, level: int) -> Step:
        """Return the law of a row of the key of `level`: the steps below it together are one step."""
        return self.levels[0].key_law(self.odds, level)

    def randomness_bits(self) -> Interval:
        """Enclose the random bits that a report uses, all steps together."""
        return _total([step.entropy_bits() for step in self.steps])

    def separate_bits(self) -> Interval:
        """Enclose the random bits that a report of its own for each level would use."""
        return _total([level.randomness_bits() for level in self.levels])

    def draw_keys(
        self,
        rows: int,
        bits: BitSource | None = None,
        *,
        guarantee: Guarantee = Guarantee.INFORMATION_THEORETIC,
        binding: Binding | None = None,
        drawing: str | None = None,
    ) -> Mapping[int, Key]:
        """Draw keys before there is anything to publish; level 0, with which reports are made, is among them.

        `guarantee` chooses between true draws and a seed. Draws are only as true as `bits`, and the keys say so.
        `drawing` names the drawing, where all questions of a part share its id.
        """
        check_at_least("rows", check_integer("rows", rows), 1)
        source = SystemBits() if bits is None else bits
        blank = blank_key(self.declaration, rows, source, binding, drawing)
        return draw_keys(blank, self.steps, source, guarantee=guarantee)

    def publish(
        self,
        values: npt.ArrayLike,
        bits: BitSource | None = None,
        *,
        guarantee: Guarantee = Guarantee.INFORMATION_THEORETIC,
        binding: Binding | None = None,
        keys: Mapping[int, Key] | None = None,
    ) -> Publication:
        """Return the public reports and the keys of `key_levels`.

        Without `keys` they are drawn afresh from `bits`. Keys drawn before are used once: other values under the same
        draws are refused.
        """
        answers = check_symbols("values", values, self.size)
        if keys is None:
            keys = self.draw_keys(answers.size, bits, guarantee=guarantee, binding=binding)
        check_keys(keys, self.declaration, binding, answers.size)
        reports = self.levels[0].made(answers, shifts_of(keys[0], self.steps))
        digest = digest_of(reports)
        for key in keys.values():
            claim_drawing(key, digest)
        handed = {level: keys[level].having_produced(digest) for level in self.key_levels if level in keys}
        return Publication(reports=reports, keys=MappingProxyType(handed))

    def open(self, reports: npt.ArrayLike, key: Key | None = None) -> View:
        """Return what a key shows of public reports; without a key, the public view."""
        public = check_symbols("reports", reports, self.modulus)
        if key is None:
            kept = public.astype(smallest_dtype(self.modulus))
            return View(mechanism=self.levels[-1], reports=kept, level=len(self.levels))
        if key.level == 0:
            raise KeyRefused("this key recovers answers; it is not for a level", way_out="Use recover.")
        rows = rows_of(key, self.declaration, public)
        level = self.levels[key.level - 1]
        seen = level.seen(rows, shifts_of(key, self.steps))
        return View(mechanism=level, reports=seen, level=key.level, positions=key.start)

    def recover(self, reports: npt.ArrayLike, key: Key) -> npt.NDArray[np.int64]:
        """Return the answers themselves, with the key of level 0."""
        if key.level != 0:
            raise KeyRefused(
                f"this key opens level {key.level} and recovers nothing", way_out="Ask the registrar for level 0."
            )
        if not self.outline.gives_answers:
            raise KeyRefused("this ladder does not recover answers", way_out="Build it with recover=True.")
        rows = rows_of(key, self.declaration, check_symbols("reports", reports, self.modulus))
        answers = self.levels[0].recovered(rows, shifts_of(key, self.steps), key.start)
        if answers.min() < 0:
            raise KeyRefused(
                "the reports are not the ones that this key was made for", way_out="Look for the file it came with."
            )
        return answers

    def __repr__(self) -> str:
        shown = ", ".join(f"{float(o):.6g}" for o in self.odds)
        return f"<Ladder over {self.levels[0].base.__name__}, {self.size} answers, odds {shown}>"


def _total(parts: Sequence[Interval]) -> Interval:
    return Interval(math.fsum(part.lower for part in parts), math.fsum(part.upper for part in parts)).widened(0.0)


# --- A ladder on some rows of a part, for columns of any length in chunks
# Reports are made from answers and shifts, and undone as far as a key reaches.


_Rows = npt.NDArray[np.int64]
_Shifts = npt.NDArray[np.integer[Any]]


def made_rows(ladder: Ladder, values: npt.ArrayLike, shifts: _Shifts, positions: int | _Rows) -> ReportArray:
    """Return the public reports of answers at these positions."""
    return ladder.levels[0].made(values, shifts, positions)


def undone_rows(
    ladder: Ladder, reports: npt.ArrayLike, key: Key, numbers: _Rows, places: _Rows, positions: int | _Rows
) -> _Rows:
    """Return reports as a key shows them, with the key of level 0 the answers; stored draws stand at `places`."""
    if key.ladder != ladder.declaration:
        raise KeyRefused(
            "the key belongs to another ladder: other answers, levels or set", way_out="Use the study it is of."
        )
    if key.level == 0 and not ladder.outline.gives_answers:
        raise KeyRefused("this ladder does not recover answers", way_out="Build it with recover=True.")
    public = check_symbols("reports", reports, ladder.modulus)
    shifts = shifts_at(key, ladder.steps, numbers, places)
    if key.level > 0:
        seen: _Rows = ladder.levels[key.level - 1].seen(public, shifts).astype(np.int64)
        return seen
    answers: _Rows = ladder.levels[0].recovered(public, shifts, positions)
    if answers.size and answers.min() < 0:
        raise KeyRefused(
            "the reports are not the ones that this key was made for", way_out="Look for the file it came with."
        )
    return answers
