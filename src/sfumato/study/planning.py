"""A study worked out: how each question is asked and why, what each reader sees of it, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sfumato.certificates import Certificate
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

    @property
    def certificates(self) -> dict[str, Certificate]:
        """The certificate of each question, and of each sealed column."""
        sealed = self.study.column_ways[len(self.questions) :]
        found = {planned.question.id: planned.certificate for planned in self.questions}
        return found | {way.question.id: way.certificate() for way in sealed}


def plan_study(study: Study) -> StudyPlan:
    """Work a study out."""
    return StudyPlan(study=study, questions=tuple(map(plan_question, study.ways)), totals=totals_of(study))


def plan_question(way: Way) -> QuestionPlan:
    """Work a question out, with what is said of all: what a report tells, what groups need, who does not answer."""
    plan, question = way.plan(), way.question
    said = gap_sentences(question)
    back = recovery_words(way)
    price = way.hidden_price() if question.hides else None
    paid = () if price is None else (hidden_words(price),)
    gaps = {"missing": question.missing, "hidden_price": price, "words": [*said, *paid]}
    return replace(
        plan,
        words=(*plan.words, *said, *paid, *([back] if back else [])),
        sentences=(*plan.sentences, *(Said(sentence=words, is_alarm=question.has_gaps) for words in said)),
        document={**plan.document, **({"no_answer": gaps} if said else {}), **_recovery_document(way)},
        risk=risk_of(way, plan.levels),
        groups=needs_of_groups(way, plan.levels),
    )


def recovery_words(way: Way) -> str | None:
    """Say how answers come back that reports round, or why they do not; None where there is nothing to say."""
    if not way.audience.recover:
        return None
    if way.not_recovered is not None:
        return f"The registrar does not get the answers to {way.question.id} back: {way.not_recovered}."
    if way.sealed is None:
        return None
    bits = way.sealed.ladder.randomness_bits().upper
    return (
        f"The registrar gets the answers back as they were: they are sealed in the column {way.sealed.question.id}, "
        f"which tells nothing to others and takes {bits:.2f} bits of key a row."
    )


def _recovery_document(way: Way) -> dict[str, Any]:
    if not way.audience.recover:
        return {}
    sealed = None if way.sealed is None else way.sealed.question.id
    return {"recovery": {"answers": way.not_recovered is None, "why_not": way.not_recovered, "sealed": sealed}}


def hidden_words(price: float) -> str:
    """Say what it costs that not answering is hidden."""
    if price == 1:
        return "That takes no more respondents."
    return f"For the same error that takes {price:.2f} times the respondents, even if everybody answers."
