"""What the releases of a study cost each person, in every currency of a ledger. Paying is the steps' affair.

Reports are locally private, so their ε adds up about a person's own answers. Against an adversary who knows how people
are alike, all reports together may tell a whole answer, and that is what is charged in bits: no discount for other
people [E, Prop. 7].   Theory: docs/theory/composition.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from sfumato import measures
from sfumato.account import Published, Release, information, local, perfect_samples, recoverable
from sfumato.io.query_files import QueryDesign
from sfumato.study.studies import Study
from sfumato.study.totals import totals_of
from sfumato.study.ways.base import channel_leakage_bits
from sfumato.values.rounding import float_above, log2_bounds


def release_of_reports(
    study: Study, rows: int, published: Published | None = None, questions: Sequence[str] | None = None
) -> Release:
    """What publishing the study for so many people costs each of them, if all analysts put their keys together.

    With `questions`, only those are published, as by an amendment.
    """
    # The public, each analyst, all of them together, the registrar: the last who sees no answers sees most.
    *_, sharpest = (total for total in totals_of(study, questions) if not total.sees_answers)
    asked = [way for way in study.ways if questions is None or way.question.id in questions]
    pairs = list(zip(asked, sharpest.by_question, strict=True))
    worst = [_at_most(way.answer_bits, rows, way.capacity_bits(seen.level)) for way, seen in pairs]
    leakage = [way.leakage_bits(seen.level) for way, seen in pairs]
    notes = [f"seen by: {sharpest.holder}"]
    if study.recover:
        notes.append("the registrar's key gives the answers back, and is not counted as a release")
    called = "" if published is None or published.again is None else f", {published.again}"
    found = local(
        f"reports: {study.name}{called}"[:200],
        sharpest.epsilon,
        worst_case_bits=_sum_up(worst),
        leakage_bits=_sum_up(leakage),
        notes=notes,
    )
    return replace(found, published=published)


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


def release_of_disclosure(title: str, columns: Sequence[str], cells: int) -> Release:
    """What a disclosure costs: nothing about any sample under its law, up to the whole row against any other."""
    return perfect_samples(
        f"disclosure: {title}"[:200], rows_id=columns, worst_case_bits=Fraction(log2_bounds(Fraction(cells))[1])
    )


def release_of_noise(title: str, bits: float) -> Release:
    """What a calibrated answer about everybody costs: its individual capacity."""
    return information(f"noise: {title}"[:200], bits)


def _at_most(answer: Fraction, rows: int, each: Fraction | float) -> Fraction | float:
    """The whole answer, or what so many reports can tell together, whichever is less."""
    together: Fraction | float = rows * each
    return min(together, answer)


def _sum_up(terms: Sequence[Fraction | float]) -> Fraction | float:
    exact = [term for term in terms if isinstance(term, Fraction)]
    return sum(exact, Fraction(0)) if len(exact) == len(terms) else math.inf


def _exact(amount: float) -> Fraction | float:
    return amount if math.isinf(amount) else Fraction(amount)
