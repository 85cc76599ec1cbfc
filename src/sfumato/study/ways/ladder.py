"""Asking by degrees: one report a person, which the public sees blurred and each key shows sharper [B].

Levels are the analysts' epsilons and the public's, cut at the question's own ceiling. Which mechanism serves them is
the ladder's affair.   Theory: docs/theory/ladders.md
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.certificates import Certificate, certify
from sfumato.errors import InvalidParameter
from sfumato.files.words import Words
from sfumato.prob import AnyChannel, Channel
from sfumato.refine import Key, Ladder
from sfumato.refine.report_trees import positions_of
from sfumato.refine.rungs.base import Rung
from sfumato.study.audience import Analyst, Audience
from sfumato.study.ways.answers import NOBODY, SymbolArray
from sfumato.study.ways.base import BoolArray, FloatArray, IntArray, Way
from sfumato.study.ways.ladder_choices import best_ladder, declared_ladder, hidden_price, promised_levels
from sfumato.study.ways.ladder_forms import LadderForm
from sfumato.study.ways.ladder_plans import plan_ladder
from sfumato.study.ways.ladder_recovering import LadderRecovering
from sfumato.study.ways.leaks import label_bits
from sfumato.study.ways.plans import QuestionPlan
from sfumato.study.ways.reckonings import LadderReckoning
from sfumato.values import Tally
from sfumato.values.rounding import float_above

if TYPE_CHECKING:
    from sfumato.study.ways.drawing import Draw
    from sfumato.study.ways.estimates import QuestionEstimate, Reading, Truth
    from sfumato.study.ways.ladder_draws import LadderDrawer
    from sfumato.study.ways.ladder_questions import LadderQuestion

# A channel no larger than this carries the labels of answers and reports.
_MOST_LABELLED = 1 << 16
_TRUE_DRAWS = (
    "The claims are about true draws, and then hold against any reader, whatever they can compute. Keys that were "
    "expanded from a seed (guarantee “computational”) protect as much against readers who cannot break the cipher, and "
    "against no others. The reports do not say which was used; the key files do."
)


class LadderWay(LadderForm, LadderReckoning, LadderRecovering, Way):
    """How a question is asked by a ladder."""

    def __init__(self, question: LadderQuestion, audience: Audience, declaration: str | None = None) -> None:
        self.question: LadderQuestion = question
        self.audience = audience
        self._declared = declaration

    @cached_property
    def _levels(self) -> tuple[Fraction, ...]:
        """The epsilons of the levels, sharpest first."""
        return promised_levels(self.question.epsilon, self.audience)

    @cached_property
    def ladder(self) -> Ladder:
        """The ladder: as declared with the reports, or the best for the levels."""
        if self._declared is not None:
            return declared_ladder(self.question, self.epsilons, self._declared)
        return best_ladder(self.question, self._levels, self.audience)

    @property
    def declaration(self) -> str:
        """The ladder, spelled out."""
        return self.ladder.declaration

    @property
    def by_position(self) -> bool:  # type: ignore[override]
        """Whether each place is asked another question about the answer, and only all of them tell it."""
        return self.ladder.by_position and not self.by_number

    @property
    def by_number(self) -> bool:  # type: ignore[override]
        """Whether a report is read with the number of its row."""
        return self.ladder.levels[0].by_number

    @property
    def epsilons(self) -> tuple[float, ...]:
        """What was promised at each level; the ladder keeps a little less."""
        return tuple(float_above(level) for level in self._levels)

    @property
    def key_levels(self) -> tuple[int, ...]:
        """All levels but the public one, and 0 where answers come back."""
        return self.ladder.key_levels

    def level_of(self, analyst: Analyst) -> int:
        """Return the level of the analyst's epsilon, or of the question's ceiling."""
        ceiling = self.question.epsilon
        return self._levels.index(analyst.epsilon if ceiling is None else min(analyst.epsilon, ceiling)) + 1

    def plan(self) -> QuestionPlan:
        """Work out who sees what, and what it costs."""
        return plan_ladder(self)

    def certificate(self) -> Certificate:
        """Return the claims about the ladder."""
        return certify(self.ladder, readers=self.key_readers)

    def exact_epsilon(self, level: int) -> float:
        """Return the ε that a level really has, which is a little less than what was promised."""
        return math.log(self.rung_at(level).odds)

    def channel(self, level: int) -> AnyChannel:
        """Return the channel of a level: from answers to reports, with their labels while it is small."""
        if level == 0:
            raise InvalidParameter(
                f"question {self.question.id!r} stands at its answers here, which no channel hides",
                way_out="Take the public reports, or opened ones.",
            )
        found = self.ladder.levels[level - 1].channel()
        if found.shape[0] * found.shape[1] > _MOST_LABELLED:
            return found
        dense = found.to_dense()
        # Where a report is no answer, the channel knows what its outputs are.
        return Channel(dense.rows, self.question.labels, self.report_labels or dense.outputs)

    def describe(self) -> str:
        """Name the answers."""
        return self.question.describe()

    def limits(self) -> tuple[str, ...]:
        """Say against whom keys protect, and what the question adds."""
        return (_TRUE_DRAWS, *self.question.limits())

    def read(self, column: Words) -> SymbolArray:
        """Return answers that are checked, and rounded only when the draws are known."""
        return self.question.places(column)

    def with_nobody(self, answers: SymbolArray, answered: BoolArray) -> SymbolArray:
        """Mark rows without an answer; they are given the last symbol when reports are drawn."""
        found = np.full(answered.size, NOBODY, dtype=np.int64)
        found[answered] = answers
        return found

    def hidden_price(self) -> float | None:
        """Compare the public level with and without one more answer, each with its best ladder."""
        return hidden_price(self.question, self._levels, self.audience)

    def drawer(self, draw: Draw) -> LadderDrawer:
        """Make reports under new keys, or under those that were drawn before."""
        from sfumato.study.ways.ladder_draws import LadderDrawer  # noqa: PLC0415  plans draw nothing

        return LadderDrawer(self.question, self.ladder, draw, self.placed)

    def opened(self, reports: IntArray, key: Key, numbers: IntArray, places: IntArray) -> IntArray:
        """Undo the steps below the key's level, or all of them."""
        from sfumato.refine.ladder_rows import undone_rows  # noqa: PLC0415  plans open nothing

        if not self.key_levels:
            raise self.without_keys()
        return undone_rows(self.ladder, reports, key, numbers, places, positions_of(numbers))

    def undone_by(self, reports: IntArray, shifts: IntArray, level: int) -> BoolArray:
        """At a level every report is a report; the shifts of level 0 must lead to an answer."""
        if level > 0:
            return super().undone_by(reports, shifts, level)
        symbols = self.ladder.group.moved_back(reports, shifts).astype(np.int64)
        found: BoolArray = self.ladder.levels[0].answers(symbols) >= 0
        return found

    @cached_property
    def _says_answers(self) -> bool:
        """Whether a report is one of the answers."""
        return self.ladder.levels[0].says_answers

    @cached_property
    def report_labels(self) -> tuple[str, ...] | None:
        """The answers, where a report is one."""
        return self.question.labels if self._says_answers else None

    @property
    def report_numbers(self) -> tuple[int, ...] | None:
        """The values of the scale, where a report is one and each of them is a number."""
        return self.question.whole_values if self._says_answers and not self.question.hides else None

    @property
    def report_words(self) -> str:
        """Say whether a report is an answer."""
        if self._says_answers:
            return "one of the answers, not always the respondent's own"
        return self.ladder.levels[0].report_words(self.question.noun)

    @property
    def report_count(self) -> int:
        """Of the level that has the most."""
        return max(level.report_count for level in self.ladder.levels)

    def tally(
        self, reports: IntArray, level: int, *, positions: int | IntArray = 0, counts: IntArray | None = None
    ) -> Tally:
        """Count reports as the level's mechanism does."""
        if counts is not None:
            if self.ladder.by_position:
                raise self._no_groups()
            found: Tally = super().tally(reports, level, counts=counts)
            return found
        return self.rung_at(level).tally(reports, positions)

    def estimate(self, tally: Tally, reading: Reading) -> QuestionEstimate:
        """Return shares, and the mean of a count."""
        from sfumato.study.ways.ladder_estimates import estimate_ladder  # noqa: PLC0415  plans estimate nothing

        if reading.level == 0:
            raise self._are_answers()
        if self.by_position and self.ladder.size > 2 and reading.group is not None:
            raise self._no_groups()
        return estimate_ladder(self, tally, reading)

    def weights(self, level: int) -> FloatArray:
        """Return the weights of the level's mechanism."""
        from sfumato.infer import share_weights  # noqa: PLC0415  plans estimate nothing

        if level == 0:
            raise self._are_answers()
        rung = self.rung_at(level)
        found = share_weights(rung.channel().to_dense()) if self.ladder.size == 2 else rung.weights()
        if found is None:
            raise self.without_weights()
        return found

    def share_deviation(self, level: int, share: float) -> float | None:
        """Return that of the level's mechanism."""
        return self.rung_at(level).share_deviation(share)

    def truth(self, held: Counter[str]) -> Truth | None:
        """Return the true mean of a count, or the true shares."""
        if self.question.values is None:
            return super().truth(held)
        found = self.question.true_mean(held)
        if found is None:
            raise self.no_answers()
        return found

    @property
    def answer_bits(self) -> Fraction:
        """Of all answers, also where few values of them are reported."""
        return label_bits(self.question.answer_count)

    def rung_at(self, level: int) -> Rung:
        """Return a level of the ladder."""
        return self.ladder.levels[level - 1]

    def _are_answers(self) -> InvalidParameter:
        return InvalidParameter(f"column {self.question.id} holds answers, not reports", way_out="Count them.")

    def _no_groups(self) -> InvalidParameter:
        return InvalidParameter(
            f"question {self.question.id!r} asks each position another question, so groups cannot be read from its "
            f"reports",
            way_out="Estimate without groups, or drop random_bits from the study.",
        )
