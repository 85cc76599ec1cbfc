"""The plan of a question with any number of options: how many each respondent is asked about, and why.

m options at ε/m each: more of them means more respondents for each option, and more noise in each report. The plan
shows every m with the error at each level, from one option at the full ε to all of them at ε/k.
Theory: docs/theory/several.md
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist
from typing import TYPE_CHECKING

from sfumato.mechanisms.asked_counts import choices, option_deviation
from sfumato.study.ways.ladder_plans import epsilon_words, plan_ladder
from sfumato.study.ways.plans import PlanTable, QuestionPlan

if TYPE_CHECKING:
    from sfumato.study.ways.several import SeveralWay


def plan_several(way: SeveralWay) -> QuestionPlan:
    """Work a question out, with the table of what asking about more or fewer options would mean."""
    planned, question = plan_ladder(way), way.question
    options, asked = len(question.labels), way.rung(1).asked
    epsilons = [level.epsilon for level in planned.levels]
    offered = sorted({*choices(options), options})
    errors = {m: [option_deviation(options, m, epsilon, question.goal_share) for epsilon in epsilons] for m in offered}
    document = {
        **planned.document,
        "asked": asked,
        "choices": [{"asked": m, "deviations": errors[m]} for m in offered],
    }
    own, *_ = planned.tables
    return replace(
        planned,
        words=(_why(way, errors), *planned.words, _pairs(asked)),
        tables=(
            replace(own, title=own.title.replace("hold an answer", "choose an option")),
            _table(way, planned, errors, offered.index(asked)),
        ),
        document=document,
    )


def _why(way: SeveralWay, errors: dict[int, list[float]]) -> str:
    asked, options = way.rung(1).asked, len(way.question.labels)
    if way.question.ask is not None:
        return f"The study asks each respondent about {asked} of the {options} options."
    most = max(errors)
    ratios = {m: max(one / own for one, own in zip(errors[m], errors[asked], strict=True)) for m in errors}
    against = [
        f"{name} has {ratios[m]:.2f} times its error"
        for m, name in ((1, "one option at the full ε"), (most, f"asking about all {options} at ε/{options}"))
        if m != asked
    ]
    levels = "at the level where it is worst off, " if len(errors[asked]) > 1 else ""
    return (
        f"Asking about {asked} of {options} options makes the worst error of a share smallest: {levels}"
        f"{' and '.join(against)}."
    )


def _pairs(asked: int) -> str:
    if asked == 1:
        return "How many chose two options together cannot be told: a respondent is asked about one."
    return "How many chose two options together can be told as well, from those who are asked about both."


def _table(way: SeveralWay, planned: QuestionPlan, errors: dict[int, list[float]], chosen: int) -> PlanTable:
    question, people = way.question, way.audience.population
    reach = NormalDist().inv_cdf((1 + question.confidence) / 2)
    shown = [_words(m, len(question.labels)) for m in errors]
    readers = [f"{planned.readers_of(level.level)}, ε {epsilon_words(level.epsilon)}" for level in planned.levels]
    if people is None:
        title = f"Respondents for ± {100 * question.half_width:g} points, by how many options each is asked about:"
        cells = [[f"{math.ceil((reach * one / question.half_width) ** 2):,}" for one in errors[m]] for m in errors]
    else:
        title = f"± in points with {people:,} respondents, by how many options each is asked about:"
        cells = [[f"{100 * reach * one / math.sqrt(people):.2f}" for one in errors[m]] for m in errors]
    return PlanTable(
        title=title,
        header=("asked about", *readers),
        rows=tuple((name, *row) for name, row in zip(shown, cells, strict=True)),
        chosen=chosen,
    )


def _words(asked: int, options: int) -> str:
    if asked == options:
        return f"all {options}, each at ε/{options}"
    return "1, at the full ε" if asked == 1 else f"{asked}, each at ε/{asked}"
