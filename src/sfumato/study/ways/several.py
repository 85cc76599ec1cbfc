"""Asking about any number of options, by degrees: m of them are assigned in public, each is reported through a flip.

Which options a respondent is asked about follows from the name of the row: the id of its part, or of the part that an
amendment belongs to, and its number there. So parts, appended people, engines and readers agree, and whoever is asked
again is asked the same.   Theory: docs/theory/several.md
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sfumato.errors import InvalidParameter
from sfumato.infer.option_pairs import pair_shares
from sfumato.mechanisms.assigned_options import AssignedOptions
from sfumato.prob import Channel
from sfumato.refine.report_trees import positions_of
from sfumato.study.audience import Audience
from sfumato.study.ways.base import IntArray
from sfumato.study.ways.chosen_options import set_of, set_text
from sfumato.study.ways.estimates import Quantity, QuestionEstimate, Reading, Truth, Unit
from sfumato.study.ways.ladder import LadderWay
from sfumato.study.ways.leaks import (
    channel_capacity_bits,
    channel_leakage_bits,
    epsilon_capacity_bits,
    epsilon_leakage_bits,
    least,
)
from sfumato.study.ways.no_answer import NO_ANSWER
from sfumato.study.ways.pictures import Picture
from sfumato.study.ways.plans import QuestionPlan
from sfumato.study.ways.reckonings import MOST_REPORTS, options_reckoning
from sfumato.study.ways.several_plans import plan_several
from sfumato.study.ways.share_differences import OptionDifferences
from sfumato.values import Tally

if TYPE_CHECKING:
    from sfumato.study.ways.several_questions import Several

# Rounds of assignments begin at one of so many places, which the part decides.
_STARTS = 1 << 40
METHOD_WORDS = "each option from those who were asked about it, exact interval"


class SeveralWay(LadderWay):
    """How a question with any number of options is asked."""

    by_position = False

    def __init__(self, question: Several, audience: Audience, declaration: str | None = None) -> None:
        super().__init__(question, audience, declaration)
        self.question: Several = question

    @property
    def unrounded(self) -> int | None:
        """All sets of options, unless everybody is asked about all of them."""
        return 1 << len(self.question.options) if self.by_number else None

    @property
    def by_number(self) -> bool:  # type: ignore[override]
        """Unless everybody is asked about all options."""
        return self.ladder.by_position

    def rung(self, level: int) -> AssignedOptions:
        """Return the mechanism of a level."""
        found = self.ladder.levels[level - 1]
        if not isinstance(found, AssignedOptions):  # a question checks what reports declare
            raise InvalidParameter("is not over options", parameter="declaration", way_out="Ask for the reports again.")
        return found

    def placed(self, numbers: IntArray, part: str) -> int | IntArray:
        """Begin the rounds of assignments of a part at a place of its own, so that small parts do not ask alike."""
        if not self.by_number:
            return positions_of(numbers)
        start = sha256(f"sfumato assignment {part} {self.question.id}".encode()).digest()
        return positions_of(numbers) + int.from_bytes(start[:8], "big") % _STARTS

    def asked(self, numbers: IntArray, part: str) -> tuple[IntArray, tuple[str, ...]]:
        """Return which options the rows of a part are asked about, as places in the list: a row a respondent."""
        return self.rung(1).assigned(numbers.size, self.placed(numbers, part)), self.question.labels

    def plan(self) -> QuestionPlan:
        """Work out how many options to ask, who sees what, and what it costs."""
        return plan_several(self)

    def channel(self, level: int) -> Channel:
        """Return the channel from sets of options to the options that are asked and the report about them."""
        if level == 0:
            raise self._are_answers()
        found = self.rung(level).channel()
        return Channel(found.rows, tuple(map(self._text, range(found.shape[0]))), found.outputs)

    def _text(self, chosen: int) -> str:
        question = self.question
        return set_text(chosen, question.labels, question.separator, question.none_cell)

    @property
    def report_words(self) -> str:
        """Say which bit is about which option."""
        rung = self.rung(1)
        if not self.by_number:
            return (
                f"a number whose bit i, from the least, says whether option i of the list was chosen, each bit flipped "
                f"at random; all {rung.options} options are asked"
            )
        return (
            f"a number of {rung.asked} bits about {rung.asked} of the {rung.options} options, which the part and the "
            f"number of the row decide (`sf.asked_options` names them); the least bit is about the first of them in "
            f"the order of the study, 1 where it was chosen, and each bit is flipped at random"
        )

    def tally(
        self, reports: IntArray, level: int, *, positions: int | IntArray = 0, counts: IntArray | None = None
    ) -> Tally:
        """Count what is said of each option and of each pair by those who were asked about it."""
        return self.rung(level).tally(reports, positions, counts)

    def estimate(self, tally: Tally, reading: Reading) -> QuestionEstimate:
        """Return the share of each option; they need not sum to one."""
        if reading.level == 0:
            raise self._are_answers()
        rung, labels = self.rung(reading.level), self.question.labels
        reading = reading.plain(self.question.id)
        found = rung.estimate(tally, confidence=reading.confidence)
        asked = rung.option_counts(tally).sum(axis=1)
        nobody = [label for label, count in zip(labels, asked.tolist(), strict=True) if not count]
        return QuestionEstimate(
            question=self.question,
            group=reading.group,
            level=reading.level,
            epsilon=self.exact_epsilon(reading.level),
            labels=labels,
            shares=found.projected,
            raw=found.raw,
            standard_errors=found.standard_errors,
            intervals=found.intervals,
            confidence=reading.confidence,
            total=found.total,
            method=METHOD_WORDS,
            picture=Picture.OPTIONS,
            notes=(_unasked(nobody),) if nobody else (),
            differences=OptionDifferences(rung=rung, tally=tally),
        )

    def reckoning(self, level: int) -> dict[str, Any] | None:
        """Return that of flips, where everybody is asked about all options and the reports can be listed."""
        if level < 1 or self.by_number or self.report_count > MOST_REPORTS:
            return None
        own, other = map(float, self.rung(level).probabilities)
        return options_reckoning(self.question, level, self.exact_epsilon(level), own, other)

    def pairs(self, tally: Tally, reading: Reading) -> tuple[Quantity, ...]:
        """Return the share of those who chose both, for each pair of options; only where two are asked at a time."""
        if reading.level == 0:
            raise self._are_answers()
        rung, labels = self.rung(reading.level), self.question.labels
        if rung.asked < 2:
            raise InvalidParameter(
                f"question {self.question.id!r} asks each respondent about one option, so nothing is known of two "
                f"together",
                way_out="Write ask = 2 in the study before it is published, or more.",
            )
        found = pair_shares(rung.pair_counts(tally), *rung.probabilities, reading.confidence)
        return tuple(
            Quantity(
                name=f"{labels[first]} and {labels[second]}",
                value=one.value,
                interval=one.interval,
                raw=one.raw,
                standard_error=one.standard_error,
                unit=Unit.SHARE,
                words="" if one.total else "Nobody here was asked about both.",
            )
            for (first, second), one in zip(rung.pairs, found, strict=True)
        )

    def truth(self, held: Counter[str]) -> Truth:
        """Return the true shares of the options."""
        question, total = self.question, held.total()
        shares = [0] * len(question.labels)
        for text, count in held.items():
            chosen = set_of(text, question.options, question.separator, question.none_cell, question.aliases)
            if question.hides and text == NO_ANSWER:
                chosen = 1 << len(question.options)
            if chosen is None:
                raise self.no_answers()
            for i in range(len(shares)):
                shares[i] += count * (chosen >> i & 1)
        if not total:
            raise self.no_answers()
        return Truth(shares=tuple(share / total for share in shares))

    @property
    def answer_bits(self) -> Fraction:
        """One for each option: over several releases all of them may be asked."""
        return Fraction(len(self.question.labels))

    def capacity_bits(self, level: int) -> Fraction:
        """Return the capacity of all flips of a level: they are drawn apart, and capacities of such channels add."""
        own = self.rung(level).asked * channel_capacity_bits(self._flip(level))
        return least(self.answer_bits, own, epsilon_capacity_bits(self.epsilons[level - 1]))

    def leakage_bits(self, level: int) -> Fraction:
        """Return the maximal leakage of all flips of a level."""
        own = self.rung(level).asked * channel_leakage_bits(self._flip(level))
        return least(self.answer_bits, own, epsilon_leakage_bits(self.epsilons[level - 1]))

    def _flip(self, level: int) -> Channel:
        """Return the channel of one option that is asked."""
        own, other = self.rung(level).probabilities
        return Channel([[own, other], [other, own]])


def _unasked(options: list[str]) -> str:
    named = ", ".join(f"“{option}”" for option in options[:8]) + (", …" if len(options) > 8 else "")
    return f"Nobody here was asked about {named}: nothing is known of it."
