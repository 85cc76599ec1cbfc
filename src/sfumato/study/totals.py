"""What a respondent spends over all questions, by who is looking: reports add up."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from sfumato.measures import epsilon_interval
from sfumato.study.collecting import channel_for
from sfumato.study.questions import Question, Recoverable
from sfumato.study.studies import Study, has_card, has_levels
from sfumato.values.rounding import float_above


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """The ε that one reader, or several together, sees of a respondent over all questions; never less than true."""

    holder: str
    by_question: tuple[tuple[str, float], ...]
    sees_answers: bool = False

    @property
    def epsilon(self) -> float:
        """The sum over the questions, rounded up."""
        return _sum_up(value for _, value in self.by_question)

    @property
    def as_json(self) -> float | str:
        """A number, or a word where there is none."""
        return "answers" if self.sees_answers else "inf" if math.isinf(self.epsilon) else self.epsilon


def totals_of(study: Study) -> tuple[Total, ...]:
    """Return the totals of the public, of each analyst, of all analysts together, and of the registrar."""
    found = [Total(holder="public", by_question=tuple((q.id, _at(study, q, -1)) for q in study.questions))]
    for analyst in study.analysts:
        seen = tuple((q.id, _at(study, q, study.level_of(analyst, q) - 1)) for q in study.questions)
        found.append(Total(holder=analyst.name, by_question=seen))
    if len(study.analysts) > 1:
        # Keys are nested, so together they see of each question what the best of them sees.
        best = tuple((q.id, _at(study, q, 0)) for q in study.questions)
        found.append(Total(holder="all analysts together", by_question=best))
    if study.recover:
        found.append(
            Total(
                holder="registrar",
                by_question=tuple((q.id, math.inf if has_levels(q) else _at(study, q, 0)) for q in study.questions),
                sees_answers=True,
            )
        )
    return tuple(found)


def _at(study: Study, question: Question, level: int) -> float:
    if has_card(question) or isinstance(question, Recoverable):
        return epsilon_interval(channel_for(study, question)).upper
    return float_above(study.levels(question)[level])


def _sum_up(values: Iterable[float]) -> float:
    terms = tuple(values)
    return math.inf if math.inf in terms else float_above(sum(map(Fraction, terms), Fraction(0)))
