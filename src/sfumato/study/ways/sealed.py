"""Sealed answers: a column beside the reports of a question that gives each answer back to the registrar alone.

Reports that round (counts, numbers, some of several options) do not tell the answer even with the key that undoes their
noise. So the answer's number r among the R possible ones, no answer included where that is hidden, is published as
(r + U) mod R with U uniform and in the registrar's key: a one-time pad. Whatever the answer and the report are, the
sealed number is uniform, so to all others the column is independent of everything.   Theory: docs/theory/recovery.md
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sfumato.bits import RowSource
from sfumato.certificates import Certificate, certify
from sfumato.errors import InvalidParameter
from sfumato.files.tables import with_gaps
from sfumato.files.words import Words
from sfumato.prob import AnyChannel
from sfumato.refine import Ladder
from sfumato.refine.sealed_certificates import MOST_SEALED, SealedAnswers
from sfumato.study.audience import Analyst
from sfumato.study.ways.answers import NOBODY, SymbolArray
from sfumato.study.ways.base import BoolArray, FloatArray, IntArray
from sfumato.study.ways.cells import Cells
from sfumato.study.ways.form_parts import FormPart
from sfumato.study.ways.ladder import LadderWay
from sfumato.study.ways.ladder_questions import Answered, LadderQuestion
from sfumato.study.ways.plans import QuestionPlan
from sfumato.study.wording import sealed_name
from sfumato.values import Tally

if TYPE_CHECKING:
    from sfumato.study.ways.estimates import QuestionEstimate, Reading


def too_many(answers: int) -> str | None:
    """Say why so many answers cannot be sealed; None where they can."""
    if answers <= MOST_SEALED:
        return None
    return f"its reports round {answers:,} possible answers, and a sealed column tells at most {MOST_SEALED:,} apart"


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedColumn(LadderQuestion):
    """The answers to a question as they are sealed: one of `count` numbers, or one more where no answer is hidden."""

    KIND: ClassVar[str] = "sealed"
    HEADLINE: ClassVar[str] = "sealed answers"
    KEYS: ClassVar = ()

    of: LadderQuestion
    count: int

    @property
    def choices(self) -> tuple[str, ...]:
        """None that are listed."""
        return ()

    @property
    def labels(self) -> tuple[str, ...]:
        """None: no shares are estimated."""
        return ()

    @property
    def choice_count(self) -> int:
        """How many answers there are."""
        return self.count

    @property
    def cells(self) -> Cells:
        """Those of the question."""
        return self.of.cells

    @property
    def sources(self) -> tuple[str, ...]:
        """Those of the question."""
        return self.of.sources

    def words(self, table: Any, first: int = 0, *, amends: bool = False) -> Words:
        """Return the cells of the question."""
        return self.of.words(table, first, amends=amends)

    def places(self, column: Words) -> SymbolArray:
        """Return the numbers of the answers, as the question counts them."""
        return self.of.places(column)

    def symbols(self, places: SymbolArray, words: Callable[[Answered], RowSource]) -> SymbolArray:
        """Return the numbers themselves; those who did not answer have the last."""
        del words
        return np.where(places == NOBODY, self.nobody, places)

    def page_asks(self) -> dict[str, Any]:
        """It is not asked: devices seal the answer to the question."""
        return {}


class SealedWay(LadderWay):
    """How answers are sealed: by a ladder whose one level is a one-time pad."""

    question: SealedColumn

    def __init__(self, way: LadderWay, count: int) -> None:
        asked = way.question
        column = SealedColumn(
            id=sealed_name(asked.id),
            text=f"The answer to {asked.id}, sealed for the registrar.",
            missing=asked.missing,
            missing_codes=asked.missing_codes,
            ask_if=asked.ask_if,
            of=asked,
            count=count,
        )
        super().__init__(column, way.audience)
        self.of = way

    @cached_property
    def ladder(self) -> Ladder:
        """The pad."""
        return Ladder.sealed(self.question.size)

    @property
    def epsilons(self) -> tuple[float, ...]:
        """Nothing is told."""
        return (0.0,)

    @property
    def sealed(self) -> None:
        """It is the sealed column."""
        return

    def level_of(self, analyst: Analyst) -> int:
        """Return the only level, which needs no key and tells nothing."""
        del analyst
        return 1

    def plan(self) -> QuestionPlan:
        """Refuse: nothing is estimated from it."""
        raise self._tells_nothing()

    def certificate(self) -> Certificate:
        """Return the claims about the column: independent of everything, and sure to give answers back."""
        return certify(SealedAnswers(size=self.question.size))

    def channel(self, level: int) -> AnyChannel:
        """Return the channel whose entries are all alike."""
        if level == 0:
            raise self._are_answers()
        return self.ladder.levels[0].channel()

    def describe(self) -> str:
        """Say what it is."""
        return f"The answers to {self.question.of.id}, sealed for the registrar; without the key they tell nothing."

    def limits(self) -> tuple[str, ...]:
        """None of its own."""
        return ()

    def form(self) -> FormPart:
        """Hand out the pad."""
        draw = {
            "type": self.ladder.group.name,
            "modulus": self.ladder.modulus,
            "levels": [0],
            "steps": [step.document() for step in self.ladder.steps],
        }
        return FormPart(asks={}, draw=draw, odds=(Fraction(1),))

    def _columns(self, places: IntArray, there: BoolArray, *, as_text: bool, kind: str) -> dict[str, Any]:
        found = self.question.of.given_back(places, as_text=as_text, kind=kind)
        return {name: with_gaps(column, there) for name, column in found.items()}

    def tally(
        self, reports: IntArray, level: int, *, positions: int | IntArray = 0, counts: IntArray | None = None
    ) -> Tally:
        """Refuse."""
        del reports, level, positions, counts
        raise self._tells_nothing()

    def estimate(self, tally: Tally, reading: Reading) -> QuestionEstimate:
        """Refuse."""
        del tally, reading
        raise self._tells_nothing()

    def weights(self, level: int) -> FloatArray:
        """Refuse."""
        del level
        raise self._tells_nothing()

    def reckoning(self, level: int) -> None:
        """None."""
        del level

    @property
    def answer_bits(self) -> Fraction:
        """None: the column tells nothing."""
        return Fraction(0)

    def capacity_bits(self, level: int) -> Fraction:
        """None."""
        del level
        return Fraction(0)

    def _tells_nothing(self) -> InvalidParameter:
        return InvalidParameter(
            "is a sealed column, which tells nothing without the registrar's key",
            parameter="question",
            value=self.question.id,
            way_out=f"Name question {self.question.of.id}, or use `sfumato recover`.",
        )
