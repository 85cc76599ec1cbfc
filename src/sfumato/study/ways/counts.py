"""Counts: a whole number, rounded at random to one of a few values before it is asked by degrees."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from sfumato.errors import InvalidParameter
from sfumato.study.ways.answers import MOST_ANSWERS
from sfumato.study.ways.cell_cures import number_cure
from sfumato.study.ways.cells import ALIASES
from sfumato.study.ways.keys import EPSILON, MOST_WHOLE, whole_key
from sfumato.study.ways.scale_questions import ScaleQuestion
from sfumato.values.checks import check_between, check_integer

_ROUNDED = (
    "Counts are rounded at random before they are reported, so that means are right; their shares are those of rounded "
    "counts."
)
_SPAN = re.compile(r"\s*([+-]?\d{1,13})\s*\.\.\s*([+-]?\d{1,13})\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Count(ScaleQuestion):
    """A whole number from `lowest` to `highest`, rounded at random to one of `points` evenly spread values.

    The rounding is right on average, so means stay right; few points make a mean more accurate, as many as there are
    numbers show the whole distribution.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> sf.Count(id="rooms", text="How many rooms?", lowest=1, highest=9, points=5, epsilon=Fraction(2)).labels
    ('1', '3', '5', '7', '9')
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
        ALIASES,
        EPSILON,
    )
    COMMENTS: ClassVar = {"points": "rounded at random to so many values; 2 is best for a mean"}

    lowest: int = 0
    highest: int
    points: int = 2

    def __post_init__(self) -> None:
        for name in ("lowest", "highest"):
            check_between(name, check_integer(name, getattr(self, name)), -MOST_WHOLE, MOST_WHOLE)
        self._check_range()
        self._check()
        check_between("points", check_integer("points", self.points), 2, min(self.steps + 1, MOST_ANSWERS))
        if self.steps % (self.points - 1):
            raise InvalidParameter(
                f"do not spread evenly over {self.lowest}..{self.highest}: highest - lowest = {self.steps} must be a "
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
    def ends(self) -> tuple[int, int]:
        """The range."""
        return self.lowest, self.highest

    @property
    def grain(self) -> int:
        """Whole numbers."""
        return 1

    @property
    def point_count(self) -> int:
        """As many as were asked for."""
        return self.points

    @property
    def shares_of(self) -> str:
        """Rounded values, unless every number stands for itself."""
        return "" if self.gap == 1 else f"counts rounded at random to one of {self.points} values, {self.gap} apart"

    @property
    def noun(self) -> str:
        """What the answers are."""
        return "rounded counts"

    @property
    def number_words(self) -> str:
        """What a refusal calls an answer."""
        return "whole number"

    def _cure(self, texts: Sequence[str]) -> str:
        return number_cure(texts, self.lowest, self.highest, whole=True)

    def describe(self) -> str:
        """Say the range, and what is rounded."""
        rounded = (
            "every number stands for itself"
            if self.gap == 1
            else f"each is rounded at random, right on average, to one of {self.points} values, {self.gap} apart"
        )
        return f"A whole number from {self.lowest} to {self.highest}; {rounded}."

    def limits(self) -> tuple[str, ...]:
        """Shares are of rounded counts."""
        return (_ROUNDED,)
