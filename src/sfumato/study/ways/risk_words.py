"""What reports tell, in natural frequencies, as a table and as a document. Every number is rounded up."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from sfumato.certificates.words import at_most, percent_at_most
from sfumato.study.ways.plans import PlanTable, Said
from sfumato.study.ways.risks import LevelRisk, QuestionRisk, ReportRisk
from sfumato.values.rounding import float_above

_MANY = "one that it favours"
_MOST = "the one that tells most"
_EACH, _OWN = "each report", "the one it names"
# Below this, tenths of a per cent show too little.
_FINE = Fraction(1, 100)
# Longer fractions serve nobody.
_LONGEST = 200


def risk_sentences(risk: QuestionRisk) -> tuple[Said, ...]:
    """Say for each reader what the worst report makes of the expected share, and which reports prove an answer."""
    said = [Said(sentence=_sentence(risk, level)) for level in risk.levels]
    proofs = dict.fromkeys(
        (one.report, one.proves) for level in risk.levels for one in level.reports if one.proves is not None
    )
    return (*said, *(Said(sentence=_proof(*proof), is_alarm=True) for proof in proofs))


def public_sentence(risk: QuestionRisk) -> str:
    """Say what the reports that everybody sees tell, for somebody who is asked to give one."""
    said = _sentence(risk, risk.levels[-1]).partition(": ")[2]
    return said[0].upper() + said[1:]


def risk_table(risk: QuestionRisk) -> PlanTable:
    """Return P(answer | report) at each share, for each reader and report."""
    of_two = risk.answer_count == 2 and not any(level.is_bound for level in risk.levels)
    held = f"“{risk.levels[0].reports[0].answer}”" if of_two else "an answer"
    rows = tuple(
        (
            *((", ".join(level.level.readers),) if len(risk.levels) > 1 else ()),
            *((report,) if of_two else (report, answer)),
            *map(_percent, posteriors),
        )
        for level in risk.levels
        for report, answer, posteriors in _shown(level.reports, of_two=of_two)
    )
    heads = ("readers",) if len(risk.levels) > 1 else ()
    return PlanTable(
        title=f"How likely {held} is after a report, by how many hold it ({risk.shares.because})",
        header=(*heads, "report", *(() if of_two else ("answer",)), *(f"{_share(s)} hold" for s in risk.shares.shares)),
        rows=rows,
        words=len(heads) + (1 if of_two else 2),
    )


def risk_document(risk: QuestionRisk) -> dict[str, Any]:
    """Return everything, exact numbers as fractions."""
    return {
        "shares": [str(share) for share in risk.shares.shares],
        "expected_share": str(risk.shares.expected),
        "shares_because": risk.shares.because,
        "sentences": [said.sentence for said in risk_sentences(risk)],
        "levels": [
            {
                "level": level.level.level,
                "readers": list(level.level.readers),
                "from_epsilon_alone": level.is_bound,
                "reports": [
                    {
                        "report": one.report,
                        "answer": one.answer,
                        "posteriors": [_number(p) for p in one.posteriors],
                        "posteriors_if_others_are_even": None if one.even is None else [_number(p) for p in one.even],
                        "proves": one.proves,
                    }
                    for one in level.reports
                ],
            }
            for level in risk.levels
        ],
    }


def people(share: Fraction) -> int:
    """Return among how many people a share is told: a hundred, or more where it would be less than one of them."""
    size = 100
    while 0 < share * size < 1 and size < 10**9:
        size *= 10
    return size


def of_people(share: Fraction, size: int) -> str:
    """Say a share as so many of so many people."""
    count = share * size
    return f"{'' if count.denominator == 1 else 'about '}{round(count):,} of {size:,}"


def _sentence(risk: QuestionRisk, level: LevelRisk) -> str:
    share, worst = risk.shares.expected, level.worst(risk.place)
    size = people(share)
    most = (
        f"at most {math.ceil(worst.posteriors[risk.place] * size):,} do"
        if worst.posteriors[risk.place] < 1
        else "all do"
    )
    who = "What everybody sees" if risk.levels[-1] is level else f"What {' and '.join(level.level.readers)} may see"
    held = of_people(share, size)
    if level.is_bound:
        odds = "without limit" if math.isinf(level.level.epsilon) else f"at most {at_most(_odds(level))} times"
        return (
            f"{who}: after any report the odds of an answer rise {odds}. If {held} people hold it, then of {size:,} "
            f"who give one report {most}."
        )
    if risk.answer_count == 2:
        return (
            f"{who}: if {held} people hold “{worst.answer}”, then of {size:,} whose report is “{worst.report}” {most}."
        )
    return (
        f"{who}: if {held} people hold an answer, then of {size:,} whose report favours it most {most}, whatever "
        f"the others hold."
    )


def _proof(report: str | None, answer: str) -> str:
    if report is None:
        return "Some reports prove an answer: only those who hold it can give them."
    return f"The report “{report}” proves the answer “{answer}”: only those who hold it can give it."


def _odds(level: LevelRisk) -> Fraction:
    return Fraction(math.exp(level.level.epsilon))


def _shown(reports: tuple[ReportRisk, ...], *, of_two: bool) -> list[tuple[str, str, tuple[Fraction, ...]]]:
    """Return a row for each report, or one for all of them where they tell as much, each of another answer."""
    if not of_two and len(reports) > 1 and len({one.posteriors for one in reports}) == 1:
        return [(_EACH, _MANY if any(one.answer is None for one in reports) else _OWN, reports[0].posteriors)]
    return [
        (
            _MOST if one.report is None else f"“{one.report}”",
            _MANY if one.answer is None else f"“{one.answer}”",
            one.posteriors,
        )
        for one in reports
    ]


def _share(share: Fraction) -> str:
    return f"{float(100 * share):.3g} %"


def _percent(value: Fraction) -> str:
    """Tenths of a per cent are enough to see, and are rounded up."""
    if value in {0, 1}:
        return "proved" if value else "ruled out"
    if value < _FINE:
        return percent_at_most(value)
    tenths = math.ceil(value * 1000)
    return "over 99.9 %" if tenths == 1000 else f"{tenths / 10:.1f} %"


def _number(value: Fraction) -> dict[str, Any]:
    text = str(value)
    return {"value": float_above(value), "exact": text if len(text) <= _LONGEST else None}
