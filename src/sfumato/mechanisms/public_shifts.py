"""What mechanisms share that shift the answer by a random element, which favours a public set of its row.

The row's number decides the set, in public; elements are numbered so that the favoured ones come first. A report hits
an answer where the element that leads to it is a favoured one.   Theory: docs/theory/flags.md
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import (
    Positions,
    ReportArray,
    bits_or_default,
    check_positions,
    check_symbols,
    positions_from,
    smallest_dtype,
)
from sfumato.bits.source import BitSource
from sfumato.mechanisms.linear import FloatArray, check_confidence, check_tally, member_estimate, member_variance
from sfumato.mechanisms.shifting import shifted
from sfumato.prob import Circulant, Distribution, LawLike
from sfumato.values import Estimate, Tally
from sfumato.values.checks import check_between, check_integer

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
