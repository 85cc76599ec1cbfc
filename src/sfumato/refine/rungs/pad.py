"""A one-time pad as the only level of a ladder: a report is the answer's number plus a uniform shift, mod `size`.

Every report is as probable under one answer as under another, so it tells nothing; the key of level 0, which holds the
shift, gives the answer back. Nothing is estimated from such reports.   Theory: docs/theory/recovery.md
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource
from sfumato.bits.mechanism import Positions, ReportArray, bits_or_default, check_symbols
from sfumato.errors import InvalidParameter
from sfumato.measures.enclosures import log2_interval
from sfumato.prob import AnyChannel, Circulant
from sfumato.refine.rungs.base import Scores, whole
from sfumato.refine.rungs.shifting import TwoLevelRung
from sfumato.refine.shift_laws import ShiftLaw
from sfumato.refine.shifts import ShiftArray, TwoLevelShift
from sfumato.values import Estimate, Interval, Tally
from sfumato.values.checks import check_between, check_integer

MOST_PADDED = (1 << 32) - 1
"""Answers that a sealed column can tell apart: a digest takes four bytes a row, and one value is an empty cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneTimePad:
    """Adds a uniform shift to one of `size` numbers; the reports are uniform whatever the number is."""

    size: int

    def __post_init__(self) -> None:
        check_between("size", check_integer("size", self.size), 2, MOST_PADDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class PadRung(OneTimePad, TwoLevelRung):
    """The one-time pad as a level; its odds are 1."""

    kind: ClassVar[str] = "one_time_pad"
    base: ClassVar[type] = OneTimePad

    @classmethod
    def over(cls, mechanism: OneTimePad) -> Self:
        """Return the rung of a pad."""
        return cls(size=mechanism.size)

    @classmethod
    def declared(cls, document: Mapping[str, Any]) -> Self:
        """Read how many answers there are."""
        return cls(size=whole(document, "size"))

    def declaration(self) -> dict[str, Any]:
        """Say how many answers there are."""
        return {"size": self.size}

    @property
    def name(self) -> str:
        """What marks it."""
        return f"one-time pad of {self.size}"

    @property
    def odds(self) -> Fraction:
        """No report favours any answer."""
        return Fraction(1)

    @property
    def modulus(self) -> int:
        """As many reports as answers."""
        return self.size

    @property
    def favoured_shifts(self) -> ShiftArray:
        """0, which is as probable as any other."""
        return np.zeros(1, dtype=np.int64)

    @property
    def favoured_count(self) -> int:
        """One."""
        return 1

    @property
    def by_position(self) -> bool:
        """All rows are alike."""
        return False

    @property
    def recoverable(self) -> bool:
        """There is a report for every answer."""
        return True

    @property
    def says_answers(self) -> bool:
        """A report says nothing."""
        return False

    def shift_at(self, odds: Fraction) -> TwoLevelShift:
        """Return the uniform shift: an erasure that is sure to erase."""
        del odds
        return TwoLevelShift.erasure(self.size, Fraction(1))

    def levels(self, odds: Sequence[Fraction]) -> tuple[Self, ...]:
        """Return the one level there is."""
        if tuple(odds) != (Fraction(1),):
            raise InvalidParameter("of a one-time pad are 1", parameter="odds", way_out="Give it one level.")
        return (self,)

    def at(self, odds: Fraction) -> Self:
        """Return itself."""
        return self.levels((odds,))[0]

    def odds_for(self, epsilon: float) -> Fraction:
        """Return 1, which keeps every epsilon."""
        del epsilon
        return Fraction(1)

    def truths(self, values: npt.ArrayLike, positions: Positions = 0) -> ReportArray:  # noqa: ARG002  all are alike
        """Return the answers themselves."""
        return check_symbols("values", values, self.size)

    def answers(self, symbols: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the symbols themselves."""
        return symbols

    def privatize(self, values: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """Add a uniform shift to each value, which nobody keeps."""
        answers = self.truths(values)
        return self.group.moved(answers, self.shift_at(self.odds).draw(bits_or_default(bits), answers.size))

    def law(self, x: int) -> tuple[Fraction, ...]:
        """1/size each."""
        check_between("x", x, 0, self.size - 1)
        return (Fraction(1, self.size),) * self.size

    def channel(self) -> AnyChannel:
        """Return the channel whose entries are all 1/size."""
        return Circulant.two_level(size=self.size, support=(0,), odds=self.odds)

    def channel_at(self, position: int) -> AnyChannel:  # noqa: ARG002  all positions are alike
        """Return the channel of everybody."""
        return self.channel()

    def shift_law(self) -> ShiftLaw:
        """1/size each."""
        return ShiftLaw.of((Fraction(1, self.size),), np.zeros(self.size, dtype=np.int64))

    def randomness_bits(self) -> Interval:
        """Enclose log2 of the size."""
        return log2_interval(Fraction(self.size))

    def measured_odds(self) -> Fraction:
        """1, of the law."""
        return self.odds

    def tally(self, reports: npt.ArrayLike, positions: Positions = 0) -> NoReturn:
        """Refuse."""
        del reports, positions
        raise self._tells_nothing()

    def estimate(self, tally: Tally, *, confidence: float = 0.95) -> Estimate:
        """Refuse."""
        del tally, confidence
        raise self._tells_nothing()

    def noise_ratio(self) -> float:
        """Without limit."""
        return float("inf")

    def share_deviation(self, share: float) -> float:
        """Without limit."""
        del share
        return float("inf")

    def largest_risk(self, n: int) -> None:
        """There are no shares."""
        del n

    def linear_scores(self, values: Sequence[float]) -> Scores | None:
        """There are none."""
        del values
        return None

    def weights(self) -> Scores | None:
        """There are none."""
        return None

    def report_words(self, asked: str) -> str:
        """Say that a report tells nothing."""
        del asked
        return (
            f"the number of the answer plus a number drawn uniformly, mod {self.size}: it tells nothing without the "
            f"registrar's key"
        )

    def because(self, levels: Sequence[Fraction], asked: str = "answers") -> str:
        """Say what it is for."""
        del levels
        return f"{self.size} {asked}, sealed for the registrar."

    @staticmethod
    def _tells_nothing() -> InvalidParameter:
        return InvalidParameter(
            "is a one-time pad, whose reports tell nothing", parameter="mechanism", way_out="Estimate from the reports."
        )
