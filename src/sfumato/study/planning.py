"""A study worked out: how each question is asked and why, what each reader sees of it, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sfumato.study.studies import Study
from sfumato.study.totals import Total, totals_of
from sfumato.study.ways import QuestionPlan, Way
from sfumato.study.ways.group_needs import needs_of_groups
from sfumato.study.ways.no_answer import gap_sentences
from sfumato.study.ways.plans import Said
from sfumato.study.ways.risks import risk_of
from sfumato.values.shown import Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPlan(Shown):
    """All questions, and what readers see of a respondent over all of them."""

    study: Study
    questions: tuple[QuestionPlan, ...]
    totals: tuple[Total, ...]


def plan_study(study: Study) -> StudyPlan:
    """Work a study out."""
    return StudyPlan(study=study, questions=tuple(map(plan_question, study.ways)), totals=totals_of(study))


def plan_question(way: Way) -> QuestionPlan:
    """Work a question out, with what is said of all: what a report tells, what groups need, who does not answer."""
    plan, question = way.plan(), way.question
    said = gap_sentences(question)
    price = way.hidden_price() if question.hides else None
    paid = () if price is None else (hidden_words(price),)
    gaps = {"missing": question.missing, "hidden_price": price, "words": [*said, *paid]}
    return replace(
        plan,
        words=(*plan.words, *said, *paid),
        sentences=(*plan.sentences, *(Said(sentence=words, is_alarm=question.has_gaps) for words in said)),
        document={**plan.document, "no_answer": gaps} if said else plan.document,
        risk=risk_of(way, plan.levels),
        groups=needs_of_groups(way, plan.levels),
    )


def hidden_words(price: float) -> str:
    """Say what it costs that not answering is hidden."""
    if price == 1:
        return "That takes no more respondents."
    return f"For the same error that takes {price:.2f} times the respondents, even if everybody answers."
