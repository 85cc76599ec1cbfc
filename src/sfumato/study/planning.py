"""A study worked out: how each question is asked and why, what each reader sees of it, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.study.studies import Study
from sfumato.study.totals import Total, totals_of
from sfumato.study.ways import QuestionPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPlan:
    """All questions, and what readers see of a respondent over all of them."""

    study: Study
    questions: tuple[QuestionPlan, ...]
    totals: tuple[Total, ...]


def plan_study(study: Study) -> StudyPlan:
    """Work a study out."""
    return StudyPlan(study=study, questions=tuple(way.plan() for way in study.ways), totals=totals_of(study))
