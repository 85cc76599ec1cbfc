"""How one of a long list is asked: by degrees like a short one, and read as the texts that are surely given.

Reports of a hundred thousand texts are as many numbers as a small table has cells, so counts are kept in arrays, and
only the texts that were found are shown.   Theory: docs/theory/heavy_hitters.md
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.infer.family_cuts import FamilyCut, FoundAnswers, found_answers, raw_shares, reports_to_find
from sfumato.refine.rungs import HittingRung, hitting_rung
from sfumato.study.ways.base import FloatArray, IntArray
from sfumato.study.ways.estimates import QuestionEstimate, Reading
from sfumato.study.ways.ladder import LadderWay
from sfumato.study.ways.ladder_plans import epsilon_words, plan_ladder
from sfumato.study.ways.plans import PlanTable, QuestionPlan
from sfumato.study.ways.report_counts import ReportCounts
from sfumato.study.ways.share_differences import JointDifferences
from sfumato.values import Interval

if TYPE_CHECKING:
    from sfumato.study.audience import Audience
    from sfumato.study.ways.large_lists import LargeList

# The plan says how often texts with these shares are found, and from which share on one is found this often.
PLANNED_SHARES = (0.001, 0.003, 0.01)
PLANNED_POWER = 0.9
_MOST_WEIGHTS = 1 << 24


class LargeListWay(LadderWay):
    """How a question with a dictionary is asked."""

    question: LargeList

    def __init__(self, question: LargeList, audience: Audience, declaration: str | None = None) -> None:
        super().__init__(question, audience, declaration)

    @property
    def not_recovered(self) -> str | None:
        """Texts that count for others are not kept."""
        if self.ladder.recover_answers and self.question.others is not None:
            return f"texts outside its list are reported as “{self.question.others}”, and not kept apart"
        return super().not_recovered

    def plan(self) -> QuestionPlan:
        """Say from which share on a text is found."""
        planned, people = plan_ladder(self), self.audience.population
        rows = [
            {**row, **self._found(level.level, people)}
            for level, row in zip(planned.levels, planned.document["levels"], strict=True)
        ]
        document = {**planned.document, "levels": rows, "family_error": float(self.question.family_error)}
        return replace(
            planned,
            words=(*planned.words, self._error_words()),
            tables=(self._table(rows, people),),
            curve=None,
            document=document,
        )

    def _found(self, level: int, people: int | None) -> dict[str, Any]:
        needed = {str(share): reports_to_find(self.rule(level, 1), share, PLANNED_POWER) for share in PLANNED_SHARES}
        found: dict[str, Any] = {"respondents_to_find": needed}
        if people is not None:
            rule = self.rule(level, people)
            found |= {
                "least_hits": rule.count(),
                "share_cut": rule.share,
                "share_found": rule.share_found(PLANNED_POWER),
                "power": {str(share): rule.power(share) for share in PLANNED_SHARES},
            }
        return found

    def _error_words(self) -> str:
        asked = self.question
        sure = f"{100 * (1 - float(asked.family_error)):.6g} %"
        given = (
            "is one that nobody gave"
            if not asked.at_least
            else f"is given by {100 * float(asked.at_least):.6g} % or fewer"
        )
        return (
            f"Reported are texts that are surely given: with probability {sure} or more none of those reported, of "
            f"{asked.size:,} in all, {given}."
        )

    def _table(self, rows: Sequence[dict[str, Any]], people: int | None) -> PlanTable:
        shares = [f"{100 * share:g} %" for share in PLANNED_SHARES]
        if people is None:
            return PlanTable(
                title=f"Respondents needed to find a text {100 * PLANNED_POWER:g} % of the time, by its share:",
                header=("readers", "ε", *shares),
                rows=tuple(
                    (
                        *_heading(row),
                        *(
                            "never" if number is None else f"{number:,}"
                            for number in row["respondents_to_find"].values()
                        ),
                    )
                    for row in rows
                ),
            )
        return PlanTable(
            title=(
                f"With {people:,} respondents: from which share on a text is found {100 * PLANNED_POWER:g} % of the "
                f"time, and how often smaller and larger ones are:"
            ),
            header=("readers", "ε", "found from", *shares),
            rows=tuple(
                (
                    *_heading(row),
                    "never" if row["share_found"] is None else f"{100 * row['share_found']:.3g} %",
                    *(f"{100 * power:.3g} %" for power in row["power"].values()),
                )
                for row in rows
            ),
        )

    def rule(self, level: int, n: int) -> FamilyCut:
        """Return the cut of a level for n reports."""
        own, other = self._cyclic(level).probabilities
        asked = self.question
        return FamilyCut(
            size=asked.size,
            n=n,
            own=own,
            other=other,
            error=asked.family_error,
            at_least=asked.at_least or Fraction(0),
        )

    def _cyclic(self, level: int) -> HittingRung:
        return hitting_rung(self.rung_at(level))

    def tally(  # type: ignore[override]
        self, reports: IntArray, level: int, *, positions: int | IntArray = 0, counts: IntArray | None = None
    ) -> ReportCounts:
        """Count reports."""
        del level, positions
        seen = np.asarray(reports) if counts is None else np.repeat(reports, counts)
        return ReportCounts.of(seen, self.report_count)

    def estimate(self, tally: ReportCounts, reading: Reading) -> QuestionEstimate:  # type: ignore[override]
        """Return the texts that are surely given, most frequent first."""
        asked, plain = self.question, reading.plain(self.question.id)
        hits, rule = self._hits(tally, reading.level)
        found = found_answers(hits, rule, confidence=plain.confidence)
        labels = self._labels(found)
        shares, raw = tuple(np.clip(found.raw, 0.0, 1.0).tolist()), tuple(found.raw.tolist())
        intervals = tuple(map(Interval, found.lower.tolist(), found.upper.tolist()))
        return QuestionEstimate(
            question=asked,
            group=reading.group,
            level=reading.level,
            epsilon=math.log(self._cyclic(reading.level).odds),
            labels=labels,
            shares=shares,
            raw=raw,
            standard_errors=tuple(found.standard_errors.tolist()),
            intervals=intervals,
            confidence=plain.confidence,
            together=plain.confidence,
            total=rule.n,
            method=(
                f"texts with at least {found.cut:,} hits, family-wise error {100 * float(asked.family_error):.6g} % "
                f"over {asked.size:,} (Holm); unbiased shares"
            ),
            notes=self._notes(len(labels)),
            differences=JointDifferences(raw=raw, shares=shares, intervals=intervals),
        )

    def reckoning(self, level: int) -> None:
        """Texts are found among very many by a rule of their own, in Python alone."""
        del level

    def raw_shares(self, tally: ReportCounts, level: int) -> tuple[tuple[str, ...], FloatArray, FloatArray]:
        """Return the unbiased shares of all texts, found or not, and their standard errors."""
        hits, rule = self._hits(tally, level)
        raw, errors, _, _ = raw_shares(hits, rule, tail=0.025)
        return self.question.labels, raw, errors

    def _hits(self, tally: ReportCounts, level: int) -> tuple[FloatArray, FamilyCut]:
        if level == 0:
            raise self._are_answers()
        total = tally.total
        if not total:
            raise InvalidParameter("is empty", parameter="tally", way_out="Collect at least one report.")
        return self._cyclic(level).hits(tally.counts.astype(np.float64)), self.rule(level, total)

    def _labels(self, found: FoundAnswers) -> tuple[str, ...]:
        labels = self.question.labels
        return tuple(labels[place] for place in found.places.tolist())

    def _notes(self, found: int) -> tuple[str, ...]:
        sure = f"{100 * (1 - float(self.question.family_error)):.6g} %"
        if not found:
            return ("No text is surely given so often; ask more people, or raise epsilon.",)
        at_least = self.question.at_least
        said = "is one that nobody gave" if not at_least else f"is given by {100 * float(at_least):.6g} % or fewer"
        picked = (
            f"Texts were picked because their shares came out high, so shares tend high. The intervals hold for all "
            f"{self.question.size:,} texts at once, and so for those that were picked."
        )
        return f"With probability {sure} or more, no text in this list {said}. Others may be given as well.", picked

    def weights(self, level: int) -> FloatArray:
        """Return the weights while they fit a table."""
        if self.report_count * self.question.size > _MOST_WEIGHTS:
            raise InvalidParameter(
                f"question {self.question.id!r} has {self.report_count * self.question.size:,} weights, and a table "
                f"holds at most {_MOST_WEIGHTS:,}",
                way_out="Name the other questions; `sf.raw_shares` has the unbiased shares of all texts.",
            )
        return super().weights(level)

    def truth(self, held: Counter[str]) -> None:
        """Only what is found is shown, so there is nothing to compare place by place."""
        del held


def _heading(row: dict[str, Any]) -> tuple[str, str]:
    return ", ".join(row["readers"]) or "-", epsilon_words(row["epsilon"])
