"""What somebody who sees responses may win by guessing, so that one program serves every kind of secret.

`gains[p][g][x]` is the weight, under prior p, of naming g while the data is x. To guess the data, g = x and the weight
is P(x); to guess a predicate, it is P(x) where h(x) = g; to guess Y from responses that depend on X alone, it is
J(x, g). With several priors the worst of them counts.   Theory: docs/theory/many_responses.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.design.queries import Query
from sfumato.design.recoverable_answers import Rows
from sfumato.design.response_types import group_right_guesses
from sfumato.prob import Distribution
from sfumato.prob.exact import common_numerators
from sfumato.values import Interval
from sfumato.values.rounding import float_above, float_below

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stakes:
    """Gains by prior, guess and row; row x must show the value `keep[x]` of `size` with probability at least `rho`."""

    gains: tuple[Rows, ...]
    keep: tuple[int, ...]
    size: int
    rho: Fraction

    @classmethod
    def of_data(cls, query: Query) -> Stakes:
        """To guess the data."""
        return cls._diagonal([query.masses], query.f, query)

    @classmethod
    def of_values(cls, query: Query) -> Stakes:
        """To guess the data from responses that depend on f(x) alone: only the likeliest of each value counts."""
        return cls._diagonal([query.maxima], tuple(range(len(query.values))), query)

    @classmethod
    def of_priors(cls, query: Query, laws: Sequence[Distribution]) -> Stakes:
        """To guess the data, whichever of several priors they follow."""
        return cls._diagonal([law.fractions for law in laws], query.f, query)

    @classmethod
    def of_groups(cls, query: Query, groups: Sequence[int]) -> Stakes:
        """To guess the group of the data."""
        return cls(
            gains=(
                tuple(
                    tuple(mass if group == own else Fraction(0) for mass, own in zip(query.masses, groups, strict=True))
                    for group in sorted(set(groups))
                ),
            ),
            keep=query.f,
            size=len(query.values),
            rho=query.rho,
        )

    @classmethod
    def _diagonal(cls, laws: Sequence[Sequence[Fraction]], keep: tuple[int, ...], query: Query) -> Stakes:
        gains = tuple(
            tuple(tuple(mass if g == x else Fraction(0) for x in range(len(law))) for g, mass in enumerate(law))
            for law in laws
        )
        return cls(gains=gains, keep=keep, size=len(query.values), rho=query.rho)

    @property
    def array(self) -> FloatArray:
        """The gains as doubles, for programs."""
        return np.array([[[float(v) for v in row] for row in table] for table in self.gains])

    @property
    def peaks(self) -> tuple[tuple[Fraction, ...], ...]:
        """For each prior and value i of f, what the best guess of somebody who knows f(x) = i wins."""
        return tuple(
            tuple(
                max(sum((v for v, own in zip(row, self.keep, strict=True) if own == i), Fraction(0)) for row in table)
                for i in range(self.size)
            )
            for table in self.gains
        )

    @property
    def blind(self) -> tuple[Fraction, ...]:
        """For each prior, what the best guess wins that looks at no response."""
        return tuple(max(sum(row, Fraction(0)) for row in table) for table in self.gains)

    def right(self, responses: Sequence[Rows]) -> Fraction:
        """Return how often the best guess is right under the worst prior: every sequence, in whole numbers."""
        joint = [[1] for _ in self.keep]
        whole = 1
        for rows in responses:
            numerators, denominator = common_numerators(rows)
            whole *= denominator
            joint = [
                [seen * int(part) for seen in entries for part in row]
                for entries, row in zip(joint, numerators, strict=True)
            ]
        return max(self._right_under(table, joint) for table in self.gains) / whole

    def right_repeated(self, rows: Rows, n: int) -> Interval:
        """Enclose the same for one response n times, by types."""
        ends = []
        for table in self.gains:
            cells = [(v, x, g) for g, row in enumerate(table) for x, v in enumerate(row) if v]
            ends.append(
                group_right_guesses([v for v, _, _ in cells], [rows[x] for _, x, _ in cells], [g for *_, g in cells], n)
            )
        return Interval(max(end.lower for end in ends), max(end.upper for end in ends))

    @staticmethod
    def _right_under(table: Rows, joint: list[list[int]]) -> Fraction:
        numerators, denominator = common_numerators(table)
        won = []
        for row in numerators:
            used = [(int(v), joint[x]) for x, v in enumerate(row) if v]
            won.append(
                [sum(parts) for parts in zip(*([v * seen for seen in entries] for v, entries in used), strict=True)]
            )
        return Fraction(sum(map(max, zip(*(part for part in won if part), strict=True))), denominator)


def privacy_interval(right: Fraction | Interval) -> Interval:
    """1 - right, rounded outwards."""
    if isinstance(right, Interval):
        lower, upper = 1 - Fraction(right.upper), 1 - Fraction(right.lower)
    else:
        lower = upper = 1 - right
    return Interval(max(0.0, float_below(lower)), min(1.0, float_above(upper)))
