"""The kinds of question a study can ask, and how answers in a table become the numbers that a mechanism takes.

An answer is looked up by its text; what does not fit is refused by its row, never by what it says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sfumato.bits import BitSource, UniformBelow
from sfumato.design.surveys import check_answers
from sfumato.errors import InvalidParameter
from sfumato.files.tables import Words
from sfumato.study.answer_columns import SymbolArray, check_heading, positions, whole_numbers
from sfumato.study.single_level_questions import FreeText, Recoverable
from sfumato.study.surveys import Plan, StudyLimits, Survey, check_line, exact_number
from sfumato.values.checks import check_between, check_integer

MOST_ANSWERS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class YesNo:
    """Two answers, "no" first. With `limits` it is asked with a card whose design they choose; else by epsilon."""

    kind: ClassVar[str] = "yes-no"

    id: str
    text: str
    answers: tuple[str, str] = ("no", "yes")
    epsilon: Fraction | None = None
    limits: StudyLimits | None = None
    outputs: int = 3
    faces: int | None = None
    plan: Plan = field(default_factory=Plan)

    def __post_init__(self) -> None:
        check_heading(self)
        for answer in self.answers:
            check_line("answers", answer)
        object.__setattr__(self, "answers", check_answers(self.answers))
        if self.limits is not None:
            if self.epsilon is not None:
                raise InvalidParameter("epsilon and guess_error are two ways to promise. Give one, or max_epsilon.")
            self.survey("check")
        elif self.outputs != 3 or self.faces is not None:
            raise InvalidParameter(
                f"{'faces' if self.outputs == 3 else 'outputs'} belongs to a card. Give guess_error as well, or delete "
                f"it."
            )

    @property
    def labels(self) -> tuple[str, ...]:
        """The answers."""
        return self.answers

    def survey(self, name: str) -> Survey:
        """Return the question as a survey with a card; it must have `limits`."""
        if self.limits is None:
            raise InvalidParameter(f"question {self.id!r} promises no guess error. Give it guess_error.")
        return Survey(
            name=name,
            question=self.text,
            answers=self.answers,
            limits=self.limits,
            outputs=self.outputs,
            faces=self.faces,
            plan=self.plan,
        )

    def symbols(self, column: Words, bits: BitSource) -> SymbolArray:
        """Return the positions of the answers."""
        del bits
        return positions(self.id, column, self.answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOfMany:
    """One of a list of answers; "prefer not to answer" may be among them and is an answer like any other.

    With `random_bits` a respondent's report takes no more random bits than that, on average.
    """

    kind: ClassVar[str] = "one-of-many"

    id: str
    text: str
    answers: tuple[str, ...]
    epsilon: Fraction | None = None
    random_bits: Fraction | None = None

    def __post_init__(self) -> None:
        check_heading(self)
        check_between("answers", len(self.answers), 2, MOST_ANSWERS, way_out="List each answer once.")
        for answer in self.answers:
            check_line("answers", answer)
        if len(set(self.answers)) != len(self.answers):
            raise InvalidParameter("answers has the same answer twice. List each once.")
        if self.random_bits is not None:
            object.__setattr__(self, "random_bits", exact_number("random_bits", self.random_bits))
            if self.random_bits <= 0:
                raise InvalidParameter("random_bits must be above 0: without chance there is nothing to hide behind.")

    @property
    def labels(self) -> tuple[str, ...]:
        """The answers."""
        return self.answers

    def symbols(self, column: Words, bits: BitSource) -> SymbolArray:
        """Return the positions of the answers."""
        del bits
        return positions(self.id, column, self.answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """A whole number from `lowest` to `highest`, rounded at random to one of `points` evenly spread values.

    The rounding is right on average, so means stay right; few points make a mean more accurate, as many as there are
    numbers show the whole distribution.
    """

    kind: ClassVar[str] = "count"

    id: str
    text: str
    lowest: int = 0
    highest: int
    points: int = 2
    epsilon: Fraction | None = None

    def __post_init__(self) -> None:
        check_heading(self)
        for name in ("lowest", "highest"):
            check_between(name, check_integer(name, getattr(self, name)), -(10**12), 10**12)
        span = self.highest - self.lowest
        if span < 1:
            raise InvalidParameter("highest must be above lowest. Give the range that answers can have.")
        check_between("points", check_integer("points", self.points), 2, min(span + 1, MOST_ANSWERS))
        if span % (self.points - 1):
            raise InvalidParameter(
                f"points={self.points} do not spread evenly over {self.lowest}..{self.highest}: "
                f"highest - lowest = {span} must be a multiple of points - 1. Move highest, or choose points=2."
            )

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

    def symbols(self, column: Words, bits: BitSource) -> SymbolArray:
        """Return answers rounded up or down at random, so that the mean of the rounding is the answer."""
        numbers = whole_numbers(self.id, column, self.lowest, self.highest)
        floors, rests = np.divmod(numbers - self.lowest, self.step)
        if self.step > 1:
            draws = UniformBelow(bound=self.step).sample(bits, numbers.size)
            floors += draws < rests
        rounded: SymbolArray = floors
        return rounded


Question = YesNo | OneOfMany | Count | FreeText | Recoverable

__all__ = ["MOST_ANSWERS", "Count", "FreeText", "OneOfMany", "Question", "Recoverable", "YesNo"]
