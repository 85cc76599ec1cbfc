"""What is said of those who answer, where it is hidden who does: a ratio of two sums over all reports.

Everybody reports, so the share that answers is an estimate itself. The mean among them is estimable only while the
interval of that share does not reach 0.   Theory: docs/theory/no_answer.md
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sfumato.infer.reported import ReportedShares
from sfumato.study.ways.estimates import MEAN, Quantity, Unit
from sfumato.values import Interval

if TYPE_CHECKING:
    from sfumato.study.ways.ladder_questions import LadderQuestion

# Of longer lists the shares of all respondents say enough.
MOST_SHARES = 30
NOT_ESTIMABLE = "not estimable: perhaps nobody answers, the interval of the share that does reaches 0"


def among_answering(question: LadderQuestion, reported: ReportedShares, confidence: float) -> tuple[Quantity, ...]:
    """Return the mean of numbers, or the shares of the answers, among those who answer; nothing where all do."""
    if not question.hides:
        return ()
    who = question.who_answers
    if question.values is not None:
        return (_ratio(reported, MEAN, tuple(map(float, question.values)), confidence, words=who),)
    answers = question.choices
    if len(answers) > MOST_SHARES:
        return ()
    # Of two answers one share follows from the other.
    places = (1,) if len(answers) == 2 else range(len(answers))
    return tuple(
        _ratio(reported, f"{answers[i]}, {who}", np.eye(len(answers))[i].tolist(), confidence, unit=Unit.SHARE)
        for i in places
    )


def _ratio(
    reported: ReportedShares,
    name: str,
    values: Sequence[float],
    confidence: float,
    *,
    unit: Unit = Unit.NUMBER,
    words: str = "",
) -> Quantity:
    among = [*(True for _ in values), False]
    found = reported.ratio([*map(float, values), 0.0], among, confidence)
    ends = Interval(float(min(values)), float(max(values)))
    if found is None:
        return Quantity(name=name, value=None, interval=ends, unit=unit, words=NOT_ESTIMABLE)
    return Quantity(
        name=name,
        value=found.value,
        raw=found.raw,
        standard_error=found.standard_error,
        interval=found.interval,
        unit=unit,
        words=words,
        within=ends,
    )
