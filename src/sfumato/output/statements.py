"""What a study says to an ethics board and to its respondents.

The statement is built from the plan and from the sentences of each question's handler. What the software does not know,
such as when a file of answers is deleted, is stated as unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sfumato.display.text import epsilon_text
from sfumato.ledger.amounts import PUBLIC
from sfumato.study.cells import gap_sentences
from sfumato.study.handler import Handler
from sfumato.study.planning import StudyPlan
from sfumato.study.question_plans import QuestionPlan, Said, public_sentence, risk_sentences
from sfumato.study.readers import REGISTRAR, TOGETHER
from sfumato.study.study import Total

_UNKNOWN = "Sfumato deletes nothing by itself. What is kept is deleted on: ____________"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question of the statement: its text, its answers, how it is asked, and what a report discloses."""

    id: str
    text: str
    answers: str
    how: str
    risks: tuple[Said, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What is asked, what a respondent risks, what is kept, who sees what, what cannot be promised; and a consent."""

    asked: tuple[AskedQuestion, ...]
    together: str
    kept: tuple[str, ...]
    readers: tuple[tuple[str, str], ...]
    not_promised: tuple[Said, ...]
    consent: tuple[str, ...]

    @property
    def document(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "risks": {one.id: [said.sentence for said in one.risks] for one in self.asked},
            "together": self.together,
            "kept": list(self.kept),
            "readers": dict(self.readers),
            "not_promised": [said.sentence for said in self.not_promised],
            "consent": list(self.consent),
        }


def statement_of(plan: StudyPlan) -> Statement:
    """Put the statement of a study together."""
    pairs = list(zip(plan.questions, plan.study.handlers, strict=True))
    return Statement(
        asked=tuple(_asked(planned, handler) for planned, handler in pairs),
        together=_together(plan),
        kept=_kept(plan),
        readers=tuple(_reader(total, plan) for total in plan.totals),
        not_promised=_not_promised(plan),
        consent=_consent(plan),
    )


def is_by_hand(planned: QuestionPlan) -> bool:
    """Whether respondents draw for themselves, from a card that can be drawn."""
    return planned.card is not None


def _asked(planned: QuestionPlan, handler: Handler) -> AskedQuestion:
    how = (
        "Each respondent draws unwatched and gives the report that a card says."
        if is_by_hand(planned)
        else "Software changes each answer by chance into a report."
    )
    alarms = tuple(one for one in planned.protection if one.is_alarm)
    told = () if planned.risk is None else risk_sentences(planned.risk)
    return AskedQuestion(
        id=planned.question.id,
        text=planned.question.text,
        answers=handler.describe(),
        how=f"{how} {planned.closeness}".strip(),
        risks=(*told, *alarms),
    )


def _together(plan: StudyPlan) -> str:
    public = plan.totals[0]
    if len(plan.questions) == 1:
        return ""
    return (
        f"Reports on several questions add up. Over all {len(plan.questions)} of them everybody sees ε = "
        f"{epsilon_text(public.epsilon)} of a respondent: what all reports together say for one person's answers is at "
        f"most e^ε times what they would say for any other answers."
    )


def _kept(plan: StudyPlan) -> tuple[str, ...]:
    study = plan.study
    said = []
    hands = [is_by_hand(planned) for planned in plan.questions]
    if any(hands):
        said.append("Of a question with a card only the report is written down; answer and draw stay unseen.")
    if not all(hands):
        said.append(
            f"{'Of other questions w' if any(hands) else 'W'}hoever collects the answers holds them as they are "
            f"until the reports are made. That file is theirs to protect and to delete."
        )
    said.append("Reports are published, and what was published cannot be called back.")
    if study.analysts or study.recover:
        holders = [analyst.name for analyst in study.analysts] + ([f"the {REGISTRAR}"] if study.recover else [])
        said.append(f"Keys are kept by {', '.join(holders)}, for as long as they hold them.")
    if study.ledger is not None:
        said.append("A ledger keeps what each release cost, with dates and salted digests, and no answers.")
    return (*said, _UNKNOWN)


def _reader(total: Total, plan: StudyPlan) -> tuple[str, str]:
    names = {PUBLIC: "everybody", REGISTRAR: f"the {REGISTRAR}"}
    if total.sees_answers:
        count = sum(seen.is_answer for seen in total.by_question)
        whole = "the answers" if count == len(plan.questions) else f"the answers to {count} questions, reports else"
        return names.get(total.holder, total.holder), f"{whole}, with a key"
    how = "without a key" if total.holder == PUBLIC else "with a key"
    if total.holder == TOGETHER:
        how = "as the best of their keys shows, and no more"
    return names.get(total.holder, total.holder), f"reports, at ε = {epsilon_text(total.epsilon)} in all, {how}"


def _not_promised(plan: StudyPlan) -> tuple[Said, ...]:
    study = plan.study
    by_hand = any(is_by_hand(planned) for planned in plan.questions)
    said = [
        "That somebody took part is not hidden, nor are columns that are published as they are.",
        "Whoever knows something about a respondent already still knows it: a report adds to it, within these numbers.",
        "The same people asked again, here or elsewhere, risk more; the numbers are for one report a question.",
    ]
    if by_hand:
        said.append("Nobody can see whether respondents follow the card. Who ignores it is not protected by it.")
    if not all(is_by_hand(planned) for planned in plan.questions):
        said.append("Nothing here protects answers from those who collect them, or from the machine that draws.")
    if study.analysts:
        said.append("Nothing protects against a key that is handed on. Readers together see what the best key shows.")
    alarms = []
    recovered = [handler.question.id for handler in study.handlers if 0 in handler.key_levels]
    if recovered:
        what = "every answer" if len(recovered) == len(study.questions) else f"the answers to {', '.join(recovered)}"
        alarms.append(Said(sentence=f"The registrar's key gives back {what}: who holds it sees them.", is_alarm=True))
    limits = dict.fromkeys(
        text for handler in study.handlers for text in (*gap_sentences(handler.question), *handler.limits())
    )
    estimates = "Estimates are of those who answer; that they stand for others is up to how they are chosen."
    return (*alarms, *(Said(sentence=text) for text in (*said, *limits, estimates)))


def _consent(plan: StudyPlan) -> tuple[str, ...]:
    study = plan.study
    said = [f"You are asked to take part in the survey “{study.name}”. It is voluntary, and you may stop at any time."]
    hands = [is_by_hand(planned) for planned in plan.questions]
    where = "" if all(hands) else "Where you are given a card: "
    if any(hands):
        said.append(
            f"{where}{'y' if where else 'Y'}ou draw a number that nobody else sees, and say only what the card tells "
            f"you to say. Your number and your answer are not written down."
        )
    if not all(hands):
        said.append(
            "Your answers are changed by chance before they are published: a report is not always the answer. Whoever "
            "collects the answers sees them before that."
        )
    for planned in plan.questions:
        if planned.risk is not None:
            said += [one.sentence for one in risk_sentences(planned.risk) if one.is_alarm]
            said.append(public_sentence(planned.risk))
    seen = "The reports are published."
    if study.analysts:
        seen += f" {', '.join(analyst.name for analyst in study.analysts)} may see them more sharply, with keys."
    if study.recover:
        seen += " A registrar can get the answers back."
    return (*said, f"{seen} What was published cannot be called back.")
