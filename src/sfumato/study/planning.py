"""The plan of a study, and what its releases cost each person."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sfumato import measures
from sfumato.certificates.certificate import Certificate
from sfumato.display.notebooks import Shown, headline, html_table, view_of
from sfumato.ledger.amounts import Charges
from sfumato.ledger.dependence import Assumption
from sfumato.ledger.releases import Published, Release, Role, information, local, perfect_samples, recoverable
from sfumato.measures.dependence import ANYONE, NOBODY
from sfumato.numbers.intervals import log2_bounds
from sfumato.recoverable.query_files import QueryDesign
from sfumato.study.cells import gap_sentences
from sfumato.study.handler import Handler, channel_leakage_bits
from sfumato.study.question_plans import QuestionPlan, Said, needs_of_groups, risk_of
from sfumato.study.study import Seen, Study, Total, totals_of, totals_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPlan(Shown):
    """All questions, and what readers see of a respondent over all of them."""

    study: Study
    questions: tuple[QuestionPlan, ...]
    totals: tuple[Total, ...]

    def _view(self) -> str:
        header, rows = totals_rows(self.study)
        spent = "<p>ε that a respondent spends (nats, rounded up)</p>"
        return "".join([headline(self.study.name), *map(view_of, self.questions), spent, html_table(header, rows)])

    @property
    def certificates(self) -> dict[str, Certificate]:
        """The certificate of each question, and of each sealed column."""
        sealed = self.study.column_ways[len(self.questions) :]
        found = {planned.question.id: planned.certificate for planned in self.questions}
        return found | {handler.question.id: handler.certificate() for handler in sealed}


def plan_study(study: Study) -> StudyPlan:
    """Work a study out."""
    return StudyPlan(study=study, questions=tuple(map(plan_question, study.handlers)), totals=totals_of(study))


def plan_question(handler: Handler) -> QuestionPlan:
    """Plan a question, with the parts that all have: posteriors, respondents for groups, missing answers."""
    plan, question = handler.plan(), handler.question
    said = gap_sentences(question)
    back = recovery_words(handler)
    price = handler.hidden_price() if question.hides else None
    paid = () if price is None else (hidden_words(price),)
    gaps = {"missing": question.missing, "hidden_price": price, "words": [*said, *paid]}
    return replace(
        plan,
        words=(*plan.words, *said, *paid, *([back] if back else [])),
        sentences=(*plan.sentences, *(Said(sentence=words, is_alarm=question.has_gaps) for words in said)),
        document={**plan.document, **({"no_answer": gaps} if said else {}), **_recovery_document(handler)},
        risk=risk_of(handler, plan.levels),
        groups=needs_of_groups(handler, plan.levels),
    )


def recovery_words(handler: Handler) -> str | None:
    """Say how answers come back that reports round, or why they do not; None where there is nothing to say."""
    if not handler.audience.recover:
        return None
    if handler.not_recovered is not None:
        return f"The registrar does not get the answers to {handler.question.id} back: {handler.not_recovered}."
    if handler.sealed is None:
        return None
    bits = handler.sealed.ladder.randomness_bits().upper
    return (
        f"The registrar gets the answers back as they were: they are sealed in the column "
        f"{handler.sealed.question.id}, which tells nothing to others and takes {bits:.2f} bits of key a row."
    )


def _recovery_document(handler: Handler) -> dict[str, Any]:
    if not handler.audience.recover:
        return {}
    sealed = None if handler.sealed is None else handler.sealed.question.id
    return {"recovery": {"answers": handler.not_recovered is None, "why_not": handler.not_recovered, "sealed": sealed}}


def hidden_words(price: float) -> str:
    """Say what it costs that not answering is hidden."""
    if price == 1:
        return "That takes no more respondents."
    return f"For the same error that takes {price:.2f} times the respondents, even if everybody answers."


# --- What the releases of a study cost each person, in every currency of a ledger
# Reports are locally private, so their ε adds up about a person's own answers. Against an adversary who knows how
# people are alike, all reports together may disclose all answers of a person, and that is charged in bits, with no
# discount for other people [E, Prop. 7].   Theory: docs/theory/composition.md


MANY = 10**9
"""As many people as it takes to tell everything, where nobody knows how many there will be."""
_ROLES = {Role.APPEND: "more people", Role.AMEND: "amended"}


def release_of_reports(
    study: Study,
    rows: int,
    published: Published | None = None,
    *,
    earlier: Iterable[Published] = (),
    paid_bits: Fraction | float = 0,
) -> Release:
    """What publishing the study for so many people costs each of them, if all analysts put their keys together.

    Of what is published only the questions that it has columns of are counted. In bits a publication costs what all its
    parts may disclose together, so a part costs what that has grown to, with the `earlier` parts, beyond what was paid
    for those. An amendment gives a person further answers, about which earlier reports may disclose something.
    """
    sharpest = _sharpest(study)
    asked = None if published is None else _asked(published)
    pairs = [(handler, seen) for handler, seen in _seen(study) if asked is None or seen.question in asked]
    leakage = [handler.leakage_bits(seen.level) for handler, seen in pairs]
    epsilon = _sum_up([_exact(seen.epsilon) for _, seen in pairs])
    amended = published is not None and published.role is Role.AMEND
    parts = [_part(one) for one in earlier]
    worst = total_bits(study, [*parts, (rows, asked, amended)]) - paid_bits
    notes = [f"seen by: {sharpest.holder}"]
    if study.recover:
        notes.append("the registrar's key gives the answers back, and is not counted as a release")
    called = "" if published is None or published.again is None else f", {published.again}"
    if published is not None and published.role is not Role.FIRST:
        called += f", {_ROLES[published.role]}"
    found = local(
        f"reports: {study.name}{called}"[:200],
        epsilon,
        worst_case_bits=max(Fraction(0), worst),
        leakage_bits=_sum_up(leakage),
        notes=notes,
    )
    return found if published is None else replace(found, published=published, people=published.people)


Part = tuple[int, Collection[str] | None, bool]
"""How many rows a part has, the questions of its columns (None for all), and whether it is an amendment."""


def total_bits(study: Study, parts: Iterable[Part]) -> Fraction:
    """Return the most that the parts of a publication together disclose about one person, in bits.

    It is the lesser of what a person's answers hold, with those of every amendment, and of the capacities of all
    reports. Over all questions at once: reports on one question may disclose the answer to another.
    """
    answers = {handler.question.id: handler.answer_bits for handler in study.handlers}
    capacities = {seen.question: handler.capacity_bits(seen.level) for handler, seen in _seen(study)}
    held, told = sum(answers.values(), Fraction(0)), Fraction(0)
    for rows, asked, amended in parts:
        # A sealed column is independent of everything without the registrar's key, and costs nothing.
        names = answers.keys() if asked is None else answers.keys() & set(asked)
        told += rows * sum((capacities[name] for name in names), Fraction(0))
        if amended:
            held += sum((answers[name] for name in names), Fraction(0))
    return min(held, told)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What releases of a study will cost each of so many people; `first` is None for a study that is published.

    A correction is of one in a hundred people, in all questions. The next wave asks all people again.
    """

    study: str
    people: int
    corrected: int
    first: Charges | None
    correction: Charges
    wave: Charges


