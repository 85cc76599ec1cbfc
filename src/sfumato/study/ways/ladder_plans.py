"""The plan of a ladder: why this mechanism, what each reader sees of it, and what that costs.

Errors are standard deviations by the exact variance of each level; half-widths and numbers of respondents use the
normal approximation.
"""

from __future__ import annotations

import json
import math
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from sfumato.certificates import Certificate
from sfumato.refine import Ladder
from sfumato.refine.rungs import Rung, best_rung
from sfumato.study.ways.floor_ratios import beside_floors, floor_words
from sfumato.study.ways.ladder_choices import ladder_advice, promised_levels
from sfumato.study.ways.plans import AccuracyCurve, Compared, LevelPlan, PlanTable, QuestionPlan, Said

if TYPE_CHECKING:
    from sfumato.study.ways.ladder import LadderWay
    from sfumato.study.ways.ladder_questions import LadderQuestion

# Where privacy is drawn against accuracy.
CURVE_EPSILONS = (0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
_HEADER = ("readers", "ε", "± with all", "respondents", "key, bits a row")


def plan_ladder(way: LadderWay) -> QuestionPlan:
    """Work a question out."""
    question, ladder, certificate = way.question, way.ladder, way.certificate()
    reach = NormalDist().inv_cdf((1 + question.confidence) / 2)
    people = way.audience.population
    levels = _exact_levels(way)
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
            *_advice_words(way),
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


def _advice_words(way: LadderWay) -> tuple[str, ...]:
    """Say why this ladder and no other, where others were compared."""
    levels = promised_levels(way.question.epsilon, way.audience)
    advice = ladder_advice(way.question, levels, way.audience)
    if advice is None or advice.ladder.declaration != way.declaration:
        return ()
    return (f"{advice.because[0].upper()}{advice.because[1:]}",)


def accuracy_points(question: LadderQuestion) -> tuple[tuple[float, float], ...]:
    """√n times the standard deviation of a share against ε, each at the best set for that ε."""
    rungs = [_best_rung(question, epsilon) for epsilon in CURVE_EPSILONS]
    deviations = [rung.share_deviation(question.goal_share) for rung in rungs]
    return tuple(zip(CURVE_EPSILONS, deviations, strict=True))


def _best_rung(question: LadderQuestion, epsilon: float) -> Rung:
    """Return the best for one level.

    A rung knows its numbers without its set of favoured shifts, which takes long to make where answers are many.
    """
    size, made = question.size, question.mechanism((epsilon,))
    if made is not None:
        return Ladder(made, (epsilon,)).levels[0]
    return best_rung(size=size, epsilon=epsilon, of_one_bit=size == 2 or question.thrift is not None)


def _exact_levels(way: LadderWay) -> tuple[LevelPlan, ...]:
    """Return the levels with the ε that they really have, which is a little less than what was promised."""
    return tuple(
        LevelPlan(level=level.level, epsilon=math.log(odds), readers=level.readers)
        for level, odds in zip(way.levels, way.ladder.odds, strict=True)
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
