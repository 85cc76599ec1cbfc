"""What readers of several levels see when they put their keys together.

Each level is made from the level above it by adding a shift that is drawn on its own. So the answer, the best level in
a coalition, and whatever its other members see form a chain: given the best level, the rest is noise that knows nothing
of the answer, and the coalition's odds are those of its best member alone [B, Thm 3]. `coalition_odds` says so after
checking the premise exactly; `joint_channel` and `held_channel` write everything out, for ladders small enough.
Theory: docs/theory/ladders.md
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.errors import InvalidParameter, NotCertified
from sfumato.mechanisms import BinaryHadamard
from sfumato.prob import Channel, Circulant
from sfumato.refine.ladder import Ladder
from sfumato.refine.rungs import Rung
from sfumato.refine.shifts import ShiftArray, TwoLevelShift
from sfumato.values.checks import check_between, check_integer

# Joint reports that are written out, over all answers.
MOST_ENTRIES = 200_000


@dataclass(frozen=True, slots=True, eq=False)
class ShiftLaw:
    """The law of a shift, exact: its distinct probabilities, ascending, and which of them each residue has."""

    values: tuple[Fraction, ...]
    codes: ShiftArray

    @classmethod
    def of(cls, values: Sequence[Fraction], codes: ShiftArray) -> ShiftLaw:
        """Return the one spelling of a law."""
        kept = sorted({values[code] for code in np.unique(codes).tolist()})
        places = np.array([kept.index(value) if value in kept else -1 for value in values], dtype=np.int64)
        return cls(tuple(kept), places[codes])

    @classmethod
    def nothing(cls, modulus: int) -> ShiftLaw:
        """Return the shift that is always 0."""
        codes = np.zeros(modulus, dtype=np.int64)
        codes[0] = 1
        return cls((Fraction(0), Fraction(1)), codes)

    def plus(self, step: TwoLevelShift) -> ShiftLaw:
        """Return the law of this shift and an independent `step` together: their convolution.

        A step is c everywhere and c + e on its favoured set F, so the sum has probability c + e·Σ_{f in F} P(u-f).
        """
        high, low = step.probabilities
        if step.favoured.tolist() == [0]:
            return ShiftLaw.of([low + (high - low) * value for value in self.values], self.codes)
        sizes = np.bincount(self.codes, minlength=len(self.values))
        rare = [code for code in range(len(self.values)) if code != int(sizes.argmax())]
        reached = np.zeros((len(self.values), step.modulus), dtype=np.int64)
        for code in rare:
            reached[code] = _sums(np.flatnonzero(self.codes == code), step)
        # Every residue is reached once for each favoured shift, whatever it comes from.
        reached[int(sizes.argmax())] = step.favoured.size - reached.sum(axis=0)
        columns, codes = np.unique(reached, axis=1, return_inverse=True)
        found = [
            low + (high - low) * sum(int(n) * value for n, value in zip(column, self.values, strict=True))
            for column in columns.T
        ]
        return ShiftLaw.of(found, codes.reshape(-1))

    def law(self) -> tuple[Fraction, ...]:
        """Return the probability of every shift."""
        return tuple(self.values[code] for code in self.codes.tolist())

    def counted(self) -> tuple[tuple[Fraction, int], ...]:
        """Return each probability with the number of shifts that have it."""
        return tuple(zip(self.values, np.bincount(self.codes, minlength=len(self.values)).tolist(), strict=True))

    def channel(self, size: int) -> Circulant | Channel:
        """Return the channel of a report that is shifted so, with `size` answers; two reports tell two kinds apart."""
        if len(self.codes) > 2:
            return Circulant(self.law(), size)
        stay, flip = self.law()
        return Channel([[flip, stay], [stay, flip]])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShiftLaw):
            return NotImplemented
        return self.values == other.values and bool(np.array_equal(self.codes, other.codes))

    __hash__ = None  # type: ignore[assignment]


def level_law(rung: Rung) -> ShiftLaw:
    """Return how a level shifts the true symbol, read from the channel of its mechanism."""
    if not isinstance(rung, BinaryHadamard):
        channel = rung.channel()
        return ShiftLaw.of([Fraction(value) for value in channel.levels], channel.codes.astype(np.int64))
    (yes_no, yes_yes), (no_no, no_yes) = rung.law(0, 1), rung.law(1, 1)
    if (yes_yes, yes_no) != (no_no, no_yes):
        raise NotCertified("a level does not flip a yes as often as a no, so its report is no shift.")
    return ShiftLaw.of([yes_yes, yes_no], np.arange(2))


def check_nesting(ladder: Ladder) -> None:
    """Raise unless each step takes the law of its level, exactly, to the law of the next."""
    above = ShiftLaw.nothing(ladder.modulus)
    for number, (rung, step) in enumerate(zip(ladder.levels, ladder.steps, strict=True), start=1):
        here = level_law(rung)
        if above.plus(step) != here:
            raise NotCertified(
                f"step {number} of the ladder does not lead from level {number - 1} to level {number}: the law of the "
                f"two together is another one. Nothing is certified; make the ladder anew."
            )
        above = here


def coalition_odds(ladder: Ladder, levels: Iterable[int]) -> Fraction:
    """Return the odds of everything that readers of these levels see together: those of the best of them.

    Levels below are made from the best by steps that are drawn apart from the answer, so they add nothing.
    """
    best = min(_checked(ladder, levels))
    check_nesting(ladder)
    return ladder.odds[best - 1]


def joint_channel(ladder: Ladder, levels: Iterable[int]) -> Channel:
    """Write out X → (reports of these levels, public report): the chain of levels, those in between summed over."""
    depth = len(ladder.levels)
    seen = sorted({*_checked(ladder, levels), depth})
    _check_entries(ladder, len(seen))
    laws = []
    for above, below in itertools.pairwise([0, *seen]):
        law = ShiftLaw.nothing(ladder.modulus)
        for step in ladder.steps[above:below]:
            law = law.plus(step)
        laws.append(law.law())
    outputs = list(itertools.product(range(ladder.modulus), repeat=len(seen)))
    rows = []
    for symbol in _symbols(ladder):
        row = []
        for reports in outputs:
            path = itertools.pairwise((symbol, *reports))
            row.append(math.prod(law[(y - x) % ladder.modulus] for law, (x, y) in zip(laws, path, strict=True)))
        rows.append(row)
    return Channel(rows, tuple(range(ladder.size)), tuple(outputs))


def held_channel(ladder: Ladder, levels: Iterable[int]) -> Channel:
    """Write out X → (what the keys of these levels say, public report), from every draw of every step.

    It tells the same as `joint_channel` by another way: nothing is convolved, all draws are tried.
    """
    depth, modulus = len(ladder.levels), ladder.modulus
    opened = sorted({*_checked(ladder, levels)} - {depth})
    _check_entries(ladder, depth)
    laws = [step.law() for step in ladder.steps]
    wholes = [math.lcm(*(p.denominator for p in law)) for law in laws]
    weights = [[int(p * whole) for p in law] for law, whole in zip(laws, wholes, strict=True)]
    symbols = _symbols(ladder)
    outputs = list(itertools.product(range(modulus), repeat=len(opened) + 1))
    place = {output: number for number, output in enumerate(outputs)}
    table = [[0] * len(outputs) for _ in symbols]
    for draws in itertools.product(range(modulus), repeat=depth):
        weight = math.prod(column[draw] for column, draw in zip(weights, draws, strict=True))
        keys = tuple(sum(draws[level:]) % modulus for level in opened)
        for row, symbol in zip(table, symbols, strict=True):
            row[place[(*keys, (symbol + sum(draws)) % modulus)]] += weight
    whole = math.prod(wholes)
    rows = [[Fraction(weight, whole) for weight in row] for row in table]
    return Channel(rows, tuple(range(ladder.size)), tuple(outputs))


def entries(ladder: Ladder, seen: int) -> int:
    """How many joint reports of so many levels there are, over all answers."""
    return int(ladder.size * ladder.modulus**seen)


def _sums(places: ShiftArray, step: TwoLevelShift) -> ShiftArray:
    """How often each residue is a place plus a favoured shift."""
    few, many = sorted((places, step.favoured), key=len)
    found = np.zeros(step.modulus, dtype=np.int64)
    for shift in few.tolist():
        found[(many + shift) % step.modulus] += 1
    return found


def _symbols(ladder: Ladder) -> list[int]:
    """The true symbol of each answer; over binary Hadamard for question 1, as all questions divide into two kinds."""
    if isinstance(ladder.levels[0], BinaryHadamard):
        return [1 - (x & 1) for x in range(ladder.size)]
    return list(range(ladder.size))


def _checked(ladder: Ladder, levels: Iterable[int]) -> set[int]:
    wanted = {check_integer("levels", level) for level in levels}
    if not wanted:
        raise InvalidParameter("levels is empty. Name at least one level of the coalition.")
    if 0 in wanted:
        raise InvalidParameter("level 0 holds the answers themselves, so no odds bound it. Name levels from 1 on.")
    for level in wanted:
        check_between("levels", level, 1, len(ladder.levels))
    return wanted


def _check_entries(ladder: Ladder, seen: int) -> None:
    if entries(ladder, seen) > MOST_ENTRIES:
        raise InvalidParameter(
            f"{seen} levels of {ladder.modulus} reports, for {ladder.size} answers, make {ladder.size}·"
            f"{ladder.modulus}^{seen} joint reports, more than {MOST_ENTRIES} to write out. Use coalition_odds, which "
            f"needs none of them."
        )
