"""Ladders: one public report for everybody, and keys that sharpen it by degrees, up to the answer itself.

Levels 1, 2, …, d have ε_1 > ε_2 > … > ε_d. A report starts as the true symbol (level 0) and goes down one step after
the other, each adding an independent shift; what comes out at the bottom is published. The key of level j undoes the
steps below level j, so its holder sees exactly the mechanism at ε_j, and holders who put their keys together see what
the best of them sees alone. The key of level 0 recovers the answers.

Over the cyclic response a step keeps the report or replaces it by a uniform one, which takes a two-level law on a
difference set to another on the same set, with lower odds; over binary Hadamard a step is a flip [B, Thm 3]. Odds are
exact at every level, and no larger than e^ε_j.   Theory: docs/theory/ladders.md
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource, SystemBits
from sfumato.bits.mechanism import ReportArray, check_symbols, smallest_dtype
from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.mechanisms import BinaryHadamard, CyclicResponse
from sfumato.mechanisms.declared import nominal_odds
from sfumato.mechanisms.favoured_sets import best_set, least_noise
from sfumato.refine.declarations import declare, read_declaration
from sfumato.refine.expansion import lower_seed, shifts_of
from sfumato.refine.keys import SEED_BYTES, Binding, Draws, Key, Seed, digest_of
from sfumato.refine.reuse import claim_drawing
from sfumato.refine.rungs import (
    Rung,
    check_mechanism,
    descending,
    inside_weight,
    odds_for,
    rung_at,
    steps_between,
)
from sfumato.refine.shifts import TwoLevelShift
from sfumato.values import Guarantee, Interval
from sfumato.values.checks import as_exact, check_at_least, check_integer, check_positive


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Publication:
    """Public reports, and the keys by level. A key is a secret; hand each to one analyst."""

    reports: ReportArray
    keys: Mapping[int, Key]

    def __repr__(self) -> str:
        return f"<Publication of {self.reports.size} reports, keys of levels {', '.join(map(str, self.keys))}>"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class View:
    """Reports as the key of a level shows them; `mechanism` tallies and estimates them.

    `offset` is the row of the first report, for mechanisms that ask each position another question.
    """

    mechanism: Rung
    reports: ReportArray
    level: int
    offset: int = 0

    def __repr__(self) -> str:
        return f"<View of level {self.level}: {self.reports.size} reports of {self.mechanism.name}>"


class Ladder:
    """Levels over one mechanism, which gives the answers and the set that is favoured; its own odds do not matter."""

    __slots__ = ("epsilons", "levels", "recover_answers", "steps")

    epsilons: tuple[float, ...]
    """What was asked for; empty where exact odds were."""
    levels: tuple[Rung, ...]
    """The mechanism at each level, sharpest first; the last is the public one."""
    steps: tuple[TwoLevelShift, ...]
    """What is added on the way down to each level."""
    recover_answers: bool

    def __init__(self, mechanism: Rung, epsilons: Sequence[float], recover: bool = False) -> None:
        check_mechanism(mechanism)
        wanted = descending("epsilons", epsilons)
        for epsilon in wanted:
            check_positive("epsilons", epsilon)
        self._fill(mechanism, tuple(odds_for(mechanism, epsilon) for epsilon in wanted), wanted, recover=recover)

    @classmethod
    def of_odds(cls, mechanism: Rung, odds: Sequence[Fraction], *, recover: bool = False) -> Ladder:
        """Return the ladder with exactly these odds, largest first."""
        check_mechanism(mechanism)
        exact = descending("odds", [as_exact("odds", value) for value in odds])
        self = cls.__new__(cls)
        self._fill(mechanism, exact, (), recover=recover)
        return self

    @classmethod
    def within(cls, *, size: int, epsilons: Sequence[float], recover: bool = False) -> Ladder:
        """Return the cyclic ladder whose difference set serves all levels: the worst `ratios` is least."""
        check_at_least("size", check_integer("size", size), 2)
        wanted = descending("epsilons", epsilons)
        odds = [nominal_odds(min(epsilon, 20.0)) for epsilon in wanted]
        chosen = best_set(size, lambda found: max(found.noise(o) / least_noise(o) for o in odds))
        one = CyclicResponse(size=size, odds=Fraction(2), q=chosen.q, t=chosen.t, family=chosen.family)
        return cls(one, wanted, recover)

    def _fill(self, mechanism: Rung, odds: tuple[Fraction, ...], epsilons: tuple[float, ...], *, recover: bool) -> None:
        if odds[-1] <= 1:
            raise InvalidParameter("the lowest level would be pure noise: its odds must be above 1. Raise its epsilon.")
        if any(upper <= lower for upper, lower in itertools.pairwise(odds)):
            raise InvalidParameter("two levels are too close to be told apart. Drop one, or move them apart.")
        if recover and isinstance(mechanism, BinaryHadamard) and mechanism.size > 2:
            raise InvalidParameter(
                f"recover=True is impossible over binary Hadamard with {mechanism.size} answers: a report is one bit, "
                f"and with the key it must still tell {mechanism.size} answers apart. Use CyclicResponse, or "
                f"recover=False."
            )
        object.__setattr__(self, "epsilons", epsilons)
        object.__setattr__(self, "levels", tuple(rung_at(mechanism, value) for value in odds))
        object.__setattr__(self, "recover_answers", recover)
        object.__setattr__(self, "steps", steps_between(mechanism, odds))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Ladder is immutable; make a new one instead of setting {name}")

    @property
    def size(self) -> int:
        """How many answers there are."""
        return self.levels[0].size

    @property
    def modulus(self) -> int:
        """How many reports there are."""
        return self.steps[0].modulus

    @property
    def odds(self) -> tuple[Fraction, ...]:
        """Exact odds of the levels."""
        return tuple(level.odds for level in self.levels)

    @property
    def key_levels(self) -> tuple[int, ...]:
        """Levels that need a key: all but the public one, and 0 when answers are to be recovered."""
        return tuple(range(0 if self.recover_answers else 1, len(self.levels)))

    @property
    def declaration(self) -> str:
        """What marks the keys of this ladder, and what it can be made from again."""
        return declare(self.levels[0], self.odds, recover=self.recover_answers)

    @classmethod
    def declared(cls, text: str) -> Ladder:
        """Return the ladder of a declaration."""
        mechanism, odds, recover = read_declaration(text)
        return cls.of_odds(mechanism, odds, recover=recover)

    @property
    def ratios(self) -> tuple[float, ...]:
        """At each level, the noise of a share over the least possible, V0/V*; 1 is the best for many answers."""
        if isinstance(self.levels[0], BinaryHadamard):
            K = self.levels[0].padded_size
            # Each of the K-1 questions is asked of n/(K-1), and a share is the mean of K contrasts.
            return tuple((K - 1) ** 2 / K**2 * ((o + 1) ** 2 / (4 * o)) for o in map(float, self.odds))
        favoured = self.levels[0].favoured
        return tuple(favoured.noise(float(o)) / least_noise(float(o)) for o in self.odds)

    def key_law(self, level: int) -> TwoLevelShift:
        """Return the law of a row of the key of `level`: the sum of the steps below it, a two-level shift again."""
        if level == 0:
            public = self.steps[0]
            return TwoLevelShift(
                modulus=public.modulus,
                favoured=public.favoured,
                inside=inside_weight(public.favoured.size, public.modulus, self.odds[-1]),
            )
        stay = Fraction(1)
        for step in self.steps[level:]:
            high, low = step.probabilities
            stay *= high - low  # the part that is not uniform; parts multiply
        return TwoLevelShift.erasure(self.modulus, 1 - stay)

    def randomness_bits(self) -> Interval:
        """Enclose the random bits that a report uses, all steps together."""
        parts = [step.entropy_bits() for step in self.steps]
        return Interval(math.fsum(part.lower for part in parts), math.fsum(part.upper for part in parts)).widened(0.0)

    def draw_keys(
        self,
        rows: int,
        bits: BitSource | None = None,
        *,
        guarantee: Guarantee = Guarantee.INFORMATION_THEORETIC,
        binding: Binding | None = None,
    ) -> Mapping[int, Key]:
        """Draw keys before there is anything to publish; level 0, with which reports are made, is among them.

        `guarantee` chooses between true draws and a seed. Draws are only as true as `bits`, and the keys say so.
        """
        check_at_least("rows", check_integer("rows", rows), 1)
        if guarantee is Guarantee.NONE:
            raise InvalidParameter("guarantee must be INFORMATION_THEORETIC (true draws) or COMPUTATIONAL (a seed).")
        source = SystemBits() if bits is None else bits
        drawing = np.asarray(source.words(16, 8), dtype=np.uint8).tobytes().hex()
        common = {"ladder": self.declaration, "start": 0, "stop": rows, "total": rows, "drawing": drawing}
        bound = Binding() if binding is None else binding
        levels = range(len(self.levels))
        if guarantee is Guarantee.COMPUTATIONAL:
            secret = Seed(np.asarray(source.words(SEED_BYTES, 8), dtype=np.uint8).tobytes())
            held = guarantee if source.guarantee is not Guarantee.NONE else source.guarantee
            top = Key(**common, binding=bound, level=0, guarantee=held, material=secret)  # type: ignore[arg-type]
            return {level: replace(top, level=level, material=lower_seed(top, level)) for level in levels}
        sums = np.zeros(rows, dtype=np.int64)
        keys = {}
        for level in reversed(levels):
            sums = (sums + self.steps[level].draw(source, rows)) % self.modulus
            keys[level] = Key(
                **common,  # type: ignore[arg-type]
                binding=bound,
                level=level,
                guarantee=source.guarantee,
                material=Draws(sums.astype(smallest_dtype(self.modulus))),
            )
        return {level: keys[level] for level in levels}

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
        if 0 not in keys:
            raise InvalidParameter("keys must have the key of level 0: reports are made with it. Keep it to publish.")
        self._check_keys(keys, binding, answers.size)
        reports = self._shifted(self._symbols(answers), shifts_of(keys[0], self.steps))
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
            raise KeyRefused("this key recovers answers; it is not for a level. Use recover.")
        rows = self._rows_of(public, key)
        seen = self._shifted(rows, -shifts_of(key, self.steps).astype(np.int64))
        return View(mechanism=self.levels[key.level - 1], reports=seen, level=key.level, offset=key.start)

    def recover(self, reports: npt.ArrayLike, key: Key) -> npt.NDArray[np.int64]:
        """Return the answers themselves, with the key of level 0."""
        if key.level != 0:
            raise KeyRefused(f"this key opens level {key.level} and recovers nothing. Ask the registrar for level 0.")
        if not self.recover_answers:
            raise KeyRefused("this ladder does not recover answers. Build it with recover=True.")
        rows = self._rows_of(check_symbols("reports", reports, self.modulus), key)
        symbols = self._shifted(rows, -shifts_of(key, self.steps).astype(np.int64)).astype(np.int64)
        if isinstance(self.levels[0], BinaryHadamard):
            return 1 - symbols  # of two answers, the first is the one that says yes
        if symbols.max() >= self.size:
            raise KeyRefused("the reports are not the ones that this key was made for. Look for the file it came with.")
        return symbols

    def _symbols(self, answers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """What the reports would be without any step."""
        first = self.levels[0]
        return first.truths(answers).astype(np.int64) if isinstance(first, BinaryHadamard) else answers

    def _shifted(self, symbols: npt.NDArray[np.int64], shifts: npt.NDArray[np.int64]) -> ReportArray:
        moved: ReportArray = (symbols + shifts) % self.modulus
        return moved.astype(smallest_dtype(self.modulus))

    def _rows_of(self, public: npt.NDArray[np.int64], key: Key) -> npt.NDArray[np.int64]:
        if key.ladder != self.declaration:
            raise KeyRefused("the key belongs to another ladder: other answers, levels or set. Use the study it is of.")
        if public.size == key.total:
            if key.produced is not None and digest_of(public) != key.produced:
                raise KeyRefused(
                    "the key was made for other reports than these. Look for the file that was published with it."
                )
            return public[key.start : key.stop]
        if public.size == key.stop - key.start:
            return public
        raise KeyRefused(
            f"the key opens rows {key.start}..{key.stop - 1} of {key.total}, and {public.size} reports were given. "
            f"Give all {key.total}, or just those rows."
        )

    def _check_keys(self, keys: Mapping[int, Key], binding: Binding | None, rows: int) -> None:
        top = keys[0]
        for level, key in keys.items():
            if key.level != level or key.drawing != top.drawing or key.binding != top.binding:
                raise KeyRefused(
                    "the keys are not of one drawing, each at its level. Use those that were drawn together."
                )
            if key.ladder != self.declaration:
                raise KeyRefused("the keys belong to another ladder: other answers, levels or set. Draw new keys.")
            if not key.is_whole or key.total != rows:
                raise KeyRefused(f"the keys are for {key.total} rows, and there are {rows} values. Draw new keys.")
        if binding is not None and binding != top.binding:
            raise KeyRefused("the keys were drawn for another study, question, column or epoch. Draw new keys.")

    def __repr__(self) -> str:
        shown = ", ".join(f"{float(o):.6g}" for o in self.odds)
        return f"<Ladder over {type(self.levels[0]).__name__}, {self.size} answers, odds {shown}>"
