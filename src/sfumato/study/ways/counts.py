"""Counts: a whole number, rounded at random to one of a few values before it is asked by degrees."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from sfumato.bits import RowSource, UniformBelow
from sfumato.errors import InvalidParameter
from sfumato.files.tables import Words
from sfumato.study.ways.answers import MOST_ANSWERS, SymbolArray, is_whole, whole_numbers
from sfumato.study.ways.estimates import Truth
from sfumato.study.ways.keys import EPSILON, MOST_WHOLE, whole_key
from sfumato.study.ways.ladder_questions import LadderQuestion
from sfumato.values.checks import check_between, check_integer

_ROUNDED = (
    "Counts are rounded at random before they are reported, so that means are right; their shares are those of rounded "
    "counts."
)
_SPAN = re.compile(r"\s*([+-]?\d{1,13})\s*\.\.\s*([+-]?\d{1,13})\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Count(LadderQuestion):
    """A whole number from `lowest` to `highest`, rounded at random to one of `points` evenly spread values.

    The rounding is right on average, so means stay right; few points make a mean more accurate, as many as there are
    numbers show the whole distribution.
    """

    KIND: ClassVar[str] = "count"
    HEADLINE: ClassVar[str] = "a whole number"
    KEYS: ClassVar = (
        whole_key("lowest", "The smallest answer.", -MOST_WHOLE, MOST_WHOLE),
        whole_key("highest", "The largest answer.", -MOST_WHOLE, MOST_WHOLE, is_needed=True),
        whole_key(
            "points",
            "Answers are rounded at random to so many values: 2 for means, one for each number to see all.",
            2,
            MOST_ANSWERS,
        ),
        EPSILON,
    )
    COMMENTS: ClassVar = {"points": "rounded at random to so many values; 2 is best for a mean"}

    lowest: int = 0
    highest: int
    points: int = 2

    def __post_init__(self) -> None:
        self._check()
        for name in ("lowest", "highest"):
            check_between(name, check_integer(name, getattr(self, name)), -MOST_WHOLE, MOST_WHOLE)
        span = self.highest - self.lowest
        if span < 1:
            raise InvalidParameter(
                "must be above `lowest`", parameter="highest", way_out="Give the range that answers can have."
            )
        check_between("points", check_integer("points", self.points), 2, min(span + 1, MOST_ANSWERS))
        if span % (self.points - 1):
            raise InvalidParameter(
                f"do not spread evenly over {self.lowest}..{self.highest}: highest - lowest = {span} must be a "
                f"multiple of points - 1",
                parameter="points",
                value=self.points,
                way_out="Move `highest`, or choose 2.",
            )

    @classmethod
    def suits(cls, answers: str) -> bool:
        """A range such as 0..10."""
        return bool(_SPAN.fullmatch(answers))

    @classmethod
    def typed(cls, name: str, text: str, answers: str) -> Self:
        """Read a range."""
        span = _SPAN.fullmatch(answers)
        if not span:
            raise InvalidParameter(
                "must be a range of whole numbers", parameter="answers", way_out="Write it like 0..10."
            )
        return cls(id=name, text=text, lowest=int(span[1]), highest=int(span[2]))

    @property
    def step(self) -> int:
        """How far two neighbouring values lie apart."""
        return (self.highest - self.lowest) // (self.points - 1)

    @property
    def values(self) -> tuple[int, ...]:
        """What answers are rounded to."""
        return tuple(range(self.lowest, self.highest + 1, self.step))

    @property
    def labels(self) -> tuple[str, ...]:
        """The values as text."""
        return tuple(map(str, self.values))

    @property
    def noun(self) -> str:
        """What the answers are."""
        return "rounded counts"

    def describe(self) -> str:
        """Say the range, and what is rounded."""
        rounded = (
            "every number stands for itself"
            if self.step == 1
            else f"each is rounded at random, right on average, to one of {self.points} values, {self.step} apart"
        )
        return f"A whole number from {self.lowest} to {self.highest}; {rounded}."

    def limits(self) -> tuple[str, ...]:
        """Shares are of rounded counts."""
        return (_ROUNDED,)

    def places(self, column: Words) -> SymbolArray:
        """Return the numbers."""
        return whole_numbers(self.id, column, self.lowest, self.highest)

    def rounded(self, places: SymbolArray, words: Callable[[], RowSource]) -> SymbolArray:
        """Return answers rounded up or down at random, so that the mean of the rounding is the answer."""
        floors, rests = np.divmod(places - self.lowest, self.step)
        if self.step > 1:
            draws = UniformBelow(bound=self.step).draw_rows(words(), np.arange(places.size))
            floors += draws < rests.astype(np.uint64)
        symbols: SymbolArray = floors
        return symbols

    def true_mean(self, held: Counter[str]) -> Truth | None:
        """Return the true mean; None if something is no number."""
        total = held.total()
        if not total or not all(is_whole(text) for text in held):
            return None
        return Truth(mean=sum(int(text) * count for text, count in held.items()) / total)
