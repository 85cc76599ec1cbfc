"""Levels that point to nested sets: subsets of answers and spaces of masks.

All draws are independent of the answer: the public set of the row, a set inside it for each level going up, and an
element that favours those of the sharpest level. The public report is the answer less that element. The key of a level
is its set, relative to the public one; with the report it shows which answers are favoured. The key of level 0 is the
element, and the answer their sum. A family defines the sets and the addition.
Theory: docs/theory/flags.md
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt

from sfumato import measures
from sfumato.errors import InvalidParameter
from sfumato.ladders.groups import Residues
from sfumato.ladders.level_mechanisms import (
    Draws,
    Scores,
    by_degrees,
    check_values,
    member_deviation,
    uniform_risk,
    whole,
)
from sfumato.ladders.nested_steps import ElementStep, InnerSetStep, MemberStep, SpaceStep
from sfumato.ladders.steps import Step
from sfumato.mechanisms.base import nominal_odds, odds_keeping
from sfumato.mechanisms.cyclic import least_noise
from sfumato.mechanisms.flags import FlagsResponse, check_dimension, dimensions_for, lengths_for, mask_noise
from sfumato.mechanisms.set_systems import MOST_RESIDUES, MOST_SET_BITS, PublicShifts, spaces
from sfumato.mechanisms.sets import SetsResponse, set_noise
from sfumato.numbers.checks import check_between, check_integer
from sfumato.numbers.intervals import Interval
from sfumato.sampling.mechanism import Positions, ReportArray, Tally, check_positions, check_symbols, smallest_dtype

MOST_EPSILON = 20.0
"""Sets are chosen as if no epsilon were larger."""


class NestedLevel(PublicShifts):
    """A level of nested sets: `parts` say which sets all levels have, sharpest first, and `level` is its number."""

    __slots__ = ()

    key_reason: ClassVar[str] = "H of what a level has more than the public [B, Thm 4]"
    by_position: ClassVar[bool] = True
    by_number: ClassVar[bool] = True
    recoverable: ClassVar[bool] = True
    partial: ClassVar[bool] = False
    says_answers: ClassVar[bool] = False
    parts_name: ClassVar[str]

    level: int

    @property
    @abstractmethod
    def parts(self) -> tuple[int, ...]:
        """What distinguishes the sets of all levels, sharpest first."""

    @abstractmethod
    def set_count(self, part: int) -> int:
        """How many sets there are of a kind."""

    @abstractmethod
    def members(self, part: int) -> int:
        """How many elements a set of a kind favours."""

    @abstractmethod
    def placed(self, odds: Fraction, parts: tuple[int, ...], level: int) -> Self:
        """Return the level mechanism of a level."""

    @abstractmethod
    def set_step(self, below: int, above: int, erased: Fraction, public: int) -> Step:
        """Return what draws the set of a level from that of one below it."""

    @abstractmethod
    def element_step(self) -> Step:
        """Return what draws an element from the set of this level."""

    @property
    def group(self) -> Residues:
        """What symbols and shifts are added in."""
        return Residues(self.modulus)

    @property
    def report_count(self) -> int:
        """How many reports of this level there are: symbols, beside each of its sets."""
        parts = self.parts
        return self.modulus * (1 if self.level == len(parts) else self.set_count(parts[self.level - 1]))

    # Levels.

    def at(self, odds: Fraction) -> Self:
        """Return the level mechanism at other odds."""
        return self.placed(odds, self.parts, self.level)

    def odds_for(self, epsilon: float) -> Fraction:
        """Return the largest odds on the grid that keep `epsilon`."""
        weight = (nominal_odds(epsilon) + 1) * self.modulus
        return odds_keeping(epsilon, weight=weight, size=self.size, width=self.width)

    def levels(self, odds: Sequence[Fraction]) -> tuple[Self, ...]:
        """Return the level mechanisms of the levels; refuses odds that sets inside one another cannot have."""
        parts = self.parts if len(self.parts) > 1 else self.parts * len(odds)
        if len(parts) != len(odds):
            raise InvalidParameter(
                f"has {len(parts)} entries for {len(odds)} levels",
                parameter=self.parts_name,
                way_out=f"Give one for each level, or let {type(self).__name__}.serving choose.",
            )
        found = tuple(self.placed(value, parts, level) for level, value in enumerate(odds, start=1))
        for above, below in pairwise(found):
            left = above.odds_left(parts[below.level - 1])
            if left < below.odds:
                raise InvalidParameter(
                    f"of level {below.level} cannot be made: what it favours of level {above.level} has odds {left}",
                    parameter="odds",
                    value=below.odds,
                    way_out=f"Lower them, or use other `{self.parts_name}` at that level.",
                )
        return found

    def odds_left(self, part: int) -> Fraction:
        """Return the odds of this level where only a uniform set of another kind around its own is known."""
        return 1 + (self.odds - 1) * Fraction(self.favoured_count, self.members(part))

    def erased(self, below: Self) -> Fraction:
        """With which chance the set of the level below has nothing to do with that of this one."""
        left, odds, every = self.odds_left(below.parts[below.level - 1]), below.odds, self.modulus
        ratio = every * (left - odds) / ((every + below.favoured_count * (left - 1)) * (odds - 1))
        return ratio / (1 + ratio)

    def steps(self, odds: Sequence[Fraction]) -> tuple[Step, ...]:
        """Return the element's draw, and the set of each level but the public one."""
        found = self.levels(odds)
        parts = found[0].parts
        above = [
            self.set_step(parts[lower.level - 1], parts[upper.level - 1], upper.erased(lower), parts[-1])
            for upper, lower in pairwise(found)
        ]
        return (found[0].element_step(), *above)

    def key_law(self, odds: Sequence[Fraction], level: int) -> Step:
        """Return what is drawn for a level: a set inside the public one, or any; for level 0 an element."""
        found = self.levels(odds)
        if level == 0:
            return found[-1].element_step()
        kept = math.prod((1 - upper.erased(lower) for upper, lower in pairwise(found[level - 1 :])), start=Fraction(1))
        parts = found[0].parts
        return self.set_step(parts[-1], parts[level - 1], 1 - kept, parts[-1])

    # Reports.

    def truths(self, values: npt.ArrayLike, positions: Positions = 0) -> ReportArray:  # noqa: ARG002  all are alike
        """Return the answers themselves, as residues."""
        return check_symbols("values", values, self.size)

    def answers(self, symbols: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the symbols themselves, -1 where a symbol is no answer."""
        return np.where(symbols < self.size, symbols, -1)

    def made(self, values: npt.ArrayLike, draws: Draws, positions: Positions = 0) -> ReportArray:
        """Take the elements that were drawn from answers."""
        answers = self.truths(values)
        return self.group.moved(answers, self.shifts(draws, check_positions(positions, answers.size)))

    def seen(self, reports: npt.NDArray[Any], draws: Draws) -> ReportArray:
        """Put the set that was drawn beside each report."""
        pairs: ReportArray = draws.astype(np.int64) * self.modulus + reports
        return pairs.astype(smallest_dtype(self.report_count))

    def recovered(self, reports: npt.NDArray[Any], draws: Draws, positions: Positions = 0) -> npt.NDArray[np.int64]:
        """Put the elements that were drawn back."""
        shifts = self.shifts(draws, check_positions(positions, reports.size))
        return self.answers(self.group.moved_back(reports, shifts).astype(np.int64))

    def tally(self, reports: npt.ArrayLike, positions: Positions = 0) -> Tally:
        """Count what all reports hit."""
        column = check_symbols("reports", reports, self.report_count)
        codes, symbols = np.divmod(column, self.modulus)
        return self.counted(symbols, codes, check_positions(positions, column.size))

    # What is said of a level.

    def measured_odds(self) -> Fraction | float:
        """Measure the channel of the first set of the level."""
        return measures.odds(self.channel())

    def randomness_bits(self) -> Interval:
        """Enclose the entropy of an element drawn for this level alone."""
        return self.element_step().entropy_bits()

    def share_deviation(self, share: float) -> float:
        """√n times the standard deviation of the unbiased share of an answer that so many hold."""
        return member_deviation(*self.probabilities, share)

    def largest_risk(self, n: int) -> float | None:
        """Take uniform shares: the variance of a share is concave in it, so their sum is largest there."""
        return uniform_risk(self, n)

    def linear_scores(self, values: Sequence[float]) -> Scores | None:
        """A report means nothing without its position."""
        check_values(values, self.size)
        return None

    def hitting(self) -> None:
        """Which reports hit an answer depends on the row."""
        return

    def weights(self) -> Scores | None:
        """A report means nothing without its position."""
        return None


# --- The sizes of the sets of all levels, chosen together
# A level of odds o needs about k/(o+1) members. Going down from d to d' ≥ d members leaves odds 1 + (o-1)d/d', and the
# next level can be made only where that is no less than its own odds.
# Theory: docs/theory/flags.md


# Odds are rounded down when levels are made, and what is left by a step must stay above them.
_MARGIN = 1e-6


def is_numbered(size: int, chosen: int) -> bool:
    """Whether the number of a set, with a report beside, fits a word."""
    return math.comb(size, chosen) * size <= 1 << MOST_SET_BITS


def best_sizes(size: int, odds: Sequence[float]) -> tuple[int, ...]:
    """Return the sizes of sets, sharpest level first, whose worst noise over the least is smallest at even shares.

    Going down the levels, of each size the best way to get there; sets of all levels but the public one are numbered.
    """
    ways: dict[int, tuple[float, float, tuple[int, ...]]] = {}
    for number, value in enumerate(odds):
        found: dict[int, tuple[float, float, tuple[int, ...]]] = {}
        for chosen in range(1, size):
            if number < len(odds) - 1 and not is_numbered(size, chosen):
                continue
            ratio = set_noise(size, chosen, value, 1 / size) / least_noise(value)
            before = [
                way
                for above, way in ways.items()
                if above == chosen
                or (above < chosen and 1 + (odds[number - 1] - 1) * above / chosen >= value * (1 + _MARGIN))
            ]
            if number == 0:
                before = [(0.0, 0.0, ())]
            if before:
                found[chosen] = min((max(way[0], ratio), way[1] + ratio, (*way[2], chosen)) for way in before)
        ways = found
    return min(ways.values())[2]


# --- Levels over the sets response: nested sets of answers, the smallest at the sharpest level
# For at most 64 answers. Every level has the error of subset selection, which is the least possible, in a report as
# short as an answer. Keys are longer, since they hold sets.
# Theory: docs/theory/flags.md


@dataclass(frozen=True, slots=True, kw_only=True)
class SetsLevel(NestedLevel, SetsResponse):
    """The sets response as a level: `sizes` are those of the sets of all levels, sharpest first, `level` its number."""

    kind: ClassVar[str] = "sets"
    base: ClassVar[type] = SetsResponse
    parts_name: ClassVar[str] = "sizes"
    level_reason: ClassVar[str] = (
        "the set of a level is drawn around that of the level above, apart from the answer, checked exactly [B, Thm 3]"
    )
    back_reason: ClassVar[str] = "(x-u)+u = x mod k for every answer x and every key u"

    sizes: tuple[int, ...] = ()
    level: int = 1

    def __post_init__(self) -> None:
        if not self.sizes:
            object.__setattr__(self, "sizes", (self.chosen,) * self.level)
        SetsResponse.__post_init__(self)
        for chosen in self.sizes:
            check_between("sizes", check_integer("sizes", chosen), 1, self.size - 1)
        if any(above > below for above, below in pairwise(self.sizes)):
            raise InvalidParameter(
                "must not fall from level to level", parameter="sizes", way_out="Sort them, the smallest first."
            )
        if self.chosen != self.sizes[self.level - 1]:
            raise InvalidParameter(
                "is not that of its level", parameter="chosen", value=self.chosen, way_out="Use `levels`."
            )
        if any(not is_numbered(self.size, chosen) for chosen in self.sizes[:-1]):
            raise InvalidParameter(
                "of a level with a key are more than words can number",
                parameter="sizes",
                way_out="Use smaller sets at that level.",
            )

    @classmethod
    def over(cls, mechanism: SetsResponse) -> Self:
        """Return the level mechanism of a mechanism; without levels of its own, all have sets of its size."""
        if isinstance(mechanism, cls):
            return mechanism
        return cls(**{field.name: getattr(mechanism, field.name) for field in fields(SetsResponse)})

    @classmethod
    def serving(cls, *, size: int, epsilons: Sequence[float]) -> Self:
        """Return the level mechanism whose sets serve all levels: the worst noise ratio is least."""
        check_between("size", check_integer("size", size), 2, MOST_RESIDUES)
        sizes = best_sizes(size, [nominal_odds(min(epsilon, MOST_EPSILON)) for epsilon in epsilons])
        return cls(size=size, odds=Fraction(2), chosen=sizes[0], sizes=sizes)

    @classmethod
    def declared(cls, document: Mapping[str, Any]) -> Self:
        """Read the sizes of the sets of all levels."""
        given = document["sizes"]
        if not isinstance(given, list) or not given or any(type(chosen) is not int for chosen in given):
            raise ValueError("sizes")
        return cls(size=whole(document, "size"), odds=Fraction(2), chosen=given[0], sizes=tuple(given))

    def declaration(self) -> dict[str, Any]:
        """Say how many answers there are, and the sizes of the sets of all levels."""
        return {"size": self.size, "sizes": list(self.sizes)}

    @property
    def parts(self) -> tuple[int, ...]:
        """The sizes of the sets of all levels."""
        return self.sizes

    @property
    def public_chosen(self) -> int:
        """The size of the last level's sets."""
        return self.sizes[-1]

    def set_count(self, part: int) -> int:
        """How many sets there are of a size."""
        return math.comb(self.size, part)

    def members(self, part: int) -> int:
        """As many as its size."""
        return part

    def placed(self, odds: Fraction, parts: tuple[int, ...], level: int) -> Self:
        """Return the level mechanism of a level."""
        return replace(self, odds=odds, chosen=parts[level - 1], sizes=parts, level=level)

    def set_step(self, below: int, above: int, erased: Fraction, public: int) -> InnerSetStep:
        """Return what draws the set of a level from that of one below it."""
        del public
        return InnerSetStep(size=self.size, outer=below, inner=above, erased=erased, width=self.width)

    def element_step(self) -> MemberStep:
        """Return what draws a residue from the set of this level."""
        own = self.chosen * self.odds
        inside = own / (own + self.size - self.chosen)
        return MemberStep(size=self.size, members=self.chosen, inside=inside, width=self.width)

    def report_words(self, asked: str) -> str:
        """Say what a symbol is, and what a key puts beside it."""
        return (
            f"a symbol from 0 to {self.modulus - 1} of the sets response, which with the number of its row favours "
            f"several of the {self.size} {asked}; opened by a key, the symbol and {self.modulus} times the number of a "
            f"set; not an answer"
        )

    def remarks(self) -> tuple[str, ...]:
        """Say what a report is about."""
        shown = ", ".join(map(str, self.sizes))
        return (
            (
                f"Answers are residues mod {self.size}. What is drawn for a row, sets of {shown} residues from the "
                f"sharpest level to the public one and a residue, does not depend on the answer; the set of the public "
                f"level follows from the number of the row. The claims hold for every row."
            ),
        )

    def noise_ratio(self) -> float:
        """V0/V* of the level's sets at these odds."""
        odds = float(self.odds)
        return set_noise(self.size, self.chosen, odds) / least_noise(odds)

    def because(self, levels: Sequence[Fraction], asked: str = "answers") -> str:
        """Say what one report costs each level."""
        found = self.levels(levels)
        shown, noise = ", ".join(map(str, found[0].sizes)), ", ".join(f"{one.noise_ratio():.2f}" for one in found)
        return (
            f"{self.size} {asked}: the sets response on {self.modulus} possible reports, {by_degrees(levels)}. Each "
            f"level has sets of its own, of {shown} answers, inside those of the level below; the noise over the least "
            f"possible is {noise}, sharpest level first."
        )


# --- The length of masks and the dimension of each level, chosen together
# A level of odds o needs 2^c near o + 1. Going down from dimension c to c' leaves odds 1 +
# (o-1)(2^(t-c)-1)/(2^(t-c')-1), and the next level can be made only where that is no less than its own odds; dimensions
# never grow. A mask longer than the answers need sometimes fits better.
# Theory: docs/theory/flags.md


Odds = TypeVar("Odds", float, Fraction)

# Odds are rounded down when levels are made, and what is left by a step must stay above them.
# A shorter report is worth this much noise.
_WORTH = 1.001


def odds_below(odds: Odds, length: int, above: int, below: int) -> Odds:
    """Return the odds of a uniform space of dimension `below` in one of dimension `above`, which has these odds."""
    return 1 + (odds - 1) * ((1 << (length - above)) - 1) / ((1 << (length - below)) - 1)


def best_dimensions(size: int, odds: Sequence[float]) -> tuple[int, tuple[int, ...]]:
    """Return the length and the dimensions, sharpest level first, whose worst noise over the least is smallest.

    Of lengths within a thousandth of the best the shortest is taken: shorter reports, quicker decoding.
    """
    judged = [(*_for_length(length, odds), length) for length in lengths_for(size)]
    least = min(worst for worst, _, _ in judged)
    _, chosen, length = next(one for one in judged if one[0] <= _WORTH * least)
    return length, chosen


def _for_length(length: int, odds: Sequence[float]) -> tuple[float, tuple[int, ...]]:
    """Go down the levels: of each dimension, the best sequence of levels that reaches it."""
    ways: dict[int, tuple[float, float, tuple[int, ...]]] = {}
    for number, value in enumerate(odds):
        found: dict[int, tuple[float, float, tuple[int, ...]]] = {}
        for dimension in dimensions_for(length):
            ratio = mask_noise(length, dimension, value) / least_noise(value)
            before = (
                [(0.0, 0.0, ())]
                if number == 0
                else [
                    way
                    for above, way in ways.items()
                    if above == dimension
                    or (
                        above > dimension
                        and odds_below(odds[number - 1], length, above, dimension) >= value * (1 + _MARGIN)
                    )
                ]
            )
            if before:
                worst, total, path = min((max(way[0], ratio), way[1] + ratio, (*way[2], dimension)) for way in before)
                found[dimension] = worst, total, path
        ways = found
    worst, _, path = min(ways.values())
    return worst, path


# --- Texts about a ladder of flags: why it was chosen, what a report is, what a certificate is about


def chosen_words(modulus: int, dimensions: Sequence[int], ratios: Sequence[float], asked: str, degrees: str) -> str:
    """Say what one report costs each level."""
    shown, noise = ", ".join(map(str, dimensions)), ", ".join(f"{ratio:.2f}" for ratio in ratios)
    return (
        f"{asked}: the flags response on {modulus} possible reports, {degrees}. Each level has masks of its own, of "
        f"dimension {shown}, inside those of the level above; the noise over the least possible is {noise}, sharpest "
        f"level first."
    )


def report_words(modulus: int, size: int, asked: str) -> str:
    """Say what a symbol is, and what a key puts beside it."""
    return (
        f"a symbol from 0 to {modulus - 1} of the flags response, which with the number of its row favours several of "
        f"the {size} {asked}; opened by a key, the symbol and {modulus} times the number of a space of masks; not an "
        f"answer"
    )


def flags_remarks(length: int, dimensions: Sequence[int]) -> tuple[str, ...]:
    """Say what a certificate of a ladder of flags is about."""
    shown = ", ".join(map(str, dimensions))
    return (
        (
            f"Answers are elements of a field of 2^{length}. What is drawn for a row, spaces of masks of dimension "
            f"{shown} from the sharpest level to the public one and an element, does not depend on the answer; the "
            f"masks of the public level follow from the number of the row. The claims hold for every row."
        ),
    )


# --- Levels over the flags response: nested spaces of masks, the largest at the sharpest level
# A space favours the elements at which all its masks are even, so larger spaces favour fewer. The public report is the
# quotient of the answer by the element that was drawn, and the answer is their product.
# Theory: docs/theory/flags.md


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagsLevel(NestedLevel, FlagsResponse):
    """The flags response as a level: `dimensions` are those of all levels, sharpest first, `level` is its number."""

    kind: ClassVar[str] = "flags"
    base: ClassVar[type] = FlagsResponse
    parts_name: ClassVar[str] = "dimensions"
    level_reason: ClassVar[str] = (
        "masks of a level are drawn from those of the level above, apart from the answer, checked exactly [B, Thm 3]"
    )
    back_reason: ClassVar[str] = "(x/u)·u = x in the field for every answer x and every key u"

    dimensions: tuple[int, ...] = ()
    level: int = 1

    def __post_init__(self) -> None:
        if not self.dimensions:
            object.__setattr__(self, "dimensions", (self.dimension,) * self.level)
        FlagsResponse.__post_init__(self)
        for dimension in self.dimensions:
            check_dimension(self.length, dimension)
        if any(above < below for above, below in pairwise(self.dimensions)):
            raise InvalidParameter(
                "must not grow from level to level", parameter="dimensions", way_out="Sort them, the largest first."
            )
        if self.dimension != self.dimensions[self.level - 1]:
            raise InvalidParameter(
                "is not that of its level", parameter="dimension", value=self.dimension, way_out="Use `levels`."
            )

    @classmethod
    def over(cls, mechanism: FlagsResponse) -> Self:
        """Return the level mechanism of a mechanism; without levels of its own, all have its dimension."""
        if isinstance(mechanism, cls):
            return mechanism
        return cls(**{field.name: getattr(mechanism, field.name) for field in fields(FlagsResponse)})

    @classmethod
    def serving(cls, *, size: int, epsilons: Sequence[float]) -> Self:
        """Return the level mechanism whose spaces serve all levels: the worst noise ratio is least."""
        odds = [nominal_odds(min(epsilon, MOST_EPSILON)) for epsilon in epsilons]
        length, dimensions = best_dimensions(size, odds)
        return cls(size=size, odds=Fraction(2), length=length, dimension=dimensions[0], dimensions=dimensions)

    @classmethod
    def declared(cls, document: Mapping[str, Any]) -> Self:
        """Read the dimensions of all levels."""
        size, length = (whole(document, name) for name in ("size", "length"))
        given = document["dimensions"]
        if not isinstance(given, list) or not given or any(type(dimension) is not int for dimension in given):
            raise ValueError("dimensions")
        return cls(size=size, odds=Fraction(2), length=length, dimension=given[0], dimensions=tuple(given))

    def declaration(self) -> dict[str, Any]:
        """Say how long masks are, and the dimensions of all levels."""
        return {"size": self.size, "length": self.length, "dimensions": list(self.dimensions)}

    @property
    def parts(self) -> tuple[int, ...]:
        """The dimensions of all levels."""
        return self.dimensions

    @property
    def public_dimension(self) -> int:
        """That of the last level."""
        return self.dimensions[-1]

    def set_count(self, part: int) -> int:
        """How many spaces there are of a dimension."""
        return spaces(self.length, part)

    def members(self, part: int) -> int:
        """At how many elements the masks of a space are all even."""
        return (1 << (self.length - part)) - 1

    def placed(self, odds: Fraction, parts: tuple[int, ...], level: int) -> Self:
        """Return the level mechanism of a level."""
        return replace(self, odds=odds, dimension=parts[level - 1], dimensions=parts, level=level)

    def set_step(self, below: int, above: int, erased: Fraction, public: int) -> SpaceStep:
        """Return what draws the space of a level from that of one below it."""
        return SpaceStep(length=self.length, low=below, high=above, erased=erased, public=public, width=self.width)

    def element_step(self) -> ElementStep:
        """Return what draws an element from the space of this level."""
        own = self.favoured_count * self.odds
        return ElementStep(
            length=self.length,
            dimension=self.dimension,
            public=self.public_dimension,
            inside=own / (own + self.modulus - self.favoured_count),
            width=self.width,
        )

    def report_words(self, asked: str) -> str:
        """Say what a symbol is, and what a key puts beside it."""
        return report_words(self.modulus, self.size, asked)

    def remarks(self) -> tuple[str, ...]:
        """Say what a report is about."""
        return flags_remarks(self.length, self.dimensions)

    def noise_ratio(self) -> float:
        """V0/V* of the level's masks at these odds."""
        odds = float(self.odds)
        return mask_noise(self.length, self.dimension, odds) / least_noise(odds)

    def because(self, levels: Sequence[Fraction], asked: str = "answers") -> str:
        """Say what one report costs each level."""
        ratios = [level.noise_ratio() for level in self.levels(levels)]
        return chosen_words(self.modulus, self.dimensions, ratios, f"{self.size} {asked}", by_degrees(levels))
