"""What the releases of a study cost each person, in every currency of a ledger. Paying is the steps' affair.

Reports are locally private, so their ε adds up about a person's own answers. Against an adversary who knows how people
are alike, all reports together may tell all answers of a person, and that is what is charged in bits: no discount for
other people [E, Prop. 7].   Theory: docs/theory/composition.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from sfumato import measures
from sfumato.account import Assumption, Published, Release, Role, information, local, perfect_samples, recoverable
from sfumato.io.query_files import QueryDesign
from sfumato.study.studies import Study
from sfumato.study.totals import totals_of
from sfumato.study.ways.leaks import channel_leakage_bits
from sfumato.values.correlation import ANYONE, NOBODY
from sfumato.values.rounding import float_above, log2_bounds

_ROLES = {Role.APPEND: "more people", Role.AMEND: "amended"}


def release_of_reports(study: Study, rows: int, published: Published | None = None, *, paid_rows: int = 0) -> Release:
    """What publishing the study for so many people costs each of them, if all analysts put their keys together.

    Of what is published only the questions that it has columns of are counted. Where so many rows of the publication
    are paid for already, an appended part adds in bits what all rows may tell together beyond that. An amendment adds
    at least all that the corrected answers hold: reports that were there before may tell about those too.
    """
    # The public, each analyst, all of them together, the registrar: the last who sees no answers sees most.
    *_, sharpest = (total for total in totals_of(study) if not total.sees_answers)
    asked = None if published is None else {column.question for column in published.columns}
    pairs = [
        (way, seen)
        for way, seen in zip(study.ways, sharpest.by_question, strict=True)
        if asked is None or seen.question in asked
    ]
    answers = _sum_up([way.answer_bits for way, _ in pairs])
    each = _sum_up([way.capacity_bits(seen.level) for way, seen in pairs])
    leakage = [way.leakage_bits(seen.level) for way, seen in pairs]
    epsilon = _sum_up([_exact(seen.epsilon) for _, seen in pairs])
    if published is not None and published.role is Role.AMEND:
        record = _sum_up([way.answer_bits for way in study.ways])
        worst = max(answers, _at_most(record, rows, each))
    else:
        before = _at_most(answers, paid_rows, each) if paid_rows else Fraction(0)
        worst = _at_most(answers, paid_rows + rows, each) - before
    notes = [f"seen by: {sharpest.holder}"]
    if study.recover:
        notes.append("the registrar's key gives the answers back, and is not counted as a release")
    called = "" if published is None or published.again is None else f", {published.again}"
    if published is not None and published.role is not Role.FIRST:
        called += f", {_ROLES[published.role]}"
    found = local(
        f"reports: {study.name}{called}"[:200],
        epsilon,
        worst_case_bits=worst,
        leakage_bits=_sum_up(leakage),
        notes=notes,
    )
    return found if published is None else replace(found, published=published, people=published.people)


def release_of_answers(design: QueryDesign, rows: int) -> Release:
    """What the answers of a query cost each person, all responses together."""
    answers = Fraction(float_above(Fraction(log2_bounds(Fraction(len(design.query.prior.labels)))[1])))
    capacity = _sum_up([Fraction(measures.capacity_bits(channel).upper) for channel in design.channels])
    return recoverable(
        f"answers: {design.name}"[:200],
        _sum_up([channel_leakage_bits(channel) for channel in design.channels]),
        worst_case_bits=_at_most(answers, rows, capacity),
        epsilon=_sum_up([_exact(measures.epsilon(channel)) for channel in design.channels]),
        rho=design.query.rho,
    )


def release_of_disclosure(title: str, columns: Sequence[str], cells: int, notes: Sequence[str] = ()) -> Release:
    """What a disclosure costs: nothing about any sample under its law, up to the whole row against any other.

    The notes say what is promised whatever the true law is, and what a private histogram behind it tells.
    """
    return perfect_samples(
        f"disclosure: {title}"[:200],
        rows_id=columns,
        worst_case_bits=Fraction(log2_bounds(Fraction(cells))[1]),
        notes=notes,
    )


def release_of_noise(title: str, bits: float, assumption: Assumption | None = None) -> Release:
    """What a calibrated answer about everybody costs: its individual capacity, for those whom it was made for.

    Where an assumption would change nothing, the bits hold for anyone and none is noted.
    """
    if assumption is not None and assumption.bits_under(NOBODY) >= assumption.bits_under(ANYONE):
        assumption = None
    return information(f"noise: {title}"[:200], bits, assumption=assumption)


def _at_most(answers: Fraction | float, rows: int, each: Fraction | float) -> Fraction | float:
    """All answers of a person, or what so many rows of reports can tell together, whichever is less.

    Over all questions at once: to who knows how people are alike, reports on one question may tell the answer to
    another, so the least of each question would be too little.
    """
    together: Fraction | float = rows * each
    return min(together, answers)


def _sum_up(terms: Sequence[Fraction | float]) -> Fraction | float:
    exact = [term for term in terms if isinstance(term, Fraction)]
    return sum(exact, Fraction(0)) if len(exact) == len(terms) else math.inf


def _exact(amount: float) -> Fraction | float:
    return amount if math.isinf(amount) else Fraction(amount)
