"""The sets response: a report points to a public set that contains the answer more often than by chance.

Answers are residues mod k, at most 64 of them. A row has a public set of `chosen` residues; a random residue is drawn,
each in the set with weight `odds` and each other with weight 1. The report is the answer less that residue, so the
row's set, moved by the report, holds the answer more often than by chance. Over all rows that is subset selection,
whose error is the least. A set around a smaller one serves lower odds, so several levels can share one report; the
ladder over this mechanism uses that.   Ref: [YB18]; theory: docs/theory/flags.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Self

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.mechanisms.base import FloatArray, check_weight, exact_odds, nominal_odds, odds_keeping, total_weight
from sfumato.mechanisms.set_systems import CHUNK, MOST_RESIDUES, Codes, PublicShifts, place_below
from sfumato.numbers.checks import check_at_least, check_between, check_integer
from sfumato.sampling.mechanism import Positions, Tally, positions_from
from sfumato.sampling.rows import RowWords
from sfumato.sampling.sources import MOST_WIDTH

_KEY = sha256(b"sfumato/public sets/1").digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class SetsResponse(PublicShifts):
    """`size` answers, residues mod `size`, each row with a public set of `chosen` of them.

    For at most 64 answers at several levels, which share one report.

    >>> import sfumato as sf
    >>> months = sf.mechanisms.SetsResponse.within(size=12, epsilon=1.0)
    >>> months.chosen, months.modulus  # answers that a report favours, and how many reports there are
    (3, 12)
    >>> uniform = sf.Distribution.uniform(12)
    >>> round(float(months.variance(uniform, 10_000)[0]) ** 0.5, 4)  # of a share, from 10 000 reports
    0.0176
    """

    size: int
    odds: Fraction
    chosen: int
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        check_at_least("size", check_integer("size", self.size), 2)
        check_between("size", self.size, 2, MOST_RESIDUES, way_out="Use FlagsResponse for more answers.")
        check_between("width", check_integer("width", self.width), 1, MOST_WIDTH)
        check_between("chosen", check_integer("chosen", self.chosen), 1, self.size - 1)
        odds = exact_odds(self.odds, "SetsResponse")
        object.__setattr__(self, "odds", odds)
        check_weight(max(self._total, self.size) + 1, odds=odds, size=self.size, width=self.width)

    @classmethod
    def within(cls, *, size: int, epsilon: float, width: int = MOST_WIDTH) -> Self:
        """Return the sets with the least variance at even shares, and the largest odds that keep `epsilon`."""
        check_between("size", check_integer("size", size), 2, MOST_RESIDUES)
        top = min(nominal_odds(epsilon), math.exp(20.0))
        chosen = min(range(1, size), key=lambda d: (set_noise(size, d, top, 1 / size), d))
        odds = odds_keeping(epsilon, weight=(nominal_odds(epsilon) + 1) * size, size=size, width=width)
        return cls(size=size, odds=odds, chosen=chosen, width=width)

    @property
    def name(self) -> str:
        """What marks the tallies of this mechanism."""
        return f"sets size={self.size} odds={self.odds} chosen={self.chosen}"

    @property
    def modulus(self) -> int:
        """As many reports as answers."""
        return self.size

    @property
    def public_chosen(self) -> int:
        """How many members the public sets of rows have."""
        return self.chosen

    @property
    def favoured_count(self) -> int:
        """How many residues a set has."""
        return self.chosen

    @property
    def _total(self) -> int:
        return total_weight(self.odds, self.chosen, self.size)

    @property
    def probabilities(self) -> tuple[Fraction, Fraction]:
        """How probably a report hits its own answer, and any other: over all sets that a row can have."""
        own = self.odds * self.chosen / (self.odds * self.chosen + self.size - self.chosen)
        return own, (self.chosen - own) / (self.size - 1)

    def publics(self, count: int, positions: Positions) -> Codes:
        """The numbers of the public sets of rows, drawn for their positions under a public key.

        There are none where all rows have the first: a single residue is moved to any other by the report itself.
        """
        if self.public_chosen == 1:
            return np.zeros(0, dtype=np.int64)
        numbers = positions if isinstance(positions, np.ndarray) else np.arange(positions, positions + count)
        sampler = place_below(math.comb(self.size, self.public_chosen))
        return sampler.draw_rows(RowWords(_KEY, numbers), np.arange(count)).astype(np.int64)

    def shifts_among(self, numbers: Codes, publics: Codes) -> Codes:
        """By how much numbered residues shift the answers of rows with these public sets."""
        from sfumato.mechanisms.set_kernels import shifts_of_residues  # noqa: PLC0415  brings in a compiler

        found = np.empty(numbers.size, dtype=np.int64)
        shifts_of_residues(numbers, publics, self.size, self.public_chosen, found)
        return found

    def first_favoured(self) -> Codes:
        """The first residues."""
        return np.arange(self.chosen)

    def hits(self, tally: Tally) -> FloatArray:
        """How many reports hit each answer: what was counted."""
        counts = np.array(tally.counts, dtype=np.float64)
        if counts.size != self.size:
            raise InvalidParameter(
                f"has {counts.size} counts, not one for each of {self.size} answers",
                parameter="tally",
                way_out="Count the reports of this mechanism.",
            )
        return counts

    def counted(self, symbols: Codes, codes: Codes, positions: Positions) -> Tally:
        """Count the answers in the sets of reports whose symbols and sets are known."""
        from sfumato.mechanisms.set_kernels import count_members  # noqa: PLC0415  brings in a compiler

        counts = np.zeros(self.size, dtype=np.int64)
        for start in range(0, symbols.size, CHUNK):
            mine = symbols[start : start + CHUNK]
            publics = self.publics(mine.size, positions_from(positions, start, start + mine.size))
            held = codes[start : start + CHUNK]
            count_members(mine, held, publics, self.size, self.chosen, self.public_chosen, counts)
        return Tally(mechanism=self.name, counts=tuple(counts.tolist()), reports=symbols.size)


def set_noise(size: int, chosen: int, odds: float, share: float = 0.0) -> float:
    """n times the variance of the share of an answer at this share; V0 for an answer with share 0."""
    own = odds * chosen / (odds * chosen + size - chosen)
    other = (chosen - own) / (size - 1)
    hit = other + (own - other) * share
    return hit * (1 - hit) / (own - other) ** 2
