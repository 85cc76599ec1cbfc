"""Random shifts with two levels of probability: what every step of a ladder adds, and what every key takes away.

A shift lies in a favoured set F of residues mod K with probability `inside`, uniform there, and is uniform on the rest
otherwise. With F a difference set it is the shift of the cyclic response; with F = {0} it is an erasure, which leaves
the report alone or replaces it by noise; with K = 2 and F = {0} it is a flip.   Theory: docs/theory/ladders.md
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.bits import AnyRows, BitSource, Coin, RowSource, RowWords, UniformBelow
from sfumato.bits.row_words import RowArray
from sfumato.errors import InvalidParameter
from sfumato.measures.enclosures import entropy_interval
from sfumato.values import Interval
from sfumato.values.checks import check_at_least, check_between, check_integer

ShiftArray = npt.NDArray[np.int64]

_WIDTH = 64


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TwoLevelShift:
    """A residue mod `modulus`: in `favoured`, uniformly, with probability `inside`; else uniform outside."""

    modulus: int
    favoured: ShiftArray
    inside: Fraction
    width: int = _WIDTH
    order: ShiftArray = field(init=False, repr=False)
    """All shifts, the favoured first, each level ascending."""

    def __post_init__(self) -> None:
        check_at_least("modulus", check_integer("modulus", self.modulus), 2)
        check_between("inside", self.inside, 0, 1)
        members = np.unique(np.asarray(self.favoured, dtype=np.int64))
        if not 0 < members.size < self.modulus or members[0] < 0 or members[-1] >= self.modulus:
            raise InvalidParameter(
                f"must hold between 1 and {self.modulus - 1} different residues mod {self.modulus}",
                parameter="favoured",
                way_out="Reduce them first.",
            )
        rest = np.ones(self.modulus, dtype=np.bool_)
        rest[members] = False
        order = np.concatenate([members, np.flatnonzero(rest)])
        for name, array in (("favoured", members), ("order", order)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @classmethod
    def erasure(cls, modulus: int, chance: Fraction, *, width: int = _WIDTH) -> TwoLevelShift:
        """0, or with probability `chance` anything, uniformly."""
        stay = 1 - chance + chance / modulus
        return cls(modulus=modulus, favoured=np.zeros(1, dtype=np.int64), inside=stay, width=width)

    @property
    def probabilities(self) -> tuple[Fraction, Fraction]:
        """Of one favoured shift, and of one other."""
        return self.inside / self.favoured.size, (1 - self.inside) / (self.modulus - self.favoured.size)

    def law(self) -> tuple[Fraction, ...]:
        """Return the probability of every shift."""
        high, low = self.probabilities
        law = [low] * self.modulus
        for shift in self.favoured.tolist():
            law[shift] = high
        return tuple(law)

    def entropy_bits(self) -> Interval:
        """Enclose what a draw costs and what storing it takes, at the least."""
        high, low = self.probabilities
        return entropy_interval(((high, self.favoured.size), (low, self.modulus - self.favoured.size)))

    def draw(self, bits: BitSource, count: int) -> ShiftArray:
        """`count` independent shifts. A flip is drawn thriftily; otherwise a word decides the level, one the place."""
        if self.modulus == 2:
            outside = Coin(chance=1 - self.inside, width=self.width, thrifty=True).sample(bits, count)
            return self.at(outside)
        return self.draw_rows(AnyRows(bits), count)

    def draw_rows(self, source: RowSource, count: int) -> ShiftArray:
        """A shift for each of `count` rows, from words of its own: one decides the level, one the place."""
        coin = Coin(chance=1 - self.inside, width=self.width)
        outside = coin.sample_rows(source, np.arange(count))
        ranks = outside * self.favoured.size
        for level, size in enumerate((self.favoured.size, self.modulus - self.favoured.size)):
            if size > 1:
                rows = np.flatnonzero(outside == level)
                ranks[rows] += UniformBelow(bound=size, width=self.width).draw_rows(source, rows).astype(np.int64)
        return self.at(ranks)

    def draw_numbered(self, key: bytes, numbers: RowArray) -> ShiftArray:
        """The shifts of the rows with these numbers under a key: what `draw_rows` says, most of it compiled."""
        source = RowWords(key, numbers)
        if self.inside in {0, 1}:  # a coin that is not thrown takes no word
            return self.draw_rows(source, numbers.size)
        from sfumato.refine.shift_kernel import OPEN, first_ranks  # noqa: PLC0415  numba is slow to import

        whole = 1 << self.width
        border, rest = divmod((1 - self.inside) * whole, 1)
        sizes = [self.favoured.size, self.modulus - self.favoured.size]
        lasts = [whole - whole % size - 1 for size in sizes]
        ranks = np.empty(numbers.size, dtype=np.int64)
        spare, counts, ends = np.uint64(64 - self.width), np.array(sizes, "<u8"), np.array(lasts, "<u8")
        first_ranks(source.first, spare, np.uint64(border), rest > 0, counts, ends, ranks)
        left = np.flatnonzero(ranks == OPEN)
        ranks[left] = 0
        shifts = self.at(ranks)
        if left.size:
            shifts[left] = self.draw_rows(RowWords(key, numbers[left]), left.size)
        return shifts

    def at(self, ranks: ShiftArray) -> ShiftArray:
        """Return the shifts at places of `order`."""
        shifts: ShiftArray = self.order[ranks]
        return shifts

    def ranks(self, shifts: npt.NDArray[np.integer[Any]]) -> ShiftArray:
        """Return the places of shifts in `order`."""
        places = np.empty(self.modulus, dtype=np.int64)
        places[self.order] = np.arange(self.modulus, dtype=np.int64)
        ranks: ShiftArray = places[shifts]
        return ranks