def forecast(
    study: Study, people: int, *, earlier: Sequence[Published] = (), paid_bits: Fraction | float = 0
) -> Forecast:
    """Work out what comes next for a study, of which these parts were published and so many bits paid for."""
    first, corrected = release_of_reports(study, people).charges, math.ceil(people / 100)
    parts = [_part(one) for one in earlier] or [(people, None, False)]
    before = paid_bits if earlier else first.bits
    bits = max(Fraction(0), total_bits(study, [*parts, (corrected, None, True)]) - before)
    return Forecast(
        study=study.name,
        people=people,
        corrected=corrected,
        first=None if earlier else first,
        correction=replace(first, bits=bits),
        wave=first,
    )


def _sharpest(study: Study) -> Total:
    """Return what all analysts see together: of those who see no answers, the last sees most."""
    *_, sharpest = (total for total in totals_of(study) if not total.sees_answers)
    return sharpest


def _seen(study: Study) -> list[tuple[Handler, Seen]]:
    return list(zip(study.handlers, _sharpest(study).by_question, strict=True))


def _asked(published: Published) -> set[str]:
    return {column.question for column in published.columns}


def _part(published: Published) -> Part:
    return published.rows, _asked(published), published.role is Role.AMEND


def release_of_answers(design: QueryDesign, rows: int) -> Release:
    """What the answers of a query cost each person, all responses together."""
    answers = Fraction(log2_bounds(Fraction(len(design.query.prior.labels)))[1])
    capacity = sum((Fraction(measures.capacity_bits(channel).upper) for channel in design.channels), Fraction(0))
    return recoverable(
        f"answers: {design.name}"[:200],
        _sum_up([channel_leakage_bits(channel) for channel in design.channels]),
        worst_case_bits=min(answers, rows * capacity),
        epsilon=_sum_up([_exact(measures.epsilon(channel)) for channel in design.channels]),
        rho=design.query.rho,
    )


def release_of_disclosure(title: str, columns: Sequence[str], cells: int, notes: Sequence[str] = ()) -> Release:
    """What a disclosure costs: nothing about any sample under its law, up to the whole row against any other.

    The notes say what is promised whatever the true law is, and what a private histogram behind it discloses.
    """
    return perfect_samples(
        f"disclosure: {title}"[:200],
        rows_id=columns,
        worst_case_bits=Fraction(log2_bounds(Fraction(cells))[1]),
        notes=notes,
    )


def release_of_noise(title: str, bits: float, assumption: Assumption | None = None) -> Release:
    """What a calibrated answer about all people costs: its individual capacity, for those whom it was made for.

    Where an assumption would change nothing, the bits hold for anyone and none is noted.
    """
    if assumption is not None and assumption.bits_under(NOBODY) >= assumption.bits_under(ANYONE):
        assumption = None
    return information(f"noise: {title}"[:200], bits, assumption=assumption)


def _sum_up(terms: Sequence[Fraction | float]) -> Fraction | float:
    exact = [term for term in terms if isinstance(term, Fraction)]
    return sum(exact, Fraction(0)) if len(exact) == len(terms) else math.inf


def _exact(amount: float) -> Fraction | float:
    return amount if math.isinf(amount) else Fraction(amount)
