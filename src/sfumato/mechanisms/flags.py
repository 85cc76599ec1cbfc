"""The flags response: a random element that favours elements at which public masks are even.

Answers are elements of GF(2^t) but 0, x standing for α^x. A row has a public space of masks, of dimension c. A random
element is drawn: one at which all masks are even with weight `odds`, any other with weight 1. The report is the
quotient of the answer by that element, as the difference of their logarithms. It gives a space of masks, the row's
moved by the quotient, that is even at the answer more often than by chance. With 2^c near odds + 1 the error is close
to the best possible one. A space inside a larger one serves lower odds, so several levels can share one report; the
ladder over this mechanism uses that.   Theory: docs/theory/flags.md

A report hits an answer when all its masks are even there. The number of hits of each answer is one Walsh-Hadamard
transform of the counts of masks, exact in whole numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.mechanisms.base import FloatArray, check_weight, exact_odds, nominal_odds, odds_keeping, total_weight
from sfumato.mechanisms.binary_hadamard import walsh_hadamard
from sfumato.mechanisms.cyclic import WORTH
from sfumato.mechanisms.difference_sets import MOST_LENGTH, binary_field
from sfumato.mechanisms.set_systems import (
    CHUNK,
    MOST_CODE_BITS,
    Codes,
    PublicShifts,
    public_spaces,
    space_table,
    spaces,
)
from sfumato.numbers.checks import check_at_least, check_between, check_integer
from sfumato.sampling.mechanism import Positions, Tally, positions_from
from sfumato.sampling.sources import MOST_WIDTH

# Lengths of up to this many bits more than needed are tried too.
_SPARE_LENGTHS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagsResponse(PublicShifts):
    """`size` answers among the 2^length - 1 elements but 0, each row with a space of masks of a `dimension`.

    For long lists of answers at several levels, which share one report.

    >>> import sfumato as sf
    >>> towns = sf.mechanisms.FlagsResponse.within(size=1000, epsilon=2.0)
    >>> towns.length, towns.dimension, towns.modulus
    (10, 3, 1023)
    >>> uniform = sf.Distribution.uniform(1000)
    >>> round(float(towns.variance(uniform, 10_000)[0]) ** 0.5, 4)  # of a share, from 10 000 reports
    0.0085
    """

    size: int
    odds: Fraction
    length: int
    dimension: int
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        check_at_least("size", check_integer("size", self.size), 2)
        check_between("width", check_integer("width", self.width), 1, MOST_WIDTH)
        check_between("length", check_integer("length", self.length), 2, MOST_LENGTH)
        check_dimension(self.length, self.dimension)
        odds = exact_odds(self.odds, "FlagsResponse")
        object.__setattr__(self, "odds", odds)
        if self.modulus < self.size:
            raise InvalidParameter(
                f"does not fit {self.modulus} elements",
                parameter="size",
                value=self.size,
                way_out="Raise `length`, or let FlagsResponse.within choose.",
            )
        check_weight(max(self._total, self.modulus) + 1, odds=odds, size=self.size, width=self.width)

    @classmethod
    def within(cls, *, size: int, epsilon: float, width: int = MOST_WIDTH) -> Self:
        """Return the spaces with the least variance for the alphabet, and the largest odds that keep `epsilon`."""
        check_at_least("size", check_integer("size", size), 2)
        top = min(nominal_odds(epsilon), math.exp(20.0))
        judged = [
            (mask_noise(length, dimension, top), length, dimension)
            for length in lengths_for(size)
            for dimension in dimensions_for(length)
        ]
        least = min(noise for noise, _, _ in judged)
        _, length, dimension = min((one for one in judged if one[0] <= WORTH * least), key=lambda one: one[1:])
        odds = odds_keeping(epsilon, weight=(nominal_odds(epsilon) + 1) * 2**length, size=size, width=width)
        return cls(size=size, odds=odds, length=length, dimension=dimension, width=width)

    @property
    def name(self) -> str:
        """What marks the tallies of this mechanism."""
        return f"flags size={self.size} odds={self.odds} masks={self.dimension} of {self.length}"

    @property
    def modulus(self) -> int:
        """2^t - 1, the number of possible reports."""
        return (1 << self.length) - 1

    @property
    def public_dimension(self) -> int:
        """The dimension of the public spaces of rows."""
        return self.dimension

    @property
    def favoured_count(self) -> int:
        """At how many elements all masks of a space are even."""
        return (1 << (self.length - self.dimension)) - 1

    @property
    def _total(self) -> int:
        return total_weight(self.odds, self.favoured_count, self.modulus)

    @property
    def probabilities(self) -> tuple[Fraction, Fraction]:
        """How probably a report hits its own answer, and any other: over all spaces that a row can have."""
        b, r, both = mask_counts(self.length, self.dimension)
        weight = self.odds * r + b - r
        return self.odds * r / weight, (r + (self.odds - 1) * both) / weight

    def publics(self, count: int, positions: Positions) -> Codes:
        """The numbers of the public spaces of rows; none where all rows have the first one."""
        return public_spaces(self.length, self.public_dimension, count, positions)

    def shifts_among(self, numbers: Codes, publics: Codes) -> Codes:
        """By how much numbered elements shift the answers of rows with these public spaces."""
        from sfumato.mechanisms.set_kernels import shifts_of_numbers  # noqa: PLC0415  brings in a compiler

        found, public = np.empty(numbers.size, dtype=np.int64), self.public_dimension
        table, logs = space_table(self.length, public), binary_field(self.length).logs
        shifts_of_numbers(numbers, publics, self.length, public, table, logs, found)
        return found

    def first_favoured(self) -> Codes:
        """The numbers of the elements at which the first space of this dimension is even."""
        numbers = np.arange(self.favoured_count)
        if self.public_dimension != self.dimension:  # of a level
            numbers = ((numbers + 1) << (self.dimension - self.public_dimension)) - 1
        return numbers

    def hits(self, tally: Tally) -> FloatArray:
        """How many reports hit each answer: whole numbers, from one transform."""
        counts = np.array(tally.counts, dtype=np.float64)
        if counts.size != self.modulus + 1:
            raise InvalidParameter(
                f"has {counts.size} counts, not one for each of {self.modulus + 1} masks",
                parameter="tally",
                way_out="Count the reports of this mechanism.",
            )
        found: FloatArray = walsh_hadamard(counts)[binary_field(self.length).powers[: self.size]] / 2**self.dimension
        return found

    def counted(self, symbols: Codes, codes: Codes, positions: Positions) -> Tally:
        """Count the masks of reports whose symbols and spaces are known."""
        from sfumato.mechanisms.set_kernels import count_masks  # noqa: PLC0415  brings in a compiler

        field, public = binary_field(self.length), self.public_dimension
        tables = space_table(self.length, self.dimension, public), space_table(self.length, public)
        counts = np.zeros(self.modulus + 1, dtype=np.int64)
        for start in range(0, symbols.size, CHUNK):
            mine = symbols[start : start + CHUNK]
            here = positions_from(positions, start, start + mine.size)
            publics = self.publics(mine.size, here)
            count_masks(
                mine,
                codes[start : start + CHUNK],
                publics,
                self.length,
                self.dimension,
                public,
                tables,
                field.masks,
                field.mask_logs,
                counts,
            )
        return Tally(mechanism=self.name, counts=tuple(counts.tolist()), reports=symbols.size)


def check_dimension(length: int, dimension: int) -> None:
    """Refuse a dimension that spaces of masks of a length do not have, or whose spaces cannot be numbered."""
    most = max(dimensions_for(length))
    check_between("dimension", check_integer("dimension", dimension), 1, most)


def dimensions_for(length: int) -> range:
    """The dimensions of spaces whose numbers, with a report beside, fit a word."""
    fitting = [c for c in range(1, length) if spaces(length, c) << length <= 1 << MOST_CODE_BITS]
    # From both ends: large ones fit again near `length`, and are not used.
    return range(1, next((c for c in range(1, length + 1) if c not in fitting), length))


def lengths_for(size: int) -> range:
    """The lengths that are tried for so many answers."""
    least = max(2, size.bit_length())
    if least > MOST_LENGTH:
        raise InvalidParameter(
            f"is more than {(1 << MOST_LENGTH) - 1} elements hold",
            parameter="size",
            value=size,
            way_out="Hash the answers first.",
        )
    return range(least, min(MOST_LENGTH, least + _SPARE_LENGTHS) + 1)


def mask_counts(length: int, dimension: int) -> tuple[int, int, int]:
    """How many spaces there are, how many of them are even at one element, and how many at two."""
    return spaces(length, dimension), spaces(length - 1, dimension), spaces(length - 2, dimension)


def mask_noise(length: int, dimension: int, odds: float, share: float = 0.0) -> float:
    """n times the variance of the share of an answer at this share; V0 for an answer with share 0."""
    b, r, both = mask_counts(length, dimension)
    weight = odds * (r / b) + 1 - r / b
    own, other = odds * (r / b) / weight, (r / b + (odds - 1) * (both / b)) / weight
    hit = other + (own - other) * share
    return hit * (1 - hit) / (own - other) ** 2
