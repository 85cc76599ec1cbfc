"""The choice and the plan of the ladder of a question.

Errors are standard deviations by the exact variance of each level; half-widths and numbers of respondents use the
normal approximation.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from sfumato.certificates.certificate import Certificate
from sfumato.errors import InvalidParameter
from sfumato.inference.limits import interactive_risk_floor, risk_floor
from sfumato.ladders.choice import (
    FLAGS,
    LADDER_FAMILIES,
    ONE_SET,
    SETS,
    LadderAdvice,
    LadderFamily,
    advise_ladder,
    set_of_within,
)
from sfumato.ladders.ladder import Ladder
from sfumato.ladders.level_mechanisms import LevelMechanism
from sfumato.ladders.spec import best_level
from sfumato.numbers.intervals import float_below, ln_bounds
from sfumato.study.cells import Missing
from sfumato.study.question_plans import AccuracyCurve, Compared, LevelPlan, PlanTable, QuestionPlan, Said
from sfumato.study.readers import Audience

if TYPE_CHECKING:
    from sfumato.study.ladder_questions import LadderHandler, LadderQuestion


# --- Choosing a ladder
# The best for its levels, or the one that its reports were made by.


# What a study chooses from. One set is that of `Ladder.within`; no study uses nested sets.
_FAMILIES = {name: family for name, family in LADDER_FAMILIES.items() if name != SETS} | {ONE_SET: set_of_within}
# A logarithm of odds of ten digits may come out so much too large.
_ROUNDING = 1e-12
# Flags are offered from so many answers on.
_MANY = 101
# Longer keys are worth this much noise at the worst level.
_PAYS = 1.15


def promised_levels(ceiling: Fraction | None, audience: Audience) -> tuple[Fraction, ...]:
    """Return the epsilons of the levels, sharpest first: the analysts' and the public's, cut at the ceiling."""
    wanted = [analyst.epsilon for analyst in audience.analysts]
    if audience.public_epsilon is not None:
        wanted.append(audience.public_epsilon)
    elif ceiling is not None:
        wanted.append(ceiling)
    return tuple(sorted({value if ceiling is None else min(value, ceiling) for value in wanted}, reverse=True))


def best_ladder(question: LadderQuestion, levels: Sequence[Fraction], audience: Audience) -> Ladder:
    """Return the ladder that serves these epsilons best, sharpest first."""
    recover = audience.recover
    epsilons = tuple(float_below(level) for level in levels)
    size = question.size
    made = question.mechanism(epsilons)
    if made is not None:
        return Ladder(made, epsilons, recover)
    if size == 2:
        return Ladder.of_flips(size=2, epsilons=epsilons, recover=recover)
    if question.thrift is None:
        advice = ladder_advice(question, levels, audience)
        return Ladder.within(size=size, epsilons=epsilons, recover=recover) if advice is None else advice.ladder
    if recover:
        raise InvalidParameter(
            f"of question {question.id!r} makes each report one bit, from which {size} answers cannot be recovered",
            parameter="random_bits",
            way_out="Drop `random_bits`, or [registrar] recover.",
        )
    ladder = Ladder.of_flips(size=size, epsilons=epsilons)
    needed = ladder.randomness_bits().upper
    if needed > question.thrift:
        raise InvalidParameter(
            f"of question {question.id!r} is too little: these levels need {needed:.4f} random bits",
            parameter="random_bits",
            value=float(question.thrift),
            way_out="Raise `random_bits`, or drop a level.",
        )
    return ladder


def ladder_advice(question: LadderQuestion, levels: Sequence[Fraction], audience: Audience) -> LadderAdvice | None:
    """Compare whole ladders for these epsilons; None where there is nothing to compare.

    All are asked the same, so that groups can be read by themselves. Flags are taken where they pay: many answers that
    are only counted, on levels far apart; their keys take more bits, a report is read with the number of its row, and
    devices do not draw it.
    """
    epsilons = tuple(float_below(level) for level in levels)
    is_given = question.mechanism(epsilons) is not None or question.thrift is not None
    if len(epsilons) == 1 or question.size == 2 or is_given:
        return None

    def advice(families: Mapping[str, LadderFamily]) -> LadderAdvice:
        recover = audience.recover
        return advise_ladder(
            size=question.size, epsilons=epsilons, recover=recover, same_question=True, families=families
        )

    plain = advice({name: family for name, family in _FAMILIES.items() if name != FLAGS})
    if question.size < _MANY or question.values is not None or question.counts_hits or audience.on_devices:
        return plain
    flagged = advice(_FAMILIES)
    return flagged if max(plain.regrets) > _PAYS * max(flagged.regrets) else plain


def hidden_price(question: LadderQuestion, levels: Sequence[Fraction], audience: Audience) -> float:
    """Return the variance of a share at the last level with no answer as one more answer, over that without it."""
    without, within = (
        best_ladder(replace(question, missing=missing), levels, audience).levels[-1]
        for missing in (None, Missing.HIDDEN)
    )
    return (within.share_deviation(question.goal_share) / without.share_deviation(question.goal_share)) ** 2


def declared_ladder(question: LadderQuestion, epsilons: Sequence[float], declaration: str) -> Ladder:
    """Return the ladder that reports declare; refuses one that is not for the question, or shows more than promised."""
    found = Ladder.declared(declaration)
    keeps = len(found.odds) == len(epsilons) and all(
        math.log(odds) <= epsilon * (1 + _ROUNDING) for odds, epsilon in zip(found.odds, epsilons, strict=True)
    )
    if not question.fits(found) or not keeps:
        raise InvalidParameter(
            f"is not a ladder for question {question.id!r} and what is promised about it",
            parameter="declaration",
            way_out="Ask for the reports again.",
        )
    return found


# --- The risk of each level over the best possible
# Theory: docs/theory/floors.md


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorRatio:
    """What the unbiased estimate of a level risks at the worst law, E‖p̂ - p‖², beside what no method goes below."""

    level: int
    respondents: int
    risk: float
    floor: float
    ratio: float
    interactive_floor: float
    interactive_ratio: float

    @property
    def document(self) -> dict[str, Any]:
        """All of it, for programs."""
        return asdict(self)


def beside_floors(rungs: Sequence[LevelMechanism], respondents: Sequence[int]) -> tuple[FloorRatio, ...]:
    """Compare each level with the floors at its own ε; empty where a level does not estimate shares of answers."""
    found = [_ratio(level, rung, n) for level, (rung, n) in enumerate(zip(rungs, respondents, strict=True), start=1)]
    return tuple(one for one in found if one is not None) if all(found) else ()


def _ratio(level: int, rung: LevelMechanism, n: int) -> FloorRatio | None:
    risk = rung.largest_risk(n)
    if risk is None:
        return None
    epsilon = ln_bounds(rung.odds)[1]
    floors = risk_floor(rung.size, n, epsilon), interactive_risk_floor(rung.size, n, epsilon)
    alone, seen = (math.nextafter(risk / floor, math.inf) for floor in floors)
    return FloorRatio(
        level=level,
        respondents=n,
        risk=risk,
        floor=floors[0],
        ratio=alone,
        interactive_floor=floors[1],
        interactive_ratio=seen,
    )


def floor_words(ratios: Sequence[FloorRatio]) -> str:
    """Say how many times the least possible squared error each level has, rounded up; nothing without ratios."""
    if not ratios:
        return ""
    counts = sorted({one.respondents for one in ratios})
    people = f"{counts[0]:,} respondents" if len(counts) == 1 else "as many respondents as the goal takes"
    order = ", sharpest level first," if len(ratios) > 1 else ""
    alone, seen = (
        ", ".join(times(value) for value in values)
        for values in ([one.ratio for one in ratios], [one.interactive_ratio for one in ratios])
    )
    return (
        f"With {people}{order} the squared error over all answers is at most {alone} times the least of any method in "
        f"which respondents answer without seeing others' reports, and at most {seen} times the least of sequential "
        f"methods, in which they see them."
    )


def times(ratio: float) -> str:
    """Write a ratio, rounded up: two digits after the point, none from a hundred on."""
    if ratio >= 100:
        return f"{math.ceil(ratio):,}"
    return f"{math.ceil(ratio * 100) / 100:.2f}"


# --- The plan of a ladder
CURVE_EPSILONS = (0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
_HEADER = ("readers", "ε", "± with all", "respondents", "key, bits a row")


def plan_ladder(handler: LadderHandler) -> QuestionPlan:
    """Work a question out."""
    question, ladder, certificate = handler.question, handler.ladder, handler.certificate()
    reach = NormalDist().inv_cdf((1 + question.confidence) / 2)
    people = handler.audience.population
    levels = _exact_levels(handler)
    deviations = [rung.share_deviation(question.goal_share) for rung in ladder.levels]
    needed = [math.ceil((reach * deviation / question.half_width) ** 2) for deviation in deviations]
    rows = [
        {
            "level": level.level,
            "epsilon": level.epsilon,
            "readers": list(level.readers),
            "deviation": deviation,
            "respondents": count,
            "half_width": None if people is None else reach * deviation / math.sqrt(people),
            "key_bits": None if level.level == len(levels) else ladder.key_law(level.level).entropy_bits().upper,
        }
        for level, deviation, count in zip(levels, deviations, needed, strict=True)
    ]
    ratios = beside_floors(ladder.levels, needed if people is None else [people] * len(levels))
    closeness = floor_words(ratios)
    together, apart = ladder.randomness_bits().upper, ladder.separate_bits().upper
    beside = question.compared(ladder.levels[-1].channel()) if ladder.size == 2 else Compared()
    size = 1 if ladder.modulus <= 256 else 2 if ladder.modulus <= 65536 else 4
    return QuestionPlan(
        question=question,
        because=ladder.because(question.noun),
        words=(
            *_advice_words(handler),
            _cost_words(len(levels), together, apart, size),
            *([closeness] if closeness else []),
        ),
        closeness=closeness,
        levels=levels,
        certificate=certificate,
        sentences=_sentences(levels, certificate),
        arguments=beside.words,
        tables=(_table(question, rows), *beside.tables),
        curve=AccuracyCurve(
            points=accuracy_points(question),
            marks=tuple(
                (level.epsilon, deviation, level.readers) for level, deviation in zip(levels, deviations, strict=True)
            ),
            half_width=question.half_width,
        ),
        document={
            "ladder": json.loads(ladder.declaration),
            "random_bits": together,
            "separate_random_bits": apart,
            "report_bytes": size,
            "report_bits": math.ceil(math.log2(ladder.modulus)),
            "noise_ratios": list(ladder.ratios),
            "share": question.goal_share,
            "goal_half_width": question.half_width,
            "levels": rows,
            "floors": [one.document for one in ratios],
            "comparisons": list(beside.documents),
        },
    )


def _advice_words(handler: LadderHandler) -> tuple[str, ...]:
    """Say why this ladder and no other, where others were compared."""
    levels = promised_levels(handler.question.epsilon, handler.audience)
    advice = ladder_advice(handler.question, levels, handler.audience)
    if advice is None or advice.ladder.declaration != handler.declaration:
        return ()
    return (f"{advice.because[0].upper()}{advice.because[1:]}",)


def accuracy_points(question: LadderQuestion) -> tuple[tuple[float, float], ...]:
    """√n times the standard deviation of a share against ε, each at the best set for that ε."""
    rungs = [_best_for_level(question, epsilon) for epsilon in CURVE_EPSILONS]
    deviations = [rung.share_deviation(question.goal_share) for rung in rungs]
    return tuple(zip(CURVE_EPSILONS, deviations, strict=True))


def _best_for_level(question: LadderQuestion, epsilon: float) -> LevelMechanism:
    """Return the best for one level.

    Its figures do not need its set of favoured shifts, which takes long to make where answers are many.
    """
    size, made = question.size, question.mechanism((epsilon,))
    if made is not None:
        return Ladder(made, (epsilon,)).levels[0]
    return best_level(size=size, epsilon=epsilon, of_one_bit=size == 2 or question.thrift is not None)


def _exact_levels(handler: LadderHandler) -> tuple[LevelPlan, ...]:
    """Return the levels with the ε that they really have, which is a little less than what was promised."""
    return tuple(
        LevelPlan(level=level.level, epsilon=math.log(odds), readers=level.readers)
        for level, odds in zip(handler.levels, handler.ladder.odds, strict=True)
    )


def _cost_words(levels: int, together: float, apart: float, size: int) -> str:
    takes = f"{size} byte{'s' if size > 1 else ''}"
    if levels == 1:
        return f"A report takes {together:.2f} random bits and {takes}."
    return f"A report takes {together:.2f} random bits ({apart:.2f} if each level had a report of its own) and {takes}."


def _table(question: LadderQuestion, rows: list[dict[str, Any]]) -> PlanTable:
    title = (
        f"{100 * question.confidence:g} % intervals, if {100 * question.goal_share:.3g} % hold an answer; respondents "
        f"for ± {100 * question.half_width:g} points:"
    )
    return PlanTable(
        title=title,
        header=_HEADER,
        rows=tuple(
            (
                ", ".join(row["readers"]) or "-",
                epsilon_words(row["epsilon"]),
                "-" if row["half_width"] is None else f"{100 * row['half_width']:.2f} points",
                f"{row['respondents']:,}",
                "none" if row["key_bits"] is None else f"{row['key_bits']:.3f}",
            )
            for row in rows
        ),
    )


def _sentences(levels: tuple[LevelPlan, ...], certificate: Certificate) -> tuple[Said, ...]:
    said = [Said(sentence=certificate[f"epsilon_level_{level.level}"].sentence) for level in levels]
    everybody = "_".join(str(level.level) for level in levels)
    for measure in (f"epsilon_coalition_{everybody}" if len(levels) > 1 else "", "recovered"):
        said += [Said(sentence=claim.sentence) for claim in certificate.claims if claim.measure == measure]
    return tuple(said)


def epsilon_words(value: float) -> str:
    """Show an ε, rounded up."""
    return "∞" if math.isinf(value) else f"{math.ceil(value * 1000 - 1e-9) / 1000:g}"
