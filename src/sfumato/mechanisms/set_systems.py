"""Numbered sets of residues and spaces of masks, and random shifts that favour a public one.

The row's number decides the set, in public; elements are numbered so that the favoured ones come first. A report hits
an answer if the element that leads from the report to it is a favoured one.   Theory: docs/theory/flags.md
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.mechanisms.base import FloatArray, check_confidence, check_tally, member_estimate, member_variance, shifted
from sfumato.numbers.checks import check_between, check_integer
from sfumato.numbers.exact import LawLike
from sfumato.prob.distribution import Distribution
from sfumato.prob.structured import Circulant
from sfumato.sampling.mechanism import (
    Estimate,
    Positions,
    ReportArray,
    Tally,
    bits_or_default,
    check_positions,
    check_symbols,
    positions_from,
    smallest_dtype,
)
from sfumato.sampling.rows import ROW_WIDTH, RowWords
from sfumato.sampling.samplers import UniformBelow
from sfumato.sampling.sources import MOST_WIDTH, BitSource

CHUNK = 1 << 16
"""How many rows are worked on at once."""

Codes = npt.NDArray[np.int64]


class PublicShifts(ABC):
    """Answers are residues, and a report is the answer plus the shift of an element that was drawn."""

    __slots__ = ()

    size: int
    odds: Fraction
    width: int

    @property
    @abstractmethod
    def name(self) -> str:
        """What marks the tallies of this mechanism."""

    @property
    @abstractmethod
    def modulus(self) -> int:
        """The number of possible reports."""

    @property
    @abstractmethod
    def favoured_count(self) -> int:
        """How many elements are favoured."""

    @property
    @abstractmethod
    def probabilities(self) -> tuple[Fraction, Fraction]:
        """How probably a report hits its own answer, and any other: over all public sets that a row can have."""

    @abstractmethod
    def publics(self, count: int, positions: Positions) -> Codes:
        """The numbers of the public sets of rows; none where all rows have the first one."""

    @abstractmethod
    def shifts_among(self, numbers: Codes, publics: Codes) -> Codes:
        """By how much numbered elements shift the answers of rows with these public sets."""

    @abstractmethod
    def first_favoured(self) -> Codes:
        """The numbers of the elements that the first set favours."""

    @abstractmethod
    def hits(self, tally: Tally) -> FloatArray:
        """How many reports hit each answer."""

    @abstractmethod
    def counted(self, symbols: Codes, codes: Codes, positions: Positions) -> Tally:
        """Count what reports hit whose symbols and sets are known."""

    def channel(self) -> Circulant:
        """All laws together, as Y = X + U, of a row whose public set is the first; all others leak as much."""
        return self._channel_of(0)

    def channel_at(self, position: int) -> Circulant:
        """Return the channel of the row at a position."""
        found = self.publics(1, position)
        return self._channel_of(int(found[0]) if found.size else 0)

    def law(self, x: int) -> tuple[Fraction, ...]:
        """P(.|x) of a row whose public set is the first, exact."""
        check_between("x", check_integer("x", x), 0, self.size - 1)
        return tuple(Fraction(p) for p in self.channel().row(x))

    def privatize(self, values: npt.ArrayLike, bits: BitSource | None = None, positions: Positions = 0) -> ReportArray:
        """One report for each value; `positions` is that of the first, or of each."""
        answers = check_symbols("values", values, self.size)
        places, source = check_positions(positions, answers.size), bits_or_default(bits)
        reports = np.empty(answers.size, dtype=smallest_dtype(self.modulus))
        order = np.arange(self.modulus)
        for start in range(0, answers.size, CHUNK):
            held = answers[start : start + CHUNK]
            numbers = shifted(
                np.zeros_like(held), order, self.favoured_count, self.odds, width=self.width, source=source
            )
            moved = held + self.shifts(numbers, positions_from(places, start, start + held.size))
            reports[start : start + held.size] = np.where(moved >= self.modulus, moved - self.modulus, moved)
        return reports

    def shifts(self, numbers: npt.NDArray[np.integer], positions: Positions) -> Codes:
        """By how much numbered elements shift the answers of rows at these positions."""
        return self.shifts_among(numbers.astype(np.int64, copy=False), self.publics(numbers.size, positions))

    def tally(self, reports: npt.ArrayLike, positions: Positions = 0) -> Tally:
        """Count what all reports hit; `positions` is that of the first or of each, as when they were made."""
        column = check_symbols("reports", reports, self.modulus)
        return self.counted(column, np.zeros_like(column), check_positions(positions, column.size))

    def estimate(self, tally: Tally, *, confidence: float = 0.95) -> Estimate:
        """Shares of the answers from how many reports hit each."""
        check_confidence(confidence)
        total = check_tally(tally, self.name)
        return member_estimate(self.hits(tally), *self.probabilities, total=total, confidence=confidence)

    def variance(self, law: Distribution | LawLike, n: int) -> tuple[Fraction, ...]:
        """Return the exact variance of each share in `raw`, from n reports, when answers follow `law`.

        It is over the draw of reports and of the public sets of rows.
        """
        return member_variance(law, self.size, n, *self.probabilities)

    def _channel_of(self, public: int) -> Circulant:
        numbers = self.first_favoured()
        support = self.shifts_among(numbers, np.full(numbers.size, public))
        return Circulant.two_level(size=self.modulus, support=support.tolist(), odds=self.odds, input_count=self.size)


# --- Spaces of masks, numbered: each c-dimensional space of t-bit masks has a number below [t, c]_2
#
# A space has a unique reduced basis: each row has a pivot, its lowest bit, where no other row has one, and any bits at
# the higher places that are no pivots: its filling. Spaces of one mask are numbered by the mask, from 0. Larger ones
# are numbered by their pivots, those with the longest fillings first, and then by the filling, that of the first row in
# the highest bits. So no division is needed to spell a number. But the spaces that hold the first `held` unit masks
# come before all others, in the order of their remaining dimensions; 0 is always the space of the first c unit masks.
# :mod:`sfumato.mechanisms.set_kernels` has the same in compiled loops.   Theory: docs/theory/flags.md


MOST_CODE_BITS = 62
"""Numbers of spaces, with an element of the field beside, fit a signed word."""

DIGIT = 5
"""Bits that a place or a number of places takes where those of several rows are packed into one word."""
# The columns of a table: of its own spaces, and where the table of the spaces that hold the first masks begins.
ROWS, LEADING, HELD, BESIDE, SHIFT, GUESSES, RANKS, HEAD = range(8)
# The columns of one set of pivots, and the count of its numbers.
START, OFFSET, PIVOTS, FILLINGS, ENTRY = range(5)
# The set of pivots is looked up by this many leading bits of a number.
_GUESS_BITS = 9

Table = npt.NDArray[np.int64]


@lru_cache(maxsize=4096)
def spaces(length: int, dimension: int) -> int:
    """[length, dimension]_2, how many spaces of masks there are."""
    if not 0 <= dimension <= length:
        return 0
    found = 1
    for i in range(dimension):
        found = found * ((1 << (length - i)) - 1) // ((1 << (i + 1)) - 1)
    return found


class _Shape(NamedTuple):
    """One set of pivots: how long the filling of each row is, the first number, and the filling that it stands for."""

    pivots: tuple[int, ...]
    fillings: tuple[int, ...]
    start: int
    first: int


@lru_cache(maxsize=64)
def _shapes(length: int, dimension: int, held: int) -> tuple[_Shape, ...]:
    """All sets of pivots in their order."""
    every = [
        (pivots, tuple(length - dimension - pivot + i for i, pivot in enumerate(pivots)))
        for pivots in itertools.combinations(range(length), dimension)
    ]
    every.sort(key=lambda one: (-sum(one[1]), one[0]))
    found, start = [], spaces(length - held, dimension - held) if held else 0
    for pivots, fillings in every:
        # Those that hold the first masks have no filling in their rows, and came before.
        first = 1 << sum(fillings[held:]) if held and pivots[:held] == tuple(range(held)) else 0
        found.append(_Shape(pivots, fillings, start, first))
        start += (1 << sum(fillings)) - first
    return tuple(found)


def rows_of_space(code: int, length: int, dimension: int, held: int = 0) -> tuple[int, ...]:
    """Return the reduced basis of the space with a number, by the definition."""
    if dimension <= 1:
        return (code + 1,) * dimension
    if held and code < spaces(length - held, dimension - held):
        beside = rows_of_space(code, length - held, dimension - held)
        return (*(1 << place for place in range(held)), *(row << held for row in beside))
    shape = next(one for one in reversed(_shapes(length, dimension, held)) if one.start <= code)
    filling, rows = code - shape.start + shape.first, list[int]()
    for pivot, bits in zip(reversed(shape.pivots), reversed(shape.fillings), strict=True):
        others = [place for place in range(pivot + 1, length) if place not in shape.pivots]
        rows.append((1 << pivot) | sum(((filling >> i) & 1) << place for i, place in enumerate(others)))
        filling >>= bits
    return tuple(reversed(rows))


def code_of_space(rows: tuple[int, ...], length: int, held: int = 0) -> int:
    """Return the number of the space that independent masks span, by the definition."""
    reduced = reduced_rows(rows)
    if len(reduced) <= 1:
        return sum(reduced) - len(reduced)
    if held and reduced[:held] == tuple(1 << place for place in range(held)):
        return code_of_space(tuple(row >> held for row in reduced[held:]), length - held)
    pivots, filling = tuple((row & -row).bit_length() - 1 for row in reduced), 0
    shape = next(one for one in _shapes(length, len(reduced), held) if one.pivots == pivots)
    for row, pivot, bits in zip(reduced, pivots, shape.fillings, strict=True):
        others = [place for place in range(pivot + 1, length) if place not in pivots]
        filling = (filling << bits) | sum(((row >> place) & 1) << i for i, place in enumerate(others))
    return shape.start + filling - shape.first


def reduced_rows(rows: tuple[int, ...]) -> tuple[int, ...]:
    """Return the reduced basis of what masks span, by pivot."""
    found: list[int] = []
    for given in rows:
        row = given
        for other in found:
            if row & (other & -other):
                row ^= other
        if row:
            low = row & -row
            found = [other ^ row if other & low else other for other in found] + [row]
    return tuple(sorted(found, key=lambda row: row & -row))


@lru_cache(maxsize=64)
def space_table(length: int, dimension: int, held: int = 0) -> Table:
    """What compiled passes read and write numbers with: sets of pivots, where to look for that of a number, and ranks.

    A set of pivots p_0 < p_1 < … has the rank C(p_0, 1) + C(p_1, 2) + …
    """
    head = [0] * HEAD
    head[ROWS], head[HELD] = dimension, held
    body = list[int]()
    if dimension > 1:
        shapes = _shapes(length, dimension, held)
        head[LEADING] = shapes[0].start
        total = spaces(length, dimension)
        head[SHIFT], head[GUESSES] = max(0, total.bit_length() - _GUESS_BITS), HEAD
        guesses = 1 + ((total - 1) >> head[SHIFT])
        first, place = HEAD + guesses, 0
        for guess in range(guesses):
            while place + 1 < len(shapes) and shapes[place + 1].start <= guess << head[SHIFT]:
                place += 1
            body.append(first + ENTRY * place)
        for shape in shapes:
            body += [shape.start, shape.start - shape.first, _packed(shape.pivots), _packed(shape.fillings)]
        body += [1 << MOST_CODE_BITS, 0, 0, 0]
        head[RANKS] = HEAD + len(body)
        ranks = {shape.pivots: first + ENTRY * number for number, shape in enumerate(shapes)}
        body += [
            ranks[pivots] for pivots in sorted(itertools.combinations(range(length), dimension), key=_rank_of_pivots)
        ]
    head[BESIDE] = HEAD + len(body)
    beside = space_table(length - held, dimension - held).tolist() if held and dimension > 1 else []
    table = np.array([*head, *body, *beside], dtype=np.int64)
    table.setflags(write=False)
    return table


def _packed(numbers: tuple[int, ...]) -> int:
    return sum(number << (DIGIT * i) for i, number in enumerate(numbers))


def _rank_of_pivots(pivots: tuple[int, ...]) -> int:
    return sum(math.comb(pivot, i + 1) for i, pivot in enumerate(pivots))


# --- The public space of masks of a row: a public function of its position, uniform among all spaces
#
# Multiplying by an element of the field leads from any single mask to any other, so a space of dimension 1 need not be
# drawn at all. Larger ones fall into several orbits, and only a mean over all of them treats all pairs of answers
# alike. The draws are words of rows (:mod:`sfumato.sampling.rows`) under a public key.


_KEY = sha256(b"sfumato/public masks/1").digest()
# A place of at most 2^24 is drawn from one word of a row, so that few are drawn again.
_NARROW_BITS = 24


def public_spaces(length: int, dimension: int, count: int, positions: Positions) -> Codes:
    """Return the numbers of the spaces of rows at these positions; none where all rows have the first one."""
    if dimension == 1:
        return np.zeros(0, dtype=np.int64)
    numbers = positions if isinstance(positions, np.ndarray) else np.arange(positions, positions + count)
    return place_below(spaces(length, dimension)).draw_rows(RowWords(_KEY, numbers), np.arange(count)).astype(np.int64)


def place_below(bound: int, width: int = MOST_WIDTH) -> UniformBelow:
    """Return how a place is drawn from words of rows: one where that is seldom drawn again, else two."""
    is_narrow = width < ROW_WIDTH or bound <= 1 << _NARROW_BITS
    return UniformBelow(bound=bound, width=min(width, ROW_WIDTH) if is_narrow else width)


# --- Sets of residues, numbered: a set s_0 < s_1 < … has the number C(s_0, 1) + C(s_1, 2) + … among those of its size
#
# So the sets of the first residues come first, for any number of first residues, and 0 is the set of the first d
# residues. :mod:`sfumato.mechanisms.set_kernels` has the same in compiled loops.   Theory: docs/theory/flags.md


MOST_RESIDUES = 64
"""Sets are words of so many bits."""
MOST_SET_BITS = 62
"""Numbers of sets, with a residue beside, fit a signed word."""


def members_of_set(code: int, members: int) -> tuple[int, ...]:
    """Return the set with a number, by the definition: the largest member is the last with C(s, d) ≤ the number."""
    found = list[int]()
    for count in range(members, 0, -1):
        member = count - 1
        while math.comb(member + 1, count) <= code:
            member += 1
        code -= math.comb(member, count)
        found.append(member)
    return tuple(reversed(found))


def code_of_set(members: Iterable[int]) -> int:
    """Return the number of a set."""
    return sum(math.comb(member, i) for i, member in enumerate(sorted(members), start=1))
